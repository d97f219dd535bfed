// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/options.h"

#include "base/disk_name.h"
#include "base/units.h"

#include <algorithm>
#include <array>
#include <causeway.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

constexpr std::uint64_t highest_port = 65535;
constexpr std::uint64_t longest_limit = 3600;
constexpr std::uint64_t longest_retry = 1000000; // minutes

// Splits at commas, but not at those between quotes, as in context="a:b:c0,c1".
std::vector<std::string> split_options(std::string_view text) {
    std::vector<std::string> list;
    std::string one;
    bool quoted = false;
    for (const char c : text) {
        if (c == '"') {
            quoted = !quoted;
        }
        if (c == ',' && !quoted) {
            list.push_back(std::move(one));
            one.clear();
        } else {
            one += c;
        }
    }
    list.push_back(std::move(one));
    list.erase(std::remove(list.begin(), list.end(), std::string()), list.end());
    return list;
}

struct Option {
    std::string_view name;
    std::string_view value;
};

Option parts_of(std::string_view option) {
    const std::size_t equals = option.find('=');
    if (equals == std::string_view::npos) {
        return {option, {}};
    }
    return {option.substr(0, equals), option.substr(equals + 1)};
}

Error not_by_hand(std::string_view option) {
    return Error{
        ExitCode::usage,
        fmt::format("the option '{}' chooses a transport, and here RDMA is tried first and "
                    "TCP where there is no RDMA",
                    option),
        "leave it out; \"mount -t nfs\" mounts by TCP alone"};
}

// Takes the options rdma and proto=NETID.
Result<bool> take_transport(std::string_view text, NfsOptions &options) {
    constexpr std::array others = {"tcp", "tcp6", "udp", "udp6"};
    const Option option = parts_of(text);
    if (text == "rdma" || text == "proto=rdma" || text == "proto=rdma6") {
        options.ipv6_only = option.value == "rdma6";
        return true;
    }
    if (text == "tcp" || text == "udp") {
        return not_by_hand(text);
    }
    if (option.name != "proto") {
        return false;
    }
    if (std::find(others.begin(), others.end(), option.value) != others.end()) {
        return not_by_hand(text);
    }
    return Error{ExitCode::usage,
                 fmt::format("the option '{}' names no transport that NFS has", text),
                 "write proto=rdma, or proto=rdma6 for IPv6 only; without it RDMA comes first too"};
}

// Takes the options retry=MINUTES, bg, fg and remount.
Result<bool> take_patience(std::string_view text, NfsOptions &options) {
    const Option option = parts_of(text);
    if (option.name == "retry") {
        auto minutes = TRY(parse_number("the option retry", option.value, 0, longest_retry));
        options.retry = std::chrono::minutes(minutes);
        return true;
    }
    if (text == "bg" || text == "fg") {
        options.background = text == "bg";
        return true;
    }
    options.remount |= text == "remount";
    return text == "remount";
}

// Returns true if Causeway itself handles the option.
Result<bool> take_own(std::string_view text, NfsOptions &options) {
    const Option option = parts_of(text);
    const auto number = [&](std::uint64_t most) {
        return parse_number(fmt::format("the option {}", option.name), option.value, 1, most);
    };
    if (auto transport = take_transport(text, options); !transport || *transport) {
        return transport;
    }
    if (option.name == "xprtsec" && option.value != "none") {
        return Error{
            ExitCode::usage,
            fmt::format("the option '{}' asks for RPC-with-TLS, which encrypts TCP only", text),
            "leave it out; or mount by TCP with TLS: mount -t nfs -o " + std::string(text)};
    }
    if (option.name == "require") {
        if (option.value != "rdma") {
            return Error{
                ExitCode::usage,
                fmt::format("'require={}' is unknown: only RDMA can be required", option.value),
                "write require=rdma"};
        }
        options.require_rdma = true;
        return true;
    }
    if (option.name == "port" || option.name == "tcp-port") {
        auto port = TRY(number(highest_port));
        (option.name == "port" ? options.rdma_port : options.tcp_port.emplace()) =
            static_cast<std::uint16_t>(port);
        return true;
    }
    if (option.name == "rdma-timeout") {
        auto seconds = TRY(number(longest_limit));
        options.rdma_limit = std::chrono::seconds(seconds);
        return true;
    }
    return take_patience(text, options);
}

} // namespace

std::string NfsOptions::text() const {
    std::vector<std::string> all = passed;
    if (ipv6_only) {
        all.emplace_back("proto=rdma6");
    }
    if (rdma_port != nfs_rdma_port) {
        all.push_back(fmt::format("port={}", rdma_port));
    }
    if (tcp_port) {
        all.push_back(fmt::format("tcp-port={}", *tcp_port));
    }
    if (require_rdma) {
        all.emplace_back("require=rdma");
    }
    if (rdma_limit != default_rdma_limit) {
        all.push_back(fmt::format("rdma-timeout={}", rdma_limit.count()));
    }
    if (background) {
        all.emplace_back("bg");
    }
    if (retry) {
        all.push_back(fmt::format("retry={}", retry->count()));
    }
    return fmt::format("{}", fmt::join(all, ","));
}

