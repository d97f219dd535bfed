// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
/*
 * The addresses of a server in EXPORTS (PROTOCOL, section 3, rule 13, and section 11).
 *
 * A server can list the address of any other host. The checks here cannot detect that. They refuse
 * addresses that belong to no host, to several hosts, or to a different host on each link.
 */
#include "bytes.h"

static bool cw_address_valid_v4(const u8 *bytes)
{
	if (!cw_is_zero(bytes + 4, CW_WIRE_ADDRESS - 4))
		return false;
	/* 0.0.0.0/8; multicast, reserved and broadcast from 224.0.0.0 on; 169.254.0.0/16 */
	return bytes[0] && bytes[0] < 224 && !(bytes[0] == 169 && bytes[1] == 254);
}

static bool cw_address_valid_v6(const u8 *bytes)
{
	bool mapped = cw_is_zero(bytes, 10) && bytes[10] == 0xff && bytes[11] == 0xff;
	bool of_link = bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;

	/* A mapped IPv4 address would be a second form of the same address. */
	return !cw_is_zero(bytes, CW_WIRE_ADDRESS) && bytes[0] != 0xff && !mapped && !of_link;
}

bool cw_known_transport(u8 transport)
{
	return transport == CW_WIRE_RDMA || transport == CW_WIRE_TCP;
}

bool cw_valid_address(const struct cw_address *address)
{
	if (!cw_known_transport(address->transport))
		return false;
	switch (address->family) {
	case CW_WIRE_IPV4:
		return cw_address_valid_v4(address->bytes);
	case CW_WIRE_IPV6:
		return cw_address_valid_v6(address->bytes);
	default:
		return false;
	}
}

bool cw_same_host(const struct cw_address *a, const struct cw_address *b)
{
	return a->family == b->family && !memcmp(a->bytes, b->bytes, CW_WIRE_ADDRESS);
}

bool cw_same_address(const struct cw_address *a, const struct cw_address *b)
{
	return a->transport == b->transport && a->port == b->port && cw_same_host(a, b);
}

static bool cw_address_take(const struct cw_wire_address *rec, struct cw_address *out)
{
	out->transport = rec->transport;
	out->family = rec->family;
	out->port = __le16_to_cpu(rec->port);
	memcpy(out->bytes, rec->address, sizeof(out->bytes));
	if (!out->transport || !out->port || !cw_is_zero(rec->reserved, sizeof(rec->reserved)))
		return false;
	/* A later transport may have families and addresses of its own. */
	return !cw_known_transport(out->transport) || cw_valid_address(out);
}

static bool cw_address_is_among(const struct cw_address *address, const struct cw_address *list,
				size_t count)
{
	while (count--)
		if (cw_same_address(&list[count], address))
			return true;
	return false;
}

int cw_parse_addresses(const struct cw_wire_address rec[CW_WIRE_ADDRESSES],
		       struct cw_address out[CW_WIRE_ADDRESSES])
{
	struct cw_address list[CW_WIRE_ADDRESSES];
	struct cw_wire_address wire;
	int i, count = 0;

	memset(list, 0, sizeof(list));
	for (i = 0; i < CW_WIRE_ADDRESSES; i++) {
		memcpy(&wire, &rec[i], sizeof(wire));
		if (cw_is_zero(&wire, sizeof(wire)))
			continue;
		/* i != count: there is a gap before this one */
		if (i != count || !cw_address_take(&wire, &list[count]) ||
		    cw_address_is_among(&list[count], list, count))
			return -EPROTO;
		count++;
	}
	memcpy(out, list, sizeof(list));
	return count;
}

void cw_pack_addresses(struct cw_wire_address rec[CW_WIRE_ADDRESSES],
		       const struct cw_address *addresses, size_t count)
{
	size_t i;

	memset(rec, 0, CW_WIRE_ADDRESSES * sizeof(*rec));
	for (i = 0; i < count && i < CW_WIRE_ADDRESSES; i++) {
		rec[i].transport = addresses[i].transport;
		rec[i].family = addresses[i].family;
		rec[i].port = __cpu_to_le16(addresses[i].port);
		memcpy(rec[i].address, addresses[i].bytes, sizeof(rec[i].address));
	}
}
