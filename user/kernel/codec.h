// SPDX-License-Identifier: GPL-2.0-or-later
// Between the command's structs and the attributes of include/uapi/causeway.h.
#pragma once

#include "base/result.h"
#include "machine/kernel.h"
#include "machine/netlink_attributes.h"

namespace causeway {

AttributeWriter encode(const ExportRequest &request);
AttributeWriter encode(const AttachRequest &request);
AttributeWriter encode(const std::string &name, const Uuid &host);
AttributeWriter encode(const NfsRule &rule);
void encode_network(AttributeWriter &to, const Prefix &network);

// For OwnerInfo, ServerInfo, SessionInfo, StatInfo, NfsConnection and Event, and those below.
template <typename Message> Result<Message> decode(const Attributes &from);
template <> Result<ExportInfo> decode(const Attributes &from);
template <> Result<AttachmentInfo> decode(const Attributes &from);
template <> Result<NfsRule> decode(const Attributes &from);

// The host that was evicted or readmitted.
Result<Uuid> decode_host(const Attributes &from);
// The exports that an answer has in nests: StopReport::Export or DiscoveredExport.
template <typename Export> Result<std::vector<Export>> decode_exports(const Attributes &from);

} // namespace causeway
