// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/processes.h"

#include "base/descriptor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <future>
#include <poll.h>
#include <spawn.h>
#include <string_view>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace causeway {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array folders = {"/usr/sbin", "/usr/bin", "/sbin", "/bin"};
constexpr int signal_base = 128;
// How long killed processes may take to end. A process that is blocked in the kernel takes longer.
constexpr std::chrono::seconds killed_limit{5};

std::string path_of(const std::string &program) {
    if (program.substr(0, 1) == "/") {
        return ::access(program.c_str(), X_OK) == 0 ? program : std::string();
    }
    for (const char *folder : folders) {
        std::string path = fmt::format("{}/{}", folder, program);
        if (::access(path.c_str(), X_OK) == 0) {
            return path;
        }
    }
    return {};
}

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

// Starts the program in a process group of its own, so that a kill reaches its children too, and
// with the default action of SIGPIPE.
class SpawnAttributes {
  public:
    SpawnAttributes() {
        posix_spawnattr_init(&attributes_);
        sigset_t defaults;
        sigemptyset(&defaults);
        sigaddset(&defaults, SIGPIPE);
        posix_spawnattr_setsigdefault(&attributes_, &defaults);
        posix_spawnattr_setpgroup(&attributes_, 0);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    }
    SpawnAttributes(const SpawnAttributes &) = delete;
    SpawnAttributes &operator=(const SpawnAttributes &) = delete;
    ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }

    posix_spawnattr_t *get() { return &attributes_; }

  private:
    posix_spawnattr_t attributes_{};
};

struct Pipe {
    Descriptor reader;
    Descriptor writer;
};

Result<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return Error{ExitCode::failed, fmt::format("cannot make a pipe: {}", std::strerror(errno))};
    }
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

// Appends all that can be read now. Returns false at the end of the stream.
bool drain(const Descriptor &from, std::string &text) {
    std::array<char, 4096> chunk{};
    for (;;) {
        const ssize_t got = ::read(from.get(), chunk.data(), chunk.size());
        if (got > 0) {
            text.append(chunk.data(), static_cast<std::size_t>(got));
        } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
            return false;
        } else if (errno == EAGAIN) {
            return true;
        }
    }
}

constexpr Clock::time_point no_deadline = Clock::time_point::max();

int milliseconds_left(Clock::time_point deadline) {
    if (deadline == no_deadline) {
        return -1;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1000000000));
}

// Reads until the program itself has ended; a daemon that it started may keep the pipes open. At
// the time limit, kills the program and all processes that it started. Killed processes run until
// they leave the kernel, and a mount(2) may still succeed meanwhile. So after a kill this function
// also waits for the end of both streams, but no longer than killed_limit.
void listen(pid_t child, const Pipe &out, const Pipe &err,
            std::optional<std::chrono::seconds> limit, ProcessEnd &end) {
    Clock::time_point deadline = limit ? Clock::now() + *limit : no_deadline;
    const Descriptor ended(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
    std::array<pollfd, 3> sources{
        {{ended.get(), POLLIN, 0}, {out.reader.get(), POLLIN, 0}, {err.reader.get(), POLLIN, 0}}};
    const auto is_over = [&] {
        const bool streams_ended = sources[1].fd < 0 && sources[2].fd < 0;
        // Without pidfds in the kernel, the end of both streams means that the program has ended.
        const bool program_ended = ended ? sources[0].fd < 0 : streams_ended;
        return program_ended && (streams_ended || !end.timed_out);
    };
    while (!is_over()) {
        const int ready = ::poll(sources.data(), sources.size(), milliseconds_left(deadline));
        if (ready == 0 && end.timed_out) {
            return;
        }
        if (ready == 0) {
            end.timed_out = true;
            deadline = Clock::now() + killed_limit;
            ::kill(-child, SIGKILL);
        }
        if (ready > 0 && sources[0].revents != 0) {
            sources[0].fd = -1;
        }
        if (!drain(out.reader, end.out)) {
            sources[1].fd = -1;
        }
        if (!drain(err.reader, end.err)) {
            sources[2].fd = -1;
        }
    }
}

void cut_newlines(std::string &text) {
    text.erase(text.find_last_not_of('\n') + 1);
}

std::string_view last_line(std::string_view text) {
    const std::size_t start = text.rfind('\n');
    return start == std::string_view::npos ? text : text.substr(start + 1);
}

} // namespace

