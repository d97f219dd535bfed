// SPDX-License-Identifier: GPL-2.0-or-later
// What doctor knows of disks on this machine, by Causeway's own transport and by others.
#pragma once

#include "config/dropins.h"
#include "doctor/facts.h"
#include "machine/kernel.h"
#include "stock/settings.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace causeway {

struct DiskFacts {
    bool service_enabled = true; // causeway.service
    bool service_failed = false;

    Folder<ExportSettings> exports;
    Folder<AttachmentSettings> attachments;
    Folder<StockExport> stock_files;
    std::map<std::string, std::string> bad_backends; // export: why
    std::map<std::string, Error> bad_ledgers;        // of exports that do not run
    std::map<std::string, std::string> bad_keys;     // drop-in: why
    std::vector<ExportInfo> running_exports;
    std::vector<StockExport> stock_exports; // running or configured
    std::vector<AttachmentInfo> running_attachments;
    std::vector<SessionInfo> sessions;
    std::set<std::string> unlinked; // disks that udev made no link for: "server/name"
    std::map<std::string, std::string> unresolved; // server: why
};

} // namespace causeway
