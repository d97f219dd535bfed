/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * Common parts of HELLO and JOIN, WELCOME and JOINED: wishes of the client, grants of the server,
 * and what each side takes on a data link (PROTOCOL, section 4, rule 13, and section 11).
 */
#ifndef CW_WIRE_GRANTS_H
#define CW_WIRE_GRANTS_H

#include "bytes.h"

/**
 * cw_at_most() - reduces a number above a bound to the bound
 * @n: number
 * @max: bound
 *
 * Context: Any context.
 * Return: The lesser of both.
 */
static inline u32 cw_at_most(u32 n, u32 max)
{
	return n < max ? n : max;
}

/**
 * cw_check_version() - checks the magic and the version of a struct
 * @magic: as sent
 * @version: as sent
 *
 * Both are at the same place in every version, so that another version is reported as such and not
 * as malformed.
 *
 * Context: Any context.
 * Return: 0; -EPROTONOSUPPORT: another version; -EPROTO: another magic, or version 0.
 */
static inline int cw_check_version(__le32 magic, __le16 version)
{
	if (__le32_to_cpu(magic) != CW_WIRE_MAGIC || !version)
		return -EPROTO;
	return __le16_to_cpu(version) == CW_WIRE_VERSION ? 0 : -EPROTONOSUPPORT;
}

/**
 * cw_valid_uuid() - checks whether a UUID is not the one of zeroes
 * @uuid: UUID
 *
 * Context: Any context.
 * Return: True if the UUID is valid.
 */
static inline bool cw_valid_uuid(const u8 uuid[CW_WIRE_UUID])
{
	return !cw_is_zero(uuid, CW_WIRE_UUID);
}

/*
 * The wishes of the client, or the grants of the server; area and messages are those of the sender.
 */
struct cw_shape {
	u16 queues, depth;
	u32 inline_size, max_io;
	u16 area, messages;
};

/**
 * cw_valid_sizes() - checks whether sizes are possible
 * @s: wishes or grants
 *
 * Inline data has whole pages or is not allowed, and a command can always have one page.
 *
 * Context: Any context.
 * Return: True if they are.
 */
static inline bool cw_valid_sizes(const struct cw_shape *s)
{
	return s->queues && s->depth && s->inline_size % CW_WIRE_PAGE == 0 &&
	       s->max_io >= CW_WIRE_PAGE && s->max_io % CW_WIRE_PAGE == 0;
}

/**
 * cw_valid_receives() - checks whether an end can receive messages on a data link
 * @s: wishes or grants; the area may be above its bound
 *
 * Context: Any context.
 * Return: True if it can.
 */
static inline bool cw_valid_receives(const struct cw_shape *s)
{
	return s->area && s->messages >= CW_WIRE_MESSAGES_MIN &&
	       s->messages <= CW_WIRE_MESSAGES_MAX;
}

/**
 * cw_clamp_area() - reduces an area above its bound to the bound
 * @area: pages
 *
 * Context: Any context.
 * Return: Pages.
 */
static inline u16 cw_clamp_area(u16 area)
{
	return (u16)cw_at_most(area, CW_WIRE_AREA_MAX);
}

/**
 * cw_take_wishes() - reduces wishes above their bounds to the bounds
 * @s: the wishes
 *
 * Context: Any context.
 * Return: False if they are malformed.
 */
static inline bool cw_take_wishes(struct cw_shape *s)
{
	s->queues = (u16)cw_at_most(s->queues, CW_WIRE_QUEUES_MAX);
	s->depth = (u16)cw_at_most(s->depth, CW_WIRE_DEPTH_MAX);
	s->inline_size = cw_at_most(s->inline_size, CW_WIRE_INLINE_MAX);
	s->max_io = cw_at_most(s->max_io, CW_WIRE_IO_MAX);
	s->area = cw_clamp_area(s->area);
	return cw_valid_sizes(s) && cw_valid_receives(s);
}

/**
 * cw_valid_grants() - checks whether grants are valid
 * @s: the grants
 * @wish: the wishes as their sender knows them
 *
 * Grants are at least the minimum, and not above the wish or a bound. Inline data fits into the
 * areas of both sides.
 *
 * Context: Any context.
 * Return: True if they are.
 */
static inline bool cw_valid_grants(const struct cw_shape *s, const struct cw_shape *wish)
{
	u32 area = cw_at_most(s->area, cw_clamp_area(wish->area));

	return cw_valid_sizes(s) && cw_valid_receives(s) &&
	       s->queues <= cw_at_most(wish->queues, CW_WIRE_QUEUES_MAX) &&
	       s->depth <= cw_at_most(wish->depth, CW_WIRE_DEPTH_MAX) &&
	       s->inline_size <= cw_at_most(wish->inline_size, CW_WIRE_INLINE_MAX) &&
	       s->inline_size <= area * CW_WIRE_PAGE &&
	       s->max_io <= cw_at_most(wish->max_io, CW_WIRE_IO_MAX);
}

/**
 * cw_valid_times() - checks whether a link has the time to answer its probe
 * @probe_ms: as granted
 * @dead_ms: as granted
 *
 * Context: Any context.
 * Return: True if it has.
 */
static inline bool cw_valid_times(u32 probe_ms, u32 dead_ms)
{
	return probe_ms >= CW_WIRE_PROBE_MIN && dead_ms <= CW_WIRE_DEAD_MAX &&
	       dead_ms / 2 >= probe_ms;
}

#endif
