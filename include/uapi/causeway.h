/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR GPL-2.0-or-later */
/*
 * Generic netlink family "causeway": the interface to the kernel modules, for disks (causeway_disk,
 * causeway_target) and for NFS (causeway_rpcrdma). docs/netlink/causeway.yaml describes the same
 * interface in YNL.
 *
 * Sizes are bytes, times are nanoseconds unless the comment names another unit. Strings end in NUL.
 * Every refusal carries an extended ACK with a sentence for people.
 */
#ifndef _UAPI_CAUSEWAY_H
#define _UAPI_CAUSEWAY_H

#define CW_GENL_NAME "causeway"
#define CW_GENL_VERSION 1
#define CW_GENL_EVENTS "events" /* multicast group */

enum cw_command {
	CW_C_UNSPEC,
	/*
	 * CW_A_NAME, CW_A_BACKEND, CW_A_PATH or CW_A_SIZE, options. CW_A_LEDGER, CW_A_LEDGER_FOLDER
	 * and CW_A_TAKEOVER_AFTER are for exports that may be written.
	 */
	CW_C_EXPORT_ADD,
	/* CW_A_NAME, CW_A_FORCE; reply: CW_A_CLEAN, or CW_A_TEXT with the reason why not */
	CW_C_EXPORT_REMOVE,
	CW_C_EXPORT_GET, /* dump; CW_A_NAME filters */
	CW_C_SERVER_SET, /* CW_A_INSTANCE, CW_A_PORT; only before the first export */
	CW_C_SERVER_GET, /* reply: CW_A_INSTANCE, CW_A_PORT, CW_A_LIMITS */
	/*
	 * Waits for commands, flushes, notifies the clients, and removes every export. Reply:
	 * CW_A_CLEAN, or CW_A_EXPORT nests with CW_A_NAME and CW_A_TEXT of those that were not
	 * flushed.
	 */
	CW_C_SERVER_STOP,
	CW_C_ATTACH, /* CW_A_SERVER, CW_A_NAME, options; reply: CW_A_DISK */
	/*
	 * CW_A_SERVER, CW_A_NAME, CW_A_FORCE. Reply: CW_A_TEXT if the server may still keep the
	 * disk for this host; it says how to end that.
	 */
	CW_C_DETACH,
	CW_C_ATTACHMENT_GET, /* dump */
	CW_C_ACKNOWLEDGE, /* CW_A_SERVER, CW_A_NAME: acknowledges a loss; flushes pass again */
	CW_C_SESSION_GET, /* dump: connections of both roles */
	CW_C_STAT_GET, /* dump: counters of attachments and of server sessions */
	/* CW_A_ADDRESS with the port, CW_A_CONNECT_TIMEOUT; reply: CW_A_EXPORT nests */
	CW_C_DISCOVER,
	CW_C_EVENT, /* multicast only */
	CW_C_NFS_GET, /* dump: connections of NFS over RDMA, both roles, with their counters */
	/*
	 * Mounts of servers in the network CW_A_FAMILY, CW_A_PREFIX, CW_A_PREFIX_LEN spread their
	 * queue pairs over the local addresses CW_A_SOURCE, 1 to CW_NFS_SOURCES of the same family.
	 * Among the networks with the server, the one with the longest prefix counts. Replaces a
	 * rule of the same network. Existing connections keep their addresses until they connect
	 * again.
	 */
	CW_C_NFS_RULE_SET,
	CW_C_NFS_RULE_REMOVE, /* CW_A_FAMILY, CW_A_PREFIX, CW_A_PREFIX_LEN */
	CW_C_NFS_RULE_GET, /* dump */
	/*
	 * CW_A_NAME, CW_A_HOST; reply: CW_A_HOST. EINPROGRESS: the host is evicted, or will be, but
	 * commands of it are left. Only a reply to the same command, sent again, confirms that the
	 * host is fenced.
	 */
	CW_C_EXPORT_EVICT,
	CW_C_EXPORT_READMIT, /* CW_A_NAME, CW_A_HOST; reply: CW_A_HOST */
	CW_C_OWNER_GET, /* dump of the hosts in the ledgers of exports; CW_A_NAME filters */
	__CW_C_MAX,
};

