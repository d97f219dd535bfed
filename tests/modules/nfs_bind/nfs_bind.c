// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Binds listeners of nfsd's RDMA transport to one address, as nfsdctl does. Kernels before 6.10
 * have no way to ask for that, so this module puts the address in where the transport is asked for
 * a listener of any IPv4 address. causeway_rpcrdma has to be loaded first.
 */
#include <linux/in.h>
#include <linux/inet.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>

static char *address = "";
module_param(address, charp, 0444);
MODULE_PARM_DESC(address, "IPv4 address that listeners are bound to");

static __be32 nfs_bind_to;

/* cwrs_listener_create(serv, net, sa, salen, flags) */
static int nfs_bind_pre(struct kprobe *probe, struct pt_regs *regs)
{
	struct sockaddr_in *sa = (struct sockaddr_in *)regs_get_kernel_argument(regs, 2);

	if (sa->sin_family == AF_INET && sa->sin_addr.s_addr == htonl(INADDR_ANY))
		sa->sin_addr.s_addr = nfs_bind_to;
	return 0;
}

static struct kprobe nfs_bind_probe = {
	.symbol_name = "cwrs_listener_create",
	.pre_handler = nfs_bind_pre,
};

static int __init nfs_bind_init(void)
{
	if (!in4_pton(address, -1, (u8 *)&nfs_bind_to, -1, NULL))
		return -EINVAL;
	return register_kprobe(&nfs_bind_probe);
}

static void __exit nfs_bind_exit(void)
{
	unregister_kprobe(&nfs_bind_probe);
}

module_init(nfs_bind_init);
module_exit(nfs_bind_exit);
MODULE_DESCRIPTION("Binds listeners of nfsd's RDMA transport to an address, for tests");
MODULE_LICENSE("GPL");
