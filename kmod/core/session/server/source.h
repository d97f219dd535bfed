/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses that connections come from, and places for those that have not logged in.
 *
 * A connection takes a place before anything is made for it. An address has few places, and all
 * addresses together that never logged in have a bound of their own, so that a flood of strangers
 * takes no place from a known host: an address that has, or within a day had, a session.
 */
#ifndef CW_SOURCE_H
#define CW_SOURCE_H

#include <linux/socket.h>
#include <linux/types.h>

struct cw_source;

/* What one connection holds. */
struct cw_place {
	struct cw_source *source; /* NULL: nothing */
	bool waits; /* has not logged in: counted */
	bool known; /* among those of known hosts */
	bool live; /* a session of its stands */
};

/* Takes a place for a connection from @peer. False: none is free. May sleep for memory. */
bool cw_source_enter(struct cw_place *place, const struct sockaddr_storage *peer);
/* The connection has proved itself. Process context, as all of these. */
void cw_source_admitted(struct cw_place *place);
/* It was welcomed: its address is known from now on. */
void cw_source_live(struct cw_place *place);
/* It is gone. May be called twice. */
void cw_source_leave(struct cw_place *place);

void cw_source_init(void);
/* No place is taken any more. */
void cw_source_exit(void);

#endif
