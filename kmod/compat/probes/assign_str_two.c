// SPDX-License-Identifier: GPL-2.0-only
/* __assign_str(dst, src); Linux 6.10 dropped src. */
#include <linux/string.h>
#include <trace/stages/stage6_event_callback.h>
#undef __get_str
#define __get_str(field) (field)

void probe(char *name, const char *from);
void probe(char *name, const char *from)
{
	__assign_str(name, from);
}
