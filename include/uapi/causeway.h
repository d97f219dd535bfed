/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR GPL-2.0-or-later */
/*
 * Generic netlink family "causeway": commands and answers of the kernel modules for disks
 * (causeway_disk, causeway_target) and for NFS (causeway_rpcrdma).
 *
 * The family exists in the initial network namespace only. Sizes are bytes. Times are nanoseconds
 * unless the attribute says otherwise. Strings end in NUL. A request that fails carries a sentence
 * in the extended ACK, unless its error is EPERM, EINPROGRESS, ENOMEM or EMSGSIZE.
 *
 * An operation that changes something needs CAP_SYS_ADMIN in the initial user namespace, and so
 * does discover. Both the sender and the process that opened the socket must have it; otherwise the
 * operation ends with EPERM. In causeway.yaml these operations have the flag admin-perm.
 *
 * Every process may use the other operations and receive the events. Without CAP_SYS_ADMIN the
 * answers leave out path, allow, identity, instance, host, boot, session, ledger and ledger-folder.
 * The path of an export is opened with the rights of the sender.
 *
 * export-add, server-set, attach and nfs-rule-set load the module that serves them. If the module
 * of another operation is not loaded, a request ends with ENODEV, and a dump is empty.
 *
 * A request with an attribute that no operation takes ends with EINVAL. An attribute that only
 * other operations take is ignored.
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
	 * Adds an export. name and backend are required, path for a device or file, and size for
	 * memory. Without allow, every address may attach. An export in memory has no ledger and
	 * ledger-folder; takeover-after needs exclusive. With read-only and a ledger, the export
	 * keeps its owners and refuses writes, until an export-set lets clients write again; it
	 * also starts on a disk that is write-protected. With read-only and without a ledger, the
	 * device or file is opened for reading, and the export has no owners. An export of memory
	 * gets a new identity each time. There may be up to 8 nests export-address, no two the
	 * same: the server lists these addresses for the clients that ask for its exports, in this
	 * order. The request checks only their form. At each such question the server leaves out
	 * the addresses that this host does not have at that time. Request: CW_A_NAME,
	 * CW_A_BACKEND, CW_A_PATH, CW_A_SIZE, CW_A_READ_ONLY, CW_A_EXCLUSIVE, CW_A_WRITE_THROUGH,
	 * CW_A_ALLOW, CW_A_KEY, CW_A_IDENTITY, CW_A_LEDGER, CW_A_LEDGER_FOLDER,
	 * CW_A_TAKEOVER_AFTER, CW_A_EXPORT_ADDRESS, CW_A_TCP.
	 */
	CW_C_EXPORT_ADD,
	/*
	 * Ends the export of that name. An export with live sessions ends only with force; without
	 * it the request ends with EBUSY. The request waits at most for end_timeout of
	 * causeway_target and 10 s more. If the reply has no clean, text says why the export was
	 * not flushed. Request: CW_A_NAME, CW_A_FORCE. Reply: CW_A_CLEAN, CW_A_TEXT.
	 */
	CW_C_EXPORT_REMOVE,
	/*
	 * A request returns the export of the name, which it must have. A dump lists all exports,
	 * or with a name the export of that name. state and since are there only for an export that
	 * is ending. Request: CW_A_NAME. Reply: CW_A_NAME, CW_A_BACKEND, CW_A_PATH, CW_A_SIZE,
	 * CW_A_READ_ONLY, CW_A_EXCLUSIVE, CW_A_WRITE_THROUGH, CW_A_ALLOW, CW_A_HAS_KEY,
	 * CW_A_IDENTITY, CW_A_BLOCK_SIZE, CW_A_PHYSICAL_BLOCK, CW_A_VOLATILE, CW_A_DISCARD,
	 * CW_A_WRITE_ZEROES, CW_A_SESSIONS, CW_A_STATE, CW_A_SINCE, CW_A_LEDGER,
	 * CW_A_LEDGER_FOLDER, CW_A_TAKEOVER_AFTER, CW_A_OUTDATED, CW_A_HOSTS, CW_A_HOSTS_MAX,
	 * CW_A_REASON, CW_A_EXPORT_ADDRESS, CW_A_TCP, CW_A_READ_ONLY_SET.
	 */
	CW_C_EXPORT_GET,
	/*
	 * Sets instance, port or both for the server. Ends with EBUSY while there is an export that
	 * is not ending. It also ends with EBUSY if the server listens on another port already; the
	 * server listens from the first export until causeway_target is unloaded. Request:
	 * CW_A_INSTANCE, CW_A_PORT.
	 */
	CW_C_SERVER_SET,
	/*
	 * Returns instance and port of the server, and how often each limit was met. Reply:
	 * CW_A_INSTANCE, CW_A_PORT, CW_A_LIMITS, CW_A_TCP_PORT.
	 */
	CW_C_SERVER_GET,
	/*
	 * Ends every export: drains and flushes it, notifies its clients, and removes it. The
	 * request waits at most for end_timeout of causeway_target and 10 s more. The reply has
	 * clean if all acknowledged writes were flushed, including those to exports that ended
	 * earlier. The reply has an export nest with name and text for each export whose flush
	 * failed or whose disk has not answered, until the reply has no more room; the kernel log
	 * names all of them. Ends with EBUSY while another server-stop runs. Reply: CW_A_CLEAN,
	 * CW_A_EXPORT.
	 */
	CW_C_SERVER_STOP,
	/*
	 * Makes an export of a server a disk of this host. server, name, host, and address or
	 * disk-path are required. address, local-address and transport at the top are the only path
	 * of the session. Instead of them there may be up to 8 nests disk-path, one for each path;
	 * no two of them may have the same addresses and transport. A path without transport goes
	 * by RDMA. Without background, the request waits until the block device exists, and ends
	 * with the error of the last attempt if an attempt on each path has failed. The defaults
	 * are 128 for depth, one queue for each processor but at most 8, no polled queues, 0 for
	 * io-timeout, CW_FAST_FAIL_DEFAULT for fast-fail, 10000 ms for connect-timeout, and auto
	 * for path-policy. queues and poll-queues together are at most 256. With identity, a server
	 * whose export of that name has another identity is not accepted. Request: CW_A_SERVER,
	 * CW_A_NAME, CW_A_ADDRESS, CW_A_LOCAL_ADDRESS, CW_A_TRANSPORT, CW_A_QUEUES,
	 * CW_A_POLL_QUEUES, CW_A_DEPTH, CW_A_IO_TIMEOUT, CW_A_CONNECT_TIMEOUT, CW_A_KEY, CW_A_HOST,
	 * CW_A_BACKGROUND, CW_A_FAST_FAIL, CW_A_DISK_PATH, CW_A_PATH_POLICY, CW_A_IDENTITY. Reply:
	 * CW_A_DISK.
	 */
	CW_C_ATTACH,
	/*
	 * Ends an attachment. Without force, the request waits up to 3 s until no program has the
	 * disk open, and ends with EBUSY if one still has. If the server may still keep the disk
	 * for this host, the reply has text, which says how to end that. Request: CW_A_SERVER,
	 * CW_A_NAME, CW_A_FORCE. Reply: CW_A_TEXT.
	 */
	CW_C_DETACH,
	/*
	 * Lists the attachments. Size, blocks, queues, depth, identity and properties of the disk
	 * are there only after the first connection. A nest disk-path has the number of each path
	 * as id, and its addresses, as attach or path-add gave them; address is that of the first
	 * one. A dump. Reply: CW_A_SERVER, CW_A_NAME, CW_A_ADDRESS, CW_A_DISK, CW_A_STATE,
	 * CW_A_IDENTITY, CW_A_SIZE, CW_A_BLOCK_SIZE, CW_A_PHYSICAL_BLOCK, CW_A_READ_ONLY,
	 * CW_A_HAS_KEY, CW_A_VOLATILE, CW_A_DISCARD, CW_A_WRITE_ZEROES, CW_A_LOSS, CW_A_QUEUES,
	 * CW_A_POLL_QUEUES, CW_A_DEPTH, CW_A_IO_TIMEOUT, CW_A_FAST_FAIL, CW_A_OPENERS, CW_A_REASON,
	 * CW_A_REFUSAL, CW_A_HOST, CW_A_DISK_PATH, CW_A_PATH_POLICY.
	 */
	CW_C_ATTACHMENT_GET,
	/*
	 * Acknowledges a loss of writes, so that flushes of the disk succeed again. Ends with
	 * EALREADY if there is no loss to acknowledge. Request: CW_A_SERVER, CW_A_NAME.
	 */
	CW_C_ACKNOWLEDGE,
	/*
	 * Lists the sessions of disks: those of the client, then those of the server that have
	 * logged in. id, host-name and host are there for the server only; attempts, reconnects,
	 * retry-in, reason, error and disk for the client only. The modules do not send loss here;
	 * attachment-get has it. A session of the client has a nest disk-path for each of its
	 * paths, and for those that were removed and whose fence is open, which are ending: id,
	 * address, path-state, attempts; local-address, transport, device, device-port, queues
	 * while it is live; reason and error of its last loss or attempt; retry-in until it joins
	 * again; carries-io, fencing, fence-commands, losses, fences and fence-time. failovers,
	 * fallbacks, returns and fallback-reason are there for the client only, fallback-reason
	 * after a fallback. address, device and the like outside of the nests are those of the
	 * first path that carries I/O, or of the first path if there is none. A dump. Reply:
	 * CW_A_ROLE, CW_A_ID, CW_A_SERVER, CW_A_NAME, CW_A_HOST_NAME, CW_A_HOST, CW_A_SESSION,
	 * CW_A_ADDRESS, CW_A_LOCAL_ADDRESS, CW_A_STATE, CW_A_TRANSPORT, CW_A_DEVICE,
	 * CW_A_DEVICE_PORT, CW_A_QUEUES, CW_A_DEPTH, CW_A_INLINE, CW_A_MAX_IO, CW_A_ATTEMPTS,
	 * CW_A_RECONNECTS, CW_A_SINCE, CW_A_RETRY_IN, CW_A_REASON, CW_A_ERROR, CW_A_LOSS,
	 * CW_A_DISK, CW_A_DISK_PATH, CW_A_PATH_POLICY, CW_A_FAILOVERS, CW_A_FALLBACKS,
	 * CW_A_RETURNS, CW_A_FALLBACK_REASON.
	 */
	CW_C_SESSION_GET,
	/*
	 * Lists the counters of attachments, then those of the server sessions that have logged in.
	 * A dump. Reply: CW_A_ROLE, CW_A_ID, CW_A_SERVER, CW_A_NAME, CW_A_HOST_NAME, CW_A_DISK,
	 * CW_A_ADDRESS, CW_A_COUNTERS, CW_A_READ_LATENCY, CW_A_WRITE_LATENCY, CW_A_FLUSH_LATENCY.
	 */
	CW_C_STAT_GET,
	/*
	 * Asks the server at address for the exports that this host may attach. address is required
	 * and holds the port; the modules ignore server and port. Without transport, the question
	 * goes by RDMA. The default of connect-timeout is 5000 ms. With name, the reply has the
	 * export of that name only. A reply that cannot hold all exports is EMSGSIZE. Request:
	 * CW_A_SERVER, CW_A_ADDRESS, CW_A_PORT, CW_A_TRANSPORT, CW_A_CONNECT_TIMEOUT, CW_A_NAME.
	 * Reply: CW_A_EXPORT.
	 */
	CW_C_DISCOVER,
	/*
	 * Reports what happened, to the multicast group events only. The modules send event, role,
	 * time and text with each event, and server and name where they are known. They do not send
	 * the other attributes. Attributes: CW_A_EVENT, CW_A_TIME, CW_A_ROLE, CW_A_SERVER,
	 * CW_A_NAME, CW_A_DISK, CW_A_HOST_NAME, CW_A_ADDRESS, CW_A_TEXT, CW_A_REASON, CW_A_ERROR.
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
	 * Sets the local addresses for mounts of the servers in a network. These mounts spread
	 * their queue pairs over the addresses in source: 1 to CW_NFS_SOURCES, of the family of the
	 * network. If several networks hold a server, the rule with the longest prefix-len applies.
	 * A rule replaces the rule of the same network. A connection that exists keeps its
	 * addresses until it connects again. Request: CW_A_FAMILY, CW_A_PREFIX, CW_A_PREFIX_LEN,
	 * CW_A_SOURCE.
	 */
	CW_C_NFS_RULE_SET,
	/*
	 * Removes the rule of a network. Connections that are made afterwards use another rule that
	 * applies, or the local address that the routing chooses. Request: CW_A_FAMILY,
	 * CW_A_PREFIX, CW_A_PREFIX_LEN.
	 */
	CW_C_NFS_RULE_REMOVE,
	/*
	 * Lists the rules that nfs-rule-set made. A dump. Reply: CW_A_FAMILY, CW_A_PREFIX,
	 * CW_A_PREFIX_LEN, CW_A_SOURCE.
	 */
	CW_C_NFS_RULE_GET,
	/*
	 * Ends all sessions of a host on an export, and refuses its logins until it is readmitted.
	 * A reply means that no command of the host is left: the host is fenced. EINPROGRESS means
	 * that this is not reached after 2 s: the ledger is not written yet, or commands of the
	 * host are left. Then send the same request again. A read-only export ends with EROFS.
	 * Request: CW_A_NAME, CW_A_HOST. Reply: CW_A_HOST.
	 */
	CW_C_EXPORT_EVICT,
	/*
	 * Lets a host that was evicted or replaced log in to an export again. EINPROGRESS means
	 * that the ledger was not written within 2 s; then send the same request again. Request:
	 * CW_A_NAME, CW_A_HOST. Reply: CW_A_HOST.
	 */
	CW_C_EXPORT_READMIT,
	/*
	 * Lists the hosts in the ledgers of all exports, or with a name in the ledger of that
	 * export. session is there for an owner only; state, address and host-name for an owner
	 * that is logged in. A dump. Request: CW_A_NAME. Reply: CW_A_NAME, CW_A_HOST, CW_A_BOOT,
	 * CW_A_SESSION, CW_A_SERIAL, CW_A_EPOCH, CW_A_SEEN, CW_A_OWNER, CW_A_EVICTED, CW_A_STATE,
	 * CW_A_ADDRESS, CW_A_HOST_NAME.
	 */
	CW_C_OWNER_GET,
	/*
	 * Adds a path to the disk of server and name. The request has one nest disk-path with
	 * address and, if wanted, local-address, under the rules of attach. The reply has the
	 * number of the path, which is the lowest one that no path has. The path joins at once if
	 * the session is live, and takes part in the next login otherwise. The request does not
	 * wait for that. Request: CW_A_SERVER, CW_A_NAME, CW_A_DISK_PATH. Reply: CW_A_ID.
	 */
	CW_C_PATH_ADD,
	/*
	 * Removes the path with the number id from the disk of server and name. Ends with EBUSY if
	 * it is the last path, or live while no other path answers a probe within 1 s. The disk
	 * gives the path no more commands, and the request waits up to 10 s until the path has
	 * answered those that it has. After that time, or after a signal, the path ends as if it
	 * was lost: its writes wait for its fence. If the other paths are lost meanwhile, the path
	 * stays, and the request ends with EBUSY. Request: CW_A_SERVER, CW_A_NAME, CW_A_ID.
	 */
	CW_C_PATH_REMOVE,
	/*
	 * Replaces the settings of an export that change names: allow, key, addresses, tcp,
	 * read-only, takeover-after. The request changes all of them or nothing. The identity, the
	 * owners and the sessions of the export stay. A session that the new allow or the new tcp
	 * does not admit ends with force; without force the request ends with EBUSY if there is
	 * such a session, or such a login that waits for its turn, and changes nothing. A key
	 * applies to logins from then on. With read-only, the server refuses writes that it
	 * receives from then on. An export that was added read-only without a ledger stays
	 * read-only: EROFS. So does one whose disk could not be written when the export started. A
	 * request that takes tcp away fails while the export has an export-address for TCP alone.
	 * The reply has the number of connections that were ended. Request: CW_A_NAME, CW_A_CHANGE,
	 * CW_A_ALLOW, CW_A_KEY, CW_A_EXPORT_ADDRESS, CW_A_TCP, CW_A_READ_ONLY, CW_A_TAKEOVER_AFTER,
	 * CW_A_FORCE. Reply: CW_A_SESSIONS.
	 */
	CW_C_EXPORT_SET,
	/*
	 * Replaces the settings of an attached disk that change names: key, io-timeout, fast-fail,
	 * path-policy. A key applies to logins from then on. A disk that has no path measures the
	 * new timeouts from the loss of its last path. I/O that fails already, because an earlier
	 * timeout has passed, fails until a path is back. Request: CW_A_SERVER, CW_A_NAME,
	 * CW_A_CHANGE, CW_A_KEY, CW_A_IO_TIMEOUT, CW_A_FAST_FAIL, CW_A_PATH_POLICY.
	 */
	CW_C_ATTACH_SET,
	__CW_C_MAX,
};

