// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks the grants of a server for a disk that exists. The block layer knows the limits of a disk
 * from its first login on, and no path may lower them.
 */
#include "login.h"

/*
 * A login decides the limits of the disk, and JOIN can only be granted as much or less. So a path
 * that is granted less has to be the one that logs in.
 */
static int cw_path_say_less(struct cw_path *p, bool joins, const char *what)
{
	if (joins)
		cw_path_say(p, -EMEDIUMTYPE,
			    "this path is granted less than the disk has (%s): detach, attach by this path, then add the others",
			    what);
	else
		cw_path_say(p, -EMEDIUMTYPE,
			    "the server grants less than before (%s): detach and attach", what);
	return -EMEDIUMTYPE;
}

int cw_path_check_grants(struct cw_path *p, const struct cw_path_grants *now, u32 logical_block,
			 bool joins)
{
	const struct cw_welcome *before = &p->session->first_welcome;
	char what[64];

	if (now->queues < before->queues || now->depth < before->depth) {
		scnprintf(what, sizeof(what), "%u queues of %u, were %u of %u", now->queues,
			  now->depth, before->queues, before->depth);
	} else if (now->max_io < before->max_io) {
		scnprintf(what, sizeof(what), "commands of %u bytes, were %u", now->max_io,
			  before->max_io);
	} else if (now->inline_size < min_t(u32, before->inline_size, CW_WIRE_PAGE)) {
		scnprintf(what, sizeof(what), "%u bytes of inline data, were %u", now->inline_size,
			  before->inline_size);
	} else if (logical_block != before->geo.logical_block) {
		cw_path_say(p, -EMEDIUMTYPE,
			    "the disk has logical blocks of %u bytes, had %u before: detach and attach",
			    logical_block, before->geo.logical_block);
		return -EMEDIUMTYPE;
	} else {
		return 0;
	}
	return cw_path_say_less(p, joins, what);
}
