/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A login of the client, for the files of this folder: login.c. All of it sleeps, in the work of a
 * session with s->lock held, or in a discovery, whose session no other thread knows.
 */
#ifndef CW_CLIENT_LOGIN_H
#define CW_CLIENT_LOGIN_H

#include "path.h"

/* A login on a link: the state that decides which answers are valid, and that proves them. */
struct cw_login {
	struct cw_hello hello;
	u64 features; /* agreed upon in CHALLENGE */
	struct cw_auth auth; /* from CHALLENGE on */
	struct cw_wire_proof proof;
	bool proved; /* PROOF was sent */
	bool was_kept; /* cw_session.may_be_kept before that */
};

/*
 * Logs in on the control link, from HELLO to WELCOME. Returns 0 if the server knows the session,
 * otherwise -errno with s->reason.
 */
int cw_path_log_in(struct cw_path *p, struct cw_login *login);
/* Sends a control message of @len bytes. 0, or -errno with s->reason. */
int cw_path_send(struct cw_path *p, u8 type, const void *data, u32 len);
/*
 * Waits for a control message of type @type, which the caller frees by kfree(). On failure, returns
 * an ERR_PTR and sets s->reason. @login is NULL for discovery, which waits as long as its caller
 * asked for.
 */
struct cw_letter *cw_path_expect(struct cw_path *p, const struct cw_login *login, u8 type,
				 const char *what);

#endif
