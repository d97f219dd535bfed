// SPDX-License-Identifier: GPL-2.0-or-later
// A client that logs in as docs/PROTOCOL.md says and then does one thing, mostly a wrong one.
//
//   causeway-peer SERVER EXPORT CASE...          a line for each: what the server did
//   causeway-peer SERVER EXPORT random SEED N    N random messages
//   causeway-peer SERVER EXPORT CROWD N          strangers, flood, hung, stuck, logins, silent,
//                                                vanish (crowd.cpp), hoard, drip, withhold,
//                                                unread (greedy.cpp), discards, wipes
//                                                (discards.cpp), tcp-guests (tcp_cases.cpp),
//                                                fences (path_cases.cpp)
//   causeway-peer list                           the cases
//   causeway-peer host [KEY [ACCEPTANCE...]]     a server of disks, which meets a client as the
//                                                name of the export says (host_cases.h), and
//                                                accepts control links as these words say; with
//                                                an empty KEY it has none
//   causeway-peer host-list                      these names, and the words
//   causeway-peer exports LIST...                a server that gives these lists of its exports
//                                                (exports.h)
//   causeway-peer exports-list                   the names of the lists
//   causeway-peer tcp-host                       a server of disks over TCP (tcp_host.cpp)
//   causeway-peer tcp-host-list                  the names of its exports, with read or write
//
//   causeway-peer nfs SERVER CASE...             the same with a server of NFS over RDMA
//   causeway-peer nfs SERVER random SEED N
//   causeway-peer nfs list
//   causeway-peer nfs relay                      a server, by one over TCP (nfs_relay.h)
//   causeway-peer nfs relay-list                 what it can do wrong
//
// Exits with 0 when the server did something definite in every case, with 1 when it did nothing, or
// something that no server should, and with 2 when asked for what there is not.
#include <arpa/inet.h>
#include <gcrypt.h>

#include <iostream>

#include "cases.h"
#include "exports.h"
#include "host_cases.h"
#include "nfs_cases.h"
#include "nfs_relay.h"

using namespace peer;

namespace
{

constexpr u16 NFS_RDMA_PORT = 20049;

const std::map<std::string, std::string (*)(const Target &, unsigned)> CROWDS = {
	{"strangers", strangers}, {"flood", flood},   {"hung", hung},	{"logins", logins},
	{"silent", silent},	  {"vanish", vanish}, {"hoard", hoard}, {"drip", drip}, {"withhold", withhold}, {"unread", unread},
	{"discards", discards}, {"wipes", wipes}, {"tcp-guests", tcp_guests}, {"stuck", stuck}, {"fences", fences},
};

template <class Target, class Case>
bool run(const std::string &name, const Target &target, const Case &what)
{
	bool good = true;
	std::string line;
	try {
		line = what(target);
	} catch (const Ended &ended) {
		line = ended.what();
	} catch (const Failure &failure) {
		line = std::string("failure: ") + failure.what();
		good = false;
	}
	std::cout << name << ": " << line << std::endl;
	return good;
}

Cases all_cases()
{
	Cases all;
	for (const auto &some : {setup_cases(), login_cases(), copy_cases(), frame_cases(), command_cases(),
				 bare_cases(), path_cases(), tcp_cases(), honest_cases()})
		all.insert(some.begin(), some.end());
	return all;
}

int usage()
{
	std::cerr << "usage: causeway-peer list | SERVER EXPORT {CASE... | random SEED N | "
		     "{strangers | flood | hung | logins | silent | vanish | hoard | drip | withhold | unread |\n"
		     "       discards | wipes | tcp-guests} N}\n       "
		     "causeway-peer nfs {list | SERVER {CASE... | random SEED "
		     "N | strangers N}}\n";
	return 2;
}

// Runs the words of the command line that follow "nfs".
int nfs_main(const std::vector<std::string> &words)
{
	const NfsCases cases = nfs_cases();
	if (words.size() == 1 && words[0] == "list") {
		for (const auto &[name, what] : cases)
			std::cout << name << '\n';
		return 0;
	}
	if (words.size() == 1 && words[0] == "relay")
		return nfs_relay_main();
	if (words.size() == 1 && words[0] == "relay-list") {
		for (const auto &[name, what] : nfs_misdeeds())
			std::cout << name << '\n';
		return 0;
	}
	sockaddr_in server{};
	server.sin_family = AF_INET;
	server.sin_port = htons(NFS_RDMA_PORT);
	if (words.size() < 2 || inet_pton(AF_INET, words[0].c_str(), &server.sin_addr) != 1)
		return usage();
	if (words[1] == "random" && words.size() == 4)
		return !run(words[1], server, [&](const sockaddr_in &to) {
			return nfs_random(to, unsigned(std::stoul(words[2])),
					  unsigned(std::stoul(words[3])));
		});
	if (words[1] == "strangers" && words.size() == 3)
		return !run(words[1], server, [&](const sockaddr_in &to) {
			return nfs_strangers(to, unsigned(std::stoul(words[2])));
		});
	bool good = true;
	for (size_t i = 1; i < words.size(); i++) {
		const auto found = cases.find(words[i]);
		if (found == cases.end())
			return usage();
		good &= run(words[i], server, found->second);
	}
	return !good;
}

} // namespace

