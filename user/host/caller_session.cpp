// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/caller_session.h"

#include "base/durable_file.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <netinet/in.h>
#include <set>
#include <sstream>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr int most_ancestors = 64;
constexpr std::string_view ssh_variable = "SSH_CONNECTION=";
constexpr std::string_view socket_start = "socket:[";
constexpr const char *established_state = "01";
constexpr std::size_t digits_of_word = 8; // 32 bits in hexadecimal

std::string proc_text(const fs::path &place) {
    auto content = read_small_file(place);
    return content ? content->value_or("") : "";
}

std::string parent_of(const std::string &status) {
    std::istringstream words(status);
    for (std::string word; words >> word;) {
        if (word == "PPid:" && words >> word) {
            return word;
        }
    }
    return {};
}

// "10.0.0.9 51000 10.0.0.1 22": the client's end comes first.
void add_ssh(const std::string &environment, std::vector<SessionEnd> &ends) {
    std::istringstream variables(environment);
    for (std::string variable; std::getline(variables, variable, '\0');) {
        if (variable.compare(0, ssh_variable.size(), ssh_variable) != 0) {
            continue;
        }
        std::istringstream words(variable.substr(ssh_variable.size()));
        std::array<std::string, 4> said;
        words >> said[0] >> said[1] >> said[2] >> said[3];
        const std::size_t percent = said[2].find('%');
        const auto peer = SocketAddress::from_text(said[0].substr(0, said[0].find('%')));
        const auto local = SocketAddress::from_text(said[2].substr(0, percent));
        if (local && peer) {
            ends.push_back(
                {*local, *peer, percent == std::string::npos ? "" : said[2].substr(percent + 1)});
        }
    }
}

void add_sockets(const fs::path &folder, std::set<std::string> &sockets) {
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure);
         !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
        std::error_code unreadable;
        const std::string target = fs::read_symlink(entry->path(), unreadable).string();
        if (!unreadable && target.compare(0, socket_start.size(), socket_start) == 0) {
            sockets.insert(
                target.substr(socket_start.size(), target.size() - socket_start.size() - 1));
        }
    }
}

// "0100000A:0016": words of 32 bits, each as this machine stores the bytes of the network.
std::optional<SocketAddress> parse_end(const std::string &text) {
    const std::string digits = text.substr(0, text.find(':'));
    std::array<std::uint8_t, sizeof(in6_addr)> bytes{};
    if (digits.size() != digits_of_word && digits.size() != 4 * digits_of_word) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i * digits_of_word < digits.size(); i++) {
        const auto word = static_cast<std::uint32_t>(
            std::strtoul(digits.substr(i * digits_of_word, digits_of_word).c_str(), nullptr, 16));
        std::memcpy(&bytes.at(i * sizeof(word)), &word, sizeof(word));
    }
    in6_addr v6{};
    std::memcpy(&v6, bytes.data(), sizeof(v6));
    const bool mapped = digits.size() > digits_of_word && IN6_IS_ADDR_V4MAPPED(&v6);
    if (digits.size() > digits_of_word && !mapped) {
        sockaddr_in6 address{};
        address.sin6_family = AF_INET6;
        address.sin6_addr = v6;
        return SocketAddress::from_bytes(
            {reinterpret_cast<const std::uint8_t *>(&address), sizeof(address)});
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    std::memcpy(&address.sin_addr, &bytes.at(mapped ? 12 : 0), sizeof(address.sin_addr));
    return SocketAddress::from_bytes(
        {reinterpret_cast<const std::uint8_t *>(&address), sizeof(address)});
}

// Of a table such as /proc/net/tcp, the established connections of these sockets.
void add_connections(const fs::path &table, const std::set<std::string> &sockets,
                     std::vector<SessionEnd> &ends) {
    constexpr std::size_t columns = 10; // up to that of the inode
    // A file of any size: a server may have many thousands of connections.
    std::ifstream lines(table);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::array<std::string, columns> said;
        for (std::string &word : said) {
            words >> word;
        }
        if (said[3] != established_state || sockets.count(said[columns - 1]) == 0) {
            continue;
        }
        const auto local = parse_end(said[1]);
        const auto peer = parse_end(said[2]);
        if (local && peer) {
            ends.push_back({*local, *peer});
        }
    }
}

} // namespace

std::vector<SessionEnd> sessions_of_caller(const fs::path &proc) {
    std::vector<SessionEnd> ends;
    std::set<std::string> sockets;
    std::string process = "self";
    for (int i = 0; i < most_ancestors && !process.empty() && process != "0" && process != "1";
         i++) {
        const fs::path folder = proc / process;
        add_ssh(proc_text(folder / "environ"), ends);
        add_sockets(folder / "fd", sockets);
        process = parent_of(proc_text(folder / "status"));
    }
    for (const char *table : {"tcp", "tcp6"}) {
        add_connections(proc / "net" / table, sockets, ends);
    }
    return ends;
}

} // namespace causeway
