/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A login of the client, for the files of this folder: login.c. All of it sleeps, in the work that
 * connects a path and holds its lock, or in a discovery, whose session no other thread knows.
 */
#ifndef CW_CLIENT_LOGIN_H
#define CW_CLIENT_LOGIN_H

#include "path.h"

/* A login on a link: the state that decides which answers are valid, and that proves them. */
struct cw_login {
	struct cw_hello hello;
	u64 features; /* agreed upon in CHALLENGE */
	u8 instance[CW_WIRE_UUID]; /* of the server's disk, from CHALLENGE */
	struct cw_auth auth; /* from CHALLENGE on */
	struct cw_wire_proof proof;
	bool proved; /* PROOF was sent */
	bool was_kept; /* cw_session.may_be_kept before that */
};

/**
 * cw_path_log_in() - logs in on the control link, from HELLO to WELCOME
 * @p: a path with a control link
 *
 * Context: Process context. Sleeps. p->lock is held. Takes s->lock.
 * Return: 0 if the server knows the session, otherwise -errno with p->reason; -EREMCHG: another
 * disk answers to the name; -EMEDIUMTYPE: the server grants less than the disk was made for.
 */
int cw_path_log_in(struct cw_path *p);
/**
 * cw_path_join() - joins a live session on the control link, from JOIN to JOINED
 * @p: a path with a control link
 *
 * Context: Process context. Sleeps. p->lock is held. Takes session->lock.
 * Return: 0, or -errno with p->reason; -EMEDIUMTYPE: the server grants less than the disk was made
 * for; -ENOTCONN: the session is not live, here or at the server.
 */
int cw_path_join(struct cw_path *p);
/**
 * cw_path_check_grants() - checks that a server grants what the disk was made for
 * @p: a path of a session that was live
 * @now: grants of WELCOME or JOINED
 * @logical_block: block size of the disk now, in bytes
 * @joins: true for JOINED, false for WELCOME
 *
 * Inline data may become less, see cw_reserve_area(), down to the page that the ranges of a discard
 * take.
 *
 * Context: Process context. May sleep. p->lock is held.
 * Return: 0, or -EMEDIUMTYPE with p->reason.
 */
int cw_path_check_grants(struct cw_path *p, const struct cw_path_grants *now, u32 logical_block,
			 bool joins);
/**
 * cw_path_send() - sends a control message
 * @p: a path with a control link
 * @type: CW_MSG_*
 * @data: data of the message, a struct in the form of the wire
 * @len: bytes of @data
 *
 * Context: Process context. May sleep. p->lock is held, or no other thread knows the session.
 * Return: 0, or the error of cw_link_send_control() with p->reason.
 */
int cw_path_send(struct cw_path *p, u8 type, const void *data, u32 len);
/**
 * cw_path_expect() - waits for a control message of one type
 * @p: a path with a control link
 * @login: the login; NULL for JOIN and for discovery, which waits as long as its caller asked for
 * @type: CW_MSG_*
 * @what: name of the message in the reason of an error
 *
 * Goes on waiting after each WAITING of the server.
 *
 * Context: Process context. Sleeps. p->lock is held, or no other thread knows the session.
 * Return: The message, which the caller frees by kfree(); or an ERR_PTR with p->reason: -EINTR: the
 * session closes; -ECONNRESET: the link died; -ETIMEDOUT: silence; -EPROTO: the server broke the
 * protocol; or the meaning of a REFUSED.
 */
struct cw_letter *cw_path_expect(struct cw_path *p, const struct cw_login *login, u8 type,
				 const char *what);

#endif