#define CW_C_MAX (__CW_C_MAX - 1)

enum cw_attribute {
	CW_A_UNSPEC,
	CW_A_PAD,
	CW_A_NAME, /* string, at most 63: name of the export */
	/* string, at most 63: the user's name for the server; the device link has it */
	CW_A_SERVER,
	CW_A_ADDRESS, /* binary: struct sockaddr_in or sockaddr_in6 of the peer */
	CW_A_LOCAL_ADDRESS, /* binary: same form, of this end */
	CW_A_PORT, /* u16 */
	CW_A_BACKEND, /* u8: enum cw_backend */
	CW_A_PATH, /* string: device or file */
	CW_A_SIZE, /* u64 */
	CW_A_READ_ONLY, /* flag */
	CW_A_EXCLUSIVE, /* flag */
	CW_A_WRITE_THROUGH, /* flag */
	CW_A_ALLOW, /* nest, repeated: CW_A_FAMILY, CW_A_PREFIX, CW_A_PREFIX_LEN */
	CW_A_FAMILY, /* u8: AF_INET or AF_INET6 */
	CW_A_PREFIX, /* binary, 4 or 16 bytes, network order */
	CW_A_PREFIX_LEN, /* u8 */
	CW_A_KEY, /* binary, 16..64 bytes; never in a reply */
	CW_A_HAS_KEY, /* flag */
	CW_A_IDENTITY, /* binary, 16: UUID of the export's disk */
	/* binary, 16: UUID that changes when the server may have lost acknowledged writes */
	CW_A_INSTANCE,
	CW_A_CLEAN, /* flag: everything acknowledged was flushed */
	CW_A_QUEUES, /* u16: data links; in an attach without the polled ones */
	CW_A_POLL_QUEUES, /* u16: polled data links */
	CW_A_DEPTH, /* u16: commands per data link */
	CW_A_IO_TIMEOUT, /* u32, seconds for which I/O is held without a path; 0: without limit */
	CW_A_CONNECT_TIMEOUT, /* u32, ms */
	CW_A_BACKGROUND, /* flag: attach returns at once and goes on in the background */
	CW_A_FORCE, /* flag */
	CW_A_HOST, /* binary, 16: UUID of a host */
	CW_A_BOOT, /* binary, 16: boot ID of the peer */
	CW_A_HOST_NAME, /* string */
	CW_A_SESSION, /* binary, 16: UUID of the session */
	CW_A_DISK, /* string: causewayN; empty before the first connection */
	CW_A_ROLE, /* u8: enum cw_role */
	CW_A_STATE, /* u8: enum cw_state */
	CW_A_TRANSPORT, /* u8: enum cw_transport */
	CW_A_DEVICE, /* string: RDMA device */
	CW_A_DEVICE_PORT, /* u8 */
	CW_A_ATTEMPTS, /* u32: connection attempts since the last live state */
	CW_A_RECONNECTS, /* u32: number of reconnects */
	CW_A_REASON, /* string: why the last connection or attempt ended */
	CW_A_ERROR, /* s32: -errno of that reason */
	CW_A_SINCE, /* u64: nanoseconds since the state was entered */
	CW_A_RETRY_IN, /* u32, ms until the next attempt */
	CW_A_LOSS, /* flag: acknowledged writes were lost; not acknowledged by the user yet */
	CW_A_BLOCK_SIZE, /* u32: logical */
	CW_A_PHYSICAL_BLOCK, /* u32 */
	CW_A_MAX_IO, /* u32 */
	CW_A_INLINE, /* u32 */
	CW_A_VOLATILE, /* flag: the disk has a cache that must be flushed */
	CW_A_DISCARD, /* flag */
	CW_A_WRITE_ZEROES, /* flag */
	CW_A_SESSIONS, /* u32: sessions of an export */
	CW_A_OPENERS, /* u32: openers of the disk */
	CW_A_EXPORT, /* nest, repeated: an export, in the replies to discovery and stop */
	CW_A_COUNTERS, /* nest: enum cw_counter, each u64 */
	/* binary: array of u64, CW_HISTOGRAM buckets; bucket i counts [2^i, 2^(i+1)) ns */
	CW_A_READ_LATENCY,
	CW_A_WRITE_LATENCY, /* binary: same form */
	CW_A_FLUSH_LATENCY, /* binary: same form */
	CW_A_EVENT, /* u8: enum cw_event */
	CW_A_TIME, /* u64: CLOCK_REALTIME nanoseconds of an event */
	CW_A_TEXT, /* string: an event, or the result of a removal, in words */
	CW_A_ID, /* u32: number of a server session, or of an NFS connection */
	/* binary, repeated: struct sockaddr_in or sockaddr_in6 with port 0; a local address */
	CW_A_SOURCE,
	/*
	 * u32: bytes of the largest message without chunks that this side may send, transport
	 * header included, as negotiated
	 */
	CW_A_SEND_INLINE,
	CW_A_RECEIVE_INLINE, /* u32: the same for messages that it may receive */
	CW_A_CREDITS, /* u32: calls that may be in flight, as granted last */
	CW_A_CALLS, /* u32: calls in flight */
	CW_A_REMOTE_INVALIDATE, /* flag: both ends support it */
	CW_A_BACKCHANNEL, /* flag: the connection also carries calls of the server */
	/*
	 * nest, repeated: one queue pair of an NFS connection that has several: CW_A_STATE,
	 * CW_A_LOCAL_ADDRESS, CW_A_DEVICE, CW_A_DEVICE_PORT, CW_A_REASON, CW_A_RETRY_IN
	 */
	CW_A_RAIL,
	CW_A_NFS_COUNTERS, /* nest: enum cw_nfs_counter, each u64 */
	/*
	 * u32: seconds without a path after which I/O that must fail fast fails, or
	 * CW_FAST_FAIL_OFF; default CW_FAST_FAIL_DEFAULT
	 */
	CW_A_FAST_FAIL,
	CW_A_LIMITS, /* nest: enum cw_limit, each u64 */
	CW_A_LEDGER, /* binary, 16: UUID of an export's ledger of owners */
	/*
	 * string: the folder with both copies of the ledger, IDENTITY.0 and IDENTITY.1. Without
	 * this and CW_A_LEDGER, the ledger is in memory and ends with the export.
	 */
	CW_A_LEDGER_FOLDER,
	/* u32, s: time after which an absent owner may be replaced; 0: never */
	CW_A_TAKEOVER_AFTER,
	CW_A_OWNER, /* flag: the host has a session that may write */
	CW_A_EVICTED, /* flag: the host is evicted */
	CW_A_SERIAL, /* u64: of the host's newest attachment */
	CW_A_EPOCH, /* u64: of the newest login of the owner */
	CW_A_SEEN, /* u64: seconds since 1970; the host was last connected */
	CW_A_OUTDATED, /* flag: an older copy of the ledger was put back; no host may log in */
	CW_A_HOSTS, /* u32: hosts in the ledger */
	CW_A_HOSTS_MAX, /* u32: hosts for which the ledger has room */
	/* u16: enum cw_final_refusal; the reason of a final refusal, for a revoked attachment */
	CW_A_REFUSAL,
	__CW_A_MAX,
};

