/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints of the client, events/causeway_nfs_client. The id of a transport is the one in the
 * dump of connections; a queue pair is named by its rail.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM causeway_nfs_client

#if !defined(CWRC_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define CWRC_TRACE_H

#include <linux/tracepoint.h>

#include "call.h"
#include "connection.h"

TRACE_EVENT(cwrc_open,
	TP_PROTO(const struct cwrc_connection *conn, int err),
	TP_ARGS(conn, err),
	TP_STRUCT__entry(
		__field(u32, id)
		__field(u32, rail)
		__field(u32, send)
		__field(u32, receive)
		__field(u32, depth)
		__field(int, err)
	),
	TP_fast_assign(
		__entry->id = conn->transport->info.id;
		__entry->rail = conn->index;
		__entry->send = conn->inline_send;
		__entry->receive = conn->inline_receive;
		__entry->depth = conn->depth;
		__entry->err = err;
	),
	TP_printk("connection %u rail %u: sends %u receives %u region pages %u error %d",
		  __entry->id, __entry->rail, __entry->send, __entry->receive, __entry->depth,
		  __entry->err)
);

TRACE_EVENT(cwrc_down,
	TP_PROTO(const struct cwrc_connection *conn, int err, const char *reason),
	TP_ARGS(conn, err, reason),
	TP_STRUCT__entry(
		__field(u32, id)
		__field(u32, rail)
		__field(int, err)
		__string(reason, reason)
	),
	TP_fast_assign(
		__entry->id = conn->transport->info.id;
		__entry->rail = conn->index;
		__entry->err = err;
		__assign_str(reason);
	),
	TP_printk("connection %u rail %u error %d: %s", __entry->id, __entry->rail, __entry->err,
		  __get_str(reason))
);

TRACE_EVENT(cwrc_sent,
	TP_PROTO(const struct cwrc_call *call, u32 len),
	TP_ARGS(call, len),
	TP_STRUCT__entry(
		__field(u32, id)
		__field(u32, rail)
		__field(u32, xid)
		__field(u32, len)
		__field(u16, reads)
		__field(u16, writes)
		__field(bool, reply_chunk)
	),
	TP_fast_assign(
		__entry->id = call->transport->info.id;
		__entry->rail = call->connection->index;
		__entry->xid = call->xid;
		__entry->len = len;
		__entry->reads = call->reads;
		__entry->writes = call->writes;
		__entry->reply_chunk = call->reply_chunk;
	),
	TP_printk("connection %u rail %u xid 0x%08x: %u bytes, %u segments to read, %u to write%s",
		  __entry->id, __entry->rail, __entry->xid, __entry->len, __entry->reads,
		  __entry->writes, __entry->reply_chunk ? " the reply" : "")
);

/* @call is NULL if no request waits for the reply. */
TRACE_EVENT(cwrc_reply,
	TP_PROTO(const struct cwrc_connection *conn, const struct cwr_header *header,
		 const struct cwrc_call *call, u32 len),
	TP_ARGS(conn, header, call, len),
	TP_STRUCT__entry(
		__field(u32, id)
		__field(u32, rail)
		__field(u32, xid)
		__field(u32, proc)
		__field(u32, credits)
		__field(u32, len)
		__field(bool, expected)
	),
	TP_fast_assign(
		__entry->id = conn->transport->info.id;
		__entry->rail = conn->index;
		__entry->xid = header->xid;
		__entry->proc = header->proc;
		__entry->credits = header->credits;
		__entry->len = len;
		__entry->expected = call;
	),
	TP_printk("connection %u rail %u xid 0x%08x: procedure %u credits %u, %u bytes%s",
		  __entry->id, __entry->rail, __entry->xid, __entry->proc, __entry->credits,
		  __entry->len, __entry->expected ? "" : ", no call waits")
);

TRACE_EVENT(cwrc_malformed,
	TP_PROTO(const struct cwrc_connection *conn, u32 len),
	TP_ARGS(conn, len),
	TP_STRUCT__entry(
		__field(u32, id)
		__field(u32, rail)
		__field(u32, len)
	),
	TP_fast_assign(
		__entry->id = conn->transport->info.id;
		__entry->rail = conn->index;
		__entry->len = len;
	),
	TP_printk("connection %u rail %u: %u bytes that are no reply", __entry->id, __entry->rail,
		  __entry->len)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
