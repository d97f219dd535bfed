// SPDX-License-Identifier: GPL-2.0-or-later
// The kinds of changes that the journal can hold. The file that implements a kind registers it with
// a static ChangeKind, so this folder does not know which features define kinds.
#pragma once

#include "change/change.h"

#include <optional>
#include <string>

namespace causeway {

class ChangeKind {
  public:
    // Makes the change that the JSON of Change::json() describes, or returns null if a text in it
    // is malformed. Throws what nlohmann-json throws if a key is missing or has another type.
    using Read = ChangePointer (*)(const Json &json);

    // Registers the kind. @name is the value of "kind" in the journal.
    ChangeKind(const char *name, Read read) noexcept;
    ChangeKind(const ChangeKind &) = delete;
    ChangeKind &operator=(const ChangeKind &) = delete;
    ~ChangeKind() = default;

    const char *name() const { return name_; }
    // Returns null if no kind has this name.
    static const ChangeKind *find(const std::string &name);
    ChangePointer read(const Json &json) const { return read_(json); }

  private:
    const char *name_;
    Read read_;
    const ChangeKind *next_;
};

// Sets json[key] to the text, to null if there is none, or json[key + "_hex"] to hexadecimal digits
// if the bytes are not UTF-8.
void put_bytes(Json &json, const std::string &key, const std::optional<std::string> &bytes);
// The reverse. Throws what nlohmann-json throws if the key is missing or has another type.
std::optional<std::string> get_bytes(const Json &json, const std::string &key);

} // namespace causeway
