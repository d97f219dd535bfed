// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/removal.h"

#include "base/durable_file.h"
#include "change/look.h"

namespace causeway {

namespace {

// Makes another change, which may fail. The journal contains only the other change.
class RemovalChange final : public Change {
  public:
    RemovalChange(ChangePointer change, std::shared_ptr<bool> failed)
        : change_(std::move(change)), failed_(std::move(failed)) {}

    std::string subject() const override { return change_->subject(); }
    std::string show(Direction direction) const override { return change_->show(direction); }
    std::string report(Direction direction) const override { return change_->report(direction); }
    Json json() const override { return change_->json(); }
    Result<Standing> standing(World &world) const override { return change_->standing(world); }
    EarlyBoot early_boot() const override { return change_->early_boot(); }
    bool may_fail() const override { return true; }

    Result<void> forward(World &world) const override {
        auto done = change_->forward(world);
        *failed_ = *failed_ || !done;
        return done;
    }

    Result<void> back(World &world) const override { return change_->back(world); }

  private:
    ChangePointer change_;
    std::shared_ptr<bool> failed_;
};

} // namespace

std::optional<std::string> Removals::read(const std::filesystem::path &place) {
    auto text = read_small_file(place);
    if (text) {
        return *std::move(text);
    }
    warnings_.push_back(text.error().what);
    return std::nullopt;
}

void Removals::remove_file(ChangeSet &set, const std::filesystem::path &place) {
    const auto before = look_at_file(place);
    if (!before) {
        warnings_.push_back(before.error().what);
        *failed_ = true;
    } else if (before->content) {
        set.add(std::make_unique<RemovalChange>(change_file(place, *before, {}), failed_));
    }
}

void Removals::remove_link(ChangeSet &set, const std::filesystem::path &place) {
    const auto before = look_at_symlink(place);
    if (!before) {
        warnings_.push_back(before.error().what);
        *failed_ = true;
    } else if (*before) {
        set.add(
            std::make_unique<RemovalChange>(change_symlink(place, *before, std::nullopt), failed_));
    }
}

Answer Removals::said() const {
    Answer answer;
    answer.code = *failed_ ? ExitCode::failed : ExitCode::ok;
    answer.warnings = warnings_;
    return answer;
}

} // namespace causeway
