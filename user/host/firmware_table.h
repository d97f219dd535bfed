// SPDX-License-Identifier: GPL-2.0-or-later
// The newest firmware that is known of an adapter: the table that is installed with the command,
// and the administrator's additions.
#pragma once

#include "base/places.h"
#include "base/result.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct FirmwareEntry {
    std::string version; // "16.35.8008"; "-": no version is known
    std::string note;    // "ConnectX-5"
};

// The names by which the table knows an adapter. Each may be empty.
struct AdapterIdentity {
    std::string psid;     // "MT_0000000008"
    std::string type;     // "MT4119"
    std::string pci_id;   // "15B3:1017"
    std::string revision; // "0xb0"
};

// By key: "psid:MT_0000000008", "pci:15b3:1017:b0", "pci:15b3:1017", "type:MT4119".
using FirmwareEntries = std::map<std::string, FirmwareEntry>;

struct FirmwareTable {
    FirmwareEntries entries;
    std::vector<Error> broken; // one for each line or file that cannot be used

    // Returns the entry of an adapter; none if there is none, or if its version is "-". An entry by
    // PSID is before one by PCI ID, and that before one by type. Entries by PCI ID and type do not
    // apply to an adapter of another seller, whose PSID does not start with "MT_".
    std::optional<FirmwareEntry> find(const AdapterIdentity &adapter) const;
};

// Adds the lines of a file to the table. A later line replaces an earlier one of the same key.
// Errors have the form "file:line: ...".
void add_firmware_lines(FirmwareTable &table, const std::string &source, std::string_view content);

// Reads the installed table, and then the files of the administrator's folder in the order of their
// names. A line that is malformed does not hide the others.
FirmwareTable load_firmware_table(const Places &places);

// Returns true if version @one is older than @other. Versions are numbers with points between.
// Returns false if one of them is no version.
bool is_older_firmware(const std::string &one, const std::string &other);

} // namespace causeway
