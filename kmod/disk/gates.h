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
 * A request that was sent on a path that has ended may still be at the server, and its answer will
 * not come. Reads and flushes go back to blk-mq at once, or end. Requests that change the disk
 * become unfenced: they wait until the path is fenced, so that a late first copy overtakes nothing.
 * They do not wait in a list of blk-mq, because blk-mq may merge a request in its lists into
 * another one, which would then be sent too early. A request is unfenced only after the links of
 * its path were drained. It stops being unfenced when the path is fenced, or when a gate ends it.
 * Such an end without an answer sets UNFENCED first. A writer that learns of the end and writes to
 * the same blocks again is held until each path that had such an end was fenced.
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

#include "../../include/wire/causeway_wire.h"

/* Bits of cw_gates.set. */
enum {
	/* all I/O fails: the I/O timeout passed, another disk answered, revoked, or detached */
	CW_GATE_FAILING = 1,
	CW_GATE_NO_PATH = 2, /* requests that must fail fast fail, all others are held */
	CW_GATE_LOSS = 4, /* acknowledged writes were lost: flushes and FUA writes fail */
	/* the block layer does not flush this disk yet: every write is sent as FUA */
	CW_GATE_STABLE = 8,
	/* a sent request that changes the disk ended without its answer: others like it are held */
	CW_GATE_UNFENCED = 16,
	CW_GATE_FORCED = 32, /* forced detach: what a lost path did not answer fails */
};

/* Properties of a request by which gates judge it: bits of cw_request_traits(). */
enum {
	CW_TRAIT_FAST = 1, /* must fail fast when there is no path */
	CW_TRAIT_STABLE = 2, /* a flush or a FUA write */
	CW_TRAIT_CHANGE = 4, /* neither a read nor a flush: it changes the disk */
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
	 * sees no gate also sees the data that the gate guarded.
	 */
	u32 set;
	spinlock_t lock; /* taken with interrupts disabled; guards the lists too */
	struct list_head held; /* requests that were not sent, linked by queuelist */
	struct list_head unfenced[CW_WIRE_PATHS]; /* by the number of the path; see above */
	/* bits of paths: a request of it ended without an answer since the path was fenced */
	u8 unanswered;
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
	if ((gates & CW_GATE_UNFENCED) && (traits & CW_TRAIT_CHANGE))
		return gates & CW_GATE_FORCED ? CW_VERDICT_FAIL : CW_VERDICT_HOLD;
	return CW_VERDICT_PASS;
}

/**
 * cw_gates_judge_unfenced() - judges a request that is unfenced
 * @gates: the gates that are set
 * @traits: the traits of the request
 *
 * Context: Any context.
 * Return: the verdict, which is never CW_VERDICT_PASS: only a fence lets the request pass.
 */
static inline enum cw_verdict cw_gates_judge_unfenced(u32 gates, u32 traits)
{
	if (gates & (CW_GATE_FAILING | CW_GATE_FORCED))
		return CW_VERDICT_FAIL;
	if ((gates & CW_GATE_NO_PATH) && (traits & CW_TRAIT_FAST))
		return CW_VERDICT_FAIL_FAST;
	return CW_VERDICT_HOLD;
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
 * @open: the gates to remove, without CW_GATE_UNFENCED
 * @close: the gates to set, without CW_GATE_UNFENCED
 *
 * If this may change how held requests are judged, they go to blk-mq's list of requests to be sent
 * again. The caller makes blk-mq run that list. Ends the unfenced requests that may not wait.
 *
 * Context: Any context. Takes the lock.
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
 * cw_gates_take_back() - takes a request that was sent and will have no answer
 * @g: the gates
 * @rq: the request, which nothing else ends
 * @path: number of the path on which it was sent, whose links are drained
 *
 * The request goes to blk-mq's list of requests to be sent again, or is unfenced, or ends if a gate
 * ends it. The caller makes blk-mq run that list.
 *
 * Context: Any context. Takes the lock.
 */
void cw_gates_take_back(struct cw_gates *g, struct request *rq, u8 path);
/**
 * cw_gates_fenced() - lets requests be sent again that were sent on a path
 * @g: the gates
 * @path: number of the path; the server has nothing left that was sent on it
 *
 * They go to blk-mq's list of requests to be sent again. If no path is left that has a request
 * which ended without an answer, the requests that waited behind UNFENCED follow. The caller makes
 * blk-mq run that list.
 *
 * Context: Any context. Takes the lock.
 */
void cw_gates_fenced(struct cw_gates *g, u8 path);
/**
 * cw_gates_hold() - checks whether requests wait, behind the gates or for a fence
 * @g: the gates
 *
 * Context: Any context. Takes the lock.
 * Return: true if so.
 */
bool cw_gates_hold(struct cw_gates *g);

#endif
