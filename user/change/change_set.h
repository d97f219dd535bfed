// SPDX-License-Identifier: GPL-2.0-or-later
// The changes that one verb is about to make, in order. A thing that already has the wanted state
// gets no change, so an empty set means that there is nothing to do.
#pragma once

#include "change/change.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// The part of the machine that a set changes.
enum class Scope {
    // The setup of the machine, and disks by stock transports. One set is applied at a time, and
    // none while a change waits to be confirmed (Manner has exceptions).
    host,
    // Disks by Causeway's own transport, and NFS exports and mounts. Several sets are applied at
    // once, because they wait for other machines. There are many a day, so the journal drops their
    // entries first.
    disks,
};

class ChangeSet {
  public:
    // The title names the verb and its operands in the journal: "limits set unlimited".
    explicit ChangeSet(std::string title, Scope scope = Scope::host)
        : title_(std::move(title)), scope_(scope) {}

    // write() and remove() return an error for a file that does not start with Causeway's header
    // (config/file_header.h).
    Result<void> write(const std::filesystem::path &place, const std::string &content,
                       unsigned int mode = 0644);
    Result<void> remove(const std::filesystem::path &place);
    // Replaces or removes a drop-in, even if an administrator wrote it. A drop-in that cannot be
    // read can only be removed, and undo does not restore it.
    Result<void> describe(const std::filesystem::path &place, FileState after, DropinWay way = {});
    // link() and unlink() return an error if there is a link that points elsewhere than to @target.
    Result<void> link(const std::filesystem::path &place, const std::string &target);
    Result<void> unlink(const std::filesystem::path &place, const std::string &target);
    // Changes a value in /sys or /proc. Returns an error if there is no such file.
    Result<void> set(World &world, const std::string &path, const std::string &value);
    // Records a value that another change of this set alters too, so that undo restores it.
    Result<void> keep(World &world, const std::string &path);
    void load(World &world, const std::string &module);
    void add(ChangePointer change) { changes_.push_back(std::move(change)); }
    // Adds systemctl daemon-reload if systemd runs and the set is not empty. Call it last.
    void reload_systemd(const World &world);

    const std::string &title() const { return title_; }
    Scope scope() const { return scope_; }
    const std::vector<ChangePointer> &changes() const { return changes_; }
    bool empty() const { return changes_.empty(); }

  private:
    std::string title_;
    Scope scope_;
    std::vector<ChangePointer> changes_;
};

bool systemd_runs(const World &world);

} // namespace causeway
