// SPDX-License-Identifier: GPL-2.0-or-later
// The cases of the program, by their words on its command line. A case returns its outcome in one
// line; Ended and Failure are such lines too.
#ifndef PEER_CASES_H
#define PEER_CASES_H

#include <functional>
#include <map>

#include "session.h"

namespace peer
{

using Case = std::function<std::string(const Target &)>;
using Cases = std::map<std::string, Case>;

Cases setup_cases(); // the connection request
Cases login_cases(); // the control link
Cases copy_cases();  // clients that exist twice
Cases frame_cases(); // tails, and messages of a wrong length
Cases command_cases(); // records of a data link, and memory that is not there
Cases bare_cases();    // pages without a trailer
Cases path_cases();    // sessions with several paths
Cases tcp_cases();     // links over TCP
Cases honest_cases();

// @count messages of random bytes on data links, one after the other; the same for the same seed.
std::string random_commands(const Target &target, unsigned seed, unsigned count);
// Crowds (crowd.cpp). Each says when its crowd is there, and holds it until the end of the input.
// @count control links without a login, and one more that the server has no place for.
std::string strangers(const Target &target, unsigned count);
// The same, and goes on trying to get more in.
std::string flood(const Target &target, unsigned count);
// @count clients of a disk that does not answer, each with a command there. Each logs in again, and
// its login has to wait for the command. Says at the end how many of these were welcomed.
std::string hung(const Target &target, unsigned count);
// @count clients of a disk that does not answer, each with a command there.
std::string stuck(const Target &target, unsigned count);
// Goes on to join a path, which has a data link, and to fence it, until the end of the input; says so after each
// @count of them (path_cases.cpp).
std::string fences(const Target &target, unsigned count);
// Logs in @count times by one session, one after the other; says how long each login took. Says GOODBYE at last.
std::string logins(const Target &target, unsigned count);
// Logs in and falls silent; says after how long the server closed. @count is not used.
std::string silent(const Target &target, unsigned count);
// The same with a login that has to wait for a disk that does not answer.
std::string vanish(const Target &target, unsigned count);
// Asks on @count data links for as much data as it may, takes none, and stays until the end of the
// input.
std::string hoard(const Target &target, unsigned count);
// The same, but gives credit now and then for answers that it did not receive.
std::string drip(const Target &target, unsigned count);
// The same, but takes the first answers, and gives no credit for them.
std::string withhold(const Target &target, unsigned count);
// Writes that much, and does not let the server fetch the data.
std::string unread(const Target &target, unsigned count);
// Sends @count discards of four blocks each, all different, and leaves at the end of the input
// (discards.cpp).
std::string discards(const Target &target, unsigned count);
// The same, and each discards 256 MiB of a disk that has 64.
std::string wipes(const Target &target, unsigned count);

// Opens @count connections over TCP and sends nothing; says how many the server keeps.
std::string tcp_guests(const Target &target, unsigned count);
// A server over TCP that misbehaves as the name of the export says; runs for ever (tcp_host.cpp).
int tcp_host_main();
int tcp_host_list();

} // namespace peer

#endif
