/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which clients may attach an export, and by which addresses they reach it. An administrator may
 * replace these settings while the export has sessions.
 */
#ifndef CWT_ACCESS_H
#define CWT_ACCESS_H

#include "../../include/uapi/causeway.h"
#include "../core/address/cidr.h"
#include "../core/link/completion.h"

struct cwt_export;
struct sk_buff;
struct sockaddr;

struct cwt_access {
	bool tcp; /* the export is served over TCP too */
	u8 key[CW_WIRE_KEY_MAX];
	u8 key_len; /* 0: no key */
	u32 allow_count; /* 0: all addresses */
	struct cw_cidr allow[CW_ALLOW_MAX]; /* they must fit CW_REPLY_SIZE */
	/*
	 * For EXPORTS, in the order of preference. The ports are 0. The transport RDMA stands for
	 * all transports of the export, and TCP for itself. The server may have lost any address
	 * since.
	 */
	u32 address_count;
	struct cw_address addresses[CW_WIRE_ADDRESSES];
};

/**
 * cwt_access_admits() - checks whether the settings admit a client
 * @access: the settings
 * @peer: address of the client
 * @tcp: the client uses TCP
 *
 * Context: Any context. The caller makes sure that @access does not change.
 * Return: true if the allow list is empty or has @peer, and the transport is served.
 */
bool cwt_access_admits(const struct cwt_access *access, const struct sockaddr *peer, bool tcp);

/**
 * cwt_export_allows() - checks whether a client may see and use an export
 * @e: the export
 * @peer: address of the client
 *
 * Context: Process context. May sleep. Takes e->access_lock.
 * Return: true if the export allows all addresses, or a prefix of its allow list has @peer.
 */
bool cwt_export_allows(struct cwt_export *e, const struct sockaddr *peer);
/**
 * cwt_export_over_tcp() - checks whether an export is served over TCP
 * @e: the export
 *
 * Context: Any context.
 * Return: true if it is.
 */
bool cwt_export_over_tcp(struct cwt_export *e);
/**
 * cwt_export_key() - copies the key of an export
 * @e: the export
 * @key: set
 *
 * Context: Process context. May sleep. Takes e->access_lock.
 * Return: the length of the key; 0: the export has no key.
 */
size_t cwt_export_key(struct cwt_export *e, u8 key[CW_WIRE_KEY_MAX]);
/**
 * cwt_export_list_access() - describes in EXPORTS who may attach an export, and where
 * @e: the export
 * @out: its flags and its addresses are completed
 *
 * Lists the addresses that this machine has now: a machine may lose an address while an export
 * runs, and another machine may get it. Holds no lock of the network for longer than one look-up.
 *
 * Context: Process context. May sleep. Takes e->access_lock.
 */
void cwt_export_list_access(struct cwt_export *e, struct cw_export_info *out);
/**
 * cwt_export_put_access() - adds the settings to a netlink message
 * @msg: the message
 * @e: the export
 * @secrets: with the allow list
 *
 * Context: Process context. May sleep. Takes e->access_lock.
 * Return: 0 or -EMSGSIZE.
 */
int cwt_export_put_access(struct sk_buff *msg, struct cwt_export *e, bool secrets);

#endif
