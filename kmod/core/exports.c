// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pure functions that disk and target use. Their own files compile in user space too and know
 * nothing of modules.
 */
#include <linux/export.h>

#include "../../include/wire/causeway_parse.h"
#include "pure/cidr.h"
#include "pure/histogram.h"

EXPORT_SYMBOL_GPL(cw_parse_cmd);
EXPORT_SYMBOL_GPL(cw_parse_done);
EXPORT_SYMBOL_GPL(cw_parse_range);
EXPORT_SYMBOL_GPL(cw_check_cmd);
EXPORT_SYMBOL_GPL(cw_check_range);
EXPORT_SYMBOL_GPL(cw_valid_name);
EXPORT_SYMBOL_GPL(cw_parse_geometry);
EXPORT_SYMBOL_GPL(cw_pack_geometry);
EXPORT_SYMBOL_GPL(cw_cidr_valid);
EXPORT_SYMBOL_GPL(cw_cidr_match_any);
EXPORT_SYMBOL_GPL(cw_histogram_bucket);
