// SPDX-License-Identifier: GPL-2.0-or-later
// One change that a verb makes on this machine and that undo takes back. A verb puts its changes
// into a ChangeSet; change/carry_out.h shows, applies and journals the set, and takes it back.
#pragma once

#include "base/answer.h"
#include "base/durable_file.h"
#include "base/result.h"
#include "machine/world.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace causeway {

enum class Direction { forward, back };

// The present state, compared with the states before and after the change.
enum class Standing {
    before,
    after,
    neither, // another program or an administrator has changed it
    unknown, // cannot be determined
};

// When a change that was not confirmed is reversed at the next boot. No programs are run then, and
// devices may not exist yet.
enum class EarlyBoot {
    nothing,
    always,
    if_it_stands, // only if the value is the one that the earlier boot left
};

class Change {
  public:
    Change() = default;
    Change(const Change &) = delete;
    Change &operator=(const Change &) = delete;
    virtual ~Change() = default;

    // Names the changed thing: "/etc/x.conf". All changes of one thing return the same text.
    virtual std::string subject() const = 0;
    // Returns the text for --dry-run. It ends in a newline, or is empty if there is nothing to
    // show.
    virtual std::string show(Direction direction) const = 0;
    // Returns true if an answer reports this change by report(). By default: show() is not empty.
    virtual bool shows(Direction direction) const { return !show(direction).empty(); }
    // Returns a line, without newline, that reports the change: "wrote /etc/x.conf".
    virtual std::string report(Direction direction) const = 0;
    // Returns all that change_from_json() needs to make the change again. "kind" names its
    // ChangeKind.
    virtual Json json() const = 0;

    // Compares the machine with the states before and after the change.
    virtual Result<Standing> standing(World &world) const = 0;
    // Called for every change of a set before the first one is made. Allocates the disk space that
    // the change needs, so that a full disk is an error while nothing is changed yet.
    virtual Result<void> prepare() { return {}; }
    // Does the same for back(), before undo takes the first change back.
    virtual Result<void> prepare_back() { return {}; }
    virtual Result<void> forward(World &world) const = 0;
    virtual Result<void> back(World &world) const = 0;
    // Does the same as back(), even if programs use what it removes.
    virtual Result<void> back_by_force(World &world) const { return back(world); }
    // Called for every change before undo, without --force, takes the first one back. Returns an
    // error if back() would end something in use, or cannot succeed.
    virtual Result<void> may_go_back(World & /*world*/) const { return {}; }
    // Called when the whole set is applied. Stores the value that the kernel shows now, for the
    // journal.
    virtual void settle(World & /*world*/) {}

    // Returns true if carry_out() and undo() must make this change after all others. Its failure is
    // then a warning.
    virtual bool refreshes() const { return false; }
    // Returns true if back() may fail while another change of the set still stands. Undo then calls
    // back() again when it has tried all changes once.
    virtual bool may_wait() const { return false; }
    // Called if another program made this change after the verb had read the state and before the
    // set is applied. False: carry_out() returns an error (try_again). True: the set is applied,
    // because the other program may make this change at any time; the change may note that undo
    // must leave it.
    virtual bool leave_to_others() { return false; }
    virtual EarlyBoot early_boot() const { return EarlyBoot::nothing; }
    // Returns true if undo goes on after back() has failed. Undo then warns that the change stays.
    virtual bool may_stay() const { return false; }
    // Returns true if the other changes of the set go on after forward() or back() has failed. The
    // error is then a warning.
    virtual bool may_fail() const { return false; }
    // Returns true for a file that describes for the next boot what another, usually earlier,
    // change of the set does now. Undo takes such a file back after all other changes. carry_out()
    // does not call its standing() before it applies the set.
    virtual bool describes() const { return false; }
    // Returns true if forward() may return an error although the change was made, because the
    // kernel's answer was lost. Unless standing() is then Standing::before, carry_out() takes
    // nothing back.
    virtual bool answer_may_be_lost() const { return false; }
    // Returns true if this change cuts a host off from a disk. If forward() fails or is interrupted
    // and the host is cut off all the same, the change counts as made: no message proposes to let
    // the host in again.
    virtual bool fences() const { return false; }
    // Returns the lock that the verb holds while it reads the state and changes it. undo, without
    // --force, takes the same lock. All changes of an entry must have Scope::disks then: a verb
    // takes the lock before that of the journal. Empty: there is none.
    virtual std::filesystem::path lock_place(const World & /*world*/) const { return {}; }
    // Returns a sentence about the part that back() does not restore, with the reason; empty: none.
    virtual std::string what_stays() const { return {}; }

