// SPDX-License-Identifier: GPL-2.0-or-later
// Inputs of cidr.cpp, an address and the networks of an allow list: a byte for the family of the
// address, its 16 bytes, and 18 bytes for each network.
#include <arpa/inet.h>

#include <cstring>
#include <initializer_list>

#include "seed.h"

namespace
{

struct Network {
	const char *prefix;
	unsigned char length;
};

bool is_four(const char *text)
{
	return !strchr(text, ':');
}

// Returns 16 bytes, of which IPv4 uses the first four.
std::string bytes_of(const char *text)
{
	std::string bytes(16, '\0');
	inet_pton(is_four(text) ? AF_INET : AF_INET6, text, bytes.data());
	return bytes;
}

void write(const std::string &name, const char *address, std::initializer_list<Network> networks)
{
	std::string input = char(is_four(address)) + bytes_of(address);
	for (const Network &network : networks) {
		input += char(is_four(network.prefix) ? 0 : 1);
		input += char(network.length) + bytes_of(network.prefix);
	}
	fuzz::write_seed("cidr", name, input);
}

} // namespace

void fuzz::cidr_seeds()
{
	write("ipv4", "10.1.2.3", {{"10.0.0.0", 8}, {"10.1.2.0", 25}, {"10.1.2.3", 32}});
	write("ipv4-others", "10.1.2.3", {{"11.0.0.0", 8}, {"10.1.3.0", 24}, {"0.0.0.0", 0}});
	write("ipv6", "fd00::1:2", {{"fd00::", 8}, {"fd00::1:0", 113}, {"fd00::1:2", 128}});
	write("ipv6-others", "fd00::1:2", {{"fe80::", 10}, {"fd00::1:3", 127}, {"::", 0}});
	write("mapped-address", "::ffff:10.1.2.3", {{"10.1.0.0", 16}, {"::", 0}});
	write("mapped-network", "10.1.2.3", {{"::ffff:10.1.0.0", 112}, {"::ffff:0:0", 90}});
	write("too-long", "10.1.2.3", {{"10.1.2.3", 33}, {"10.1.2.3", 127}});
}
