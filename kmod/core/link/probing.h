/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * The rounds of the client's watch over the links of a path: when a silent link is probed, and when
 * it counts as dead.
 */
#ifndef CW_PROBING_H
#define CW_PROBING_H

#include "../wire/integers.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * In short rounds, a link is dead after so many rounds without a message (docs/PROTOCOL.md section
 * 9, rule 5).
 */
#define CW_PROBING_ROUNDS 8U

/* The silence of one link, as the rounds have seen it. */
struct cw_probing {
	unsigned long last; /* jiffies: the last message that the last round knew of */
	u16 rounds; /* in a row that brought nothing */
};

enum cw_probing_verdict {
	CW_PROBING_ALIVE, /* the link brought a message since the last round */
	CW_PROBING_ASK, /* send PROBE */
	CW_PROBING_DEAD,
};

/**
 * cw_probing_round() - judges a link at a round
 * @rounds: of this link: rounds in a row that brought nothing; 0 before the first one
 * @heard: a message arrived since the last round
 * @late: this host did not run in time, so the silence says nothing about the peer
 * @limit: rounds after which a silent link is dead, at least 1
 *
 * Context: Any context. The caller serialises the rounds of a link.
 * Return: What to do with the link.
 */
enum cw_probing_verdict cw_probing_round(u16 *rounds, bool heard, bool late, u32 limit);

/**
 * cw_probing_is_late() - checks whether a round began so late that its host must have stood still
 * @overdue: units of time since the round was due; 0 if it began early
 * @interval: time between two rounds, in the same units
 *
 * Context: Any context.
 * Return: True if the round began more than half of an interval after it was due.
 */
bool cw_probing_is_late(unsigned long overdue, unsigned long interval);

#ifdef __cplusplus
}
#endif

#endif
