// SPDX-License-Identifier: GPL-2.0-or-later
// The commands of the netlink interface as words, for --verbose.
// Made by abi/generate from abi/causeway.yaml: edit that file, and run abi/generate.
#pragma once

#include "show/netlink_names.h"

#include <array>
#include <causeway.h>

namespace causeway {

// enum cw_cmd
inline constexpr std::array command_names = {
    NetlinkName{CW_C_EXPORT_ADD, "export-add"},
    NetlinkName{CW_C_EXPORT_REMOVE, "export-remove"},
    NetlinkName{CW_C_EXPORT_GET, "export-get"},
    NetlinkName{CW_C_SERVER_SET, "server-set"},
    NetlinkName{CW_C_SERVER_GET, "server-get"},
    NetlinkName{CW_C_SERVER_STOP, "server-stop"},
    NetlinkName{CW_C_ATTACH, "attach"},
    NetlinkName{CW_C_DETACH, "detach"},
    NetlinkName{CW_C_ATTACHMENT_GET, "attachment-get"},
    NetlinkName{CW_C_ACKNOWLEDGE, "acknowledge"},
    NetlinkName{CW_C_SESSION_GET, "session-get"},
    NetlinkName{CW_C_STAT_GET, "stat-get"},
    NetlinkName{CW_C_DISCOVER, "discover"},
    NetlinkName{CW_C_EVENT, "event"},
    NetlinkName{CW_C_NFS_GET, "nfs-get"},
    NetlinkName{CW_C_NFS_RULE_SET, "nfs-rule-set"},
    NetlinkName{CW_C_NFS_RULE_REMOVE, "nfs-rule-remove"},
    NetlinkName{CW_C_NFS_RULE_GET, "nfs-rule-get"},
    NetlinkName{CW_C_EXPORT_EVICT, "export-evict"},
    NetlinkName{CW_C_EXPORT_READMIT, "export-readmit"},
    NetlinkName{CW_C_OWNER_GET, "owner-get"},
    NetlinkName{CW_C_PATH_ADD, "path-add"},
    NetlinkName{CW_C_PATH_REMOVE, "path-remove"},
    NetlinkName{CW_C_EXPORT_SET, "export-set"},
    NetlinkName{CW_C_ATTACH_SET, "attach-set"},
};

} // namespace causeway
