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

std::string addresses_text(const ExportSettings &settings) {
    const auto words = export_address_words(settings);
    return words.empty() ? "left to this machine" : fmt::format("{}", fmt::join(words, ", "));
}

std::string or_none(const std::string &text) {
    return text.empty() ? "none" : text;
}

std::string paths_text(const std::vector<PathSettings> &paths) {
    std::vector<std::string> words;
    for (const PathSettings &path : paths) {
        words.push_back(path.text());
    }
    return words.empty() || paths == std::vector<PathSettings>{{}}
               ? "left to the name of the server"
               : fmt::format("{}", fmt::join(words, ", "));
}

/* ---- paths ---- */

// Returns the address in the form in which addresses are compared, or a name as it is.
Result<std::string> parse_path_address(std::string_view subject, const std::string &text) {
    if (const auto address = SocketAddress::from_text(text)) {
        return address->host_text();
    }
    if (text == every_path) {
        return Error{ExitCode::usage,
                     fmt::format("{0} {1}: {1} stands alone, for all addresses that the server "
                                 "names, and only \"causeway attach\" takes it",
                                 subject, text),
                     "give the addresses"};
    }
    const auto server = parse_server(text);
    if (!server || server->host != text) {
        return Error{ExitCode::usage,
                     fmt::format("{} '{}' is neither an IP address nor a name", subject, text),
                     "give an address of the server without a port, such as 10.1.0.1, fd01::1 or "
                     "storage1-b; the port is the one of SERVER"};
    }
    return text;
}

// Returns an empty text if the kernel is to choose the address.
Result<std::string> parse_local_address(std::string_view subject, const std::string &text) {
    if (text == any_local) {
        return std::string();
    }
    const auto address = SocketAddress::from_text(text);
    if (!address) {
        return Error{ExitCode::usage, fmt::format("{} '{}' is not an IP address", subject, text),
                     "give an address of this machine, such as 10.1.0.2, or any"};
    }
    return address->host_text();
}

Result<void> check_families(const PathSettings &path) {
    const auto address = SocketAddress::from_text(path.address);
    const auto local = SocketAddress::from_text(path.from);
    if (!address || !local || address->family() == local->family()) {
        return {};
    }
    return Error{ExitCode::usage,
                 fmt::format("the path {} has an IPv4 address at one end and an IPv6 address at "
                             "the other",
                             path.text()),
                 "give two addresses of one family"};
}

Result<bool> parse_transport(std::string_view subject, const std::string &text) {
    if (text == transport_rdma || text == transport_tcp) {
        return text == transport_tcp;
    }
    return Error{ExitCode::usage, fmt::format("{} cannot be '{}'", subject, text),
                 fmt::format("give {} or {}", transport_rdma, transport_tcp)};
}

Result<void> check_count(const PathWords &words, std::string_view dashes) {
    const std::size_t addresses = words.addresses.size();
    const std::size_t locals = words.from.size();
    const std::size_t transports = words.transports.size();
    if (addresses > most_paths) {
        return Error{ExitCode::usage, fmt::format("{} paths are too many for a disk", addresses),
                     fmt::format("give at most {}", most_paths)};
    }
    if (transports != 0 && transports != std::max<std::size_t>(addresses, 1)) {
        return Error{
            ExitCode::usage,
            fmt::format("{}transport has {} words, and the number of paths is {}", dashes,
                        transports, std::max<std::size_t>(addresses, 1)),
            fmt::format("give one {}transport for each path, in the same order, or none", dashes)};
    }
    if (locals == 0 || locals == addresses || (locals == 1 && addresses == 0)) {
        return {};
    }
    return Error{
        ExitCode::usage,
        fmt::format("{0}from has {1} and {0}path {2}: each address of this machine belongs "
                    "to one of the server",
                    dashes, locals == 1 ? "1 address" : fmt::format("{} addresses", locals),
                    addresses == 0 ? "none" : fmt::format("{}", addresses)),
        fmt::format("give as many of {0}path, in the same order, or leave {0}from out", dashes)};
}

} // namespace

std::string AttachOption::key() const {
    std::string key(word);
    std::replace(key.begin(), key.end(), '-', '_');
    return key;
}

Result<std::uint32_t> AttachOption::parse(std::string_view subject, std::string_view text) const {
    if (named) {
        for (std::uint32_t number = least; number <= most; number++) {
            if (this->text(number) == text) {
                return number;
            }
        }
        return Error{ExitCode::usage, fmt::format("{} cannot be '{}'", subject, text),
                     fmt::format("give one of {}", operand)};
    }
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
    if (named) {
        std::string_view words = operand;
        for (std::uint32_t before = least; before < number; before++) {
            words.remove_prefix(std::min(words.find('|'), words.size() - 1) + 1);
        }
        return number < least ? "unknown" : std::string(words.substr(0, words.find('|')));
    }
    return number == off ? "off" : fmt::format("{}", number);
}

std::vector<std::string> AttachmentSettings::hosts() const {
    if (paths.empty() || paths.front().address.empty()) {
        return {disk.server.host};
    }
    std::vector<std::string> all;
    for (const PathSettings &path : paths) {
        all.push_back(path.address);
    }
    return all;
}

