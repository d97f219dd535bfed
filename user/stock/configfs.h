// SPDX-License-Identifier: GPL-2.0-or-later
// What is made in configfs, step by step, and taken away in the reverse order.
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
    std::string text{};  // of a value what is written, of a link its target
    std::string back{};  // of a value what is written on the way back; empty: nothing
    bool shared = false; // a folder that others may need too: it is left while somebody does

    bool operator==(const ConfigStep &) const = default;
};

ConfigStep config_folder(std::string path);
ConfigStep config_shared_folder(std::string path);
ConfigStep config_value(std::string path, std::string text, std::string back = {});
ConfigStep config_link(std::string path, std::string target);

// All of them or, where the kernel refuses one, none; a folder that is there already counts as made
// where it is shared.
Result<void> make_steps(KernelFiles &files, const std::vector<ConfigStep> &steps);
// The same backwards: all of them or none. What is gone already is passed over.
Result<void> take_steps_back(KernelFiles &files, const std::vector<ConfigStep> &steps);

// A line for each step, and back. An error names the line.
std::string steps_text(const std::vector<ConfigStep> &steps);
Result<std::vector<ConfigStep>> parse_steps(std::string_view text);

// The steps as one change of a set. They are there where the folder that the probe names is.
ChangePointer change_configfs(std::string subject, std::string probe, std::vector<ConfigStep> steps,
                              bool added);

} // namespace causeway