#define CW_A_MAX (__CW_A_MAX - 1)

#define CW_FAST_FAIL_OFF 0xffffffffU /* fail-fast I/O waits like other I/O */
#define CW_FAST_FAIL_DEFAULT 1U

enum cw_backend { CW_BACKEND_DEVICE = 1, CW_BACKEND_FILE = 2, CW_BACKEND_RAM = 3 };
enum cw_role { CW_ROLE_CLIENT = 1, CW_ROLE_SERVER = 2 };
enum cw_transport { CW_TRANSPORT_NONE = 0, CW_TRANSPORT_RDMA = 1, CW_TRANSPORT_TCP = 2 };

enum cw_state {
	CW_STATE_CONNECTING = 1, /* an attempt is in progress */
	CW_STATE_LIVE = 2,
	CW_STATE_HELD = 3, /* no path: I/O is held until the next attempt succeeds */
	CW_STATE_FAILING = 4, /* no path for longer than the I/O timeout: I/O fails */
	/* the server has another disk of that name, or grants less: I/O fails until that ends */
	CW_STATE_REFUSED = 5,
	CW_STATE_CLOSING = 6,
	CW_STATE_IDLE = 7, /* NFS: not connected, because there is nothing to send */
	CW_STATE_REVOKED = 8, /* a final refusal of the server: I/O fails until detach */
};