std::string PathSettings::text() const {
    return fmt::format("{}{}{}", address.empty() ? "the server's name" : address,
                       from.empty() ? "" : " from " + from, tcp ? " over TCP" : "");
}

Result<std::vector<std::string>> parse_transports(std::string_view subject, std::string_view text) {
    for (const std::vector<std::string> &words :
         {std::vector<std::string>{std::string(transport_rdma)},
          {std::string(transport_tcp)},
          {std::string(transport_rdma), std::string(transport_tcp)}}) {
        if (text == fmt::format("{}", fmt::join(words, ","))) {
            return words;
        }
    }
    return Error{ExitCode::usage, fmt::format("{} cannot be '{}'", subject, text),
                 "give rdma, tcp or rdma,tcp"};
}

std::string transport_word(const PathSettings &path) {
    return std::string(path.tcp ? transport_tcp : transport_rdma);
}

Result<std::vector<PathSettings>> parse_paths(const PathWords &words, std::string_view dashes) {
    TRY(check_count(words, dashes));
    std::vector<PathSettings> paths;
    for (std::size_t i = 0;
         i < std::max({words.addresses.size(), words.from.size(), words.transports.size()}); i++) {
        PathSettings path;
        if (i < words.addresses.size()) {
            path.address =
                TRY(parse_path_address(fmt::format("{}path", dashes), words.addresses[i]));
        }
        if (i < words.from.size()) {
            path.from = TRY(parse_local_address(fmt::format("{}from", dashes), words.from[i]));
        }
        if (i < words.transports.size()) {
            path.tcp =
                TRY(parse_transport(fmt::format("{}transport", dashes), words.transports[i]));
        }
        if (path == PathSettings{} && words.transports.empty()) {
            continue; // any, without an address of the server
        }
        TRY(check_families(path));
        if (std::find(paths.begin(), paths.end(), path) != paths.end()) {
            return Error{ExitCode::usage, fmt::format("the path {} is given twice", path.text()),
                         "give each path once"};
        }
        paths.push_back(std::move(path));
    }
    return paths;
}

Result<void> parse_export_addresses(std::string_view subject, const std::vector<std::string> &texts,
                                    ExportSettings &settings) {
    settings.no_addresses = texts == std::vector<std::string>{std::string(without_addresses)};
    settings.addresses.clear();
    if (settings.no_addresses) {
        return {};
    }
    if (texts.size() > most_export_addresses) {
        return Error{ExitCode::usage,
                     fmt::format("{} names {} addresses, which are too many for an export", subject,
                                 texts.size()),
                     fmt::format("give at most {}", most_export_addresses)};
    }
    auto &addresses = settings.addresses;
    for (const std::string &text : texts) {
        const auto address = SocketAddress::from_text(text);
        if (!address) {
            return Error{ExitCode::usage,
                         fmt::format("{} '{}' is not an IP address", subject, text),
                         fmt::format("give an address of this machine without a port, such as "
                                     "10.1.0.1, or {} alone, so that clients get no addresses",
                                     without_addresses)};
        }
        if (std::find(addresses.begin(), addresses.end(), *address) != addresses.end()) {
            return Error{ExitCode::usage, fmt::format("{} names {} twice", subject, text),
                         "give each address once"};
        }
        addresses.push_back(*address);
    }
    return {};
}

std::vector<std::string> export_address_words(const ExportSettings &settings) {
    std::vector<std::string> words;
    for (const SocketAddress &address : settings.addresses) {
        words.push_back(address.host_text());
    }
    if (settings.no_addresses) {
        words.emplace_back(without_addresses);
    }
    return words;
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
    if (!settings.has_owners()) {
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
    found.compare("tcp", there.tcp, wanted.tcp);
    found.compare("the allow list", allow_text(there.allow), allow_text(wanted.allow));
    found.compare("the key file", or_none(there.key_file), or_none(wanted.key_file));
    if (wanted.has_owners()) {
        found.compare("takeover-after", takeover_text(there.takeover_after),
                      takeover_text(wanted.takeover_after));
    }
    // A folder that the user did not give is the one that has the ledger.
    if (!wanted.state_folder.empty() && wanted.keeps_ledger()) {
        found.compare("the state folder",
                      there.state_folder.empty() ? "the default" : there.state_folder,
                      wanted.state_folder);
    }
    if (!wanted.addresses.empty() || wanted.no_addresses) {
        found.compare("the list of addresses", addresses_text(there), addresses_text(wanted));
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
    if (!wanted.paths.empty()) {
        found.compare("the list of paths", paths_text(there.paths), paths_text(wanted.paths));
    }
    found.compare("the key file", or_none(there.key_file), or_none(wanted.key_file));
    if (wanted.host) {
        found.compare("the host's UUID",
                      there.host ? there.host->text() : "the one of this machine",
                      wanted.host->text());
    }
    if (wanted.identity) {
        found.compare("the UUID of the disk", there.identity ? there.identity->text() : "any",
                      wanted.identity->text());
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
