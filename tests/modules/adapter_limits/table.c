// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The limits of real adapters, as their drivers in Linux 6.1 state them. A comment names the file
 * below drivers/infiniband/hw, unless it begins with drivers/ or include/, and the line. "Firmware"
 * or "host" is where the driver asks one of those; the value is then one that such adapters have
 * been seen to report, or a small one.
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "adapter_limits.h"

static const struct adapter_limits adapters[] = {
	{
		.name = "mlx4", /* mlx4/main.c mlx4_ib_query_device() */
		.send_sge = 32, /* 529, firmware */
		.recv_sge = 32, /* 531, firmware */
		.sge_rd = 30, /* 533: include/linux/mlx4/device.h 451 */
		.region_pages = 511, /* 544: include/linux/mlx4/device.h 440 */
		.page_sizes = 0xfffffe00, /* 526, firmware */
		.qp_wr = 16351, /* 528: firmware's 16384 less mlx4/mlx4_ib.h 68 */
		.cqe = 4194303, /* 535, firmware */
		.mr = 524032, /* 536, firmware */
		.rd_atom = 16, /* 538, firmware */
		.local_dma_lkey = true, /* 499 */
	},
	{
		.name = "mlx5", /* mlx5/main.c mlx5_ib_query_device() */
		.send_sge = 30, /* 967: work requests of 512 bytes */
		.recv_sge = 32, /* 968: firmware's 512 bytes / 16 */
		.sge_rd = 30, /* 969: include/linux/mlx5/device.h 493 */
		.sgl_rd = 3, /* 985, firmware */
		.region_pages = 65536, /* 981, firmware */
		.page_sizes = ~(u64)(SZ_4K - 1), /* 958, firmware */
		.qp_wr = 32768, /* 960, firmware */
		.cqe = 4194303, /* 971, firmware */
		.mr = 1 << 24, /* 972, firmware */
		.rd_atom = 16, /* 974, firmware */
		.local_dma_lkey = false, /* 3629, and no flag */
	},
	{
		.name = "bnxt_re", /* bnxt_re/ib_verbs.c bnxt_re_query_device() */
		.send_sge = 6, /* 156: bnxt_re/qplib_sp.c 134 */
		.recv_sge = 6, /* 157 */
		.sge_rd = 6, /* 158 */
		.region_pages = 512, /* 189: bnxt_re/qplib_res.h 80 */
		.page_sizes = 0x7ffff000, /* 137: bnxt_re/bnxt_re.h 48 */
		.qp_wr = 8063, /* 143: bnxt_re/qplib_sp.c 127 and 132 less firmware's */
		.cqe = 65535, /* 160, firmware */
		.mr = 1 << 16, /* 161, firmware */
		.rd_atom = 126, /* 163: bnxt_re/qplib_sp.c 122 */
		.local_dma_lkey = true, /* 155 */
	},
	{
		.name = "hfi1", /* hfi1/verbs.c hfi1_fill_device_attr() */
		.send_sge = 96, /* 1316: 61 */
		.recv_sge = 96, /* 1317 */
		.sge_rd = 96, /* 1318 */
		.region_pages = UINT_MAX, /* 1311 */
		.page_sizes = SZ_4K, /* 1305 */
		.qp_wr = 16383, /* 1313: 53 */
		.cqe = 3145727, /* 1321: 44 */
		.mr = 1 << 16, /* drivers/infiniband/sw/rdmavt/mr.c 57: hfi1/verbs.c 29 */
		.rd_atom = 16, /* 1323 */
		.local_dma_lkey = false, /* 1304 */
	},
	{
		.name = "pvrdma", /* vmw_pvrdma/pvrdma_verbs.c pvrdma_query_device() */
		.send_sge = 4, /* 84, host; a small one */
		.recv_sge = 4, /* 85, host */
		.sge_rd = 4, /* 86, host */
		.region_pages = 128, /* 109: vmw_pvrdma/pvrdma_dev_api.h 80 */
		.page_sizes = SZ_4K, /* 77, host */
		.qp_wr = 16383, /* 82, host */
		.cqe = 65535, /* 92, host */
		.mr = 1 << 16, /* 93, host */
		.rd_atom = 16, /* 95, host */
		.local_dma_lkey = false, /* no flag */
	},
	{
		.name = "irdma", /* irdma/verbs.c irdma_query_device(), of the older kind: i40iw */
		.send_sge = 3, /* 39: irdma/i40iw_hw.c 200, irdma/i40iw_hw.h 130 */
		.recv_sge = 3, /* 40 */
		.sge_rd = 1, /* 46: irdma/i40iw_hw.c 201, irdma/i40iw_hw.h 131 */
		.region_pages = 262144, /* 58: irdma/main.h 88 */
		.page_sizes = SZ_4K | SZ_2M, /* 35: irdma/i40iw_hw.c 204 */
		.qp_wr = 895, /* 38: irdma/i40iw_hw.h 154, irdma/defs.h 146 */
		.cqe = 1048574, /* 42: irdma/user.h 73 */
		.mr = 1 << 16, /* 43, of the memory that firmware gives */
		.rd_atom = 63, /* 47: irdma/i40iw_hw.h 134 */
		.local_dma_lkey = true, /* 30 */
	},
	{
		.name = "cxgb4", /* cxgb4/provider.c c4iw_query_device() */
		.send_sge = 17, /* 284: cxgb4/t4.h 70 and 77 */
		.recv_sge = 4, /* 285: cxgb4/t4.h 93 */
		.sge_rd = 1, /* 287 */
		.region_pages = 128, /* 297: cxgb4/t4.h 84 */
		.page_sizes = 0xffff000, /* 276: cxgb4/t4.h 43 */
		.qp_wr = 8190, /* 282: cxgb4/device.c 1004 and 1009 */
		.cqe = 65518, /* 293: cxgb4/device.c 1011 */
		.mr = 1 << 16, /* 294, of the memory that firmware gives */
		.rd_atom = 32, /* 289: cxgb4/cm.c 84 */
		.local_dma_lkey = true, /* 273 */
	},
	{
		.name = "one-entry", /* no adapter: a work request takes less than a disk needs */
		.send_sge = 1,
		.recv_sge = 1,
		.sge_rd = 1,
		.region_pages = 256,
		.page_sizes = SZ_4K,
		.qp_wr = 8192,
		.cqe = 65536,
		.mr = 1 << 16,
		.rd_atom = 16,
		.local_dma_lkey = true,
	},
};

const struct adapter_limits *adapter_limits_of(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(adapters); i++)
		if (!strcmp(adapters[i].name, name))
			return &adapters[i];
	return NULL;
}
