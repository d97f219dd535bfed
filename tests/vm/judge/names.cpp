// SPDX-License-Identifier: GPL-2.0-or-later
// Folders hold what was put there, and links lead where they were told to.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "judge.h"

namespace judge
{

namespace
{

namespace fs = std::filesystem;

// Names of 8 to 71 letters: an entry of a folder begins anywhere in a page.
std::string name_of(unsigned number)
{
	std::string digits = std::to_string(number);
	return "n" + std::string(7 - std::min<size_t>(7, digits.size()), '0') + digits +
	       std::string(number * 7 % 64, char('a' + number % 26));
}

// fill FOLDER COUNT
std::string fill(const Words &words)
{
	const unsigned count = unsigned(std::stoul(words.at(1)));
	fs::create_directories(words[0]);
	for (unsigned i = 0; i < count; i++)
		File(words[0] + "/" + name_of(i), O_WRONLY | O_CREAT | O_EXCL).close();
	return std::to_string(count) + " files";
}

// list FOLDER COUNT: what fill put there, each once.
std::string list(const Words &words)
{
	const unsigned count = unsigned(std::stoul(words.at(1)));
	drop_caches();
	std::set<std::string> expected;
	for (unsigned i = 0; i < count; i++)
		expected.insert(name_of(i));
	for (const fs::directory_entry &entry : fs::directory_iterator(words[0]))
		if (!expected.erase(entry.path().filename()))
			throw Broken(entry.path().filename().string() +
				     " was not put there, or is told of twice");
	if (!expected.empty())
		throw Broken(std::to_string(expected.size()) + " are missing, the first is " +
			     *expected.begin());
	return std::to_string(count) + " names";
}

std::string text_of(size_t len)
{
	std::string text;
	while (text.size() < len)
		text += std::to_string(text.size()) + "/";
	return text.substr(0, len);
}

// links FOLDER: symbolic ones of many lengths, read back from the server.
std::string links(const Words &words)
{
	static constexpr size_t lengths[] = {1,	 2,    3,    4,	   5,	 6,    7,    63,  64,
					     65, 1021, 1022, 1023, 1024, 1025, 2047, 4095};
	fs::create_directories(words.at(0));
	const auto path = [&](size_t len) { return words[0] + "/to" + std::to_string(len); };
	for (const size_t len : lengths)
		must(symlink(text_of(len).c_str(), path(len).c_str()),
		     "symlink of " + std::to_string(len));
	drop_caches();
	for (const size_t len : lengths) {
		Bytes got(8192);
		const ssize_t n = must(readlink(path(len).c_str(),
						reinterpret_cast<char *>(got.data()), got.size()),
				       "readlink of " + std::to_string(len));
		if (std::string(got.begin(), got.begin() + n) != text_of(len))
			throw Broken("a link of " + std::to_string(len) + " leads elsewhere");
	}
	fs::remove_all(words[0]);
	return std::to_string(std::size(lengths)) + " links";
}

// names FOLDER: what can be done to names.
std::string names(const Words &words)
{
	const std::string &top = words.at(0);
	const std::string longest(255, 'x');
	fs::create_directories(top + "/a/b/c");
	File(top + "/a/" + longest, O_WRONLY | O_CREAT | O_EXCL).close();
	fs::rename(top + "/a/" + longest, top + "/a/b/short");
	if (fs::exists(top + "/a/" + longest) || !fs::exists(top + "/a/b/short"))
		throw Broken("rename");
	must(link((top + "/a/b/short").c_str(), (top + "/second").c_str()), "link");
	if (fs::hard_link_count(top + "/a/b/short") != 2)
		throw Broken("a second name, and still one link");
	must(chmod((top + "/second").c_str(), 0640), "chmod");
	const timespec times[2] = {{1000000001, 0}, {1000000002, 0}};
	must(utimensat(AT_FDCWD, (top + "/second").c_str(), times, 0), "utimensat");
	drop_caches();
	struct stat stat {
	};
	must(::stat((top + "/a/b/short").c_str(), &stat), "stat");
	if ((stat.st_mode & 07777) != 0640 || stat.st_mtime != 1000000002 ||
	    stat.st_atime != 1000000001)
		throw Broken("mode and times of one name are not those of the other");
	if (open((top + "/second").c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0)
		throw Broken("O_EXCL opened what was there");
	// Removed while open: it stays readable until it is closed.
	File kept(top + "/second", O_RDWR);
	must(pwrite(kept, "still here", 10, 0), "write");
	must(unlink((top + "/second").c_str()), "unlink");
	must(unlink((top + "/a/b/short").c_str()), "unlink");
	Bytes got(10);
	must(pread(kept, got.data(), got.size(), 0), "read of a removed file");
	if (std::string(got.begin(), got.end()) != "still here")
		throw Broken("a removed file lost its content");
	kept.close();
	// NFS had given the removed file another name, which goes away by itself, maybe meanwhile.
	std::error_code gone_before;
	for (unsigned tries = 0; tries < 100 && fs::exists(top); tries++)
		fs::remove_all(top, gone_before);
	if (fs::exists(top))
		throw Broken("what was removed is there");
	return "kept";
}

} // namespace

Judgements name_judgements()
{
	return {
		{"fill", fill},
		{"list", list},
		{"links", links},
		{"names", names},
	};
}

} // namespace judge
