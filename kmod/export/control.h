/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Netlink commands of exports: their handlers, for the table in control.c.
 */
#ifndef CWT_CONTROL_H
#define CWT_CONTROL_H

#include "../../include/wire/causeway_wire.h"
#include "../core/netlink/netlink.h"
#include "access.h"

struct cwt_export;
struct netlink_ext_ack;

/* ---- control_request.c ---- */

/* New settings of an export. */
struct cwt_change {
	u32 what; /* bits of enum cw_change: of the members that count; others are as they were */
	struct cwt_access access; /* whole */
	bool read_only;
	u32 takeover_after;
	bool force; /* end sessions that the new settings do not admit */
};

/**
 * cwt_read_name() - reads the name of an export from a request
 * @info: the request; a refusal is in its extack
 * @name: set on success
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno.
 */
int cwt_read_name(struct genl_info *info, char name[CW_WIRE_NAME]);
/**
 * cwt_read_export() - reads an export to be added from a request
 * @info: the request; a refusal is in its extack
 * @e: filled; it is not in the table yet, and the last cwt_export_put() frees what was read
 *
 * Context: Process context. May sleep. Takes no lock.
 * Return: 0 or -errno.
 */
int cwt_read_export(struct genl_info *info, struct cwt_export *e);
/**
 * cwt_read_change() - reads new settings of an export from a request
 * @info: the request; a refusal is in its extack
 * @e: the export, which is not changed
 * @out: set on success; holds a key
 *
 * Context: Process context. May sleep. cwt_admin is held.
 * Return: 0; -EROFS: the export cannot become writable; or another -errno.
 */
int cwt_read_change(struct genl_info *info, const struct cwt_export *e, struct cwt_change *out);

/* ---- control_export.c ---- */

/**
 * cwt_export_add_doit() - handles the command EXPORT_ADD
 * @skb: the request
 * @info: its attributes; a refusal is in its extack
 *
 * Context: Process context. May sleep. Takes cwt_admin.
 * Return: 0 or -errno.
 */
int cwt_export_add_doit(struct sk_buff *skb, struct genl_info *info);
/**
 * cwt_export_remove_doit() - handles the command EXPORT_REMOVE
 * @skb: the request
 * @info: its attributes; a refusal is in its extack
 *
 * Context: Process context. Sleeps. Takes cwt_admin, but does not hold it while it waits for the
 * end.
 * Return: 0 or -errno.
 */
int cwt_export_remove_doit(struct sk_buff *skb, struct genl_info *info);
/**
 * cwt_export_get_doit() - handles the command EXPORT_GET for one export
 * @skb: the request
 * @info: its attributes; a refusal is in its extack
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno.
 */
int cwt_export_get_doit(struct sk_buff *skb, struct genl_info *info);
/**
 * cwt_export_get_dumpit() - handles the command EXPORT_GET for all exports
 * @skb: the buffer
 * @cb: the dump; args[0] is the id of the last export in the dump
 *
 * Context: Process context. May sleep.
 * Return: as cw_dump_result().
 */
int cwt_export_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
/**
 * cwt_export_wanted() - finds an export, or refuses the request
 * @name: its name
 * @extack: for the refusal
 *
 * Context: Process context. May sleep. Takes the mutex of the table.
 * Return: the export with a reference, or NULL.
 */
struct cwt_export *cwt_export_wanted(const char *name, struct netlink_ext_ack *extack);

/**
 * cwt_listen_tcp() - listens for links over TCP, at the port after that of RDMA
 * @extack: for a refusal
 *
 * A call while the server listens does nothing.
 *
 * Context: Process context. May sleep. cwt_admin is held.
 * Return: 0 or -errno.
 */
int cwt_listen_tcp(struct netlink_ext_ack *extack);
/**
 * cwt_close_unused_tcp() - closes the TCP port if no export is served over TCP; links stay
 *
 * Context: Process context. Sleeps. cwt_admin is held.
 */
void cwt_close_unused_tcp(void);

/* ---- control_set.c ---- */

/**
 * cwt_export_set_doit() - handles the command EXPORT_SET
 * @skb: the request
 * @info: its attributes; a refusal is in its extack
 *
 * Context: Process context. May sleep. Takes cwt_admin.
 * Return: 0; -EBUSY: the new settings do not admit a session; or another -errno.
 */
int cwt_export_set_doit(struct sk_buff *skb, struct genl_info *info);

/* ---- control_owner.c ---- */

/**
 * cwt_export_evict_doit() - handles the command EXPORT_EVICT
 * @skb: the request
 * @info: its attributes; a refusal is in its extack
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno.
 */
int cwt_export_evict_doit(struct sk_buff *skb, struct genl_info *info);
/**
 * cwt_export_readmit_doit() - handles the command EXPORT_READMIT
 * @skb: the request
 * @info: its attributes; a refusal is in its extack
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno.
 */
int cwt_export_readmit_doit(struct sk_buff *skb, struct genl_info *info);
/**
 * cwt_owner_get_dumpit() - handles the command OWNER_GET
 * @skb: the buffer
 * @cb: the dump; args[0] is the id of the last complete export, args[1] the number of owners of the
 *   next one in the dump
 *
 * Context: Process context. May sleep.
 * Return: as cw_dump_result().
 */
int cwt_owner_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);

/* ---- control.c ---- */

/**
 * cwt_port() - returns the port that the server listens on once it has an export
 *
 * Context: Any context.
 * Return: the port.
 */
u16 cwt_port(void);

#endif