#define CW_C_MAX (__CW_C_MAX - 1)

#define CW_HISTOGRAM 40 /* buckets of a latency histogram */
#define CW_ALLOW_MAX 48 /* networks that may attach one export, at most */
#define CW_NFS_SOURCES 8 /* local addresses of one rule, at most */
#define CW_FAST_FAIL_OFF 0xffffffffU /* fast-fail: I/O that must fail fast waits like other I/O */
#define CW_FAST_FAIL_DEFAULT 1 /* seconds: fast-fail of an attach without that attribute */

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

/* the state of a connection, or of an export that is ending */
enum cw_state {
	CW_STATE_CONNECTING = 1, /* an attempt to connect is under way */
	CW_STATE_LIVE = 2, /* connected; a disk's session has logged in */
	/*
	 * no path: another attempt follows. A disk holds I/O until a path is back or a timeout has
	 * passed
	 */
	CW_STATE_HELD = 3,
	CW_STATE_FAILING = 4, /* no path for longer than the I/O timeout: I/O fails */
	/*
	 * the export is another disk, or grants less than the disk was made for: I/O fails until a
	 * login is accepted
	 */
	CW_STATE_REFUSED = 5,
	/* an attachment, a server's session or connection, or an export is ending */
	CW_STATE_CLOSING = 6,
	CW_STATE_IDLE = 7, /* NFS: not connected, because no call needs the connection */
	CW_STATE_REVOKED = 8, /* the server refused the session for good: I/O fails until detach */
};

