/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR GPL-2.0-or-later */
/*
 * Generic netlink family "causeway": how the kernel modules are told what to do and asked what
 * they do, with disks (causeway_disk, causeway_target) and with NFS (causeway_rpcrdma).
 * docs/netlink/causeway.yaml describes the same thing in YNL.
 *
 * Sizes are bytes, times nanoseconds unless the name says ms. Strings end in NUL. Every refusal
 * carries an extended ACK with a sentence for people.
 */
#ifndef _UAPI_CAUSEWAY_H
#define _UAPI_CAUSEWAY_H

#define CW_GENL_NAME "causeway"
#define CW_GENL_VERSION 1
#define CW_GENL_EVENTS "events" /* multicast group */

enum cw_command {
	CW_C_UNSPEC,
	/*
	 * CW_A_NAME, CW_A_BACKEND, CW_A_PATH or CW_A_SIZE, options; of them CW_A_LEDGER,
	 * CW_A_LEDGER_FOLDER and CW_A_TAKEOVER_AFTER for exports that may be written
	 */
	CW_C_EXPORT_ADD,
	/* CW_A_NAME, CW_A_FORCE; reply: CW_A_CLEAN, or CW_A_TEXT, which says why not */
	CW_C_EXPORT_REMOVE,
	CW_C_EXPORT_GET, /* dump; CW_A_NAME filters */
	CW_C_SERVER_SET, /* CW_A_INSTANCE and CW_A_PORT: before the first export */
	CW_C_SERVER_GET, /* CW_A_INSTANCE, CW_A_PORT, CW_A_LIMITS */
	/*
	 * drain, flush, tell the clients, remove every export; reply: CW_A_CLEAN, or CW_A_EXPORT
	 * nests with CW_A_NAME and CW_A_TEXT of those that were not flushed
	 */
	CW_C_SERVER_STOP,
	CW_C_ATTACH, /* CW_A_SERVER, CW_A_NAME, options; reply: CW_A_DISK */
	/*
	 * CW_A_SERVER, CW_A_NAME, CW_A_FORCE; reply: CW_A_TEXT where the server may still keep the
	 * disk for this host, which says how to end that
	 */
	CW_C_DETACH,
	CW_C_ATTACHMENT_GET, /* dump */
	CW_C_ACKNOWLEDGE, /* CW_A_SERVER, CW_A_NAME: the loss is known, let flushes pass */
	CW_C_SESSION_GET, /* dump: connections of both roles */
	CW_C_STAT_GET, /* dump: counters of attachments and of server sessions */
	CW_C_DISCOVER, /* CW_A_SERVER, CW_A_PORT; reply: CW_A_EXPORT nests */
	CW_C_EVENT, /* multicast only */
	CW_C_NFS_GET, /* dump: connections of NFS over RDMA, both roles, with their counters */
	/*
	 * Mounts of servers in the network CW_A_FAMILY, CW_A_PREFIX, CW_A_PREFIX_LEN spread their
	 * queue pairs over the local addresses CW_A_SOURCE, 1 to CW_NFS_SOURCES of the same
	 * family. The longest network that holds the server counts. Replaces a rule of the same
	 * network; connections that are there keep theirs until they connect anew.
	 */
	CW_C_NFS_RULE_SET,
	CW_C_NFS_RULE_REMOVE, /* CW_A_FAMILY, CW_A_PREFIX, CW_A_PREFIX_LEN */
	CW_C_NFS_RULE_GET, /* dump */
	/*
	 * CW_A_NAME, CW_A_HOST; reply: CW_A_HOST. EINPROGRESS: the host is evicted, or about to be,
	 * but commands of it are left: only the reply to the same command, sent again, says that
	 * the host is fenced.
	 */
	CW_C_EXPORT_EVICT,
	CW_C_EXPORT_READMIT, /* CW_A_NAME, CW_A_HOST; reply: CW_A_HOST */
	CW_C_OWNER_GET, /* dump; CW_A_NAME filters: the hosts in the ledgers of exports */
	__CW_C_MAX,
};

#define CW_C_MAX (__CW_C_MAX - 1)

