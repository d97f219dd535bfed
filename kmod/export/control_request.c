// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads an export from a netlink request. The whole request is read and checked before anything is
 * opened.
 */
#include <linux/slab.h>
#include <linux/uuid.h>

#include "../core/address/server_address.h"
#include "backend.h"
#include "control.h"

static const struct cwt_backend *cwt_backend_of(u8 kind)
{
	switch (kind) {
	case CW_BACKEND_DEVICE:
		return &cwt_backend_device;
	case CW_BACKEND_FILE:
		return &cwt_backend_file;
	case CW_BACKEND_RAM:
		return &cwt_backend_ram;
	default:
		return NULL;
	}
}

int cwt_read_name(struct genl_info *info, char name[CW_WIRE_NAME])
{
	struct nlattr *attr = info->attrs[CW_A_NAME];

	if (!attr) {
		cw_refuse(info->extack, "the name of the export is missing");
		return -EINVAL;
	}
	if (nla_strscpy(name, attr, CW_WIRE_NAME) < 0 || !cw_valid_name(name, CW_WIRE_NAME)) {
		cw_refuse(info->extack,
			  "\"%s\" is not a name; 1 to %u letters, digits and . _ - : are, not starting with . or -",
			  name, CW_WIRE_NAME - 1);
		return -EINVAL;
	}
	return 0;
}

static int cwt_read_backend(struct genl_info *info, struct cwt_export *e)
{
	struct nlattr *kind = info->attrs[CW_A_BACKEND];
	struct nlattr *path = info->attrs[CW_A_PATH];
	struct nlattr *size = info->attrs[CW_A_SIZE];

	e->backend = kind ? cwt_backend_of(nla_get_u8(kind)) : NULL;
	if (!e->backend) {
		cw_refuse(info->extack,
			  "export \"%s\" needs one of a device, a file and memory behind it",
			  e->name);
		return -EINVAL;
	}
	e->kind = e->backend->kind;
	if (e->kind == CW_BACKEND_RAM) {
		if (!size || path) {
			cw_refuse(info->extack, "an export of memory needs a size and no path");
			return -EINVAL;
		}
		e->size = nla_get_u64(size);
		return 0;
	}
	if (!path || size) {
		cw_refuse(info->extack, "an export of a device or file needs a path and no size");
		return -EINVAL;
	}
	if (nla_len(path) > CWT_PATH_MAX) {
		cw_refuse(info->extack, "the path is too long: %u bytes are the most",
			  CWT_PATH_MAX - 1);
		return -ENAMETOOLONG;
	}
	e->path = nla_strdup(path, GFP_KERNEL);
	if (!e->path)
		return -ENOMEM;
	if (e->path[0] != '/') {
		cw_refuse(info->extack, "\"%s\" is not a path from the root", e->path);
		return -EINVAL;
	}
	return 0;
}

static int cwt_read_key(struct genl_info *info, struct cwt_access *access)
{
	struct nlattr *key = info->attrs[CW_A_KEY];

	if (key && !cw_valid_key(nla_data(key), nla_len(key))) {
		cw_refuse(info->extack,
			  "a key of %d bytes, or of zero bytes only, protects nothing: a key has %u to %u bytes that are not all zero",
			  nla_len(key), CW_WIRE_KEY_MIN, CW_WIRE_KEY_MAX);
		return -EINVAL;
	}
	memset(access->key, 0, sizeof(access->key));
	access->key_len = key ? nla_len(key) : 0;
	if (key)
		memcpy(access->key, nla_data(key), access->key_len);
	return 0;
}

static int cwt_read_identity(struct genl_info *info, struct cwt_export *e)
{
	struct nlattr *identity = info->attrs[CW_A_IDENTITY];

	/* An export of memory is another disk each time. */
	if (!identity || e->kind == CW_BACKEND_RAM) {
		uuid_gen((uuid_t *)e->identity);
		return 0;
	}
	if (nla_len(identity) != CW_WIRE_UUID) {
		cw_refuse(info->extack, "an identity of %d bytes is not a UUID; it has %u",
			  nla_len(identity), CW_WIRE_UUID);
		return -EINVAL;
	}
	memcpy(e->identity, nla_data(identity), CW_WIRE_UUID);
	return 0;
}

static int cwt_read_network(struct nlattr *nest, struct cw_cidr *out,
			    struct netlink_ext_ack *extack)
{
	struct nlattr **tb = cw_parse_nest(nest, extack);
	int ret = 0;

	if (IS_ERR(tb))
		return PTR_ERR(tb);
	memset(out, 0, sizeof(*out));
	if (tb[CW_A_FAMILY] && tb[CW_A_PREFIX] && tb[CW_A_PREFIX_LEN]) {
		out->family = nla_get_u8(tb[CW_A_FAMILY]);
		out->prefix_len = nla_get_u8(tb[CW_A_PREFIX_LEN]);
		nla_memcpy(out->prefix, tb[CW_A_PREFIX], sizeof(out->prefix));
	}
	if (!cw_cidr_valid(out) ||
	    nla_len(tb[CW_A_PREFIX]) != (out->family == AF_INET ? 4 : 16)) {
		cw_refuse(extack,
			  "a network on the allow list is none; 10.0.0.0/24 and fd00::/64 are");
		ret = -EINVAL;
	}
	kfree(tb);
	return ret;
}

