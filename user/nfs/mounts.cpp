// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/mounts.h"

#include "host/mount_table.h"

#include <algorithm>
#include <causeway.h>
#include <charconv>
#include <sstream>

namespace causeway {

namespace {

template <typename Number> std::optional<Number> number_of(std::string_view text) {
    Number number{};
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return number;
}

std::vector<std::string> words_of(const std::string &line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    return words;
}

std::uint8_t transport_of(const std::string &netid) {
    if (netid == "rdma" || netid == "rdma6") {
        return CW_TRANSPORT_RDMA;
    }
    return netid == "tcp" || netid == "tcp6" ? CW_TRANSPORT_TCP : CW_TRANSPORT_NONE;
}

bool is_nfs(const MountLine &line) {
    return line.type == "nfs" || line.type == "nfs4";
}

NfsMount mount_of(const MountLine &line) {
    NfsMount mount;
    mount.source = line.source;
    mount.directory = line.directory;
    mount.flags = line.flags;
    mount.id = line.id;
    mount.device = line.device;
    mount.options = line.options;
    mount.version = option_value(line.options, "vers");
    mount.address = option_value(line.options, "addr");
    mount.transport = transport_of(option_value(line.options, "proto"));
    mount.port = number_of<std::uint16_t>(option_value(line.options, "port")).value_or(0);
    return mount;
}

} // namespace

std::string NfsMount::server() const {
    const std::size_t end = source.find(":/");
    return source.substr(0, end);
}

std::string option_value(std::string_view options, std::string_view name) {
    while (!options.empty()) {
        const std::size_t end = options.find(',');
        const std::string_view one = options.substr(0, end);
        if (one.size() > name.size() && one.substr(0, name.size()) == name &&
            one[name.size()] == '=') {
            return std::string(one.substr(name.size() + 1));
        }
        options = end == std::string_view::npos ? std::string_view() : options.substr(end + 1);
    }
    return {};
}

std::vector<NfsMount> parse_mountinfo(std::string_view mountinfo) {
    std::vector<NfsMount> mounts;
    for (const MountLine &line : visible_mounts(mountinfo)) {
        if (is_nfs(line)) {
            mounts.push_back(mount_of(line));
        }
    }
    return mounts;
}

void add_mountstats(std::string_view mountstats, std::vector<NfsMount> &mounts) {
    std::istringstream stream{std::string(mountstats)};
    NfsMount *mount = nullptr;
    for (std::string line; std::getline(stream, line);) {
        const auto words = words_of(line);
        // device server:/srv mounted on /mnt with fstype nfs4 statvers=1.1
        if (words.size() >= 5 && words[0] == "device") {
            const auto found = std::find_if(mounts.begin(), mounts.end(), [&](const NfsMount &one) {
                return one.source == unescaped_mount_word(words[1]) &&
                       one.directory == unescaped_mount_word(words[4]);
            });
            mount = found == mounts.end() ? nullptr : &*found;
            continue;
        }
        if (mount != nullptr && words.size() == 2 && words[0] == "age:") {
            if (const auto seconds = number_of<std::uint32_t>(words[1])) {
                mount->age = std::chrono::seconds(*seconds);
            }
            continue;
        }
        // xprt: tcp PORT BINDS CONNECTS CONNECT-TIME IDLE-TIME SENDS RECEIVES ...; rdma the same
        if (mount == nullptr || words.size() < 9 || words[0] != "xprt:" ||
            transport_of(words[1]) == CW_TRANSPORT_NONE) {
            continue;
        }
        mount->connections++;
        const auto connects = number_of<std::uint64_t>(words[4]);
        const auto sent = number_of<std::uint64_t>(words[7]);
        if (connects && sent) {
            mount->connects = mount->connects.value_or(0) + *connects;
            mount->sent = mount->sent.value_or(0) + *sent;
        }
    }
}

namespace {

// /proc/self/mountstats only adds details: the list is valid without it.
std::vector<NfsMount> mounts_of(KernelFiles &files, std::string_view mountinfo) {
    auto mounts = parse_mountinfo(mountinfo);
    if (!mounts.empty()) {
        add_mountstats(text_of(files, "/proc/self/mountstats"), mounts);
    }
    return mounts;
}

} // namespace

Result<std::vector<NfsMount>> nfs_mounts(KernelFiles &files) {
    auto mountinfo = TRY(files.read(mountinfo_place));
    return mounts_of(files, mountinfo.value_or(std::string()));
}

Result<MountedOn> mounted_on(KernelFiles &files, const std::string &directory) {
    auto mountinfo = TRY(files.read(mountinfo_place));
    const std::string table = mountinfo.value_or(std::string());
    MountedOn on;
    for (const MountLine &line : visible_mounts(table)) {
        if (line.directory == directory && !is_nfs(line)) {
            on.other = line.source;
        }
    }
    if (!on.other.empty()) {
        return on;
    }
    for (NfsMount &mount : mounts_of(files, table)) {
        if (mount.directory == directory) {
            on.nfs = std::move(mount);
            break;
        }
    }
    return on;
}

} // namespace causeway
