// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the verbs alone: requests and replies between two queue pairs of this machine, with no
 * disk and no protocol behind them. The result is the ceiling that the bench compares with.
 *
 *   modprobe rawverbs server=10.0.1.1 client=10.0.0.1
 *   cd /sys/kernel/debug/rawverbs
 *   echo "read 4096 16 2000" >run        # direction, bytes, depth, how many
 *   cat run                              # ios 2000 ns 68000000
 *
 * Up to 4 KiB the data travels beside the request (64 bytes) or the reply (16 bytes), as one SEND.
 * More is moved by the server: the client registers its memory with the request, the server does
 * an RDMA WRITE or an RDMA READ and sends its reply with SEND_WITH_INV, which ends the
 * registration.
 *
 * One run is one connection. The writer of the debugfs file owns both ends, holds run_lock and
 * waits; handlers of the connection manager only tell it how far they got. Every slot is one
 * request in flight with its buffers on both sides. A slot's reply says that its request was
 * received, and its next request says that the reply was: so no buffer waits for a completion of
 * its send, and one send in a few is signalled only to free the queue.
 */
#include <linux/debugfs.h>
#include <linux/inet.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/ib_cm.h>
#include <rdma/rdma_cm.h>

#define RV_PORT 7471
#define RV_REQUEST 64
#define RV_REPLY 16
#define RV_INLINE_MAX 4096U
#define RV_SIZE_MAX 0x100000U
#define RV_DEPTH_MAX 256U
#define RV_SIGNAL_EVERY 8
#define RV_WRS_PER_IO 2
#define RV_TIMEOUT_MS 5000
#define RV_RUN_TIMEOUT_MS (120 * 1000)

static char *server = "10.0.0.1";
module_param(server, charp, 0444);
MODULE_PARM_DESC(server, "IPv4 address of the end that replies");
static char *client = "10.0.0.1";
module_param(client, charp, 0444);
MODULE_PARM_DESC(client, "IPv4 address of the end that asks");

/* Both ends are one machine, so the byte order is its own. */
struct rv_request {
	u32 slot;
	u32 rkey;
	u64 addr;
};

struct rv_end;

struct rv_slot {
	struct rv_end *end;
	u32 number;
	struct ib_cqe received;
	struct ib_cqe read_done; /* server: the data of a large write is here */
	void *out; /* what this end sends */
	void *in; /* what it receives */
	u64 out_dma;
	u64 in_dma;
	struct page *pages; /* data of a large transfer */
	u64 data_dma; /* server: pages, mapped */
	struct scatterlist sg; /* client: pages, mapped */
	bool sg_mapped;
	struct ib_mr *mr;
	u32 peer_rkey;
};

struct rv_run;

struct rv_end {
	struct rv_run *run;
	struct rdma_cm_id *id;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_cqe sent;
	struct rv_slot *slots;
	unsigned int unsignalled;
	u32 out_size;
	u32 in_size;
	bool is_client;
};

struct rv_run {
	bool write;
	u32 size;
	u32 depth;
	u32 ios;
	atomic_t to_issue;
	atomic_t finished;
	int error;
	bool stopping;
	struct completion step; /* the connection manager got on, or failed */
	struct completion accepted;
	struct completion done;
	struct rdma_cm_id *listener;
	struct rv_end client;
	struct rv_end server;
	u64 ns;
};

static DEFINE_MUTEX(run_lock);
static u32 last_ios;
static u64 last_ns;
static struct dentry *folder;

static void rv_fail(struct rv_run *run, int err)
{
	if (!READ_ONCE(run->stopping))
		WRITE_ONCE(run->error, err);
	complete(&run->step);
	complete(&run->accepted);
	complete(&run->done);
}

static bool rv_large(const struct rv_run *run)
{
	return run->size > RV_INLINE_MAX;
}

/* ---- data path, in softirq ---- */

static void rv_sent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct rv_end *end = container_of(wc->wr_cqe, struct rv_end, sent);

	if (wc->status != IB_WC_SUCCESS)
		rv_fail(end->run, -EIO);
}

