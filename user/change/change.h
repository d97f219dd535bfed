// SPDX-License-Identifier: GPL-2.0-or-later
// One thing that a verb changes on this machine, and the way back. Every changing verb of the host
// builds a ChangeSet of these; change/carry_out.h shows, applies, journals and takes it back.
#pragma once

#include "base/answer.h"
#include "base/durable_file.h"
#include "base/result.h"
#include "machine/world.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace causeway {

enum class Direction { forward, back };

// How what is there now compares with what the change found and with what it left.
enum class Standing {
    before,
    after,
    neither, // somebody else has been there
    unknown, // cannot be asked
};

// Which part of a change an undo can take back at boot, when no program runs and devices may lack.
enum class EarlyBoot {
    nothing,
    always,
    if_it_stands, // as it was left
};

class Change {
  public:
    Change() = default;
    Change(const Change &) = delete;
    Change &operator=(const Change &) = delete;
    virtual ~Change() = default;

    // What is changed, the same for every change of the same thing: "/etc/x.conf".
    virtual std::string subject() const = 0;
    // As --dry-run shows it; ends in a newline.
    virtual std::string show(Direction direction) const = 0;
    // Returns true if show() is not empty, without making its text if that costs much.
    virtual bool shows(Direction direction) const { return !show(direction).empty(); }
    // A line that says it was done: "wrote /etc/x.conf".
    virtual std::string deed(Direction direction) const = 0;
    // All that from_json() needs to make it anew; "kind" says which it is.
    virtual Json json() const = 0;

    virtual Result<Standing> standing(World &world) const = 0;
    // Called for all changes of a set before the first one is made: takes the room that the change
    // needs, so that a full disk is found while nothing is changed yet.
    virtual Result<void> prepare() { return {}; }
    // The same before an undo takes the first change back.
    virtual Result<void> prepare_back() { return {}; }
    virtual Result<void> forward(World &world) const = 0;
    virtual Result<void> back(World &world) const = 0;
    // The same, although others use what it takes away.
    virtual Result<void> back_by_force(World &world) const { return back(world); }
    // Asked of all changes before an undo takes the first one back: an error where the way back
    // would end what others use now.
    virtual Result<void> may_go_back(World & /*world*/) const { return {}; }
    // Called when the whole set is applied: remembers what the kernel made of it.
    virtual void settle(World & /*world*/) {}

    // Done after everything else in both directions, its failure only told.
    virtual bool refreshes() const { return false; }
    // May be refused on the way back because another value still stands in its way; tried again.
    virtual bool may_wait() const { return false; }
    // Called where it was done by somebody else between the look that made it and the lock of the
    // journal. True: they do the same at any time, and from now on it is theirs, not to be undone.
    virtual bool leave_to_others() { return false; }
    virtual EarlyBoot early_boot() const { return EarlyBoot::nothing; }
    // A refusal on the way back is told and does not end it.
    virtual bool may_stay() const { return false; }
    // A refusal in either direction is told and does not end it.
    virtual bool may_fail() const { return false; }
    // Describes for the next boot what an earlier change of the set does now. The way back comes to
    // it after that change, and nothing compares it before the set is applied.
    virtual bool describes() const { return false; }
    // forward() may fail although the change was made: the kernel's answer was lost. Nothing is
    // taken back then.
    virtual bool answer_may_be_lost() const { return false; }
    // Cuts a host off from a disk. If forward() fails or is interrupted and the host is cut off all
    // the same, the change counts as made: no message proposes to let the host in again.
    virtual bool fences() const { return false; }
    // Names the part that the way back leaves as it is, and says why; empty: there is none.
    virtual std::string what_stays() const { return {}; }

