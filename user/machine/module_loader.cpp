// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/module_loader.h"

#include <cerrno>
#include <fmt/format.h>
#include <string_view>
#include <sys/utsname.h>
#include <unistd.h>

namespace causeway {

namespace {

Error not_loaded(const std::string &module, const std::string &said) {
    Error error{ExitCode::unavailable,
                fmt::format("the kernel module {} cannot be loaded: {}", module,
                            said.empty() ? "modprobe failed and did not say why" : said)};
    utsname running{};
    ::uname(&running);
    const auto says = [&](std::string_view part) { return said.find(part) != std::string::npos; };
    if (::geteuid() != 0 || says("Operation not permitted")) {
        error.code = ExitCode::no_permission;
        error.fix = "run the command as root";
    } else if (says("not found")) {
        error.fix = fmt::format("build and install the modules for {}: make install in Causeway's "
                                "source, or \"dkms autoinstall -k {}\" where it is under DKMS",
                                &running.release[0], &running.release[0]);
    } else if (says("Key was rejected")) {
        error.fix = "Secure Boot wants signed modules: enrol the DKMS key with \"mokutil --import "
                    "/var/lib/dkms/mok.pub\" and reboot";
    } else {
        error.fix = "the kernel's log says more: dmesg | tail";
    }
    return error;
}

Error no_kmod(std::string_view action, const std::string &module) {
    return Error{
        ExitCode::unavailable,
        fmt::format("the kernel module {} cannot be {}: kmod is not installed", module, action),
        "apt install kmod, or: dnf install kmod"};
}

} // namespace

bool SystemModules::loaded(const std::string &module) {
    return ::access(("/sys/module/" + module).c_str(), F_OK) == 0;
}

Result<void> SystemModules::need(const std::string &module) {
    if (loaded(module)) {
        return {};
    }
    if (!processes_.there("modprobe")) {
        return no_kmod("loaded", module);
    }
    auto end = TRY(processes_.run({"modprobe", "--", module}));
    if (!end.good()) {
        return not_loaded(module, end.err);
    }
    return {};
}

Result<void> SystemModules::unload(const std::string &module) {
    if (!loaded(module)) {
        return {};
    }
    if (!processes_.there("rmmod")) {
        return no_kmod("unloaded", module);
    }
    auto end = TRY(processes_.run({"rmmod", module}));
    if (!end.good()) {
        return Error{
            ExitCode::try_again,
            fmt::format("the kernel module {} cannot be unloaded: {}", module, end.last_words()),
            "see what uses it: lsmod", EBUSY};
    }
    return {};
}

} // namespace causeway
