// SPDX-License-Identifier: GPL-2.0-or-later
// How long something took.
#ifndef PEER_CLOCK_H
#define PEER_CLOCK_H

#include <chrono>

namespace peer
{

using Clock = std::chrono::steady_clock;

inline long milliseconds_since(Clock::time_point start)
{
	return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
}

} // namespace peer

#endif
