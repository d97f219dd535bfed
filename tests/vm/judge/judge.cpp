// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

namespace judge
{

void broken(const std::string &text)
{
	throw Broken(text + ": " + strerror(errno));
}

File::File(const std::string &path, int flags, unsigned mode)
    : fd_(must(open(path.c_str(), flags | O_CLOEXEC, mode), "open " + path))
{
}

File::~File()
{
	if (fd_ >= 0)
		::close(fd_);
}

File &File::operator=(File &&other) noexcept
{
	std::swap(fd_, other.fd_);
	return *this;
}

void File::close()
{
	const int fd = fd_;
	fd_ = -1;
	must(::close(fd), "close");
}

uint64_t Random::next()
{
	uint64_t z = state_ += 0x9e3779b97f4a7c15;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

uint64_t sum(const Bytes &bytes)
{
	uint64_t hash = 0xcbf29ce484222325;
	for (const uint8_t byte : bytes)
		hash = (hash ^ byte) * 0x100000001b3;
	return hash;
}

std::string hex(uint64_t number)
{
	std::array<char, 17> text{};
	snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(number));
	return text.data();
}

void drop_caches()
{
	sync();
	File file("/proc/sys/vm/drop_caches", O_WRONLY);
	must(write(file, "3", 1), "drop_caches");
}

void wait_for_input_to_end()
{
	std::array<char, 256> ignored{};
	while (read(0, ignored.data(), ignored.size()) > 0)
		;
}

void say(const std::string &line)
{
	std::cout << line << std::endl;
}

} // namespace judge
