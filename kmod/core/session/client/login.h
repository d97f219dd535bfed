/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A login of the client, for the files of this folder: login.c. All of it sleeps, in the work of a
 * session with s->lock held, or in a discovery, whose session no other thread knows.
 */
#ifndef CW_CLIENT_LOGIN_H
#define CW_CLIENT_LOGIN_H

#include "path.h"

/* What a login on this link may be answered with, and how that is proved. */
struct cw_login {
	struct cw_hello hello;
	u64 features; /* agreed upon in CHALLENGE */
	struct cw_auth auth; /* from CHALLENGE on */
	struct cw_wire_proof proof;
	bool proved; /* PROOF was sent */
	bool was_kept; /* cw_session.may_be_kept before that */
};

/*
 * HELLO to WELCOME, on the control link. 0: the server knows the session. Otherwise -errno, with
 * s->reason.
 */
int cw_path_log_in(struct cw_path *p, struct cw_login *login);
/* Sends a control message of @len bytes. 0, or -errno with s->reason. */
int cw_path_send(struct cw_path *p, u8 type, const void *data, u32 len);
/*
 * A control message of type @type; what else may come is the reason of a failure. @login is NULL
 * for discovery, which has the patience that its caller asked for. ERR_PTR with s->reason; kfree()
 * it.
 */
struct cw_letter *cw_path_expect(struct cw_path *p, const struct cw_login *login, u8 type,
				 const char *what);

#endif
