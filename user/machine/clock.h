// SPDX-License-Identifier: GPL-2.0-or-later
// Waits, and reads the time since the machine was started. All processes read the same time.
#pragma once

#include <chrono>

namespace causeway {

class HostClock {
  public:
    HostClock() = default;
    HostClock(const HostClock &) = delete;
    HostClock &operator=(const HostClock &) = delete;
    virtual ~HostClock() = default;

    virtual std::chrono::milliseconds now() = 0;
    virtual void sleep(std::chrono::milliseconds time) = 0;
};

class SystemClock final : public HostClock {
  public:
    std::chrono::milliseconds now() override;
    void sleep(std::chrono::milliseconds time) override;
};

} // namespace causeway