enum cw_attribute {
	CW_A_UNSPEC,
	CW_A_PAD,
	CW_A_NAME, /* string, at most 63: the export */
	/* string, at most 63: what the user called the server; names the device link */
	CW_A_SERVER,
	CW_A_ADDRESS, /* binary: struct sockaddr_in or sockaddr_in6; the peer */
	CW_A_LOCAL_ADDRESS, /* binary: as above */
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
	CW_A_KEY, /* binary, 16..64 bytes; never told back */
	CW_A_HAS_KEY, /* flag */
	CW_A_IDENTITY, /* binary, 16: UUID of the export's disk */
	CW_A_INSTANCE, /* binary, 16: UUID of the server's unbroken life */
	CW_A_CLEAN, /* flag: everything acknowledged was flushed */
	CW_A_QUEUES, /* u16: data links; in an attach without the polled ones */
	CW_A_POLL_QUEUES, /* u16: polled data links */
	CW_A_DEPTH, /* u16: commands per data link */
	CW_A_IO_TIMEOUT, /* u32, seconds that I/O is held without a path; 0 for ever */
	CW_A_CONNECT_TIMEOUT, /* u32, ms */
	CW_A_BACKGROUND, /* flag: attach returns at once and keeps trying */
	CW_A_FORCE, /* flag */
	CW_A_HOST, /* binary, 16: UUID of a machine */
	CW_A_BOOT, /* binary, 16: boot ID of the peer */
	CW_A_HOST_NAME, /* string */
	CW_A_SESSION, /* binary, 16: UUID of the session */
	CW_A_DISK, /* string: causewayN; empty before the first connection */
	CW_A_ROLE, /* u8: enum cw_role */
	CW_A_STATE, /* u8: enum cw_state */
	CW_A_TRANSPORT, /* u8: enum cw_transport */
	CW_A_DEVICE, /* string: RDMA device */
	CW_A_DEVICE_PORT, /* u8 */
	CW_A_ATTEMPTS, /* u32: connection attempts since it last was live */
	CW_A_RECONNECTS, /* u32: times it came back */
	CW_A_REASON, /* string: why the last connection or attempt ended */
	CW_A_ERROR, /* s32: -errno of the same */
	CW_A_SINCE, /* u64: nanoseconds since the state was entered */
	CW_A_RETRY_IN, /* u32, ms until the next attempt */
	CW_A_LOSS, /* flag: unflushed writes were lost and not acknowledged */
	CW_A_BLOCK_SIZE, /* u32: logical */
	CW_A_PHYSICAL_BLOCK, /* u32 */
	CW_A_MAX_IO, /* u32 */
	CW_A_INLINE, /* u32 */
	CW_A_VOLATILE, /* flag: there is a cache to flush */
	CW_A_DISCARD, /* flag */
	CW_A_WRITE_ZEROES, /* flag */
	CW_A_SESSIONS, /* u32: sessions of an export */
	CW_A_OPENERS, /* u32: openers of the disk */
	CW_A_EXPORT, /* nest, repeated: an export in a discovery */
	CW_A_COUNTERS, /* nest: enum cw_counter, each u64 */
	/* binary: array of u64, CW_HISTOGRAM buckets; bucket i counts [2^i, 2^(i+1)) ns */
	CW_A_READ_LATENCY,
	CW_A_WRITE_LATENCY, /* binary: the same */
	CW_A_FLUSH_LATENCY, /* binary: the same */
	CW_A_EVENT, /* u8: enum cw_event */
	CW_A_TIME, /* u64: CLOCK_REALTIME nanoseconds of an event */
	CW_A_TEXT, /* string: an event in words */
	CW_A_ID, /* u32: number of a server session, or of an NFS connection */
	/* binary, repeated: struct sockaddr_in or sockaddr_in6 with port 0; a local address */
	CW_A_SOURCE,
	/*
	 * u32: bytes of the largest message without chunks that this side may send, transport
	 * header included; as negotiated
	 */
	CW_A_SEND_INLINE,
	CW_A_RECEIVE_INLINE, /* u32: the same that it may receive */
	CW_A_CREDITS, /* u32: calls that may be under way, as granted last */
	CW_A_CALLS, /* u32: calls under way */
	CW_A_REMOTE_INVALIDATE, /* flag: both ends said that they do it */
	CW_A_BACKCHANNEL, /* flag: calls of the server go over this connection */
	/*
	 * nest, repeated: one queue pair of an NFS connection, where there are several:
	 * CW_A_STATE, CW_A_LOCAL_ADDRESS, CW_A_DEVICE, CW_A_DEVICE_PORT, CW_A_REASON
	 */
	CW_A_RAIL,
	CW_A_NFS_COUNTERS, /* nest: enum cw_nfs_counter, each u64 */
	/*
	 * u32: seconds after which I/O that must fail fast fails without a path, or
	 * CW_FAST_FAIL_OFF; CW_FAST_FAIL_DEFAULT where it is not given
	 */
	CW_A_FAST_FAIL,
	CW_A_LIMITS, /* nest: enum cw_limit, each u64 */
	CW_A_LEDGER, /* binary, 16: UUID of an export's ledger of owners */
	/*
	 * string: the folder with both copies of the ledger, IDENTITY.0 and IDENTITY.1. Without
	 * CW_A_LEDGER and this, the ledger is in memory and ends with the export.
	 */
	CW_A_LEDGER_FOLDER,
	CW_A_TAKEOVER_AFTER, /* u32, s: after that an absent owner may be replaced; 0: never */
	CW_A_OWNER, /* flag: the host has a session that may write */
	CW_A_EVICTED, /* flag: the host is evicted */
	CW_A_SERIAL, /* u64: of the host's newest attachment */
	CW_A_EPOCH, /* u64: of the newest login of the owner */
	CW_A_SEEN, /* u64: seconds since 1970, when the host was here last */
	CW_A_OUTDATED, /* flag: an older copy of the ledger was put back; nobody may log in */
	CW_A_HOSTS, /* u32: hosts in the ledger */
	CW_A_HOSTS_MAX, /* u32: hosts that the ledger has room for */
	/* u16: enum cw_final_refusal; why the server refused a revoked attachment for good */
	CW_A_REFUSAL,
	__CW_A_MAX,
};

