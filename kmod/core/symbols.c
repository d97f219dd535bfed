// SPDX-License-Identifier: GPL-2.0-only
/*
 * Symbol exports for files without EXPORT_SYMBOL of their own: pure functions that also compile in
 * user space (used by the disk and target modules), and the verbs layer (used by causeway_rpcrdma).
 */
#include <linux/export.h>

#include "../../include/wire/causeway_parse.h"
#include "address/cidr.h"
#include "link/histogram.h"
#include "verbs/buffers.h"
#include "verbs/endpoint.h"
#include "verbs/region.h"
#include "verbs/registration.h"

EXPORT_SYMBOL_GPL(cw_parse_cmd);
EXPORT_SYMBOL_GPL(cw_parse_done);
EXPORT_SYMBOL_GPL(cw_parse_range);
EXPORT_SYMBOL_GPL(cw_check_cmd);
EXPORT_SYMBOL_GPL(cw_check_range);
EXPORT_SYMBOL_GPL(cw_valid_name);
EXPORT_SYMBOL_GPL(cw_valid_key);
EXPORT_SYMBOL_GPL(cw_valid_address);
EXPORT_SYMBOL_GPL(cw_same_host);
EXPORT_SYMBOL_GPL(cw_parse_geometry);
EXPORT_SYMBOL_GPL(cw_pack_geometry);
EXPORT_SYMBOL_GPL(cw_cidr_valid);
EXPORT_SYMBOL_GPL(cw_cidr_match_any);
EXPORT_SYMBOL_GPL(cw_histogram_bucket);
EXPORT_SYMBOL_GPL(cw_region_room);

EXPORT_SYMBOL_GPL(cw_domain_create);
EXPORT_SYMBOL_GPL(cw_domain_get);
EXPORT_SYMBOL_GPL(cw_domain_put);
EXPORT_SYMBOL_GPL(cw_buffers_alloc);
EXPORT_SYMBOL_GPL(cw_buffers_free);
EXPORT_SYMBOL_GPL(cw_region_alloc);
EXPORT_SYMBOL_GPL(cw_region_free);
EXPORT_SYMBOL_GPL(cw_region_register);
EXPORT_SYMBOL_GPL(cw_endpoint_init);
EXPORT_SYMBOL_GPL(cw_endpoint_resolve);
EXPORT_SYMBOL_GPL(cw_endpoint_create_qp);
EXPORT_SYMBOL_GPL(cw_endpoint_connect);
EXPORT_SYMBOL_GPL(cw_endpoint_adopt);
EXPORT_SYMBOL_GPL(cw_endpoint_accept);
EXPORT_SYMBOL_GPL(cw_endpoint_seen);
EXPORT_SYMBOL_GPL(cw_endpoint_post);
EXPORT_SYMBOL_GPL(cw_endpoint_post_now);
EXPORT_SYMBOL_GPL(cw_endpoint_probe);
EXPORT_SYMBOL_GPL(cw_endpoint_kill);
EXPORT_SYMBOL_GPL(cw_endpoint_disconnect);
EXPORT_SYMBOL_GPL(cw_endpoint_drain);
EXPORT_SYMBOL_GPL(cw_endpoint_destroy);
