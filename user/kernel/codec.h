// SPDX-License-Identifier: GPL-2.0-or-later
// Converts between the command's structs and the attributes of include/uapi/causeway.h.
#pragma once

#include "base/result.h"
#include "machine/kernel.h"
#include "machine/netlink_attributes.h"

namespace causeway {

AttributeWriter encode(const ExportRequest &request);
AttributeWriter encode(const ExportUpdate &update);
AttributeWriter encode(const AttachRequest &request);
AttributeWriter encode(const AttachmentUpdate &change);
AttributeWriter encode(const PathRequest &request);
AttributeWriter encode(const std::string &name, const Uuid &host);
AttributeWriter encode(const NfsRule &rule);
void encode_network(AttributeWriter &to, const Prefix &network);

// Defined for OwnerInfo, ServerInfo, SessionInfo, StatInfo, NfsConnection, Event and those below.
// Returns an error if an attribute is malformed.
template <typename Message> Result<Message> decode(const Attributes &from);
template <> Result<ExportInfo> decode(const Attributes &from);
template <> Result<AttachmentInfo> decode(const Attributes &from);
template <> Result<NfsRule> decode(const Attributes &from);

// Returns the UUID of the host that was evicted or readmitted.
Result<Uuid> decode_host(const Attributes &from);
// Returns the exports that an answer contains as nests: StopReport::Export or DiscoveredExport.
template <typename Export> Result<std::vector<Export>> decode_exports(const Attributes &from);

} // namespace causeway
