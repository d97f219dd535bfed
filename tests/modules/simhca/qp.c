// SPDX-License-Identifier: GPL-2.0-only
/*
 * The operations of queue pairs that rdmavt asks of a driver, and the engine
 * that sends.
 *
 * The engine of a queue pair runs where a work request was posted, or on the
 * work queue. RVT_S_BUSY admits one thread at a time: a thread that finds the
 * flag set returns, because the thread that set the flag looks for more work
 * under s_lock before it clears the flag. The engine runs under RCU, so that a
 * reset, which waits for a grace period before it frees the queue, waits for
 * the engine too.
 */
#include <linux/slab.h>
#include <rdma/ib_hdrs.h>

#include "simhca.h"

struct simhca_qp {
	struct rvt_qp *qp;
	struct work_struct send;
};

static struct workqueue_struct *send_queue;

const struct rvt_operation_params simhca_post_parms[RVT_OPERATION_MAX] = {
	[IB_WR_RDMA_WRITE] = {
		.length = sizeof(struct ib_rdma_wr),
		.qpt_support = BIT(IB_QPT_UC) | BIT(IB_QPT_RC),
	},
	[IB_WR_RDMA_WRITE_WITH_IMM] = {
		.length = sizeof(struct ib_rdma_wr),
		.qpt_support = BIT(IB_QPT_UC) | BIT(IB_QPT_RC),
	},
	[IB_WR_RDMA_READ] = {
		.length = sizeof(struct ib_rdma_wr),
		.qpt_support = BIT(IB_QPT_RC),
		.flags = RVT_OPERATION_ATOMIC,
	},
	[IB_WR_ATOMIC_CMP_AND_SWP] = {
		.length = sizeof(struct ib_atomic_wr),
		.qpt_support = BIT(IB_QPT_RC),
		.flags = RVT_OPERATION_ATOMIC | RVT_OPERATION_ATOMIC_SGE,
	},
	[IB_WR_ATOMIC_FETCH_AND_ADD] = {
		.length = sizeof(struct ib_atomic_wr),
		.qpt_support = BIT(IB_QPT_RC),
		.flags = RVT_OPERATION_ATOMIC | RVT_OPERATION_ATOMIC_SGE,
	},
	[IB_WR_SEND] = {
		.length = sizeof(struct ib_send_wr),
		.qpt_support = BIT(IB_QPT_UD) | BIT(IB_QPT_SMI) | BIT(IB_QPT_GSI) |
			       BIT(IB_QPT_UC) | BIT(IB_QPT_RC),
	},
	[IB_WR_SEND_WITH_IMM] = {
		.length = sizeof(struct ib_send_wr),
		.qpt_support = BIT(IB_QPT_UD) | BIT(IB_QPT_SMI) | BIT(IB_QPT_GSI) |
			       BIT(IB_QPT_UC) | BIT(IB_QPT_RC),
	},
	[IB_WR_SEND_WITH_INV] = {
		.length = sizeof(struct ib_send_wr),
		.qpt_support = BIT(IB_QPT_RC),
	},
	[IB_WR_REG_MR] = {
		.length = sizeof(struct ib_reg_wr),
		.qpt_support = BIT(IB_QPT_UC) | BIT(IB_QPT_RC),
		.flags = RVT_OPERATION_LOCAL,
	},
	[IB_WR_LOCAL_INV] = {
		.length = sizeof(struct ib_send_wr),
		.qpt_support = BIT(IB_QPT_UC) | BIT(IB_QPT_RC),
		.flags = RVT_OPERATION_LOCAL,
	},
};

const enum ib_wc_opcode simhca_wc_opcode[RVT_OPERATION_MAX] = {
	[IB_WR_RDMA_WRITE] = IB_WC_RDMA_WRITE,
	[IB_WR_RDMA_WRITE_WITH_IMM] = IB_WC_RDMA_WRITE,
	[IB_WR_SEND] = IB_WC_SEND,
	[IB_WR_SEND_WITH_IMM] = IB_WC_SEND,
	[IB_WR_RDMA_READ] = IB_WC_RDMA_READ,
	[IB_WR_ATOMIC_CMP_AND_SWP] = IB_WC_COMP_SWAP,
	[IB_WR_ATOMIC_FETCH_AND_ADD] = IB_WC_FETCH_ADD,
	[IB_WR_SEND_WITH_INV] = IB_WC_SEND,
	[IB_WR_LOCAL_INV] = IB_WC_LOCAL_INV,
	[IB_WR_REG_MR] = IB_WC_REG_MR,
};

static bool waits(struct rvt_qp *qp)
{
	return qp->s_flags & (RVT_S_ANY_WAIT | RVT_S_TIMER);
}

