// SPDX-License-Identifier: GPL-2.0-or-later
#include "fabric/diagnostics.h"

#include "show/progress.h"

#include <chrono>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr std::chrono::seconds patience{120};

Error failed(const std::vector<std::string> &words, const std::string &reason) {
    return Error{ExitCode::try_again, fmt::format("{} failed: {}", words.front(), reason),
                 "causeway doctor says what is wrong with the port"};
}

} // namespace

std::vector<std::string> Diagnostics::command(std::vector<std::string> words) const {
    if (port_) {
        const auto options = port_->options();
        words.insert(words.end(), options.begin(), options.end());
    }
    return words;
}

Result<ProcessEnd> Diagnostics::end_of(const std::vector<std::string> &words) const {
    if (!world_.processes.there(words.front())) {
        return Error{ExitCode::unavailable,
                     fmt::format("the program {} is not installed", words.front()),
                     "apt install infiniband-diags, or: dnf install infiniband-diags"};
    }
    const Progress progress(world_, fmt::format("waiting for {}", words.front()));
    auto end = TRY(world_.processes.run(command(words), patience));
    if (end.timed_out) {
        return failed(words, "no answer");
    }
    return end;
}

Result<std::string> Diagnostics::run(const std::vector<std::string> &words) const {
    auto end = TRY(end_of(words));
    if (!end.good()) {
        return failed(words, end.last_words());
    }
    return end.out;
}

} // namespace causeway
