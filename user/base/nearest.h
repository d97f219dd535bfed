// SPDX-License-Identifier: GPL-2.0-or-later
// Suggestions for mistyped words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// Returns the least number of letters to insert, delete, replace or swap with a neighbour that
// turns one word into the other.
std::size_t edit_distance(std::string_view left, std::string_view right);

// Returns the known word that is nearest to the typed one; none if more than a third of its
// letters, and more than one letter, would have to change.
std::optional<std::string> nearest(std::string_view typed, const std::vector<std::string> &known);

// Returns the fix for a name that does not exist: "did you mean X?", or all names if none is near.
// @none: the fix if there is no name.
std::string nearest_or_all(std::string_view typed, const std::vector<std::string> &names,
                           std::string_view none = "this machine has none");

} // namespace causeway