/* the state of a path of a disk's session */
enum cw_disk_path_state {
	/* no connection; another attempt follows while the session has a disk */
	CW_DISK_PATH_DOWN = 1,
	CW_DISK_PATH_CONNECTING = 2, /* an attempt to log in or to join is under way */
	CW_DISK_PATH_LIVE = 3, /* the server has admitted the path */
	CW_DISK_PATH_ENDING = 4, /* the connection was lost or given up and is being drained */
};

/* how a disk chooses among the live paths of its session */
enum cw_path_policy {
	/* each message goes by the path that is expected to be the fastest for it */
	CW_PATH_POLICY_AUTO = 1,
	/* each message goes by the path after that of the last one */
	CW_PATH_POLICY_ROUND_ROBIN = 2,
	/* one path has all commands until it is lost; then the live path with the lowest number */
	CW_PATH_POLICY_SINGLE = 3,
};

/*
 * why a server refused a session for good; the numbers are those of the protocol (docs/PROTOCOL.md
 * section 10)
 */
enum cw_final_refusal {
	CW_FINAL_STALE = 12, /* a newer login or attachment of this host exists */
	/* the disk has another owner, or the server does not know the session any more */
	CW_FINAL_SUPERSEDED = 14,
	CW_FINAL_EVICTED = 15, /* an administrator evicted this host */
};

