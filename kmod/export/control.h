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

/* The name in the request. 0, or -errno after a refusal. */
int cwt_read_name(struct genl_info *info, char name[CW_WIRE_NAME]);
/*
 * What the request says of the export to add, into @e, which is not in the table yet. 0, or -errno
 * after a refusal; the last cwt_export_put() frees what was read. Takes no lock.
 */
int cwt_read_export(struct genl_info *info, struct cwt_export *e);

/* ---- control_export.c ---- */

int cwt_export_add_doit(struct sk_buff *skb, struct genl_info *info);
int cwt_export_remove_doit(struct sk_buff *skb, struct genl_info *info);
int cwt_export_get_doit(struct sk_buff *skb, struct genl_info *info);
int cwt_export_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
/* The export of that name, with a reference; or NULL, after a refusal. Takes a mutex. */
struct cwt_export *cwt_export_wanted(const char *name, struct netlink_ext_ack *extack);

/* ---- control_owner.c ---- */

int cwt_export_evict_doit(struct sk_buff *skb, struct genl_info *info);
int cwt_export_readmit_doit(struct sk_buff *skb, struct genl_info *info);
int cwt_owner_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);

/* ---- control.c ---- */

/* Where the server is to listen. */
u16 cwt_port(void);

#endif
