// SPDX-License-Identifier: GPL-2.0-or-later
// Files of others as the command reads them, and its own after somebody edited them; the first byte
// says which.
#include "config/dropins.h"
#include "config/instance.h"
#include "fabric/topology.h"
#include "fuzz.h"
#include "host/names.h"
#include "host/prefix.h"
#include "host/rdma_modules.h"
#include "nfs/mounts.h"
#include "subnet/partitions.h"

using namespace causeway;

namespace
{

template <class T> void taken(const Result<T> &result)
{
	CHECK(result || !result.error().what.empty());
}

// What was accepted, written as the command writes it, is the same.
void export_file(const std::string &text)
{
	const auto settings = parse_export_dropin("file", "name", text);
	taken(settings);
	if (!settings)
		return;
	const auto written = dropin_text(*settings);
	if (!written)
		return;
	const auto again = parse_export_dropin("file", "name", *written);
	CHECK(again && again->path == settings->path && again->size == settings->size);
	CHECK(again->allow.size() == settings->allow.size());
}

void attachment_file(const std::string &text)
{
	const auto settings = parse_attachment_dropin("file", text);
	taken(settings);
	if (!settings)
		return;
	const auto written = dropin_text(*settings);
	if (written)
		CHECK(parse_attachment_dropin("file", *written));
}

void rule_file(const std::string &text)
{
	const auto rule = parse_rule_dropin("file", text);
	taken(rule);
	if (rule)
		CHECK(parse_rule_dropin("file", dropin_text(*rule)));
}

void partitions_file(const std::string &text)
{
	const auto rules = parse_partitions("file", text);
	taken(rules);
	if (!rules)
		return;
	const auto again = parse_partitions("file", partitions_text(*rules));
	CHECK(again && *again == *rules);
}

void mounts(const std::string &text)
{
	const size_t cut = text.find('\0');
	auto found = parse_mountinfo(std::string_view(text).substr(0, cut));
	add_mountstats(cut == std::string::npos ? text : text.substr(cut + 1), found);
	for (const NfsMount &mount : found)
		(void)mount.server();
}

void fabric(const std::string &text)
{
	(void)parse_topology(text);
	(void)parse_bad_links(text);
	(void)parse_pkey_tables(text);
	(void)parse_groups(text);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, size_t len)
{
	if (!len)
		return 0;
	const std::string text(reinterpret_cast<const char *>(data + 1), len - 1);
	switch (data[0] % 9) {
	case 0:
		export_file(text);
		break;
	case 1:
		attachment_file(text);
		break;
	case 2:
		rule_file(text);
		break;
	case 3:
		(void)parse_instance(text);
		break;
	case 4:
		partitions_file(text);
		break;
	case 5:
		mounts(text);
		break;
	case 6:
		fabric(text);
		break;
	case 7:
		(void)parse_modules(text);
		break;
	default:
		taken(parse_server(text));
		taken(parse_disk(text));
		taken(parse_prefix(text));
	}
	return 0;
}
