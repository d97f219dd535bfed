/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory of commands with a transfer (transfer.c), and its bounds (transfer_memory.c).
 */
#ifndef CWT_TRANSFER_H
#define CWT_TRANSFER_H

#include <linux/bvec.h>
#include <linux/rcupdate.h>
#include <linux/scatterlist.h>
#include <linux/types.h>

struct cw_transfer;
struct cw_link;
struct cwt_command;
struct cwt_export;
struct cwt_link;
struct cwt_share;

/* ---- transfers: transfer.c ---- */

struct cwt_transfer {
	struct cwt_link *tl;
	struct cwt_command *command; /* valid while the data is being fetched */
	struct cw_transfer *rdma; /* NULL once the fetch has begun or a message owns it */
	u32 shared; /* bytes counted in the client's share */
	u32 budgeted; /* bytes counted in the global budget */
	bool counted; /* in tl->transfers */
	bool in_place; /* the pages belong to the backend */
	bool spare; /* it is the reserve of the export */
	u16 nvecs, room;
	struct bio_vec *vecs;
	struct rcu_head rcu;
	struct scatterlist sgl[];
};

/**
 * cwt_transfer_start() - gets memory for a command with a transfer and continues it, or parks it
 * @c: the command; it may be gone on return
 *
 * Context: The worker of the link.
 */
void cwt_transfer_start(struct cwt_command *c);
/**
 * cwt_transfer_bounce() - copies inline data to aligned memory
 * @tl: the link
 * @data: the data, at an address that the device cannot use
 * @len: its bytes
 *
 * Context: The worker of the link.
 * Return: a transfer that was not prepared, or NULL.
 */
struct cwt_transfer *cwt_transfer_bounce(struct cwt_link *tl, const void *data, u32 len);
/**
 * cwt_transfer_free() - frees a transfer and its memory, and returns its room
 * @t: the transfer; its rdma was freed or passed on before
 *
 * Context: Any context.
 */
void cwt_transfer_free(struct cwt_transfer *t);

/* ---- bounds of that memory: transfer_memory.c ---- */

/**
 * cwt_share_get() - finds or makes the share of the client at the other end of a link
 * @link: the link
 *
 * Context: Process context. May sleep. Takes the mutex of the shares.
 * Return: the share, for cwt_share_put(), or NULL if memory is short.
 */
struct cwt_share *cwt_share_get(struct cw_link *link);
/**
 * cwt_share_put() - releases a share; the last link of the client frees it
 * @share: from cwt_share_get(); may be NULL
 *
 * Context: Process context. May sleep. Takes the mutex of the shares.
 */
void cwt_share_put(struct cwt_share *share);

/* The source of the memory of a command. */
enum cwt_room {
	CWT_ROOM_IN_BUDGET, /* counted in the share and in the budget; the caller allocates it */
	CWT_ROOM_IN_RESERVE, /* the reserve; counted in the share */
	CWT_ROOM_NOT_IN_SHARE, /* @tl is kicked when its client has returned a part */
	CWT_ROOM_NONE, /* @tl is kicked when any client has returned a part */
};

/**
 * cwt_memory_take() - counts the memory of a command in all bounds
 * @tl: the link
 * @len: bytes, at most CWT_IO_MAX
 * @reserve: set to the reserve as a transfer of @tl, if the result is CWT_ROOM_IN_RESERVE
 *
 * The reserve of the export serves a client that has no other transfer.
 * Context: Any context. Takes cwt_memory_lock.
 * Return: the source of the memory, or the bound that is reached; then @tl waits for a kick.
 */
enum cwt_room cwt_memory_take(struct cwt_link *tl, u32 len, struct cwt_transfer **reserve);
/**
 * cwt_memory_swap() - takes the reserve instead of room in the budget without free memory
 * @tl: the link
 * @len: bytes, as in cwt_memory_take()
 *
 * Context: Any context. Takes cwt_memory_lock.
 * Return: the reserve as a transfer of @tl, or NULL.
 */
struct cwt_transfer *cwt_memory_swap(struct cwt_link *tl, u32 len);
/**
 * cwt_memory_give() - returns the room of a transfer in the budget and the share, and the reserve
 * @t: the transfer; if it is the reserve, another command may own it on return
 *
 * Context: Any context. Takes cwt_memory_lock.
 */
void cwt_memory_give(struct cwt_transfer *t);
/**
 * cwt_memory_forget() - takes a link off all lists of waiters
 * @tl: the link
 *
 * Context: Any context. Takes cwt_memory_lock.
 */
void cwt_memory_forget(struct cwt_link *tl);

/**
 * cwt_reserve_make() - allocates the reserve of an export
 * @e: the export; its reserve is set
 *
 * Context: Process context. May sleep.
 * Return: 0 or -ENOMEM.
 */
int cwt_reserve_make(struct cwt_export *e);
/**
 * cwt_reserve_free() - frees the reserve of an export, if it has one
 * @e: the export; no transfer of it is in flight
 *
 * Context: Process context. May sleep.
 */
void cwt_reserve_free(struct cwt_export *e);
/**
 * cwt_memory_init() - sets the budget from the parameter bulk_mib and the memory of the machine
 *
 * Context: Process context, at module init.
 */
void cwt_memory_init(void);

#endif