static int rv_post_receive(struct rv_slot *slot)
{
	struct rv_end *end = slot->end;
	struct ib_sge sge = {
		.addr = slot->in_dma,
		.length = end->in_size,
		.lkey = end->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = {
		.wr_cqe = &slot->received,
		.sg_list = &sge,
		.num_sge = 1,
	};

	return ib_post_recv(end->id->qp, &wr, NULL);
}

static void rv_prepare_send(struct rv_slot *slot, struct ib_sge *sge, struct ib_send_wr *wr,
			    u32 length)
{
	struct rv_end *end = slot->end;

	*sge = (struct ib_sge){
		.addr = slot->out_dma,
		.length = length,
		.lkey = end->pd->local_dma_lkey,
	};
	*wr = (struct ib_send_wr){
		.wr_cqe = &end->sent,
		.sg_list = sge,
		.num_sge = 1,
		.opcode = IB_WR_SEND,
	};
	if (++end->unsignalled == RV_SIGNAL_EVERY) {
		end->unsignalled = 0;
		wr->send_flags = IB_SEND_SIGNALED;
	}
}

/* A request that carries its data, or asks for data in its reply. */
static int rv_ask_inline(struct rv_slot *slot)
{
	struct ib_send_wr wr;
	struct ib_sge sge;

	rv_prepare_send(slot, &sge, &wr, slot->end->out_size);
	return ib_post_send(slot->end->id->qp, &wr, NULL);
}

/* A request with a window on the client's memory, registered in the same post. */
static int rv_ask_large(struct rv_slot *slot)
{
	struct rv_run *run = slot->end->run;
	struct rv_request *request = slot->out;
	struct ib_mr *mr = slot->mr;
	struct ib_reg_wr reg = {};
	struct ib_send_wr send;
	struct ib_sge sge;

	if (ib_map_mr_sg(mr, &slot->sg, 1, NULL, PAGE_SIZE) != 1)
		return -EINVAL;
	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
	request->rkey = mr->rkey;
	request->addr = mr->iova;
	rv_prepare_send(slot, &sge, &send, RV_REQUEST);
	reg.wr.opcode = IB_WR_REG_MR;
	reg.wr.wr_cqe = &slot->end->sent;
	reg.wr.next = &send;
	reg.mr = mr;
	reg.key = mr->rkey;
	reg.access = IB_ACCESS_LOCAL_WRITE;
	reg.access |= run->write ? IB_ACCESS_REMOTE_READ : IB_ACCESS_REMOTE_WRITE;
	return ib_post_send(slot->end->id->qp, &reg.wr, NULL);
}

static void rv_ask(struct rv_slot *slot)
{
	struct rv_run *run = slot->end->run;
	int err;

	if (atomic_dec_if_positive(&run->to_issue) < 0)
		return;
	((struct rv_request *)slot->out)->slot = slot->number;
	err = rv_large(run) ? rv_ask_large(slot) : rv_ask_inline(slot);
	if (err)
		rv_fail(run, err);
}

static void rv_reply_received(struct ib_cq *cq, struct ib_wc *wc)
{
	struct rv_slot *slot = container_of(wc->wr_cqe, struct rv_slot, received);
	struct rv_run *run = slot->end->run;
	struct rv_request *reply = slot->in;
	u32 number = reply->slot;

	if (wc->status != IB_WC_SUCCESS || number >= run->depth) {
		rv_fail(run, -EIO);
		return;
	}
	if (rv_post_receive(slot)) {
		rv_fail(run, -EIO);
		return;
	}
	if (atomic_inc_return(&run->finished) == run->ios)
		complete(&run->done);
	else
		rv_ask(&slot->end->slots[number]);
}

/* The reply of a large transfer; for a read with the RDMA WRITE before it. */
static int rv_reply_large(struct rv_slot *slot, u64 addr)
{
	struct rv_end *end = slot->end;
	struct rv_run *run = end->run;
	struct ib_rdma_wr rdma = {};
	struct ib_sge data_sge, sge;
	struct ib_send_wr send;

	rv_prepare_send(slot, &sge, &send, RV_REPLY);
	send.opcode = IB_WR_SEND_WITH_INV;
	send.ex.invalidate_rkey = slot->peer_rkey;
	if (run->write)
		return ib_post_send(end->id->qp, &send, NULL);
	data_sge = (struct ib_sge){
		.addr = slot->data_dma,
		.length = run->size,
		.lkey = end->pd->local_dma_lkey,
	};
	rdma.wr.opcode = IB_WR_RDMA_WRITE;
	rdma.wr.wr_cqe = &end->sent;
	rdma.wr.sg_list = &data_sge;
	rdma.wr.num_sge = 1;
	rdma.wr.next = &send;
	rdma.remote_addr = addr;
	rdma.rkey = slot->peer_rkey;
	return ib_post_send(end->id->qp, &rdma.wr, NULL);
}

static int rv_fetch(struct rv_slot *slot, u64 addr)
{
	struct rv_end *end = slot->end;
	struct ib_sge sge = {
		.addr = slot->data_dma,
		.length = end->run->size,
		.lkey = end->pd->local_dma_lkey,
	};
	struct ib_rdma_wr rdma = {
		.wr = {
			.opcode = IB_WR_RDMA_READ,
			.wr_cqe = &slot->read_done,
			.sg_list = &sge,
			.num_sge = 1,
			.send_flags = IB_SEND_SIGNALED,
		},
		.remote_addr = addr,
		.rkey = slot->peer_rkey,
	};

	return ib_post_send(end->id->qp, &rdma.wr, NULL);
}

static void rv_fetched(struct ib_cq *cq, struct ib_wc *wc)
{
	struct rv_slot *slot = container_of(wc->wr_cqe, struct rv_slot, read_done);

	if (wc->status != IB_WC_SUCCESS || rv_reply_large(slot, 0))
		rv_fail(slot->end->run, -EIO);
}

static int rv_reply_inline(struct rv_slot *slot)
{
	struct ib_send_wr wr;
	struct ib_sge sge;

	rv_prepare_send(slot, &sge, &wr, slot->end->out_size);
	return ib_post_send(slot->end->id->qp, &wr, NULL);
}

static void rv_request_received(struct ib_cq *cq, struct ib_wc *wc)
{
	struct rv_slot *slot = container_of(wc->wr_cqe, struct rv_slot, received);
	struct rv_end *end = slot->end;
	struct rv_run *run = end->run;
	struct rv_request request;
	struct rv_slot *answer;
	int err;

	if (wc->status != IB_WC_SUCCESS) {
		rv_fail(run, -EIO);
		return;
	}
	request = *(struct rv_request *)slot->in;
	if (request.slot >= run->depth || rv_post_receive(slot)) {
		rv_fail(run, -EIO);
		return;
	}
	answer = &end->slots[request.slot];
	((struct rv_request *)answer->out)->slot = request.slot;
	answer->peer_rkey = request.rkey;
	if (!rv_large(run))
		err = rv_reply_inline(answer);
	else if (run->write)
		err = rv_fetch(answer, request.addr);
	else
		err = rv_reply_large(answer, request.addr);
	if (err)
		rv_fail(run, err);
}

/* ---- ends ---- */

static void rv_slot_free(struct rv_slot *slot)
{
	struct rv_end *end = slot->end;
	struct ib_device *device = end->id->device;

	if (slot->mr)
		ib_dereg_mr(slot->mr);
	if (slot->data_dma)
		ib_dma_unmap_page(device, slot->data_dma, end->run->size, DMA_BIDIRECTIONAL);
	if (slot->sg_mapped)
		ib_dma_unmap_sg(device, &slot->sg, 1, DMA_BIDIRECTIONAL);
	if (slot->pages)
		__free_pages(slot->pages, get_order(end->run->size));
	if (slot->out_dma)
		ib_dma_unmap_single(device, slot->out_dma, end->out_size, DMA_TO_DEVICE);
	if (slot->in_dma)
		ib_dma_unmap_single(device, slot->in_dma, end->in_size, DMA_FROM_DEVICE);
	kfree(slot->out);
	kfree(slot->in);
}

static int rv_slot_map_data(struct rv_slot *slot)
{
	struct rv_end *end = slot->end;
	struct rv_run *run = end->run;
	struct ib_device *device = end->id->device;
	u64 dma;

	slot->pages = alloc_pages(GFP_KERNEL | __GFP_ZERO, get_order(run->size));
	if (!slot->pages)
		return -ENOMEM;
	if (!end->is_client) {
		dma = ib_dma_map_page(device, slot->pages, 0, run->size, DMA_BIDIRECTIONAL);
		if (ib_dma_mapping_error(device, dma))
			return -ENOMEM;
		slot->data_dma = dma;
		return 0;
	}
	slot->mr = ib_alloc_mr(end->pd, IB_MR_TYPE_MEM_REG, run->size >> PAGE_SHIFT);
	if (IS_ERR(slot->mr)) {
		int err = PTR_ERR(slot->mr);

		slot->mr = NULL;
		return err;
	}
	sg_init_table(&slot->sg, 1);
	sg_set_page(&slot->sg, slot->pages, run->size, 0);
	slot->sg_mapped = ib_dma_map_sg(device, &slot->sg, 1, DMA_BIDIRECTIONAL) == 1;
	return slot->sg_mapped ? 0 : -ENOMEM;
}

static int rv_slot_init(struct rv_end *end, u32 number)
{
	struct rv_slot *slot = &end->slots[number];
	struct ib_device *device = end->id->device;
	u64 dma;

	slot->end = end;
	slot->number = number;
	slot->received.done = end->is_client ? rv_reply_received : rv_request_received;
	slot->read_done.done = rv_fetched;
	slot->out = kzalloc(end->out_size, GFP_KERNEL);
	slot->in = kzalloc(end->in_size, GFP_KERNEL);
	if (!slot->out || !slot->in)
		return -ENOMEM;
	dma = ib_dma_map_single(device, slot->out, end->out_size, DMA_TO_DEVICE);
	if (ib_dma_mapping_error(device, dma))
		return -ENOMEM;
	slot->out_dma = dma;
	dma = ib_dma_map_single(device, slot->in, end->in_size, DMA_FROM_DEVICE);
	if (ib_dma_mapping_error(device, dma))
		return -ENOMEM;
	slot->in_dma = dma;
	if (rv_large(end->run)) {
		int err = rv_slot_map_data(slot);

		if (err)
			return err;
	}
	return rv_post_receive(slot);
}

/* Frees what rv_end_init made, also half of it; the id stays. */
static void rv_end_destroy(struct rv_end *end)
{
	u32 i;

	if (end->id && end->id->qp) {
		ib_drain_qp(end->id->qp);
		rdma_destroy_qp(end->id);
	}
	for (i = 0; end->slots && i < end->run->depth; i++)
		if (end->slots[i].end)
			rv_slot_free(&end->slots[i]);
	kfree(end->slots);
	end->slots = NULL;
	if (end->cq)
		ib_free_cq(end->cq);
	end->cq = NULL;
	if (end->pd)
		ib_dealloc_pd(end->pd);
	end->pd = NULL;
}

/* Makes an end ready to be connected, its receives posted. */
static int rv_end_init(struct rv_end *end)
{
	struct rv_run *run = end->run;
	u32 sends = (run->depth + RV_SIGNAL_EVERY) * 2 * RV_WRS_PER_IO;
	struct ib_qp_init_attr attr = {
		.cap = {
			.max_send_wr = sends,
			.max_recv_wr = run->depth,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
	};
	u32 request = RV_REQUEST, reply = RV_REPLY;
	u32 i;
	int err;

	if (!rv_large(run))
		*(run->write ? &request : &reply) += run->size;
	end->out_size = end->is_client ? request : reply;
	end->in_size = end->is_client ? reply : request;
	end->sent.done = rv_sent;
	end->slots = kcalloc(run->depth, sizeof(*end->slots), GFP_KERNEL);
	if (!end->slots)
		return -ENOMEM;
	end->pd = ib_alloc_pd(end->id->device, 0);
	if (IS_ERR(end->pd)) {
		err = PTR_ERR(end->pd);
		end->pd = NULL;
		return err;
	}
	end->cq = ib_alloc_cq(end->id->device, end, sends + run->depth + 2, 0,
			      IB_POLL_SOFTIRQ);
	if (IS_ERR(end->cq)) {
		err = PTR_ERR(end->cq);
		end->cq = NULL;
		return err;
	}
	attr.send_cq = end->cq;
	attr.recv_cq = end->cq;
	err = rdma_create_qp(end->id, end->pd, &attr);
	for (i = 0; !err && i < run->depth; i++)
		err = rv_slot_init(end, i);
	return err;
}

/* ---- connection ---- */

static void rv_connect_params(struct rdma_conn_param *params)
{
	*params = (struct rdma_conn_param){
		.responder_resources = 16,
		.initiator_depth = 16,
		.retry_count = 7,
		.rnr_retry_count = 7,
	};
}

static int rv_accept(struct rv_run *run, struct rdma_cm_id *id)
{
	struct rdma_conn_param params;
	int err;

	if (run->server.id)
		return -EBUSY; /* the caller's id is destroyed by the connection manager */
	run->server.id = id;
	id->context = run;
	rv_connect_params(&params);
	err = rv_end_init(&run->server);
	if (!err)
		err = rdma_accept(id, &params);
	if (err)
		rv_fail(run, err);
	return 0; /* the writer destroys it */
}

static int rv_cm_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct rv_run *run = id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return rv_accept(run, id);
	case RDMA_CM_EVENT_ADDR_RESOLVED:
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		complete(&run->step);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		complete(id == run->client.id ? &run->step : &run->accepted);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		if (!READ_ONCE(run->stopping))
			rv_fail(run, -ECONNRESET);
		break;
	default:
		pr_warn("rawverbs: %s, status %d\n", rdma_event_msg(event->event), event->status);
		rv_fail(run, event->status < 0 ? event->status : -ECONNREFUSED);
	}
	return 0;
}

