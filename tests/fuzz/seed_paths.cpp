// SPDX-License-Identifier: GPL-2.0-or-later
// Inputs of paths.cpp: a byte with the settings of the export, and three bytes for each event.
#include "seed.h"

namespace
{

std::string bytes(std::initializer_list<int> values)
{
	std::string text;
	for (const int value : values)
		text += char(value);
	return text;
}

// The events of session 0. The first two bytes of a member's event are its type and its number.
const std::string LOGIN = bytes({0, 0, 0}); // on path 0
const std::string JOIN_1 = bytes({1, 0, 3}), JOIN_2 = bytes({1, 0, 6}); // paths 1 and 2
const std::string FENCE_1 = bytes({8, 0, 1}), FENCE_2 = bytes({8, 0, 2}); // on the first member
const std::string FENCE_0 = bytes({8, 1, 0}); // on the second member
const std::string ENDED_0 = bytes({14, 0, 0}), ENDED_1 = bytes({14, 1, 0});
const std::string GOODBYE_0 = bytes({11, 0, 0}), IDLE_0 = bytes({12, 0, 0});

} // namespace

void fuzz::paths_seeds()
{
	const std::string two = LOGIN + FENCE_1 + JOIN_1;
	for (const int settings : {0, 1, 2, 5}) {
		const auto write = [settings](const std::string &name, const std::string &events) {
			write_seed("paths", name + "-" + std::to_string(settings),
				   bytes({settings}) + events);
		};
		write("join", two + FENCE_2 + JOIN_2);
		write("fence", two + FENCE_1 + ENDED_1 + JOIN_1);
		write("fence-of-the-login", two + FENCE_0 + ENDED_0);
		write("goodbye", two + GOODBYE_0 + IDLE_0 + ENDED_1);
		write("late-fence", LOGIN + JOIN_1 + bytes({3, 0, 99}) + bytes({8, 0, 9}));
		// A JOIN with another tag than that of the FENCE, on path 7 of session 2.
		write("forged", bytes({0, 0, 2, 1, 0, 23, 8, 0, 15}));
		write("stale", LOGIN + JOIN_1 + bytes({3, 0, 101}));
		write("login", two + bytes({0, 0, 0, 3, 0, 10}) + ENDED_0 + ENDED_1);
		write("evict", two + bytes({6, 0, 0}) + ENDED_0 + ENDED_1 + bytes({6, 0, 2}));
		write("path-bye", two + bytes({10, 1, 1}) + ENDED_1);
		write("write", bytes({4, 0, 200}) + LOGIN + bytes({5, 0, 0}) + FENCE_1 + JOIN_1);
	}
}
