// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cables, links and where packets go.
 *
 * A cable joins two ports, and the two are a subnet. A link is up when the
 * cable is plugged, both HCAs are there and both ports are polling; its ports
 * are then in INIT until a subnet manager says more (InfiniBand Architecture
 * Specification, 7.2, Link states).
 */
#include "simhca.h"

DEFINE_SPINLOCK(simhca_fabric_lock);

static bool present(const struct simhca_port *port)
{
	return rcu_access_pointer(port->hca->device);
}

static bool link_is_up(const struct simhca_port *port)
{
	const struct simhca_port *peer = port->peer;

	return peer && port->cable && present(port) && present(peer) &&
	       port->wanted == IB_PORT_PHYS_STATE_POLLING &&
	       peer->wanted == IB_PORT_PHYS_STATE_POLLING;
}

/* The physical state that PortInfo tells. */
u8 simhca_port_physical(const struct simhca_port *port)
{
	return port->state == IB_PORT_DOWN ? port->wanted : IB_PORT_PHYS_STATE_LINK_UP;
}

/* Reports an event to the users of the device. Without an HCA, the device has no users. */
void simhca_event(struct simhca_port *port, enum ib_event_type type)
{
	struct ib_event event = { .event = type, .element.port_num = port->number };
	struct simhca_device *device;

	rcu_read_lock();
	device = rcu_dereference(port->hca->device);
	if (device) {
		event.device = &device->rdi.ibdev;
		ib_dispatch_event(&event);
	}
	rcu_read_unlock();
}

static void set_state(struct simhca_port *port, enum ib_port_state state)
{
	enum ib_port_state old = port->state;

	lockdep_assert_held(&simhca_fabric_lock);
	if (old == state)
		return;
	WRITE_ONCE(port->state, state);
	if (state == IB_PORT_DOWN)
		atomic64_inc(&port->counters.link_downed);
	if (state == IB_PORT_ACTIVE)
		simhca_event(port, IB_EVENT_PORT_ACTIVE);
	else if (old == IB_PORT_ACTIVE)
		simhca_event(port, IB_EVENT_PORT_ERR);
}

static void train_end(struct simhca_port *port, bool up)
{
	if (!up)
		set_state(port, IB_PORT_DOWN);
	else if (port->state == IB_PORT_DOWN)
		set_state(port, IB_PORT_INIT);
}

/* Bring a link's two ports in line with what the link is. Under simhca_fabric_lock. */
void simhca_link_train(struct simhca_port *port)
{
	bool up = link_is_up(port);

	lockdep_assert_held(&simhca_fabric_lock);
	train_end(port, up);
	if (port->peer)
		train_end(port->peer, up);
}

/* Lose the link and train it again. Under simhca_fabric_lock. */
void simhca_link_bounce(struct simhca_port *port)
{
	lockdep_assert_held(&simhca_fabric_lock);
	train_end(port, false);
	if (port->peer)
		train_end(port->peer, false);
	simhca_link_train(port);
}

/* Sets INIT to ARMED, or ARMED to ACTIVE, for a subnet manager. Under simhca_fabric_lock. */
bool simhca_port_advance(struct simhca_port *port, enum ib_port_state state)
{
	lockdep_assert_held(&simhca_fabric_lock);
	if (port->state != state && port->state + 1 != state)
		return false;
	if (state != IB_PORT_ARMED && state != IB_PORT_ACTIVE)
		return false;
	set_state(port, state);
	return true;
}

static bool has_lid(const struct simhca_port *port, u32 lid)
{
	u16 own = READ_ONCE(port->lid);

	return own && (lid & ~(BIT(port->lmc) - 1)) == own;
}

/* The port at the other end of a link that is up, for packets of subnet management. */
struct simhca_port *simhca_neighbour(struct simhca_port *from)
{
	return READ_ONCE(from->state) == IB_PORT_DOWN ? NULL : from->peer;
}

/* The port with that LID in the subnet of an active port; NULL when no data get there. */
struct simhca_port *simhca_route(struct simhca_port *from, u32 dlid)
{
	struct simhca_port *peer = from->peer;

	if (READ_ONCE(from->state) != IB_PORT_ACTIVE)
		return NULL;
	if (has_lid(from, dlid))
		return from;
	if (peer && READ_ONCE(peer->state) == IB_PORT_ACTIVE && has_lid(peer, dlid))
		return peer;
	return NULL;
}

/* InfiniBand Architecture Specification, 10.9.3: one of the two must be a full member. */
bool simhca_pkey_matches(u16 one, u16 other)
{
	return (one & 0x7fff) && (one & 0x7fff) == (other & 0x7fff) && ((one | other) & 0x8000);
}

u16 simhca_pkey(const struct simhca_port *port, unsigned int index)
{
	return index < SIMHCA_PKEYS ? READ_ONCE(port->pkey[index]) : 0;
}

void simhca_count(struct simhca_port *from, struct simhca_port *to, u32 bytes)
{
	u32 packets = max_t(u32, 1, DIV_ROUND_UP(bytes, ib_mtu_enum_to_int(from->mtu)));

	atomic64_add(bytes, &from->counters.xmit_bytes);
	atomic64_add(packets, &from->counters.xmit_packets);
	atomic64_add(bytes, &to->counters.rcv_bytes);
	atomic64_add(packets, &to->counters.rcv_packets);
}

static struct simhca_port *find_port(unsigned int hca, unsigned int port)
{
	if (hca >= simhca_hca_count || port < 1 || port > simhca_port_count)
		return NULL;
	return &simhca_hcas[hca].port[port - 1];
}

static int join(unsigned int hca_a, unsigned int port_a, unsigned int hca_b, unsigned int port_b)
{
	struct simhca_port *a, *b;

	a = find_port(hca_a, port_a);
	b = find_port(hca_b, port_b);
	if (!a || !b || a == b || a->peer || b->peer)
		return -EINVAL;
	a->peer = b;
	b->peer = a;
	a->cable = true;
	b->cable = true;
	return 0;
}

static void join_as_usual(void)
{
	unsigned int hca, port;

	if (simhca_hca_count == 1) {
		for (port = 1; port < simhca_port_count; port += 2)
			join(0, port, 0, port + 1);
		return;
	}
	for (hca = 0; hca + 1 < simhca_hca_count; hca += 2)
		for (port = 1; port <= simhca_port_count; port++)
			join(hca, port, hca + 1, port);
}

/* Lay the cables of the plan HCA:PORT-HCA:PORT,... or, when it is empty, the usual ones. */
int simhca_cable(const char *plan)
{
	unsigned int hca_a, port_a, hca_b, port_b;
	int used;

	if (!*plan) {
		join_as_usual();
		return 0;
	}
	while (*plan) {
		used = 0;
		if (sscanf(plan, "%u:%u-%u:%u%n", &hca_a, &port_a, &hca_b, &port_b, &used) != 4 ||
		    (plan[used] && plan[used] != ',') ||
		    join(hca_a, port_a, hca_b, port_b)) {
			pr_err("simhca: cables= at \"%s\": no HCA:PORT-HCA:PORT of two free ports\n",
			       plan);
			return -EINVAL;
		}
		plan += used + (plan[used] == ',');
	}
	return 0;
}
