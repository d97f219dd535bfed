/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls and replies that are registered as a whole: their pieces, and their own pages. */
#ifndef CWRC_WHOLE_H
#define CWRC_WHOLE_H

#include "chunks.h"

/*
 * Allocates own pages for heads and tails, and fills those of the call. @call has none yet, and is
 * whole or has a whole reply. May sleep.
 */
int cwrc_whole_prepare(struct cwrc_call *call, const struct rpc_rqst *rqst, bool whole_call,
		       bool whole_reply);
/* Describes @buf; head and tail are in @own pages. Returns up to CWRC_PIECES pieces. */
u32 cwrc_whole_pieces(const struct xdr_buf *buf, struct page **own, struct cwrc_piece *piece);
/*
 * Copies @len bytes between @vec and @own pages, at @offset in them or at the position of a head;
 * @in: to @vec.
 */
void cwrc_copy_own(struct page **own, u32 offset, const struct kvec *vec, u32 len, bool in);
void cwrc_copy_head(struct page **own, const struct kvec *head, u32 len, bool in);

#endif
