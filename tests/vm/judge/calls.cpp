// SPDX-License-Identifier: GPL-2.0-or-later
// A call whose answer was lost is not done a second time: each of these would fail then, for what
// it makes is there already, or what it takes is gone.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "judge.h"

namespace judge
{

namespace
{

bool input_ended()
{
	pollfd fd{0, POLLIN, 0};
	char ignored = 0;
	return poll(&fd, 1, 0) == 1 && read(0, &ignored, 1) <= 0;
}

void round(const std::string &at)
{
	const std::string folder = at + ".folder", moved = at + ".moved", file = at + ".file",
			  second = at + ".second", pointer = at + ".link";
	must(mkdir(folder.c_str(), 0755), "mkdir, done twice?");
	must(rename(folder.c_str(), moved.c_str()), "rename of a folder, done twice?");
	must(rmdir(moved.c_str()), "rmdir, done twice?");
	File(file, O_WRONLY | O_CREAT | O_EXCL).close();
	must(link(file.c_str(), second.c_str()), "link, done twice?");
	must(unlink(file.c_str()), "unlink, done twice?");
	must(rename(second.c_str(), file.c_str()), "rename, done twice?");
	must(symlink("nowhere", pointer.c_str()), "symlink, done twice?");
	must(unlink(pointer.c_str()), "unlink of a link, done twice?");
	must(unlink(file.c_str()), "the last unlink, done twice?");
}

// once FOLDER: until input ends; says "round N" after each.
std::string once(const Words &words)
{
	unsigned rounds = 0;
	do {
		round(words.at(0) + "/" + std::to_string(getpid()) + "-" + std::to_string(rounds));
		say("round " + std::to_string(++rounds));
	} while (!input_ended());
	return std::to_string(rounds) + " rounds";
}

} // namespace

Judgements call_judgements()
{
	return {{"once", once}};
}

} // namespace judge
