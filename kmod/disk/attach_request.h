/* SPDX-License-Identifier: GPL-2.0-only */
/* The requests to attach a disk and to add a path, read from netlink attributes. */
#ifndef CW_DISK_ATTACH_REQUEST_H
#define CW_DISK_ATTACH_REQUEST_H

#include "../core/netlink/netlink.h"
#include "../core/session/client/session.h"

/**
 * cw_attach_take() - reads and checks a request to attach a disk
 * @info: the request; on an error, its extack says what is wrong
 * @config: zeroed; set to what the request asks for, with defaults where it is silent
 *
 * Context: Process context. May sleep.
 * Return: 0; -EINVAL: an attribute is missing or wrong; -E2BIG: too many paths; -ENOMEM.
 */
int cw_attach_take(struct genl_info *info, struct cw_session_config *config);
/**
 * cw_attach_take_change() - reads and checks a request to change settings of a disk
 * @info: the request; a refusal is in its extack
 * @change: set on success; holds a key
 *
 * Context: Process context.
 * Return: 0 or -errno.
 */
int cw_attach_take_change(struct genl_info *info, struct cw_session_change *change);

/**
 * cw_attach_take_added_path() - reads and checks a request to add a path to a disk
 * @info: the request; on an error, its extack says what is wrong
 * @config: the paths that the disk has, by their numbers. The new path is added to them.
 *
 * Context: Process context. May sleep.
 * Return: The number of the new path; -EINVAL: an attribute is missing or wrong; -E2BIG: too many
 * paths; -ENOMEM.
 */
int cw_attach_take_added_path(struct genl_info *info, struct cw_session_config *config);

#endif
