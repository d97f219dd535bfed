// SPDX-License-Identifier: GPL-2.0-or-later
// A line on the terminal that shows what a verb waits for, and for how long already.
#pragma once

#include "machine/world.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace causeway {

// The line appears after two seconds, is renewed each second by a thread, and is erased by the
// destructor. A verb that is done sooner shows nothing. An object that is made while another one
// exists puts its text in place of the other's, and the other's is back afterwards. Whatever else
// writes to standard error meanwhile needs a Pause.
//
// The dispatcher makes an object for each verb. A verb makes another one where it can say better
// what it waits for.
class Progress {
  public:
    // Shows nothing if the answer is JSON, with --verbose, if the verb does not write to this
    // process's standard error, or if that is no terminal.
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

    // While an object of this class exists, there is no line.
    class Pause;

  private:
    class Line;

    Line *shown_in() const;

    std::unique_ptr<Line> line_; // null: shows nothing, or in the line of another object
    Line *outer_ = nullptr;      // the line of another object, which outlives this one
    std::size_t level_ = 0;      // of this object's text in the line
};

class Progress::Pause {
  public:
    Pause();
    Pause(const Pause &) = delete;
    Pause &operator=(const Pause &) = delete;
    ~Pause();

  private:
    Line *line_; // null: there is no line
};

} // namespace causeway
