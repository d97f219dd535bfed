// SPDX-License-Identifier: GPL-2.0-or-later
// Exports and attachments by stock transports, for peers that do not run Causeway.
#pragma once

#include "base/disk_name.h"
#include "base/places.h"
#include "base/result.h"
#include "base/socket_address.h"
#include "base/uuid.h"
#include "config/dropin_folder.h"
#include "stock/chap.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

enum class Via : std::uint8_t { nvme, nvme_tcp, iser, iscsi, srp };

Result<Via> parse_via(std::string_view text);
// "nvme", "nvme-tcp", "iser", "iscsi", "srp".
std::string via_text(Via via);
// "NVMe/RDMA", "NVMe/TCP", "iSER", "iSCSI", "SRP".
std::string via_title(Via via);
// The standard port: 4420 or 3260. SRP has no standard port; Causeway uses 5555.
std::uint16_t via_port(Via via);

enum class StockBackend : std::uint8_t { device, file, ram, scsi };

// "device", "file", "ram", "scsi".
std::string stock_backend_text(StockBackend backend);

inline constexpr unsigned int most_luns = 255; // the highest number

struct StockExport {
    std::string name;
    Via via = Via::nvme;
    StockBackend backend = StockBackend::device;
    std::string path;       // absolute; all backends but ram
    std::uint64_t size = 0; // bytes; ram only
    bool read_only = false;
    // The initiators that may attach, in the transport's form; empty: all.
    std::vector<std::string> initiators{};
    bool allow_any = false; // an administrator allowed every initiator explicitly
    std::string target{};   // IQN or NQN; SRP: the WWN of the port
    SocketAddress portal{}; // the address and port on which the target listens
    std::vector<SocketAddress> more_portals{};
    // The LUN, or the number of the namespace. None: the first one, 0 for a LUN and 1 for a
    // namespace; SRP: the first free one.
    std::optional<unsigned int> lun{};
    std::optional<Uuid> identity{};
    Chap chap{}; // not SRP
    // Of a file: through the page cache, with a write cache that a power failure loses.
    bool buffered = false;
    std::uint32_t block_size = 0; // bytes; 0: that of the backend
    bool unmap = false;           // initiators may discard blocks
};

struct StockAttachment {
    DiskName disk;
    Via via = Via::nvme;
    // IQN or NQN; SRP: the service GUID. Empty: as discovery finds it.
    std::string target{};
    // For an attachment by SRP that is connected: its SCSI host, "host7". Never configured.
    std::string host{};
    // Of a disk that is attached: the address and port of the server. Never configured.
    std::optional<SocketAddress> portal{};
    // True in a record if the command started a login and did not see its end. Never configured.
    bool unfinished = false;
    Chap chap{}; // not SRP
};

Result<std::uint32_t> parse_block_size(std::string_view text);
// Returns all portals, the first one first.
std::vector<SocketAddress> portals_of(const StockExport &settings);
// "0.0.0.0:4420, [::]:4420"
std::string portals_text(const StockExport &settings);
// Parses "10.0.0.1:4420" or "[fd00::1]:4420". Returns none unless it has an address and a port.
std::optional<SocketAddress> parse_portal(const std::string &text);

// Returns a phrase for each setting in which the existing object differs from the wanted one.
std::vector<std::string> differences(const StockExport &there, const StockExport &wanted);
std::vector<std::string> differences(const StockAttachment &there, const StockAttachment &wanted);
// Returns the differences in settings that cannot change while an export runs. A LUN that @wanted
// leaves open is that of the running export.
std::vector<std::string> fixed_differences(const StockExport &there, StockExport wanted);

// The content of a configuration file. An error if INI syntax cannot hold a value.
Result<std::string> stock_text(const StockExport &settings);
std::string stock_text(const StockAttachment &settings);
Result<StockExport> parse_stock_export(const std::string &source, std::string_view name,
                                       std::string_view content);
Result<StockAttachment> parse_stock_attachment(const std::string &source, std::string_view content);

std::filesystem::path stock_place(const Places &places, const StockExport &settings);
std::filesystem::path stock_place(const Places &places, const StockAttachment &settings);
// Returns what the file of one export has; none if there is no file.
Result<std::optional<Stored<StockExport>>> find_stored_export(const Places &places,
                                                              const std::string &name);
// Returns the text of a file with the settings @after in place of those that it has. Its comments
// and the lines of other settings stay.
Result<std::string> edited_stock_text(const Stored<StockExport> &stored, const StockExport &after);
Result<Folder<StockExport>> load_stock_exports(const Places &places);
Result<Folder<StockAttachment>> load_stock_attachments(const Places &places);

} // namespace causeway
