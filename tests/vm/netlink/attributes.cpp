// SPDX-License-Identifier: GPL-2.0-or-later
#include "attributes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <netinet/in.h>

#include "names.h"

namespace
{

template <class Number> void put_number(Bytes &to, int type, const std::string &value)
{
	const auto number = static_cast<Number>(std::stoull(value));
	std::array<std::uint8_t, sizeof(number)> raw{};

	std::memcpy(raw.data(), &number, sizeof(number));
	put_attribute(to, type, raw);
}

in_addr ipv4(const std::string &value)
{
	in_addr address{};

	if (inet_pton(AF_INET, value.c_str(), &address) != 1)
		throw std::invalid_argument(value + " is no IPv4 address");
	return address;
}

// The port behind the colon at @colon.
in_port_t port_behind(const std::string &value, std::size_t colon)
{
	return htons(static_cast<std::uint16_t>(colon >= value.size() ? 4793 : std::stoul(value.substr(colon + 1))));
}

template <class Address> void put_bytes_of(Bytes &to, int type, const Address &address)
{
	std::array<std::uint8_t, sizeof(address)> raw{};

	std::memcpy(raw.data(), &address, sizeof(address));
	put_attribute(to, type, raw);
}

// ADDRESS or [IPV6], with the server's port, or either with :PORT behind it.
void put_address(Bytes &to, int type, const std::string &value)
{
	if (const auto end = value.find(']'); value.rfind('[', 0) == 0 && end != std::string::npos) {
		sockaddr_in6 address{};

		address.sin6_family = AF_INET6;
		address.sin6_port = port_behind(value, end + 1);
		if (inet_pton(AF_INET6, value.substr(1, end - 1).c_str(), &address.sin6_addr) != 1)
			throw std::invalid_argument(value + " is no IPv6 address");
		return put_bytes_of(to, type, address);
	}
	const auto colon = value.find(':');
	sockaddr_in address{};

	address.sin_family = AF_INET;
	address.sin_addr = ipv4(value.substr(0, colon));
	address.sin_port = port_behind(value, colon);
	put_bytes_of(to, type, address);
}

// A rule has its network's three attributes beside the others, an allow list has them in a nest.
void put_network(Bytes &to, int type, const std::string &value)
{
	const auto slash = value.find('/');
	const in_addr address = ipv4(value.substr(0, slash));
	std::array<std::uint8_t, sizeof(address)> raw{};
	Bytes inner;

	if (slash == std::string::npos)
		throw std::invalid_argument(value + " is no network");
	std::memcpy(raw.data(), &address, sizeof(address));
	put_attribute(inner, CW_A_FAMILY, std::array<std::uint8_t, 1>{AF_INET});
	put_attribute(inner, CW_A_PREFIX, raw);
	put_number<std::uint8_t>(inner, CW_A_PREFIX_LEN, value.substr(slash + 1));
	if (type == CW_A_ALLOW)
		put_attribute(to, type | NLA_F_NESTED, inner);
	else
		to.insert(to.end(), inner.begin(), inner.end());
}

// The address of the server, or LOCAL,ADDRESS; over TCP with tcp/ before it.
void put_path(Bytes &to, int type, const std::string &words)
{
	const bool tcp = words.starts_with("tcp/");
	const std::string value = words.substr(tcp ? 4 : 0);
	const auto comma = value.find(',');
	Bytes inner;

	if (tcp)
		put_attribute(inner, CW_A_TRANSPORT, std::array<std::uint8_t, 1>{CW_TRANSPORT_TCP});

	if (comma != std::string::npos)
		put_address(inner, CW_A_LOCAL_ADDRESS, value.substr(0, comma));
	if (const std::string server = value.substr(comma == std::string::npos ? 0 : comma + 1); !server.empty())
		put_address(inner, CW_A_ADDRESS, server);
	put_attribute(to, type | NLA_F_NESTED, inner);
}

void put_uuid(Bytes &to, int type, const std::string &value)
{
	std::array<std::uint8_t, 16> raw{};

	raw.fill(static_cast<std::uint8_t>(std::stoul(value)));
	put_attribute(to, type, raw);
}

void put_value(Bytes &to, const KnownAttribute &what, const std::string &value)
{
	switch (what.kind) {
	case Kind::text: {
		const auto *first = reinterpret_cast<const std::uint8_t *>(value.c_str());

		return put_attribute(to, what.type, {first, value.size() + 1});
	}
	case Kind::flag:
		return put_attribute(to, what.type, {});
	case Kind::u8:
		return put_number<std::uint8_t>(to, what.type, value);
	case Kind::u16:
		return put_number<std::uint16_t>(to, what.type, value);
	case Kind::u32:
		return put_number<std::uint32_t>(to, what.type, value);
	case Kind::u64:
		return put_number<std::uint64_t>(to, what.type, value);
	case Kind::uuid:
		return put_uuid(to, what.type, value);
	case Kind::address:
		return put_address(to, what.type, value);
	case Kind::network:
		return put_network(to, what.type, value);
	case Kind::path:
		return put_path(to, what.type, value);
	case Kind::none:
		break;
	}
	throw std::invalid_argument(std::string(what.name) + " cannot be sent");
}

// Calls @take with each attribute of a row that adds up.
template <class Take> void each(std::span<const std::uint8_t> from, const Take &take)
{
	while (from.size() >= sizeof(nlattr)) {
		nlattr head{};

		std::memcpy(&head, from.data(), sizeof(head));
		if (head.nla_len < sizeof(head) || head.nla_len > from.size())
			return;
		take(head.nla_type & NLA_TYPE_MASK,
		     from.subspan(sizeof(head), head.nla_len - sizeof(head)));
		from = from.subspan(std::min<size_t>(NLA_ALIGN(head.nla_len), from.size()));
	}
}

} // namespace

