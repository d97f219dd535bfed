// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes each drain of a queue pair slow:
 *
 *   modprobe slow_drain
 *   echo 1500 >/sys/module/slow_drain/parameters/ms
 *
 * delays each call of ib_drain_qp() by so many milliseconds. The delay is a busy loop that does not
 * sleep, so more than some seconds make the kernel report a stall.
 */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>

static unsigned int ms;
module_param(ms, uint, 0644);
MODULE_PARM_DESC(ms, "delay of each drain in milliseconds");

static int sd_before_drain(struct kprobe *probe, struct pt_regs *regs)
{
	mdelay(ms);
	return 0;
}

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
}

module_init(slow_drain_init);
module_exit(slow_drain_exit);
MODULE_DESCRIPTION("Makes each drain of a queue pair slow");
MODULE_LICENSE("GPL");
