// SPDX-License-Identifier: GPL-2.0-or-later
// Writes one valid answer of each kind of the kernel modules, and long answers.
#include <netinet/in.h>

#include "command_inputs.h"
#include "kernel/codec.h"
#include "seed.h"

using namespace causeway;

namespace
{

void write(fuzz::NetlinkKind kind, const std::string &name, const AttributeWriter &attributes)
{
	const auto bytes = attributes.content();
	fuzz::write_seed("netlink", name, char(kind) + std::string(bytes.begin(), bytes.end()));
}

const Uuid uuid = *Uuid::parse("01234567-89ab-4cde-8f01-23456789abcd");

std::vector<std::uint8_t> address(const char *text)
{
	const SocketAddress address = *SocketAddress::from_text(text);
	return {address.bytes().begin(), address.bytes().end()};
}

// A nest of the counters from 2 to @last: 0 and 1 are not counters.
AttributeWriter counters(int last)
{
	AttributeWriter nest;
	for (int i = 2; i <= last; i++)
		nest.u64(i, std::uint64_t(i) << i);
	return nest;
}

ExportRequest request(size_t networks)
{
	ExportRequest request;
	request.settings.name = "scratch";
	request.settings.path = "/dev/vg0/scratch";
	request.settings.read_only = true;
	request.settings.identity = uuid;
	for (size_t i = 0; i < networks; i++)
		request.settings.allow.push_back(
			*parse_prefix(i % 2 ? "10.0.0.0/24" : "fd00::/64"));
	return request;
}

void exports()
{
	AttributeWriter device = encode(request(2));
	device.flag(CW_A_HAS_KEY);
	device.u32(CW_A_BLOCK_SIZE, 512);
	device.flag(CW_A_VOLATILE);
	device.flag(CW_A_DISCARD);
	device.flag(CW_A_WRITE_ZEROES);
	device.u32(CW_A_SESSIONS, 3);
	device.bytes(CW_A_LEDGER, uuid.bytes());
	device.text(CW_A_LEDGER_FOLDER, "/var/lib/causeway/owners");
	device.u32(CW_A_TAKEOVER_AFTER, 60);
	device.flag(CW_A_OUTDATED);
	device.u32(CW_A_HOSTS, 3);
	device.u32(CW_A_HOSTS_MAX, 1024);
	device.text(CW_A_REASON, "No space left on device");
	write(fuzz::NETLINK_EXPORT, "export-device", device);
	ExportRequest memory = request(0);
	memory.settings.backend = Backend::ram;
	memory.settings.size = 1U << 30;
	memory.settings.exclusive = memory.settings.write_through = true;
	AttributeWriter ram = encode(memory);
	ram.u8(CW_A_STATE, CW_STATE_CLOSING);
	ram.u64(CW_A_SINCE, 5000000000);
	write(fuzz::NETLINK_EXPORT, "export-ram", ram);
	write(fuzz::NETLINK_EXPORT, "export-long", encode(request(1500)));

	AttributeWriter found, many;
	AttributeWriter nest = encode(request(0));
	nest.u64(CW_A_SIZE, 1U << 30);
	nest.u32(CW_A_BLOCK_SIZE, 4096);
	nest.flag(CW_A_VOLATILE);
	nest.flag(CW_A_HAS_KEY);
	AttributeWriter address;
	address.u8(CW_A_TRANSPORT, CW_TRANSPORT_RDMA);
	address.bytes(CW_A_ADDRESS, SocketAddress::from_text("10.1.0.1")->bytes());
	nest.nest(CW_A_EXPORT_ADDRESS, address);
	found.nest(CW_A_EXPORT, nest);
	write(fuzz::NETLINK_DISCOVERY, "discovery", found);
	for (int i = 0; i < 500; i++)
		many.nest(CW_A_EXPORT, nest);
	write(fuzz::NETLINK_DISCOVERY, "discovery-long", many);

	AttributeWriter unflushed, one;
	one.text(CW_A_NAME, "scratch");
	one.text(CW_A_TEXT, "the device failed");
	unflushed.nest(CW_A_EXPORT, one);
	unflushed.nest(CW_A_EXPORT, one);
	write(fuzz::NETLINK_UNFLUSHED, "unflushed", unflushed);
}

void owners()
{
	AttributeWriter owner;
	owner.text(CW_A_NAME, "scratch");
	owner.bytes(CW_A_HOST, uuid.bytes());
	owner.bytes(CW_A_BOOT, uuid.bytes());
	owner.bytes(CW_A_SESSION, uuid.bytes());
	owner.u64(CW_A_SERIAL, 4);
	owner.u64(CW_A_EPOCH, 9);
	owner.u64(CW_A_SEEN, 1700000000);
	owner.flag(CW_A_OWNER);
	owner.flag(CW_A_EVICTED);
	owner.u8(CW_A_STATE, CW_STATE_LIVE);
	owner.bytes(CW_A_ADDRESS, address("10.0.0.7"));
	owner.text(CW_A_HOST_NAME, "node7");
	write(fuzz::NETLINK_OWNER, "owner", owner);
}

void servers()
{
	AttributeWriter server;
	server.bytes(CW_A_INSTANCE, uuid.bytes());
	server.u16(CW_A_PORT, 4793);
	server.nest(CW_A_LIMITS, counters(CW_LIMIT_MAX));
	write(fuzz::NETLINK_SERVER, "server", server);
}

void ends(AttributeWriter &to, std::uint8_t role)
{
	to.u8(CW_A_ROLE, role);
	to.u32(CW_A_ID, 7);
	to.text(CW_A_SERVER, "storage1");
	to.bytes(CW_A_ADDRESS, address("10.0.0.1"));
	to.bytes(CW_A_LOCAL_ADDRESS, address("fd00::2"));
	to.u8(CW_A_STATE, CW_STATE_HELD);
	to.u8(CW_A_TRANSPORT, CW_TRANSPORT_RDMA);
	to.text(CW_A_DEVICE, "mlx5_0");
	to.u8(CW_A_DEVICE_PORT, 1);
	to.u16(CW_A_QUEUES, 4);
	to.u32(CW_A_ATTEMPTS, 2);
	to.u32(CW_A_RECONNECTS, 5);
	to.u64(CW_A_SINCE, 5000000000);
	to.u32(CW_A_RETRY_IN, 800);
	to.text(CW_A_REASON, "connection refused");
	to.s32(CW_A_ERROR, -111);
}

void attachments()
{
	AttributeWriter attachment;
	attachment.text(CW_A_SERVER, "storage1");
	attachment.text(CW_A_NAME, "scratch");
	attachment.bytes(CW_A_ADDRESS, address("10.0.0.1"));
	attachment.text(CW_A_DISK, "causeway0");
	attachment.u8(CW_A_STATE, CW_STATE_LIVE);
	attachment.bytes(CW_A_IDENTITY, uuid.bytes());
	attachment.u64(CW_A_SIZE, 1U << 30);
	attachment.u32(CW_A_BLOCK_SIZE, 512);
	attachment.flag(CW_A_READ_ONLY);
	attachment.flag(CW_A_LOSS);
	attachment.u16(CW_A_QUEUES, 4);
	attachment.u16(CW_A_POLL_QUEUES, 1);
	attachment.u16(CW_A_DEPTH, 128);
	attachment.u32(CW_A_IO_TIMEOUT, 60);
	attachment.u32(CW_A_FAST_FAIL, CW_FAST_FAIL_OFF);
	attachment.u32(CW_A_OPENERS, 1);
	write(fuzz::NETLINK_ATTACHMENT, "attachment", attachment);

	AttributeWriter session;
	ends(session, CW_ROLE_SERVER);
	session.text(CW_A_NAME, "scratch");
	session.text(CW_A_HOST_NAME, "node7");
	session.bytes(CW_A_HOST, uuid.bytes());
	session.bytes(CW_A_SESSION, uuid.bytes());
	session.flag(CW_A_LOSS);
	write(fuzz::NETLINK_SESSION, "session", session);

	AttributeWriter stat;
	const std::vector<std::uint8_t> histogram(CW_HISTOGRAM * sizeof(std::uint64_t), 1);
	stat.u8(CW_A_ROLE, CW_ROLE_CLIENT);
	stat.text(CW_A_SERVER, "storage1");
	stat.text(CW_A_DISK, "causeway0");
	stat.bytes(CW_A_ADDRESS, address("10.0.0.1"));
	stat.nest(CW_A_COUNTERS, counters(CW_N_MAX));
	stat.bytes(CW_A_READ_LATENCY, histogram);
	stat.bytes(CW_A_WRITE_LATENCY, histogram);
	stat.bytes(CW_A_FLUSH_LATENCY, histogram);
	write(fuzz::NETLINK_STAT, "stat", stat);

	AttributeWriter event;
	event.u8(CW_A_EVENT, CW_EVENT_DOWN);
	event.u64(CW_A_TIME, 1700000000000000000);
	event.u8(CW_A_ROLE, CW_ROLE_CLIENT);
	event.text(CW_A_SERVER, "storage1");
	event.text(CW_A_NAME, "scratch");
	event.text(CW_A_TEXT, "the path is lost");
	write(fuzz::NETLINK_EVENT, "event", event);
}

void nfs()
{
	AttributeWriter connection, rail;
	ends(connection, CW_ROLE_CLIENT);
	connection.u32(CW_A_SEND_INLINE, 4096);
	connection.u32(CW_A_RECEIVE_INLINE, 4096);
	connection.u32(CW_A_CREDITS, 64);
	connection.u32(CW_A_CALLS, 3);
	connection.flag(CW_A_REMOTE_INVALIDATE);
	connection.flag(CW_A_BACKCHANNEL);
	connection.nest(CW_A_NFS_COUNTERS, counters(CW_NFS_MAX));
	ends(rail, CW_ROLE_CLIENT);
	connection.nest(CW_A_RAIL, rail);
	write(fuzz::NETLINK_NFS_CONNECTION, "nfs-connection", connection);
	for (int i = 0; i < 250; i++)
		connection.nest(CW_A_RAIL, rail);
	write(fuzz::NETLINK_NFS_CONNECTION, "nfs-connection-long", connection);

	const NfsRule rule{
		*parse_prefix("10.0.0.0/8"),
		{*SocketAddress::from_text("10.0.0.1"), *SocketAddress::from_text("10.0.1.1")}};
	write(fuzz::NETLINK_NFS_RULE, "nfs-rule", encode(rule));
}

} // namespace

void fuzz::netlink_seeds()
{
	exports();
	owners();
	servers();
	attachments();
	nfs();
}
