// SPDX-License-Identifier: GPL-2.0-or-later
// The command parses files of other programs, and its own files, which an administrator may have
// edited.
#include <algorithm>
#include <set>

#include "base/disk_name.h"
#include "base/prefix.h"
#include "boot/facts.h"
#include "command_inputs.h"
#include "config/dropins.h"
#include "config/instance.h"
#include "doctor/gather.h"
#include "fabric/links.h"
#include "fabric/records.h"
#include "fabric/topology.h"
#include "firewall/facts.h"
#include "fuzz.h"
#include "host/firewall.h"
#include "host/firewalld.h"
#include "host/nftables.h"
#include "host/rdma_modules.h"
#include "host/soft_rdma.h"
#include "ipoib/facts.h"
#include "measure/fio.h"
#include "measure/qperf.h"
#include "netconf/records.h"
#include "nfs/mounts.h"
#include "nfs/options.h"
#include "nfs/server.h"
#include "soft/facts.h"
#include "stock/configfs.h"
#include "stock/dhchap.h"
#include "stock/settings.h"
#include "stock/target.h"
#include "stock/transport.h"
#include "subnet/partitions.h"

using namespace causeway;

namespace
{

template <class T> void taken(const Result<T> &result)
{
	CHECK(result || !result.error().what.empty());
}

// An INI file with a zero byte must be refused: the kernel would cut a value off at the zero.
bool accepted(bool good, const std::string &text)
{
	CHECK(!good || text.find('\0') == std::string::npos);
	return good;
}

// Writes settings that were accepted as the command does, parses them, and checks that they are the
// same.
void export_file(const std::string &text)
{
	const auto settings = parse_export_dropin("file", "name", text);
	taken(settings);
	if (!accepted(bool(settings), text))
		return;
	const auto written = dropin_text(*settings);
	if (!written)
		return;
	const auto again = parse_export_dropin("file", "name", *written);
	CHECK(again && differences(*again, *settings).empty());
	CHECK(again->allow == settings->allow && again->identity == settings->identity);
	CHECK(again->ledger == settings->ledger);
	CHECK(again->state_folder == settings->state_folder);
}

void attachment_file(const std::string &text)
{
	const auto settings = parse_attachment_dropin("file", text);
	taken(settings);
	if (!accepted(bool(settings), text))
		return;
	const auto written = dropin_text(*settings);
	if (!written)
		return;
	const auto again = parse_attachment_dropin("file", *written);
	CHECK(again && again->disk == settings->disk && differences(*again, *settings).empty());
}

void rule_file(const std::string &text)
{
	const auto rule = parse_rule_dropin("file", text);
	taken(rule);
	if (!accepted(bool(rule), text))
		return;
	const auto again = parse_rule_dropin("file", dropin_text(*rule));
	CHECK(again && *again == *rule);
}

void instance_file(const std::string &text)
{
	const auto record = parse_instance(text);
	if (accepted(bool(record), text))
		CHECK(parse_instance(instance_text(*record)) == record);
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
	std::set<std::string> directories;
	for (const NfsMount &mount : found) {
		// A mount that is hidden by another one must be left out.
		CHECK(directories.insert(mount.directory).second);
		CHECK(mount.sent.has_value() == mount.connects.has_value());
		CHECK(!mount.sent || mount.connections);
		(void)mount.server();
	}
}

// Names come from other machines: they must not contain control characters for a terminal.
void shown(const std::string &text)
{
	for (const char c : text)
		CHECK(c >= ' ' && c <= '~');
}

void topology(const std::string &text)
{
	Unread unread;
	for (const FabricNode &node : parse_topology(text, unread)) {
		shown(node.id + node.guid + node.name);
		for (const FabricLink &link : node.links)
			shown(link.far.id + link.far.name + link.rate);
	}
}

void bad_links(const std::string &text)
{
	Unread unread;
	for (const LinkPort &link : links_once(parse_links(text, unread)))
		shown(link.near.text() + link.far.text() + link.could_width + link.could_speed);
}

void pkey_tables(const std::string &text)
{
	Unread unread;
	for (const FabricPartition &partition : parse_pkey_tables(text, unread))
		CHECK(partition.pkey && partition.pkey <= 0x7fff && !partition.members.empty());
}

void groups(const std::string &text)
{
	Unread unread;
	for (const FabricGroup &group : parse_groups(text, unread)) {
		shown(group.gid);
		CHECK(group.pkey <= 0x7fff && group.mtu <= 4096);
	}
}

void firewall(const std::string &text)
{
	(void)parse_firewalld_ports(text);
	(void)parse_firewalld_rules(text);
	if (const auto port = parse_open_port(text))
		CHECK(parse_open_port(port->phrase()) && *parse_open_port(port->phrase()) == *port);
	(void)parse_ufw(text).lets_in("tcp", 4793);
	for (const FirewalldZone &zone : parse_active_zones(text))
		CHECK(!zone.name.empty());
}

// Writes the parsed value as text, parses that, and checks that both values are the same.
template <typename Parse> void read_twice(const Parse &parse, const std::string &text)
{
	const auto first = parse(text);
	taken(first);
	if (!first)
		return;
	const auto second = parse(first->text());
	CHECK(second && *second == *first);
}

void stock_export_file(const std::string &text)
{
	const auto settings = parse_stock_export("file", "name", text);
	taken(settings);
	if (!accepted(bool(settings), text))
		return;
	const auto written = stock_text(*settings);
	if (!written)
		return;
	const auto again = parse_stock_export("file", "name", *written);
	CHECK(again && differences(*again, *settings).empty());
	CHECK(again->identity == settings->identity);
}

void stock_attachment_file(const std::string &text)
{
	const auto settings = parse_stock_attachment("file", text);
	taken(settings);
	if (!accepted(bool(settings), text))
		return;
	const auto again = parse_stock_attachment("file", stock_text(*settings));
	CHECK(again && again->disk == settings->disk && differences(*again, *settings).empty());
	CHECK(again->target == settings->target && again->host == settings->host);
}

void interface_file(const std::string &text)
{
	const auto settings = parse_record("file", "ib0", text);
	taken(settings);
	if (!accepted(bool(settings), text))
		return;
	const auto again = parse_record("file", "ib0", record_text(*settings));
	CHECK(again && *again == *settings);
}

void steps(const std::string &text)
{
	const auto found = parse_steps(text);
	taken(found);
	if (!found)
		return;
	const auto again = parse_steps(steps_text(*found));
	CHECK(again && *again == *found);
}

void discovery(const std::string &text)
{
	const auto nvme = parse_nvme_discovery(text);
	for (const OfferedTarget &each : nvme ? nvme->targets : std::vector<OfferedTarget>()) {
		CHECK(parse_nqn(each.target));
		shown(each.transport);
		shown(each.portal);
	}
	for (const OfferedTarget &each : parse_iscsi_discovery(text).targets)
		CHECK(parse_iscsi_name(each.target) && parse_server(each.portal));
	for (const OfferedTarget &each : parse_srp_discovery(text).targets)
		CHECK(parse_srp_target(each.target) && SocketAddress::from_text(each.portal));
	for (const std::string &client : parse_tcp_clients(text, 4420))
		shown(client);
}

// A secret of NVMe, and the lists of the kernel's modules. An error must not show the secret.
void authentication(const std::string &text)
{
	const auto secret = check_dhchap_secret(text);
	const std::string said = secret ? std::string() : secret.error().what + secret.error().fix;
	CHECK(text.size() < 40 || said.find(text) == std::string::npos);
	authenticates(text, text, "nvmet");
}

// A program of another version may print anything, which must not end the command.
void json(const std::string &text)
{
	for (const NetInterface &interface : parse_ip_address(text))
		for (const LocalAddress &address : interface.addresses)
			CHECK(!address.network.empty());
	for (const RdmaUser &user : parse_rdma_users(text, "rxe0"))
		CHECK(!user.text().empty());
	(void)parse_rdma_clients(text, 4420);
	const auto rules = Nftables::parse(text);
	taken(rules);
	for (const OpenPort &port : {OpenPort{"tcp", 4793}, OpenPort{"udp", 4791, "10.0.0.0/24"}}) {
		if (rules) {
			taken(rules->closing(port));
			taken(rules->rules_of(port));
			(void)rules->lets_in(port);
		}
	}
}

void host_files(const std::string &text)
{
	(void)parse_modinfo(text);
	(void)parse_memlock(text);
	(void)raises_memlock(text);
	(void)parse_soft_unit(text);
	(void)netlink_has_ibacm(text);
	(void)names_by_full_address(text);
	for (const std::string &interface : wants_connected(text))
		CHECK(!interface.empty());
	taken(qperf_point({BenchTest::rc, BenchKind::one_way, 65536}, text));
	const auto point = fio_point(text);
	taken(point);
	CHECK(!point || (point->bandwidth >= 0 && point->rate >= 0 && point->slow >= 0));
}

// Checks that the line that "nfs serve" would write for a parsed folder has the same folder, hosts
// and options.
void served_again(const ExportedFolder &folder)
{
	ServeSettings settings;
	settings.path = folder.path;
	for (const ExportedTo &to : folder.to) {
		CHECK(!to.hosts.empty());
		if (const auto network = parse_prefix(to.hosts))
			settings.to.push_back(*network);
		// "nfs serve" takes no other options.
		if (to.options.find_first_of("() \t\r\n\"\\") == std::string::npos)
			settings.options = to.options;
	}
	const std::string written = exports_text(settings);
	const auto again = exported_folders(written);
	CHECK(again.size() == 1 && again.front().path == folder.path);
	const auto &hosts = again.front().to;
	CHECK(hosts.size() == std::max<size_t>(settings.to.size(), 1));
	CHECK(is_open_unmarked(written) == false);
	for (size_t i = 0; i < hosts.size(); i++) {
		CHECK(hosts[i].hosts == (settings.to.empty() ? "*" : settings.to[i].text()));
		CHECK(hosts[i].options == "rw,sync,no_subtree_check" +
						  (settings.options.empty() ? "" : "," + settings.options));
	}
	// An fsid that "nfs serve" generates must be found again, whatever the path and the options
	// are.
	settings.fsid = "5cbe11f0-0000-4000-8000-00000000000a";
	CHECK(fsid_of_exports(exports_text(settings)) == settings.fsid);
}

void nfs_exports(const std::string &text)
{
	for (const ExportedFolder &folder : exported_folders(text)) {
		CHECK(!folder.path.empty());
		served_again(folder);
	}
	(void)is_open_unmarked(text);
	(void)exports_line(text);
	CHECK(fsid_of_exports(text).empty() || fsid_of_exports(text).size() == 36);
	(void)port_of_nfs_conf(text);
}

void mount_options(const std::string &text)
{
	const auto options = parse_nfs_options(text);
	taken(options);
	if (options) {
		const auto again = parse_nfs_options(options->text());
		CHECK(again && again->text() == options->text());
	}
	const auto source = parse_nfs_source(text);
	taken(source);
	if (source) {
		const auto again = parse_nfs_source(source->text());
		CHECK(again && again->server == source->server && again->path == source->path);
	}
}

void name(const std::string &text)
{
	mount_options(text);
	read_twice([](const auto &from) { return parse_server(from); }, text);
	read_twice([](const auto &from) { return parse_disk(from); }, text);
	read_twice([](const auto &from) { return parse_prefix(from); }, text);
}

void parse(fuzz::TextKind kind, const std::string &text)
{
	switch (kind) {
	case fuzz::TEXT_EXPORT:
		return export_file(text);
	case fuzz::TEXT_ATTACHMENT:
		return attachment_file(text);
	case fuzz::TEXT_NFS_RULE:
		return rule_file(text);
	case fuzz::TEXT_INSTANCE:
		return instance_file(text);
	case fuzz::TEXT_PARTITIONS:
		return partitions_file(text);
	case fuzz::TEXT_MOUNTS:
		return mounts(text);
	case fuzz::TEXT_TOPOLOGY:
		return topology(text);
	case fuzz::TEXT_BAD_LINKS:
		return bad_links(text);
	case fuzz::TEXT_PKEY_TABLES:
		return pkey_tables(text);
	case fuzz::TEXT_GROUPS:
		return groups(text);
	case fuzz::TEXT_MODULES:
		(void)parse_modules(text);
		return;
	case fuzz::TEXT_FIREWALL:
		return firewall(text);
	case fuzz::TEXT_NAME:
		return name(text);
	case fuzz::TEXT_STOCK_EXPORT:
		return stock_export_file(text);
	case fuzz::TEXT_STOCK_ATTACHMENT:
		return stock_attachment_file(text);
	case fuzz::TEXT_INTERFACE:
		return interface_file(text);
	case fuzz::TEXT_STEPS:
		return steps(text);
	case fuzz::TEXT_DISCOVERY:
		discovery(text);
		return authentication(text);
	case fuzz::TEXT_JSON:
		return json(text);
	case fuzz::TEXT_HOST_FILES:
		return host_files(text);
	case fuzz::TEXT_NFS_EXPORTS:
		return nfs_exports(text);
	case fuzz::TEXT_KINDS:
		break;
	}
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, size_t len)
{
	if (!len)
		return 0;
	const std::string text(reinterpret_cast<const char *>(data + 1), len - 1);
	parse(fuzz::TextKind(data[0] % fuzz::TEXT_KINDS), text);
	return 0;
}
