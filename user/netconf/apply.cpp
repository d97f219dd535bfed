// SPDX-License-Identifier: GPL-2.0-or-later
#include "netconf/apply.h"

#include "netconf/kept_now.h"
#include "netconf/records.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

std::vector<NetworkFile> files_of(const Places &places,
                                  const std::vector<InterfaceSettings> &records) {
    std::vector<NetworkFile> files;
    for (const NetworkBackend *backend : network_backends()) {
        std::vector<InterfaceSettings> its;
        std::copy_if(
            records.begin(), records.end(), std::back_inserter(its),
            [&](const InterfaceSettings &each) { return each.backend == backend->name(); });
        for (NetworkFile &file : backend->files(places, its)) {
            files.push_back(std::move(file));
        }
    }
    for (const InterfaceSettings &each : records) {
        files.push_back({each.name, record_place(places, each.name), record_text(each)});
    }
    return files;
}

const NetworkFile *find_file(const std::vector<NetworkFile> &files,
                             const std::filesystem::path &place) {
    const auto found = std::find_if(files.begin(), files.end(),
                                    [&](const NetworkFile &each) { return each.place == place; });
    return found == files.end() ? nullptr : &*found;
}

// Writes the files of this interface, and those files of other interfaces whose content follows
// from the change of the records. All other files stay, whatever their content on the disk: an
// interface that the user did not name must not change.
Result<void> plan_files(ChangeSet &set, const std::string &interface,
                        const std::vector<NetworkFile> &had,
                        const std::vector<NetworkFile> &wanted) {
    for (const NetworkFile &file : had) {
        if (find_file(wanted, file.place) != nullptr) {
            continue;
        }
        TRY(set.remove(file.place));
    }
    for (const NetworkFile &file : wanted) {
        const NetworkFile *before = find_file(had, file.place);
        if (file.interface != interface && before != nullptr && before->content == file.content) {
            continue;
        }
        TRY(set.write(file.place, file.content, file.mode));
    }
    return {};
}

// The settings and backend of an interface before or after a change.
struct Side {
    const InterfaceSettings *settings = nullptr; // null: no settings
    const NetworkBackend *backend = nullptr;

    explicit operator bool() const { return settings != nullptr; }
};

Result<Side> side_of(const std::vector<InterfaceSettings> &records, const std::string &interface) {
    const InterfaceSettings *settings = find_record(records, interface);
    if (settings == nullptr) {
        return Side{};
    }
    auto backend = find_backend(settings->backend);
    if (!backend) {
        return Error{ExitCode::bad_config, backend.error().what, backend.error().fix};
    }
    return Side{settings, *backend};
}

// networkd makes a child from its parent's profile. If another manager had the parent, the child
// would get no addresses.
Result<void> check_parents(const std::vector<InterfaceSettings> &records,
                           const std::string &interface) {
    const std::string_view by_parent = networkd().name();
    for (const InterfaceSettings &each : records) {
        const InterfaceSettings *parent = each.pkey ? find_record(records, each.parent) : nullptr;
        const bool concerned = each.name == interface || each.parent == interface;
        if (!concerned || parent == nullptr || each.backend != by_parent ||
            parent->backend == by_parent) {
            continue;
        }
        auto other = find_backend(parent->backend);
        if (!other) {
            return Error{ExitCode::bad_config, other.error().what, other.error().fix};
        }
        return Error{
            ExitCode::usage,
            fmt::format("{} has a profile of {}'s, and its child {} one of {}'s, which makes a "
                        "child by the profile of its parent",
                        parent->name, (*other)->title(), each.name, networkd().title()),
            each.name == interface ? fmt::format("give --backend {}, or first give {} to networkd: "
                                                 "causeway ipoib set "
                                                 "{} --mtu BYTES --backend {}",
                                                 (*other)->name(), parent->name, parent->name,
                                                 by_parent)
                                   : fmt::format("give --backend {}, or first give the child to "
                                                 "{}: causeway ipoib "
                                                 "set {} --mtu BYTES --backend {}",
                                                 by_parent, (*other)->title(), each.name,
                                                 (*other)->name())};
    }
    return {};
}

std::vector<Words> activate(const Places &places, const Side &side, Activation activation) {
    return activation == Activation::start ? side.backend->start(places, *side.settings)
                                           : side.backend->reread(places, *side.settings);
}

