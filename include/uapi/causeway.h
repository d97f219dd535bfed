/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR GPL-2.0-or-later */
/*
 * Generic netlink family "causeway": commands and answers of the kernel modules for disks
 * (causeway_disk, causeway_target) and for NFS (causeway_rpcrdma).
 *
 * Sizes are bytes. Times are nanoseconds unless the attribute says otherwise. Strings end in NUL.
 * Every refusal carries a sentence in the extended ACK.
 *
 * An operation that changes something, and discover, needs CAP_SYS_ADMIN in the initial user
 * namespace, of the sender and of the process that opened the socket, and ends with EPERM without
 * it. The description marks these operations with admin-perm. Every process may list; without
 * CAP_SYS_ADMIN the answers have no path, allow, identity, instance, host, boot, session, ledger
 * and ledger-folder. The path of an export is opened with the rights of the sender. A request with
 * an attribute that no operation takes ends with EINVAL.
 *
 * Made by abi/generate from abi/causeway.yaml: edit that file, and run abi/generate.
 */
#ifndef _UAPI_CAUSEWAY_H
#define _UAPI_CAUSEWAY_H

#define CW_GENL_NAME "causeway"
#define CW_GENL_VERSION 1
#define CW_GENL_EVENTS "events" /* multicast group */

enum cw_command {
	CW_C_UNSPEC,
	/*
	 * Adds an export, of a device or file (path) or of memory (size). ledger, ledger-folder and
	 * takeover-after are for exports that may be written. Request: CW_A_NAME, CW_A_BACKEND,
	 * CW_A_PATH, CW_A_SIZE, CW_A_READ_ONLY, CW_A_EXCLUSIVE, CW_A_WRITE_THROUGH, CW_A_ALLOW,
	 * CW_A_KEY, CW_A_IDENTITY, CW_A_LEDGER, CW_A_LEDGER_FOLDER, CW_A_TAKEOVER_AFTER.
	 */
	CW_C_EXPORT_ADD,
	/*
	 * Ends an export, an attached one only with force. Waits for a bounded time. Without clean
	 * in the reply, text says why the export was not flushed. Request: CW_A_NAME, CW_A_FORCE.
	 * Reply: CW_A_CLEAN, CW_A_TEXT.
	 */
	CW_C_EXPORT_REMOVE,
	/*
	 * Lists the exports, in a dump those of the name if there is one. Request: CW_A_NAME.
	 * Reply: CW_A_NAME, CW_A_BACKEND, CW_A_PATH, CW_A_SIZE, CW_A_READ_ONLY, CW_A_EXCLUSIVE,
	 * CW_A_WRITE_THROUGH, CW_A_ALLOW, CW_A_HAS_KEY, CW_A_IDENTITY, CW_A_BLOCK_SIZE,
	 * CW_A_PHYSICAL_BLOCK, CW_A_VOLATILE, CW_A_DISCARD, CW_A_WRITE_ZEROES, CW_A_SESSIONS,
	 * CW_A_STATE, CW_A_SINCE, CW_A_LEDGER, CW_A_LEDGER_FOLDER, CW_A_TAKEOVER_AFTER,
	 * CW_A_OUTDATED, CW_A_HOSTS, CW_A_HOSTS_MAX, CW_A_REASON.
	 */
	CW_C_EXPORT_GET,
	/*
	 * Sets instance and port of the server, before the first export. Request: CW_A_INSTANCE,
	 * CW_A_PORT.
	 */
	CW_C_SERVER_SET,
	/*
	 * Reads instance and port of the server, and how often limits were met. Reply:
	 * CW_A_INSTANCE, CW_A_PORT, CW_A_LIMITS.
	 */
	CW_C_SERVER_GET,
	/*
	 * Drains, flushes, notifies the clients, and removes every export. Waits for a bounded
	 * time. The reply has clean if all acknowledged writes were flushed, also those to exports
	 * that ended earlier. It has an export nest with name and text for each export whose flush
	 * failed or whose disk has not answered, as far as there is room. Reply: CW_A_CLEAN,
	 * CW_A_EXPORT.
	 */
	CW_C_SERVER_STOP,
	/*
	 * Makes an export of a server a disk. Waits for the first connection unless background is
	 * given. Request: CW_A_SERVER, CW_A_NAME, CW_A_ADDRESS, CW_A_LOCAL_ADDRESS, CW_A_QUEUES,
	 * CW_A_POLL_QUEUES, CW_A_DEPTH, CW_A_IO_TIMEOUT, CW_A_CONNECT_TIMEOUT, CW_A_KEY, CW_A_HOST,
	 * CW_A_BACKGROUND, CW_A_FAST_FAIL. Reply: CW_A_DISK.
	 */
	CW_C_ATTACH,
	/*
	 * Ends an attachment. The reply has text where the server may still keep the disk for this
	 * host; text says how to end that. Request: CW_A_SERVER, CW_A_NAME, CW_A_FORCE. Reply:
	 * CW_A_TEXT.
	 */
	CW_C_DETACH,
	/*
	 * Lists the attachments. A dump. Reply: CW_A_SERVER, CW_A_NAME, CW_A_ADDRESS, CW_A_DISK,
	 * CW_A_STATE, CW_A_IDENTITY, CW_A_SIZE, CW_A_BLOCK_SIZE, CW_A_PHYSICAL_BLOCK,
	 * CW_A_READ_ONLY, CW_A_HAS_KEY, CW_A_VOLATILE, CW_A_DISCARD, CW_A_WRITE_ZEROES, CW_A_LOSS,
	 * CW_A_QUEUES, CW_A_POLL_QUEUES, CW_A_DEPTH, CW_A_IO_TIMEOUT, CW_A_FAST_FAIL, CW_A_OPENERS,
	 * CW_A_REASON, CW_A_REFUSAL, CW_A_HOST.
	 */
	CW_C_ATTACHMENT_GET,
	/*
	 * Acknowledges a loss of writes, so that flushes pass again. Request: CW_A_SERVER,
	 * CW_A_NAME.
	 */
	CW_C_ACKNOWLEDGE,
	/*
	 * Lists the connections of both roles. A dump. Reply: CW_A_ROLE, CW_A_ID, CW_A_SERVER,
	 * CW_A_NAME, CW_A_HOST_NAME, CW_A_HOST, CW_A_SESSION, CW_A_ADDRESS, CW_A_LOCAL_ADDRESS,
	 * CW_A_STATE, CW_A_TRANSPORT, CW_A_DEVICE, CW_A_DEVICE_PORT, CW_A_QUEUES, CW_A_DEPTH,
	 * CW_A_INLINE, CW_A_MAX_IO, CW_A_ATTEMPTS, CW_A_RECONNECTS, CW_A_SINCE, CW_A_RETRY_IN,
	 * CW_A_REASON, CW_A_ERROR, CW_A_LOSS, CW_A_DISK.
	 */
	CW_C_SESSION_GET,
	/*
	 * Lists the counters of attachments and of server sessions. A dump. Reply: CW_A_ROLE,
	 * CW_A_ID, CW_A_SERVER, CW_A_NAME, CW_A_HOST_NAME, CW_A_DISK, CW_A_ADDRESS, CW_A_COUNTERS,
	 * CW_A_READ_LATENCY, CW_A_WRITE_LATENCY, CW_A_FLUSH_LATENCY.
	 */
	CW_C_STAT_GET,
	/*
	 * Asks a server what it exports to this host. Request: CW_A_SERVER, CW_A_ADDRESS,
	 * CW_A_PORT, CW_A_CONNECT_TIMEOUT. Reply: CW_A_EXPORT.
	 */
	CW_C_DISCOVER,
	/*
	 * Reports what happened. Multicast only. Attributes: CW_A_EVENT, CW_A_TIME, CW_A_ROLE,
	 * CW_A_SERVER, CW_A_NAME, CW_A_DISK, CW_A_HOST_NAME, CW_A_ADDRESS, CW_A_TEXT, CW_A_REASON,
	 * CW_A_ERROR.
	 */
	CW_C_EVENT,
	/*
	 * Lists the connections of NFS over RDMA, of both roles, with their counters. A dump.
	 * Reply: CW_A_ROLE, CW_A_ID, CW_A_SERVER, CW_A_ADDRESS, CW_A_LOCAL_ADDRESS, CW_A_STATE,
	 * CW_A_TRANSPORT, CW_A_DEVICE, CW_A_DEVICE_PORT, CW_A_QUEUES, CW_A_SEND_INLINE,
	 * CW_A_RECEIVE_INLINE, CW_A_CREDITS, CW_A_CALLS, CW_A_REMOTE_INVALIDATE, CW_A_BACKCHANNEL,
	 * CW_A_ATTEMPTS, CW_A_RECONNECTS, CW_A_SINCE, CW_A_RETRY_IN, CW_A_REASON, CW_A_ERROR,
	 * CW_A_RAIL, CW_A_NFS_COUNTERS.
	 */
	CW_C_NFS_GET,
	/*
	 * Mounts of servers in a network spread their queue pairs over the local addresses source,
	 * 1 to CW_NFS_SOURCES of the same family. The longest network that holds the server counts.
	 * Replaces a rule of the same network; a connection that exists keeps its addresses until
	 * it connects again. Request: CW_A_FAMILY, CW_A_PREFIX, CW_A_PREFIX_LEN, CW_A_SOURCE.
	 */
	CW_C_NFS_RULE_SET,
	/*
	 * Removes the rule of a network; the routing chooses the local address from then on.
	 * Request: CW_A_FAMILY, CW_A_PREFIX, CW_A_PREFIX_LEN.
	 */
	CW_C_NFS_RULE_REMOVE,
	/*
	 * Lists these rules. A dump. Reply: CW_A_FAMILY, CW_A_PREFIX, CW_A_PREFIX_LEN, CW_A_SOURCE.
	 */
	CW_C_NFS_RULE_GET,
	/*
	 * Ends all sessions of a host on an export and lets it log in no more until it is
	 * readmitted. The reply says that no command of the host is left. EINPROGRESS says that the
	 * host is evicted or about to be, and that commands of it are left: send the same command
	 * again, because only its reply says that the host is fenced. Request: CW_A_NAME,
	 * CW_A_HOST. Reply: CW_A_HOST.
	 */
	CW_C_EXPORT_EVICT,
	/*
	 * Lets a host that was evicted or replaced log in to an export again. Request: CW_A_NAME,
	 * CW_A_HOST. Reply: CW_A_HOST.
	 */
	CW_C_EXPORT_READMIT,
	/*
	 * Lists the hosts in the ledgers of exports, in those of the name if there is one. A dump.
	 * Request: CW_A_NAME. Reply: CW_A_NAME, CW_A_HOST, CW_A_BOOT, CW_A_SESSION, CW_A_SERIAL,
	 * CW_A_EPOCH, CW_A_SEEN, CW_A_OWNER, CW_A_EVICTED, CW_A_STATE, CW_A_ADDRESS,
	 * CW_A_HOST_NAME.
	 */
	CW_C_OWNER_GET,
	__CW_C_MAX,
};

