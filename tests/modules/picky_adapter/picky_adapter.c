// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes the RDMA devices of this machine as picky as real adapters and machines are: regions have
 * pages of 4 KiB only, and the DMA layer maps no more than some bytes at once, as SWIOTLB does.
 * Devices of software have neither limit. By probes on the functions that every user of verbs
 * calls.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>

static unsigned long map_limit = ULONG_MAX;
module_param(map_limit, ulong, 0644);
MODULE_PARM_DESC(map_limit, "bytes that can be mapped at once");
static unsigned long pages_seen, pages_refused, maps_refused;
module_param(pages_seen, ulong, 0444);
module_param(pages_refused, ulong, 0444);
module_param(maps_refused, ulong, 0444);

/* int ib_map_mr_sg(mr, sg, sg_nents, sg_offset, page_size) */
static int picky_pages_enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	bool *refuse = (bool *)ri->data;

	*refuse = (unsigned int)regs_get_kernel_argument(regs, 4) != SZ_4K;
	WRITE_ONCE(pages_seen, pages_seen + 1);
	return 0;
}

static int picky_pages_leave(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (*(bool *)ri->data) {
		WRITE_ONCE(pages_refused, pages_refused + 1);
		regs_set_return_value(regs, -EINVAL);
	}
	return 0;
}

/* int ib_dma_virt_map_sg(dev, sg, nents) */
static int picky_map_enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct scatterlist *sg, *first = (void *)regs_get_kernel_argument(regs, 1);
	int i, nents = regs_get_kernel_argument(regs, 2);
	unsigned long bytes = 0;

	for_each_sg(first, sg, nents, i)
		bytes += sg->length;
	*(bool *)ri->data = bytes > READ_ONCE(map_limit);
	return 0;
}

static int picky_map_leave(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (*(bool *)ri->data) {
		WRITE_ONCE(maps_refused, maps_refused + 1);
		regs_set_return_value(regs, 0);
	}
	return 0;
}

static struct kretprobe picky_pages = {
	.kp.symbol_name = "ib_map_mr_sg",
	.entry_handler = picky_pages_enter,
	.handler = picky_pages_leave,
	.data_size = sizeof(bool),
};

static struct kretprobe picky_map = {
	.kp.symbol_name = "ib_dma_virt_map_sg",
	.entry_handler = picky_map_enter,
	.handler = picky_map_leave,
	.data_size = sizeof(bool),
};

static struct kretprobe *picky_probes[] = { &picky_pages, &picky_map };

static int __init picky_init(void)
{
	return register_kretprobes(picky_probes, ARRAY_SIZE(picky_probes));
}

static void __exit picky_exit(void)
{
	unregister_kretprobes(picky_probes, ARRAY_SIZE(picky_probes));
}

module_init(picky_init);
module_exit(picky_exit);
MODULE_DESCRIPTION("RDMA devices of software with the limits of real ones, for tests");
MODULE_LICENSE("GPL");
