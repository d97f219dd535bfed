// SPDX-License-Identifier: GPL-2.0-or-later
// Plans an export in the configfs of nvmet or of LIO. These functions read the present state and
// change nothing; stock/configfs.h makes the steps.
#pragma once

#include "base/result.h"
#include "machine/kernel_files.h"
#include "machine/world.h"
#include "stock/configfs.h"
#include "stock/settings.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

inline constexpr const char *nvmet_folder = "/sys/kernel/config/nvmet";
inline constexpr const char *lio_folder = "/sys/kernel/config/target";
// Unit: bytes. LIO counts the size of memory disks in pages of the kernel.
std::uint64_t ramdisk_page();

struct TargetPlan {
    std::string probe; // the folder that exists exactly as long as the export
    std::vector<ConfigStep> steps;
};

// Unit: bytes. 0: /sys does not show the disk.
std::uint64_t size_of_disk(KernelFiles &files, const std::string &disk);

// Returns this machine's name, in the characters that IQN and NQN allow.
std::string machine_name(KernelFiles &files);

// The modules that this transport and backend need, in the order of loading.
std::vector<std::string> target_modules(const StockExport &settings);

// Checks that the path, size or SCSI device is usable and of the stated kind, and that the
// transport supports the settings.
Result<void> check_stock_backend(KernelFiles &files, const StockExport &settings);

Result<TargetPlan> plan_target(KernelFiles &files, const StockExport &settings);

// The last folder among the steps is the backstore's folder.
Result<TargetPlan> plan_backstore(KernelFiles &files, const StockExport &settings);

// The first 8 bytes, in 16 digits, of the port identifier with which an SRP initiator logs in for
// this export only. All exports share the target of the port, but each attachment sees one disk.
std::string srp_extension(const std::string &name);

// Returns the names of the initiators that are connected to the target, as LIO reports them; none
// for an NVMe target.
std::vector<std::string> connected_initiators(KernelFiles &files, const TargetPlan &made);
// Returns the addresses of clients that are connected to the ports of an NVMe target; none for
// other targets. Several exports may share a port, and Linux does not report which export a client
// uses. Returns an error if the clients cannot be determined.
Result<std::vector<std::string>> clients_of_port(World &world, const TargetPlan &made);
// Returns all clients of the target; none for an NVMe target that shares its port with another one.
Result<std::vector<std::string>> clients_of(World &world, const TargetPlan &made);
// Returns an error (exit code 75) if clients are connected to the target. Waits up to 2 s for
// clients that have just detached. @subject: "the export 'x'".
Result<void> check_no_clients(World &world, const std::string &subject, const TargetPlan &made);
// Returns the addresses of clients with accepted connections to this local port, from the output of
// "rdma -j resource show cm_id". Returns nullopt if the output is not valid JSON.
std::optional<std::vector<std::string>> parse_rdma_clients(std::string_view json,
                                                           std::uint16_t port);
// Returns the addresses of clients with established connections to this local port, from the text
// of /proc/net/tcp or /proc/net/tcp6. Skips lines that do not have their form.
std::vector<std::string> parse_tcp_clients(std::string_view table, std::uint16_t port);

} // namespace causeway
