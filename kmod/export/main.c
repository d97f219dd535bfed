// SPDX-License-Identifier: GPL-2.0-only
/*
 * causeway_target.ko: the server's exports.
 *
 * Loading registers the netlink commands for exports and the operations for the core. The server
 * listens from the first export on. Unloading is an orderly stop.
 */
#include <linux/module.h>

#include "export.h"
#include "file_size.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

struct workqueue_struct *cwt_wq;
struct workqueue_struct *cwt_slow_wq;
DEFINE_MUTEX(cwt_admin); /* held while exports are added and while their ends begin */

static int __init cwt_init(void)
{
	int ret = -ENOMEM;

	cwt_memory_init();
	/* WQ_MEM_RECLAIM: a client on this machine may need these queues to get memory. */
	cwt_wq = alloc_workqueue("causeway_target", WQ_MEM_RECLAIM | WQ_HIGHPRI | WQ_PERCPU, 0);
	if (!cwt_wq)
		return ret;
	cwt_slow_wq = alloc_workqueue("causeway_slow", WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	if (!cwt_slow_wq)
		goto destroy_wq;
	ret = cwt_file_size_init();
	if (ret)
		goto destroy_slow_wq;
	ret = cw_server_register(&cwt_server_ops);
	if (ret)
		goto exit_file_size;
	ret = cwt_control_register();
	if (ret)
		goto unregister_server;
	return 0;

unregister_server:
	cw_server_unregister(&cwt_server_ops);
exit_file_size:
	cwt_file_size_exit();
destroy_slow_wq:
	destroy_workqueue(cwt_slow_wq);
destroy_wq:
	destroy_workqueue(cwt_wq);
	return ret;
}

static void __exit cwt_exit(void)
{
	int ret;

	/*
	 * On return no export can be added and no other stop runs. An unload cannot fail any more,
	 * so it waits for a disk that hangs; `causeway stop` reports such a disk beforehand.
	 */
	cwt_control_unregister();
	cwt_stop_all(NULL, NULL, &ret);
	cwt_await_all();
	cwt_size_watch_stop();
	/* Ends logins that are still in progress, with their references to exports. */
	cw_server_unregister(&cwt_server_ops);
	/* The end work of an export drops a reference after it took the export out of the table. */
	cwt_export_await_freed();
	/* Waits for the last works, which free links and exports. */
	destroy_workqueue(cwt_wq);
	destroy_workqueue(cwt_slow_wq);
	cwt_file_size_exit();
	cwt_loss_forget();
}

module_init(cwt_init);
module_exit(cwt_exit);

MODULE_DESCRIPTION("Causeway: exports of block devices, files and memory over RDMA");
MODULE_LICENSE("GPL");
