/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Links over TCP: a client makes them by connecting, a server in its listener.
 */
#ifndef CW_LINK_TCP_CONNECT_H
#define CW_LINK_TCP_CONNECT_H

#include <linux/net.h>

#include "../factory.h"

extern const struct cw_link_factory cw_link_tcp_factory;

/**
 * cw_link_tcp_adopt() - server: make a link of a connection whose REQUEST was read
 * @config: properties of the link. Its owner may be NULL until the request is accepted.
 * @sock: connection. No callback of its owner is set any more. It belongs to the link until
 *	cw_link_tcp_disown().
 *
 * Nothing is read or sent before cw_link_tcp_accept().
 *
 * Context: Process context. May sleep.
 * Return: The link or an ERR_PTR(). After an error @sock belongs to the caller.
 */
struct cw_link *cw_link_tcp_adopt(const struct cw_link_config *config, struct socket *sock);

/**
 * cw_link_tcp_disown() - server: take the connection out of a link
 * @link: link that no other thread can find yet, before cw_link_tcp_accept()
 *
 * Drains the link. The caller frees the link.
 *
 * Context: Process context. Sleeps.
 */
void cw_link_tcp_disown(struct cw_link *link);

/**
 * cw_link_tcp_accept() - server: send the acceptance, and begin to read
 * @link: link of cw_link_tcp_adopt(). Other threads may have killed it, but its drain waits for
 *	this function. Afterwards the caller must not use it.
 * @rep: the acceptance
 *
 * Context: Process context.
 */
void cw_link_tcp_accept(struct cw_link *link, const struct cw_wire_rep *rep);

/**
 * cw_link_tcp_set_options() - prepare a socket for a link
 * @sock: new socket of either end
 *
 * Context: Process context. Takes the lock of the socket.
 */
void cw_link_tcp_set_options(struct socket *sock);

/**
 * cw_link_tcp_crc32c() - compute the checksum of a header, or of the bytes behind it
 * @data: bytes
 * @len: their number
 *
 * Context: Any context.
 * Return: The CRC32C.
 */
u32 cw_link_tcp_crc32c(const void *data, size_t len);

/**
 * cw_link_tcp_same_ends() - check whether two connections have the same two IP addresses
 * @link: link over TCP
 * @local: address of this end of the other connection
 * @peer: address of the peer of the other connection
 *
 * Context: Any context.
 * Return: True if they have.
 */
bool cw_link_tcp_same_ends(struct cw_link *link, const struct sockaddr_storage *local,
			   const struct sockaddr_storage *peer);

/**
 * cw_link_tcp_init() - make the work queue of all links over TCP
 *
 * Context: Process context, when the module is loaded. May sleep.
 * Return: 0 or -ENOMEM.
 */
int cw_link_tcp_init(void);

/**
 * cw_link_tcp_exit() - destroy the work queue of all links over TCP
 *
 * Context: Process context, when no link is left. Sleeps.
 */
void cw_link_tcp_exit(void);

#endif
