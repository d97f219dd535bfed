// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts what passes between the kernel's RDMA users and a software provider, per device and the
 * same way for every user: kprobes on the provider's functions that make queue pairs, post and
 * poll, and on the function of the core that a completion queue calls when it wants to be polled.
 *
 *   modprobe verbs_count; cat /sys/kernel/debug/verbs_count
 *
 * tells one line per device and thing: "rxe0 send_wrs 4000". All numbers only grow. It is for
 * machines that run a few devices for a moment: a device is known by its address and never
 * forgotten.
 */
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <rdma/ib_verbs.h>

#define VC_DEVICES 4

enum vc_thing {
	VC_SEND_POSTS, /* calls, each with one work request or more */
	VC_SEND_WRS,
	VC_RECV_WRS,
	VC_REGISTRATIONS,
	VC_INVALIDATIONS, /* by the own side; one by SEND_WITH_INV is a send */
	VC_SENDS,
	VC_RDMA_WRITES,
	VC_RDMA_READS,
	VC_COMPLETIONS,
	VC_INTERRUPTS,
	VC_QUEUE_PAIRS, /* asked for, with those that were not made */
	VC_SEND_SGES, /* of one send, as many as asked for; the sum over VC_QUEUE_PAIRS */
	VC_THINGS,
};

static const char *const names[VC_THINGS] = {
	[VC_SEND_POSTS] = "send_posts",
	[VC_SEND_WRS] = "send_wrs",
	[VC_RECV_WRS] = "recv_wrs",
	[VC_REGISTRATIONS] = "registrations",
	[VC_INVALIDATIONS] = "invalidations",
	[VC_SENDS] = "sends",
	[VC_RDMA_WRITES] = "rdma_writes",
	[VC_RDMA_READS] = "rdma_reads",
	[VC_COMPLETIONS] = "completions",
	[VC_INTERRUPTS] = "interrupts",
	[VC_QUEUE_PAIRS] = "queue_pairs",
	[VC_SEND_SGES] = "send_sges",
};

struct vc_device {
	struct ib_device *device;
	atomic64_t counts[VC_THINGS];
};

static struct vc_device devices[VC_DEVICES];
static struct dentry *file;

/* The counters of a device; NULL when there are more devices than expected. Any context. */
static struct vc_device *vc_of(struct ib_device *device)
{
	int i;

	for (i = 0; i < VC_DEVICES; i++) {
		struct ib_device *old = cmpxchg(&devices[i].device, NULL, device);

		if (!old || old == device)
			return &devices[i];
	}
	return NULL;
}

static enum vc_thing vc_kind(enum ib_wr_opcode opcode)
{
	switch (opcode) {
	case IB_WR_REG_MR:
		return VC_REGISTRATIONS;
	case IB_WR_LOCAL_INV:
		return VC_INVALIDATIONS;
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		return VC_RDMA_WRITES;
	case IB_WR_RDMA_READ:
	case IB_WR_RDMA_READ_WITH_INV:
		return VC_RDMA_READS;
	default:
		return VC_SENDS;
	}
}

static int vc_post_send(struct kprobe *probe, struct pt_regs *regs)
{
	struct ib_qp *qp = (struct ib_qp *)regs_get_kernel_argument(regs, 0);
	const struct ib_send_wr *wr = (const struct ib_send_wr *)regs_get_kernel_argument(regs, 1);
	struct vc_device *counted = vc_of(qp->device);

	if (!counted)
		return 0;
	atomic64_inc(&counted->counts[VC_SEND_POSTS]);
	for (; wr; wr = wr->next) {
		atomic64_inc(&counted->counts[VC_SEND_WRS]);
		atomic64_inc(&counted->counts[vc_kind(wr->opcode)]);
	}
	return 0;
}

static int vc_post_recv(struct kprobe *probe, struct pt_regs *regs)
{
	struct ib_qp *qp = (struct ib_qp *)regs_get_kernel_argument(regs, 0);
	const struct ib_recv_wr *wr = (const struct ib_recv_wr *)regs_get_kernel_argument(regs, 1);
	struct vc_device *counted = vc_of(qp->device);

	for (; counted && wr; wr = wr->next)
		atomic64_inc(&counted->counts[VC_RECV_WRS]);
	return 0;
}

static int vc_post_srq_recv(struct kprobe *probe, struct pt_regs *regs)
{
	struct ib_srq *srq = (struct ib_srq *)regs_get_kernel_argument(regs, 0);
	const struct ib_recv_wr *wr = (const struct ib_recv_wr *)regs_get_kernel_argument(regs, 1);
	struct vc_device *counted = vc_of(srq->device);

	for (; counted && wr; wr = wr->next)
		atomic64_inc(&counted->counts[VC_RECV_WRS]);
	return 0;
}

