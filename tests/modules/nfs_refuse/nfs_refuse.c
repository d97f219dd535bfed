// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes the client's transport fail to send one procedure of NFS. The first attempt of the call's
 * own task finds no memory, so that the task sleeps for a while with the call at the head of the
 * transport's queue, where other tasks find it. All further attempts fail for good. Another task
 * may find the call before its own task has tried: it finds no memory either, and is not counted.
 * causeway_rpcrdma has to be loaded first.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/sched.h>
#include <linux/sunrpc/xprt.h>

static char *procedure = "";
module_param(procedure, charp, 0444);
MODULE_PARM_DESC(procedure, "name of the procedure, as in mountstats");
static unsigned long by_owner, by_others;
module_param(by_owner, ulong, 0444);
MODULE_PARM_DESC(by_owner, "attempts to send it, by its own task");
module_param(by_others, ulong, 0444);
MODULE_PARM_DESC(by_others, "attempts to send it, by other tasks");

/* int cwrc_session_rail(t, task, conn): the transport is held, so one at a time */
static int nfs_refuse_enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct rpc_task *task = (const struct rpc_task *)regs_get_kernel_argument(regs, 1);
	const char *name = task->tk_msg.rpc_proc->p_name;
	bool owner = task == task->tk_xprt->snd_task;
	int *err = (int *)ri->data;

	*err = 0;
	if (!name || strcmp(name, procedure))
		return 0;
	*err = by_owner ? -EREMOTEIO : -ENOBUFS;
	if (owner)
		by_owner++;
	else if (by_owner)
		by_others++;
	return 0;
}

static int nfs_refuse_leave(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (*(int *)ri->data)
		regs_set_return_value(regs, *(int *)ri->data);
	return 0;
}

static struct kretprobe nfs_refuse_probe = {
	.kp.symbol_name = "cwrc_session_rail",
	.entry_handler = nfs_refuse_enter,
	.handler = nfs_refuse_leave,
	.data_size = sizeof(int),
};

static int __init nfs_refuse_init(void)
{
	return register_kretprobe(&nfs_refuse_probe);
}

static void __exit nfs_refuse_exit(void)
{
	unregister_kretprobe(&nfs_refuse_probe);
}

module_init(nfs_refuse_init);
module_exit(nfs_refuse_exit);
MODULE_DESCRIPTION("Fails to send a procedure of NFS, for tests");
MODULE_LICENSE("GPL");
