// SPDX-License-Identifier: GPL-2.0-or-later
// Tells systemd that a unit of Type=notify has started, as sd_notify(3) does: when the work is
// done, or after a limit, with the work going on. So what is ordered after the unit does not wait
// longer.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace causeway {

class Readiness {
  public:
    // Does nothing at all where systemd has given no socket ($NOTIFY_SOCKET).
    explicit Readiness(std::chrono::milliseconds limit);
    Readiness(const Readiness &) = delete;
    Readiness &operator=(const Readiness &) = delete;
    // Says nothing: a unit whose work failed before the limit has not started.
    ~Readiness();

    // Once is enough; later calls say nothing.
    void tell();

  private:
    void wait(std::chrono::milliseconds limit);
    void tell_locked();

    std::string socket_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool told_ = false;
    bool over_ = false;
    std::thread waiting_;
};

} // namespace causeway
