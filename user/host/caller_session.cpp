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
#include <utmpx.h>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr int most_ancestors = 64;
constexpr std::string_view ssh_variable = "SSH_CONNECTION=";
constexpr std::string_view socket_start = "socket:[";
constexpr const char *established_state = "01";
constexpr std::size_t digits_of_word = 8; // 32 bits in hexadecimal
constexpr std::array login_servers = {"sshd",       "sshd-session", "sshd-auth",
                                      "dropbear",   "cockpit-ws",   "cockpit-tls",
                                      "in.telnetd", "telnetd",      "xrdp"};

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

// Parses SSH_CONNECTION, such as "10.0.0.9 51000 10.0.0.1 22": the client's end comes first.
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

// Parses "0100000A:0016": 32-bit words in host byte order, whose bytes are in network order in
// memory.
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

// Adds the established connections of these sockets from a table such as /proc/net/tcp.
void add_connections(const fs::path &table, const std::set<std::string> &sockets,
                     std::vector<SessionEnd> &ends) {
    constexpr std::size_t columns = 10; // up to the column of the inode
    // The table can have any size: a server may have many thousands of connections.
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

// Adds the established connections of these sockets from the tables of IPv4 and IPv6.
void add_all_connections(const fs::path &proc, const std::set<std::string> &sockets,
                         std::vector<SessionEnd> &ends) {
    for (const char *table : {"tcp", "tcp6"}) {
        add_connections(proc / "net" / table, sockets, ends);
    }
}

// Parses "10.0.0.9", "fe80::9%ib0", or a name.
SessionEnd end_of_host(const std::string &host) {
    SessionEnd end;
    const std::size_t percent = host.find('%');
    if (const auto peer = SocketAddress::from_text(host.substr(0, percent))) {
        end.peer = *peer;
        end.scope = percent == std::string::npos ? "" : host.substr(percent + 1);
    } else {
        end.host = host;
    }
    return end;
}

std::vector<fs::path> entries_of(const fs::path &folder) {
    std::vector<fs::path> found;
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure);
         !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
        found.push_back(entry->path());
    }
    return found;
}

void add_servers_of_logins(const fs::path &proc, std::vector<SessionEnd> &ends) {
    std::set<std::string> sockets;
    for (const fs::path &folder : entries_of(proc)) {
        const std::string number = folder.filename().string();
        if (number.find_first_not_of("0123456789") != std::string::npos) {
            continue;
        }
        const std::string name = proc_text(folder / "comm");
        if (std::find(login_servers.begin(), login_servers.end(),
                      name.substr(0, name.find('\n'))) != login_servers.end()) {
            add_sockets(folder / "fd", sockets);
        }
    }
    add_all_connections(proc, sockets, ends);
}

// A file of logind has lines such as "REMOTE=1". A session whose user has logged out is closing.
void add_logind(const fs::path &folder, std::vector<SessionEnd> &ends) {
    constexpr std::string_view host_key = "REMOTE_HOST=";
    for (const fs::path &place : entries_of(folder)) {
        std::error_code failure;
        // logind keeps a FIFO in the same folder. Opening it could block.
        if (!fs::is_regular_file(place, failure)) {
            continue;
        }
        std::string host;
        bool remote = false;
        bool closing = false;
        std::istringstream lines(proc_text(place));
        for (std::string line; std::getline(lines, line);) {
            remote = remote || line == "REMOTE=1";
            closing = closing || line == "STATE=closing";
            if (line.compare(0, host_key.size(), host_key) == 0) {
                host = line.substr(host_key.size());
            }
        }
        if (remote && !closing && !host.empty()) {
            ends.push_back(end_of_host(host));
        }
    }
}

std::optional<SocketAddress> address_of_login(const utmpx &login) {
    std::array<std::uint32_t, 4> words{};
    std::memcpy(words.data(), &login.ut_addr_v6[0], sizeof(words));
    if (words[0] == 0 && words[1] == 0 && words[2] == 0 && words[3] == 0) {
        const std::string host(&login.ut_host[0], ::strnlen(&login.ut_host[0], __UT_HOSTSIZE));
        return SocketAddress::from_text(host.substr(0, host.find(' '))); // "10.0.0.9 via mosh [7]"
    }
    if (words[1] == 0 && words[2] == 0 && words[3] == 0) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        std::memcpy(&address.sin_addr, words.data(), sizeof(address.sin_addr));
        return SocketAddress::from_bytes(
            {reinterpret_cast<const std::uint8_t *>(&address), sizeof(address)});
    }
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    std::memcpy(&address.sin6_addr, words.data(), sizeof(address.sin6_addr));
    return SocketAddress::from_bytes(
        {reinterpret_cast<const std::uint8_t *>(&address), sizeof(address)});
}

// Adds the peer of each login whose process still exists. A login without a binary address has the
// peer that its host field names. Skips such a login if that field is not an address: tmux and
// screen write other names there.
void add_utmp(const Places &places, std::vector<SessionEnd> &ends) {
    std::ifstream file(places.of_others("run/utmp"), std::ios::binary);
    utmpx login{};
    while (file.read(reinterpret_cast<char *>(&login), sizeof(login))) {
        std::error_code failure;
        const auto peer = login.ut_type == USER_PROCESS ? address_of_login(login) : std::nullopt;
        if (peer && fs::exists(places.of_others("proc/" + std::to_string(login.ut_pid)), failure)) {
            ends.push_back({{}, *peer});
        }
    }
}

} // namespace

std::vector<SessionEnd> remote_logins(const Places &places) {
    std::vector<SessionEnd> ends;
    add_servers_of_logins(places.of_others("proc"), ends);
    add_logind(places.of_others("run/systemd/sessions"), ends);
    add_utmp(places, ends);
    return ends;
}

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
    add_all_connections(proc, sockets, ends);
    return ends;
}

} // namespace causeway
