// SPDX-License-Identifier: GPL-2.0-or-later
// Files and symbolic links.
#include "base/diff.h"
#include "base/durable_file.h"
#include "change/kinds.h"
#include "change/look.h"

#include <fmt/format.h>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

const ChangeKind kind_file("file", [](const Json &json) -> ChangePointer {
    return change_file(json.at("path").get<std::string>(),
                       {get_bytes(json, "before"), json.at("before_mode").get<unsigned int>()},
                       {get_bytes(json, "after"), json.at("after_mode").get<unsigned int>()});
});

const ChangeKind kind_dropin("dropin", [](const Json &json) -> ChangePointer {
    return dropin_from(json, {});
});

const ChangeKind kind_symlink("symlink", [](const Json &json) -> ChangePointer {
    return change_symlink(json.at("path").get<std::string>(), get_bytes(json, "before"),
                          get_bytes(json, "after"));
});

std::string_view action_word(bool was, bool is) {
    if (!is) {
        return "removed";
    }
    return was ? "changed" : "wrote";
}

class FileChange : public Change {
  public:
    FileChange(fs::path place, FileState before, FileState after)
        : place_(std::move(place)), before_(std::move(before)), after_(std::move(after)) {}

    std::string subject() const override { return place_.string(); }

    std::string show(Direction direction) const override {
        const bool back = direction == Direction::back;
        return unified_diff(place_.string(), (back ? after_ : before_).content,
                            (back ? before_ : after_).content);
    }

    bool shows(Direction /*direction*/) const override { return before_.content != after_.content; }

    std::string report(Direction direction) const override {
        const bool back = direction == Direction::back;
        return fmt::format("{} {}",
                           action_word((back ? after_ : before_).content.has_value(),
                                       (back ? before_ : after_).content.has_value()),
                           place_.string());
    }

    Json json() const override {
        Json json = {{"kind", kind()}, {"path", place_.string()}};
        put_bytes(json, "before", before_.content);
        put_bytes(json, "after", after_.content);
        json["before_mode"] = before_.mode;
        json["after_mode"] = after_.mode;
        return json;
    }

    Result<Standing> standing(World & /*world*/) const override {
        auto now = TRY(look_at_file(place_));
        const auto same = [&](const FileState &state) {
            return now.content == state.content && (!now.content || now.mode == state.mode);
        };
        if (same(after_)) {
            return Standing::after;
        }
        return same(before_) ? Standing::before : Standing::neither;
    }

    Result<void> forward(World & /*world*/) const override { return put(after_); }
    Result<void> back(World & /*world*/) const override { return put(before_); }
    EarlyBoot early_boot() const override { return EarlyBoot::always; }

  protected:
    const fs::path &place() const { return place_; }
    const FileState &before() const { return before_; }
    const FileState &after() const { return after_; }

    Result<void> put(const FileState &state) const {
        if (state.content) {
            return write_durably(place_, *state.content, state.mode);
        }
        TRY(remove_durably(place_));
        return {};
    }

  private:
    virtual const char *kind() const { return kind_file.name(); }

    fs::path place_;
    FileState before_;
    FileState after_;
};

class DropinChange final : public FileChange {
  public:
    DropinChange(fs::path place, FileState before, FileState after, DropinWay way)
        : FileChange(std::move(place), std::move(before), std::move(after)), way_(std::move(way)) {}

    bool describes() const override { return true; }
    fs::path lock_place(const World &world) const override {
        return way_.lock_place != nullptr ? way_.lock_place(world) : fs::path();
    }
    // At boot the file has no effect before "causeway restore" or systemd reads it, so an early
    // reversal is not needed.
    EarlyBoot early_boot() const override { return EarlyBoot::nothing; }

    std::string show(Direction direction) const override {
        return unread() && direction == Direction::forward
                   ? fmt::format("would remove {}, which cannot be read\n", subject())
                   : FileChange::show(direction);
    }
    bool shows(Direction direction) const override {
        return (unread() && direction == Direction::forward) || FileChange::shows(direction);
    }
    Result<Standing> standing(World &world) const override {
        auto now = FileChange::standing(world);
        return now || !unread() ? now : Result<Standing>(Standing::before);
    }
    std::string what_stays() const override {
        return unread() ? fmt::format("{} stays removed: it could not be read", subject()) : "";
    }

