/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * The addresses of a server in EXPORTS (docs/PROTOCOL.md, section 3, rule 13, and section 11).
 *
 * The rules of causeway_parse.h hold for all of these functions.
 */
#ifndef CAUSEWAY_ADDRESS_H
#define CAUSEWAY_ADDRESS_H

#include "causeway_control.h"
#include "causeway_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cw_address {
	u8 transport; /* enum cw_wire_transport */
	u8 family; /* enum cw_wire_family */
	u16 port;
	u8 bytes[CW_WIRE_ADDRESS]; /* network order; IPv4: the first 4, then zeroes */
};

/**
 * cw_known_transport() - checks whether this version knows a transport
 * @transport: enum cw_wire_transport, or another number
 *
 * Context: Any context.
 * Return: true if it is in enum cw_wire_transport.
 */
bool cw_known_transport(u8 transport);

/**
 * cw_valid_address() - checks whether a server may list an address
 * @address: the address
 *
 * The port may be 0. A link-local address is not valid, because it does not say on which link the
 * host is.
 * Context: Any context.
 * Return: true if the transport is known, and the address is one host's, for clients on any
 * network.
 */
bool cw_valid_address(const struct cw_address *address);

/**
 * cw_same_host() - compares two addresses without their ports and transports
 * @a: an address
 * @b: another one
 *
 * Context: Any context.
 * Return: True if both lead to the same host.
 */
bool cw_same_host(const struct cw_address *a, const struct cw_address *b);
/**
 * cw_same_address() - compares two addresses
 * @a: the one
 * @b: the other
 *
 * Context: Any context.
 * Return: true if they are the same in all members.
 */
bool cw_same_address(const struct cw_address *a, const struct cw_address *b);

/**
 * cw_parse_addresses() - parses the addresses of one export
 * @rec: the records
 * @out: set on success; an address with an unknown transport is as it was sent, with any family
 *
 * Context: Any context.
 * Return: the number of addresses, or -EPROTO.
 */
int cw_parse_addresses(const struct cw_wire_address rec[CW_WIRE_ADDRESSES],
		       struct cw_address out[CW_WIRE_ADDRESSES]);

/**
 * cw_pack_addresses() - packs the addresses of one export
 * @rec: set
 * @addresses: the addresses
 * @count: their number, at most CW_WIRE_ADDRESSES
 *
 * Context: Any context.
 */
void cw_pack_addresses(struct cw_wire_address rec[CW_WIRE_ADDRESSES],
		       const struct cw_address *addresses, size_t count);

#ifdef __cplusplus
}
#endif

#endif