bool NfsOptions::has(std::string_view name) const {
    return std::any_of(passed.begin(), passed.end(),
                       [&](const std::string &option) { return parts_of(option).name == name; });
}

Result<NfsOptions> parse_nfs_options(std::string_view text) {
    NfsOptions options;
    for (const std::string &option : split_options(text)) {
        auto own = TRY(take_own(option, options));
        if (!own) {
            options.passed.push_back(option);
        }
    }
    return options;
}

NfsOptions options_of_mount(const NfsMount &mount) {
    // Options that the kernel determined, and options that state a default.
    constexpr std::array added = {"addr",      "clientaddr", "proto",     "port",   "mountaddr",
                                  "mountport", "mountproto", "mountvers", "namlen", "rsize",
                                  "wsize",     "rw",         "relatime"};
    NfsOptions options;
    if (mount.transport == CW_TRANSPORT_RDMA && mount.port != 0) {
        options.rdma_port = mount.port;
    }
    for (const std::string &list : {mount.flags, mount.options}) {
        for (const std::string &option : split_options(list)) {
            const bool is_added =
                option == "local_lock=none" ||
                std::find(added.begin(), added.end(), parts_of(option).name) != added.end();
            if (!is_added && !options.has(parts_of(option).name)) {
                options.passed.push_back(option);
            }
        }
    }
    return options;
}

bool same_options(NfsOptions one, NfsOptions other) {
    std::sort(one.passed.begin(), one.passed.end());
    std::sort(other.passed.begin(), other.passed.end());
    return one.text() == other.text();
}

bool contradicts(const NfsOptions &typed, const NfsOptions &shown) {
    constexpr std::array waits = {"hard", "soft", "softerr"};
    const auto is_one_of_waits = [&](std::string_view name) {
        return std::find(waits.begin(), waits.end(), name) != waits.end();
    };
    return typed.rdma_port != shown.rdma_port || typed.has("ro") != shown.has("ro") ||
           std::any_of(typed.passed.begin(), typed.passed.end(), [&](const std::string &option) {
               const Option mine = parts_of(option);
               const std::string_view name = mine.name == "nfsvers" ? "vers" : mine.name;
               return std::any_of(shown.passed.begin(), shown.passed.end(),
                                  [&](const std::string &other) {
                                      const Option theirs = parts_of(other);
                                      return theirs.name == name ? theirs.value != mine.value
                                                                 : is_one_of_waits(name) &&
                                                                       is_one_of_waits(theirs.name);
                                  });
           });
}

std::string attempt_options(const NfsOptions &options, std::string_view netid) {
    std::vector<std::string> all = options.passed;
    all.push_back(fmt::format("proto={}", netid));
    if (netid.substr(0, 4) == "rdma") {
        all.push_back(fmt::format("port={}", options.rdma_port));
    } else if (options.tcp_port) {
        all.push_back(fmt::format("port={}", *options.tcp_port));
    }
    all.emplace_back("retry=0");
    return fmt::format("{}", fmt::join(all, ","));
}

std::string remount_options(const NfsOptions &options, const NfsMount &mount) {
    std::vector<std::string> all = options.passed;
    all.emplace_back("remount");
    for (const char *name : {"proto", "port"}) {
        if (const std::string value = option_value(mount.options, name); !value.empty()) {
            all.push_back(fmt::format("{}={}", name, value));
        }
    }
    return fmt::format("{}", fmt::join(all, ","));
}

std::string NfsSource::text() const {
    return server.find(':') == std::string::npos ? fmt::format("{}:{}", server, path)
                                                 : fmt::format("[{}]:{}", server, path);
}

Result<NfsSource> parse_nfs_source(std::string_view text) {
    const std::size_t split = text.find(":/");
    const auto bad = [&](std::string_view why) {
        return Error{ExitCode::usage,
                     fmt::format("'{}' does not name a folder of a server: {}", text, why),
                     "give SERVER:PATH, such as storage1:/srv/home or [fd00::1]:/srv/home"};
    };
    if (split == std::string_view::npos) {
        return bad("there is no ':/' in it");
    }
    NfsSource source;
    source.server = text.substr(0, split);
    source.path = text.substr(split + 1);
    if (source.server.size() > 1 && source.server.front() == '[' && source.server.back() == ']') {
        source.server = source.server.substr(1, source.server.size() - 2);
    } else if (source.server.find(':') != std::string::npos) {
        return bad("an IPv6 address stands in brackets");
    }
    // The name may have the same characters as the name of a disk's server.
    TRY(parse_server(source.server.find(':') == std::string::npos ? source.server
                                                                  : "[" + source.server + "]"));
    return source;
}

} // namespace causeway
