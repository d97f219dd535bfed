// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds clients that are gone, and frees memory that connections no longer need.
 *
 * A client whose machine or cable fails sends nothing. If it has acknowledged all answers, the
 * server would not notice: the queue pair and its memory would stay until nfsd ages the connection
 * after 6 to 12 minutes. So after a time of silence the server probes the client by an RDMA Write
 * of no bytes, as the client transport probes its servers (client/connection.c). The adapter of the
 * client acknowledges it, so an idle client does not notice the probe. If the client is gone, the
 * queue pair fails. The client chose the number of retries (InfiniBand architecture, volume 1,
 * 12.7.24), and answers that a client does not take delay a probe behind them; so a probe that has
 * not completed at the next look also ends the connection.
 *
 * Memory that no answer and no call needed between two looks is freed.
 *
 * The data path does no work for the probes: a look compares the counter of received messages.
 */
#include <linux/module.h>

#include "connection.h"
#include "keepalive.h"
#include "pages.h"
#include "send.h"
#include "trace.h"

#define LOOK_AGAIN 60U /* seconds between looks while probing is disabled */

static unsigned int server_keepalive = 60;
module_param(server_keepalive, uint, 0644);
MODULE_PARM_DESC(server_keepalive,
		 "seconds of silence after which the server probes a client, and again until one that does not answer is given up, 0 for never");

static void cwrs_look_later(struct cwrs_connection *conn)
{
	unsigned long seconds = READ_ONCE(server_keepalive) ?: LOOK_AGAIN;

	queue_delayed_work(cwrs_workqueue, &conn->look, seconds * HZ);
}

static void cwrs_probed(struct cw_probe *probe, int err)
{
	trace_cwrs_probed(container_of(probe, struct cwrs_connection, probe), err);
}

static void cwrs_look(struct work_struct *work)
{
	struct cwrs_connection *conn = container_of(work, struct cwrs_connection, look.work);
	struct cwr_counters sum;

	cwr_connection_sum(&conn->info, &sum);
	if (cw_probe_is_under_way(&conn->probe))
		cw_endpoint_kill(&conn->ep, -ETIMEDOUT, "the client does not answer");
	else if (READ_ONCE(server_keepalive) && sum.n[CW_NFS_RECEIVES] == conn->heard)
		cw_endpoint_probe(&conn->ep, &conn->probe);
	cwrs_sends_trim(conn);
	cwrs_spares_trim(conn);
	conn->heard = sum.n[CW_NFS_RECEIVES];
	if (!cwrs_is_dead(conn))
		cwrs_look_later(conn);
}

void cwrs_keepalive_init(struct cwrs_connection *conn)
{
	INIT_DELAYED_WORK(&conn->look, cwrs_look);
	conn->probe.answered = cwrs_probed;
}

void cwrs_keepalive_start(struct cwrs_connection *conn)
{
	cwrs_look_later(conn);
}

void cwrs_keepalive_stop(struct cwrs_connection *conn)
{
	cancel_delayed_work_sync(&conn->look);
}