static int rv_wait(struct rv_run *run, struct completion *what, unsigned int ms)
{
	if (!wait_for_completion_timeout(what, msecs_to_jiffies(ms)))
		return -ETIMEDOUT;
	return READ_ONCE(run->error);
}

static int rv_address(const char *text, u16 port, struct sockaddr_in *address)
{
	*address = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port) };
	return in4_pton(text, -1, (u8 *)&address->sin_addr, -1, NULL) ? 0 : -EINVAL;
}

static struct rdma_cm_id *rv_create_id(struct rv_run *run)
{
	return rdma_create_id(&init_net, rv_cm_event, run, RDMA_PS_TCP, IB_QPT_RC);
}

static int rv_listen(struct rv_run *run)
{
	struct sockaddr_in address;
	struct rdma_cm_id *id;
	int err = rv_address(server, RV_PORT, &address);

	if (err)
		return err;
	id = rv_create_id(run);
	if (IS_ERR(id))
		return PTR_ERR(id);
	run->listener = id;
	err = rdma_bind_addr(id, (struct sockaddr *)&address);
	return err ?: rdma_listen(id, 1);
}

static int rv_connect(struct rv_run *run)
{
	struct sockaddr_in from, to;
	struct rdma_conn_param params;
	struct rdma_cm_id *id;
	int err = rv_address(client, 0, &from) ?: rv_address(server, RV_PORT, &to);

	if (err)
		return err;
	id = rv_create_id(run);
	if (IS_ERR(id))
		return PTR_ERR(id);
	run->client.id = id;
	err = rdma_resolve_addr(id, (struct sockaddr *)&from, (struct sockaddr *)&to,
				RV_TIMEOUT_MS) ?:
	      rv_wait(run, &run->step, RV_TIMEOUT_MS);
	if (err)
		return err;
	err = rdma_resolve_route(id, RV_TIMEOUT_MS) ?: rv_wait(run, &run->step, RV_TIMEOUT_MS);
	if (err)
		return err;
	rv_connect_params(&params);
	err = rv_end_init(&run->client) ?: rdma_connect(id, &params);
	if (err)
		return err;
	return rv_wait(run, &run->step, RV_TIMEOUT_MS) ?:
	       rv_wait(run, &run->accepted, RV_TIMEOUT_MS);
}

