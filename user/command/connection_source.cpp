// SPDX-License-Identifier: GPL-2.0-or-later
#include "command/connection_source.h"

#include <algorithm>

namespace causeway {

namespace {

// The head of the list of sources. Initialised before any constructor of another file runs.
constinit const ConnectionSource *first_connections = nullptr;

} // namespace

ConnectionSource::ConnectionSource(int place, Add adder) noexcept
    : place_(place), add_(adder), next_(first_connections) {
    first_connections = this;
}

std::vector<const ConnectionSource *> ConnectionSource::all() {
    std::vector<const ConnectionSource *> sources;
    for (const auto *source = first_connections; source != nullptr; source = source->next_) {
        sources.push_back(source);
    }
    std::sort(sources.begin(), sources.end(),
              [](const auto *left, const auto *right) { return left->place_ < right->place_; });
    return sources;
}

} // namespace causeway
