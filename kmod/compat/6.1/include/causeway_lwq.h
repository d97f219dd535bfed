/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_6_1_LWQ_H
#define CAUSEWAY_6_1_LWQ_H

/*
 * Calls of a server to its client, on their way to the threads that answer them. Before Linux 6.7
 * they wait in a list of the service, sv_cb_list, under a lock beside it.
 */
#include <linux/list.h>
#include <linux/llist.h>

/**
 * lwq_enqueue() - append a call to the queue of a service, and wake a thread
 * @node: rq_bc_list of the call
 * @queue: sv_cb_list of the service
 *
 * The queue is a list before Linux 6.7. The threads sleep where only the service leads to, so this
 * function wakes them, and svc_pool_wake_idle_thread() does not.
 *
 * Context: Process context or softirq. Takes sv_cb_lock of the service.
 */
static inline void lwq_enqueue(struct list_head *node, struct list_head *queue)
{
	struct svc_serv *serv = container_of(queue, struct svc_serv, sv_cb_list);

	spin_lock_bh(&serv->sv_cb_lock);
	list_add_tail(node, queue);
	spin_unlock_bh(&serv->sv_cb_lock);
	wake_up(&serv->sv_cb_waitq);
}

/**
 * svc_pool_wake_idle_thread() - do nothing, because lwq_enqueue() wakes a thread before Linux 6.7
 * @pool: pool of threads
 *
 * Context: Any context.
 */
static inline void svc_pool_wake_idle_thread(struct svc_pool *pool)
{
}

/**
 * lwq_dequeue_all() - take all calls from the queue of a service
 * @queue: sv_cb_list of the service, a list before Linux 6.7
 *
 * The chain is made of the list's own pointers to the next node, which come first in a node of a
 * list, as in a node of an llist.
 *
 * Context: Process context or softirq. Takes sv_cb_lock of the service.
 * Return: The first node of the chain, or NULL.
 */
static inline struct llist_node *lwq_dequeue_all(struct list_head *queue)
{
	struct svc_serv *serv = container_of(queue, struct svc_serv, sv_cb_list);
	struct list_head *first = NULL;

	spin_lock_bh(&serv->sv_cb_lock);
	if (!list_empty(queue)) {
		first = queue->next;
		queue->prev->next = NULL;
		INIT_LIST_HEAD(queue);
	}
	spin_unlock_bh(&serv->sv_cb_lock);
	return (struct llist_node *)first;
}

/**
 * lwq_for_each_safe() - go through a chain; the body may free each entry or queue it again
 * @entry: entry. The body sets it to NULL if the entry is not in the chain any more.
 * @at: variable for the place of the pointer to the entry's node
 * @after: variable for the next node
 * @first: pointer to the first node, as lwq_dequeue_all() returned it
 * @member: the node in an entry
 *
 * Linux before 6.7 lacks it.
 *
 * Context: Any context.
 */
#define lwq_for_each_safe(entry, at, after, first, member)			\
	for (at = (first);							\
	     *(at) ? (entry = container_of((struct list_head *)*(at), typeof(*(entry)), member), \
		      after = (*(at))->next, true) : false;			\
	     (entry) ? (at = (struct llist_node **)&(entry)->member.next, 0) :	\
		       (*(at) = (after), 0))

#endif /* CAUSEWAY_6_1_LWQ_H */
