// SPDX-License-Identifier: GPL-2.0-only
/*
 * The performance management agent: a port's counters (InfiniBand
 * Architecture Specification, 16.1.3), for perfquery and sysfs.
 */
#include <rdma/ib_pma.h>

#include "simhca.h"

#define STATUS_BAD_VERSION	cpu_to_be16(1 << 2)
#define STATUS_UNSUPPORTED	cpu_to_be16(3 << 2)
#define STATUS_BAD_FIELD	cpu_to_be16(7 << 2)
#define ALL_PORTS		0xff

static int reply(struct ib_pma_mad *pma)
{
	pma->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}

static int reply_with(struct ib_pma_mad *pma, __be16 status)
{
	pma->mad_hdr.status |= status;
	return reply(pma);
}

static int class_port_info(struct ib_pma_mad *pma)
{
	struct ib_class_port_info *info = (struct ib_class_port_info *)pma->data;

	memset(pma->data, 0, sizeof(pma->data));
	info->base_version = IB_MGMT_BASE_VERSION;
	info->class_version = 1;
	info->capability_mask = IB_PMA_CLASS_CAP_EXT_WIDTH;
	ib_set_cpi_resp_time(info, 16);
	return reply(pma);
}

/* Counters of 32 bits and less stay at their largest value. */
static u32 capped(atomic64_t *counter, u32 unit, u32 most)
{
	return min_t(u64, atomic64_read(counter) / unit, most);
}

static void fill_counters(struct simhca_counters *counters, struct ib_pma_portcounters *data,
			  u8 select)
{
	memset(data, 0, sizeof(*data));
	data->port_select = select;
	data->link_downed_counter = capped(&counters->link_downed, 1, U8_MAX);
	data->port_xmit_discards = cpu_to_be16(capped(&counters->xmit_discards, 1, U16_MAX));
	data->port_xmit_data = cpu_to_be32(capped(&counters->xmit_bytes, 4, U32_MAX));
	data->port_rcv_data = cpu_to_be32(capped(&counters->rcv_bytes, 4, U32_MAX));
	data->port_xmit_packets = cpu_to_be32(capped(&counters->xmit_packets, 1, U32_MAX));
	data->port_rcv_packets = cpu_to_be32(capped(&counters->rcv_packets, 1, U32_MAX));
}

static void clear_counters(struct simhca_counters *counters, __be16 select)
{
	if (select & IB_PMA_SEL_LINK_DOWNED)
		atomic64_set(&counters->link_downed, 0);
	if (select & IB_PMA_SEL_PORT_XMIT_DISCARDS)
		atomic64_set(&counters->xmit_discards, 0);
	if (select & IB_PMA_SEL_PORT_XMIT_DATA)
		atomic64_set(&counters->xmit_bytes, 0);
	if (select & IB_PMA_SEL_PORT_RCV_DATA)
		atomic64_set(&counters->rcv_bytes, 0);
	if (select & IB_PMA_SEL_PORT_XMIT_PACKETS)
		atomic64_set(&counters->xmit_packets, 0);
	if (select & IB_PMA_SEL_PORT_RCV_PACKETS)
		atomic64_set(&counters->rcv_packets, 0);
}

static void fill_extended(struct simhca_counters *counters, struct ib_pma_portcounters_ext *data,
			  u8 select)
{
	u64 out = atomic64_read(&counters->xmit_packets);
	u64 in = atomic64_read(&counters->rcv_packets);
	u64 multicast_out = atomic64_read(&counters->multicast_xmit_packets);
	u64 multicast_in = atomic64_read(&counters->multicast_rcv_packets);

	memset(data, 0, sizeof(*data));
	data->port_select = select;
	data->port_xmit_data = cpu_to_be64(atomic64_read(&counters->xmit_bytes) / 4);
	data->port_rcv_data = cpu_to_be64(atomic64_read(&counters->rcv_bytes) / 4);
	data->port_xmit_packets = cpu_to_be64(out);
	data->port_rcv_packets = cpu_to_be64(in);
	data->port_unicast_xmit_packets = cpu_to_be64(out - min(out, multicast_out));
	data->port_unicast_rcv_packets = cpu_to_be64(in - min(in, multicast_in));
	data->port_multicast_xmit_packets = cpu_to_be64(multicast_out);
	data->port_multicast_rcv_packets = cpu_to_be64(multicast_in);
}

static void clear_extended(struct simhca_counters *counters, __be16 select)
{
	if (select & IB_PMA_SELX_PORT_XMIT_DATA)
		atomic64_set(&counters->xmit_bytes, 0);
	if (select & IB_PMA_SELX_PORT_RCV_DATA)
		atomic64_set(&counters->rcv_bytes, 0);
	if (select & IB_PMA_SELX_PORT_XMIT_PACKETS)
		atomic64_set(&counters->xmit_packets, 0);
	if (select & IB_PMA_SELX_PORT_RCV_PACKETS)
		atomic64_set(&counters->rcv_packets, 0);
	if (select & IB_PMA_SELX_PORT_MULTI_XMIT_PACKETS)
		atomic64_set(&counters->multicast_xmit_packets, 0);
	if (select & IB_PMA_SELX_PORT_MULTI_RCV_PACKETS)
		atomic64_set(&counters->multicast_rcv_packets, 0);
}

int simhca_pma(struct simhca_port *port, struct ib_mad *mad)
{
	struct ib_pma_mad *pma = (struct ib_pma_mad *)mad;
	bool set = pma->mad_hdr.method == IB_MGMT_METHOD_SET;
	/* Both kinds of counters begin alike. */
	struct ib_pma_portcounters *asked = (struct ib_pma_portcounters *)pma->data;
	__be16 select = asked->counter_select;
	u8 number = asked->port_select;

	if (!set && pma->mad_hdr.method != IB_MGMT_METHOD_GET)
		return IB_MAD_RESULT_SUCCESS;
	if (pma->mad_hdr.class_version != 1)
		return reply_with(pma, STATUS_BAD_VERSION);
	if (pma->mad_hdr.attr_id == IB_PMA_CLASS_PORT_INFO)
		return class_port_info(pma);
	if (number != port->number && number != ALL_PORTS)
		return reply_with(pma, STATUS_BAD_FIELD);

	switch (pma->mad_hdr.attr_id) {
	case IB_PMA_PORT_COUNTERS:
		if (set)
			clear_counters(&port->counters, select);
		fill_counters(&port->counters, asked, number);
		return reply(pma);
	case IB_PMA_PORT_COUNTERS_EXT:
		if (set)
			clear_extended(&port->counters, select);
		fill_extended(&port->counters, (struct ib_pma_portcounters_ext *)pma->data, number);
		return reply(pma);
	default:
		return reply_with(pma, STATUS_UNSUPPORTED);
	}
}
