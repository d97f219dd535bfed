// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace causeway {

// Appends the value unless the list has an equal one.
template <typename Value> void append_once(std::vector<Value> &list, Value value) {
    if (std::find(list.begin(), list.end(), value) == list.end()) {
        list.push_back(std::move(value));
    }
}

} // namespace causeway
