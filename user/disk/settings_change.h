// SPDX-License-Identifier: GPL-2.0-or-later
// The common part of the two changes of settings that are in force: those of an export and those of
// an attached disk.
#pragma once

#include "base/secret.h"
#include "change/change.h"
#include "config/key_file.h"

#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

namespace causeway {

template <typename Settings> struct NewSettings {
    std::uint32_t what = 0; // bits of CW_CHANGE_*: the settings that differ
    // Only the name and the settings of @what have a meaning.
    Settings before;
    Settings after;
    // There was a key, but the name of the key file is unknown, so undo cannot set the key again.
    bool key_unknown = false;
};

template <typename Settings> class SettingsChange : public Change {
  public:
    // @not_reported: bits of CW_CHANGE_* of the settings that the kernel does not report.
    SettingsChange(NewSettings<Settings> settings, std::uint32_t not_reported)
        : settings_(std::move(settings)), not_reported_(not_reported) {}

    std::string show(Direction direction) const override {
        return what(direction) == 0
                   ? ""
                   : fmt::format("would change {}: {}{}\n", thing(),
                                 phrases(what(direction), to(direction)), consequence(direction));
    }
    std::string report(Direction direction) const override {
        return fmt::format("changed {}: {}", thing(), phrases(what(direction), to(direction)));
    }

    Json json() const override {
        return {{"what", settings_.what},
                {"before", settings_json(settings_.before)},
                {"after", settings_json(settings_.after)},
                {"key_unknown", settings_.key_unknown}};
    }

    Result<Standing> standing(World &world) const override {
        const auto there = TRY(in_force(world));
        if (!there) {
            return Standing::neither;
        }
        const std::uint32_t seen = settings_.what & ~not_reported_;
        if (seen == 0) {
            return Standing::unknown;
        }
        const std::string now = phrases(seen, *there);
        return now == phrases(seen, settings_.after)    ? Standing::after
               : now == phrases(seen, settings_.before) ? Standing::before
                                                        : Standing::neither;
    }

    Result<void> forward(World &world) const override {
        return apply(world, Direction::forward, by_force());
    }
    Result<void> back(World &world) const override { return apply(world, Direction::back, false); }
    Result<void> back_by_force(World &world) const override {
        return apply(world, Direction::back, true);
    }

    Result<void> may_go_back(World & /*world*/) const override {
        if (settings_.key_unknown) {
            return Error{ExitCode::failed,
                         fmt::format("{} had another key, and the name of its key file is not "
                                     "known: the key cannot be set again",
                                     thing()),
                         fmt::format("causeway {} --key-file FILE", verb())};
        }
        TRY(key_of(Direction::back));
        return {};
    }

    bool answer_may_be_lost() const override { return true; }

    std::string what_stays() const override {
        return key_stays() ? fmt::format("the key of {} stays: the earlier one was in the same "
                                         "file, {}",
                                         thing(), settings_.before.key_file)
                           : "";
    }

  protected:
    const NewSettings<Settings> &settings() const { return settings_; }

    // Names the export or the disk in a sentence.
    virtual std::string thing() const = 0;
    // Returns the command that sets the key, without options: "export set scratch".
    virtual std::string verb() const = 0;
    // Returns the settings of @what as a part of a sentence: "allow list 10.0.0.0/24, tcp yes".
    virtual std::string phrases(std::uint32_t what, const Settings &settings) const = 0;
    // Returns true if the verb was called with --force.
    virtual bool by_force() const { return false; }
    // Returns what else the change does, for the end of a sentence.
    virtual std::string consequence(Direction /*direction*/) const { return {}; }
    virtual Json settings_json(const Settings &settings) const = 0;
    // Returns the settings that the kernel reports; none if it has no such export or disk.
    virtual Result<std::optional<Settings>> in_force(World &world) const = 0;
    // Gives the kernel the settings of @what, which is not 0. @force: ends connections that the
    // settings do not admit.
    virtual Result<void> set(World &world, std::uint32_t what, const Settings &wanted, Secret key,
                             bool force) const = 0;

  private:
    // Undo cannot restore a key whose file has another key by now.
    bool key_stays() const {
        return (settings_.what & CW_CHANGE_KEY) != 0 && !settings_.before.key_file.empty() &&
               settings_.before.key_file == settings_.after.key_file;
    }
    std::uint32_t what(Direction direction) const {
        return direction == Direction::back && key_stays()
                   ? settings_.what & ~std::uint32_t(CW_CHANGE_KEY)
                   : settings_.what;
    }
    const Settings &to(Direction direction) const {
        return direction == Direction::forward ? settings_.after : settings_.before;
    }

    // Returns an empty key if the change sets none.
    Result<Secret> key_of(Direction direction) const {
        const std::string &file = to(direction).key_file;
        return (what(direction) & CW_CHANGE_KEY) == 0 || file.empty() ? Result<Secret>(Secret())
                                                                      : read_key(file);
    }

    Result<void> apply(World &world, Direction direction, bool force) const {
        if (what(direction) == 0) {
            return {};
        }
        auto key = TRY(key_of(direction));
        auto done = set(world, what(direction), to(direction), std::move(key), force);
        if (!done) {
            Error error = done.error();
            error.what = fmt::format("cannot change {}: {}", thing(), error.what);
            return error;
        }
        return {};
    }

    NewSettings<Settings> settings_;
    std::uint32_t not_reported_;
};

} // namespace causeway
