// SPDX-License-Identifier: GPL-2.0-only
/* kernel_bind() and kernel_connect() take a struct sockaddr_unsized, in the newest kernels. */
#include <linux/net.h>

int probe(struct socket *sock, struct sockaddr_unsized *address);
int probe(struct socket *sock, struct sockaddr_unsized *address)
{
	return kernel_bind(sock, address, sizeof(struct sockaddr_storage));
}