#define CW_C_MAX (__CW_C_MAX - 1)

#define CW_HISTOGRAM 40 /* buckets of a latency */
#define CW_NFS_SOURCES 8 /* local addresses of one rule, at most */
#define CW_FAST_FAIL_OFF 0xffffffffU /* fast-fail: such I/O waits like all other */
#define CW_FAST_FAIL_DEFAULT 1 /* fast-fail of an attach that does not say */

/* what holds the data of an export */
enum cw_backend {
	CW_BACKEND_DEVICE = 1,
	CW_BACKEND_FILE = 2,
	CW_BACKEND_RAM = 3,
};

/* which end of a connection this host is */
enum cw_role {
	CW_ROLE_CLIENT = 1,
	CW_ROLE_SERVER = 2,
};

/* what carries a connection */
enum cw_transport {
	CW_TRANSPORT_NONE = 0,
	CW_TRANSPORT_RDMA = 1,
	CW_TRANSPORT_TCP = 2,
};

/* of a connection */
enum cw_state {
	CW_STATE_CONNECTING = 1, /* an attempt is under way */
	CW_STATE_LIVE = 2,
	CW_STATE_HELD = 3, /* no path: I/O is held until the next attempt */
	CW_STATE_FAILING = 4, /* no path for longer than the I/O timeout: I/O fails */
	CW_STATE_REFUSED = 5, /* another disk, or a lesser one, has the name: I/O fails meanwhile */
	CW_STATE_CLOSING = 6,
	CW_STATE_IDLE = 7, /* NFS: not connected, and no caller asks for it */
	CW_STATE_REVOKED = 8, /* the server refused the session for good: I/O fails until detach */
};

