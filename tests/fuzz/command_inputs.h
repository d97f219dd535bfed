// SPDX-License-Identifier: GPL-2.0-or-later
// The first byte of an input of netlink.cpp and text.cpp selects the parsers for the rest.
// seed_netlink.cpp and seed_text.cpp write valid inputs of each kind.
#pragma once

namespace fuzz
{

enum NetlinkKind : unsigned char {
	NETLINK_EXPORT,
	NETLINK_SERVER,
	NETLINK_ATTACHMENT,
	NETLINK_SESSION,
	NETLINK_STAT,
	NETLINK_DISCOVERY,
	NETLINK_NFS_CONNECTION,
	NETLINK_NFS_RULE,
	NETLINK_EVENT,
	NETLINK_UNFLUSHED,
	NETLINK_OWNER,
	NETLINK_KINDS,
};

enum TextKind : unsigned char {
	TEXT_EXPORT,
	TEXT_ATTACHMENT,
	TEXT_NFS_RULE,
	TEXT_INSTANCE,
	TEXT_PARTITIONS,
	TEXT_MOUNTS, // mountinfo, a zero byte, mountstats
	TEXT_TOPOLOGY,
	TEXT_BAD_LINKS,
	TEXT_PKEY_TABLES,
	TEXT_GROUPS,
	TEXT_MODULES,
	TEXT_FIREWALL,
	TEXT_NAME,
	TEXT_STOCK_EXPORT,
	TEXT_STOCK_ATTACHMENT,
	TEXT_INTERFACE,
	TEXT_STEPS, // steps of configfs
	TEXT_DISCOVERY, // discovery of NVMe and iSCSI targets
	TEXT_JSON, // output of ip, rdma and nft
	TEXT_HOST_FILES, // files that doctor reads, and output of modinfo and qperf
	TEXT_NFS_EXPORTS, // exports(5), and the table of exportfs
	TEXT_KINDS,
};

} // namespace fuzz