/* what happened */
enum cw_event {
	CW_EVENT_EXPORT_ADDED = 1, /* server: an export was added */
	/* server: an export has ended, by removal or because the server stops */
	CW_EVENT_EXPORT_REMOVED = 2,
	CW_EVENT_EXPORT_RESIZED = 3, /* server: the size or another property of an export changed */
	CW_EVENT_ATTACHED = 4, /* client: a disk was added */
	CW_EVENT_DETACHED = 5, /* client: a disk was removed */
	CW_EVENT_UP = 6, /* client: a session is live, for the first time or again */
	CW_EVENT_DOWN = 7, /* client: a session lost its path */
	CW_EVENT_ATTEMPT_FAILED = 8, /* client: an attempt to connect or to log in failed */
	CW_EVENT_LOSS = 9, /* client: the server lost acknowledged writes that were not flushed */
	CW_EVENT_ANOTHER_DISK = 10, /* client: the export is another disk than before */
	CW_EVENT_LOGIN = 11, /* server: a client has logged in, for the first time or again */
	CW_EVENT_LOGOUT = 12, /* server: a session that had logged in has ended */
	CW_EVENT_LOGIN_REFUSED = 13, /* server: a login was refused */
	CW_EVENT_RESIZED = 14, /* client: the disk has a new size */
	/* server: a client broke the protocol, so the server closed its links */
	CW_EVENT_MALFORMED = 15,
	CW_EVENT_NFS_UP = 16, /* an NFS connection is live, for the first time or again */
	CW_EVENT_NFS_DOWN = 17, /* an NFS connection was lost or closed */
	CW_EVENT_NFS_ATTEMPT_FAILED = 18, /* an NFS connection ended before it was live */
	CW_EVENT_REVOKED = 19, /* client: the server refused the session for good */
	/* server: a host was evicted from an export, and an export-evict has returned success */
	CW_EVENT_EVICTED = 20,
	/* server: a host was readmitted to an export, and may log in again */
	CW_EVENT_READMITTED = 21,
	CW_EVENT_PATH_UP = 22, /* client: a path of a session that has several is live */
	/* client: a path of a session was lost or removed while another one is live */
	CW_EVENT_PATH_DOWN = 23,
	/*
	 * client: I/O goes by paths of a worse rank now (TCP), because the last one of a better
	 * rank was lost or removed
	 */
	CW_EVENT_FALLBACK = 24,
	CW_EVENT_RETURN = 25, /* client: I/O goes by paths of a better rank now (RDMA) */
	CW_EVENT_EXPORT_CHANGED = 26, /* server: an administrator changed settings of an export */
};

