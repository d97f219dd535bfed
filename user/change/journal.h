// SPDX-License-Identifier: GPL-2.0-or-later
// What was changed on this machine, in order, so that it can be taken back: one JSON file per
// change set under /var/lib/causeway/journal, written before the first change and after the last.
//
// A set of Scope::host is applied and taken back under the journal's lock. A set of Scope::disks is
// not, because it waits for other machines: its entry N is claimed instead. The claim is a lock on
// the file N.busy. The kernel releases it when the command ends, however that ends, so a file
// N.busy without a lock belongs to a command that was killed.
//
// The file numbers.lock is locked while an entry gets its number and while a claim is taken. A
// command that has it never waits for a claim, and a claim ends without it. All but a set of
// Scope::host wait 2 s for it at most.
#pragma once

#include "base/durable_file.h"
#include "change/change_set.h"

#include <map>
#include <memory>
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
    Scope scope = Scope::host;
    std::vector<ChangePointer> changes;
};

inline constexpr std::size_t most_entries = 1000;

class Claim;

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

    // By number, without those that cannot be read: @unread gets the error of each by its number.
    Result<std::vector<JournalEntry>> entries(std::map<unsigned int, Error> &unread) const;
    // One of them alone, whatever is wrong with the others; none where it is not there.
    Result<std::optional<JournalEntry>> entry(unsigned int number) const;
    // Writes the set as an entry that is begun, with a number that neither an entry nor a claim
    // has. A set of disks gets an error where another command keeps the lock of the numbers: a
    // host that has to be fenced cannot wait for a file system. @claim: the claim of a set of
    // disks, to be held until the entry is finished or dropped.
    Result<unsigned int> begin(const ChangeSet &set, std::unique_ptr<Claim> &claim) const;
    // Claims an entry of disks. Null: another command applies it or takes it back now.
    Result<std::unique_ptr<Claim>> claim(unsigned int number) const;
    // The entries that have a file of a claim, whether a command holds it or was killed.
    Result<std::vector<unsigned int>> claimed() const;
    // Whether another command applies the entry or takes it back now; true if that is not known.
    bool busy(unsigned int number) const;
    // Drops entries until most_entries are left. The first group to go has the entries of
    // Scope::disks and all entries that are undone; the second group has the others. The oldest of
    // a group goes first. Keeps entries that are begun, entries that cannot be read, and entry
    // @waiting, which waits for "causeway confirm".
    Result<void> trim(std::optional<unsigned int> waiting) const;
    // Writes the entry again as done, with the values that the kernel shows after the changes.
    Result<void> finish(unsigned int number, const ChangeSet &set) const;
    Result<void> mark_undone(const JournalEntry &entry) const;
    Result<void> mark_done(const JournalEntry &entry) const;
    // Removes the entry.
    Result<void> drop(unsigned int number) const;

  private:
    friend class Claim;
    std::filesystem::path place(unsigned int number) const;
    std::filesystem::path claim_place(unsigned int number) const;
    Result<FileLock> lock_numbers(Scope scope = Scope::disks) const;
    // As claim(), under the lock of the numbers.
    Result<std::unique_ptr<Claim>> take_claim(unsigned int number) const;
    Result<void> store(unsigned int number, const std::string &time, const std::string &title,
                       const std::string &state, Scope scope,
                       const std::vector<ChangePointer> &changes) const;

    std::filesystem::path folder_;
};

// The claim of an entry. Its end removes the file, unless the entry is begun still: the file then
// says that a command came to no end. Then it releases the lock on it.
class Claim {
  public:
    Claim(Journal journal, unsigned int number, FileLock lock)
        : journal_(std::move(journal)), number_(number), lock_(std::move(lock)) {}
    Claim(const Claim &) = delete;
    Claim &operator=(const Claim &) = delete;
    ~Claim();

  private:
    Journal journal_;
    unsigned int number_;
    FileLock lock_;
};

} // namespace causeway
