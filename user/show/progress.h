// SPDX-License-Identifier: GPL-2.0-or-later
// A line on the terminal that shows what a verb waits for, and for how long already.
#pragma once

#include "machine/world.h"

#include <chrono>
#include <memory>
#include <string>

namespace causeway {

// The line appears after two seconds, is renewed each second by a thread, and is erased by the
// destructor. A verb that is done sooner shows nothing. An object that is made while another one
// shows its line shows nothing. Nothing else must write to standard error meanwhile.
class Progress {
  public:
    // Shows nothing if the answer is JSON, if the verb does not write to this process's standard
    // error, or if that is no terminal.
    Progress(const World &world, std::string what);

    struct Times {
        std::chrono::milliseconds first;
        std::chrono::milliseconds period;
    };
    // For a file descriptor, which stays open. Shows nothing if it is no terminal.
    Progress(int file, std::string what, Times times);
    Progress(const Progress &) = delete;
    Progress &operator=(const Progress &) = delete;
    ~Progress();

    // Replaces the text. The time goes on.
    void now(std::string what);

  private:
    class Line;

    std::unique_ptr<Line> line_; // null: shows nothing
};

} // namespace causeway
