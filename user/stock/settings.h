// SPDX-License-Identifier: GPL-2.0-or-later
// Exports and attachments by the transports of the kernel itself, for peers that have no Causeway.
#pragma once

#include "base/disk_name.h"
#include "base/places.h"
#include "base/result.h"
#include "base/socket_address.h"
#include "base/uuid.h"
#include "config/dropin_folder.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

enum class Via : std::uint8_t { nvme, iser, iscsi, srp };

Result<Via> parse_via(std::string_view text);
// "nvme", "iser", "iscsi", "srp".
std::string via_text(Via via);
// "NVMe/RDMA", "iSER", "iSCSI", "SRP".
std::string via_title(Via via);
// The port of the standard: 4420, 3260; of SRP, which has none, 5555.
std::uint16_t via_port(Via via);

enum class StockBackend : std::uint8_t { device, file, ram, scsi };

// "device", "file", "ram", "scsi".
std::string stock_backend_text(StockBackend backend);

struct StockExport {
    std::string name;
    Via via = Via::nvme;
    StockBackend backend = StockBackend::device;
    std::string path;       // all but ram: absolute
    std::uint64_t size = 0; // ram: bytes
    bool read_only = false;
    // Who may attach, as the transport names initiators; empty: everyone.
    std::vector<std::string> initiators{};
    bool allow_any = false; // an administrator said that everyone may attach
    std::string target{};   // IQN, NQN; SRP: the WWN of the port
    SocketAddress portal{}; // where it listens
    std::optional<Uuid> identity{};
};

struct StockAttachment {
    DiskName disk;
    Via via = Via::nvme;
    // IQN, NQN; SRP: the service GUID. Empty: as discovery tells.
    std::string target{};
    // Of one that is attached now by SRP: its SCSI host, "host7". Never asked for.
    std::string host{};
};

// The name is well-formed for the transport, or the error says what would be. target: SRP names
// ports and services by other numbers than initiators, both are checked as hexadecimal digits.
Result<std::string> parse_target(Via via, std::string_view text);
Result<std::string> parse_initiator(Via via, std::string_view text);

// Each of them is there with other settings: one phrase for each that differs.
std::vector<std::string> differences(const StockExport &there, const StockExport &wanted);
std::vector<std::string> differences(const StockAttachment &there, const StockAttachment &wanted);

// The text of a drop-in; an error where INI cannot hold a value.
Result<std::string> stock_text(const StockExport &settings);
std::string stock_text(const StockAttachment &settings);
Result<StockExport> parse_stock_export(const std::string &source, std::string_view name,
                                       std::string_view content);
Result<StockAttachment> parse_stock_attachment(const std::string &source, std::string_view content);

std::filesystem::path stock_place(const Places &places, const StockExport &settings);
std::filesystem::path stock_place(const Places &places, const StockAttachment &settings);
Result<Folder<StockExport>> load_stock_exports(const Places &places);
Result<Folder<StockAttachment>> load_stock_attachments(const Places &places);

} // namespace causeway