/*
 * Three ids of the connection manager and the two queue pairs still refer to the run. The client's
 * disconnect ends both connections; draining waits for the queue pairs; an id is destroyed after
 * its last event was handled, the listener first, so that no new end appears.
 */
static void rv_disconnect(struct rv_run *run)
{
	WRITE_ONCE(run->stopping, true);
	if (run->client.id && run->client.id->qp)
		rdma_disconnect(run->client.id);
	if (run->listener)
		rdma_destroy_id(run->listener);
	rv_end_destroy(&run->client);
	rv_end_destroy(&run->server);
	if (run->client.id)
		rdma_destroy_id(run->client.id);
	if (run->server.id)
		rdma_destroy_id(run->server.id);
}

/* ---- debugfs ---- */

static int rv_measure(struct rv_run *run)
{
	u64 began;
	u32 i;
	int err;

	err = rv_listen(run) ?: rv_connect(run);
	if (err)
		return err;
	began = ktime_get_ns();
	for (i = 0; i < run->depth; i++)
		rv_ask(&run->client.slots[i]);
	err = rv_wait(run, &run->done, RV_RUN_TIMEOUT_MS);
	run->ns = ktime_get_ns() - began;
	return err;
}

static int rv_parse(struct rv_run *run, const char *text)
{
	char direction[8];

	if (sscanf(text, "%7s %u %u %u", direction, &run->size, &run->depth, &run->ios) != 4)
		return -EINVAL;
	run->write = !strcmp(direction, "write");
	if (!run->write && strcmp(direction, "read"))
		return -EINVAL;
	if (!run->size || run->size > RV_SIZE_MAX || (rv_large(run) && run->size % PAGE_SIZE))
		return -ERANGE;
	if (!run->depth || run->depth > RV_DEPTH_MAX)
		return -ERANGE;
	if (run->ios < run->depth || run->ios > INT_MAX)
		return -ERANGE;
	return 0;
}