/* Become the one who sends for this queue pair. */
static bool claim(struct rvt_qp *qp)
{
	unsigned long flags;
	bool won = false;

	spin_lock_irqsave(&qp->s_lock, flags);
	if (!(qp->s_flags & RVT_S_BUSY) && !waits(qp) &&
	    (ib_rvt_state_ops[qp->state] & RVT_PROCESS_OR_FLUSH_SEND)) {
		qp->s_flags |= RVT_S_BUSY;
		won = true;
	}
	spin_unlock_irqrestore(&qp->s_lock, flags);
	return won;
}

/* The next work request, and whether it is to be flushed; NULL gives the queue pair free. */
static struct rvt_swqe *next_wqe(struct rvt_qp *qp, bool *flush)
{
	struct rvt_swqe *wqe = NULL;
	unsigned long flags;
	int ops;

	spin_lock_irqsave(&qp->s_lock, flags);
	ops = ib_rvt_state_ops[qp->state];
	*flush = !(ops & RVT_PROCESS_NEXT_SEND_OK);
	if (qp->s_last != READ_ONCE(qp->s_head) && !waits(qp) &&
	    (ops & (RVT_PROCESS_NEXT_SEND_OK | RVT_FLUSH_SEND))) {
		/* The entry was written before the head. */
		smp_rmb();
		wqe = rvt_get_swqe_ptr(qp, qp->s_last);
		/* s_cur past s_last says that this one is under way. */
		if (qp->s_last == qp->s_cur)
			qp->s_cur = rvt_qp_swqe_incr(qp, qp->s_cur);
	} else {
		qp->s_flags &= ~RVT_S_BUSY;
	}
	spin_unlock_irqrestore(&qp->s_lock, flags);
	return wqe;
}

/* Registration was done when it was posted, and so was invalidation unless it had to wait. */
static struct simhca_result do_local(struct rvt_qp *qp, struct rvt_swqe *wqe)
{
	struct simhca_result result = { .outcome = SIMHCA_DONE, .status = IB_WC_SUCCESS };

	if (wqe->wr.opcode == IB_WR_LOCAL_INV && !(wqe->wr.send_flags & RVT_SEND_COMPLETION_ONLY)) {
		if (rvt_invalidate_rkey(qp, wqe->wr.ex.invalidate_rkey))
			result.status = IB_WC_LOC_PROT_ERR;
		atomic_dec(&qp->local_ops_pending);
	}
	return result;
}

static struct simhca_result execute(struct rvt_qp *qp, struct rvt_swqe *wqe)
{
	if (simhca_post_parms[wqe->wr.opcode].flags & RVT_OPERATION_LOCAL)
		return do_local(qp, wqe);
	if (qp->ibqp.qp_type == IB_QPT_RC || qp->ibqp.qp_type == IB_QPT_UC)
		return simhca_rc_send(qp, wqe);
	return simhca_ud_send(qp, wqe);
}

/* Returns true if the request must be tried again, else its result is final. Under both locks. */
static bool tries_again(struct rvt_qp *qp, struct simhca_result *result)
{
	struct rvt_ibport *ibp = &simhca_port_of(qp)->ibp;

	if (result->outcome == SIMHCA_DONE)
		return false;
	result->status = IB_WC_SUCCESS;
	if (qp->ibqp.qp_type != IB_QPT_RC)
		return false;
	result->status = IB_WC_WR_FLUSH_ERR;
	if (!(ib_rvt_state_ops[qp->state] & RVT_PROCESS_NEXT_SEND_OK))
		return false;
	if (result->outcome == SIMHCA_RNR) {
		ibp->n_rnr_naks++;
		if (qp->s_rnr_retry) {
			if (qp->s_rnr_retry_cnt < 7)	/* 7 is for ever */
				qp->s_rnr_retry--;
			rvt_add_rnr_timer(qp, result->rnr_timer << IB_AETH_CREDIT_SHIFT);
			return true;
		}
		result->status = IB_WC_RNR_RETRY_EXC_ERR;
	} else {
		if (qp->s_retry) {
			qp->s_retry--;
			ibp->n_rc_resends++;
			rvt_add_retry_timer(qp);
			return true;
		}
		result->status = IB_WC_RETRY_EXC_ERR;
	}
	return false;
}

static void finish(struct rvt_qp *qp, struct rvt_swqe *wqe, struct simhca_result result)
{
	unsigned long flags;
	int last_wqe = 0;

	spin_lock_irqsave(&qp->r_lock, flags);
	spin_lock(&qp->s_lock);
	if (!tries_again(qp, &result)) {
		qp->s_retry = qp->s_retry_cnt;
		qp->s_rnr_retry = qp->s_rnr_retry_cnt;
		rvt_send_complete(qp, wqe, result.status);
		if (result.status != IB_WC_SUCCESS && qp->ibqp.qp_type == IB_QPT_RC)
			last_wqe = rvt_error_qp(qp, IB_WC_WR_FLUSH_ERR);
	}
	spin_unlock(&qp->s_lock);
	spin_unlock_irqrestore(&qp->r_lock, flags);

	if (last_wqe) {
		struct ib_event event = {
			.device = qp->ibqp.device,
			.element.qp = &qp->ibqp,
			.event = IB_EVENT_QP_LAST_WQE_REACHED,
		};

		qp->ibqp.event_handler(&event, qp->ibqp.qp_context);
	}
}

