// SPDX-License-Identifier: GPL-2.0-or-later
// The features whose connections "causeway net" lists.
#pragma once

#include "base/answer.h"
#include "base/result.h"
#include "machine/world.h"

#include <vector>

namespace causeway {

// Registers the connections of a feature. It is a static object of the feature.
class ConnectionSource {
  public:
    // Adds a table to the text of the answer, and the connections to its JSON.
    using Add = Result<void> (*)(World &world, Answer &answer);

    // @place orders the sources in the answer.
    ConnectionSource(int place, Add adder) noexcept;
    ConnectionSource(const ConnectionSource &) = delete;
    ConnectionSource &operator=(const ConnectionSource &) = delete;
    ~ConnectionSource() = default;

    // Returns all sources, sorted by their place.
    static std::vector<const ConnectionSource *> all();
    Result<void> add(World &world, Answer &answer) const { return add_(world, answer); }

  private:
    int place_;
    Add add_;
    const ConnectionSource *next_;
};

} // namespace causeway
