// SPDX-License-Identifier: GPL-2.0-or-later
// Simulates the owners of a disk through crashes, cuts, pauses and copies. The rules are those of
// kmod/core/owners, the same code as in the kernel.
//
//   simulation [--seed N] [--steps N] [--round N]
//
// A round has its own settings, drawn from the seed. A failure prints the round that repeats it.
#include <charconv>
#include <cstring>
#include <iostream>

#include "world.h"

namespace
{

constexpr std::uint64_t steps_of_round = 20000;

bool number(const char *text, std::uint64_t &out)
{
	auto [end, error] = std::from_chars(text, text + std::strlen(text), out);
	return error == std::errc{} && !*end;
}

owners::Settings draw(std::mt19937_64 &random)
{
	owners::Settings settings;
	settings.exclusive = random() % 2;
	settings.takeover_after = random() % 3 ? 0 : 10 + random() % 20;
	settings.machines = 2 + random() % 3;
	settings.clones = random() % 4 == 0;
	settings.copies = random() % 3 == 0;
	settings.write_errors = random() % 3 == 0;
	settings.crashes = random() % 4;
	settings.stalls = random() % 2;
	settings.evictions = random() % 2;
	settings.paths = 1 + random() % owners::paths_most;
	settings.careless = random() % 3 == 0;
	settings.forges = random() % 3 == 0;
	return settings;
}

} // namespace

int main(int count, char **words)
{
	std::uint64_t seed = 1, steps = 1000000, only = 0;
	for (int i = 1; i + 1 < count; i += 2) {
		std::uint64_t *to = !std::strcmp(words[i], "--seed")	? &seed
				    : !std::strcmp(words[i], "--steps") ? &steps
				    : !std::strcmp(words[i], "--round") ? &only
									: nullptr;
		if (!to || !number(words[i + 1], *to)) {
			std::cerr << "usage: simulation [--seed N] [--steps N] [--round N]\n";
			return 2;
		}
	}
	std::uint64_t done = 0, welcomes = 0, takeovers = 0, refusals = 0, farewells = 0,
		      evictions = 0, writes = 0, joins = 0, fences = 0, round = 0;
	for (round = only ? only : 1; done < steps; round++) {
		std::mt19937_64 random(seed * 1000003 + round);
		owners::Settings settings = draw(random);
		owners::World world(settings, random());
		try {
			world.run(steps_of_round);
		} catch (const owners::Broken &broken) {
			for (const std::string &line : world.log)
				std::cerr << line << "\n";
			std::cerr << "FAILED in round " << round << " after " << world.steps
				  << " steps: " << broken.what() << "\n"
				  << (settings.exclusive ? "exclusive" : "shared")
				  << ", takeover after " << settings.takeover_after << " s, "
				  << settings.machines << " machines, " << settings.paths
				  << " paths" << (settings.careless ? ", careless" : "")
				  << (settings.forges ? ", forged JOINs" : "")
				  << (settings.clones ? ", clones" : "")
				  << (settings.copies ? ", copies" : "")
				  << (settings.write_errors ? ", write errors" : "") << "\n"
				  << "again: simulation --seed " << seed << " --round " << round
				  << "\n";
			return 1;
		}
		done += world.steps;
		welcomes += world.judge.welcomes;
		takeovers += world.judge.takeovers;
		refusals += world.judge.refusals;
		farewells += world.judge.farewells;
		evictions += world.judge.evictions;
		writes += world.judge.writes;
		joins += world.judge.joins;
		fences += world.judge.fences;
		if (only)
			break;
	}
	std::cout << done << " steps in " << round - 1 << " rounds of seed " << seed << ": "
		  << welcomes << " logins admitted, " << takeovers << " changes of owner, "
		  << refusals << " sessions ended for good, " << farewells << " detached, "
		  << evictions << " evictions, " << writes << " writes, " << joins
		  << " paths joined, " << fences << " fences; no promise was broken\n";
	return 0;
}
