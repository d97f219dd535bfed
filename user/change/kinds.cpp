// SPDX-License-Identifier: GPL-2.0-or-later
// The registry of kinds, and the JSON form of changes in the journal.
#include "change/kinds.h"

#include <charconv>
#include <fmt/format.h>

namespace causeway {

namespace {

bool is_utf8(const std::string &text) {
    try {
        static_cast<void>(Json(text).dump());
    } catch (const Json::exception &) {
        return false;
    }
    return true;
}

std::string from_hex(const std::string &digits) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        unsigned int byte = 0;
        std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
        bytes += static_cast<char>(byte);
    }
    return bytes;
}

// The head of the list of kinds. Initialised before any constructor of another file runs.
constinit const ChangeKind *first_kind = nullptr;

} // namespace

ChangeKind::ChangeKind(const char *name, Read reader) noexcept
    : name_(name), read_(reader), next_(first_kind) {
    first_kind = this;
}

const ChangeKind *ChangeKind::find(const std::string &name) {
    const ChangeKind *kind = first_kind;
    while (kind != nullptr && name != kind->name_) {
        kind = kind->next_;
    }
    return kind;
}

void put_bytes(Json &json, const std::string &key, const std::optional<std::string> &bytes) {
    if (!bytes) {
        json[key] = nullptr;
    } else if (is_utf8(*bytes)) {
        json[key] = *bytes;
    } else {
        std::string digits;
        for (const char byte : *bytes) {
            digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
        }
        json[key + "_hex"] = digits;
    }
}

std::optional<std::string> get_bytes(const Json &json, const std::string &key) {
    if (json.contains(key + "_hex")) {
        return from_hex(json.at(key + "_hex").get<std::string>());
    }
    const Json &value = json.at(key);
    return value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
}

Result<ChangePointer> change_from_json(const Json &json) {
    try {
        const ChangeKind *kind = ChangeKind::find(json.at("kind").get<std::string>());
        if (kind == nullptr) {
            return Error{ExitCode::bad_config, "a change of an unknown kind"};
        }
        if (auto change = kind->read(json)) {
            return change;
        }
        return Error{ExitCode::bad_config,
                     fmt::format("a change of kind \"{}\" that cannot be read", kind->name())};
    } catch (const Json::exception &wrong) {
        return Error{ExitCode::bad_config, wrong.what()};
    }
}

} // namespace causeway
