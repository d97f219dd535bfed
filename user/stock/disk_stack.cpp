// SPDX-License-Identifier: GPL-2.0-or-later
#include "stock/disk_stack.h"

#include "host/mount_table.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <string_view>

namespace causeway {

namespace {

// The kernel allows deeper stacks, but no administrator reads a longer sentence.
constexpr int deepest = 8;

// A volume, an array or a mapping that is built on a device.
struct Holder {
    std::string text;    // "the logical volume data/home (dm-0)"
    std::string release; // the command that ends it; may be empty
};

std::string line_of(KernelFiles &files, const std::string &name, const std::string &attribute) {
    const std::string content =
        text_of(files, fmt::format("/sys/class/block/{}/{}", name, attribute));
    return content.substr(0, content.find('\n'));
}

bool begins(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

// Returns true if a shell takes the text as one word without quotes.
bool is_plain(const std::string &text) {
    return !text.empty() && text.front() != '-' &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) {
               return std::isalnum(c) != 0 ||
                      std::string_view("/._+-@:,").find(static_cast<char>(c)) !=
                          std::string_view::npos;
           });
}

// LVM joins the names of a group and a volume by "-", and writes "--" for a "-" in them.
std::pair<std::string, std::string> group_and_volume(const std::string &mapping) {
    std::string group;
    std::string volume;
    std::string *part = &group;
    for (std::size_t i = 0; i < mapping.size(); i++) {
        if (mapping[i] == '-' && i + 1 < mapping.size() && mapping[i + 1] == '-') {
            i++;
        } else if (mapping[i] == '-' && part == &group) {
            part = &volume;
            continue;
        }
        *part += mapping[i];
    }
    return {group, volume};
}

Holder mapping(KernelFiles &files, const std::string &name) {
    const std::string title = line_of(files, name, "dm/name");
    const std::string kind = line_of(files, name, "dm/uuid");
    const std::string word = is_plain(title) ? title : "/dev/" + name;
    if (begins(kind, "LVM-")) {
        const auto [group, volume] = group_and_volume(title);
        return {fmt::format("the logical volume {}/{} ({})", group, volume, name),
                is_plain(group) ? "vgchange -an " + group : ""};
    }
    if (begins(kind, "CRYPT-")) {
        return {fmt::format("the encrypted mapping {} ({})", title, name),
                "cryptsetup close " + word};
    }
    if (begins(kind, "mpath-")) {
        return {fmt::format("the multipath map {} ({})", title, name), "multipath -f " + word};
    }
    return {fmt::format("the mapping {} ({})", title, name), "dmsetup remove " + word};
}

Holder holder_named(KernelFiles &files, const std::string &name) {
    if (!line_of(files, name, "dm/name").empty()) {
        return mapping(files, name);
    }
    if (const std::string level = line_of(files, name, "md/level"); !level.empty()) {
        return {fmt::format("the array {} ({})", name, level), "mdadm --stop /dev/" + name};
    }
    return {name, ""};
}

// A command that ends several uses has to run after the last command that it depends on.
void add_command(std::vector<std::string> &commands, const std::string &command) {
    if (!command.empty()) {
        commands.erase(std::remove(commands.begin(), commands.end(), command), commands.end());
        commands.push_back(command);
    }
}

void add_mounts(KernelFiles &files, const std::string &name, DiskStack &stack) {
    const std::string number = line_of(files, name, "dev");
    const std::string node = "/dev/" + name;
    const std::string title = line_of(files, name, "dm/name");
    auto mounts = visible_mounts(text_of(files, mountinfo_place));
    // The newest mount first: it may be on a folder of an older one.
    std::reverse(mounts.begin(), mounts.end());
    for (const MountLine &line : mounts) {
        if ((!number.empty() && line.device == number) || line.source == node ||
            (!title.empty() && line.source == "/dev/mapper/" + title)) {
            stack.sentence = "is mounted at " + line.directory;
            add_command(stack.release,
                        "umount " + (is_plain(line.directory) ? line.directory : node));
        }
    }
}

DiskStack stack_up_to(KernelFiles &files, const std::string &name, int levels) {
    DiskStack stack;
    add_mounts(files, name, stack);
    for (const std::string &above : files.list(fmt::format("/sys/class/block/{}/holders", name))) {
        const DiskStack rest = levels > 1 ? stack_up_to(files, above, levels - 1) : DiskStack{};
        const Holder holder = holder_named(files, above);
        for (const std::string &command : rest.release) {
            add_command(stack.release, command);
        }
        add_command(stack.release, holder.release);
        if (stack.sentence.empty()) {
            stack.sentence = fmt::format("is used by {}{}{}", holder.text,
                                         rest.sentence.empty() ? "" : ", which ", rest.sentence);
        }
    }
    return stack;
}

} // namespace

DiskStack stack_on(KernelFiles &files, const std::string &name) {
    return stack_up_to(files, name, deepest);
}

} // namespace causeway
