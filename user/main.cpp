// SPDX-License-Identifier: GPL-2.0-or-later
// The program "causeway": makes the real World and passes the words to the dispatcher.
#include "base/durable_file.h"
#include "base/narration.h"
#include "command/dispatch.h"
#include "kernel/netlink_kernel.h"
#include "machine/narrated.h"
#include "nfs/mount_helper.h"

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <unistd.h>

namespace {

causeway::Uuid boot_of_this_machine() {
    const auto content = causeway::read_small_file("/proc/sys/kernel/random/boot_id");
    if (!content || !*content) {
        return {};
    }
    const std::string &text = **content;
    return causeway::Uuid::parse(text.substr(0, text.find('\n'))).value_or(causeway::Uuid());
}

// Returns true if the program was started under the name of the helper of mount(8). @name may have
// a folder.
bool called_as_mount_helper(const std::string &name) {
    return name.substr(name.rfind('/') + 1) == causeway::mount_helper_name;
}

int run(const std::string &name, std::vector<std::string> words) {
    const bool helps_mount = called_as_mount_helper(name);
    const causeway::GlobalOptions options =
        helps_mount ? causeway::GlobalOptions() : causeway::take_global_options(words);
    const causeway::Narration narration(options.verbose ? &std::cerr : nullptr);
    std::string root = options.root;
    if (const char *moved = std::getenv("CAUSEWAY_ROOT"); root.empty() && moved != nullptr) {
        root = moved;
    }
    causeway::NetlinkKernel kernel;
    causeway::SystemProcesses real_processes;
    causeway::NarratedProcesses processes(real_processes);
    causeway::SystemKernelFiles real_files;
    causeway::NarratedKernelFiles files(real_files);
    causeway::SystemRdmaLinks real_rdma;
    causeway::NarratedRdmaLinks rdma(real_rdma);
    causeway::SystemRdmaPaths paths;
    causeway::SystemTcpPorts tcp_ports;
    causeway::SystemMountUse mount_use;
    causeway::SystemDiskUse disk_use;
    causeway::SystemClock clock;
    causeway::SystemModules modules(processes);
    causeway::SystemResolver resolver;
    causeway::UdevLinks links;
    causeway::World world{kernel,
                          modules,
                          resolver,
                          links,
                          processes,
                          files,
                          rdma,
                          paths,
                          tcp_ports,
                          mount_use,
                          disk_use,
                          clock,
                          std::cout,
                          std::cerr,
                          root.empty() ? causeway::Places() : causeway::Places(root),
                          boot_of_this_machine(),
                          options.json,
                          causeway::find_terminal(STDOUT_FILENO)};
    return helps_mount ? causeway::run_mount_helper(world, words)
                       : causeway::run_command(world, std::move(words));
}

} // namespace

int main(int argc, char **argv) {
    // If the reader of a pipe exits, the write returns an error instead.
    std::signal(SIGPIPE, SIG_IGN);
    try {
        return run(argv[0], std::vector<std::string>(argv + 1, argv + argc));
    } catch (const std::exception &failure) {
        std::cerr << "causeway: " << failure.what() << "\n";
        return static_cast<int>(causeway::ExitCode::failed);
    }
}