int main(int argc, char **argv)
{
	const std::vector<std::string> words(argv + 1, argv + argc);
	if (!words.empty() && words[0] == "nfs")
		return nfs_main({words.begin() + 1, words.end()});
	if (words.size() == 1 && words[0] == "host-list") {
		for (const auto &[name, what] : host_cases())
			std::cout << name << '\n';
		for (const auto &[name, what] : wrong_acceptances())
			std::cout << "acceptance " << name << '\n';
		return 0;
	}
	if (words.size() == 1 && words[0] == "exports-list") {
		for (const std::string &name : export_lists())
			std::cout << name << '\n';
		return 0;
	}
	if (words.size() > 1 && words[0] == "exports") {
		gcry_check_version(nullptr);
		gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
		return exports_main({words.begin() + 1, words.end()});
	}
	if (!words.empty() && words[0] == "host") {
		gcry_check_version(nullptr);
		gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
		const std::string key = words.size() > 1 ? words[1] : "";
		return host_main({key.begin(), key.end()},
				 {words.begin() + std::min<ptrdiff_t>(2, ptrdiff_t(words.size())),
				  words.end()});
	}
	if (words.size() == 1 && words[0] == "tcp-host-list")
		return tcp_host_list();
	if (words.size() == 1 && words[0] == "tcp-host") {
		gcry_check_version(nullptr);
		gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
		return tcp_host_main();
	}
	const Cases cases = all_cases();
	if (words.size() == 1 && words[0] == "list") {
		for (const auto &[name, what] : cases)
			std::cout << name << '\n';
		return 0;
	}
	if (words.size() < 3)
		return usage();
	gcry_check_version(nullptr);
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);

	Target target{{}, words[1]};
	target.server.sin_family = AF_INET;
	target.server.sin_port = htons(CW_WIRE_PORT);
	if (inet_pton(AF_INET, words[0].c_str(), &target.server.sin_addr) != 1)
		return usage();

	const std::string &first = words[2];
	if (first == "random" && words.size() == 5)
		return !run(first, target, [&](const Target &t) {
			return random_commands(t, unsigned(std::stoul(words[3])),
					       unsigned(std::stoul(words[4])));
		});
	const auto crowd = CROWDS.find(first);
	if (crowd != CROWDS.end() && words.size() == 4)
		return !run(first, target, [&](const Target &t) {
			return crowd->second(t, unsigned(std::stoul(words[3])));
		});
	bool good = true;
	for (size_t i = 2; i < words.size(); i++) {
		const auto found = cases.find(words[i]);
		if (found == cases.end())
			return usage();
		good &= run(words[i], target, found->second);
	}
	return !good;
}