void put_attribute(Bytes &to, int type, std::span<const std::uint8_t> value)
{
	const nlattr head = {static_cast<std::uint16_t>(sizeof(head) + value.size()),
			     static_cast<std::uint16_t>(type)};
	const size_t at = to.size();

	to.resize(at + NLA_ALIGN(head.nla_len));
	std::memcpy(to.data() + at, &head, sizeof(head));
	if (!value.empty())
		std::memcpy(to.data() + at + sizeof(head), value.data(), value.size());
}

void put_word(Bytes &to, const std::string &word)
{
	const auto equal = word.find('=');
	const std::string name = word.substr(0, equal);
	const std::string value = equal == std::string::npos ? "" : word.substr(equal + 1);
	const auto found = std::find_if(known_attributes.begin(), known_attributes.end(),
					[&](const KnownAttribute &one) { return name == one.name; });

	if (name == "network")
		return put_network(to, CW_A_FAMILY, value);
	if (!name.empty() && name.find_first_not_of("0123456789") == std::string::npos)
		return put_attribute(to, std::stoi(name), {});
	if (found == known_attributes.end())
		throw std::invalid_argument(name + " is no attribute known here");
	put_value(to, *found, value);
}

std::string names_in(std::span<const std::uint8_t> from)
{
	std::string names;

	each(from, [&](int type, std::span<const std::uint8_t> value) {
		const auto found = std::find_if(known_attributes.begin(), known_attributes.end(),
						[&](const KnownAttribute &one) { return type == one.type; });

		names += names.empty() ? "" : " ";
		names += found == known_attributes.end() ? std::to_string(type) : found->name;
		if (type == CW_A_DISK_PATH || type == CW_A_EXPORT_ADDRESS)
			names += "(" + names_in(value) + ")";
	});
	return names;
}

std::span<const std::uint8_t> bytes_in(std::span<const std::uint8_t> from, int type)
{
	std::span<const std::uint8_t> found;

	each(from, [&](int here, std::span<const std::uint8_t> value) {
		if (here == type && found.empty())
			found = value;
	});
	return found;
}

std::string text_in(std::span<const std::uint8_t> from, int type)
{
	const auto raw = bytes_in(from, type);

	return std::string(raw.begin(), std::find(raw.begin(), raw.end(), 0));
}
