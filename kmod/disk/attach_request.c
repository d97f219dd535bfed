// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the request to attach a disk. It has a single path in address and local-address, or a nest
 * disk-path for each of several paths.
 */
#include <linux/cpumask.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/moduleparam.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "attach_request.h"

#define CW_DEFAULT_DEPTH 128
#define CW_DEFAULT_QUEUES 8U /* the most, unless the command names a number */
#define CW_MAX_IO SZ_1M
#define CW_CONNECT_MS 10000

static unsigned int inline_size = CW_WIRE_INLINE_MAX;
module_param(inline_size, uint, 0644);
MODULE_PARM_DESC(inline_size,
		 "reads and writes of disks attached from now on that travel in their message, bytes (4096 to 16384, default 16384)");

/* ---- paths ---- */

static int cw_attach_take_address(const struct nlattr *a, struct netlink_ext_ack *extack,
				  struct sockaddr_storage *out)
{
	nla_memcpy(out, a, sizeof(*out));
	if (nla_len(a) >= (int)sizeof(struct sockaddr_in6) && out->ss_family == AF_INET6)
		return 0;
	if (nla_len(a) >= (int)sizeof(struct sockaddr_in) && out->ss_family == AF_INET)
		return 0;
	cw_refuse(extack, "an address is neither IPv4 nor IPv6");
	return -EINVAL;
}

static bool cw_attach_is_same_host(const struct sockaddr_storage *a,
				   const struct sockaddr_storage *b)
{
	const struct sockaddr_in6 *a6 = (const void *)a, *b6 = (const void *)b;
	const struct sockaddr_in *a4 = (const void *)a, *b4 = (const void *)b;

	if (a->ss_family != b->ss_family)
		return false;
	if (a->ss_family == AF_INET)
		return a4->sin_addr.s_addr == b4->sin_addr.s_addr;
	/* Link-local addresses of different interfaces differ in their scope alone. */
	return a->ss_family != AF_INET6 ||
	       (!memcmp(&a6->sin6_addr, &b6->sin6_addr, sizeof(a6->sin6_addr)) &&
		a6->sin6_scope_id == b6->sin6_scope_id);
}

/* Returns the lowest number that no path has, or CW_WIRE_PATHS. */
static u8 cw_attach_free_number(const struct cw_session_config *config)
{
	u8 number = 0;

	while (number < CW_WIRE_PATHS && config->paths[number].address.ss_family)
		number++;
	return number;
}

/*
 * Adds the path that the attributes @address, @local and @transport name; the last two may be
 * NULL. Numbers below that of the path are taken, and higher ones may be. Returns the number, or
 * -errno.
 */
static int cw_attach_add_path(struct cw_session_config *config, const struct nlattr *address,
			      const struct nlattr *local, const struct nlattr *transport,
			      struct netlink_ext_ack *extack)
{
	u8 i, number = cw_attach_free_number(config);
	struct cw_path_config *path;
	int ret;

	if (number == CW_WIRE_PATHS) {
		cw_refuse(extack, "a disk has %u paths at most", CW_WIRE_PATHS);
		return -E2BIG;
	}
	if (!address) {
		cw_refuse(extack, "path %u has no address of the server", number);
		return -EINVAL;
	}
	path = &config->paths[number];
	ret = cw_attach_take_address(address, extack, &path->address);
	if (!ret && local)
		ret = cw_attach_take_address(local, extack, &path->local);
	if (ret)
		return ret;
	if (local && path->local.ss_family != path->address.ss_family) {
		cw_refuse(extack,
			  "path %u has an IPv4 address at one end and an IPv6 address at the other",
			  number);
		return -EINVAL;
	}
	path->transport = transport ? nla_get_u8(transport) : CW_TRANSPORT_RDMA;
	if (path->transport != CW_TRANSPORT_RDMA && path->transport != CW_TRANSPORT_TCP) {
		cw_refuse(extack, "path %u has a transport that is neither RDMA nor TCP", number);
		return -EINVAL;
	}
	for (i = 0; i < CW_WIRE_PATHS; i++) {
		if (i == number || !config->paths[i].address.ss_family ||
		    config->paths[i].transport != path->transport ||
		    !cw_attach_is_same_host(&config->paths[i].address, &path->address) ||
		    !cw_attach_is_same_host(&config->paths[i].local, &path->local))
			continue;
		cw_refuse(extack, "paths %u and %u have the same addresses", i, number);
		return -EINVAL;
	}
	config->nr_paths++;
	return number;
}

