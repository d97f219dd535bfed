// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/disk_settings.h"

#include "base/units.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

class Differences {
  public:
    void compare(std::string_view subject, const std::string &there, const std::string &wanted) {
        if (there != wanted) {
            list.push_back(fmt::format("{} is {}, not {}", subject, there, wanted));
        }
    }

    void compare(std::string_view subject, bool there, bool wanted) {
        compare(subject, std::string(there ? "on" : "off"), std::string(wanted ? "on" : "off"));
    }

    std::vector<std::string> list;
};

std::string allow_text(const std::vector<Prefix> &allow) {
    std::vector<std::string> words;
    for (const Prefix &prefix : allow) {
        words.push_back(prefix.text());
    }
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    return words.empty() ? "everyone" : fmt::format("{}", fmt::join(words, " "));
}

std::string takeover_text(std::uint32_t seconds) {
    return seconds == 0 ? "never" : fmt::format("{} s", seconds);
}

std::string or_none(const std::string &text) {
    return text.empty() ? "none" : text;
}

} // namespace

std::string AttachOption::key() const {
    std::string key(word);
    std::replace(key.begin(), key.end(), '-', '_');
    return key;
}

Result<std::uint32_t> AttachOption::parse(std::string_view subject, std::string_view text) const {
    if (off && text == "off") {
        return *off;
    }
    auto number = parse_number(subject, text, least, most);
    if (!number) {
        Error error = number.error();
        if (off) {
            error.fix = fmt::format("give seconds from {} to {}, or off", least, most);
        }
        return error;
    }
    return static_cast<std::uint32_t>(*number);
}

std::string AttachOption::text(std::uint32_t number) const {
    return number == off ? "off" : fmt::format("{}", number);
}

Result<Uuid> parse_host_uuid(std::string_view subject, std::string_view text) {
    const auto uuid = Uuid::parse(text);
    if (!uuid || uuid->is_nil()) {
        return Error{ExitCode::usage,
                     uuid ? fmt::format("{} is the nil UUID, which names no host", subject)
                          : fmt::format("{} '{}' is not a UUID", subject, text),
                     "give 32 hexadecimal digits as 8-4-4-4-12, as uuidgen prints them"};
    }
    return *uuid;
}

std::string plain_folder(const std::string &path) {
    const std::filesystem::path normal = std::filesystem::path(path).lexically_normal();
    return (normal.has_filename() ? normal : normal.parent_path()).string();
}

Result<void> check_takeover(const ExportSettings &settings, std::string_view subject) {
    if (!settings.exclusive) {
        return Error{ExitCode::usage,
                     fmt::format("{} goes with an exclusive export only: on a shared export no "
                                 "host waits for another one",
                                 subject),
                     "add --exclusive, or leave it out"};
    }
    if (settings.read_only) {
        return Error{ExitCode::usage,
                     fmt::format("{} does not go with a read-only export: no host owns a disk "
                                 "that is only read",
                                 subject),
                     "leave it out"};
    }
    return {};
}

std::string backend_text(Backend backend) {
    switch (backend) {
    case Backend::device:
        return "device";
    case Backend::file:
        return "file";
    case Backend::ram:
        return "ram";
    }
    return "unknown";
}

std::vector<std::string> differences(const ExportSettings &there, const ExportSettings &wanted) {
    Differences found;
    found.compare("the backend", backend_text(there.backend), backend_text(wanted.backend));
    if (there.backend == wanted.backend) {
        if (wanted.backend == Backend::ram) {
            found.compare("the size", size_exact(there.size), size_exact(wanted.size));
        } else {
            found.compare("the path", there.path, wanted.path);
        }
    }
    found.compare("read-only", there.read_only, wanted.read_only);
    found.compare("exclusive", there.exclusive, wanted.exclusive);
    found.compare("write-through", there.write_through, wanted.write_through);
    found.compare("the allow list", allow_text(there.allow), allow_text(wanted.allow));
    found.compare("the key file", or_none(there.key_file), or_none(wanted.key_file));
    found.compare("takeover-after", takeover_text(there.takeover_after),
                  takeover_text(wanted.takeover_after));
    // A folder that the user did not give is the one that has the ledger.
    if (!wanted.state_folder.empty()) {
        found.compare("the state folder",
                      there.state_folder.empty() ? "the default" : there.state_folder,
                      wanted.state_folder);
    }
    if (wanted.identity && there.identity) {
        found.compare("the UUID", there.identity->text(), wanted.identity->text());
    }
    return found.list;
}

std::vector<std::string> differences(const AttachmentSettings &there,
                                     const AttachmentSettings &wanted) {
    Differences found;
    for (const AttachOption &option : attach_options) {
        if (const auto number = wanted.*option.value) {
            const auto other = there.*option.value;
            found.compare(option.word, other ? option.text(*other) : "left to the kernel",
                          option.text(*number));
        }
    }
    found.compare("the key file", or_none(there.key_file), or_none(wanted.key_file));
    if (wanted.host) {
        found.compare("the host's UUID",
                      there.host ? there.host->text() : "the one of this machine",
                      wanted.host->text());
    }
    return found.list;
}

Result<void> check_rule(const NfsRule &rule) {
    if (rule.from.empty()) {
        return Error{ExitCode::usage,
                     fmt::format("the rule for {} names no local address", rule.network.text()),
                     "give --from ADDRESS..., addresses of this machine"};
    }
    if (rule.from.size() > most_rule_addresses) {
        return Error{ExitCode::usage,
                     fmt::format("{} addresses are too many for a rule", rule.from.size()),
                     fmt::format("give at most {}", most_rule_addresses)};
    }
    for (std::size_t i = 0; i < rule.from.size(); i++) {
        if (rule.from[i].family() != rule.network.family) {
            return Error{ExitCode::usage,
                         fmt::format("the address {} and the network {} are not of one family",
                                     rule.from[i].host_text(), rule.network.text()),
                         "IPv4 and IPv6 servers need a rule each"};
        }
        if (std::find(rule.from.begin(), rule.from.begin() + static_cast<std::ptrdiff_t>(i),
                      rule.from[i]) != rule.from.begin() + static_cast<std::ptrdiff_t>(i)) {
            return Error{ExitCode::usage,
                         fmt::format("the address {} is given twice", rule.from[i].host_text()),
                         "give each once"};
        }
    }
    return {};
}

} // namespace causeway
