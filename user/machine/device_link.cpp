// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/device_link.h"

#include "base/descriptor.h"

#include <algorithm>
#include <array>
#include <poll.h>
#include <string_view>
#include <sys/inotify.h>
#include <system_error>
#include <unistd.h>

namespace causeway {

namespace fs = std::filesystem;

namespace {

// Watches all existing folders from @top down to the folder of the link. A folder that is made
// later causes an event in its parent.
void watch_folders(int inotify, const fs::path &top, const fs::path &link) {
    fs::path folder = top;
    for (const fs::path &part : link.parent_path().lexically_relative(top)) {
        inotify_add_watch(inotify, folder.c_str(), IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
        folder /= part;
    }
    inotify_add_watch(inotify, folder.c_str(), IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
}

void drain(int inotify) {
    std::array<char, 4096> events{};
    while (::read(inotify, events.data(), events.size()) > 0) {
    }
}

} // namespace

std::string link_word(const std::string &word) {
    constexpr std::string_view marks = "#+-.:=@_";
    std::string out = word;
    std::replace_if(
        out.begin(), out.end(),
        [&](char c) {
            const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            const bool digit = c >= '0' && c <= '9';
            return !letter && !digit && marks.find(c) == std::string_view::npos;
        },
        '_');
    return out;
}

fs::path UdevLinks::link(const std::string &server, const std::string &name) const {
    return dev_ / "causeway" / link_word(server) / link_word(name);
}

bool UdevLinks::ready(const fs::path &link, const fs::path &node) const {
    std::error_code failure;
    const fs::path target = fs::canonical(link, failure);
    if (failure) {
        return false;
    }
    const fs::path wanted = fs::canonical(node, failure);
    return !failure && target == wanted;
}

bool UdevLinks::wait(const fs::path &link, const fs::path &node, std::chrono::milliseconds limit) {
    if (ready(link, node)) {
        return true;
    }
    std::error_code failure;
    if (!fs::exists(udev_, failure)) {
        return false;
    }
    const Descriptor inotify(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    if (!inotify) {
        return false;
    }
    const auto deadline = std::chrono::steady_clock::now() + limit;
    for (;;) {
        watch_folders(inotify.get(), dev_, link);
        // Check after the watches are set: a link made before an earlier check could be missed.
        if (ready(link, node)) {
            return true;
        }
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0) {
            return false;
        }
        pollfd changed{inotify.get(), POLLIN, 0};
        ::poll(&changed, 1, static_cast<int>(left.count()));
        drain(inotify.get());
    }
}

} // namespace causeway
