// SPDX-License-Identifier: GPL-2.0-or-later
// All that one verb is about to change, in its order. What is as wanted already is left out, so a
// set that is empty has nothing to do.
#pragma once

#include "change/change.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// Which part of the machine a set changes.
enum class Scope {
    // How the machine itself is set up. One set at a time, and none while another one waits to be
    // confirmed.
    host,
    // Disks and mounts. Several sets at once, because they wait for other machines; and many in a
    // day, so the journal drops their entries first.
    disks,
};

class ChangeSet {
  public:
    // The title names the verb and its operands in the journal: "limits set unlimited".
    explicit ChangeSet(std::string title, Scope scope = Scope::host)
        : title_(std::move(title)), scope_(scope) {}

    // Refuses to replace or remove a file that does not start with our header.
    Result<void> write(const std::filesystem::path &place, const std::string &content,
                       unsigned int mode = 0644);
    Result<void> remove(const std::filesystem::path &place);
    // A drop-in, which an administrator may have written too: it is replaced or removed whoever
    // wrote it. One that cannot be read is removed all the same, and undo does not bring it back.
    Result<void> describe(const std::filesystem::path &place, FileState after, DropinWay way = {});
    Result<void> link(const std::filesystem::path &place, const std::string &target);
    // Refuses where it points elsewhere than to the target.
    Result<void> unlink(const std::filesystem::path &place, const std::string &target);
    // An error where there is no such value.
    Result<void> set(World &world, const std::string &path, const std::string &value);
    // A value that another change of this set moves along.
    Result<void> keep(World &world, const std::string &path);
    void load(World &world, const std::string &module);
    void add(ChangePointer change) { changes_.push_back(std::move(change)); }
    // systemctl daemon-reload, where systemd runs and anything else is changed.
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
