// SPDX-License-Identifier: GPL-2.0-or-later
// Sends one command of the netlink family "causeway" from a socket of its own, with the rights of
// the user who runs it.
//
//   causeway-netlink COMMAND [ATTRIBUTE=VALUE | FLAG | NUMBER]...
//
// NUMBER is an attribute of that number without a value, which a module may not know. Prints the
// names of the attributes of each answer, then "done" or "refused: REASON (NUMBER)", with the
// kernel's sentence where there is one. Exits with 0 when it was done, with 1 when it was refused,
// and with 2 when asked for what there is not.
#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <stdexcept>

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include "attributes.h"
#include "names.h"

namespace
{

class Socket {
      public:
	Socket() : fd_(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC))
	{
		const int one = 1;

		if (fd_ < 0)
			throw std::runtime_error(std::string("socket: ") + std::strerror(errno));
		::setsockopt(fd_, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
		::setsockopt(fd_, SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
	}
	~Socket() { ::close(fd_); }
	Socket(const Socket &) = delete;
	Socket &operator=(const Socket &) = delete;

	void send(int type, int flags, std::uint8_t command, const Bytes &attributes)
	{
		nlmsghdr head{};
		genlmsghdr inner{};
		Bytes message(NLMSG_HDRLEN + GENL_HDRLEN);

		head.nlmsg_len = static_cast<std::uint32_t>(message.size() + attributes.size());
		head.nlmsg_type = static_cast<std::uint16_t>(type);
		head.nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
		inner.cmd = command;
		inner.version = 1;
		std::memcpy(message.data(), &head, sizeof(head));
		std::memcpy(message.data() + NLMSG_HDRLEN, &inner, sizeof(inner));
		message.insert(message.end(), attributes.begin(), attributes.end());
		if (::send(fd_, message.data(), message.size(), 0) < 0)
			throw std::runtime_error(std::string("send: ") + std::strerror(errno));
	}

	// Hands each answer to @take until the kernel says that it is done; the number and the
	// sentence of a refusal, or 0.
	template <class Take> int receive(const Take &take, std::string &sentence)
	{
		Bytes buffer(1 << 17);

		for (;;) {
			const ssize_t got = ::recv(fd_, buffer.data(), buffer.size(), 0);

			if (got < 0)
				throw std::runtime_error(std::string("recv: ") +
							 std::strerror(errno));
			std::span<const std::uint8_t> rest(buffer.data(), size_t(got));
			while (rest.size() >= NLMSG_HDRLEN) {
				nlmsghdr head{};

				std::memcpy(&head, rest.data(), sizeof(head));
				if (head.nlmsg_len < NLMSG_HDRLEN || head.nlmsg_len > rest.size())
					throw std::runtime_error("a message that does not add up");
				const auto body = rest.subspan(NLMSG_HDRLEN,
							       head.nlmsg_len - NLMSG_HDRLEN);
				if (head.nlmsg_type == NLMSG_ERROR)
					return verdict(head, body, sentence);
				if (head.nlmsg_type == NLMSG_DONE)
					return number_in(body);
				if (body.size() >= GENL_HDRLEN)
					take(body.subspan(GENL_HDRLEN));
				rest = rest.subspan(std::min<size_t>(NLMSG_ALIGN(head.nlmsg_len),
								     rest.size()));
			}
		}
	}

      private:
	static int number_in(std::span<const std::uint8_t> body)
	{
		int number = 0;

		if (body.size() >= sizeof(number))
			std::memcpy(&number, body.data(), sizeof(number));
		return -number;
	}

	static int verdict(const nlmsghdr &head, std::span<const std::uint8_t> body,
			   std::string &sentence)
	{
		// The request's header comes first, and nothing more of it: NETLINK_CAP_ACK.
		const size_t told = sizeof(int) + sizeof(nlmsghdr);

		if ((head.nlmsg_flags & NLM_F_ACK_TLVS) && body.size() > told)
			sentence = text_in(body.subspan(told), NLMSGERR_ATTR_MSG);
		return number_in(body);
	}

	int fd_;
};

// The number of the family; 0 where its module is not loaded.
std::uint16_t family()
{
	Socket socket;
	Bytes name;
	std::uint16_t id = 0;
	std::string sentence;
	const std::string wanted = CW_GENL_NAME;

	put_attribute(name, CTRL_ATTR_FAMILY_NAME,
		      {reinterpret_cast<const std::uint8_t *>(wanted.c_str()), wanted.size() + 1});
	socket.send(GENL_ID_CTRL, NLM_F_ACK, CTRL_CMD_GETFAMILY, name);
	socket.receive(
		[&](std::span<const std::uint8_t> from) {
			const auto raw = bytes_in(from, CTRL_ATTR_FAMILY_ID);

			if (raw.size() == sizeof(id))
				std::memcpy(&id, raw.data(), sizeof(id));
		},
		sentence);
	return id;
}

// Without attributes an operation that can list lists.
int ask(const KnownCommand &what, const Bytes &attributes)
{
	const bool dump = what.has_dump && (attributes.empty() || !what.has_do);
	const std::uint16_t type = family();
	std::string sentence;
	Socket socket;

	if (!type) {
		std::cout << "refused: the module is not loaded\n";
		return 1;
	}
	socket.send(type, dump ? NLM_F_DUMP : NLM_F_ACK, what.command, attributes);
	const int number = socket.receive(
		[](std::span<const std::uint8_t> from) { std::cout << names_in(from) << '\n'; },
		sentence);
	if (!number) {
		std::cout << "done\n";
		return 0;
	}
	std::cout << "refused: " << std::strerror(number) << " (" << number << ") " << sentence
		  << '\n';
	return 1;
}

} // namespace

int main(int argc, char **argv)
try {
	const std::vector<std::string> words(argv + 1, argv + argc);
	const KnownCommand *what = nullptr;
	Bytes attributes;

	for (const KnownCommand &one : known_commands)
		if (!words.empty() && words[0] == one.name)
			what = &one;
	if (!what) {
		std::cerr << "usage: causeway-netlink COMMAND [ATTRIBUTE=VALUE | FLAG | NUMBER]...\n";
		return 2;
	}
	for (size_t i = 1; i < words.size(); i++)
		put_word(attributes, words[i]);
	return ask(*what, attributes);
} catch (const std::exception &failure) {
	std::cerr << "causeway-netlink: " << failure.what() << '\n';
	return 2;
}
