// SPDX-License-Identifier: GPL-2.0-or-later
// The judgements share a failure with its words, a file that closes itself, and random numbers that
// are the same everywhere.
#ifndef JUDGE_H
#define JUDGE_H

#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace judge
{

using Bytes = std::vector<uint8_t>;
using Words = std::vector<std::string>;

// The file system broke a promise.
struct Broken : std::runtime_error {
	using runtime_error::runtime_error;
};

// @text and what errno says.
[[noreturn]] void broken(const std::string &text);

// Returns what a system call returned; a negative number is a broken promise.
template <class Number> Number must(Number returned, const std::string &what)
{
	if (returned < 0)
		broken(what);
	return returned;
}

class File
{
      public:
	File(const std::string &path, int flags, unsigned mode = 0644);
	~File();
	File(File &&other) noexcept : fd_(other.fd_)
	{
		other.fd_ = -1;
	}
	File &operator=(File &&other) noexcept;
	operator int() const // NOLINT: it is one
	{
		return fd_;
	}
	// Throws the error that the file system reports last, for example of a delayed write.
	void close();

      private:
	int fd_;
};

// SplitMix64: small, and the same numbers for a seed on every machine.
class Random
{
      public:
	explicit Random(uint64_t seed) : state_(seed)
	{
	}
	uint64_t next();
	// A number below @bound, which is not 0.
	uint64_t below(uint64_t bound)
	{
		return next() % bound;
	}

      private:
	uint64_t state_;
};

// FNV-1a, 64 bits.
uint64_t sum(const Bytes &bytes);
std::string hex(uint64_t number);

// Forgets what this machine has cached of file systems, so that the next look asks the server.
void drop_caches();
// Waits for the end of standard input, by which the rig lets the judge go on.
void wait_for_input_to_end();
// Prints a line, for which the rig may wait.
void say(const std::string &line);

// Each takes the words after its name and returns what it saw, in a line.
using Judgement = std::function<std::string(const Words &)>;
using Judgements = std::map<std::string, Judgement>;

Judgements data_judgements(); // what was written is read
Judgements disk_judgements(); // the same of a disk
Judgements name_judgements(); // folders, links
Judgements lock_judgements(); // record locks, open files
Judgements acl_judgements(); // access control lists
Judgements call_judgements(); // each call is done once

} // namespace judge

#endif