    // Returns the warnings of the last forward() or back(), and forgets them.
    std::vector<std::string> take_warnings() const { return std::exchange(warnings_, {}); }
    // Returns failed if warn_of_failure() was called since the last take_code(), else ok.
    ExitCode take_code() const { return std::exchange(code_, ExitCode::ok); }

  protected:
    void warn(std::string sentence) const { warnings_.push_back(std::move(sentence)); }
    // The change is made, but not as well as it has to be: an undo exits with failed.
    void warn_of_failure(std::string sentence) const {
        warn(std::move(sentence));
        code_ = ExitCode::failed;
    }

  private:
    mutable std::vector<std::string> warnings_;
    mutable ExitCode code_ = ExitCode::ok;
};

using ChangePointer = std::unique_ptr<Change>;

// The state of a file. No content: the file does not exist.
struct FileState {
    std::optional<std::string> content;
    unsigned int mode = 0644;
};
ChangePointer change_file(std::filesystem::path place, FileState before, FileState after);
// How a drop-in is written or removed. The journal keeps only the kind of these.
struct DropinWay {
    // Called before the file is changed. Returns the lock that is held while the file is changed,
    // or none if the file must stay as it is. Empty: no lock is needed.
    std::function<Result<std::optional<FileLock>>(World &, Direction)> permit{};
    std::string fix{}; // what to do if it cannot be written
    // See Change::lock_place(). Null: none.
    std::filesystem::path (*lock_place)(const World &) = nullptr;
    const char *kind = "dropin"; // the ChangeKind whose reader sets these for an undo
};
// A file that brings back at boot what an earlier change of the set makes, or made. The file is
// changed after that change in both directions. If the file cannot be changed, the earlier change
// stays.
ChangePointer change_dropin(std::filesystem::path place, FileState before, FileState after,
                            DropinWay way = {});
// Makes the change of a drop-in from the journal's JSON. @way comes from the reader of its kind.
ChangePointer dropin_from(const Json &json, DropinWay way);
// A symbolic link. @before and @after are its targets; none: the link does not exist.
ChangePointer change_symlink(std::filesystem::path place, std::optional<std::string> before,
                             std::optional<std::string> after);
// A value in /sys or /proc. Without @wanted the value is only recorded; undo restores it if another
// change of the set altered it.
ChangePointer change_value(std::string path, std::string before, std::optional<std::string> wanted);
// Loads a kernel module. Undo unloads it if nothing uses it (iscsi_target_mod never). With @ours
// false, undo leaves the module loaded, because another program loaded it or will need it.
ChangePointer change_module(std::string module, bool ours = true);
// Runs a program; undo runs the program @undo. Without words in @undo, undo does nothing. @stays: a
// sentence about the part that undo does not restore.
ChangePointer change_program(std::vector<std::string> words, std::vector<std::string> undo,
                             std::string stays = {});
// Runs programs in order, up to the first that fails, which is a warning. Undo does the same with
// the programs in @undo. Either list may be empty.
ChangePointer change_attempts(std::vector<std::vector<std::string>> programs,
                              std::vector<std::vector<std::string>> undo);
// A program that makes other programs read the changed files: systemctl daemon-reload.
ChangePointer refresh_program(std::vector<std::string> words);

// Makes a change from the JSON of Change::json(). Returns an error (bad_config) if the kind is
// unknown or the JSON is malformed.
Result<ChangePointer> change_from_json(const Json &json);

} // namespace causeway
