// SPDX-License-Identifier: GPL-2.0-or-later
// The names of commands and attributes, for causeway-netlink.
// Made by abi/generate from abi/causeway.yaml: edit that file, and run abi/generate.
#ifndef NETLINK_NAMES_H
#define NETLINK_NAMES_H

#include <array>
#include <cstdint>

#include "include/uapi/causeway.h"

// How a value is written as a word. Those of the kind none are only read.
enum class Kind { none, text, flag, u8, u16, u32, u64, uuid, address, network, path };

struct KnownAttribute {
	const char *name;
	int type;
	Kind kind;
};

inline constexpr std::array known_attributes = {
	KnownAttribute{"pad", CW_A_PAD, Kind::none},
	KnownAttribute{"name", CW_A_NAME, Kind::text},
	KnownAttribute{"server", CW_A_SERVER, Kind::text},
	KnownAttribute{"address", CW_A_ADDRESS, Kind::address},
	KnownAttribute{"local-address", CW_A_LOCAL_ADDRESS, Kind::address},
	KnownAttribute{"port", CW_A_PORT, Kind::u16},
	KnownAttribute{"backend", CW_A_BACKEND, Kind::u8},
	KnownAttribute{"path", CW_A_PATH, Kind::text},
	KnownAttribute{"size", CW_A_SIZE, Kind::u64},
	KnownAttribute{"read-only", CW_A_READ_ONLY, Kind::flag},
	KnownAttribute{"exclusive", CW_A_EXCLUSIVE, Kind::flag},
	KnownAttribute{"write-through", CW_A_WRITE_THROUGH, Kind::flag},
	KnownAttribute{"allow", CW_A_ALLOW, Kind::network},
	KnownAttribute{"family", CW_A_FAMILY, Kind::u8},
	KnownAttribute{"prefix", CW_A_PREFIX, Kind::none},
	KnownAttribute{"prefix-len", CW_A_PREFIX_LEN, Kind::u8},
	KnownAttribute{"key", CW_A_KEY, Kind::none},
	KnownAttribute{"has-key", CW_A_HAS_KEY, Kind::flag},
	KnownAttribute{"identity", CW_A_IDENTITY, Kind::uuid},
	KnownAttribute{"instance", CW_A_INSTANCE, Kind::uuid},
	KnownAttribute{"clean", CW_A_CLEAN, Kind::flag},
	KnownAttribute{"queues", CW_A_QUEUES, Kind::u16},
	KnownAttribute{"poll-queues", CW_A_POLL_QUEUES, Kind::u16},
	KnownAttribute{"depth", CW_A_DEPTH, Kind::u16},
	KnownAttribute{"io-timeout", CW_A_IO_TIMEOUT, Kind::u32},
	KnownAttribute{"connect-timeout", CW_A_CONNECT_TIMEOUT, Kind::u32},
	KnownAttribute{"background", CW_A_BACKGROUND, Kind::flag},
	KnownAttribute{"force", CW_A_FORCE, Kind::flag},
	KnownAttribute{"host", CW_A_HOST, Kind::uuid},
	KnownAttribute{"boot", CW_A_BOOT, Kind::uuid},
	KnownAttribute{"host-name", CW_A_HOST_NAME, Kind::text},
	KnownAttribute{"session", CW_A_SESSION, Kind::uuid},
	KnownAttribute{"disk", CW_A_DISK, Kind::text},
	KnownAttribute{"role", CW_A_ROLE, Kind::u8},
	KnownAttribute{"state", CW_A_STATE, Kind::u8},
	KnownAttribute{"transport", CW_A_TRANSPORT, Kind::u8},
	KnownAttribute{"device", CW_A_DEVICE, Kind::text},
	KnownAttribute{"device-port", CW_A_DEVICE_PORT, Kind::u8},
	KnownAttribute{"attempts", CW_A_ATTEMPTS, Kind::u32},
	KnownAttribute{"reconnects", CW_A_RECONNECTS, Kind::u32},
	KnownAttribute{"reason", CW_A_REASON, Kind::text},
	KnownAttribute{"error", CW_A_ERROR, Kind::none},
	KnownAttribute{"since", CW_A_SINCE, Kind::u64},
	KnownAttribute{"retry-in", CW_A_RETRY_IN, Kind::u32},
	KnownAttribute{"loss", CW_A_LOSS, Kind::flag},
	KnownAttribute{"block-size", CW_A_BLOCK_SIZE, Kind::u32},
	KnownAttribute{"physical-block", CW_A_PHYSICAL_BLOCK, Kind::u32},
	KnownAttribute{"max-io", CW_A_MAX_IO, Kind::u32},
	KnownAttribute{"inline", CW_A_INLINE, Kind::u32},
	KnownAttribute{"volatile", CW_A_VOLATILE, Kind::flag},
	KnownAttribute{"discard", CW_A_DISCARD, Kind::flag},
	KnownAttribute{"write-zeroes", CW_A_WRITE_ZEROES, Kind::flag},
	KnownAttribute{"sessions", CW_A_SESSIONS, Kind::u32},
	KnownAttribute{"openers", CW_A_OPENERS, Kind::u32},
	KnownAttribute{"export", CW_A_EXPORT, Kind::none},
	KnownAttribute{"counters", CW_A_COUNTERS, Kind::none},
	KnownAttribute{"read-latency", CW_A_READ_LATENCY, Kind::none},
	KnownAttribute{"write-latency", CW_A_WRITE_LATENCY, Kind::none},
	KnownAttribute{"flush-latency", CW_A_FLUSH_LATENCY, Kind::none},
	KnownAttribute{"event", CW_A_EVENT, Kind::u8},
	KnownAttribute{"time", CW_A_TIME, Kind::u64},
	KnownAttribute{"text", CW_A_TEXT, Kind::text},
	KnownAttribute{"id", CW_A_ID, Kind::u32},
	KnownAttribute{"source", CW_A_SOURCE, Kind::address},
	KnownAttribute{"send-inline", CW_A_SEND_INLINE, Kind::u32},
	KnownAttribute{"receive-inline", CW_A_RECEIVE_INLINE, Kind::u32},
	KnownAttribute{"credits", CW_A_CREDITS, Kind::u32},
	KnownAttribute{"calls", CW_A_CALLS, Kind::u32},
	KnownAttribute{"remote-invalidate", CW_A_REMOTE_INVALIDATE, Kind::flag},
	KnownAttribute{"backchannel", CW_A_BACKCHANNEL, Kind::flag},
	KnownAttribute{"rail", CW_A_RAIL, Kind::none},
	KnownAttribute{"nfs-counters", CW_A_NFS_COUNTERS, Kind::none},
	KnownAttribute{"fast-fail", CW_A_FAST_FAIL, Kind::u32},
	KnownAttribute{"limits", CW_A_LIMITS, Kind::none},
	KnownAttribute{"ledger", CW_A_LEDGER, Kind::uuid},
	KnownAttribute{"ledger-folder", CW_A_LEDGER_FOLDER, Kind::text},
	KnownAttribute{"takeover-after", CW_A_TAKEOVER_AFTER, Kind::u32},
	KnownAttribute{"owner", CW_A_OWNER, Kind::flag},
	KnownAttribute{"evicted", CW_A_EVICTED, Kind::flag},
	KnownAttribute{"serial", CW_A_SERIAL, Kind::u64},
	KnownAttribute{"epoch", CW_A_EPOCH, Kind::u64},
	KnownAttribute{"seen", CW_A_SEEN, Kind::u64},
	KnownAttribute{"outdated", CW_A_OUTDATED, Kind::flag},
	KnownAttribute{"hosts", CW_A_HOSTS, Kind::u32},
	KnownAttribute{"hosts-max", CW_A_HOSTS_MAX, Kind::u32},
	KnownAttribute{"refusal", CW_A_REFUSAL, Kind::u16},
	KnownAttribute{"disk-path", CW_A_DISK_PATH, Kind::path},
	KnownAttribute{"path-state", CW_A_PATH_STATE, Kind::u8},
	KnownAttribute{"carries-io", CW_A_CARRIES_IO, Kind::flag},
	KnownAttribute{"fencing", CW_A_FENCING, Kind::flag},
	KnownAttribute{"fence-commands", CW_A_FENCE_COMMANDS, Kind::u32},
	KnownAttribute{"path-policy", CW_A_PATH_POLICY, Kind::u8},
	KnownAttribute{"failovers", CW_A_FAILOVERS, Kind::u32},
	KnownAttribute{"losses", CW_A_LOSSES, Kind::u32},
	KnownAttribute{"fences", CW_A_FENCES, Kind::u32},
	KnownAttribute{"fence-time", CW_A_FENCE_TIME, Kind::u64},
	KnownAttribute{"export-address", CW_A_EXPORT_ADDRESS, Kind::path},
	KnownAttribute{"fallbacks", CW_A_FALLBACKS, Kind::u64},
	KnownAttribute{"returns", CW_A_RETURNS, Kind::u64},
	KnownAttribute{"fallback-reason", CW_A_FALLBACK_REASON, Kind::text},
	KnownAttribute{"tcp", CW_A_TCP, Kind::flag},
	KnownAttribute{"tcp-port", CW_A_TCP_PORT, Kind::u16},
	KnownAttribute{"change", CW_A_CHANGE, Kind::u32},
	KnownAttribute{"read-only-set", CW_A_READ_ONLY_SET, Kind::u8},
};

