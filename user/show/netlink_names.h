// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers of the netlink interface as words, in JSON and in tables.
// Made by abi/generate from abi/causeway.yaml: edit that file, and run abi/generate.
#pragma once

#include <array>
#include <causeway.h>
#include <string_view>

namespace causeway {

struct NetlinkName {
    int number;
    std::string_view name;
};

// enum cw_backend
inline constexpr std::array backend_names = {
    NetlinkName{CW_BACKEND_DEVICE, "device"},
    NetlinkName{CW_BACKEND_FILE, "file"},
    NetlinkName{CW_BACKEND_RAM, "ram"},
};

// enum cw_role
inline constexpr std::array role_names = {
    NetlinkName{CW_ROLE_CLIENT, "client"},
    NetlinkName{CW_ROLE_SERVER, "server"},
};

// enum cw_transport
inline constexpr std::array transport_names = {
    NetlinkName{CW_TRANSPORT_NONE, "none"},
    NetlinkName{CW_TRANSPORT_RDMA, "rdma"},
    NetlinkName{CW_TRANSPORT_TCP, "tcp"},
};

// enum cw_state
inline constexpr std::array state_names = {
    NetlinkName{CW_STATE_CONNECTING, "connecting"},
    NetlinkName{CW_STATE_LIVE, "live"},
    NetlinkName{CW_STATE_HELD, "held"},
    NetlinkName{CW_STATE_FAILING, "failing"},
    NetlinkName{CW_STATE_REFUSED, "refused"},
    NetlinkName{CW_STATE_CLOSING, "closing"},
    NetlinkName{CW_STATE_IDLE, "idle"},
    NetlinkName{CW_STATE_REVOKED, "revoked"},
};

// enum cw_disk_path_state
inline constexpr std::array disk_path_state_names = {
    NetlinkName{CW_DISK_PATH_DOWN, "down"},
    NetlinkName{CW_DISK_PATH_CONNECTING, "connecting"},
    NetlinkName{CW_DISK_PATH_LIVE, "live"},
    NetlinkName{CW_DISK_PATH_ENDING, "ending"},
};

// enum cw_path_policy
inline constexpr std::array path_policy_names = {
    NetlinkName{CW_PATH_POLICY_AUTO, "auto"},
    NetlinkName{CW_PATH_POLICY_ROUND_ROBIN, "round-robin"},
    NetlinkName{CW_PATH_POLICY_SINGLE, "single"},
};

// enum cw_final_refusal
inline constexpr std::array final_refusal_names = {
    NetlinkName{CW_FINAL_STALE, "stale"},
    NetlinkName{CW_FINAL_SUPERSEDED, "superseded"},
    NetlinkName{CW_FINAL_EVICTED, "evicted"},
};

// enum cw_event
inline constexpr std::array event_names = {
    NetlinkName{CW_EVENT_EXPORT_ADDED, "export-added"},
    NetlinkName{CW_EVENT_EXPORT_REMOVED, "export-removed"},
    NetlinkName{CW_EVENT_EXPORT_RESIZED, "export-resized"},
    NetlinkName{CW_EVENT_ATTACHED, "attached"},
    NetlinkName{CW_EVENT_DETACHED, "detached"},
    NetlinkName{CW_EVENT_UP, "up"},
    NetlinkName{CW_EVENT_DOWN, "down"},
    NetlinkName{CW_EVENT_ATTEMPT_FAILED, "attempt-failed"},
    NetlinkName{CW_EVENT_LOSS, "loss"},
    NetlinkName{CW_EVENT_ANOTHER_DISK, "another-disk"},
    NetlinkName{CW_EVENT_LOGIN, "login"},
    NetlinkName{CW_EVENT_LOGOUT, "logout"},
    NetlinkName{CW_EVENT_LOGIN_REFUSED, "login-refused"},
    NetlinkName{CW_EVENT_RESIZED, "resized"},
    NetlinkName{CW_EVENT_MALFORMED, "malformed"},
    NetlinkName{CW_EVENT_NFS_UP, "nfs-up"},
    NetlinkName{CW_EVENT_NFS_DOWN, "nfs-down"},
    NetlinkName{CW_EVENT_NFS_ATTEMPT_FAILED, "nfs-attempt-failed"},
    NetlinkName{CW_EVENT_REVOKED, "revoked"},
    NetlinkName{CW_EVENT_EVICTED, "evicted"},
    NetlinkName{CW_EVENT_READMITTED, "readmitted"},
    NetlinkName{CW_EVENT_PATH_UP, "path-up"},
    NetlinkName{CW_EVENT_PATH_DOWN, "path-down"},
    NetlinkName{CW_EVENT_FALLBACK, "fallback"},
    NetlinkName{CW_EVENT_RETURN, "return"},
    NetlinkName{CW_EVENT_EXPORT_CHANGED, "export-changed"},
};

// enum cw_change
inline constexpr std::array change_names = {
    NetlinkName{CW_CHANGE_ALLOW, "allow"},
    NetlinkName{CW_CHANGE_KEY, "key"},
    NetlinkName{CW_CHANGE_ADDRESSES, "addresses"},
    NetlinkName{CW_CHANGE_TCP, "tcp"},
    NetlinkName{CW_CHANGE_READ_ONLY, "read-only"},
    NetlinkName{CW_CHANGE_TAKEOVER_AFTER, "takeover-after"},
    NetlinkName{CW_CHANGE_IO_TIMEOUT, "io-timeout"},
    NetlinkName{CW_CHANGE_FAST_FAIL, "fast-fail"},
    NetlinkName{CW_CHANGE_PATH_POLICY, "path-policy"},
};

// enum cw_limit
inline constexpr std::array limit_names = {
    NetlinkName{CW_LIMIT_STRANGERS, "strangers"},
    NetlinkName{CW_LIMIT_SESSIONS, "sessions"},
    NetlinkName{CW_LIMIT_HOST_SESSIONS, "host-sessions"},
    NetlinkName{CW_LIMIT_HOST_LINKS, "host-links"},
    NetlinkName{CW_LIMIT_MEMORY, "memory"},
    NetlinkName{CW_LIMIT_WAITING, "waiting"},
};

// enum cw_counter
inline constexpr std::array counter_names = {
    NetlinkName{CW_N_READS, "reads"},
    NetlinkName{CW_N_WRITES, "writes"},
    NetlinkName{CW_N_FLUSHES, "flushes"},
    NetlinkName{CW_N_DISCARDS, "discards"},
    NetlinkName{CW_N_WRITE_ZEROES, "write-zeroes"},
    NetlinkName{CW_N_READ_BYTES, "read-bytes"},
    NetlinkName{CW_N_WRITTEN_BYTES, "written-bytes"},
    NetlinkName{CW_N_ERRORS, "errors"},
    NetlinkName{CW_N_REPLAYED, "replayed"},
    NetlinkName{CW_N_SENDS, "sends"},
    NetlinkName{CW_N_RECEIVES, "receives"},
    NetlinkName{CW_N_SEND_COMPLETIONS, "send-completions"},
    NetlinkName{CW_N_RECEIVE_COMPLETIONS, "receive-completions"},
    NetlinkName{CW_N_REGISTRATIONS, "registrations"},
    NetlinkName{CW_N_INVALIDATIONS, "invalidations"},
    NetlinkName{CW_N_REMOTE_INVALIDATIONS, "remote-invalidations"},
    NetlinkName{CW_N_BULK_READS, "bulk-reads"},
    NetlinkName{CW_N_BULK_WRITES, "bulk-writes"},
    NetlinkName{CW_N_INLINE_READS, "inline-reads"},
    NetlinkName{CW_N_INLINE_WRITES, "inline-writes"},
    NetlinkName{CW_N_MALFORMED, "malformed"},
    NetlinkName{CW_N_BARE_SENDS, "bare-sends"},
};

// enum cw_nfs_counter
inline constexpr std::array nfs_counter_names = {
    NetlinkName{CW_NFS_CALLS, "calls"},
    NetlinkName{CW_NFS_REPLIES, "replies"},
    NetlinkName{CW_NFS_BACK_CALLS, "back-calls"},
    NetlinkName{CW_NFS_BACK_REPLIES, "back-replies"},
    NetlinkName{CW_NFS_INLINE_READS, "inline-reads"},
    NetlinkName{CW_NFS_CHUNKED_READS, "chunked-reads"},
    NetlinkName{CW_NFS_INLINE_WRITES, "inline-writes"},
    NetlinkName{CW_NFS_CHUNKED_WRITES, "chunked-writes"},
    NetlinkName{CW_NFS_LONG_CALLS, "long-calls"},
    NetlinkName{CW_NFS_LONG_REPLIES, "long-replies"},
    NetlinkName{CW_NFS_SENT_BYTES, "sent-bytes"},
    NetlinkName{CW_NFS_RECEIVED_BYTES, "received-bytes"},
    NetlinkName{CW_NFS_SENDS, "sends"},
    NetlinkName{CW_NFS_RECEIVES, "receives"},
    NetlinkName{CW_NFS_SEND_COMPLETIONS, "send-completions"},
    NetlinkName{CW_NFS_REGISTRATIONS, "registrations"},
    NetlinkName{CW_NFS_INVALIDATIONS, "invalidations"},
    NetlinkName{CW_NFS_REMOTE_INVALIDATIONS, "remote-invalidations"},
    NetlinkName{CW_NFS_PULLED_READS, "pulled-reads"},
    NetlinkName{CW_NFS_PUSHED_WRITES, "pushed-writes"},
    NetlinkName{CW_NFS_CONNECTS, "connects"},
    NetlinkName{CW_NFS_RESENT, "resent"},
    NetlinkName{CW_NFS_CREDIT_WAITS, "credit-waits"},
    NetlinkName{CW_NFS_ERRORS, "errors"},
    NetlinkName{CW_NFS_MALFORMED, "malformed"},
};

} // namespace causeway