#define CW_A_MAX (__CW_A_MAX - 1)

#define CW_FAST_FAIL_OFF 0xffffffffU /* such I/O waits like all other */
#define CW_FAST_FAIL_DEFAULT 1U

enum cw_backend { CW_BACKEND_DEVICE = 1, CW_BACKEND_FILE = 2, CW_BACKEND_RAM = 3 };
enum cw_role { CW_ROLE_CLIENT = 1, CW_ROLE_SERVER = 2 };
enum cw_transport { CW_TRANSPORT_NONE = 0, CW_TRANSPORT_RDMA = 1, CW_TRANSPORT_TCP = 2 };

enum cw_state {
	CW_STATE_CONNECTING = 1, /* an attempt is under way */
	CW_STATE_LIVE = 2,
	CW_STATE_HELD = 3, /* no path: I/O is held, the next attempt is waited for */
	CW_STATE_FAILING = 4, /* no path for longer than the I/O timeout: I/O fails */
	CW_STATE_REFUSED = 5, /* another disk, or a lesser one, has the name: I/O fails meanwhile */
	CW_STATE_CLOSING = 6,
	CW_STATE_IDLE = 7, /* NFS: not connected, and nothing asks for it */
	CW_STATE_REVOKED = 8, /* the server refused the session for good: I/O fails until detach */
};

/* The numbers are those of the protocol (docs/PROTOCOL.md section 10). */
enum cw_final_refusal {
	CW_FINAL_STALE = 12, /* a newer login or attachment of this host exists */
	CW_FINAL_SUPERSEDED = 14, /* the server has another owner, or does not know the session */
	CW_FINAL_EVICTED = 15, /* an administrator evicted this host */
};

enum cw_event {
	CW_EVENT_EXPORT_ADDED = 1,
	CW_EVENT_EXPORT_REMOVED = 2,
	CW_EVENT_EXPORT_RESIZED = 3,
	CW_EVENT_ATTACHED = 4,
	CW_EVENT_DETACHED = 5,
	CW_EVENT_UP = 6, /* a session is live, first or again */
	CW_EVENT_DOWN = 7, /* a session lost its path */
	CW_EVENT_ATTEMPT_FAILED = 8,
	CW_EVENT_LOSS = 9, /* acknowledged writes were lost with the server */
	CW_EVENT_ANOTHER_DISK = 10,
	CW_EVENT_LOGIN = 11, /* server: a client is in */
	CW_EVENT_LOGOUT = 12, /* server: a client is gone */
	CW_EVENT_LOGIN_REFUSED = 13,
	CW_EVENT_RESIZED = 14, /* client: the disk has a new size */
	CW_EVENT_MALFORMED = 15, /* a peer broke the protocol, its link was closed */
	CW_EVENT_NFS_UP = 16, /* an NFS connection is live, first or again */
	CW_EVENT_NFS_DOWN = 17, /* an NFS connection was lost or closed */
	CW_EVENT_NFS_ATTEMPT_FAILED = 18, /* client */
	CW_EVENT_REVOKED = 19, /* client: the server refused the session for good */
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
	CW_N_SEND_COMPLETIONS, /* send completions taken (signalled sends) */
	CW_N_RECEIVE_COMPLETIONS,
	CW_N_REGISTRATIONS, /* fast registrations posted */
	CW_N_INVALIDATIONS, /* local invalidates posted */
	CW_N_REMOTE_INVALIDATIONS, /* registrations the peer invalidated */
	CW_N_BULK_READS, /* RDMA READ contexts posted */
	CW_N_BULK_WRITES, /* RDMA WRITE contexts posted */
	CW_N_INLINE_READS, /* reads answered in the message */
	CW_N_INLINE_WRITES, /* writes carried in the message */
	CW_N_MALFORMED, /* messages that broke the protocol */
	CW_N_BARE_SENDS, /* messages sent that were nothing but a page */
	__CW_N_MAX,
};

