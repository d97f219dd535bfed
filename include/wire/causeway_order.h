/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * The order of messages on a control link (docs/PROTOCOL.md, section 3, rules 14 to 16).
 *
 * Pure functions: no allocation, no global state, any context.
 */
#ifndef CAUSEWAY_ORDER_H
#define CAUSEWAY_ORDER_H

#include "causeway_parse.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The types of messages sent on a control link so far: bit n for type n. Each end sets the bits of
 * one half when it sends, and of the other half when it receives. Zeroed before the first message.
 */
struct cw_order {
	u32 from_client, from_server;
	u32 asked; /* number of DISCOVER messages, modulo 2^32 */
	u32 listed; /* number of EXPORTS messages, modulo 2^32 */
	/*
	 * The numbers of FENCE and of FENCED messages, modulo 2^32. One FENCED may answer several
	 * FENCEs, so the second number may stay behind when each FENCE has its answer.
	 */
	u32 fences, fenced;
};

/**
 * cw_order_note() - notes that this end has sent or received a message
 * @order: of the link
 * @type: enum cw_wire_type
 * @from_client: the sender is the client
 *
 * Context: Any context.
 */
void cw_order_note(struct cw_order *order, u8 type, bool from_client);
/**
 * cw_order_allows() - checks whether the client, or the server, may send a message of this type
 * next
 * @order: of the link
 * @type: enum cw_wire_type
 * @from_client: the sender is the client
 *
 * Context: Any context.
 * Return: true if it may.
 */
bool cw_order_allows(const struct cw_order *order, u8 type, bool from_client);

#ifdef __cplusplus
}
#endif

#endif
