// SPDX-License-Identifier: GPL-2.0-or-later
// Objects in configfs that are made step by step and removed in the reverse order.
#pragma once

#include "change/change.h"
#include "machine/kernel_files.h"
#include "machine/world.h"

#include <string>
#include <string_view>
#include <vector>

namespace causeway {

inline constexpr const char *configfs = "/sys/kernel/config";

struct ConfigStep {
    // exact: a value that is written without a newline, because the kernel would keep it. secret:
    // the same, but the text is the path of a file with the value. dhchap: the same with a secret
    // of NVMe. The kernel shows that secret to everyone, so the file in configfs is closed to
    // others first.
    enum class Kind { folder, value, exact, secret, dhchap, link };

    Kind kind = Kind::folder;
    std::string path;
    std::string
        text{}; // for a value: what is written; for a link: its target; for a secret: a file
    std::string back{}; // for a value: what undo writes; empty: nothing
    // Other users may need it too. A shared folder or link that exists counts as made, and a shared
    // value is written only if the present one differs. A shared folder stays while it is in use.
    // An object that another export of Causeway needs stays, too.
    bool shared = false;

    bool operator==(const ConfigStep &) const = default;
};

ConfigStep config_folder(std::string path);
ConfigStep config_shared_folder(std::string path);
ConfigStep config_value(std::string path, std::string text, std::string back = {});
ConfigStep config_exact(std::string path, std::string text);
// Neither the steps as text nor the output of --dry-run contain the content of @file.
ConfigStep config_secret(std::string path, std::string file);
ConfigStep config_dhchap(std::string path, std::string file);
ConfigStep config_link(std::string path, std::string target);
ConfigStep shared_step(ConfigStep step);

// True if the step writes a secret from a file.
bool is_secret(const ConfigStep &step);
// True if the kernel has the secret that is in the file of the step now.
Result<bool> has_secret(KernelFiles &files, const ConfigStep &step);

// Returns true if the folder or link exists.
bool exists(KernelFiles &files, const std::string &path);

// Lets only root read and write a file of /sys or configfs.
Result<void> close_to_others(World &world, const std::string &path);

// Makes all steps. If the kernel refuses one, removes those that this call made, and returns the
// error.
Result<void> make_steps(World &world, const std::vector<ConfigStep> &steps);
// Reverses all steps in reverse order, or makes those already reversed again and returns the error.
// Skips a step whose file or folder no longer exists.
Result<void> take_steps_back(World &world, const std::vector<ConfigStep> &steps);

// Convert steps to text, one line for each, and back. A parse error quotes the line.
std::string steps_text(const std::vector<ConfigStep> &steps);
Result<std::vector<ConfigStep>> parse_steps(std::string_view text);

// Combines the steps into one change. @added: it makes the steps; else it reverses them. The object
// exists exactly while the folder @probe exists, which no other export has.
ChangePointer change_configfs(std::string subject, std::string probe, std::vector<ConfigStep> steps,
                              bool added);

} // namespace causeway
