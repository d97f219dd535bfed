/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints of the server, events/causeway_nfs_server. The number of a connection is its id in
 * the dump of connections.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM causeway_nfs_server

#if !defined(CWRS_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define CWRS_TRACE_H

#include <linux/tracepoint.h>

#include "connection.h"
#include "receive.h"
#include "send.h"
#include "transfers.h"

TRACE_EVENT(cwrs_listens,
	TP_PROTO(const struct svc_xprt *listener, int err),
	TP_ARGS(listener, err),
	TP_STRUCT__entry(
		__array(u8, local, sizeof(struct sockaddr_in6))
		__field(int, err)
	),
	TP_fast_assign(
		memcpy(__entry->local, &listener->xpt_local, sizeof(struct sockaddr_in6));
		__entry->err = err;
	),
	TP_printk("listening at %pISpc once more: error %d", __entry->local, __entry->err)
);

TRACE_EVENT(cwrs_accepted,
	TP_PROTO(const struct cwrs_connection *conn, int err),
	TP_ARGS(conn, err),
	TP_STRUCT__entry(
		__field(u32, id)
		__string(peer, conn->xprt.xpt_remotebuf)
		__field(u32, send)
		__field(u32, receive)
		__field(u32, credits)
		__field(int, err)
	),
	TP_fast_assign(
		__entry->id = conn->info.id;
		__assign_str(peer);
		__entry->send = conn->send_inline;
		__entry->receive = conn->receive_inline;
		__entry->credits = conn->credits;
		__entry->err = err;
	),
	TP_printk("connection %u of %s: sends %u receives %u credits %u error %d", __entry->id,
		  __get_str(peer), __entry->send, __entry->receive, __entry->credits, __entry->err)
);

TRACE_EVENT(cwrs_down,
	TP_PROTO(const struct cwrs_connection *conn, int err, const char *reason),
	TP_ARGS(conn, err, reason),
	TP_STRUCT__entry(
		__field(u32, id)
		__field(int, err)
		__string(reason, reason)
	),
	TP_fast_assign(
		__entry->id = conn->info.id;
		__entry->err = err;
		__assign_str(reason);
	),
	TP_printk("connection %u error %d: %s", __entry->id, __entry->err, __get_str(reason))
);

TRACE_EVENT(cwrs_probed,
	TP_PROTO(const struct cwrs_connection *conn, int err),
	TP_ARGS(conn, err),
	TP_STRUCT__entry(
		__field(u32, id)
		__field(int, err)
	),
	TP_fast_assign(
		__entry->id = conn->info.id;
		__entry->err = err;
	),
	TP_printk("connection %u error %d", __entry->id, __entry->err)
);

TRACE_EVENT(cwrs_refused,
	TP_PROTO(const struct cwrs_receive *rx, int err),
	TP_ARGS(rx, err),
	TP_STRUCT__entry(
		__field(u32, id)
		__field(u32, xid)
		__field(u32, length)
		__field(int, err)
	),
	TP_fast_assign(
		__entry->id = rx->conn->info.id;
		__entry->xid = err == -EBADMSG ? 0 : rx->header.xid;
		__entry->length = rx->length;
		__entry->err = err;
	),
	TP_printk("connection %u xid 0x%08x: message of %u bytes, error %d", __entry->id,
		  __entry->xid, __entry->length, __entry->err)
);

TRACE_EVENT(cwrs_pull,
	TP_PROTO(const struct cwrs_receive *rx),
	TP_ARGS(rx),
	TP_STRUCT__entry(
		__field(u32, id)
		__field(u32, xid)
		__field(u32, length)
		__field(u16, transfers)
		__field(u32, wrs)
		__field(u32, pulling)
	),
	TP_fast_assign(
		__entry->id = rx->conn->info.id;
		__entry->xid = rx->header.xid;
		__entry->length = rx->pull.length;
		__entry->transfers = rx->pull.transfers->count;
		__entry->wrs = rx->pull.transfers->wrs;
		__entry->pulling = READ_ONCE(rx->conn->pulling);
	),
	TP_printk("connection %u xid 0x%08x: %u bytes by %u transfers, %u requests, %u pages in all",
		  __entry->id, __entry->xid, __entry->length, __entry->transfers, __entry->wrs,
		  __entry->pulling)
);

TRACE_EVENT(cwrs_parked,
	TP_PROTO(const struct cwrs_receive *rx, bool starved),
	TP_ARGS(rx, starved),
	TP_STRUCT__entry(
		__field(u32, id)
		__field(u32, xid)
		__field(u32, pages)
		__field(bool, starved)
	),
	TP_fast_assign(
		__entry->id = rx->conn->info.id;
		__entry->xid = rx->header.xid;
		__entry->pages = rx->pull.pages;
		__entry->starved = starved;
	),
	TP_printk("connection %u xid 0x%08x: %u pages wait for %s", __entry->id, __entry->xid,
		  __entry->pages, __entry->starved ? "a memory region" : "others to be done")
);

TRACE_EVENT(cwrs_call,
	TP_PROTO(const struct cwrs_receive *rx, u32 length),
	TP_ARGS(rx, length),
	TP_STRUCT__entry(
		__field(u32, id)
		__field(u32, xid)
		__field(u32, length)
		__field(u32, pulled)
		__field(u16, writes)
		__field(bool, has_reply)
	),
	TP_fast_assign(
		__entry->id = rx->conn->info.id;
		__entry->xid = rx->header.xid;
		__entry->length = length;
		__entry->pulled = rx->pull.transfers ? rx->pull.length : 0;
		__entry->writes = rx->header.writes;
		__entry->has_reply = rx->header.has_reply;
	),
	TP_printk("connection %u xid 0x%08x: call of %u bytes, %u pulled, %u write chunks%s",
		  __entry->id, __entry->xid, __entry->length, __entry->pulled, __entry->writes,
		  __entry->has_reply ? ", reply chunk" : "")
);

TRACE_EVENT(cwrs_sent,
	TP_PROTO(const struct cwrs_send *send, u32 length, u32 invalidate),
	TP_ARGS(send, length, invalidate),
	TP_STRUCT__entry(
		__field(u32, id)
		__field(u32, xid)
		__field(u32, length)
		__field(u16, wrs)
		__field(u32, invalidate)
	),
	TP_fast_assign(
		__entry->id = send->conn->info.id;
		__entry->xid = cwr_get32(send->data);
		__entry->length = length;
		__entry->wrs = send->post.wrs;
		__entry->invalidate = invalidate;
	),
	TP_printk("connection %u xid 0x%08x: %u bytes, %u requests, invalidates 0x%08x",
		  __entry->id, __entry->xid, __entry->length, __entry->wrs, __entry->invalidate)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
