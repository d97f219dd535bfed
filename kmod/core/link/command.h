/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The client's end of a data link: commands, and memory that the peer reads or writes.
 */
#ifndef CW_LINK_COMMAND_H
#define CW_LINK_COMMAND_H

#include "link.h"
#include "slots.h"

/**
 * cw_link_command() - add a command to the message being gathered
 * @link: data link
 * @cmd: command. This function sets @cmd->data_off.
 * @map: memory of the command, mapped by cw_link_map(), or NULL
 * @bio: inline data of a write, @cmd->data_len bytes in it and in the bios chained by bi_next
 * @ranges: inline data of another command, @cmd->data_len bytes, or NULL
 * @last: send the message now
 * @waiter: request that waits for the answer. It is in the slot @cmd->slot before the message can
 * be sent, until cw_link_take_waiter() or cw_link_collect() takes it.
 *
 * The data is copied.
 *
 * Context: Any context. Takes tx_lock.
 * Return: 0; -EAGAIN if no memory to send from is free, and then handler->room() will be called;
 * -ENOTCONN if the link is dead. After an error nothing was taken.
 */
int cw_link_command(struct cw_link *link, struct cw_cmd *cmd, struct cw_map *map,
		    struct bio *bio, const void *ranges, bool last, void *waiter);

/**
 * cw_link_flush() - send the message being gathered
 * @link: data link; there may be no such message
 *
 * Context: Any context. Takes tx_lock.
 */
void cw_link_flush(struct cw_link *link);

/**
 * cw_link_waits() - check whether commands wait for their answers
 * @link: data link
 *
 * Context: Any context. The result is exact if no other thread gives commands meanwhile.
 * Return: True if an answer is missing.
 */
static inline bool cw_link_waits(const struct cw_link *link)
{
	return READ_ONCE(link->commands) != READ_ONCE(link->answers);
}

/**
 * cw_link_map() - register memory for the peer
 * @link: data link
 * @map: memory. This function sets its rkey and addr.
 *
 * The registration is posted with the command that cw_link_command() gets with @map.
 *
 * Context: Any context.
 * Return: 0, -EAGAIN if no memory region is free, or another -errno.
 */
static inline int cw_link_map(struct cw_link *link, struct cw_map *map)
{
	return link->ops->map(link, map);
}

/**
 * cw_link_unmap() - end the registration of memory
 * @link: data link
 * @map: memory that cw_link_map() registered
 * @invalidated: the peer has invalidated the rkey, which the caller has compared
 *
 * Context: Any context.
 * Return: 0 if the peer cannot access the memory any more; -EINPROGRESS if @map->unmapped() will be
 * called when this is so.
 */
static inline int cw_link_unmap(struct cw_link *link, struct cw_map *map, bool invalidated)
{
	return link->ops->unmap(link, map, invalidated);
}

/**
 * cw_link_moved() - check whether the data of a command has been transferred
 * @link: data link
 * @map: memory that cw_link_map() registered
 * @succeeded: the completion of the command reports success
 *
 * Only a transport without an adapter knows.
 *
 * Context: Receive context of the link.
 * Return: False if the server must not have sent the completion.
 */
static inline bool cw_link_moved(struct cw_link *link, const struct cw_map *map, bool succeeded)
{
	return !link->ops->moved || link->ops->moved(link, map, succeeded);
}

/**
 * cw_link_slot() - find the slot of the command that a completion answers
 * @link: data link
 * @slot: slot in the completion
 *
 * A bare write is named by its ordinal, and the link knows its slot. The caller asks once for each
 * completion.
 *
 * Context: Receive context of the link.
 * Return: The slot, or -EPROTO if no such bare write waits.
 */
int cw_link_slot(struct cw_link *link, u16 slot);

/**
 * cw_link_waiter() - get the request that waits for the answer of a slot
 * @link: data link
 * @slot: slot, from cw_link_slot()
 *
 * Context: Receive context of the link.
 * Return: The waiter, or NULL if there is none or if no message with its command was sent.
 */
static inline void *cw_link_waiter(const struct cw_link *link, u16 slot)
{
	return cw_slot_waiter(&link->slots[slot], &link->tx_messages);
}

/**
 * cw_link_take_waiter() - take the right to end the request of a slot
 * @link: data link
 * @slot: slot, from cw_link_slot()
 * @waiter: from cw_link_waiter()
 *
 * Context: Receive context of the link.
 * Return: True if the caller must end the request, and nothing else ends it.
 */
static inline bool cw_link_take_waiter(struct cw_link *link, u16 slot, void *waiter)
{
	return cw_slot_take(&link->slots[slot], waiter);
}

/**
 * cw_link_collect() - take every request that had no answer
 * @link: data link that was drained
 * @each: called for each of them, and must end or requeue it
 *
 * A slot is set under tx_lock by a caller that saw the link alive. cw_link_drain() takes tx_lock
 * after the death of the link, so every slot that was set is visible here, and no slot is set
 * later.
 *
 * Context: Process context, after cw_link_drain().
 * Return: The number of requests.
 */
unsigned int cw_link_collect(struct cw_link *link,
			     void (*each)(struct cw_link *link, void *waiter));

/**
 * cw_link_poll() - receive the messages that have arrived
 * @link: data link that is polled
 *
 * The handler is called from here. One thread at a time polls a link. The disk polls in an RCU
 * section in which it found the path of the link; the watch of the session polls under the lock of
 * the session. Both have ended before the link is drained.
 *
 * Context: Process context or softirq.
 * Return: Number of completions that were processed; 0 if another thread is polling.
 */
static inline int cw_link_poll(struct cw_link *link)
{
	return link->ops->poll(link);
}

#endif
