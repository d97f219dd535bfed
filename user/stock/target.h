// SPDX-License-Identifier: GPL-2.0-or-later
// An export as it stands in the configfs of nvmet or of LIO. Each function looks at what is there
// and changes nothing; stock/configfs.h makes the steps.
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
// Bytes. LIO counts the size of its memory disks in pages of the kernel.
std::uint64_t ramdisk_page();

struct TargetPlan {
    std::string probe; // the folder that is there as long as the export is
    std::vector<ConfigStep> steps;
};

// The target's name where none was typed: made from this machine's name and the export's; of SRP
// the WWN of the first port, of the portal's device where an address was given.
Result<std::string> default_target(KernelFiles &files, const StockExport &settings);

// What this transport and this backend need, in the order to load them.
std::vector<std::string> target_modules(const StockExport &settings);

// The path, a size or a SCSI device is there and of the kind that was said; and the transport can
// do what is asked for.
Result<void> check_stock_backend(KernelFiles &files, const StockExport &settings);

Result<TargetPlan> plan_target(KernelFiles &files, const StockExport &settings);

// nvme_target.cpp, lio_backstore.cpp, iscsi_target.cpp, srp_target.cpp
TargetPlan plan_nvme_target(KernelFiles &files, const StockExport &settings);
// The backstore's folder is the last of its steps' folders.
Result<TargetPlan> plan_backstore(KernelFiles &files, const StockExport &settings);
TargetPlan plan_iscsi_target(const StockExport &settings, const TargetPlan &store);
TargetPlan plan_srp_target(KernelFiles &files, const StockExport &settings,
                           const TargetPlan &store);

// The first 8 bytes of the port identifier by which an SRP initiator logs in for this export alone:
// so each attachment sees one disk, though all exports share the port's target. 16 digits.
std::string srp_extension(const std::string &name);
// The GUID by which SRP initiators ask for this machine's service: "0x..."; empty where ib_srpt is
// not loaded.
std::string srp_service(KernelFiles &files);

// Names of initiators that are connected to what was made, as far as LIO says: by iSCSI, iSER and
// SRP.
std::vector<std::string> connected_initiators(KernelFiles &files, const TargetPlan &made);
// The addresses of clients that are connected to the port of an NVMe target. Several exports may
// listen at one port, and Linux does not say whose clients these are. An error: it cannot be seen.
// Of other targets: none.
Result<std::vector<std::string>> clients_of_port(World &world, const TargetPlan &made);
// All of them. Of an NVMe target that shares its port with another one: none.
Result<std::vector<std::string>> clients_of(World &world, const TargetPlan &made);
// Refuses (75) to end what was made while clients are connected to it. @subject: "the export 'x'".
Result<void> check_no_clients(World &world, const std::string &subject, const TargetPlan &made);
// What "rdma -j resource show cm_id" says of connections that were accepted at this port; none
// where it says nothing that can be read.
std::optional<std::vector<std::string>> parse_rdma_clients(std::string_view json,
                                                           std::uint16_t port);

} // namespace causeway
