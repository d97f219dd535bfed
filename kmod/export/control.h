/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Netlink commands of exports: their handlers, for the table in control.c.
 */
#ifndef CWT_CONTROL_H
#define CWT_CONTROL_H

#include "../../include/wire/causeway_wire.h"
#include "../core/netlink/netlink.h"

struct cwt_export;

/* ---- control_request.c; may sleep ---- */

/**
 * cwt_read_name() - reads the name of an export from a request
 * @info: the request; a refusal is in its extack
 * @name: set on success
 *
 * Return: 0 or -errno.
 */
int cwt_read_name(struct genl_info *info, char name[CW_WIRE_NAME]);
/**
 * cwt_read_export() - reads an export to be added from a request
 * @info: the request; a refusal is in its extack
 * @e: filled; it is not in the table yet, and the last cwt_export_put() frees what was read
 *
 * Context: may sleep; takes no lock.
 * Return: 0 or -errno.
 */
int cwt_read_export(struct genl_info *info, struct cwt_export *e);

/* ---- control_export.c ---- */

int cwt_export_add_doit(struct sk_buff *skb, struct genl_info *info);
int cwt_export_remove_doit(struct sk_buff *skb, struct genl_info *info);
int cwt_export_get_doit(struct sk_buff *skb, struct genl_info *info);
int cwt_export_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
/**
 * cwt_export_wanted() - finds an export, or refuses the request
 * @name: its name
 * @extack: for the refusal
 *
 * Context: sleeps; takes the mutex of the table.
 * Return: the export with a reference, or NULL.
 */
struct cwt_export *cwt_export_wanted(const char *name, struct netlink_ext_ack *extack);

/* ---- control_owner.c ---- */

int cwt_export_evict_doit(struct sk_buff *skb, struct genl_info *info);
int cwt_export_readmit_doit(struct sk_buff *skb, struct genl_info *info);
int cwt_owner_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);

/* ---- control.c ---- */

/**
 * cwt_port() - the port that the server listens on once it has an export
 */
u16 cwt_port(void);

#endif
