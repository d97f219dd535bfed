// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/server.h"

#include "base/uuid.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <sstream>

namespace causeway {

namespace {

constexpr const char *clients_folder = "/proc/fs/nfsd/clients";

std::optional<std::uint16_t> port_number(std::string_view text) {
    std::uint16_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failure == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                      : std::nullopt;
}

// Escapes the characters that would end the path in exports(5).
std::string escaped(std::string_view path) {
    std::string text;
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= ' ' || c == '#' || c == '"' || c == '\\') {
            text += fmt::format("\\{:03o}", byte);
        } else {
            text += c;
        }
    }
    return text;
}

// Returns the character for an escape such as "\040"; none for other text.
std::optional<char> unescaped(std::string_view text) {
    if (text.size() < 4 || text.front() != '\\' ||
        text.substr(1, 3).find_first_not_of("01234567") != std::string_view::npos) {
        return std::nullopt;
    }
    unsigned int code = 0;
    for (const char digit : text.substr(1, 3)) {
        code = code * 8 + static_cast<unsigned int>(digit - '0');
    }
    return static_cast<char>(code);
}

// Splits a line into words. A '#' at the start of a word begins a comment. Quotes keep a word
// together.
std::vector<std::string> words_of_exports(std::string_view line) {
    std::vector<std::string> words;
    bool inside = false;
    bool quoted = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
        const char c = line[at];
        if (!quoted && (c == ' ' || c == '\t' || c == '\r')) {
            inside = false;
            continue;
        }
        if (!inside && c == '#') {
            break;
        }
        if (!inside) {
            words.emplace_back();
            inside = true;
        }
        if (const auto special = unescaped(line.substr(at))) {
            words.back() += *special;
            at += 3;
        } else if (c == '"') {
            quoted = !quoted;
        } else {
            words.back() += c;
        }
    }
    words.erase(std::remove(words.begin(), words.end(), std::string()), words.end());
    return words;
}

std::string joined_options(const std::string &first, const std::string &then) {
    return first.empty() || then.empty() ? first + then : fmt::format("{},{}", first, then);
}

// Returns the fsid as a decimal number, or the digits of a UUID. An fsid that exportfs would refuse
// stays unchanged.
std::string canonical_fsid(const std::string &fsid) {
    if (fsid == "root") {
        return "0";
    }
    char *end = nullptr;
    const unsigned long number = std::strtoul(fsid.c_str(), &end, 0);
    if (!fsid.empty() && *end == '\0') {
        // The kernel uses 32 bits of the number.
        return fmt::format("{}", static_cast<std::uint32_t>(number));
    }
    constexpr std::size_t digits_of_uuid = 32;
    std::string digits;
    for (const char c : fsid) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isxdigit(byte) != 0) {
            digits += static_cast<char>(std::tolower(byte));
        }
    }
    return digits.size() == digits_of_uuid ? digits : fsid;
}

// "10.0.0.0/24(rw,sync)"; a bare "(rw)" is for every host.
ExportedTo exported_to(const std::string &word) {
    const std::size_t open = word.find('(');
    if (open == std::string::npos) {
        return {word, {}};
    }
    const std::size_t close = std::min(word.find(')', open), word.size());
    return {open == 0 ? "*" : word.substr(0, open), word.substr(open + 1, close - open - 1)};
}

std::string unquoted(std::string_view text) {
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
        text = text.substr(1, text.size() - 2);
    }
    return std::string(text);
}

// "address: "10.0.0.2:0"", "name: "Linux NFSv4.2 client2"", "minor version: 2".
NfsdClient parse_client(const std::string &info) {
    NfsdClient client;
    std::istringstream stream(info);
    for (std::string line; std::getline(stream, line);) {
        const std::size_t colon = line.find(": ");
        if (colon == std::string::npos) {
            continue;
        }
        const std::string key = line.substr(0, colon);
        const std::string value = unquoted(line.substr(colon + 2));
        if (key == "address") {
            const std::size_t port = value.rfind(':');
            client.address = value.substr(0, port);
            if (client.address.size() > 1 && client.address.front() == '[') {
                client.address = client.address.substr(1, client.address.size() - 2);
            }
            client.rdma = port != std::string::npos && value.substr(port + 1) == "0";
        } else if (key == "name") {
            client.name = value;
        } else if (key == "minor version") {
            client.version = "4." + value;
        }
    }
    return client;
}

} // namespace

Result<std::vector<NfsdPort>> nfsd_ports(KernelFiles &files) {
    auto text = TRY(files.read(nfsd_portlist));
    std::vector<NfsdPort> ports;
    std::istringstream stream(text.value_or(std::string()));
    for (NfsdPort port; stream >> port.transport >> port.port;) {
        if (std::find(ports.begin(), ports.end(), port) == ports.end()) {
            ports.push_back(port);
        }
    }
    return ports;
}

Result<bool> nfsd_runs(KernelFiles &files) {
    auto threads = TRY(files.read("/proc/fs/nfsd/threads"));
    return threads && !threads->empty() && threads->front() != '0';
}

Result<std::vector<NfsdClient>> nfsd_clients(KernelFiles &files) {
    std::vector<NfsdClient> clients;
    for (const std::string &id : files.list(clients_folder)) {
        auto info = TRY(files.read(fmt::format("{}/{}/info", clients_folder, id)));
        // The client may have ended since the list was read.
        if (info) {
            clients.push_back(parse_client(*info));
        }
    }
    return clients;
}

