// SPDX-License-Identifier: GPL-2.0-only
/*
 * The attributes that requests of the netlink family may have, and the operations of the family.
 *
 * Made by abi/generate from abi/causeway.yaml: edit that file, and run abi/generate.
 */
#include <linux/module.h>

#include "../../../include/wire/causeway_wire.h"
#include "policy.h"

static_assert(CW_WIRE_QUEUES_MAX == 256);
static_assert(CW_WIRE_DEPTH_MAX == 1024);

/* The kernel refuses a request with an attribute that is not here: no operation takes it. */
const struct nla_policy cw_policy[__CW_A_MAX] = {
	[CW_A_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[CW_A_SERVER] = { .type = NLA_NUL_STRING, .len = 63 },
	[CW_A_ADDRESS] = { .type = NLA_BINARY, .len = 28 },
	[CW_A_LOCAL_ADDRESS] = { .type = NLA_BINARY, .len = 28 },
	[CW_A_PORT] = { .type = NLA_U16 },
	[CW_A_BACKEND] = NLA_POLICY_RANGE(NLA_U8, CW_BACKEND_DEVICE, CW_BACKEND_RAM),
	[CW_A_PATH] = { .type = NLA_NUL_STRING, .len = 4095 },
	[CW_A_SIZE] = { .type = NLA_U64 },
	[CW_A_READ_ONLY] = { .type = NLA_FLAG },
	[CW_A_EXCLUSIVE] = { .type = NLA_FLAG },
	[CW_A_WRITE_THROUGH] = { .type = NLA_FLAG },
	[CW_A_ALLOW] = NLA_POLICY_NESTED(cw_policy),
	[CW_A_FAMILY] = { .type = NLA_U8 },
	[CW_A_PREFIX] = { .type = NLA_BINARY, .len = 16 },
	[CW_A_PREFIX_LEN] = NLA_POLICY_RANGE(NLA_U8, 0, 128),
	[CW_A_KEY] = { .type = NLA_BINARY, .len = 64 },
	[CW_A_IDENTITY] = NLA_POLICY_EXACT_LEN(16),
	[CW_A_INSTANCE] = NLA_POLICY_EXACT_LEN(16),
	[CW_A_QUEUES] = NLA_POLICY_RANGE(NLA_U16, 1, CW_WIRE_QUEUES_MAX),
	[CW_A_POLL_QUEUES] = NLA_POLICY_RANGE(NLA_U16, 0, CW_WIRE_QUEUES_MAX),
	[CW_A_DEPTH] = NLA_POLICY_RANGE(NLA_U16, 1, CW_WIRE_DEPTH_MAX),
	[CW_A_IO_TIMEOUT] = { .type = NLA_U32 },
	[CW_A_CONNECT_TIMEOUT] = { .type = NLA_U32 },
	[CW_A_BACKGROUND] = { .type = NLA_FLAG },
	[CW_A_FORCE] = { .type = NLA_FLAG },
	[CW_A_HOST] = NLA_POLICY_EXACT_LEN(16),
	[CW_A_TRANSPORT] = NLA_POLICY_RANGE(NLA_U8, CW_TRANSPORT_NONE, CW_TRANSPORT_TCP),
	[CW_A_ID] = { .type = NLA_U32 },
	[CW_A_SOURCE] = { .type = NLA_BINARY, .len = 28 },
	[CW_A_FAST_FAIL] = { .type = NLA_U32 },
	[CW_A_LEDGER] = NLA_POLICY_EXACT_LEN(16),
	[CW_A_LEDGER_FOLDER] = { .type = NLA_NUL_STRING, .len = 4095 },
	[CW_A_TAKEOVER_AFTER] = { .type = NLA_U32 },
	[CW_A_DISK_PATH] = NLA_POLICY_NESTED(cw_policy),
	[CW_A_PATH_POLICY] = NLA_POLICY_RANGE(NLA_U8, CW_PATH_POLICY_AUTO, CW_PATH_POLICY_SINGLE),
	[CW_A_EXPORT_ADDRESS] = NLA_POLICY_NESTED(cw_policy),
	[CW_A_TCP] = { .type = NLA_FLAG },
	[CW_A_CHANGE] = { .type = NLA_U32 },
};
EXPORT_SYMBOL_GPL(cw_policy);

const struct genl_ops cw_netlink_ops[CW_NETLINK_OPS] = {
	{ .cmd = CW_C_EXPORT_ADD, .doit = cw_netlink_change },
	{ .cmd = CW_C_EXPORT_REMOVE, .doit = cw_netlink_change },
	{ .cmd = CW_C_EXPORT_GET, .doit = cw_netlink_do,
	  .start = cw_netlink_dump_start, .dumpit = cw_netlink_dump },
	{ .cmd = CW_C_SERVER_SET, .doit = cw_netlink_change },
	{ .cmd = CW_C_SERVER_GET, .doit = cw_netlink_do },
	{ .cmd = CW_C_SERVER_STOP, .doit = cw_netlink_change },
	{ .cmd = CW_C_ATTACH, .doit = cw_netlink_change },
	{ .cmd = CW_C_DETACH, .doit = cw_netlink_change },
	{ .cmd = CW_C_ATTACHMENT_GET,
	  .start = cw_netlink_dump_start, .dumpit = cw_netlink_dump },
	{ .cmd = CW_C_ACKNOWLEDGE, .doit = cw_netlink_change },
	{ .cmd = CW_C_SESSION_GET,
	  .start = cw_netlink_dump_start, .dumpit = cw_netlink_dump },
	{ .cmd = CW_C_STAT_GET,
	  .start = cw_netlink_dump_start, .dumpit = cw_netlink_dump },
	{ .cmd = CW_C_DISCOVER, .doit = cw_netlink_change },
	{ .cmd = CW_C_NFS_GET,
	  .start = cw_netlink_dump_start, .dumpit = cw_netlink_dump },
	{ .cmd = CW_C_NFS_RULE_SET, .doit = cw_netlink_change },
	{ .cmd = CW_C_NFS_RULE_REMOVE, .doit = cw_netlink_change },
	{ .cmd = CW_C_NFS_RULE_GET,
	  .start = cw_netlink_dump_start, .dumpit = cw_netlink_dump },
	{ .cmd = CW_C_EXPORT_EVICT, .doit = cw_netlink_change },
	{ .cmd = CW_C_EXPORT_READMIT, .doit = cw_netlink_change },
	{ .cmd = CW_C_OWNER_GET,
	  .start = cw_netlink_dump_start, .dumpit = cw_netlink_dump },
	{ .cmd = CW_C_PATH_ADD, .doit = cw_netlink_change },
	{ .cmd = CW_C_PATH_REMOVE, .doit = cw_netlink_change },
	{ .cmd = CW_C_EXPORT_SET, .doit = cw_netlink_change },
	{ .cmd = CW_C_ATTACH_SET, .doit = cw_netlink_change },
};