    // Returns the warnings of the last forward() or back(), and forgets them.
    std::vector<std::string> take_warnings() const { return std::exchange(warnings_, {}); }
    // Returns failed if one of them is of a failure, else ok, and forgets it.
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

// A regular file; none: it is not there.
struct FileState {
    std::optional<std::string> content;
    unsigned int mode = 0644;
};
ChangePointer change_file(std::filesystem::path place, FileState before, FileState after);
// How a drop-in is written or removed; the journal keeps the kind alone.
struct DropinWay {
    // Asked before the file is changed: returns the lock under which it is changed, or none if the
    // file stays as it is.
    std::function<Result<std::optional<FileLock>>(World &, Direction)> permit{};
    std::string fix{};           // what to do where it cannot be written
    const char *kind = "dropin"; // whose reader gives an undo its permit
};
// The file that brings back at boot what an earlier change of the set makes, or made. It appears
// and goes after that change in both directions. If it cannot be changed, what it describes stays.
ChangePointer change_dropin(std::filesystem::path place, FileState before, FileState after,
                            DropinWay way = {});
// The drop-in of the journal, with what the reader of its kind knows.
ChangePointer dropin_from(const Json &json, DropinWay way);
// A symbolic link and what it points to.
ChangePointer change_symlink(std::filesystem::path place, std::optional<std::string> before,
                             std::optional<std::string> after);
// A value in /sys or /proc. Without a wanted one it is only remembered, and given back by undo
// where another change moved it.
ChangePointer change_value(std::string path, std::string before, std::optional<std::string> wanted);
// A software RDMA device made or removed.
struct SoftDevice {
    std::string type;
    std::string name;
    std::string netdev;
};
ChangePointer change_soft_device(SoftDevice device, bool added);
ChangePointer change_device_name(std::string from, std::string to);
// Loads a kernel module; undo unloads it if nothing uses it. If it is not ours, another program
// has loaded it, and undo leaves it.
ChangePointer change_module(std::string module, bool ours = true);
// A rule at the head of a chain of nftables, such as "inet filter input".
struct OpenPort;
ChangePointer change_firewall_rule(std::string chain, const OpenPort &port);
// A program, and the one that undoes it; where that is empty there is no way back.
ChangePointer change_program(std::vector<std::string> words, std::vector<std::string> undo);
// Programs in order, up to the first that fails, and those that undo it; either may be none.
ChangePointer change_attempts(std::vector<std::vector<std::string>> programs,
                              std::vector<std::vector<std::string>> undo);
// A P_Key child of an IPoIB interface, made or removed by sysfs.
struct IpoibChild {
    std::string parent;
    std::string pkey; // "0x8001"
    std::string name; // as the kernel makes it of the two
    std::string mode; // set when it is made, as is the MTU; empty: as the kernel chooses
    std::string mtu;
};
ChangePointer change_ipoib_child(IpoibChild child, bool added);
// The default version of RoCE of a port; where configfs does not show the device yet, its folder is
// made and left there.
struct RoceMode {
    std::string device;
    unsigned int port = 0;
    std::string before; // "IB/RoCE v1", "RoCE v2"
    std::string after;
};
ChangePointer change_roce_mode(RoceMode mode);
std::string roce_folder(const std::string &device);
std::string roce_mode_place(const std::string &device, unsigned int port);
// Empty where configfs does not show it.
std::string roce_mode_now(KernelFiles &files, const std::string &device, unsigned int port);
// What an interface has now, for the way back: set before the files of its manager are changed.
struct HeldAddresses {
    std::string interface;
    std::vector<std::string> addresses{}; // "10.0.0.1/24"
    std::vector<std::string> brought{};   // those that the change brings, and undo takes away
    std::vector<std::vector<std::string>> routes{}; // the words behind "ip route replace"
    struct Lease {
        std::string address;
        // Seconds since 1970; none: it does not end.
        std::optional<std::int64_t> valid{};
        std::optional<std::int64_t> preferred{};
    };
    std::vector<Lease> leases{};
};
ChangePointer change_addresses(HeldAddresses held);
// A program that makes others read what was changed: systemctl daemon-reload.
ChangePointer refresh_program(std::vector<std::string> words);

// An error where the journal's text is none of ours.
Result<ChangePointer> change_from_json(const Json &json);

} // namespace causeway
