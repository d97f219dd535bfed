// SPDX-License-Identifier: GPL-2.0-or-later
// Controls the whole terminal through ncurses. The destructor restores the terminal.
#pragma once

#include "base/result.h"
#include "show/live.h"

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace causeway {

class Screen {
  public:
    // Returns an error if ncurses does not know the terminal.
    static Result<Screen> open(bool colour);

    Screen(Screen &&other) noexcept;
    Screen &operator=(Screen &&) = delete;
    Screen(const Screen &) = delete;
    Screen &operator=(const Screen &) = delete;
    ~Screen();

    std::size_t columns() const;
    std::size_t lines() const;
    void draw(const std::vector<ScreenLine> &lines);
    // Waits for a key. Returns none at the end of the time limit. A change of the terminal's size
    // counts as the key 0.
    std::optional<char> key(std::chrono::milliseconds limit);

  private:
    struct Handle;
    explicit Screen(std::unique_ptr<Handle> handle);

    std::unique_ptr<Handle> handle_;
};

} // namespace causeway
