// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clients that are gone, and memory that clients do not need any more.
 *
 * A client whose machine or cable dies says nothing, and if all answers to it are acknowledged then
 * nothing here would find out: its queue pair and its memory would stay until nfsd ages the
 * connection, 6 to 12 minutes. So a client of which nothing was heard for a while is probed by an
 * RDMA Write of no bytes, as our own client probes its servers (client/connection.c): a client that
 * only has nothing to ask for does not notice, for its adapter answers. One that is gone ends the
 * queue pair. How often that tries is the client's choice (InfiniBand architecture, volume 1,
 * 12.7.24), and what a client takes no answers from stays behind those; so a probe that is still
 * under way at the next look is the end too.
 *
 * Memory that no answer and no call needed from one look to the next is freed by then.
 *
 * The path of data does nothing for the probes: a look compares the count of messages, which is
 * kept anyway.
 */
#include <linux/module.h>

#include "connection.h"
#include "trace.h"

#define LOOK_AGAIN 60U /* seconds, where clients are not to be probed now */

static unsigned int server_keepalive = 60;
module_param(server_keepalive, uint, 0644);
MODULE_PARM_DESC(server_keepalive,
		 "seconds of silence after which the server probes a client, and again until one that does not answer is given up, 0 for never");

static void cwrs_look_later(struct cwrs_conn *conn)
{
	unsigned long seconds = READ_ONCE(server_keepalive) ?: LOOK_AGAIN;

	queue_delayed_work(cwrs_workqueue, &conn->look, seconds * HZ);
}

static void cwrs_probed(struct cw_probe *probe, int err)
{
	trace_cwrs_probed(container_of(probe, struct cwrs_conn, probe), err);
}

static void cwrs_look(struct work_struct *work)
{
	struct cwrs_conn *conn = container_of(work, struct cwrs_conn, look.work);
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

void cwrs_keepalive_init(struct cwrs_conn *conn)
{
	INIT_DELAYED_WORK(&conn->look, cwrs_look);
	conn->probe.answered = cwrs_probed;
}

void cwrs_keepalive_start(struct cwrs_conn *conn)
{
	cwrs_look_later(conn);
}

void cwrs_keepalive_stop(struct cwrs_conn *conn)
{
	cancel_delayed_work_sync(&conn->look);
}
