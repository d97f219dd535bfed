/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A path of a session: one connection to the server, which is a control link and data links.
 *
 * A path holds everything that ends with its connection, and the memory that its links are made of.
 * The session holds what outlives a connection: what the user asked for, what the server knows of
 * the session, and the state that users see. A path lives as long as its session. Links point to
 * their path, and are drained and freed before the session goes.
 */
#ifndef CW_CLIENT_PATH_H
#define CW_CLIENT_PATH_H

#include "session.h"

/* The values that WELCOME grants to the links of a path. */
struct cw_path_grants {
	u32 number; /* of the session at the server */
	u16 queues, depth;
	u32 inline_size, max_io; /* bytes */
	u32 export_id;
	u32 probe_ms, dead_ms;
	u16 area; /* pages of data in a message that the server takes */
	u16 messages; /* with records that the server takes at once */
	u64 features; /* agreed upon */
};

struct cw_path {
	struct cw_session *session;
	const struct cw_link_factory *factory; /* of its links */
	struct sockaddr_storage address;
	struct sockaddr_storage local; /* ss_family 0: any */

	/* Under session->lock, but for what is marked. */
	struct cw_link *control;
	struct cw_link *links[CW_WIRE_QUEUES_MAX];
	unsigned int nr_links; /* stable between up() and stop() */
	struct cw_reserve reserve; /* what links were made of, while there are none */
	u16 area; /* pages of data in a message that the last login said we take */
	struct cw_path_grants grants; /* of the last login that was accepted */
	struct cw_wire_req wire_req; /* of the control link, as sent */
	struct cw_wire_rep wire_rep; /* as received */
	unsigned long asked_at; /* jiffies: of the last PROBE of the control link */
	const char *kicked; /* why a caller gave the connection up; any context */
	char device[64];
	u8 device_port;
	struct sockaddr_storage local_address, peer_address;
	struct cw_stats past; /* of links that are gone */
	/* Read under either lock: past, and links, which are not freed meanwhile. */
	struct mutex stats_lock;
	spinlock_t making_lock; /* irqsave: making */
	struct cw_link *making; /* being connected, not in control or links yet */
	unsigned long flags; /* CW_PATH_*, any context */

	struct cw_inbox inbox;
	/* Woken by a control message, the death of the control link, and CW_SESSION_CLOSE. */
	wait_queue_head_t arrived;
};

enum {
	CW_PATH_LOST, /* a link died: tear down */
};

/* The path of a client's link. Any context. */
static inline struct cw_path *cw_link_path(const struct cw_link *link)
{
	return link->owner;
}

/* ---- inside the core: path.c ---- */

/*
 * Makes a path of @s to @address, from @local (ss_family 0: any), without a connection. Returns
 * NULL if there is no memory. May sleep.
 */
struct cw_path *cw_path_create(struct cw_session *s, const struct sockaddr_storage *address,
			       const struct sockaddr_storage *local);
/* Frees a path without links, or NULL. May sleep. */
void cw_path_free(struct cw_path *p);
/* cw_link_config.making of a path's links: the end of the session interrupts the attempt. */
void cw_path_making(void *path, struct cw_link *link);
/*
 * Ends every wait of an attempt to connect. The caller has set CW_SESSION_CLOSE, so a link that is
 * made from now on is killed at once. Any context.
 */
void cw_path_interrupt(struct cw_path *p);
/* True if no command is outstanding: only then a session ends in order. session->lock is held. */
bool cw_path_is_idle(const struct cw_path *p);
/* Frees all links. session->lock is held. Sleeps. */
void cw_path_free_links(struct cw_path *p);
/* Stores in the session why the connection was lost. session->lock is held. May sleep. */
void cw_path_find_reason(struct cw_path *p);
/*
 * Stops the disk, drains all links, lets the disk take back its unanswered requests, and frees the
 * links. session->lock is held. Sleeps.
 */
void cw_path_tear_down(struct cw_path *p);
/* Frees the messages and the memory that the path keeps without a connection. May sleep. */
void cw_path_empty(struct cw_path *p);

/* ---- inside the core: connect.c ---- */

/*
 * Makes control link, login and data links. 0, or -errno with s->reason. session->lock is held.
 * Sleeps.
 */
int cw_path_connect(struct cw_path *p);
/* Makes the control link alone, in p->control. 0, or -errno with s->reason. Sleeps; no lock. */
int cw_path_connect_control(struct cw_path *p);

/* ---- inside the core: control_link.c; the functions sleep ---- */

extern const struct cw_link_handler cw_client_control_handler;
/*
 * Waits for a control message, and sends PROBE meanwhile. NULL when the link died, nothing at all
 * arrived on it for @patience_ms, or the session closes. kfree() it.
 */
struct cw_letter *cw_path_receive(struct cw_path *p, u32 patience_ms);
/*
 * Returns for how many ms the control link has been silent. Counts from @since (jiffies) at the
 * earliest.
 */
u32 cw_path_silence(const struct cw_path *p, unsigned long since);
/*
 * Sends one PROBE every 1.5 s, even if messages come in between. Returns the jiffies until the next
 * one. One caller at a time.
 */
long cw_path_ask(struct cw_path *p);
/*
 * Handles the control messages of a live path, or of one that ends. True: one was FAREWELL.
 * session->lock is held.
 */
bool cw_path_take_letters(struct cw_path *p);

#endif
