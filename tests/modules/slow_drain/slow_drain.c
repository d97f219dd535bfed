// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes each drain of a queue pair slow:
 *
 *   modprobe slow_drain
 *   echo 1500 >/sys/module/slow_drain/parameters/ms
 *
 * delays each call of ib_drain_qp() by so many milliseconds, and
 *
 *   echo 1 >/sys/module/slow_drain/parameters/hold
 *
 * makes each call wait until the parameter is 0 again. The parameter "waiting" is the number of
 * calls that wait. The threads sleep meanwhile.
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
static atomic_t calls = ATOMIC_INIT(0);

static noinline void sd_drain(struct ib_qp *qp)
{
	msleep(ms);
	atomic_inc(&waiting);
	while (READ_ONCE(hold))
		msleep(SD_LOOK_MS);
	atomic_dec(&waiting);
	ib_drain_qp(qp);
	/* After the call, which therefore is no jump: see sd_before_drain(). */
	atomic_dec(&calls);
}

/* Runs at the first instruction of ib_drain_qp(). Diverts each caller but sd_drain() to it. */
static int sd_before_drain(struct kprobe *probe, struct pt_regs *regs)
{
	if (within_module(regs_get_kernel_stack_nth(regs, 0), THIS_MODULE))
		return 0;
	atomic_inc(&calls);
	instruction_pointer_set(regs, (unsigned long)sd_drain);
	return 1;
}

NOKPROBE_SYMBOL(sd_before_drain);

static struct kprobe sd_probe = {
	.symbol_name = "ib_drain_qp",
	.pre_handler = sd_before_drain,
};

static int __init slow_drain_init(void)
{
	return register_kprobe(&sd_probe);
}

static void __exit slow_drain_exit(void)
{
	unregister_kprobe(&sd_probe);
	WRITE_ONCE(hold, 0);
	while (atomic_read(&calls))
		msleep(SD_LOOK_MS);
	synchronize_rcu_tasks(); /* for a thread behind the last instruction that counts */
}

module_init(slow_drain_init);
module_exit(slow_drain_exit);
MODULE_DESCRIPTION("Makes each drain of a queue pair slow");
MODULE_LICENSE("GPL");
