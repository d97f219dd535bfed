// SPDX-License-Identifier: GPL-2.0-or-later
// Shared by the tests of the parsers: structs made from samples, parsers with one signature, and
// the loop that breaks one field at a time.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "samples.h"

namespace wire
{

inline __le16 le16(u16 n)
{
	return __cpu_to_le16(n);
}
inline __le32 le32(u32 n)
{
	return __cpu_to_le32(n);
}
inline __le64 le64(u64 n)
{
	return __cpu_to_le64(n);
}

template <class Rec, class Host, class... Args>
Rec packed(void (*pack)(Rec *, const Host *, Args...), const Host &host, Args... args)
{
	Rec rec;
	memset(&rec, 0xa5, sizeof(rec));
	pack(&rec, &host, args...);
	return rec;
}

// The parts of the frame of a message with @data_len bytes of data that decide about a record.
inline cw_frame frame_of(u32 data_len)
{
	cw_frame f{};
	f.count = 1;
	f.data_len = data_len;
	return f;
}

// The bytes of a host struct, which show whether a parser changed it.
template <class Host> std::string bytes(const Host &host)
{
	return {reinterpret_cast<const char *>(&host), sizeof(host)};
}

template <class Rec> struct Case {
	const char *rule;
	std::function<void(Rec &)> harm;
	int error = -EPROTO;
};

// Expects that @valid is accepted, and that any single harm to it is refused without a result.
template <class Host, class Rec>
void each_harm_is_refused(const Rec &valid, const std::function<int(const Rec &, Host *)> &parse,
			  const std::vector<Case<Rec>> &cases)
{
	Host out;
	ASSERT_EQ(parse(valid, &out), 0);
	for (const auto &c : cases) {
		Rec rec = valid;
		c.harm(rec);
		memset(static_cast<void *>(&out), 0x5a, sizeof(out));
		const std::string before = bytes(out);
		EXPECT_EQ(parse(rec, &out), c.error) << c.rule;
		EXPECT_EQ(bytes(out), before) << c.rule << ": wrote a result";
	}
}

// The reverse: expects that every one of these changes is accepted.
template <class Host, class Rec>
void each_change_is_fine(const Rec &valid, const std::function<int(const Rec &, Host *)> &parse,
			 const std::vector<Case<Rec>> &cases)
{
	for (const auto &c : cases) {
		Rec rec = valid;
		Host out;
		c.harm(rec);
		EXPECT_EQ(parse(rec, &out), 0) << c.rule;
	}
}

// Expects that every other length is refused.
template <class Rec>
void only_its_own_length(const Rec &valid, const std::function<int(const void *, size_t)> &parse)
{
	for (size_t len = 0; len < sizeof(valid) + 40; len++) {
		const auto from = reinterpret_cast<const u8 *>(&valid);
		// The buffer has exactly this size, so that ASan detects a read behind its end.
		std::vector<u8> exact(from, from + std::min(len, sizeof(valid)));
		exact.resize(len);
		EXPECT_EQ(parse(exact.data(), len), len == sizeof(valid) ? 0 : -EPROTO) << len;
	}
}

} // namespace wire
