// SPDX-License-Identifier: GPL-2.0-or-later
// A value or the reason why there is none. Exceptions are left for what ends the program.
#pragma once

#include "base/exit_code.h"

#include <string>
#include <utility>
#include <variant>

namespace causeway {

struct Error {
    ExitCode code = ExitCode::failed;
    std::string what;     // what went wrong and why, a sentence without the full stop
    std::string mend{};   // the command or deed that puts it right; may be empty
    int system_error = 0; // positive errno where one is behind it
};

template <typename T> class [[nodiscard]] Result {
  public:
    Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return content_.index() == 0; }

    T &operator*() & { return std::get<0>(content_); }
    const T &operator*() const & { return std::get<0>(content_); }
    T &&operator*() && { return std::get<0>(std::move(content_)); }
    T *operator->() { return &std::get<0>(content_); }
    const T *operator->() const { return &std::get<0>(content_); }

    const Error &error() const { return std::get<1>(content_); }

  private:
    std::variant<T, Error> content_;
};

template <> class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Error error) : content_(std::move(error)) {}

    explicit operator bool() const { return content_.index() == 0; }

    const Error &error() const { return std::get<1>(content_); }

  private:
    std::variant<std::monostate, Error> content_;
};

} // namespace causeway
