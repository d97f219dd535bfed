// SPDX-License-Identifier: GPL-2.0-or-later
// The thread of a Progress waits on an eventfd with a time limit, and writes with write(2). It uses
// neither standard streams nor a condition variable: a process that forks while the thread runs
// leaves the object in the child as it is, and the child never waits for a thread that it does not
// have.
#include "show/progress.h"

#include "base/descriptor.h"
#include "base/narration.h"
#include "machine/terminal.h"

#include <algorithm>
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
#include <vector>

namespace causeway {

namespace {

using Clock = std::chrono::steady_clock;

constexpr Progress::Times usual_times{std::chrono::seconds(2), std::chrono::seconds(1)};
constexpr int nowhere = -1;

// With --verbose, each line of standard error names something that the command does.
int file_of(const World &world) {
    return !world.json && !is_narrating() && &world.err == &std::cerr ? STDERR_FILENO : nowhere;
}

void write_all(int file, const std::string &text) {
    // If the terminal is gone, the line is lost.
    static_cast<void>(!::write(file, text.data(), text.size()));
}

} // namespace

class Progress::Line {
  public:
    Line(int file, std::string what, Times times, Descriptor stop)
        : file_(file), times_(times), stop_(std::move(stop)) {
        push(std::move(what));
        thread_ = std::thread([this] { run(); });
        current() = this;
    }
    Line(const Line &) = delete;
    Line &operator=(const Line &) = delete;
    ~Line() {
        current() = nullptr;
        constexpr std::uint64_t one = 1;
        static_cast<void>(!::write(stop_.get(), &one, sizeof(one)));
        thread_.join();
        erase();
    }

    // The line of this process; null: there is none.
    static std::atomic<Line *> &current() {
        static std::atomic<Line *> line{nullptr};
        return line;
    }

    // Returns the level of the text, which is shown until a higher one is pushed.
    std::size_t push(std::string what) {
        const std::lock_guard lock(mutex_);
        texts_.push_back({std::move(what), Clock::now()});
        return texts_.size() - 1;
    }
    void replace(std::size_t level, std::string what) {
        const std::lock_guard lock(mutex_);
        if (level < texts_.size()) {
            texts_[level].what = std::move(what);
        }
    }
    void pop(std::size_t level) {
        const std::lock_guard lock(mutex_);
        texts_.resize(std::min(level, texts_.size()));
    }
    void pause() {
        const std::lock_guard lock(mutex_);
        pauses_++;
        erase();
    }
    void go_on() {
        const std::lock_guard lock(mutex_);
        pauses_--;
    }
    // A child that was forked has the memory of the object without its thread. The thread may have
    // held the lock.
    bool is_of_this_process() const { return process_ == ::getpid(); }

  private:
    struct Text {
        std::string what;
        Clock::time_point begin;
    };

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
        const std::lock_guard lock(mutex_);
        if (pauses_ > 0 || texts_.empty()) {
            return;
        }
        const auto &[what, begin] = texts_.back();
        const auto passed = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin);
        const std::string time = fmt::format(": {} s", passed.count());
        const std::size_t columns = find_terminal(file_).columns;
        const std::size_t room = columns > time.size() ? columns - time.size() - 1 : 0;
        write_all(file_, "\r\033[K" + what.substr(0, room) + time);
        shown_ = true;
    }

    void erase() {
        if (shown_) {
            write_all(file_, "\r\033[K");
            shown_ = false;
        }
    }

    const int file_;
    const Times times_;
    const pid_t process_ = ::getpid();
    std::mutex mutex_;
    std::vector<Text> texts_; // guarded by mutex_; the last one is shown
    int pauses_ = 0;          // guarded by mutex_
    bool shown_ = false;      // guarded by mutex_ while the thread runs
    Descriptor stop_;
    std::thread thread_;
};

Progress::Progress(const World &world, std::string what)
    : Progress(file_of(world), std::move(what), usual_times) {}

Progress::Progress(int file, std::string what, Times times) {
    if (file == nowhere || ::isatty(file) == 0) {
        return;
    }
    if (Line *other = Line::current()) {
        if (other->is_of_this_process()) {
            outer_ = other;
            level_ = outer_->push(std::move(what));
        }
        return;
    }
    Descriptor stop(::eventfd(0, EFD_CLOEXEC));
    if (!stop) {
        return;
    }
    try {
        line_ = std::make_unique<Line>(file, std::move(what), times, std::move(stop));
    } catch (const std::system_error &) {
        // There can be no more threads: the verb goes on without a line.
    }
}

Progress::Line *Progress::shown_in() const {
    Line *line = line_ ? line_.get() : outer_;
    return line != nullptr && line->is_of_this_process() ? line : nullptr;
}

Progress::~Progress() {
    if (line_ && !line_->is_of_this_process()) {
        static_cast<void>(line_.release());
    }
    if (Line *line = shown_in(); line != nullptr && !line_) {
        line->pop(level_);
    }
}

void Progress::now(std::string what) {
    if (Line *line = shown_in()) {
        line->replace(level_, std::move(what));
    }
}

Progress::Pause::Pause() : line_(Line::current()) {
    if (line_ != nullptr && line_->is_of_this_process()) {
        line_->pause();
    }
}

Progress::Pause::~Pause() {
    if (line_ != nullptr && line_->is_of_this_process()) {
        line_->go_on();
    }
}

} // namespace causeway
