// SPDX-License-Identifier: GPL-2.0-or-later
// Shared by the fuzz targets: a check that ends the run, and an input in memory of exactly its
// size, so that ASan detects a read of one byte too many.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#define CHECK(what)                                                                        \
	do {                                                                               \
		if (!(what)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
			abort();                                                           \
		}                                                                          \
	} while (0)

namespace fuzz
{

class Bytes
{
      public:
	Bytes(const std::uint8_t *data, size_t len) : bytes_(new std::uint8_t[len]), len_(len)
	{
		if (len)
			memcpy(bytes_.get(), data, len);
	}
	const std::uint8_t *data() const
	{
		return bytes_.get();
	}
	size_t size() const
	{
		return len_;
	}

      private:
	std::unique_ptr<std::uint8_t[]> bytes_;
	size_t len_;
};

// Reads every byte, as a user of the data would.
inline void touch(const std::uint8_t *data, size_t len)
{
	static volatile std::uint8_t sink;
	for (size_t i = 0; i < len; i++)
		sink = sink ^ data[i];
}

template <size_t N> bool printable(const char (&text)[N])
{
	const size_t len = strnlen(text, N);
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	for (size_t i = len; i < N; i++)
		if (text[i])
			return false;
	return len < N;
}

template <class Rec> bool same(const Rec &rec, const void *bytes)
{
	return !memcmp(&rec, bytes, sizeof(rec));
}

} // namespace fuzz
