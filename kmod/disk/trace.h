/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints of the commands and completions of attached disks. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM causeway_disk

#if !defined(CW_DISK_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define CW_DISK_TRACE_H

#include <linux/tracepoint.h>

#include "disk.h"

TRACE_EVENT(cw_disk_queued,
	TP_PROTO(const char *disk, const struct cw_cmd *cmd),
	TP_ARGS(disk, cmd),
	TP_STRUCT__entry(
		__string(disk, disk)
		__field(u8, op)
		__field(u8, flags)
		__field(u16, slot)
		__field(u32, len)
		__field(u64, offset)
	),
	TP_fast_assign(
		__assign_str(disk);
		__entry->op = cmd->op;
		__entry->flags = cmd->flags;
		__entry->slot = cmd->slot;
		__entry->len = cmd->len;
		__entry->offset = cmd->offset;
	),
	TP_printk("%s op %u flags 0x%x slot %u offset %llu length %u", __get_str(disk),
		  __entry->op, __entry->flags, __entry->slot, __entry->offset, __entry->len)
);

TRACE_EVENT(cw_disk_answered,
	TP_PROTO(const char *disk, const struct cw_done *done),
	TP_ARGS(disk, done),
	TP_STRUCT__entry(
		__string(disk, disk)
		__field(u16, slot)
		__field(u8, status)
		__field(u32, data_len)
	),
	TP_fast_assign(
		__assign_str(disk);
		__entry->slot = done->slot;
		__entry->status = done->status;
		__entry->data_len = done->data_len;
	),
	TP_printk("%s slot %u status %u data %u", __get_str(disk), __entry->slot,
		  __entry->status, __entry->data_len)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