/*
 * bits: the settings that export-set and attach-set replace. A setting whose attribute is not in
 * the request gets the value that export-add or attach has for a request without it
 */
enum cw_change {
	CW_CHANGE_ALLOW = 1,
	CW_CHANGE_KEY = 2,
	CW_CHANGE_ADDRESSES = 4, /* the nests export-address */
	CW_CHANGE_TCP = 8,
	CW_CHANGE_READ_ONLY = 16,
	CW_CHANGE_TAKEOVER_AFTER = 32,
	CW_CHANGE_IO_TIMEOUT = 64,
	CW_CHANGE_FAST_FAIL = 128,
	CW_CHANGE_PATH_POLICY = 256,
};

/* attributes of requests, answers and events */
enum cw_attribute {
	CW_A_UNSPEC,
	CW_A_PAD,
	CW_A_NAME, /* string, at most 63: name of the export */
	/*
	 * string, at most 63: the server as the user wrote it; a part of the name of the disk's
	 * device link. NFS: the server in the source of the mount
	 */
	CW_A_SERVER,
	CW_A_ADDRESS, /* binary, at most 28: of the peer: struct sockaddr_in or sockaddr_in6 */
	/* binary, at most 28: of this host: struct sockaddr_in or sockaddr_in6 */
	CW_A_LOCAL_ADDRESS,
	CW_A_PORT, /* u16: port that the server listens on */
	CW_A_BACKEND, /* u8: enum cw_backend: kind of the backend */
	CW_A_PATH, /* string, at most 4095: of the device or file, from the root */
	CW_A_SIZE, /* u64: bytes; in export-add only for memory */
	CW_A_READ_ONLY, /* flag: the disk may not be written */
	CW_A_EXCLUSIVE, /* flag: the disk has at most one owner */
	/* flag: the server acknowledges a write only when the data is on stable storage */
	CW_A_WRITE_THROUGH,
	CW_A_ALLOW, /* nest, repeated: a network that may attach: family, prefix, prefix-len */
	CW_A_FAMILY, /* u8: AF_INET or AF_INET6 */
	CW_A_PREFIX, /* binary, at most 16: 4 or 16 bytes, network order */
	CW_A_PREFIX_LEN, /* u8, 0 to 128: bits of the prefix that count */
	CW_A_KEY, /* binary, at most 64: at least 16 bytes, not all zero; no answer has it */
	CW_A_HAS_KEY, /* flag: a key is set */
	CW_A_IDENTITY, /* binary, 16: UUID of the export's disk */
	/* binary, 16: UUID of the server; it changes when acknowledged writes may have been lost */
	CW_A_INSTANCE,
	CW_A_CLEAN, /* flag: all acknowledged writes were flushed */
	/*
	 * u16, 1 to 256: data links, with the polled ones except in attach. NFS: queue pairs of the
	 * connection
	 */
	CW_A_QUEUES,
	CW_A_POLL_QUEUES, /* u16, 0 to 256: data links whose completions are polled */
	CW_A_DEPTH, /* u16, 1 to 1024: commands per data link */
	CW_A_IO_TIMEOUT, /* u32: seconds that I/O is held without a path; 0: for ever */
	/*
	 * u32: ms for each step of a connection, limited to 100 to 60000; while a login waits, the
	 * limits of the protocol apply instead
	 */
	CW_A_CONNECT_TIMEOUT,
	/*
	 * flag: attach returns at once, and the connection is attempted until it succeeds or the
	 * disk is detached
	 */
	CW_A_BACKGROUND,
	CW_A_FORCE, /* flag: end an export or attachment that is in use */
	CW_A_HOST, /* binary, 16: UUID of a machine */
	CW_A_BOOT, /* binary, 16: the host's boot in the ledger: UUID of one load of its module */
	CW_A_HOST_NAME, /* string: the peer's own host name */
	CW_A_SESSION, /* binary, 16: UUID of the session; in owner-get of the owner's session */
	/*
	 * string: causewayN, the name of the block device; empty or left out before the first
	 * connection
	 */
	CW_A_DISK,
	CW_A_ROLE, /* u8: enum cw_role: of this host */
	/*
	 * u8: enum cw_state: of a connection; closing for an export that is ending; live for an
	 * owner that is logged in
	 */
	CW_A_STATE,
	/*
	 * u8: enum cw_transport: of a live connection, of a disk-path or of an address in
	 * export-address, otherwise none; in attach, path-add and discover: by which to connect,
	 * rdma if it is left out
	 */
	CW_A_TRANSPORT,
	CW_A_DEVICE, /* string: RDMA device */
	CW_A_DEVICE_PORT, /* u8: port of the RDMA device */
	CW_A_ATTEMPTS, /* u32: attempts to connect since the session or connection was last live */
	CW_A_RECONNECTS, /* u32: times that the session or connection became live again */
	/*
	 * string: why the last connection or attempt ended; in export-get that the ledger cannot be
	 * written
	 */
	CW_A_REASON,
	CW_A_ERROR, /* s32: -errno that belongs to reason */
	/*
	 * u64: nanoseconds since the state began, in steps of a second for an export that is ending
	 */
	CW_A_SINCE,
	CW_A_RETRY_IN, /* u32: ms until the next attempt */
	CW_A_LOSS, /* flag: the server lost unflushed writes, and acknowledge was not sent since */
	CW_A_BLOCK_SIZE, /* u32: bytes of a logical block */
	CW_A_PHYSICAL_BLOCK, /* u32: bytes of a physical block */
	CW_A_MAX_IO, /* u32: bytes of the largest read or write */
	/* u32: bytes of the largest read or write whose data may travel in its message */
	CW_A_INLINE,
	CW_A_VOLATILE, /* flag: the disk has a cache to flush */
	CW_A_DISCARD, /* flag: the disk has discard */
	CW_A_WRITE_ZEROES, /* flag: the disk has write-zeroes */
	CW_A_SESSIONS, /* u32: live sessions of the export */
	CW_A_OPENERS, /* u32: number of openers of the disk */
	CW_A_EXPORT, /* nest, repeated: an export in the reply of discover or server-stop */
	/* nest: enum cw_counter: of the data links, those that have ended included */
	CW_A_COUNTERS,
	/*
	 * binary: array of u64: CW_HISTOGRAM buckets: bucket i counts the reads that took from 2^i
	 * to 2^(i+1) ns, the last bucket also all longer ones
	 */
	CW_A_READ_LATENCY,
	CW_A_WRITE_LATENCY, /* binary: array of u64: the same for writes */
	CW_A_FLUSH_LATENCY, /* binary: array of u64: the same for flushes */
	CW_A_EVENT, /* u8: enum cw_event: kind of the event */
	CW_A_TIME, /* u64: when the event happened: nanoseconds of CLOCK_REALTIME */
	CW_A_TEXT, /* string: a text for people: about an event, an export or a detached disk */
	/* u32: number of a server session, of an NFS connection, or of a path in its session */
	CW_A_ID,
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
	CW_A_RECEIVE_INLINE, /* u32: the same for a message that this side may receive */
	CW_A_CREDITS, /* u32: calls that may be under way at once, as the server granted last */
	CW_A_CALLS, /* u32: calls that are under way now */
	CW_A_REMOTE_INVALIDATE, /* flag: both ends support remote invalidation */
	CW_A_BACKCHANNEL, /* flag: calls of the server to the client go over this connection */
	/*
	 * nest, repeated: one queue pair of an NFS connection that has several: state,
	 * local-address, device, device-port, reason, retry-in
	 */
	CW_A_RAIL,
	CW_A_NFS_COUNTERS, /* nest: enum cw_nfs_counter: of one connection */
	/*
	 * u32: seconds after which I/O that must fail fast fails without a path, or
	 * CW_FAST_FAIL_OFF
	 */
	CW_A_FAST_FAIL,
	CW_A_LIMITS, /* nest: enum cw_limit: how often each limit of the server was met */
	CW_A_LEDGER, /* binary, 16: UUID of an export's ledger of owners */
	/*
	 * string, at most 4095: path from the root: the folder of both copies of the ledger,
	 * IDENTITY.0 and IDENTITY.1. An export-add has both this and ledger, or neither; with
	 * neither the ledger is in memory and ends with the export.
	 */
	CW_A_LEDGER_FOLDER,
	/*
	 * u32: seconds after which another host may replace an absent owner; 0: never. Exclusive
	 * exports only
	 */
	CW_A_TAKEOVER_AFTER,
	CW_A_OWNER, /* flag: the host has a session that may write */
	CW_A_EVICTED, /* flag: the host is evicted */
	CW_A_SERIAL, /* u64: number of the newest attachment of the host's boot */
	CW_A_EPOCH, /* u64: of the newest login of the host that was admitted */
	CW_A_SEEN, /* u64: seconds from 1970 to the time when the host was last connected */
	CW_A_OUTDATED, /* flag: an older copy of the ledger was put back, so no host may log in */
	CW_A_HOSTS, /* u32: number of hosts in the ledger */
	CW_A_HOSTS_MAX, /* u32: number of hosts that the ledger has room for */
	/* u16: enum cw_final_refusal: why the server refused a revoked attachment for good */
	CW_A_REFUSAL,
	/*
	 * nest, repeated: a path of a disk's session, in the order of their numbers. In attach and
	 * path-add: address, local-address, transport
	 */
	CW_A_DISK_PATH,
	CW_A_PATH_STATE, /* u8: enum cw_disk_path_state: of a path */
	/*
	 * flag: the disk gives commands to this path; under the policy auto, a slow path may get
	 * none all the same
	 */
	CW_A_CARRIES_IO,
	/*
	 * flag: writes that were sent on the last connection of this path wait until the server has
	 * fenced it
	 */
	CW_A_FENCING,
	/*
	 * u32: commands of the path that the server still carries out, as it said last; the fence
	 * waits for them
	 */
	CW_A_FENCE_COMMANDS,
	CW_A_PATH_POLICY, /* u8: enum cw_path_policy: how the disk chooses among its live paths */
	/* u32: times that a path which carried I/O was lost while another one was live */
	CW_A_FAILOVERS,
	CW_A_LOSSES, /* u32: times that this path was lost */
	CW_A_FENCES, /* u32: fences of this path that have ended, by FENCED or by a login */
	/* u64: ns that those fences took together, each from the loss of the path */
	CW_A_FENCE_TIME,
	/*
	 * nest, repeated: an address of the server by which an export can be reached, the preferred
	 * one first. In export-add and export-get: address, with port 0, and transport if it is not
	 * for RDMA. In the reply of discover: transport (of the address) and address
	 */
	CW_A_EXPORT_ADDRESS,
	/*
	 * u64: times that I/O moved to paths of a worse rank, by TCP, because the last one of a
	 * better rank was lost or removed
	 */
	CW_A_FALLBACKS,
	/* u64: times that I/O moved back to paths of a better rank, by RDMA, after a fallback */
	CW_A_RETURNS,
	CW_A_FALLBACK_REASON, /* string: a text for people: the reason of the newest fallback */
	CW_A_TCP, /* flag: the export is served over TCP too */
	/* u16: TCP port of the server while it has an export that is served over TCP */
	CW_A_TCP_PORT,
	CW_A_CHANGE, /* u32: bits of CW_CHANGE_*: the settings that the request replaces */
	/*
	 * u8: 1: an administrator has made the export read-only; 0: an administrator has not,
	 * though its device may be write-protected
	 */
	CW_A_READ_ONLY_SET,
	__CW_A_MAX,
};