static int cwt_read_allow(struct genl_info *info, struct cwt_access *access)
{
	struct nlattr *attr;
	int rem, ret;

	access->allow_count = 0;
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != CW_A_ALLOW)
			continue;
		if (access->allow_count == CW_ALLOW_MAX) {
			cw_refuse(info->extack,
				  "the allow list is too long: %u networks are the most",
				  CW_ALLOW_MAX);
			return -E2BIG;
		}
		ret = cwt_read_network(attr, &access->allow[access->allow_count], info->extack);
		if (ret)
			return ret;
		access->allow_count++;
	}
	return 0;
}

static bool cwt_read_socket(const struct nlattr *attr, struct sockaddr_storage *out)
{
	if (!attr)
		return false;
	nla_memcpy(out, attr, sizeof(*out));
	return (out->ss_family == AF_INET && nla_len(attr) == sizeof(struct sockaddr_in)) ||
	       (out->ss_family == AF_INET6 && nla_len(attr) == sizeof(struct sockaddr_in6));
}

static int cwt_read_address(struct nlattr *nest, struct cwt_access *access,
			    struct netlink_ext_ack *extack)
{
	struct nlattr **tb = cw_parse_nest(nest, extack);
	struct cw_address *out = &access->addresses[access->address_count];
	struct sockaddr_storage ss = {};
	bool tcp_only = false;
	int ret = 0;
	u32 i;

	if (IS_ERR(tb))
		return PTR_ERR(tb);
	if (!cwt_read_socket(tb[CW_A_ADDRESS], &ss)) {
		cw_refuse(extack, "an address of the export is neither IPv4 nor IPv6");
		ret = -EINVAL;
	} else if (tb[CW_A_TRANSPORT]) {
		tcp_only = true;
		if (!access->tcp || nla_get_u8(tb[CW_A_TRANSPORT]) != CW_TRANSPORT_TCP) {
			cw_refuse(extack,
				  "an address of the export has a transport other than TCP, or the export is not served over TCP");
			ret = -EINVAL;
		}
	}
	kfree(tb);
	if (ret)
		return ret;
	cw_address_from_socket(&ss, CW_WIRE_RDMA, out);
	if (out->port) {
		cw_refuse(extack,
			  "an address of the export has a port: the server has one for each transport");
		return -EINVAL;
	}
	if (!cw_valid_address(out)) {
		cw_refuse(extack,
			  "%pISc does not name one host for all clients: it is unspecified, of a link, or of several hosts",
			  &ss);
		return -EINVAL;
	}
	for (i = 0; i < access->address_count; i++) {
		if (!cw_same_host(&access->addresses[i], out))
			continue;
		cw_refuse(extack, "the export has the address %pISc twice", &ss);
		return -EINVAL;
	}
	if (tcp_only)
		out->transport = CW_WIRE_TCP;
	access->address_count++;
	return 0;
}

static int cwt_read_addresses(struct genl_info *info, struct cwt_access *access)
{
	struct nlattr *attr;
	int rem, ret;

	access->address_count = 0;
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != CW_A_EXPORT_ADDRESS)
			continue;
		if (access->address_count == CW_WIRE_ADDRESSES) {
			cw_refuse(info->extack,
				  "the export has too many addresses: %u are the most",
				  CW_WIRE_ADDRESSES);
			return -E2BIG;
		}
		ret = cwt_read_address(attr, access, info->extack);
		if (ret)
			return ret;
	}
	return 0;
}

/* @exclusive: the export is exclusive */
static int cwt_read_takeover(struct genl_info *info, bool exclusive, u32 *seconds)
{
	struct nlattr *after = info->attrs[CW_A_TAKEOVER_AFTER];

	*seconds = after ? nla_get_u32(after) : 0;
	if (!*seconds || exclusive)
		return 0;
	cw_refuse(info->extack,
		  "an export that is not exclusive has an owner for each host, and none is taken over");
	return -EINVAL;
}

static int cwt_read_ledger(struct genl_info *info, struct cwt_export *e)
{
	struct nlattr *uuid = info->attrs[CW_A_LEDGER];
	struct nlattr *folder = info->attrs[CW_A_LEDGER_FOLDER];

	if (!uuid && !folder)
		return 0;
	if (!uuid || !folder) {
		cw_refuse(info->extack,
			  "a ledger has a UUID and a folder, and one of them is missing");
		return -EINVAL;
	}
	if (e->kind == CW_BACKEND_RAM) {
		cw_refuse(info->extack, "an export in memory has no ledger in a folder");
		return -EINVAL;
	}
	if (nla_len(folder) > CWT_FOLDER_MAX) {
		cw_refuse(info->extack,
			  "the path of the ledger's folder is too long: %u bytes are the most",
			  CWT_FOLDER_MAX - 1);
		return -ENAMETOOLONG;
	}
	e->ledger_folder = nla_strdup(folder, GFP_KERNEL);
	if (!e->ledger_folder)
		return -ENOMEM;
	if (e->ledger_folder[0] != '/') {
		cw_refuse(info->extack, "\"%s\" is not a path from the root", e->ledger_folder);
		return -EINVAL;
	}
	nla_memcpy(e->ledger, uuid, sizeof(e->ledger));
	return 0;
}

