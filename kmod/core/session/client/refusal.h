/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * The meaning of a REFUSED for the client (docs/PROTOCOL.md section 4 rule 19, section 5 rules 20
 * and 22). A party that can refuse a session for good can take a disk away, so the client believes
 * only a refusal that is proved.
 */
#ifndef CW_REFUSAL_H
#define CW_REFUSAL_H

#include "../../../../include/wire/causeway_wire.h"
#include "../../wire/integers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The identity in REFUSED, compared with the one of the client's disk. */
enum cw_refusal_identity {
	CW_IDENTITY_ZERO,
	CW_IDENTITY_SAME,
	CW_IDENTITY_OTHER, /* also if the client has no disk yet */
};

enum cw_refusal_meaning {
	CW_REFUSAL_FAILED, /* the attempt failed, and the next one may succeed */
	CW_REFUSAL_FINAL, /* the session has lost its disk for good */
	CW_REFUSAL_END_ATTACH, /* the attach can never succeed */
	CW_REFUSAL_ANOTHER_DISK, /* another disk answers to the name */
};

struct cw_refusal {
	u16 reason; /* enum cw_wire_refusal; any number */
	bool returning; /* HELLO was RETURNING */
	bool after_proof; /* the client had sent PROOF */
	bool proved; /* the MAC is right; without a key, it is zero */
	enum cw_refusal_identity identity;
};

/**
 * cw_refusal_means() - returns what a REFUSED means for the client
 * @refusal: the refusal, and the state of the login that it answers
 *
 * Each refusal without a proof, or before PROOF, is CW_REFUSAL_FAILED.
 *
 * Context: Any context.
 * Return: The meaning.
 */
enum cw_refusal_meaning cw_refusal_means(const struct cw_refusal *refusal);

/**
 * cw_is_another_disk() - compares the identity in WELCOME with the one that the client knows
 * @known: of the disk of the session, or of the disk that the user wants; zero: none is known
 * @identity: in WELCOME
 *
 * Context: Any context.
 * Return: true if the client knows an identity, and @identity is another one.
 */
bool cw_is_another_disk(const u8 known[CW_WIRE_UUID], const u8 identity[CW_WIRE_UUID]);

#ifdef __cplusplus
}
#endif

#endif
