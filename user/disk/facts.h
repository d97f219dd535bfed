// SPDX-License-Identifier: GPL-2.0-or-later
// The facts of doctor about disks on this machine, by Causeway's own and by stock transports.
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
    bool service_enabled = true; // causeway.service; true without systemd
    bool service_failed = false; // causeway.service or causeway-stock.service

    std::uint16_t server_port = default_port; // of RDMA
    Folder<ExportSettings> exports;
    Folder<AttachmentSettings> attachments;
    Folder<StockExport> stock_files;
    std::map<std::string, std::string> bad_backends; // by configured export: why it is missing
    std::map<std::string, Error> bad_ledgers;        // by configured export that does not run
    std::map<std::string, std::string> bad_keys;     // by export or disk: why the key is unusable
    std::vector<ExportInfo> running_exports;
    std::vector<StockExport> stock_exports; // running or configured
    std::vector<AttachmentInfo> running_attachments;
    std::vector<SessionInfo> sessions;
    std::set<std::string> unlinked;                // "server/name" of disks without udev's link
    std::map<std::string, std::string> unresolved; // by server of a disk that is not attached: why
};

} // namespace causeway
