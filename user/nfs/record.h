// SPDX-License-Identifier: GPL-2.0-or-later
// What was said when a folder was mounted, kept under /run until it is unmounted or the machine
// stops: the options, so that it can be mounted again, and why it goes by TCP.
#pragma once

#include "base/result.h"
#include "config/places.h"

#include <optional>
#include <string>

namespace causeway {

struct MountRecord {
    std::string source;
    std::string directory;
    std::string options; // as parse_nfs_options() reads them
    std::string reason;  // why not by RDMA; empty where it is
};

Result<void> keep_record(const Places &places, const MountRecord &record);
// None where there is none, or one that cannot be read.
std::optional<MountRecord> find_record(const Places &places, const std::string &source,
                                       const std::string &directory);
Result<void> forget_record(const Places &places, const std::string &directory);

} // namespace causeway
