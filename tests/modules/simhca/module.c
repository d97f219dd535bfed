// SPDX-License-Identifier: GPL-2.0-only
/*
 * The simulated HCA's module: parameters but for names, and the HCAs from load to unload.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "simhca.h"

unsigned int simhca_hca_count = 1;
module_param_named(hcas, simhca_hca_count, uint, 0444);
MODULE_PARM_DESC(hcas, "number of HCAs, 1 to 4 (1)");

unsigned int simhca_port_count = 2;
module_param_named(ports, simhca_port_count, uint, 0444);
MODULE_PARM_DESC(ports, "ports of each, 1 to 4 (2)");

static char *cables = "";
module_param(cables, charp, 0444);
MODULE_PARM_DESC(cables, "HCA:PORT-HCA:PORT,... (the ports of one HCA in pairs; of several, each port with its like of the next HCA)");

static unsigned long long guid = 0xb8cef60300000000ULL;
module_param(guid, ullong, 0444);
MODULE_PARM_DESC(guid, "node GUID of the first HCA; the others and the ports count from it");

static char *rate = "HDR";
module_param(rate, charp, 0444);
MODULE_PARM_DESC(rate, "SDR, DDR, QDR, FDR, EDR, HDR or NDR (HDR)");

static unsigned int width = 4;
module_param(width, uint, 0444);
MODULE_PARM_DESC(width, "lanes, 1 or 4 (4)");

static unsigned int mtu = 4096;
module_param(mtu, uint, 0444);
MODULE_PARM_DESC(mtu, "largest MTU: 256, 512, 1024, 2048 or 4096 (4096)");

struct simhca_hca *simhca_hcas;
struct simhca_limits simhca_limits;

/* InfiniBand Architecture Specification 1.5, PortInfo: the codes of link speeds. */
static const struct simhca_link links[] = {
	{ "SDR", IB_SPEED_SDR, 0x1, 1, 0x0, 0 },
	{ "DDR", IB_SPEED_DDR, 0x3, 2, 0x0, 0 },
	{ "QDR", IB_SPEED_QDR, 0x7, 4, 0x0, 0 },
	{ "FDR", IB_SPEED_FDR, 0x7, 4, 0x1, 1 },
	{ "EDR", IB_SPEED_EDR, 0x7, 4, 0x3, 2 },
	{ "HDR", IB_SPEED_HDR, 0x7, 4, 0x7, 4 },
	{ "NDR", IB_SPEED_NDR, 0x7, 4, 0xf, 8 },
};

static const struct simhca_link *find_link(const char *wanted)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(links); i++)
		if (!strcasecmp(links[i].name, wanted))
			return &links[i];
	return NULL;
}

static int take_parameters(void)
{
	if (simhca_hca_count < 1 || simhca_hca_count > SIMHCA_MAX_HCAS ||
	    simhca_port_count < 1 || simhca_port_count > SIMHCA_MAX_PORTS) {
		pr_err("simhca: hcas= and ports= are 1 to 4\n");
		return -EINVAL;
	}
	/* SRP makes its service ID of the GUID; ib_cm takes those that begin with 2 for its own. */
	if (!guid || guid >> 56 == 2) {
		pr_err("simhca: guid= is not 0 and its top byte not 2\n");
		return -EINVAL;
	}
	simhca_limits.link = find_link(rate);
	if (!simhca_limits.link) {
		pr_err("simhca: rate= is none of SDR DDR QDR FDR EDR HDR NDR\n");
		return -EINVAL;
	}
	if (width != 1 && width != 4) {
		pr_err("simhca: width= is 1 or 4\n");
		return -EINVAL;
	}
	simhca_limits.width = width == 4 ? IB_WIDTH_4X : IB_WIDTH_1X;
	simhca_limits.width_enabled = width == 4 ? IB_WIDTH_4X | IB_WIDTH_1X : IB_WIDTH_1X;
	simhca_limits.mtu = ib_mtu_int_to_enum(mtu);
	if (mtu > 4096 || ib_mtu_enum_to_int(simhca_limits.mtu) != mtu) {
		pr_err("simhca: mtu= is none of 256 512 1024 2048 4096\n");
		return -EINVAL;
	}
	return 0;
}

static void make_hcas(void)
{
	int i, j;

	for (i = 0; i < simhca_hca_count; i++) {
		struct simhca_hca *hca = &simhca_hcas[i];

		hca->index = i;
		hca->guid = guid + 0x100 * i;
		mutex_init(&hca->presence);
		for (j = 0; j < simhca_port_count; j++) {
			struct simhca_port *port = &hca->port[j];

			port->hca = hca;
			port->number = j + 1;
			port->state = IB_PORT_DOWN;
			port->wanted = IB_PORT_PHYS_STATE_POLLING;
		}
	}
}

static void remove_hcas(void)
{
	int i;

	for (i = 0; i < simhca_hca_count; i++)
		simhca_device_remove(&simhca_hcas[i]);
}

/* The driver of the devices' parents: udev's rules take a device without one for virtual. */
static struct platform_driver simhca_driver = { .driver.name = "simhca" };

static int __init simhca_init(void)
{
	int ret, i;

	ret = take_parameters();
	if (ret)
		return ret;
	simhca_hcas = kcalloc(simhca_hca_count, sizeof(*simhca_hcas), GFP_KERNEL);
	if (!simhca_hcas)
		return -ENOMEM;
	make_hcas();
	ret = simhca_cable(cables);
	if (ret)
		goto free_hcas;
	ret = platform_driver_register(&simhca_driver);
	if (ret)
		goto free_hcas;
	ret = simhca_qp_init();
	if (ret)
		goto remove_driver;
	for (i = 0; i < simhca_hca_count; i++) {
		ret = simhca_device_add(&simhca_hcas[i]);
		if (ret)
			goto remove_devices;
	}
	simhca_faults_init();
	return 0;

remove_devices:
	remove_hcas();
	simhca_qp_exit();
remove_driver:
	platform_driver_unregister(&simhca_driver);
free_hcas:
	kfree(simhca_hcas);
	return ret;
}

static void __exit simhca_exit(void)
{
	/* No test may bring a device back from here on. */
	simhca_faults_exit();
	remove_hcas();
	simhca_qp_exit();
	platform_driver_unregister(&simhca_driver);
	kfree(simhca_hcas);
}

module_init(simhca_init);
module_exit(simhca_exit);
MODULE_DESCRIPTION("A simulated InfiniBand HCA, for tests");
MODULE_LICENSE("GPL");
