// SPDX-License-Identifier: GPL-2.0-or-later
// Both sides of a login compute these values (PROTOCOL, section 4).
#ifndef PEER_SECRETS_H
#define PEER_SECRETS_H

#include "link.h"

namespace peer
{

using Secret = std::array<u8, CW_WIRE_MAC>;

Secret sha256(const Bytes &data);
// A key of no bytes is the zero key.
Secret hmac(const Bytes &key, const char *label, const Bytes &data);
// T of a login, over what was sent on its control link. Private data may be padded.
Bytes transcript(const Bytes &req, const Bytes &rep, const Bytes &hello, const Bytes &challenge);
void fill_random(u8 *to, size_t len);

} // namespace peer

#endif
