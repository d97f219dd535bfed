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

Result<ExportInfo> decode_export(const Attributes &from);
Result<OwnerInfo> decode_owner(const Attributes &from);
// The host that was evicted or readmitted.
Result<Uuid> decode_host(const Attributes &from);
Result<std::vector<StopReport::Export>> decode_unflushed(const Attributes &from);
Result<ServerInfo> decode_server(const Attributes &from);
Result<AttachmentInfo> decode_attachment(const Attributes &from);
Result<SessionInfo> decode_session(const Attributes &from);
Result<StatInfo> decode_stat(const Attributes &from);
Result<std::vector<DiscoveredExport>> decode_discovery(const Attributes &from);
Result<NfsConnection> decode_nfs_connection(const Attributes &from);
Result<NfsRule> decode_nfs_rule(const Attributes &from);
Result<Event> decode_event(const Attributes &from);

} // namespace causeway