/* The numbers are those of the protocol (docs/PROTOCOL.md, section 10). */
enum cw_final_refusal {
	CW_FINAL_STALE = 12, /* a newer login or attachment of this host exists */
	CW_FINAL_SUPERSEDED = 14, /* replaced by another owner, or not known to the server */
	CW_FINAL_EVICTED = 15, /* an administrator evicted this host */
};

enum cw_event {
	CW_EVENT_EXPORT_ADDED = 1,
	CW_EVENT_EXPORT_REMOVED = 2,
	CW_EVENT_EXPORT_RESIZED = 3,
	CW_EVENT_ATTACHED = 4,
	CW_EVENT_DETACHED = 5,
	CW_EVENT_UP = 6, /* a session is live, for the first time or again */
	CW_EVENT_DOWN = 7, /* a session lost its path */
	CW_EVENT_ATTEMPT_FAILED = 8,
	CW_EVENT_LOSS = 9, /* the server lost acknowledged writes */
	CW_EVENT_ANOTHER_DISK = 10,
	CW_EVENT_LOGIN = 11, /* server: a client has logged in */
	CW_EVENT_LOGOUT = 12, /* server: the session of a client has ended */
	CW_EVENT_LOGIN_REFUSED = 13,
	CW_EVENT_RESIZED = 14, /* client: the disk has a new size */
	CW_EVENT_MALFORMED = 15, /* a peer broke the protocol; its link was closed */
	CW_EVENT_NFS_UP = 16, /* an NFS connection is live, for the first time or again */
	CW_EVENT_NFS_DOWN = 17, /* an NFS connection was lost or closed */
	CW_EVENT_NFS_ATTEMPT_FAILED = 18, /* client */
	CW_EVENT_REVOKED = 19, /* client: a final refusal of the server */
	CW_EVENT_EVICTED = 20, /* server: a host was evicted from an export */
	CW_EVENT_READMITTED = 21, /* server: a host may log in to an export again */
};

/* 64-bit counters, inside CW_A_COUNTERS; attribute number = value. */
enum cw_counter {
	CW_N_UNSPEC,
	CW_N_PAD,
	CW_N_READS,
	CW_N_WRITES,
	CW_N_FLUSHES,
	CW_N_DISCARDS,
	CW_N_WRITE_ZEROES,
	CW_N_READ_BYTES,
	CW_N_WRITTEN_BYTES,
	CW_N_ERRORS, /* commands that ended with an error */
	CW_N_REPLAYED, /* client: commands sent again after a reconnect */
	CW_N_SENDS, /* messages sent */
	CW_N_RECEIVES, /* messages received */
	CW_N_SEND_COMPLETIONS, /* completions of signalled sends */
	CW_N_RECEIVE_COMPLETIONS,
	CW_N_REGISTRATIONS, /* fast registrations posted */
	CW_N_INVALIDATIONS, /* local invalidations posted */
	CW_N_REMOTE_INVALIDATIONS, /* memory regions that the peer invalidated */
	CW_N_BULK_READS, /* RDMA READ contexts posted */
	CW_N_BULK_WRITES, /* RDMA WRITE contexts posted */
	CW_N_INLINE_READS, /* reads with data in the completion's message */
	CW_N_INLINE_WRITES, /* writes with data in the command's message */
	CW_N_MALFORMED, /* messages that broke the protocol */
	CW_N_BARE_SENDS, /* messages sent in the bare form */
	__CW_N_MAX,
};