#define CW_A_MAX (__CW_A_MAX - 1)

/*
 * how often a limit of the server was met since the module causeway was loaded, inside CW_A_LIMITS;
 * each is a u64. The names in max_ are parameters of that module
 */
enum cw_limit {
	CW_LIMIT_UNSPEC,
	CW_LIMIT_PAD,
	/*
	 * connections refused: max_strangers or max_strangers_host, of connections that have not
	 * logged in
	 */
	CW_LIMIT_STRANGERS,
	CW_LIMIT_SESSIONS, /* logins refused: max_sessions */
	CW_LIMIT_HOST_SESSIONS, /* logins refused: max_sessions_host */
	CW_LIMIT_HOST_LINKS, /* logins refused: max_links_host */
	/*
	 * commands that had to wait for memory: the share of their client, or the memory for all
	 * clients, was used up
	 */
	CW_LIMIT_MEMORY,
	CW_LIMIT_WAITING, /* logins refused: max_waiting */
	__CW_LIMIT_MAX,
};

#define CW_LIMIT_MAX (__CW_LIMIT_MAX - 1)

/*
 * counters of the data links of an attachment or of a server session, inside CW_A_COUNTERS; each is
 * a u64. A client counts a command when it has ended, a server when it arrives. A counter that is
 * marked client or server stays 0 at the other end
 */
