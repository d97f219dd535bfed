// SPDX-License-Identifier: GPL-2.0-or-later
#include "exports.h"

#include <asm/byteorder.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>

#include "host.h"

namespace peer
{

namespace
{

using namespace std::chrono_literals;

constexpr u16 MORE = 65535;

cw_address v4(std::initializer_list<u8> bytes)
{
	cw_address address{CW_WIRE_RDMA, CW_WIRE_IPV4, CW_WIRE_PORT, {}};
	std::copy(bytes.begin(), bytes.end(), address.bytes);
	return address;
}

cw_address v6(std::initializer_list<u8> first, u8 last)
{
	cw_address address{CW_WIRE_RDMA, CW_WIRE_IPV6, CW_WIRE_PORT, {}};
	std::copy(first.begin(), first.end(), address.bytes);
	address.bytes[CW_WIRE_ADDRESS - 1] = last;
	return address;
}

cw_address with(cw_address address, u8 transport, u16 port)
{
	address.transport = transport;
	address.port = port;
	return address;
}

const cw_address ONE = v4({10, 0, 0, 1});

cw_wire_export packed_export(const std::string &name, const std::vector<cw_address> &addresses)
{
	cw_export_info info{};
	name.copy(info.name, sizeof(info.name) - 1);
	memset(info.identity, Visit::IDENTITY, sizeof(info.identity));
	info.size = Visit::SIZE;
	info.logical_block = 512;
	info.nr_addresses = u16(addresses.size());
	std::copy(addresses.begin(), addresses.end(), info.addresses);
	cw_wire_export rec;
	cw_pack_export(&rec, &info);
	return rec;
}

// As many exports as one message holds, each with eight addresses, and more of them for ever.
Bytes endless(u32 first)
{
	std::vector<cw_address> eight;
	for (u8 i = 1; i <= CW_WIRE_ADDRESSES; i++)
		eight.push_back(v6({0xfd, i}, 1));
	Bytes all;
	for (u32 i = 0; i < CW_WIRE_PAGE / sizeof(cw_wire_export); i++) {
		cw_wire_export rec = packed_export("export" + std::to_string(first + i), eight);
		rec.more = __cpu_to_le16(MORE);
		const Bytes bytes = raw(rec);
		all.insert(all.end(), bytes.begin(), bytes.end());
	}
	return all;
}

using List = std::function<Bytes(u32 first)>;

// One export "one" with these addresses.
List list_of(const std::vector<cw_address> &addresses,
	     const std::function<void(cw_wire_export &)> &harm = {})
{
	return [=](u32 /*first*/) {
		cw_wire_export rec = packed_export("one", addresses);
		if (harm)
			harm(rec);
		return raw(rec);
	};
}

const std::map<std::string, List> LISTS = {
	{"none-v4", list_of({v4({0, 0, 0, 0})})},
	{"none-v6", list_of({v6({}, 0)})},
	{"of-link-v4", list_of({ONE, v4({169, 254, 0, 1})})},
	{"of-link-v6", list_of({ONE, v6({0xfe, 0x80}, 1)})},
	{"multicast-v4", list_of({v4({224, 0, 0, 1})})},
	{"multicast-v6", list_of({v6({0xff, 0x02}, 1)})},
	{"mapped", list_of({v6({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0}, 1)})},
	{"twice", list_of({ONE, v6({0xfd}, 1), ONE})},
	{"no-port", list_of({with(ONE, CW_WIRE_RDMA, 0)})},
	{"gap", list_of({ONE, v6({0xfd}, 1)},
			[](cw_wire_export &rec) { memset(rec.addresses, 0, sizeof(rec.addresses[0])); })},
	{"reserved", list_of({ONE}, [](cw_wire_export &rec) { rec.addresses[0].reserved[3] = 1; })},
	{"later-transport", list_of({with(ONE, 200, 1), ONE})},
	// The addresses of other hosts and ports, before the one that was asked.
	{"elsewhere", list_of({v4({127, 0, 0, 1}), with(ONE, CW_WIRE_TCP, CW_WIRE_PORT),
			       with(ONE, CW_WIRE_RDMA, 1), v4({192, 0, 2, 77}), ONE})},
	{"endless", endless},
};

class Exports
{
      public:
	explicit Exports(const std::vector<std::string> &names) : names_(names), listener_(CW_WIRE_PORT)
	{
	}

	void serve_one()
	{
		Request request = listener_.next(1h);
		cw_req parsed;
		if (cw_parse_req(request.words.data(), request.words.size(), &parsed) ||
		    parsed.kind != CW_KIND_CONTROL)
			return;
		const std::string name = names_.at(std::min(served_++, names_.size() - 1));
		Link control(std::move(request.id), accept_words(CW_KIND_CONTROL));
		unsigned asked = 0;
		while (const std::optional<Bytes> bytes = control.receive()) {
			if (frame_of(*bytes, CW_WIRE_PAGE, CW_KIND_CONTROL, true).type != CW_MSG_DISCOVER)
				continue;
			cw_wire_discover discover;
			memcpy(&discover, bytes->data(), sizeof(discover));
			const Bytes list = LISTS.at(name)(__le32_to_cpu(discover.first));
			control.send(message(control, CW_MSG_EXPORTS, list).bytes());
			asked++;
		}
		std::cout << name << ": asked " << asked << " times" << std::endl;
	}

      private:
	std::vector<std::string> names_;
	Listener listener_;
	size_t served_ = 0;
};

} // namespace

std::vector<std::string> export_lists()
{
	std::vector<std::string> names;
	for (const auto &[name, list] : LISTS)
		names.push_back(name);
	return names;
}

int exports_main(const std::vector<std::string> &names)
{
	for (const std::string &name : names) {
		if (!LISTS.count(name)) {
			std::cerr << "no list is called " << name << std::endl;
			return 2;
		}
	}
	Exports exports(names);
	std::cout << "listening" << std::endl;
	for (;;) {
		try {
			exports.serve_one();
		} catch (const Failure &failure) {
			std::cout << "failure: " << failure.what() << std::endl;
		}
	}
}

} // namespace peer
