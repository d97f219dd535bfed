// SPDX-License-Identifier: GPL-2.0-or-later
#include "show/screen.h"

#include <clocale>
#include <cstdio>
#define NCURSES_NOMACROS
#include <curses.h>

namespace causeway {

struct Screen::Handle {
    SCREEN *terminal = nullptr;
    bool colour = false;

    Handle() = default;
    Handle(const Handle &) = delete;
    Handle &operator=(const Handle &) = delete;
    ~Handle() {
        if (terminal != nullptr) {
            ::endwin();
            ::delscreen(terminal);
        }
    }
};

namespace {

short pair_of(Tone tone) {
    return static_cast<short>(tone);
}

void choose_colours() {
    ::start_color();
    ::use_default_colors();
    constexpr short as_it_is = -1;
    ::init_pair(pair_of(Tone::good), COLOR_GREEN, as_it_is);
    ::init_pair(pair_of(Tone::doubtful), COLOR_YELLOW, as_it_is);
    ::init_pair(pair_of(Tone::bad), COLOR_RED, as_it_is);
}

} // namespace

Screen::Screen(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
Screen::Screen(Screen &&other) noexcept = default;
Screen::~Screen() = default;

Result<Screen> Screen::open(bool colour) {
    std::setlocale(LC_ALL, "");
    auto handle = std::make_unique<Handle>();
    handle->terminal = ::newterm(nullptr, stdout, stdin);
    if (handle->terminal == nullptr) {
        return Error{ExitCode::unavailable, "this terminal is not known here",
                     "set TERM, or run causeway top --count 1 | cat"};
    }
    handle->colour = colour && ::has_colors();
    if (handle->colour) {
        choose_colours();
    }
    ::cbreak();
    ::noecho();
    ::curs_set(0);
    ::keypad(stdscr, true);
    return Screen(std::move(handle));
}

std::size_t Screen::columns() const {
    return static_cast<std::size_t>(::getmaxx(stdscr));
}

std::size_t Screen::lines() const {
    return static_cast<std::size_t>(::getmaxy(stdscr));
}

void Screen::draw(const std::vector<ScreenLine> &lines) {
    ::erase();
    int number = 0;
    for (const ScreenLine &line : lines) {
        ::move(number++, 0);
        for (const ScreenLine::Part &part : line.parts) {
            const chtype look =
                (line.reversed ? A_REVERSE : A_NORMAL) |
                (handle_->colour ? static_cast<chtype>(COLOR_PAIR(pair_of(part.tone))) : A_NORMAL);
            ::attrset(static_cast<int>(look));
            ::addstr(part.text.c_str());
        }
    }
    ::refresh();
}

std::optional<char> Screen::key(std::chrono::milliseconds limit) {
    ::timeout(static_cast<int>(limit.count()));
    const int typed = ::getch();
    if (typed == ERR) {
        return std::nullopt;
    }
    return typed == KEY_RESIZE || typed > 255 ? '\0' : static_cast<char>(typed);
}

} // namespace causeway
