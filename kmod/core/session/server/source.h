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

/**
 * cw_source_enter() - takes a place for a connection
 * @place: set
 * @peer: address of the client
 *
 * Context: Process context. May sleep for memory.
 * Return: False if no place is free, or no memory.
 */
bool cw_source_enter(struct cw_place *place, const struct sockaddr_storage *peer);
/**
 * cw_source_knows() - checks whether an address is known
 * @peer: address of a client
 *
 * Context: Process context.
 * Return: True if the address has a session, or had one within a day.
 */
bool cw_source_knows(const struct sockaddr_storage *peer);
/**
 * cw_source_admitted() - no longer counts a connection, whose client has proved itself
 * @place: place of the connection
 *
 * Context: Process context.
 */
void cw_source_admitted(struct cw_place *place);
/**
 * cw_source_live() - makes the address of a session that is live known
 * @place: place of the connection
 *
 * Context: Process context.
 */
void cw_source_live(struct cw_place *place);
/**
 * cw_source_leave() - gives back the place of a connection that has ended
 * @place: place of the connection
 *
 * May be called twice.
 *
 * Context: Process context.
 */
void cw_source_leave(struct cw_place *place);

/**
 * cw_source_init() - draws the seed of the hash of addresses
 *
 * Context: Process context, when the module is loaded.
 */
void cw_source_init(void);
/**
 * cw_source_exit() - frees the entries of addresses; no place is taken any more
 *
 * Context: Process context, when the module is unloaded.
 */
void cw_source_exit(void);

#endif
