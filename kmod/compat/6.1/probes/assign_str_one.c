// SPDX-License-Identifier: GPL-2.0-only
/* __assign_str(dst), of Linux 6.10: __string() knows the source. */
#include <linux/trace_events.h>
#include <trace/stages/stage6_event_callback.h>
#undef __get_str
#define __get_str(field) (field)
#undef __get_dynamic_array_len
#define __get_dynamic_array_len(field) 8

struct data_offsets {
	const char *name_ptr_;
};

void probe(char *name, struct data_offsets __data_offsets);
void probe(char *name, struct data_offsets __data_offsets)
{
	__assign_str(name);
}
