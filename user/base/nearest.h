// SPDX-License-Identifier: GPL-2.0-or-later
// The known word that is most like a mistyped one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// Letters to insert, delete, replace or swap with a neighbour to make one word of the other.
std::size_t edit_distance(std::string_view left, std::string_view right);

// None where nothing is near enough to be worth naming.
std::optional<std::string> nearest(std::string_view typed, const std::vector<std::string> &known);

} // namespace causeway
