/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A simulated InfiniBand HCA: what its parts share. README.md says what it is.
 *
 * An HCA and its ports are as old as the module. The InfiniBand device of an
 * HCA comes and goes (hot removal); it is found by RCU, and who takes it away
 * waits for a grace period before anything of it is freed.
 *
 * Locks, outermost first: simhca_hca.presence (a mutex), simhca_fabric_lock,
 * or on the data path one queue pair's r_lock, then its s_hlock and s_lock.
 * No lock of a queue pair is taken under one of another queue pair.
 */
#ifndef SIMHCA_H
#define SIMHCA_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>
#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_qp.h>

#define SIMHCA_MAX_HCAS		4
#define SIMHCA_MAX_PORTS	4
#define SIMHCA_PKEYS		32	/* one block of a P_Key table */
#define SIMHCA_GUIDS		8	/* one block of a GUID table */
#define SIMHCA_LID_PERMISSIVE	0xffff

struct simhca_hca;

struct simhca_counters {
	atomic64_t xmit_bytes;
	atomic64_t rcv_bytes;
	atomic64_t xmit_packets;
	atomic64_t rcv_packets;
	atomic64_t multicast_xmit_packets;
	atomic64_t multicast_rcv_packets;
	atomic64_t xmit_discards;
	atomic64_t link_downed;
};

/* Faults of a port, which tests set by debugfs. */
struct simhca_faults {
	u32 drop_ud;		/* every so many-th datagram is lost; 0 is none */
	u32 drop_rc;		/* the same for messages of RC and UC */
	atomic_t ud_seen;
	atomic_t rc_seen;
};

struct simhca_port {
	struct rvt_ibport ibp;
	struct simhca_hca *hca;
	struct simhca_port *peer;	/* at the other end of the cable, or NULL */
	u8 number;			/* from 1 */

	/* Written under simhca_fabric_lock; the data path reads the first three. */
	enum ib_port_state state;
	u16 lid;
	u8 lmc;
	bool cable;			/* is plugged at both ends */
	u8 wanted;			/* physical state when the link is down */
	enum ib_mtu mtu;		/* the operational one, as the subnet manager sets it */
	__be64 guid[SIMHCA_GUIDS];
	u16 pkey[SIMHCA_PKEYS];

	struct simhca_counters counters;
	struct simhca_faults faults;
};

/* An InfiniBand device, from registration to removal. */
struct simhca_device {
	struct rvt_dev_info rdi;	/* first: rvt_alloc_device() counts on it */
	struct simhca_hca *hca;
	struct platform_device *card;	/* the parent; IPoIB takes for granted that there is one */
};

struct simhca_hca {
	int index;
	u64 guid;
	struct mutex presence;		/* held while the device comes or goes */
	struct simhca_device __rcu *device;
	struct simhca_port port[SIMHCA_MAX_PORTS];
};

/* The speeds that links support, from the module's parameters. */
struct simhca_link {
	const char *name;
	u16 speed;			/* enum ib_port_speed */
	u8 legacy_enabled;		/* LinkSpeedSupported and -Enabled of PortInfo */
	u8 legacy_active;
	u8 extended_enabled;		/* LinkSpeedExtSupported and -Enabled */
	u8 extended_active;
};

struct simhca_limits {
	const struct simhca_link *link;
	u8 width;			/* enum ib_port_width */
	u8 width_enabled;
	enum ib_mtu mtu;
};

extern struct simhca_hca *simhca_hcas;
extern unsigned int simhca_hca_count;
extern unsigned int simhca_port_count;
extern struct simhca_limits simhca_limits;
extern spinlock_t simhca_fabric_lock;

static inline struct simhca_hca *simhca_hca_of(struct ib_device *ibdev)
{
	return container_of(ib_to_rvt(ibdev), struct simhca_device, rdi)->hca;
}

static inline struct simhca_port *simhca_port_of(struct rvt_qp *qp)
{
	return &simhca_hca_of(qp->ibqp.device)->port[qp->port_num - 1];
}

/* device.c: both may sleep; adding what is there and removing what is not are no errors. */
int simhca_device_add(struct simhca_hca *hca);
void simhca_device_remove(struct simhca_hca *hca);

/* qp.c */
extern const struct rvt_operation_params simhca_post_parms[RVT_OPERATION_MAX];
extern const enum ib_wc_opcode simhca_wc_opcode[RVT_OPERATION_MAX];
int simhca_qp_init(void);
void simhca_qp_exit(void);
void simhca_qp_set_hooks(struct rvt_driver_provided *hooks);

/* How a work request ended, and when the same is to be tried again. */
enum simhca_outcome {
	SIMHCA_DONE,		/* complete it with the status beside this */
	SIMHCA_RNR,		/* the responder has no receive */
	SIMHCA_LOST,		/* there is no answer */
};

struct simhca_result {
	enum simhca_outcome outcome;
	enum ib_wc_status status;
	u8 rnr_timer;		/* of the responder, for SIMHCA_RNR */
};

/*
 * ud.c, rc.c: carry one work request to its destination. Under RCU, with no
 * lock held; the queue pair is marked busy, so that no other thread sends for it.
 */
struct simhca_result simhca_ud_send(struct rvt_qp *qp, struct rvt_swqe *wqe);
struct simhca_result simhca_rc_send(struct rvt_qp *qp, struct rvt_swqe *wqe);
void simhca_copy(struct rvt_qp *qp, struct rvt_sge_state *to, struct rvt_sge_state *from,
		 u32 length, bool release_to, bool release_from);

/* cabling.c */
int simhca_cable(const char *plan);
u8 simhca_port_physical(const struct simhca_port *port);
void simhca_link_train(struct simhca_port *port);
void simhca_link_bounce(struct simhca_port *port);
bool simhca_port_advance(struct simhca_port *port, enum ib_port_state state);
struct simhca_port *simhca_route(struct simhca_port *from, u32 dlid);
struct simhca_port *simhca_neighbour(struct simhca_port *from);
bool simhca_pkey_matches(u16 one, u16 other);
u16 simhca_pkey(const struct simhca_port *port, unsigned int index);
void simhca_event(struct simhca_port *port, enum ib_event_type type);
void simhca_count(struct simhca_port *from, struct simhca_port *to, u32 bytes);

/* sma.c, pma.c: answer a MAD in place, in any context; return IB_MAD_RESULT_*. */
int simhca_sma(struct ib_device *ibdev, struct simhca_port *port, struct ib_smp *smp);
int simhca_pma(struct simhca_port *port, struct ib_mad *mad);

/* faults.c */
void simhca_faults_init(void);
void simhca_faults_exit(void);
bool simhca_drops(u32 every, atomic_t *seen);

#endif
