// SPDX-License-Identifier: GPL-2.0-or-later
// The netlink attributes that the command reads.
#include "command_inputs.h"
#include "fuzz.h"
#include "kernel/codec.h"

using namespace causeway;

namespace
{

template <class T> void taken(const Result<T> &result)
{
	CHECK(result || !result.error().what.empty());
}

// A nest that was accepted must hold a whole network: without its length it would match all
// addresses.
void whole_networks(const Attributes &from)
{
	for (const auto &nest : from.all(CW_A_ALLOW)) {
		const Attributes inner(nest);
		CHECK(inner.u8(CW_A_FAMILY) && inner.bytes(CW_A_PREFIX));
		CHECK(inner.u8(CW_A_PREFIX_LEN));
		CHECK(inner.fault().empty());
	}
}

// Encodes an export that was decoded, decodes it again, and checks that both are the same.
void export_again(const Attributes &from)
{
	const auto info = decode<ExportInfo>(from);
	taken(info);
	if (!info)
		return;
	whole_networks(from);
	ExportRequest request;
	request.settings = info->settings;
	request.ledger_folder = info->settings.state_folder;
	const AttributeWriter writer = encode(request);
	const auto again = decode<ExportInfo>(Attributes(writer.content()));
	CHECK(again && again->settings.allow == info->settings.allow);
	CHECK(again->settings.name == info->settings.name);
	CHECK(again->settings.identity == info->settings.identity);
	CHECK(again->settings.ledger == info->settings.ledger);
	CHECK(again->settings.state_folder == info->settings.state_folder);
	CHECK(again->settings.takeover_after == info->settings.takeover_after);
}

void rule_again(const Attributes &from)
{
	const auto rule = decode<NfsRule>(from);
	taken(rule);
	if (!rule)
		return;
	CHECK(from.u8(CW_A_PREFIX_LEN));
	const AttributeWriter writer = encode(*rule);
	const auto again = decode<NfsRule>(Attributes(writer.content()));
	CHECK(again && *again == *rule);
}

void parse(fuzz::NetlinkKind kind, const Attributes &from)
{
	switch (kind) {
	case fuzz::NETLINK_EXPORT:
		return export_again(from);
	case fuzz::NETLINK_SERVER:
		return taken(decode<ServerInfo>(from));
	case fuzz::NETLINK_ATTACHMENT:
		return taken(decode<AttachmentInfo>(from));
	case fuzz::NETLINK_SESSION:
		return taken(decode<SessionInfo>(from));
	case fuzz::NETLINK_STAT:
		return taken(decode<StatInfo>(from));
	case fuzz::NETLINK_DISCOVERY:
		return taken(decode_exports<DiscoveredExport>(from));
	case fuzz::NETLINK_NFS_CONNECTION:
		return taken(decode<NfsConnection>(from));
	case fuzz::NETLINK_NFS_RULE:
		return rule_again(from);
	case fuzz::NETLINK_EVENT:
		return taken(decode<Event>(from));
	case fuzz::NETLINK_UNFLUSHED:
		return taken(decode_exports<StopReport::Export>(from));
	case fuzz::NETLINK_OWNER:
		taken(decode<OwnerInfo>(from));
		return taken(decode_host(from));
	case fuzz::NETLINK_KINDS:
		break;
	}
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, size_t len)
{
	if (!len || len > 65000)
		return 0;
	const fuzz::Bytes in(data + 1, len - 1);
	const Attributes from({in.data(), in.size()});
	parse(fuzz::NetlinkKind(data[0] % fuzz::NETLINK_KINDS), from);
	return 0;
}