struct KnownCommand {
	const char *name;
	std::uint8_t command;
	bool has_do, has_dump;
};

inline constexpr std::array known_commands = {
	KnownCommand{"export-add", CW_C_EXPORT_ADD, true, false},
	KnownCommand{"export-remove", CW_C_EXPORT_REMOVE, true, false},
	KnownCommand{"export-get", CW_C_EXPORT_GET, true, true},
	KnownCommand{"server-set", CW_C_SERVER_SET, true, false},
	KnownCommand{"server-get", CW_C_SERVER_GET, true, false},
	KnownCommand{"server-stop", CW_C_SERVER_STOP, true, false},
	KnownCommand{"attach", CW_C_ATTACH, true, false},
	KnownCommand{"detach", CW_C_DETACH, true, false},
	KnownCommand{"attachment-get", CW_C_ATTACHMENT_GET, false, true},
	KnownCommand{"acknowledge", CW_C_ACKNOWLEDGE, true, false},
	KnownCommand{"session-get", CW_C_SESSION_GET, false, true},
	KnownCommand{"stat-get", CW_C_STAT_GET, false, true},
	KnownCommand{"discover", CW_C_DISCOVER, true, false},
	KnownCommand{"nfs-get", CW_C_NFS_GET, false, true},
	KnownCommand{"nfs-rule-set", CW_C_NFS_RULE_SET, true, false},
	KnownCommand{"nfs-rule-remove", CW_C_NFS_RULE_REMOVE, true, false},
	KnownCommand{"nfs-rule-get", CW_C_NFS_RULE_GET, false, true},
	KnownCommand{"export-evict", CW_C_EXPORT_EVICT, true, false},
	KnownCommand{"export-readmit", CW_C_EXPORT_READMIT, true, false},
	KnownCommand{"owner-get", CW_C_OWNER_GET, false, true},
	KnownCommand{"path-add", CW_C_PATH_ADD, true, false},
	KnownCommand{"path-remove", CW_C_PATH_REMOVE, true, false},
	KnownCommand{"export-set", CW_C_EXPORT_SET, true, false},
	KnownCommand{"attach-set", CW_C_ATTACH_SET, true, false},
};

#endif
