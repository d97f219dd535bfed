// SPDX-License-Identifier: GPL-2.0-or-later
// Finds out whether NFS keeps the word of a file system, and an attached disk that of a disk.
//
//   causeway-judge NAME PATH [WORD...]      a line: what was seen, or which promise was broken
//   causeway-judge list                     the names
//
// Exits with 0 when the promise was kept, with 1 when it was broken and with 2 when asked for what
// there is not.
#include <iostream>

#include "judge.h"

using namespace judge;

namespace
{

Judgements all()
{
	Judgements found;
	for (const auto &some : {data_judgements(), disk_judgements(), name_judgements(),
				 lock_judgements(), acl_judgements(), call_judgements()})
		found.insert(some.begin(), some.end());
	return found;
}

} // namespace

int main(int argc, char **argv)
{
	const Words words(argv + 1, argv + argc);
	const Judgements judgements = all();
	if (words.size() == 1 && words[0] == "list") {
		for (const auto &[name, judgement] : judgements)
			std::cout << name << '\n';
		return 0;
	}
	const auto found = words.size() < 2 ? judgements.end() : judgements.find(words[0]);
	if (found == judgements.end()) {
		std::cerr << "usage: causeway-judge list | NAME PATH [WORD...]\n";
		return 2;
	}
	try {
		std::cout << words[0] << ": " << found->second({words.begin() + 1, words.end()})
			  << std::endl;
		return 0;
	} catch (const std::exception &failure) {
		std::cout << words[0] << ": BROKEN: " << failure.what() << std::endl;
		return 1;
	}
}