std::string exports_text(const ServeSettings &settings) {
    std::string options = settings.read_only ? "ro" : "rw";
    options += ",sync,no_subtree_check";
    if (!settings.options.empty()) {
        options += "," + settings.options;
    }
    std::string line = escaped(settings.path);
    if (settings.to.empty()) {
        line += fmt::format(" *({})", options);
    }
    for (const Prefix &network : settings.to) {
        line += fmt::format(" {}({})", network.text(), options);
    }
    const std::string text =
        fmt::format("# Written by \"causeway nfs serve\"; \"causeway nfs unserve\" removes it.\n"
                    "{}{}\n",
                    settings.to.empty() ? fmt::format("{}\n", allow_any_comment) : "", line);
    return with_fsid(text, settings.fsid);
}

std::string with_fsid(std::string_view text, const std::string &fsid) {
    if (fsid.empty()) {
        return std::string(text);
    }
    std::istringstream lines{std::string(text)};
    std::string changed;
    for (std::string line; std::getline(lines, line);) {
        // The path may contain parentheses, but no space.
        std::size_t at = line.empty() || line.front() == '#' ? std::string::npos : line.find(' ');
        while ((at = line.find(')', at)) != std::string::npos) {
            const std::string option = ",fsid=" + fsid;
            line.insert(at, option);
            at += option.size() + 1;
        }
        changed += line + "\n";
    }
    return changed;
}

std::string fsid_of_exports(std::string_view text) {
    for (const ExportedFolder &folder : exported_folders(text)) {
        for (const ExportedTo &to : folder.to) {
            if (std::string fsid = fsid_of_options(to.options); Uuid::parse(fsid)) {
                return fsid;
            }
        }
    }
    return {};
}

std::string exports_line(std::string_view text) {
    std::istringstream lines{std::string(text)};
    std::string line;
    while (std::getline(lines, line) && (line.empty() || line.front() == '#')) {
    }
    const std::string fsid = ",fsid=" + fsid_of_exports(text);
    for (std::size_t at = line.find(fsid); fsid.size() > 6 && at != std::string::npos;
         at = line.find(fsid)) {
        line.erase(at, fsid.size());
    }
    return line;
}

std::string with_allow_any(std::string_view text) {
    const std::size_t first = text.substr(0, 1) == "#" ? text.find('\n') : std::string_view::npos;
    const std::size_t at = first == std::string_view::npos ? 0 : first + 1;
    return fmt::format("{}{}\n{}", text.substr(0, at), allow_any_comment, text.substr(at));
}

std::vector<ExportedFolder> exported_folders(std::string_view text) {
    std::vector<ExportedFolder> folders;
    std::string left(text);
    for (std::size_t at = left.find("\\\n"); at != std::string::npos; at = left.find("\\\n", at)) {
        left.replace(at, 2, " ");
    }
    std::istringstream lines(left);
    for (std::string line; std::getline(lines, line);) {
        std::vector<std::string> words = words_of_exports(line);
        if (words.empty()) {
            continue;
        }
        ExportedFolder folder{words.front(), {}};
        words.erase(words.begin());
        std::string defaults;
        for (const std::string &word : words) {
            if (word.front() == '-') {
                defaults = joined_options(defaults, word.substr(1));
                continue;
            }
            ExportedTo to = exported_to(word);
            to.options = joined_options(defaults, to.options);
            folder.to.push_back(std::move(to));
        }
        if (folder.to.empty()) {
            folder.to.push_back({"*", defaults});
        }
        folders.push_back(std::move(folder));
    }
    return folders;
}

std::string fsid_of_options(std::string_view options) {
    constexpr std::string_view key = "fsid=";
    std::string fsid;
    std::istringstream stream{std::string(options)};
    for (std::string option; std::getline(stream, option, ',');) {
        if (option.compare(0, key.size(), key) == 0) {
            fsid = option.substr(key.size());
        }
    }
    return fsid;
}

bool same_fsid(const std::string &left, const std::string &right) {
    return canonical_fsid(left) == canonical_fsid(right);
}

bool is_fsid_number(const std::string &fsid) {
    const std::string same = canonical_fsid(fsid);
    return !same.empty() && same.size() <= std::string_view("4294967295").size() &&
           std::all_of(same.begin(), same.end(),
                       [](unsigned char byte) { return std::isdigit(byte) != 0; });
}

bool is_open_unmarked(std::string_view text) {
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        if (line == allow_any_comment) {
            return false;
        }
    }
    const auto to_all = [](const ExportedTo &each) { return each.hosts == "*"; };
    const auto folders = exported_folders(text);
    return std::any_of(folders.begin(), folders.end(), [&](const ExportedFolder &folder) {
        return std::any_of(folder.to.begin(), folder.to.end(), to_all);
    });
}

std::string nfs_conf_text(std::uint16_t port) {
    return fmt::format("# Written by \"causeway nfs serve\": nfsd listens by RDMA.\n"
                       "[nfsd]\n"
                       "rdma=y\n"
                       "rdma-port={}\n",
                       port);
}

std::optional<std::uint16_t> port_of_nfs_conf(std::string_view text) {
    constexpr std::string_view key = "\nrdma-port=";
    const std::size_t start = text.find(key);
    if (start == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view rest = text.substr(start + key.size());
    return port_number(rest.substr(0, rest.find('\n')));
}

} // namespace causeway