    Result<void> prepare() override { return stage(after()); }
    Result<void> prepare_back() override { return stage(before()); }
    Result<void> forward(World &world) const override {
        return become(world, Direction::forward, after());
    }
    Result<void> back(World &world) const override {
        return become(world, Direction::back, before());
    }

  private:
    const char *kind() const override { return way_.kind; }

    // Returns true if the file existed, but could not be read.
    bool unread() const { return !before().content && !after().content; }

    Result<void> stage(const FileState &state) {
        staged_.reset();
        if (!state.content) {
            return {};
        }
        auto staged = StagedFile::write(place(), *state.content, state.mode);
        if (!staged) {
            Error error = staged.error();
            error.fix = way_.fix.empty() ? error.fix : way_.fix;
            return error;
        }
        staged_.emplace(*std::move(staged));
        return {};
    }

    Result<void> become(World &world, Direction direction, const FileState &state) const {
        std::optional<StagedFile> staged(std::move(staged_));
        staged_.reset();
        std::optional<FileLock> lock;
        if (way_.permit) {
            lock = TRY(way_.permit(world, direction));
            if (!lock) {
                return {};
            }
        }
        return staged ? staged->commit() : put(state);
    }

    DropinWay way_;
    mutable std::optional<StagedFile> staged_;
};

class SymlinkChange final : public Change {
  public:
    SymlinkChange(fs::path place, std::optional<std::string> before,
                  std::optional<std::string> after)
        : place_(std::move(place)), before_(std::move(before)), after_(std::move(after)) {}

    std::string subject() const override { return place_.string(); }

    std::string show(Direction direction) const override {
        const bool back = direction == Direction::back;
        const auto &old = back ? after_ : before_;
        const auto &fresh = back ? before_ : after_;
        std::string text = fmt::format("link {}\n", place_.string());
        text += old ? fmt::format("-{}\n", *old) : "";
        text += fresh ? fmt::format("+{}\n", *fresh) : "";
        return text;
    }

    std::string report(Direction direction) const override {
        const bool back = direction == Direction::back;
        return fmt::format("{} the link {}",
                           action_word((back ? after_ : before_).has_value(),
                                       (back ? before_ : after_).has_value()),
                           place_.string());
    }

    Json json() const override {
        Json json = {{"kind", kind_symlink.name()}, {"path", place_.string()}};
        put_bytes(json, "before", before_);
        put_bytes(json, "after", after_);
        return json;
    }

    Result<Standing> standing(World & /*world*/) const override {
        auto now = look_at_symlink(place_);
        if (!now) {
            return Standing::neither;
        }
        if (*now == after_) {
            return Standing::after;
        }
        return *now == before_ ? Standing::before : Standing::neither;
    }

    Result<void> forward(World & /*world*/) const override { return put(after_); }
    Result<void> back(World & /*world*/) const override { return put(before_); }
    EarlyBoot early_boot() const override { return EarlyBoot::always; }

  private:
    Result<void> put(const std::optional<std::string> &target) const {
        if (target) {
            return link_durably(place_, *target);
        }
        TRY(remove_durably(place_));
        return {};
    }

    fs::path place_;
    std::optional<std::string> before_;
    std::optional<std::string> after_;
};

} // namespace

ChangePointer change_file(fs::path place, FileState before, FileState after) {
    return std::make_unique<FileChange>(std::move(place), std::move(before), std::move(after));
}

ChangePointer change_dropin(fs::path place, FileState before, FileState after, DropinWay way) {
    return std::make_unique<DropinChange>(std::move(place), std::move(before), std::move(after),
                                          std::move(way));
}

ChangePointer dropin_from(const Json &json, DropinWay way) {
    return change_dropin(json.at("path").get<std::string>(),
                         {get_bytes(json, "before"), json.at("before_mode").get<unsigned int>()},
                         {get_bytes(json, "after"), json.at("after_mode").get<unsigned int>()},
                         std::move(way));
}

ChangePointer change_symlink(fs::path place, std::optional<std::string> before,
                             std::optional<std::string> after) {
    return std::make_unique<SymlinkChange>(std::move(place), std::move(before), std::move(after));
}

} // namespace causeway
