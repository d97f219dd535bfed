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
    std::string fix{};    // the command or deed that puts it right; may be empty
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
    T take() && { return std::get<0>(std::move(content_)); }
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

    void take() && {}

    const Error &error() const { return std::get<1>(content_); }

  private:
    std::variant<std::monostate, Error> content_;
};

} // namespace causeway

// The value of a Result; if it holds an error, the calling function returns that error. A statement
// of its own or all of an initialiser, because other temporaries of the expression would be lost.
// Without a name the value is destroyed at once, so a lock needs one:
//
//     const auto mounts = TRY(nfs_mounts(world.files));
//     const FileLock lock = TRY(FileLock::take(world.places.lock()));
//     TRY(world.modules.need(module_rpcrdma));
#define TRY(...)                                                                                   \
    __extension__({                                                                                \
        auto try_result = (__VA_ARGS__);                                                           \
        if (!try_result) {                                                                         \
            return try_result.error();                                                             \
        }                                                                                          \
        std::move(try_result).take();                                                              \
    })
