// SPDX-License-Identifier: GPL-2.0-or-later
// The checksum of a ledger, for programs that cannot call the kernel's function.
#pragma once

#include <boost/crc.hpp>
#include <cstddef>

inline unsigned int crc32c(const void *data, std::size_t length)
{
	boost::crc_optimal<32, 0x1edc6f41, 0xffffffff, 0xffffffff, true, true> crc;
	crc.process_bytes(data, length);
	return crc.checksum();
}
