// SPDX-License-Identifier: GPL-2.0-or-later
// The result of a verb: JSON for programs, text for people.
#pragma once

#include "base/exit_code.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

using Json = nlohmann::ordered_json;

inline constexpr int json_schema = 2;

// Returns null for an empty text, or for a value that does not exist.
inline Json or_null(const std::string &text) {
    return text.empty() ? Json(nullptr) : Json(text);
}
template <typename Value> Json or_null(const std::optional<Value> &value) {
    return value ? Json(*value) : Json(nullptr);
}

struct Answer {
    Json json = Json::object(); // without the keys "schema" and "warnings"
    std::string text;           // ends in a newline, unless the text is empty
    std::vector<std::string> warnings{};
    ExitCode code = ExitCode::ok;
    bool printed = false; // the verb has written to the output itself, as watch does
};

} // namespace causeway
