// SPDX-License-Identifier: GPL-2.0-or-later
// The inputs from which the fuzzers start, one function for each subject. seed.cpp has main() and
// the inputs of the wire.
#pragma once

#include <string>

namespace fuzz
{

void write_seed(const std::string &target, const std::string &name, const std::string &bytes);

template <class T> std::string raw(const T &t)
{
	return {reinterpret_cast<const char *>(&t), sizeof(t)};
}

void cidr_seeds();
void ledger_seeds();
void netlink_seeds();
void paths_seeds();
void tcp_seeds();
void text_seeds();

} // namespace fuzz
