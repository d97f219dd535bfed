/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * The gates of a disk, and the requests that wait behind them.
 *
 * A gate is a reason why a request may not simply go to the server. The gates that are set judge
 * each request. The data path reads them without a lock and comes here only if one is set.
 *
 * A gate is removed and the list of held requests is emptied in one section of the lock, so no
 * request that the gate would not hold any more is put on the list afterwards.
 *
 * tests/unit/gates_test.cpp runs gates.c with a block layer of its own.
 */
#ifndef CW_GATES_H
#define CW_GATES_H

#ifdef __KERNEL__
#include <linux/blk-mq.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#endif

/* Bits of cw_gates.set. */
enum {
	/* all I/O fails: the I/O timeout passed, another disk answered, revoked, or detached */
	CW_GATE_FAILING = 1,
	CW_GATE_NO_PATH = 2, /* requests that must fail fast fail, all others are held */
	CW_GATE_LOSS = 4, /* acknowledged writes were lost: flushes and FUA writes fail */
	/* the block layer does not flush this disk yet: every write is sent as FUA */
	CW_GATE_STABLE = 8,
};

/* What gates ask of a request: bits of cw_request_traits(). */
enum {
	CW_TRAIT_FAST = 1, /* must fail fast when there is no path */
	CW_TRAIT_STABLE = 2, /* a flush or a FUA write */
};

enum cw_verdict {
	CW_VERDICT_PASS, /* may go to the server */
	CW_VERDICT_HOLD, /* waits */
	CW_VERDICT_FAIL, /* ends with BLK_STS_IOERR */
	CW_VERDICT_FAIL_FAST, /* ends with BLK_STS_TRANSPORT */
};

struct cw_gates {
	/*
	 * 0 in normal operation. Written under the lock, with release: a reader with acquire that
	 * sees no gate also sees what the gate guarded.
	 */
	u32 set;
	spinlock_t lock; /* taken with interrupts disabled; guards the lists too */
	struct list_head held; /* requests that were not sent, linked by queuelist */
};

/**
 * cw_gates_judge() - judges a request that would be sent
 * @gates: the gates that are set
 * @traits: the traits of the request
 *
 * Context: Any context.
 * Return: the verdict.
 */
static inline enum cw_verdict cw_gates_judge(u32 gates, u32 traits)
{
	if (gates & CW_GATE_FAILING)
		return CW_VERDICT_FAIL;
	if (gates & CW_GATE_NO_PATH)
		return traits & CW_TRAIT_FAST ? CW_VERDICT_FAIL_FAST : CW_VERDICT_HOLD;
	if ((gates & CW_GATE_LOSS) && (traits & CW_TRAIT_STABLE))
		return CW_VERDICT_FAIL;
	return CW_VERDICT_PASS;
}

/**
 * cw_gates_init() - initialises the gates of a new disk; none is set
 * @g: the gates
 *
 * Context: Any context.
 */
void cw_gates_init(struct cw_gates *g);
/**
 * cw_gates_change() - removes some gates and sets others
 * @g: the gates
 * @open: the gates to remove
 * @close: the gates to set
 *
 * If this may change how held requests are judged, they go to blk-mq's list of requests to be sent
 * again. The caller makes blk-mq run that list.
 *
 * Context: Any context. One caller at a time. Takes the lock.
 */
void cw_gates_change(struct cw_gates *g, u32 open, u32 close);
/**
 * cw_gates_pass() - judges a request that would be sent, and holds it if it has to wait
 * @g: the gates
 * @rq: the request
 * @status: set if the request does not pass; BLK_STS_OK: the request is held
 * @first: set to true if the request is the first one that waits for a path
 *
 * Context: Any context. Takes the lock.
 * Return: true if @rq may go to the server.
 */
bool cw_gates_pass(struct cw_gates *g, struct request *rq, blk_status_t *status, bool *first);
/**
 * cw_gates_hold() - checks whether requests wait behind the gates
 * @g: the gates
 *
 * Context: Any context. Takes the lock.
 * Return: true if so.
 */
bool cw_gates_hold(struct cw_gates *g);

#endif
