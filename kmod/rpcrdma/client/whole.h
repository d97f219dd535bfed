/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls and replies that are registered as a whole: their pieces, and their own pages. */
#ifndef CWRC_WHOLE_H
#define CWRC_WHOLE_H

#include "chunks.h"

/**
 * cwrc_whole_prepare() - allocates own pages for heads and tails, and fills those of the call
 * @call: call without own pages
 * @rqst: its request
 * @whole_call: the call is registered as a whole
 * @whole_reply: the reply is registered as a whole
 *
 * At least one of @whole_call and @whole_reply is true.
 *
 * Context: Process context. May sleep. The transport is held.
 * Return: 0, or -ENOBUFS if there is no memory.
 */
int cwrc_whole_prepare(struct cwrc_call *call, const struct rpc_rqst *rqst, bool whole_call,
		       bool whole_reply);

/**
 * cwrc_whole_pieces() - describes a buffer whose head and tail are in own pages
 * @buf: buffer of SunRPC
 * @own: own pages for its head, then for its tail
 * @piece: filled with up to CWRC_PIECES pieces
 *
 * Context: Any context.
 * Return: The number of pieces.
 */
u32 cwrc_whole_pieces(const struct xdr_buf *buf, struct page **own, struct cwrc_piece *piece);

/**
 * cwrc_copy_own() - copies bytes between memory and own pages
 * @own: own pages
 * @offset: offset in the own pages, in bytes
 * @vec: memory
 * @len: bytes to copy
 * @in: copy to @vec; otherwise copy from it
 *
 * Context: Any context.
 */
void cwrc_copy_own(struct page **own, u32 offset, const struct kvec *vec, u32 len, bool in);

/**
 * cwrc_copy_head() - copies bytes between a head and its own pages
 * @own: own pages, at whose end the head ends
 * @head: head
 * @len: bytes to copy, from the start of the head
 * @in: copy to @head; otherwise copy from it
 *
 * Context: Any context.
 */
void cwrc_copy_head(struct page **own, const struct kvec *head, u32 len, bool in);

#endif
