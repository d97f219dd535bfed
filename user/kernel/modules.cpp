// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/modules.h"

#include "base/descriptor.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <string_view>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

namespace causeway {

namespace {

struct Outcome {
    int status = 0;
    std::string said; // on its standard error
};

class SpawnActions {
  public:
    SpawnActions() { posix_spawn_file_actions_init(&actions_); }
    SpawnActions(const SpawnActions &) = delete;
    SpawnActions &operator=(const SpawnActions &) = delete;
    ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }

    posix_spawn_file_actions_t *get() { return &actions_; }

  private:
    posix_spawn_file_actions_t actions_{};
};

std::string read_to_end(const Descriptor &from) {
    std::string text;
    std::array<char, 512> chunk{};
    for (;;) {
        const ssize_t got = ::read(from.get(), chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        text.append(chunk.data(), static_cast<std::size_t>(got));
    }
    while (!text.empty() && text.back() == '\n') {
        text.pop_back();
    }
    return text;
}

const char *modprobe_path() {
    for (const char *path : {"/sbin/modprobe", "/usr/sbin/modprobe", "/bin/modprobe"}) {
        if (::access(path, X_OK) == 0) {
            return path;
        }
    }
    return nullptr;
}

Result<Outcome> run_modprobe(const char *path, std::string module) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return Error{ExitCode::failed, fmt::format("cannot make a pipe: {}", std::strerror(errno))};
    }
    const Descriptor reader(ends[0]);
    Descriptor writer(ends[1]);
    SpawnActions actions;
    posix_spawn_file_actions_adddup2(actions.get(), writer.get(), STDERR_FILENO);
    posix_spawn_file_actions_addopen(actions.get(), STDOUT_FILENO, "/dev/null", O_WRONLY, 0);

    std::string program = "modprobe";
    std::string separator = "--";
    std::string search = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
    std::array<char *, 4> arguments{program.data(), separator.data(), module.data(), nullptr};
    std::array<char *, 2> environment{search.data(), nullptr};
    pid_t child = 0;
    const int failure =
        ::posix_spawn(&child, path, actions.get(), nullptr, arguments.data(), environment.data());
    if (failure != 0) {
        return Error{ExitCode::failed,
                     fmt::format("cannot run {}: {}", path, std::strerror(failure))};
    }
    writer.reset();
    Outcome outcome;
    outcome.said = read_to_end(reader);
    while (::waitpid(child, &outcome.status, 0) < 0) {
        if (errno != EINTR) {
            return Error{ExitCode::failed,
                         fmt::format("cannot wait for {}: {}", path, std::strerror(errno))};
        }
    }
    return outcome;
}

Error not_loaded(const std::string &module, const std::string &said) {
    Error error{ExitCode::unavailable,
                fmt::format("the kernel module {} cannot be loaded: {}", module,
                            said.empty() ? "modprobe failed and did not say why" : said)};
    utsname running{};
    ::uname(&running);
    const auto says = [&](std::string_view part) { return said.find(part) != std::string::npos; };
    if (::geteuid() != 0 || says("Operation not permitted")) {
        error.code = ExitCode::no_permission;
        error.mend = "run the command as root";
    } else if (says("not found")) {
        error.mend = fmt::format("build and install the modules for {}: make install in Causeway's "
                                 "source, or \"dkms autoinstall -k {}\" where it is under DKMS",
                                 &running.release[0], &running.release[0]);
    } else if (says("Key was rejected")) {
        error.mend = "Secure Boot wants signed modules: enrol the DKMS key with \"mokutil --import "
                     "/var/lib/dkms/mok.pub\" and reboot";
    } else {
        error.mend = "the kernel's log says more: dmesg | tail";
    }
    return error;
}

} // namespace

bool SystemModules::loaded(const std::string &module) {
    return ::access(("/sys/module/" + module).c_str(), F_OK) == 0;
}

Result<void> SystemModules::need(const std::string &module) {
    if (loaded(module)) {
        return {};
    }
    const char *path = modprobe_path();
    if (path == nullptr) {
        return Error{
            ExitCode::unavailable,
            fmt::format("the kernel module {} is not loaded and there is no modprobe", module),
            "apt install kmod"};
    }
    auto outcome = run_modprobe(path, module);
    if (!outcome) {
        return outcome.error();
    }
    if (!WIFEXITED(outcome->status) || WEXITSTATUS(outcome->status) != 0) {
        return not_loaded(module, outcome->said);
    }
    return {};
}

} // namespace causeway
