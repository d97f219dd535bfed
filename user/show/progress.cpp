// SPDX-License-Identifier: GPL-2.0-or-later
// The thread of a Progress waits on an eventfd with a time limit, and writes with write(2). It uses
// neither standard streams nor a condition variable: a process that forks while the thread runs
// leaves the object in the child as it is, and the child never waits for a thread that it does not
// have.
#include "show/progress.h"

#include "base/descriptor.h"
#include "machine/terminal.h"

#include <atomic>
#include <cstdint>
#include <fmt/format.h>
#include <iostream>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace causeway {

namespace {

using Clock = std::chrono::steady_clock;

constexpr Progress::Times usual_times{std::chrono::seconds(2), std::chrono::seconds(1)};
constexpr int nowhere = -1;

// True while an object has a line.
std::atomic<bool> line_exists{false};

int file_of(const World &world) {
    return !world.json && &world.err == &std::cerr ? STDERR_FILENO : nowhere;
}

void write_all(int file, const std::string &text) {
    // If the terminal is gone, the line is lost.
    static_cast<void>(!::write(file, text.data(), text.size()));
}

} // namespace

class Progress::Line {
  public:
    Line(int file, std::string what, Times times, Descriptor stop)
        : file_(file), times_(times), what_(std::move(what)), stop_(std::move(stop)),
          thread_([this] { run(); }) {}
    Line(const Line &) = delete;
    Line &operator=(const Line &) = delete;
    ~Line() {
        constexpr std::uint64_t one = 1;
        static_cast<void>(!::write(stop_.get(), &one, sizeof(one)));
        thread_.join();
        if (shown_) {
            write_all(file_, "\r\033[K");
        }
        line_exists = false;
    }

    void now(std::string what) {
        const std::lock_guard lock(mutex_);
        what_ = std::move(what);
    }
    bool is_of_this_process() const { return process_ == ::getpid(); }

  private:
    bool is_stopped_within(std::chrono::milliseconds limit) const {
        pollfd source{stop_.get(), POLLIN, 0};
        return ::poll(&source, 1, static_cast<int>(limit.count())) != 0;
    }

    void run() {
        auto wait = times_.first;
        while (!is_stopped_within(wait)) {
            show();
            wait = times_.period;
        }
    }

    // One character less than the width: a full line would move the cursor to the next one.
    void show() {
        const auto passed = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin_);
        const std::string time = fmt::format(": {} s", passed.count());
        const std::size_t columns = find_terminal(file_).columns;
        const std::size_t room = columns > time.size() ? columns - time.size() - 1 : 0;
        const std::lock_guard lock(mutex_);
        write_all(file_, "\r\033[K" + what_.substr(0, room) + time);
        shown_ = true;
    }

    const int file_;
    const Times times_;
    const pid_t process_ = ::getpid();
    const Clock::time_point begin_ = Clock::now();
    std::mutex mutex_;
    std::string what_;   // guarded by mutex_
    bool shown_ = false; // read only when the thread has ended
    Descriptor stop_;
    std::thread thread_; // the last member: the thread uses the others
};

Progress::Progress(const World &world, std::string what)
    : Progress(file_of(world), std::move(what), usual_times) {}

Progress::Progress(int file, std::string what, Times times) {
    if (file == nowhere || ::isatty(file) == 0) {
        return;
    }
    Descriptor stop(::eventfd(0, EFD_CLOEXEC));
    if (!stop || line_exists.exchange(true)) {
        return;
    }
    try {
        line_ = std::make_unique<Line>(file, std::move(what), times, std::move(stop));
    } catch (const std::system_error &) {
        line_exists = false; // the verb goes on without a line if there can be no more threads
    }
}

Progress::~Progress() {
    if (line_ && !line_->is_of_this_process()) {
        static_cast<void>(line_.release());
    }
}

void Progress::now(std::string what) {
    if (line_) {
        line_->now(std::move(what));
    }
}

} // namespace causeway
