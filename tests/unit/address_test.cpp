// SPDX-License-Identifier: GPL-2.0-or-later
// The addresses of a server in EXPORTS (PROTOCOL, section 3, rule 13, and section 11).
#include "wire.h"

namespace
{

using namespace wire;
using Host = std::array<cw_address, CW_WIRE_ADDRESSES>;
using Wire = std::array<cw_wire_address, CW_WIRE_ADDRESSES>;

cw_address v4(std::array<u8, 4> bytes)
{
	cw_address a = samples::address_v4();
	std::copy(bytes.begin(), bytes.end(), a.bytes);
	return a;
}

// The first bytes and the last one of an IPv6 address, with zeroes between them.
cw_address v6(std::vector<u8> first, u8 last)
{
	cw_address a = samples::address_v6();
	memset(a.bytes, 0, sizeof(a.bytes));
	std::copy(first.begin(), first.end(), a.bytes);
	a.bytes[15] = last;
	return a;
}

Wire packed_addresses(const std::vector<cw_address> &all)
{
	Wire rec;
	memset(rec.data(), 0xa5, sizeof(rec));
	cw_pack_addresses(rec.data(), all.data(), all.size());
	return rec;
}

int parse(const Wire &rec, Host *out)
{
	return cw_parse_addresses(rec.data(), out->data());
}

TEST(Address, ArrivesAsSent)
{
	for (const cw_export_info &e : {samples::export_info(), samples::export_info_of_many()}) {
		const std::vector<cw_address> sent(e.addresses, e.addresses + e.nr_addresses);
		Host out;
		memset(static_cast<void *>(out.data()), 0x5a, sizeof(out));
		ASSERT_EQ(parse(packed_addresses(sent), &out), e.nr_addresses);
		EXPECT_EQ(memcmp(out.data(), e.addresses, sizeof(out)), 0);
	}
	Host out{};
	EXPECT_EQ(parse(packed_addresses({}), &out), 0);
}

TEST(Address, MoreThanFitAreNotPacked)
{
	const std::vector<cw_address> many(20, samples::address_v4());
	Wire rec[2];
	memset(rec, 0, sizeof(rec));
	cw_pack_addresses(rec[0].data(), many.data(), many.size());
	EXPECT_EQ(rec[0][7].port, le16(CW_WIRE_PORT));
	EXPECT_EQ(rec[1][0].port, 0);
}

TEST(Address, Rules)
{
	const Wire valid = packed_addresses({samples::address_v4(), samples::address_v6()});
	const std::vector<Case<Wire>> cases = {
		{"transport 0", [](Wire &r) { r[0].transport = 0; }},
		{"the same twice, of an unknown transport", [](Wire &r) {
			r[0].transport = 3;
			r[1] = r[0];
		}},
		{"no port, of an unknown transport", [](Wire &r) {
			r[0].transport = 3;
			r[0].port = 0;
		}},
		{"reserved, of an unknown transport", [](Wire &r) {
			r[0].transport = 3;
			r[0].reserved[1] = 1;
		}},
		{"family 0", [](Wire &r) { r[0].family = 0; }},
		{"family unknown", [](Wire &r) { r[1].family = 10; }},
		{"IPv6 as IPv4", [](Wire &r) { r[1].family = CW_WIRE_IPV4; }},
		{"no port", [](Wire &r) { r[1].port = 0; }},
		{"reserved", [](Wire &r) { r[0].reserved[0] = 1; }},
		{"reserved last", [](Wire &r) { r[1].reserved[3] = 1; }},
		{"bytes behind IPv4", [](Wire &r) { r[0].address[4] = 1; }},
		{"last byte behind IPv4", [](Wire &r) { r[0].address[15] = 1; }},
		{"no address", [](Wire &r) { memset(r[0].address, 0, 16); }},
		{"the same twice", [](Wire &r) { r[1] = r[0]; }},
		{"the same twice, not in a row", [](Wire &r) { r[2] = r[0]; }},
		{"a gap", [](Wire &r) { memset(&r[0], 0, sizeof(r[0])); }},
		{"a gap behind", [](Wire &r) { r[7] = r[1]; r[7].port = le16(1); }},
		{"a port alone", [](Wire &r) { r[2].port = le16(1); }},
		{"reserved alone", [](Wire &r) { r[7].reserved[3] = 1; }},
		{"an address alone", [](Wire &r) { r[7].address[15] = 1; }},
	};
	for (const auto &c : cases) {
		Wire rec = valid;
		Host out;
		c.harm(rec);
		memset(static_cast<void *>(out.data()), 0x5a, sizeof(out));
		const std::string before = bytes(out);
		EXPECT_EQ(parse(rec, &out), c.error) << c.rule;
		EXPECT_EQ(bytes(out), before) << c.rule << ": wrote a result";
	}
}

TEST(Address, TheSameAddressWithAnotherPortOrTransportIsAnother)
{
	cw_address port = samples::address_v4(), transport = port;
	port.port++;
	transport.transport = CW_WIRE_TCP;
	Host out{};
	EXPECT_EQ(parse(packed_addresses({samples::address_v4(), port, transport}), &out), 3);
	EXPECT_FALSE(cw_same_address(&port, &transport));
}

// So a server can name a later transport to today's clients.
TEST(Address, OfAnUnknownTransportHarmsNoOther)
{
	Wire rec = packed_addresses({samples::address_v4(), samples::address_v6()});
	rec[0].transport = 200;
	rec[0].family = 77;
	memset(rec[0].address, 0, sizeof(rec[0].address));
	Host out{};
	ASSERT_EQ(parse(rec, &out), 2);
	EXPECT_EQ(out[0].transport, 200);
	EXPECT_FALSE(cw_known_transport(out[0].transport));
	EXPECT_FALSE(cw_valid_address(&out[0]));
	EXPECT_TRUE(cw_valid_address(&out[1]));
	EXPECT_TRUE(cw_known_transport(CW_WIRE_TCP));
}

TEST(Address, OfOneHostForAllClients)
{
	for (const cw_address &a : {v4({10, 0, 0, 1}), v4({127, 0, 0, 1}), v4({1, 0, 0, 0}),
				    v4({223, 255, 255, 255}), v4({169, 253, 0, 1}),
				    v4({169, 255, 0, 1}), v4({168, 254, 0, 1}), v6({}, 1),
				    v6({0xfd}, 1), v6({0x20, 0x01}, 0), v6({0xfe, 0xc0}, 1),
				    v6({0xfe, 0x7f}, 1), v6({0xfe, 0}, 1)})
		EXPECT_TRUE(cw_valid_address(&a)) << int(a.bytes[0]) << "." << int(a.bytes[1]);
	for (const cw_address &a :
	     {v4({0, 0, 0, 0}), v4({0, 1, 2, 3}), v4({169, 254, 0, 1}), v4({169, 254, 255, 255}),
	      v4({224, 0, 0, 1}), v4({239, 0, 0, 1}), v4({240, 0, 0, 1}), v4({255, 255, 255, 255}),
	      v6({}, 0), v6({0xff, 0x02}, 1), v6({0xff}, 0), v6({0xfe, 0x80}, 1),
	      v6({0xfe, 0xbf}, 1), v6({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0}, 1)})
		EXPECT_FALSE(cw_valid_address(&a)) << int(a.bytes[0]) << "." << int(a.bytes[1]);
}

} // namespace