// Returns the programs after which the interface is as on @side. Without settings there, they make
// the manager of the @other side forget the interface.
std::vector<Words> lead_to(const Places &places, const Side &side, const Side &other,
                           Activation activation) {
    return side ? activate(places, side, activation) : other.backend->forget(*other.settings);
}

std::vector<Words> stop(const Side &side) {
    return side ? side.backend->stop(*side.settings) : std::vector<Words>();
}

} // namespace

const InterfaceSettings *find_record(const std::vector<InterfaceSettings> &records,
                                     const std::string &interface) {
    const auto found =
        std::find_if(records.begin(), records.end(),
                     [&](const InterfaceSettings &each) { return each.name == interface; });
    return found == records.end() ? nullptr : &*found;
}

std::vector<InterfaceSettings> records_with(std::vector<InterfaceSettings> records,
                                            const InterfaceSettings &settings) {
    records.erase(
        std::remove_if(records.begin(), records.end(),
                       [&](const InterfaceSettings &each) { return each.name == settings.name; }),
        records.end());
    if (!settings.empty()) {
        records.push_back(settings);
    }
    std::sort(records.begin(), records.end(),
              [](const InterfaceSettings &left, const InterfaceSettings &right) {
                  return left.name < right.name;
              });
    return records;
}

Result<void> plan_interface(World &world, ChangeSet &set, const std::string &interface,
                            const InterfaceNow &now, const std::vector<InterfaceSettings> &before,
                            const std::vector<InterfaceSettings> &after, Activation activation,
                            std::vector<ChangePointer> live) {
    auto old = TRY(side_of(before, interface));
    auto fresh = TRY(side_of(after, interface));
    TRY(check_parents(after, interface));
    const auto had = files_of(world.places, before);
    const auto wanted = files_of(world.places, after);
    ChangeSet probe("");
    TRY(plan_files(probe, interface, had, wanted));
    const bool asks = !probe.empty() && (old || fresh);
    if (asks && fresh) {
        TRY(fresh.backend->check(world, *fresh.settings));
    }
    const bool same = old && fresh && old.backend == fresh.backend;
    const bool stops =
        activation == Activation::start && (!same || fresh.backend->stops_for_a_change());
    if (asks) {
        // First in the set, so undo restores the addresses last, after everything that the manager
        // does.
        if (auto held = hold_addresses(now, interface, fresh.settings)) {
            set.add(std::move(held));
        }
        set.add(change_attempts(stops ? stop(old) : std::vector<Words>(),
                                lead_to(world.places, old, fresh, activation)));
    }
    TRY(plan_files(set, interface, had, wanted));
    for (ChangePointer &change : live) {
        set.add(std::move(change));
    }
    if (asks) {
        set.add(change_attempts(lead_to(world.places, fresh, old, activation),
                                stops ? stop(fresh) : std::vector<Words>()));
    }
    return {};
}

Result<void> plan_forget(World &world, ChangeSet &set, const std::string &interface,
                         const std::vector<InterfaceSettings> &records) {
    InterfaceSettings nothing;
    nothing.name = interface;
    return plan_files(set, interface, files_of(world.places, records),
                      files_of(world.places, records_with(records, nothing)));
}

Result<void> plan_rename(World &world, ChangeSet &set, const std::string &from,
                         const std::string &to, const std::vector<InterfaceSettings> &records,
                         ChangePointer live) {
    auto old = TRY(side_of(records, from));
    if (!old) {
        set.add(std::move(live));
        return {};
    }
    const auto reread = [&](const InterfaceSettings &settings) {
        return old.backend->reread(world.places, settings);
    };
    set.add(change_attempts({}, reread(*old.settings)));
    set.add(std::move(live));
    InterfaceSettings nothing;
    nothing.name = from;
    InterfaceSettings renamed = *old.settings;
    renamed.name = to;
    const auto after = records_with(records_with(records, nothing), renamed);
    TRY(plan_files(set, to, files_of(world.places, records), files_of(world.places, after)));
    set.add(change_attempts(reread(renamed), {}));
    return {};
}

Result<const NetworkBackend *> choose_backend(World &world,
                                              const std::optional<std::string> &forced,
                                              const std::vector<InterfaceSettings> &records,
                                              const std::string &interface,
                                              const std::string &parent) {
    if (forced) {
        return find_backend(*forced);
    }
    if (const InterfaceSettings *record = find_record(records, interface)) {
        return find_backend(record->backend);
    }
    return backend_here(world, parent.empty() ? interface : parent);
}

} // namespace causeway
