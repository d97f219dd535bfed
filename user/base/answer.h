// SPDX-License-Identifier: GPL-2.0-or-later
// What a verb has to say: to a program as JSON, to a person as text.
#pragma once

#include "base/exit_code.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

using Json = nlohmann::ordered_json;

inline constexpr int json_schema = 2;

// null where nothing is known: of a text that is empty, or of a value that is not there.
inline Json or_null(const std::string &text) {
    return text.empty() ? Json(nullptr) : Json(text);
}
template <typename Value> Json or_null(const std::optional<Value> &value) {
    return value ? Json(*value) : Json(nullptr);
}

struct Answer {
    Json json = Json::object(); // without "schema", "warnings"
    std::string text;           // ends in a newline unless it is empty
    std::vector<std::string> warnings{};
    ExitCode code = ExitCode::ok;
    bool printed = false; // the verb wrote to the output itself, as watch does
};

} // namespace causeway