enum cw_counter {
	CW_N_UNSPEC,
	CW_N_PAD,
	CW_N_READS, /* read commands */
	CW_N_WRITES, /* write commands */
	CW_N_FLUSHES, /* flush commands */
	CW_N_DISCARDS, /* discard commands */
	CW_N_WRITE_ZEROES, /* write-zeroes commands */
	CW_N_READ_BYTES, /* bytes of read commands */
	CW_N_WRITTEN_BYTES, /* bytes of write commands */
	CW_N_ERRORS, /* commands that ended with an error */
	/* client: unanswered commands of a lost connection, to be sent again or failed */
	CW_N_REPLAYED,
	CW_N_SENDS, /* messages sent */
	CW_N_RECEIVES, /* messages received */
	CW_N_SEND_COMPLETIONS, /* completions of the send queues */
	CW_N_RECEIVE_COMPLETIONS, /* completions of receives without an error */
	CW_N_REGISTRATIONS, /* client: registrations posted */
	/*
	 * client: regions invalidated by the client itself, after a completion that did not
	 * invalidate them
	 */
	CW_N_INVALIDATIONS,
	/* client: regions that the server invalidated with the completion */
	CW_N_REMOTE_INVALIDATIONS,
	CW_N_BULK_READS, /* server: writes whose data the server fetches by RDMA READ */
	CW_N_BULK_WRITES, /* server: messages posted behind the RDMA WRITEs of a read */
	CW_N_INLINE_READS, /* reads whose data travels in a message */
	CW_N_INLINE_WRITES, /* writes whose data travels in a message */
	CW_N_MALFORMED, /* received messages that broke the protocol */
	CW_N_BARE_SENDS, /* messages sent in the bare form (docs/PROTOCOL.md) */
	__CW_N_MAX,
};