/* Returns the number of the path, or -errno. */
static int cw_attach_take_path(struct cw_session_config *config, struct nlattr *nest,
			       struct netlink_ext_ack *extack)
{
	struct nlattr **tb = cw_parse_nest(nest, extack);
	int ret;

	if (IS_ERR(tb))
		return PTR_ERR(tb);
	ret = cw_attach_add_path(config, tb[CW_A_ADDRESS], tb[CW_A_LOCAL_ADDRESS],
				 tb[CW_A_TRANSPORT], extack);
	kfree(tb);
	return ret;
}

int cw_attach_take_added_path(struct genl_info *info, struct cw_session_config *config)
{
	struct nlattr *attr, *nest = NULL;
	unsigned int count = 0;
	int rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != CW_A_DISK_PATH)
			continue;
		nest = attr;
		count++;
	}
	if (count != 1) {
		cw_refuse(info->extack, "the request has %u paths: name one path to add", count);
		return -EINVAL;
	}
	return cw_attach_take_path(config, nest, info->extack);
}

static int cw_attach_take_paths(struct genl_info *info, struct cw_session_config *config)
{
	struct nlattr **a = info->attrs;
	struct nlattr *attr;
	int rem, ret;

	if (!a[CW_A_DISK_PATH]) {
		ret = cw_attach_add_path(config, a[CW_A_ADDRESS], a[CW_A_LOCAL_ADDRESS],
					 a[CW_A_TRANSPORT], info->extack);
		return min(ret, 0);
	}
	if (a[CW_A_ADDRESS] || a[CW_A_LOCAL_ADDRESS]) {
		cw_refuse(info->extack,
			  "the addresses of a disk with several paths belong into its paths");
		return -EINVAL;
	}
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != CW_A_DISK_PATH)
			continue;
		ret = cw_attach_take_path(config, attr, info->extack);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* ---- the request ---- */

static u16 cw_attach_u16_or(const struct nlattr *a, u16 otherwise)
{
	return a ? nla_get_u16(a) : otherwise;
}

static u32 cw_attach_u32_or(const struct nlattr *a, u32 otherwise)
{
	return a ? nla_get_u32(a) : otherwise;
}

static int cw_attach_take_names(struct genl_info *info, struct cw_session_config *config)
{
	struct nlattr **a = info->attrs;

	if (!a[CW_A_SERVER] || !a[CW_A_NAME] || !a[CW_A_HOST] ||
	    !(a[CW_A_ADDRESS] || a[CW_A_DISK_PATH])) {
		cw_refuse(info->extack,
			  "a server, its address, an export and this host's UUID are needed");
		return -EINVAL;
	}
	nla_strscpy(config->server, a[CW_A_SERVER], sizeof(config->server));
	nla_strscpy(config->name, a[CW_A_NAME], sizeof(config->name));
	if (!cw_valid_name(config->name, sizeof(config->name))) {
		cw_refuse(info->extack,
			  "\"%s\" cannot be an export: letters, digits, . _ - : make a name of up to 63",
			  config->name);
		return -EINVAL;
	}
	nla_memcpy(config->host, a[CW_A_HOST], sizeof(config->host));
	return 0;
}

static int cw_attach_take_identity(struct genl_info *info, struct cw_session_config *config)
{
	const struct nlattr *identity = info->attrs[CW_A_IDENTITY];

	if (!identity)
		return 0;
	if (!memchr_inv(nla_data(identity), 0, CW_WIRE_UUID)) {
		cw_refuse(info->extack,
			  "the identity of the disk is zero: leave it out to take any disk");
		return -EINVAL;
	}
	nla_memcpy(config->identity, identity, sizeof(config->identity));
	return 0;
}

