// SPDX-License-Identifier: GPL-2.0-or-later
// Words for numbers of the protocol.
#ifndef PEER_NAMES_H
#define PEER_NAMES_H

#include <array>
#include <string>

#include "include/wire/causeway_parse.h"

namespace peer
{

inline std::string refusal_name(u16 reason)
{
	constexpr std::array names = {
		"none",	 "malformed",  "version",    "feature", "export",   "address",
		"key",	 "key-needed", "in-use",     "limit",	"token",    "stopping",
		"stale", "internal",   "superseded", "evicted", "not-live", "ledger"};
	return reason < names.size() ? names[reason] : std::to_string(reason);
}

inline std::string status_name(u8 status)
{
	constexpr std::array names = {"ok",	     "io",     "nospc", "readonly", "range",
				      "unsupported", "medium", "nomem", "gone"};
	return status < names.size() ? names[status] : std::to_string(status);
}

} // namespace peer

#endif