std::string ProcessEnd::last_words() const {
    return std::string(last_line(err.empty() ? out : err));
}

bool SystemProcesses::there(const std::string &program) {
    return !path_of(program).empty();
}

Result<ProcessEnd> SystemProcesses::run(const std::vector<std::string> &words,
                                        std::optional<std::chrono::seconds> limit) {
    const std::string path = path_of(words.front());
    if (path.empty()) {
        return Error{ExitCode::unavailable,
                     fmt::format("there is no program {} on this machine", words.front())};
    }
    auto out = make_pipe();
    auto err = make_pipe();
    if (!out || !err) {
        return out ? err.error() : out.error();
    }
    SpawnActions actions;
    posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(actions.get(), out->writer.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(actions.get(), err->writer.get(), STDERR_FILENO);
    SpawnAttributes attributes;

    std::vector<std::string> copies = words;
    std::vector<char *> arguments;
    for (std::string &word : copies) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    std::string search = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
    std::string language = "LC_ALL=C";
    std::array<char *, 3> environment{search.data(), language.data(), nullptr};
    pid_t child = 0;
    const int failure = ::posix_spawn(&child, path.c_str(), actions.get(), attributes.get(),
                                      arguments.data(), environment.data());
    if (failure != 0) {
        return Error{ExitCode::failed,
                     fmt::format("cannot run {}: {}", path, std::strerror(failure)), "", failure};
    }
    out->writer.reset();
    err->writer.reset();
    ProcessEnd end;
    listen(child, *out, *err, limit, end);
    int status = 0;
    for (pid_t ended = 0; ended != child;) {
        ended = ::waitpid(child, &status, end.timed_out ? WNOHANG : 0);
        if (ended == 0) {
            status = SIGKILL;
            break;
        }
        if (ended < 0 && errno != EINTR) {
            return Error{ExitCode::failed,
                         fmt::format("cannot wait for {}: {}", path, std::strerror(errno))};
        }
    }
    end.status = WIFEXITED(status) ? WEXITSTATUS(status) : signal_base + WTERMSIG(status);
    cut_newlines(end.out);
    cut_newlines(end.err);
    return end;
}

std::vector<Result<ProcessEnd>>
SystemProcesses::run_together(const std::vector<std::vector<std::string>> &lines,
                              std::chrono::seconds limit) {
    std::vector<std::future<Result<ProcessEnd>>> running;
    running.reserve(lines.size());
    for (const auto &words : lines) {
        running.push_back(std::async(std::launch::async, [this, &words, limit] {
            return SystemProcesses::run(words, limit);
        }));
    }
    std::vector<Result<ProcessEnd>> ends;
    ends.reserve(running.size());
    for (auto &each : running) {
        ends.push_back(each.get());
    }
    return ends;
}

Result<bool> SystemProcesses::go_to_background() {
    const pid_t child = ::fork();
    if (child < 0) {
        const int failure = errno;
        return Error{ExitCode::failed,
                     fmt::format("cannot go to the background: {}", std::strerror(failure)), "",
                     failure};
    }
    if (child > 0) {
        return false;
    }
    ::setsid();
    // The caller of this command may wait for the end of these streams.
    const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        ::dup2(nothing.get(), stream);
    }
    return true;
}

Result<void>
SystemProcesses::become(const std::vector<std::string> &words,
                        const std::vector<std::pair<std::string, std::string>> &variables) {
    std::vector<std::string> copies = words;
    std::vector<char *> arguments;
    for (std::string &word : copies) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    for (const auto &[name, value] : variables) {
        ::setenv(name.c_str(), value.c_str(), 1);
    }
    std::signal(SIGPIPE, SIG_DFL);
    ::execvp(arguments.front(), arguments.data());
    const int failure = errno;
    std::signal(SIGPIPE, SIG_IGN);
    return Error{failure == ENOENT ? ExitCode::unavailable : ExitCode::failed,
                 fmt::format("cannot run {}: {}", words.front(), std::strerror(failure)), "",
                 failure};
}

} // namespace causeway