static int cw_attach_take_key(struct genl_info *info, struct cw_key *out)
{
	const struct nlattr *key = info->attrs[CW_A_KEY];

	if (!key)
		return 0;
	out->len = nla_len(key);
	if (!cw_valid_key(nla_data(key), out->len)) {
		cw_refuse(info->extack,
			  "a key of %zu bytes, or of zero bytes only, protects nothing: a key has %u to %u bytes that are not all zero",
			  out->len, CW_WIRE_KEY_MIN, CW_WIRE_KEY_MAX);
		return -EINVAL;
	}
	nla_memcpy(out->bytes, key, sizeof(out->bytes));
	return 0;
}

static u8 cw_attach_policy(const struct nlattr *a)
{
	return a ? nla_get_u8(a) : CW_PATH_POLICY_AUTO;
}

static int cw_attach_take_limits(struct genl_info *info, struct cw_session_config *config)
{
	struct nlattr **a = info->attrs;

	config->poll_queues = cw_attach_u16_or(a[CW_A_POLL_QUEUES], 0);
	config->queues = cw_attach_u16_or(a[CW_A_QUEUES],
					  min(num_online_cpus(), CW_DEFAULT_QUEUES));
	if (config->queues + config->poll_queues > CW_WIRE_QUEUES_MAX) {
		cw_refuse(info->extack, "%u queues and %u polled ones are more than %u",
			  config->queues, config->poll_queues, CW_WIRE_QUEUES_MAX);
		return -EINVAL;
	}
	config->queues += config->poll_queues;
	config->depth = cw_attach_u16_or(a[CW_A_DEPTH], CW_DEFAULT_DEPTH);
	config->inline_size = round_down(clamp_t(u32, READ_ONCE(inline_size), CW_WIRE_PAGE,
						 CW_WIRE_INLINE_MAX), CW_WIRE_PAGE);
	config->max_io = CW_MAX_IO;
	config->io_timeout = cw_attach_u32_or(a[CW_A_IO_TIMEOUT], 0);
	config->fast_fail = cw_attach_u32_or(a[CW_A_FAST_FAIL], CW_FAST_FAIL_DEFAULT);
	config->path_policy = cw_attach_policy(a[CW_A_PATH_POLICY]);
	config->connect_timeout = clamp(cw_attach_u32_or(a[CW_A_CONNECT_TIMEOUT], CW_CONNECT_MS),
					100U, 60000U);
	return 0;
}

int cw_attach_take(struct genl_info *info, struct cw_session_config *config)
{
	return cw_attach_take_names(info, config) ?:
	       cw_attach_take_paths(info, config) ?:
	       cw_attach_take_identity(info, config) ?:
	       cw_attach_take_key(info, &config->key) ?:
	       cw_attach_take_limits(info, config);
}

#define CW_ATTACH_CHANGES                                                                        \
	(CW_CHANGE_KEY | CW_CHANGE_IO_TIMEOUT | CW_CHANGE_FAST_FAIL | CW_CHANGE_PATH_POLICY)

int cw_attach_take_change(struct genl_info *info, struct cw_session_change *change)
{
	struct nlattr **a = info->attrs;

	*change = (struct cw_session_change) {
		.what = cw_attach_u32_or(a[CW_A_CHANGE], 0),
		.io_timeout = cw_attach_u32_or(a[CW_A_IO_TIMEOUT], 0),
		.fast_fail = cw_attach_u32_or(a[CW_A_FAST_FAIL], CW_FAST_FAIL_DEFAULT),
		.path_policy = cw_attach_policy(a[CW_A_PATH_POLICY]),
	};
	if (!change->what || change->what & ~CW_ATTACH_CHANGES) {
		cw_refuse(info->extack,
			  "this module cannot change the settings 0x%x of a disk, or none is named",
			  change->what);
		return -EINVAL;
	}
	return change->what & CW_CHANGE_KEY ? cw_attach_take_key(info, &change->key) : 0;
}