int cwt_read_export(struct genl_info *info, struct cwt_export *e)
{
	bool read_only = nla_get_flag(info->attrs[CW_A_READ_ONLY]);
	int ret;

	ret = cwt_read_name(info, e->name);
	if (ret)
		return ret;
	ret = cwt_read_backend(info, e);
	if (ret)
		return ret;
	ret = cwt_read_key(info, &e->access);
	if (ret)
		return ret;
	ret = cwt_read_identity(info, e);
	if (ret)
		return ret;
	e->exclusive = nla_get_flag(info->attrs[CW_A_EXCLUSIVE]);
	e->write_through = nla_get_flag(info->attrs[CW_A_WRITE_THROUGH]);
	e->access.tcp = nla_get_flag(info->attrs[CW_A_TCP]);
	ret = cwt_read_takeover(info, e->exclusive, &e->takeover_after);
	if (ret)
		return ret;
	ret = cwt_read_ledger(info, e);
	if (ret)
		return ret;
	e->refuses_writes = read_only && e->ledger_folder;
	e->read_only = read_only && !e->ledger_folder;
	return cwt_read_allow(info, &e->access) ?: cwt_read_addresses(info, &e->access);
}

#define CWT_CHANGES                                                                              \
	(CW_CHANGE_ALLOW | CW_CHANGE_KEY | CW_CHANGE_ADDRESSES | CW_CHANGE_TCP |                 \
	 CW_CHANGE_READ_ONLY | CW_CHANGE_TAKEOVER_AFTER)

/* The addresses for TCP alone would be named to clients that ask by RDMA. */
static int cwt_check_addresses(const struct cwt_access *access, struct netlink_ext_ack *extack)
{
	u32 i;

	for (i = 0; i < access->address_count && !access->tcp; i++) {
		if (access->addresses[i].transport != CW_WIRE_TCP)
			continue;
		cw_refuse(extack,
			  "an address of the export is for TCP, and the export would not be served over TCP: replace the addresses too");
		return -EINVAL;
	}
	return 0;
}

static int cwt_read_new_access(struct genl_info *info, u32 change, struct cwt_access *access)
{
	int ret = 0;

	if (change & CW_CHANGE_KEY)
		ret = cwt_read_key(info, access);
	if (!ret && change & CW_CHANGE_ALLOW)
		ret = cwt_read_allow(info, access);
	/* Before the addresses, some of which may be for TCP. */
	if (change & CW_CHANGE_TCP)
		access->tcp = nla_get_flag(info->attrs[CW_A_TCP]);
	if (!ret && change & CW_CHANGE_ADDRESSES)
		ret = cwt_read_addresses(info, access);
	return ret ?: cwt_check_addresses(access, info->extack);
}

/* Refuses if the export cannot become writable while it exists. */
static int cwt_check_writable(const struct cwt_export *e, struct netlink_ext_ack *extack)
{
	if (e->read_only)
		cw_refuse(extack,
			  "export \"%s\" was added read-only and has no owners, so it cannot become writable while it exists: remove it, and add it without --read-only and with its UUID",
			  e->name);
	else if (e->opened_for_reading)
		cw_refuse(extack,
			  "%s could not be written when the export \"%s\" started, so the export cannot become writable while it runs: make %s writable, and start the export again",
			  e->path, e->name, e->path);
	else
		return 0;
	return -EROFS;
}

int cwt_read_change(struct genl_info *info, const struct cwt_export *e, struct cwt_change *out)
{
	struct nlattr *change = info->attrs[CW_A_CHANGE];
	int ret;

	lockdep_assert_held(&cwt_admin);
	out->what = change ? nla_get_u32(change) : 0;
	if (!out->what || out->what & ~CWT_CHANGES) {
		cw_refuse(info->extack,
			  "this module cannot change the settings 0x%x of an export, or none is named",
			  out->what);
		return -EINVAL;
	}
	out->access = e->access;
	out->read_only = nla_get_flag(info->attrs[CW_A_READ_ONLY]);
	out->force = nla_get_flag(info->attrs[CW_A_FORCE]);
	if (out->what & CW_CHANGE_READ_ONLY && !out->read_only) {
		ret = cwt_check_writable(e, info->extack);
		if (ret)
			return ret;
	}
	ret = cwt_read_new_access(info, out->what, &out->access);
	if (!ret && out->what & CW_CHANGE_TAKEOVER_AFTER)
		ret = cwt_read_takeover(info, e->exclusive, &out->takeover_after);
	return ret;
}