#define CW_N_MAX (__CW_N_MAX - 1)
#define CW_HISTOGRAM 40

/*
 * How often each limit of the server was reached since its module was loaded, inside CW_A_LIMITS;
 * attribute number = value.
 */
enum cw_limit {
	CW_LIMIT_UNSPEC,
	CW_LIMIT_PAD,
	CW_LIMIT_STRANGERS, /* connections refused: too many without a login */
	CW_LIMIT_SESSIONS, /* logins refused: max_sessions */
	CW_LIMIT_HOST_SESSIONS, /* logins refused: max_sessions_host */
	CW_LIMIT_HOST_LINKS, /* logins refused: max_links_host */
	/* commands that waited for memory: the share of their client, or the budget of all */
	CW_LIMIT_MEMORY,
	CW_LIMIT_WAITING, /* logins refused: max_waiting */
	__CW_LIMIT_MAX,
};

#define CW_LIMIT_MAX (__CW_LIMIT_MAX - 1)

/*
 * 64-bit counters of an NFS connection, inside CW_A_NFS_COUNTERS; attribute number = value. They
 * are kept across reconnects. "Read" is data to the client (READ, READLINK), "write" is data to the
 * server. A side that does not know the content of messages counts 0.
 */
enum cw_nfs_counter {
	CW_NFS_UNSPEC,
	CW_NFS_PAD,
	CW_NFS_CALLS, /* RPC calls of the client: sent by it, received by the server */
	CW_NFS_REPLIES, /* replies to these calls */
	CW_NFS_BACK_CALLS, /* RPC calls of the server */
	CW_NFS_BACK_REPLIES,
	CW_NFS_INLINE_READS, /* data inside the reply's message */
	CW_NFS_CHUNKED_READS, /* data in write chunks */
	CW_NFS_INLINE_WRITES, /* data inside the call's message */
	CW_NFS_CHUNKED_WRITES, /* data in read chunks */
	CW_NFS_LONG_CALLS, /* whole calls in a read chunk */
	CW_NFS_LONG_REPLIES, /* whole replies in a reply chunk */
	CW_NFS_SENT_BYTES, /* of RPC messages, with data in chunks */
	CW_NFS_RECEIVED_BYTES,
	CW_NFS_SENDS, /* Sends posted */
	CW_NFS_RECEIVES, /* messages received */
	CW_NFS_SEND_COMPLETIONS, /* completions of Sends and of other signalled work requests */
	CW_NFS_REGISTRATIONS, /* client: memory regions registered */
	CW_NFS_INVALIDATIONS, /* client: memory regions invalidated locally */
	/* client: memory regions invalidated by the server; server: Sends that invalidate one */
	CW_NFS_REMOTE_INVALIDATIONS,
	CW_NFS_PULLED_READS, /* server: RDMA Reads posted to fetch chunks */
	CW_NFS_PUSHED_WRITES, /* server: RDMA Writes posted to fill chunks */
	CW_NFS_CONNECTS, /* client: number of times it became live */
	CW_NFS_RESENT, /* client: calls sent again after a lost connection */
	CW_NFS_CREDIT_WAITS, /* client: calls that waited for credit */
	CW_NFS_ERRORS, /* RDMA_ERROR messages: received by the client, sent by the server */
	CW_NFS_MALFORMED, /* messages that broke the protocol */
	__CW_NFS_MAX,
};

#define CW_NFS_MAX (__CW_NFS_MAX - 1)
#define CW_NFS_SOURCES 8

#endif