static ssize_t rv_run_write(struct file *file, const char __user *from, size_t length, loff_t *at)
{
	struct rv_run *run;
	char text[64];
	ssize_t err;

	if (length >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, length))
		return -EFAULT;
	text[length] = '\0';
	run = kzalloc(sizeof(*run), GFP_KERNEL);
	if (!run)
		return -ENOMEM;
	err = rv_parse(run, text);
	if (err)
		goto free_run;
	init_completion(&run->step);
	init_completion(&run->accepted);
	init_completion(&run->done);
	atomic_set(&run->to_issue, run->ios);
	run->client.run = run;
	run->client.is_client = true;
	run->server.run = run;

	mutex_lock(&run_lock);
	err = rv_measure(run);
	rv_disconnect(run);
	if (!err) {
		last_ios = run->ios;
		last_ns = run->ns;
		err = length;
	}
	mutex_unlock(&run_lock);
free_run:
	kfree(run);
	return err;
}

static ssize_t rv_run_read(struct file *file, char __user *to, size_t length, loff_t *at)
{
	char text[64];
	int n;

	mutex_lock(&run_lock);
	n = scnprintf(text, sizeof(text), "ios %u ns %llu\n", last_ios, last_ns);
	mutex_unlock(&run_lock);
	return simple_read_from_buffer(to, length, at, text, n);
}

static const struct file_operations rv_run_operations = {
	.owner = THIS_MODULE,
	.read = rv_run_read,
	.write = rv_run_write,
	.llseek = default_llseek,
};

static int __init rawverbs_init(void)
{
	folder = debugfs_create_dir("rawverbs", NULL);
	debugfs_create_file("run", 0600, folder, NULL, &rv_run_operations);
	return 0;
}

static void __exit rawverbs_exit(void)
{
	debugfs_remove_recursive(folder);
}

module_init(rawverbs_init);
module_exit(rawverbs_exit);
MODULE_DESCRIPTION("Measures requests and replies between two queue pairs, nothing else");
MODULE_LICENSE("GPL");