static int vc_interrupt(struct kprobe *probe, struct pt_regs *regs)
{
	struct ib_cq *cq = (struct ib_cq *)regs_get_kernel_argument(regs, 0);
	struct vc_device *counted = vc_of(cq->device);

	if (counted)
		atomic64_inc(&counted->counts[VC_INTERRUPTS]);
	return 0;
}

static int vc_create_qp(struct kprobe *probe, struct pt_regs *regs)
{
	const struct ib_qp_init_attr *attr =
		(const struct ib_qp_init_attr *)regs_get_kernel_argument(regs, 1);
	struct vc_device *counted = attr->send_cq ? vc_of(attr->send_cq->device) : NULL;

	if (!counted)
		return 0;
	atomic64_inc(&counted->counts[VC_QUEUE_PAIRS]);
	atomic64_add(attr->cap.max_send_sge, &counted->counts[VC_SEND_SGES]);
	return 0;
}

struct vc_polling {
	struct vc_device *counted;
};

static int vc_poll_begins(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct vc_polling *polling = (struct vc_polling *)instance->data;
	struct ib_cq *cq = (struct ib_cq *)regs_get_kernel_argument(regs, 0);

	polling->counted = vc_of(cq->device);
	return polling->counted ? 0 : 1;
}

static int vc_poll_ends(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct vc_polling *polling = (struct vc_polling *)instance->data;
	int found = regs_return_value(regs);

	if (found > 0)
		atomic64_add(found, &polling->counted->counts[VC_COMPLETIONS]);
	return 0;
}

/* Those of a provider that is not loaded do not register, which is no error. */
static struct kprobe probes[] = {
	{ .symbol_name = "rxe_post_send", .pre_handler = vc_post_send },
	{ .symbol_name = "siw_post_send", .pre_handler = vc_post_send },
	{ .symbol_name = "rvt_post_send", .pre_handler = vc_post_send },
	{ .symbol_name = "rxe_post_recv", .pre_handler = vc_post_recv },
	{ .symbol_name = "siw_post_receive", .pre_handler = vc_post_recv },
	{ .symbol_name = "rvt_post_recv", .pre_handler = vc_post_recv },
	{ .symbol_name = "rxe_post_srq_recv", .pre_handler = vc_post_srq_recv },
	{ .symbol_name = "siw_post_srq_recv", .pre_handler = vc_post_srq_recv },
	{ .symbol_name = "rvt_post_srq_recv", .pre_handler = vc_post_srq_recv },
	{ .symbol_name = "rxe_create_qp", .pre_handler = vc_create_qp },
	{ .symbol_name = "siw_create_qp", .pre_handler = vc_create_qp },
	{ .symbol_name = "rvt_create_qp", .pre_handler = vc_create_qp },
	{ .symbol_name = "ib_cq_completion_softirq", .pre_handler = vc_interrupt },
	{ .symbol_name = "ib_cq_completion_workqueue", .pre_handler = vc_interrupt },
};

#define VC_POLL(symbol) {						\
	.kp.symbol_name = (symbol),					\
	.entry_handler = vc_poll_begins,				\
	.handler = vc_poll_ends,					\
	.data_size = sizeof(struct vc_polling),				\
	.maxactive = 16,						\
}

static struct kretprobe polls[] = {
	VC_POLL("rxe_poll_cq"),
	VC_POLL("siw_poll_cq"),
	VC_POLL("rvt_poll_cq"),
};

static int vc_show(struct seq_file *to, void *unused)
{
	int i, thing;

	for (i = 0; i < VC_DEVICES && devices[i].device; i++)
		for (thing = 0; thing < VC_THINGS; thing++)
			seq_printf(to, "%s %s %lld\n", dev_name(&devices[i].device->dev),
				   names[thing], atomic64_read(&devices[i].counts[thing]));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(vc);

static bool registered[ARRAY_SIZE(probes)];
static bool polls_registered[ARRAY_SIZE(polls)];

static void vc_unregister(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (registered[i])
			unregister_kprobe(&probes[i]);
	for (i = 0; i < ARRAY_SIZE(polls); i++)
		if (polls_registered[i])
			unregister_kretprobe(&polls[i]);
}

static int __init verbs_count_init(void)
{
	int i, found = 0;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		registered[i] = !register_kprobe(&probes[i]);
		found += registered[i];
	}
	for (i = 0; i < ARRAY_SIZE(polls); i++) {
		polls_registered[i] = !register_kretprobe(&polls[i]);
		found += polls_registered[i];
	}
	/* One provider and the core. */
	if (found < 7) {
		vc_unregister();
		return -ENOENT;
	}
	file = debugfs_create_file("verbs_count", 0400, NULL, NULL, &vc_fops);
	return 0;
}

static void __exit verbs_count_exit(void)
{
	debugfs_remove(file);
	vc_unregister();
}

module_init(verbs_count_init);
module_exit(verbs_count_exit);
MODULE_DESCRIPTION("Counts queue pairs, work requests and completions of software RDMA devices");
MODULE_LICENSE("GPL");
