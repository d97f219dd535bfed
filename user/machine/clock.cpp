// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/clock.h"

#include <thread>

namespace causeway {

std::chrono::milliseconds SystemClock::now() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now().time_since_epoch());
}

void SystemClock::sleep(std::chrono::milliseconds time) {
    std::this_thread::sleep_for(time);
}

} // namespace causeway
