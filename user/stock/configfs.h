// SPDX-License-Identifier: GPL-2.0-or-later
// Objects in configfs that are made step by step and removed in the reverse order.
#pragma once

#include "change/change.h"
#include "machine/kernel_files.h"

#include <string>
#include <string_view>
#include <vector>

namespace causeway {

inline constexpr const char *configfs = "/sys/kernel/config";

struct ConfigStep {
    enum class Kind { folder, value, link };

    Kind kind = Kind::folder;
    std::string path;
    std::string text{};  // for a value: what is written; for a link: its target
    std::string back{};  // for a value: what undo writes; empty: nothing
    bool shared = false; // a folder that other users may need too; it stays while it is in use

    bool operator==(const ConfigStep &) const = default;
};

ConfigStep config_folder(std::string path);
ConfigStep config_shared_folder(std::string path);
ConfigStep config_value(std::string path, std::string text, std::string back = {});
ConfigStep config_link(std::string path, std::string target);

// Makes all steps. If the kernel refuses one, removes those made before it and returns the error. A
// shared folder that exists counts as made.
Result<void> make_steps(KernelFiles &files, const std::vector<ConfigStep> &steps);
// Reverses all steps in reverse order, or makes those already reversed again and returns the error.
// Skips a step whose file or folder no longer exists.
Result<void> take_steps_back(KernelFiles &files, const std::vector<ConfigStep> &steps);

// Convert steps to text, one line for each, and back. A parse error quotes the line.
std::string steps_text(const std::vector<ConfigStep> &steps);
Result<std::vector<ConfigStep>> parse_steps(std::string_view text);

// Combines the steps into one change. @added: it makes the steps; else it reverses them. The object
// exists exactly while the folder @probe exists.
ChangePointer change_configfs(std::string subject, std::string probe, std::vector<ConfigStep> steps,
                              bool added);

} // namespace causeway
