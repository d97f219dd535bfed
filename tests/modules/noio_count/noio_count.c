// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts the allocations of memory that may wait for I/O while given functions run:
 *
 *   modprobe noio_count functions=cw_listener_event,cw_server_login_work
 *   cat /sys/kernel/debug/noio_count
 *
 * prints a line for each function: "cw_listener_event calls 2 allocations 90 io 0 missed 0". An
 * allocation is counted if it may sleep, and for io if it may also start I/O. The scope of the task
 * (memalloc_noio_save()) has its effect before that is judged. The stack of the first allocation
 * that may start I/O follows its function's line. Calls that found no room in the probe are missed.
 * The module with the functions has to be loaded before this one, and unloaded after it.
 */
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/seq_file.h>
#include <linux/stacktrace.h>

#define NC_FUNCTIONS 9
#define NC_ACTIVE 16 /* calls of one function at a time */
#define NC_STACK 16

struct nc_function {
	struct kretprobe probe;
	bool registered;
	atomic_t calls, allocations, io;
	unsigned long stack[NC_STACK]; /* written by the first that counts for io */
	unsigned int depth;
};

/* A call that has not returned. Its own task alone changes and uses it while @task is set. */
struct nc_call {
	struct task_struct *task;
	struct nc_function *function;
};

static char *functions[NC_FUNCTIONS];
static unsigned int count;
module_param_array(functions, charp, &count, 0444);
MODULE_PARM_DESC(functions, "functions to watch, with what they call");

static struct nc_function watched[NC_FUNCTIONS];
static struct nc_call calls[NC_FUNCTIONS * NC_ACTIVE]; /* as many as the probes have room for */
static atomic_t running;
static struct dentry *file;

static int nc_enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct nc_call **call = (struct nc_call **)ri->data;
	struct kretprobe *probe = get_kretprobe(ri);
	struct nc_function *function;
	int i;

	if (!probe) /* it is being unregistered */
		return 1;
	function = container_of(probe, struct nc_function, probe);
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		if (!cmpxchg(&calls[i].task, NULL, current)) {
			*call = &calls[i];
			calls[i].function = function;
			atomic_inc(&function->calls);
			atomic_inc(&running);
			return 0;
		}
	}
	return 1;
}

static int nc_leave(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct nc_call *call = *(struct nc_call **)ri->data;

	atomic_dec(&running);
	WRITE_ONCE(call->task, NULL);
	return 0;
}

/* The function that this task is in, or NULL. */
static struct nc_function *nc_function_of_task(void)
{
	int i;

	if (!atomic_read(&running))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		if (READ_ONCE(calls[i].task) == current)
			return calls[i].function;
	return NULL;
}

static void nc_count(gfp_t gfp)
{
	struct nc_function *function;

	/* Otherwise it waits for nothing. An interrupt of the task has no other kind. */
	if (!(gfp & __GFP_DIRECT_RECLAIM))
		return;
	function = nc_function_of_task();
	if (!function)
		return;
	atomic_inc(&function->allocations);
	if (!(current_gfp_context(gfp) & __GFP_IO))
		return;
	if (atomic_inc_return(&function->io) == 1)
		WRITE_ONCE(function->depth, stack_trace_save(function->stack, NC_STACK, 0));
}

/* should_failslab(cache, gfp), which every allocation of an object calls */
static int nc_object(struct kprobe *probe, struct pt_regs *regs)
{
	nc_count((gfp_t)regs_get_kernel_argument(regs, 1));
	return 0;
}

/* should_fail_alloc_page(gfp, order), which every allocation of pages calls */
static int nc_pages(struct kprobe *probe, struct pt_regs *regs)
{
	nc_count((gfp_t)regs_get_kernel_argument(regs, 0));
	return 0;
}

static struct kprobe object_probe = {
	.symbol_name = "should_failslab",
	.pre_handler = nc_object,
};

static struct kprobe pages_probe = {
	.symbol_name = "should_fail_alloc_page",
	.pre_handler = nc_pages,
};

static int nc_show(struct seq_file *to, void *unused)
{
	unsigned int i, at;

	for (i = 0; i < count; i++) {
		struct nc_function *function = &watched[i];

		seq_printf(to, "%s calls %d allocations %d io %d missed %d\n", functions[i],
			   atomic_read(&function->calls), atomic_read(&function->allocations),
			   atomic_read(&function->io), function->probe.nmissed);
		for (at = 0; at < READ_ONCE(function->depth); at++)
			seq_printf(to, "  %pS\n", (void *)function->stack[at]);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(nc);

static void nc_unwatch(void)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (watched[i].registered)
			unregister_kretprobe(&watched[i].probe);
}

static int nc_watch(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < count; i++) {
		watched[i].probe = (struct kretprobe) {
			.kp.symbol_name = functions[i],
			.entry_handler = nc_enter,
			.handler = nc_leave,
			.data_size = sizeof(struct nc_call *),
			.maxactive = NC_ACTIVE,
		};
		ret = register_kretprobe(&watched[i].probe);
		if (ret) {
			pr_err("noio_count: %s cannot be watched (%d)\n", functions[i], ret);
			nc_unwatch();
			return ret;
		}
		watched[i].registered = true;
	}
	return 0;
}

static int __init noio_count_init(void)
{
	int ret;

	ret = register_kprobe(&object_probe);
	if (ret)
		return ret;
	ret = register_kprobe(&pages_probe);
	if (ret)
		goto unregister_object;
	ret = nc_watch();
	if (ret)
		goto unregister_pages;
	file = debugfs_create_file("noio_count", 0400, NULL, NULL, &nc_fops);
	return 0;

unregister_pages:
	unregister_kprobe(&pages_probe);
unregister_object:
	unregister_kprobe(&object_probe);
	return ret;
}

static void __exit noio_count_exit(void)
{
	debugfs_remove(file);
	nc_unwatch();
	unregister_kprobe(&pages_probe);
	unregister_kprobe(&object_probe);
}

module_init(noio_count_init);
module_exit(noio_count_exit);
MODULE_DESCRIPTION("Counts allocations that may wait for I/O");
MODULE_LICENSE("GPL");
