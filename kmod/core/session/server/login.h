/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The messages of a client on the control link, as the server answers them (docs/PROTOCOL.md): the
 * login of a session, the JOIN of a further path, and FENCE.
 */
#ifndef CW_SERVER_LOGIN_H
#define CW_SERVER_LOGIN_H

#include "session.h"

/* login.c */
/**
 * cw_server_login_work() - answers the control messages of a session in order
 * @work: &cw_server_session.login
 *
 * Context: Process context: work. May sleep.
 */
void cw_server_login_work(struct work_struct *work);
/**
 * cw_login_refuse() - sends REFUSED, proved when PROOF came before, and has the session end
 * @s: session
 * @reason: reason for the client
 * @newest: the epoch for STALE, or 0
 * @fmt: text for people
 *
 * Context: Process context. Takes cw_server_lock.
 */
__printf(4, 5) void cw_login_refuse(struct cw_server_session *s, u16 reason, u64 newest,
				    const char *fmt, ...);
/**
 * cw_login_malformed() - kills the control link of a client that broke the protocol
 * @s: session
 * @type: type of the bad message
 *
 * Context: Any context.
 */
void cw_login_malformed(struct cw_server_session *s, u8 type);
/**
 * cw_login_check() - answers a message of a login that its parser did not accept
 * @s: session
 * @type: type of the message
 * @parsed: result of the parser
 *
 * Refuses a message of another version of the protocol. Any other fault kills the control link.
 *
 * Context: Process context. Takes cw_server_lock.
 * Return: True if the parser accepted the message.
 */
bool cw_login_check(struct cw_server_session *s, u8 type, int parsed);
/**
 * cw_login_check_client() - refuses a client if its address or transport is not allowed
 * @s: session; its export was found
 *
 * Context: Process context. Takes cw_server_lock.
 * Return: True if the export allows the address and is served over the transport.
 */
bool cw_login_check_client(struct cw_server_session *s);
/**
 * cw_login_describe_member() - sets what a login and a JOIN both have as members of the admission
 * @s: session; s->hello and the granted times are set
 *
 * Sets the owner, the path, the epoch and the times of s->member.
 *
 * Context: Process context: the login work.
 */
void cw_login_describe_member(struct cw_server_session *s);
/**
 * cw_login_find_export() - finds the export that s->hello names, and joins its sessions
 * @s: session
 *
 * Context: Process context. Takes cw_server_lock.
 * Return: 0; -ENOENT: there is none; -ESHUTDOWN: the session is ending.
 */
int cw_login_find_export(struct cw_server_session *s);
/**
 * cw_login_grant() - sets the times and the number of data links that the client will be granted
 * @s: session
 *
 * Context: Any context.
 */
void cw_login_grant(struct cw_server_session *s);
/**
 * cw_login_waits() - has the watch report what a login waits for, until the admission decides
 * @s: session that entered the admission
 *
 * Context: Process context.
 */
void cw_login_waits(struct cw_server_session *s);
/**
 * cw_login_welcome() - lets a session in: LIVE, and WELCOME or JOINED
 * @s: session
 *
 * Context: Process context, under the lock of the admission. Takes cw_server_lock.
 */
void cw_login_welcome(struct cw_server_session *s);
/**
 * cw_login_dead_ms() - returns the detection time that a login would be granted now
 *
 * Context: Any context.
 * Return: The time, in milliseconds.
 */
u32 cw_login_dead_ms(void);

/* join.c */
/**
 * cw_join_take() - handles JOIN
 * @s: session of the path
 * @letter: message
 *
 * Context: Process context: the login work. May sleep.
 */
void cw_join_take(struct cw_server_session *s, const struct cw_letter *letter);
/**
 * cw_join_refuse_not_live() - refuses JOIN: its session is unknown, not live or wrongly proved
 * @s: session of the path
 *
 * Context: Process context. Takes cw_server_lock.
 */
void cw_join_refuse_not_live(struct cw_server_session *s);
/**
 * cw_join_pack_joined() - packs JOINED as it is sent, with its MAC
 * @s: session of the path
 * @wire: set
 *
 * Context: Process context, under cw_server_lock.
 * Return: 0 or -errno.
 */
int cw_join_pack_joined(struct cw_server_session *s, struct cw_wire_joined *wire);
/**
 * cw_join_send_notice() - sends the NOTICE that the path has missed, if there is one
 * @s: session of the path, to which JOINED was sent
 *
 * Context: Process context, under cw_server_lock.
 */
void cw_join_send_notice(struct cw_server_session *s);

/* fence.c */
/**
 * cw_fence_take() - handles FENCE
 * @s: session on whose control link FENCE arrived
 * @letter: message
 *
 * Context: Process context: the login work. Takes the lock of the admission.
 */
void cw_fence_take(struct cw_server_session *s, const struct cw_letter *letter);
/**
 * cw_fence_take_path_bye() - handles PATH_BYE
 * @s: session on whose control link PATH_BYE arrived
 * @letter: message
 *
 * Context: Process context: the login work. Takes the lock of the admission.
 */
void cw_fence_take_path_bye(struct cw_server_session *s, const struct cw_letter *letter);
/**
 * cw_fence_answer() - sends FENCED, or ends the session
 * @s: session on whose control link FENCE arrived
 * @path: of FENCE
 * @epoch: of FENCE
 *
 * Context: Process context, under the lock of the admission. Takes cw_server_lock.
 */
void cw_fence_answer(struct cw_server_session *s, u8 path, u64 epoch);
/**
 * cw_fence_watch() - reports what FENCEs wait for, and repeats that while one is unanswered
 * @work: &cw_server_session.fences
 *
 * Context: Process context: work. Takes cw_server_lock.
 */
void cw_fence_watch(struct work_struct *work);

/* login_limits.c */
/**
 * cw_login_is_limited() - checks whether a limit of the server forbids a login now
 * @s: session
 *
 * Context: Process context, under the lock of the admission. Takes cw_server_lock.
 * Return: True if a limit forbids the login; it is in s->limit then.
 */
bool cw_login_is_limited(struct cw_server_session *s);
/**
 * cw_login_refuse_limit() - refuses a login for the limit in s->limit
 * @s: session
 *
 * Context: Process context, under the lock of the admission. Takes cw_server_lock.
 */
void cw_login_refuse_limit(struct cw_server_session *s);
/**
 * cw_login_queues() - returns the number of data links that a session gets at most
 * @s: session; its hello was read
 *
 * Context: Any context.
 * Return: The number.
 */
u16 cw_login_queues(const struct cw_server_session *s);

#endif
