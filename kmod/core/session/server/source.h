/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses that connections come from, and places for those that have not logged in.
 *
 * The server takes a place for a connection before it allocates anything for the connection. An
 * address is known if it has a session, or had one within a day. Each address may have
 * max_strangers_host places. All unknown addresses together may have max_strangers places, and all
 * known ones as many, so a flood from unknown addresses takes no place from a known one.
 */
#ifndef CW_SOURCE_H
#define CW_SOURCE_H

#include <linux/socket.h>
#include <linux/types.h>

struct cw_source;

/* The place of one connection. */
struct cw_place {
	struct cw_source *source; /* the entry of its address; NULL: no place */
	bool waits; /* the connection has not logged in, and counts for the bounds */
	bool known; /* the place counts among those of known addresses */
	bool live; /* the connection has a session */
};

/* Takes a place for a connection from @peer. False: none is free. May sleep for memory. */
bool cw_source_enter(struct cw_place *place, const struct sockaddr_storage *peer);
/* The client has proved itself: the connection no longer counts. Process context, as for all. */
void cw_source_admitted(struct cw_place *place);
/* The session is live: the address is known from now on. */
void cw_source_live(struct cw_place *place);
/* The connection has ended: gives the place back. May be called twice. */
void cw_source_leave(struct cw_place *place);

void cw_source_init(void);
/* No place is taken any more. */
void cw_source_exit(void);

#endif
