/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints of links: their end, and their messages.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM causeway

#if !defined(CW_LINK_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define CW_LINK_TRACE_H

#include <linux/tracepoint.h>

#include "link.h"

TRACE_EVENT(cw_link_killed,
	TP_PROTO(const struct cw_link *link, int err, const char *reason),
	TP_ARGS(link, err, reason),
	TP_STRUCT__entry(
		__field(bool, server)
		__field(int, kind)
		__field(u16, index)
		__field(int, err)
		__string(reason, reason)
	),
	TP_fast_assign(
		__entry->server = link->server;
		__entry->kind = link->kind;
		__entry->index = link->index;
		__entry->err = err;
		__assign_str(reason);
	),
	TP_printk("%s kind %d index %u error %d: %s", __entry->server ? "server" : "client",
		  __entry->kind, __entry->index, __entry->err, __get_str(reason))
);

DECLARE_EVENT_CLASS(cw_message,
	TP_PROTO(const struct cw_link *link, u8 type, u16 count, u32 data_len),
	TP_ARGS(link, type, count, data_len),
	TP_STRUCT__entry(
		__field(bool, server)
		__field(u16, index)
		__field(u8, type)
		__field(u16, count)
		__field(u32, data_len)
	),
	TP_fast_assign(
		__entry->server = link->server;
		__entry->index = link->index;
		__entry->type = type;
		__entry->count = count;
		__entry->data_len = data_len;
	),
	TP_printk("%s index %u type %u records %u data %u",
		  __entry->server ? "server" : "client", __entry->index, __entry->type,
		  __entry->count, __entry->data_len)
);

DEFINE_EVENT(cw_message, cw_message_sent,
	TP_PROTO(const struct cw_link *link, u8 type, u16 count, u32 data_len),
	TP_ARGS(link, type, count, data_len)
);

DEFINE_EVENT(cw_message, cw_message_received,
	TP_PROTO(const struct cw_link *link, u8 type, u16 count, u32 data_len),
	TP_ARGS(link, type, count, data_len)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
