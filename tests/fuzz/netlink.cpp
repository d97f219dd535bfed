// SPDX-License-Identifier: GPL-2.0-or-later
// Netlink attributes as the command reads them; the first byte says what they are to describe.
#include "fuzz.h"
#include "kernel/codec.h"

using namespace causeway;

namespace
{

template <class T> void taken(const Result<T> &result)
{
	CHECK(result || !result.error().what.empty());
}

// What was read of an allow list and is sent again is read as the same.
void export_again(const Attributes &from)
{
	const auto info = decode_export(from);
	taken(info);
	if (!info)
		return;
	ExportRequest request;
	request.settings = info->settings;
	const AttributeWriter writer = encode(request);
	const auto again = decode_export(Attributes(writer.content()));
	CHECK(again && again->settings.allow.size() == info->settings.allow.size());
	CHECK(again->settings.name == info->settings.name);
}

void rule_again(const Attributes &from)
{
	const auto rule = decode_nfs_rule(from);
	taken(rule);
	if (!rule)
		return;
	const AttributeWriter writer = encode(*rule);
	const auto again = decode_nfs_rule(Attributes(writer.content()));
	CHECK(again && again->from.size() == rule->from.size());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, size_t len)
{
	if (!len || len > 65000)
		return 0;
	const fuzz::Bytes in(data + 1, len - 1);
	const Attributes from({in.data(), in.size()});
	switch (data[0] % 9) {
	case 0:
		export_again(from);
		break;
	case 1:
		taken(decode_server(from));
		break;
	case 2:
		taken(decode_attachment(from));
		break;
	case 3:
		taken(decode_session(from));
		break;
	case 4:
		taken(decode_stat(from));
		break;
	case 5:
		taken(decode_discovery(from));
		break;
	case 6:
		taken(decode_nfs_connection(from));
		break;
	case 7:
		rule_again(from);
		break;
	default:
		taken(decode_event(from));
	}
	return 0;
}