#define CW_N_MAX (__CW_N_MAX - 1)
#define CW_HISTOGRAM 40

/*
 * How often a limit of the server was met since its module was loaded, inside CW_A_LIMITS;
 * attribute number = value.
 */
enum cw_limit {
	CW_LIMIT_UNSPEC,
	CW_LIMIT_PAD,
	CW_LIMIT_STRANGERS, /* connections refused: too many that have not logged in */
	CW_LIMIT_SESSIONS, /* logins refused: max_sessions */
	CW_LIMIT_HOST_SESSIONS, /* logins refused: max_sessions_host */
	CW_LIMIT_HOST_LINKS, /* logins refused: max_links_host */
	CW_LIMIT_MEMORY, /* commands that had to wait: their client's share, or the memory of all */
	CW_LIMIT_WAITING, /* logins refused: max_waiting */
	__CW_LIMIT_MAX,
};

#define CW_LIMIT_MAX (__CW_LIMIT_MAX - 1)

/*
 * 64-bit counters of an NFS connection, inside CW_A_NFS_COUNTERS; attribute number = value. They
 * go on over reconnects. "Read" is data that goes to the client (READ, READLINK), "write" is data
 * that goes to the server. A side that cannot tell what a message holds counts 0 there.
 */
enum cw_nfs_counter {
	CW_NFS_UNSPEC,
	CW_NFS_PAD,
	CW_NFS_CALLS, /* RPC calls of the client: sent by it, received by the server */
	CW_NFS_REPLIES, /* replies to them */
	CW_NFS_BACK_CALLS, /* RPC calls of the server */
	CW_NFS_BACK_REPLIES,
	CW_NFS_INLINE_READS, /* data inside the reply's message */
	CW_NFS_CHUNKED_READS, /* data by write chunks */
	CW_NFS_INLINE_WRITES, /* data inside the call's message */
	CW_NFS_CHUNKED_WRITES, /* data by read chunks */
	CW_NFS_LONG_CALLS, /* the whole call by a read chunk */
	CW_NFS_LONG_REPLIES, /* the whole reply by the reply chunk */
	CW_NFS_SENT_BYTES, /* of RPC messages, with the data that went by chunks */
	CW_NFS_RECEIVED_BYTES,
	CW_NFS_SENDS, /* Sends posted */
	CW_NFS_RECEIVES, /* messages received */
	CW_NFS_SEND_COMPLETIONS, /* completions taken of Sends and of all else that was posted */
	CW_NFS_REGISTRATIONS, /* client: memory regions registered */
	CW_NFS_INVALIDATIONS, /* client: invalidated by itself */
	CW_NFS_REMOTE_INVALIDATIONS, /* client: by the server; server: asked for */
	CW_NFS_PULLED_READS, /* server: RDMA Reads posted to fetch chunks */
	CW_NFS_PUSHED_WRITES, /* server: RDMA Writes posted to fill chunks */
	CW_NFS_CONNECTS, /* client: times it became live */
	CW_NFS_RESENT, /* client: calls sent once more after a lost connection */
	CW_NFS_CREDIT_WAITS, /* client: calls that had to wait for a credit */
	CW_NFS_ERRORS, /* RDMA_ERROR messages: received by the client, sent by the server */
	CW_NFS_MALFORMED, /* messages that broke the protocol */
	__CW_NFS_MAX,
};

#define CW_NFS_MAX (__CW_NFS_MAX - 1)
#define CW_NFS_SOURCES 8

#endif
