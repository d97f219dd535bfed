// SPDX-License-Identifier: GPL-2.0-or-later
// Notifies systemd that a unit of Type=notify has started, as sd_notify(3) does: when the work is
// done, or after a time limit while the work continues. So the units that are ordered after it wait
// no longer than the limit.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace causeway {

class Readiness {
  public:
    // Does nothing if systemd passed no socket in $NOTIFY_SOCKET.
    explicit Readiness(std::chrono::milliseconds limit);
    Readiness(const Readiness &) = delete;
    Readiness &operator=(const Readiness &) = delete;
    // Does not notify systemd: a unit whose work failed before the limit has not started.
    ~Readiness();

    // Notifies systemd once. Later calls do nothing.
    void tell();

  private:
    void wait(std::chrono::milliseconds limit);
    void report_locked();

    std::string socket_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool told_ = false;
    bool over_ = false;
    std::thread waiting_;
};

} // namespace causeway
