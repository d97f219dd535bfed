// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/family.h"

#include "change/carry_out.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

// The head of the list of families. Initialised before any constructor of another file runs.
constinit const TransportFamily *first_family = nullptr;

// Asks the families other than @family, and returns the first transport's title, or none.
template <typename Ask>
Result<std::optional<std::string>> title_of_others(const TransportFamily &family, Ask ask) {
    for (const TransportFamily *other : TransportFamily::all()) {
        auto title = other == &family ? std::optional<std::string>() : TRY(ask(*other));
        if (title) {
            return title;
        }
    }
    return std::optional<std::string>();
}

} // namespace

TransportFamily::TransportFamily(int place) noexcept : place_(place), next_(first_family) {
    first_family = this;
}

std::vector<const TransportFamily *> TransportFamily::all() {
    std::vector<const TransportFamily *> families;
    for (const auto *family = first_family; family != nullptr; family = family->next_) {
        families.push_back(family);
    }
    std::sort(families.begin(), families.end(),
              [](const auto *left, const auto *right) { return left->place_ < right->place_; });
    return families;
}

const TransportFamily &family_for(const Arguments &arguments) {
    const auto families = TransportFamily::all();
    return **std::find_if(families.begin(), families.end(),
                          [&](const auto *family) { return family->takes(arguments); });
}

Result<Answer> perform(World &world, DiskAction &action, bool dry_run) {
    const auto set = TRY(action.changes(world));
    auto done = carry_out(world, {dry_run}, set, action.nothing_to_do());
    return done ? action.answer(world, *std::move(done)) : action.failure(done.error());
}

Result<void> refuse_options(const Arguments &arguments,
                            const std::vector<std::string_view> &options, std::string_view why,
                            std::string_view fix) {
    for (const std::string_view option : options) {
        if (arguments.has(option)) {
            return Error{ExitCode::usage, fmt::format("--{} {}", option, why),
                         fmt::format(fmt::runtime(fix), option)};
        }
    }
    return {};
}

Result<void> check_export_name(World &world, const TransportFamily &family,
                               const std::string &name) {
    const auto title = TRY(title_of_others(
        family, [&](const TransportFamily &other) { return other.exported_by(world, name); }));
    if (!title) {
        return {};
    }
    return Error{ExitCode::failed, fmt::format("the export '{}' is there by {}", name, *title),
                 fmt::format("causeway export remove {}, or take another name", name)};
}

Result<void> check_disk_name(World &world, const TransportFamily &family, const DiskName &disk) {
    const auto title = TRY(title_of_others(
        family, [&](const TransportFamily &other) { return other.attached_by(world, disk); }));
    if (!title) {
        return {};
    }
    return Error{ExitCode::failed, fmt::format("{} is there by {}", disk.text(), *title),
                 fmt::format("causeway detach {}", disk.text())};
}

} // namespace causeway
