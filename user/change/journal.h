// SPDX-License-Identifier: GPL-2.0-or-later
// What was changed on this machine, in order, so that it can be taken back: one JSON file per
// change set under /var/lib/causeway/journal, written before the first change and after the last.
#pragma once

#include "base/durable_file.h"
#include "change/change_set.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

struct JournalEntry {
    unsigned int number = 0;
    std::string time; // UTC, ISO 8601
    std::string title;
    // "begun": the power failed or an error came in the middle; "done"; "undone".
    std::string state;
    std::vector<ChangePointer> changes;
};

class Journal {
  public:
    explicit Journal(std::filesystem::path folder) : folder_(std::move(folder)) {}

    // Held while anything is changed or taken back.
    Result<FileLock> lock() const { return FileLock::take(folder_ / "lock"); }
    // None: another command has it.
    Result<std::optional<FileLock>> lock_now() const {
        return FileLock::take_now(folder_ / "lock");
    }
    // None where dry_run says that nothing will be changed.
    Result<std::optional<FileLock>> lock_unless(bool dry_run) const;

    // By number; an error where a file of it is damaged.
    Result<std::vector<JournalEntry>> entries() const;
    // One of them alone, whatever is wrong with the others; none where it is not there.
    Result<std::optional<JournalEntry>> entry(unsigned int number) const;
    // Writes the set as an entry that is begun; its number.
    Result<unsigned int> begin(const ChangeSet &set) const;
    // Writes it anew, with what the kernel made of the values.
    Result<void> finish(unsigned int number, const ChangeSet &set) const;
    Result<void> mark_undone(const JournalEntry &entry) const;
    Result<void> mark_done(const JournalEntry &entry) const;
    // Forgets an entry of which nothing is left.
    Result<void> drop(unsigned int number) const;

  private:
    std::filesystem::path place(unsigned int number) const;
    Result<void> store(unsigned int number, const std::string &time, const std::string &title,
                       const std::string &state, const std::vector<ChangePointer> &changes) const;

    std::filesystem::path folder_;
};

} // namespace causeway
