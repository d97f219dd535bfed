// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes each drain, or each end, of a queue pair slow:
 *
 *   modprobe slow_drain
 *   echo 1500 >/sys/module/slow_drain/parameters/ms
 *
 * delays each call of ib_drain_qp() by so many milliseconds, and
 *
 *   echo 1 >/sys/module/slow_drain/parameters/hold
 *
 * makes each call wait until the parameter is 0 again. The parameter "waiting" is the number of
 * calls that wait. The threads sleep meanwhile. The parameters "hold_destroy" and "destroying" are
 * the same for calls of ib_destroy_qp_user().
 */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#define SD_LOOK_MS 10 /* between two looks at "hold" */

static unsigned int ms;
module_param(ms, uint, 0644);
MODULE_PARM_DESC(ms, "delay of each drain in milliseconds");
static unsigned int hold;
module_param(hold, uint, 0644);
MODULE_PARM_DESC(hold, "1: drains wait until this is 0");
static atomic_t waiting = ATOMIC_INIT(0);
module_param_named(waiting, waiting.counter, int, 0444);
MODULE_PARM_DESC(waiting, "to read: drains that wait");
static unsigned int hold_destroy;
module_param(hold_destroy, uint, 0644);
MODULE_PARM_DESC(hold_destroy, "1: a queue pair is destroyed when this is 0");
static atomic_t destroying = ATOMIC_INIT(0);
module_param_named(destroying, destroying.counter, int, 0444);
MODULE_PARM_DESC(destroying, "to read: queue pairs that wait for their end");
static atomic_t calls = ATOMIC_INIT(0);

static void sd_wait(const unsigned int *until_zero, atomic_t *count)
{
	atomic_inc(count);
	while (READ_ONCE(*until_zero))
		msleep(SD_LOOK_MS);
	atomic_dec(count);
}

static noinline void sd_drain(struct ib_qp *qp)
{
	msleep(ms);
	sd_wait(&hold, &waiting);
	ib_drain_qp(qp);
	/* After the call, which therefore is no jump: see sd_divert(). */
	atomic_dec(&calls);
}

static noinline int sd_destroy(struct ib_qp *qp, struct ib_udata *udata)
{
	int ret;

	sd_wait(&hold_destroy, &destroying);
	ret = ib_destroy_qp_user(qp, udata);
	atomic_dec(&calls);
	return ret;
}

/* Runs at the first instruction of the probed function. Diverts each caller but this module. */
static int sd_divert(struct pt_regs *regs, unsigned long to)
{
	if (within_module(regs_get_kernel_stack_nth(regs, 0), THIS_MODULE))
		return 0;
	atomic_inc(&calls);
	instruction_pointer_set(regs, to);
	return 1;
}

static int sd_before_drain(struct kprobe *probe, struct pt_regs *regs)
{
	return sd_divert(regs, (unsigned long)sd_drain);
}

static int sd_before_destroy(struct kprobe *probe, struct pt_regs *regs)
{
	return sd_divert(regs, (unsigned long)sd_destroy);
}

NOKPROBE_SYMBOL(sd_divert);
NOKPROBE_SYMBOL(sd_before_drain);
NOKPROBE_SYMBOL(sd_before_destroy);

static struct kprobe sd_drains = {
	.symbol_name = "ib_drain_qp",
	.pre_handler = sd_before_drain,
};

static struct kprobe sd_destroys = {
	.symbol_name = "ib_destroy_qp_user",
	.pre_handler = sd_before_destroy,
};

static struct kprobe *sd_probes[] = { &sd_drains, &sd_destroys };

static int __init slow_drain_init(void)
{
	return register_kprobes(sd_probes, ARRAY_SIZE(sd_probes));
}

static void __exit slow_drain_exit(void)
{
	unregister_kprobes(sd_probes, ARRAY_SIZE(sd_probes));
	WRITE_ONCE(hold, 0);
	WRITE_ONCE(hold_destroy, 0);
	while (atomic_read(&calls))
		msleep(SD_LOOK_MS);
	synchronize_rcu_tasks(); /* for a thread behind the last instruction that counts */
}

module_init(slow_drain_init);
module_exit(slow_drain_exit);
MODULE_DESCRIPTION("Makes each drain and each end of a queue pair slow");
MODULE_LICENSE("GPL");
