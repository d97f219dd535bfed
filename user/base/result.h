// SPDX-License-Identifier: GPL-2.0-or-later
// A value, or the error that explains why there is none. Exceptions are only for failures that end
// the program.
#pragma once

#include "base/exit_code.h"

#include <string>
#include <utility>
#include <variant>

namespace causeway {

struct Error {
    ExitCode code = ExitCode::failed;
    std::string what;     // what failed and why: a sentence without the full stop
    std::string fix{};    // the command or action that fixes the problem; may be empty
    int system_error = 0; // the positive errno that caused the error; 0: none
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

// Returns the value of a Result. If it holds an error, the calling function returns that error.
// Use TRY as a statement of its own or as a complete initialiser, because other temporaries of the
// expression would be lost. Without a name the value is destroyed at once, so a lock needs a name:
//
//   const auto mounts = TRY(nfs_mounts(world.files));
//   const FileLock lock = TRY(FileLock::take(world.places.lock()));
//   TRY(world.modules.need(module_rpcrdma));
#define TRY(...)                                                                                   \
    __extension__({                                                                                \
        auto try_result = (__VA_ARGS__);                                                           \
        if (!try_result) {                                                                         \
            return try_result.error();                                                             \
        }                                                                                          \
        std::move(try_result).take();                                                              \
    })
