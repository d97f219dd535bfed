/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_6_1_LWQ_H
#define CAUSEWAY_6_1_LWQ_H

/*
 * Calls of a server to its client, on their way to the threads that answer them. Before Linux 6.7
 * they wait in a list of the service, sv_cb_list, under a lock beside it.
 */
#include <linux/list.h>
#include <linux/llist.h>

/* The threads of a service sleep where only the service leads to, so they are woken here. */
static inline void lwq_enqueue(struct list_head *node, struct list_head *queue)
{
	struct svc_serv *serv = container_of(queue, struct svc_serv, sv_cb_list);

	spin_lock_bh(&serv->sv_cb_lock);
	list_add_tail(node, queue);
	spin_unlock_bh(&serv->sv_cb_lock);
	wake_up(&serv->sv_cb_waitq);
}

static inline void svc_pool_wake_idle_thread(struct svc_pool *pool)
{
}

/* A chain of the list's own pointers to the next, which begin a node as they do in an llist. */
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

#define lwq_for_each_safe(entry, at, after, first, member)			\
	for (at = (first);							\
	     *(at) ? (entry = container_of((struct list_head *)*(at), typeof(*(entry)), member), \
		      after = (*(at))->next, true) : false;			\
	     (entry) ? (at = (struct llist_node **)&(entry)->member.next, 0) :	\
		       (*(at) = (after), 0))

#endif /* CAUSEWAY_6_1_LWQ_H */