/*
 * why a server refused a session for good; the numbers are those of the protocol (docs/PROTOCOL.md
 * section 10)
 */
enum cw_final_refusal {
	CW_FINAL_STALE = 12, /* a newer login or attachment of this host exists */
	CW_FINAL_SUPERSEDED = 14, /* the server has another owner, or does not know the session */
	CW_FINAL_EVICTED = 15, /* an administrator evicted this host */
};

/* what happened */
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
	CW_EVENT_LOGIN = 11, /* server: a client has logged in */
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

/* attributes of requests, answers and events */
enum cw_attribute {
	CW_A_UNSPEC,
	CW_A_PAD,
	CW_A_NAME, /* string, at most 63: the export */
	/* string, at most 63: the server as the user wrote it; names the device link */
	CW_A_SERVER,
	CW_A_ADDRESS, /* binary, at most 28: of the peer: struct sockaddr_in or sockaddr_in6 */
	/* binary, at most 28: of this host: struct sockaddr_in or sockaddr_in6 */
	CW_A_LOCAL_ADDRESS,
	CW_A_PORT, /* u16 */
	CW_A_BACKEND, /* u8: enum cw_backend */
	CW_A_PATH, /* string, at most 4095: device or file */
	CW_A_SIZE, /* u64: bytes */
	CW_A_READ_ONLY, /* flag */
	CW_A_EXCLUSIVE, /* flag */
	CW_A_WRITE_THROUGH, /* flag */
	CW_A_ALLOW, /* nest, repeated: a network that may attach: family, prefix, prefix-len */
	CW_A_FAMILY, /* u8: AF_INET or AF_INET6 */
	CW_A_PREFIX, /* binary, at most 16: 4 or 16 bytes, network order */
	CW_A_PREFIX_LEN, /* u8, 0 to 128: bits of the prefix that count */
	CW_A_KEY, /* binary, at most 64: at least 16 bytes, not all zero; no answer has it */
	CW_A_HAS_KEY, /* flag */
	CW_A_IDENTITY, /* binary, 16: UUID of the export's disk */
	CW_A_INSTANCE, /* binary, 16: UUID of the server's unbroken life */
	CW_A_CLEAN, /* flag: everything acknowledged was flushed */
	CW_A_QUEUES, /* u16, 1 to 256: data links; in an attach without the polled ones */
	CW_A_POLL_QUEUES, /* u16, 0 to 256: polled data links */
	CW_A_DEPTH, /* u16, 1 to 1024: commands per data link */
	CW_A_IO_TIMEOUT, /* u32: seconds that I/O is held without a path; 0 for ever */
	/* u32: ms, of each step of a connection; a login bears silence as the protocol says */
	CW_A_CONNECT_TIMEOUT,
	CW_A_BACKGROUND, /* flag: attach returns at once and keeps trying */
	CW_A_FORCE, /* flag */
	CW_A_HOST, /* binary, 16: UUID of a machine */
	CW_A_BOOT, /* binary, 16: boot ID of the peer */
	CW_A_HOST_NAME, /* string: what the peer calls itself */
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
	CW_A_RETRY_IN, /* u32: ms until the next attempt */
	CW_A_LOSS, /* flag: unflushed writes were lost and not acknowledged */
	CW_A_BLOCK_SIZE, /* u32: logical */
	CW_A_PHYSICAL_BLOCK, /* u32 */
	CW_A_MAX_IO, /* u32 */
	CW_A_INLINE, /* u32 */
	CW_A_VOLATILE, /* flag: the disk has a cache to flush */
	CW_A_DISCARD, /* flag */
	CW_A_WRITE_ZEROES, /* flag */
	CW_A_SESSIONS, /* u32: sessions of an export */
	CW_A_OPENERS, /* u32: openers of the disk */
	CW_A_EXPORT, /* nest, repeated: an export in a discovery or in a report */
	CW_A_COUNTERS, /* nest: enum cw_counter */
	/* binary: array of u64: bucket i of CW_HISTOGRAM counts [2^i, 2^(i+1)) ns */
	CW_A_READ_LATENCY,
	CW_A_WRITE_LATENCY, /* binary: array of u64: the same */
	CW_A_FLUSH_LATENCY, /* binary: array of u64: the same */
	CW_A_EVENT, /* u8: enum cw_event */
	CW_A_TIME, /* u64: CLOCK_REALTIME nanoseconds of an event */
	CW_A_TEXT, /* string: a sentence about an event or an export */
	CW_A_ID, /* u32: number of a server session, or of an NFS connection */
	/*
	 * binary, at most 28, repeated: a local address: struct sockaddr_in or sockaddr_in6 with
	 * port 0
	 */
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
	 * nest, repeated: one queue pair of an NFS connection that has several: state,
	 * local-address, device, device-port, reason, retry-in
	 */
	CW_A_RAIL,
	CW_A_NFS_COUNTERS, /* nest: enum cw_nfs_counter */
	/*
	 * u32: seconds after which I/O that must fail fast fails without a path, or
	 * CW_FAST_FAIL_OFF
	 */
	CW_A_FAST_FAIL,
	CW_A_LIMITS, /* nest: enum cw_limit */
	CW_A_LEDGER, /* binary, 16: UUID of an export's ledger of owners */
	/*
	 * string, at most 4095: with both copies of the ledger, IDENTITY.0 and IDENTITY.1. Without
	 * it and a ledger's UUID the ledger is in memory and ends with the export.
	 */
	CW_A_LEDGER_FOLDER,
	/* u32: seconds after which an absent owner may be replaced; 0: never */
	CW_A_TAKEOVER_AFTER,
	CW_A_OWNER, /* flag: the host has a session that may write */
	CW_A_EVICTED, /* flag: the host is evicted */
	CW_A_SERIAL, /* u64: of the host's newest attachment */
	CW_A_EPOCH, /* u64: of the newest login of the owner */
	CW_A_SEEN, /* u64: seconds since 1970, when the host was here last */
	CW_A_OUTDATED, /* flag: an older copy of the ledger was put back; no host may log in */
	CW_A_HOSTS, /* u32: hosts in the ledger */
	CW_A_HOSTS_MAX, /* u32: hosts that the ledger has room for */
	/* u16: enum cw_final_refusal: why the server refused a revoked attachment for good */
	CW_A_REFUSAL,
	__CW_A_MAX,
};

#define CW_A_MAX (__CW_A_MAX - 1)

/*
 * how often a limit of the server was met since its module was loaded, inside CW_A_LIMITS; each is
 * a u64
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

/* counters of an attachment or of a server session, inside CW_A_COUNTERS; each is a u64 */
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
	CW_N_SEND_COMPLETIONS, /* of signalled sends */
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

/*
 * counters of an NFS connection, inside CW_A_NFS_COUNTERS; each is a u64. They go on over
 * reconnects. "Read" is data that goes to the client (READ, READLINK), "write" is data that goes to
 * the server. A side that cannot know what a message holds counts 0 there
 */
enum cw_nfs_counter {
	CW_NFS_UNSPEC,
	CW_NFS_PAD,
	CW_NFS_CALLS, /* RPC calls of the client: sent by it, received by the server */
	CW_NFS_REPLIES, /* to them */
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
	CW_NFS_SEND_COMPLETIONS, /* of Sends and of all else that was posted */
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

#endif