static void send_all(struct rvt_qp *qp)
{
	const struct simhca_result flushed = { .status = IB_WC_WR_FLUSH_ERR };
	struct rvt_swqe *wqe;
	bool flush;

	rcu_read_lock();
	if (claim(qp))
		while ((wqe = next_wqe(qp, &flush)))
			finish(qp, wqe, flush ? flushed : execute(qp, wqe));
	rcu_read_unlock();
}

static void send_work(struct work_struct *work)
{
	send_all(container_of(work, struct simhca_qp, send)->qp);
}

/* Under s_lock, with which a reset sets the state: nothing is queued after that. */
static bool schedule_send(struct rvt_qp *qp)
{
	struct simhca_qp *own = qp->priv;

	lockdep_assert_held(&qp->s_lock);
	if (!(ib_rvt_state_ops[qp->state] & RVT_PROCESS_OR_FLUSH_SEND))
		return false;
	return queue_work(send_queue, &own->send);
}

static bool schedule_send_no_lock(struct rvt_qp *qp)
{
	unsigned long flags;
	bool queued;

	spin_lock_irqsave(&qp->s_lock, flags);
	queued = schedule_send(qp);
	spin_unlock_irqrestore(&qp->s_lock, flags);
	return queued;
}

static void *priv_alloc(struct rvt_dev_info *rdi, struct rvt_qp *qp)
{
	struct simhca_qp *own = kzalloc(sizeof(*own), GFP_KERNEL);

	if (!own)
		return ERR_PTR(-ENOMEM);
	own->qp = qp;
	INIT_WORK(&own->send, send_work);
	return own;
}

static void priv_free(struct rvt_dev_info *rdi, struct rvt_qp *qp)
{
	kfree(qp->priv);
	qp->priv = NULL;
}

static void stop_send_queue(struct rvt_qp *qp)
{
	struct simhca_qp *own = qp->priv;

	cancel_work_sync(&own->send);
}

/* A queue pair that is ready to send again after SQD goes on with what was posted. */
static void modified(struct rvt_qp *qp, struct ib_qp_attr *attr, int attr_mask,
		     struct ib_udata *udata)
{
	if (qp->state == IB_QPS_RTS && qp->s_last != qp->s_head)
		schedule_send(qp);
}

static int pmtu_from_attr(struct rvt_dev_info *rdi, struct rvt_qp *qp, struct ib_qp_attr *attr)
{
	return ib_mtu_enum_to_int(attr->path_mtu) < 0 ? -EINVAL : attr->path_mtu;
}

static u32 mtu_from_qp(struct rvt_dev_info *rdi, struct rvt_qp *qp, u32 pmtu)
{
	return ib_mtu_enum_to_int(pmtu);
}

static int mtu_to_path_mtu(u32 mtu)
{
	return ib_mtu_int_to_enum(mtu);
}

static void nothing(struct rvt_qp *qp)
{
}

static void no_restart(struct rvt_qp *qp, u32 psn, int wait)
{
}

static unsigned int free_all_qps(struct rvt_dev_info *rdi)
{
	return 0;
}

void simhca_qp_set_hooks(struct rvt_driver_provided *hooks)
{
	hooks->schedule_send = schedule_send;
	hooks->schedule_send_no_lock = schedule_send_no_lock;
	hooks->do_send = send_all;
	hooks->qp_priv_alloc = priv_alloc;
	hooks->qp_priv_free = priv_free;
	hooks->notify_qp_reset = nothing;
	hooks->flush_qp_waiters = nothing;
	hooks->stop_send_queue = stop_send_queue;
	hooks->quiesce_qp = nothing;
	hooks->notify_error_qp = nothing;
	hooks->notify_restart_rc = no_restart;
	hooks->free_all_qps = free_all_qps;
	hooks->modify_qp = modified;
	hooks->get_pmtu_from_attr = pmtu_from_attr;
	hooks->mtu_from_qp = mtu_from_qp;
	hooks->mtu_to_path_mtu = mtu_to_path_mtu;
}

int simhca_qp_init(void)
{
	send_queue = alloc_workqueue("simhca", WQ_MEM_RECLAIM | WQ_HIGHPRI | WQ_PERCPU, 0);
	return send_queue ? 0 : -ENOMEM;
}

void simhca_qp_exit(void)
{
	destroy_workqueue(send_queue);
}
