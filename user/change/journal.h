// SPDX-License-Identifier: GPL-2.0-or-later
// The journal records the change sets that were applied to this machine, so that undo can take them
// back. An entry is one JSON file under /var/lib/causeway/journal, written before the first change
// of its set and again after the last.
//
// A set of Scope::host is applied and taken back under the journal's lock. A set of Scope::disks
// waits for other machines, so the command claims its entry N instead. The claim is a lock on the
// file N.busy. The kernel releases the lock when the command ends in any way, so a file N.busy
// without a lock belongs to a command that was killed.
//
// The file numbers.lock is locked while an entry gets its number, while a claim is taken or tested,
// and while entries are dropped by trim(). A command that holds this lock never waits for a claim,
// and the end of a claim does not need it. begin() of a set of Scope::host waits for the lock
// without limit; all others return an error after 2 s.
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
    std::string time; // of begin() or finish(), UTC, ISO 8601
    std::string title;
    // "begun": being applied now, or the command failed or was killed midway; "done"; "undone".
    std::string state;
    Scope scope = Scope::host;
    std::vector<ChangePointer> changes;
};

inline constexpr std::size_t most_entries = 1000;

class Claim;

class Journal {
  public:
    explicit Journal(std::filesystem::path folder) : folder_(std::move(folder)) {}

    // Waits for the lock that is held while a set of Scope::host is applied or taken back.
    Result<FileLock> lock() const { return FileLock::take(folder_ / "lock"); }
    // Does not wait. Returns none if another command has the lock.
    Result<std::optional<FileLock>> lock_now() const {
        return FileLock::take_now(folder_ / "lock");
    }
    // Does the same as lock(), but returns none for a dry run, which changes nothing.
    Result<std::optional<FileLock>> lock_unless(bool dry_run) const;

    // Returns the entries that can be read, by number. @unread: set to the errors of the others, by
    // number.
    Result<std::vector<JournalEntry>> entries(std::map<unsigned int, Error> &unread) const;
    // Reads one entry, whatever the state of the others. Returns none if it does not exist.
    Result<std::optional<JournalEntry>> entry(unsigned int number) const;
    // Writes the set as an entry in the state "begun" and returns its number, which no other entry
    // and no claim has. For a set of Scope::disks returns an error if numbers.lock is not free
    // within 2 s: a host that has to be fenced cannot wait for a file system. @claim: set to the
    // claim of a set of Scope::disks, to be held until the entry is finished or dropped.
    Result<unsigned int> begin(const ChangeSet &set, std::unique_ptr<Claim> &claim) const;
    // Claims an entry of Scope::disks. Returns null if another command applies it or takes it back
    // now.
    Result<std::unique_ptr<Claim>> claim(unsigned int number) const;
    // Returns the numbers with a file N.busy, whether a command holds the claim or was killed.
    Result<std::vector<unsigned int>> claimed() const;
    // Returns true if another command applies the entry or takes it back now, or if that is
    // unknown.
    bool busy(unsigned int number) const;
    // Drops entries until at most most_entries are left. The first group to be dropped has the
    // entries of Scope::disks and all entries that are undone; the second group has the others. The
    // oldest of a group goes first. Keeps entries that are begun, entries that cannot be read, and
    // entry @waiting, which waits for "causeway confirm".
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
    // Does the same as claim(), for a caller that holds numbers.lock.
    Result<std::unique_ptr<Claim>> take_claim(unsigned int number) const;
    Result<void> store(unsigned int number, const std::string &time, const std::string &title,
                       const std::string &state, Scope scope,
                       const std::vector<ChangePointer> &changes) const;

    std::filesystem::path folder_;
};

// The claim of an entry. The destructor removes the file N.busy, unless the entry is still "begun"
// or cannot be read: the file then shows that a command did not finish. Afterwards the lock on the
// file is released.
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
