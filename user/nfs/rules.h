// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of Causeway's NFS transport: from which local addresses mounts connect.
#pragma once

#include "change/change.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

// "10.0.0.2, 10.1.0.2".
std::string addresses_text(const NfsRule &rule);
std::optional<NfsRule> find_rule(const std::vector<NfsRule> &rules, const Prefix &network);

// The change of the kernel module's rule for one network. A rule without addresses means that there
// is no rule.
ChangePointer change_nfs_rule(NfsRule before, NfsRule after);

} // namespace causeway
