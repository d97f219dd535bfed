/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Proofs of a shared key (docs/PROTOCOL.md section 4). Process context.
 */
#ifndef CW_AUTH_H
#define CW_AUTH_H

#include "../../include/wire/causeway_wire.h"

struct cw_key {
	u8 bytes[64];
	size_t len; /* 0: none, MACs are zero, the secret is made with 32 zero bytes */
};

struct cw_login_macs {
	u8 client[CW_WIRE_MAC];
	u8 server[CW_WIRE_MAC];
	u8 secret[CW_WIRE_MAC]; /* of the session */
};

int cw_auth_macs(const struct cw_key *key, const struct cw_wire_hello *hello,
		 const struct cw_wire_challenge *challenge, struct cw_login_macs *out);
/* What a data link's request must carry. */
int cw_auth_token(const u8 secret[CW_WIRE_MAC], u32 session, u8 kind, u16 index,
		  u8 token[CW_WIRE_TOKEN]);
/* Constant time. */
bool cw_auth_equal(const u8 *a, const u8 *b, size_t len);

#endif
