// SPDX-License-Identifier: GPL-2.0-or-later
// The end of the standard input, at which a client leaves.
#ifndef PEER_INPUT_H
#define PEER_INPUT_H

#include <poll.h>
#include <unistd.h>

namespace peer
{

// Waits until the input has ended or has data, which clients are not sent; false after @timeout_ms.
inline bool input_has_ended(int timeout_ms)
{
	pollfd fd{STDIN_FILENO, POLLIN, 0};
	return poll(&fd, 1, timeout_ms) == 1;
}

} // namespace peer

#endif