#define CW_N_MAX (__CW_N_MAX - 1)

/*
 * counters of an NFS connection, inside CW_A_NFS_COUNTERS; each is a u64. The counters of a client
 * go on over reconnects; a server counts each connection from 0. "Read" is data that goes to the
 * client (READ, READLINK), "write" is data that goes to the server. A side that cannot know what a
 * message holds counts 0 there, and a counter that is marked client or server stays 0 at the other
 * end
 */
enum cw_nfs_counter {
	CW_NFS_UNSPEC,
	CW_NFS_PAD,
	CW_NFS_CALLS, /* RPC calls of the client: sent by it, received by the server */
	CW_NFS_REPLIES, /* replies to these calls: received by the client, sent by the server */
	CW_NFS_BACK_CALLS, /* RPC calls of the server: sent by it, received by the client */
	CW_NFS_BACK_REPLIES, /* replies to the RPC calls of the server */
	CW_NFS_INLINE_READS, /* replies with read data inside the message */
	CW_NFS_CHUNKED_READS, /* replies with read data in write chunks */
	CW_NFS_INLINE_WRITES, /* calls with write data inside the message */
	CW_NFS_CHUNKED_WRITES, /* calls with write data in read chunks */
	CW_NFS_LONG_CALLS, /* calls that are in a read chunk as a whole */
	CW_NFS_LONG_REPLIES, /* replies that are in the reply chunk as a whole */
	CW_NFS_SENT_BYTES, /* bytes of RPC messages sent, with the data in chunks */
	CW_NFS_RECEIVED_BYTES, /* bytes of RPC messages received, with the data in chunks */
	CW_NFS_SENDS, /* Sends posted */
	CW_NFS_RECEIVES, /* messages received */
	/* server: completions of the send queue, of Sends and of all other work requests */
	CW_NFS_SEND_COMPLETIONS,
	CW_NFS_REGISTRATIONS, /* client: memory regions registered */
	CW_NFS_INVALIDATIONS, /* client: regions that the client itself invalidated */
	/*
	 * client: regions that the server invalidated; server: Sends that invalidate a region of
	 * the client
	 */
	CW_NFS_REMOTE_INVALIDATIONS,
	CW_NFS_PULLED_READS, /* server: RDMA Reads posted to fetch chunks */
	CW_NFS_PUSHED_WRITES, /* server: RDMA Writes posted to fill chunks */
	CW_NFS_CONNECTS, /* client: times that a queue pair connected */
	/* client: calls sent again, after a connection was lost or a reply timed out */
	CW_NFS_RESENT,
	CW_NFS_CREDIT_WAITS, /* client: calls that had to wait for a credit */
	CW_NFS_ERRORS, /* RDMA_ERROR messages: received by the client, sent by the server */
	CW_NFS_MALFORMED, /* received messages that broke the protocol */
	__CW_NFS_MAX,
};

#define CW_NFS_MAX (__CW_NFS_MAX - 1)

#endif
