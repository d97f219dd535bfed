// SPDX-License-Identifier: GPL-2.0-or-later
#include "fixture.h"

#include "nfs/mount_helper.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <netinet/in.h>
#include <sys/stat.h>

namespace causeway {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "causeway-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
}

TemporaryFolder::~TemporaryFolder() {
    fs::remove_all(path_);
}

SocketAddress address_of(const std::string &text, std::uint16_t port) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    if (inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) {
        return *SocketAddress::from_bytes(
            {reinterpret_cast<const std::uint8_t *>(&v4), sizeof(v4)});
    }
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    EXPECT_EQ(inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr), 1) << text;
    return *SocketAddress::from_bytes({reinterpret_cast<const std::uint8_t *>(&v6), sizeof(v6)});
}

fs::path source_tree() {
    const char *top = std::getenv("CAUSEWAY_TOP");
    EXPECT_NE(top, nullptr) << "CAUSEWAY_TOP names the source tree; make unit sets it";
    return top == nullptr ? "" : top;
}

std::string read_file(const fs::path &place) {
    std::ifstream stream(place);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void write_file(const fs::path &place, const std::string &content, unsigned int mode) {
    fs::create_directories(place.parent_path());
    std::ofstream(place) << content;
    ::chmod(place.c_str(), static_cast<mode_t>(mode));
}

std::vector<std::string> with_clients(std::vector<std::string> words) {
    const bool said = std::any_of(words.begin(), words.end(), [](const std::string &word) {
        return word == "--allow" || word == "--key-file" || word == "--initiator";
    });
    if (!said) {
        words.insert(words.end(), {"--allow", "any"});
    }
    return words;
}

unsigned int mode_of(const fs::path &place) {
    struct stat status {};
    EXPECT_EQ(::stat(place.c_str(), &status), 0) << place;
    return status.st_mode & 0777U;
}

Result<std::vector<SocketAddress>> FakeResolver::resolve(const ServerName &server) {
    if (SocketAddress::from_text(server.host)) {
        return std::vector<SocketAddress>{address_of(server.host, server.port)};
    }
    const auto found = names.find(server.host);
    if (found == names.end()) {
        return Error{unknown, "the name of server '" + server.host + "' does not resolve"};
    }
    std::vector<SocketAddress> addresses;
    for (const std::string &text : found->second) {
        addresses.push_back(address_of(text, server.port));
    }
    return addresses;
}

World CommandTest::world(bool as_json) {
    out_.str("");
    err_.str("");
    return world_with(out_, err_, as_json);
}

World CommandTest::world_with(std::ostream &out, std::ostream &err, bool as_json) {
    return {kernel,   modules, resolver,   links,     processes,
            files,    rdma,    paths,      tcp_ports, mount_use,
            disk_use, clock,   out,        err,       Places(root.path()),
            boot,     as_json, on_terminal};
}

ProcessEnd CommandTest::run_as_child() {
    std::istringstream line(processes.log.back());
    std::string word;
    line >> word;
    EXPECT_EQ(word, "/proc/self/exe");
    std::vector<std::string> words;
    while (line >> word) {
        words.push_back(word);
    }
    std::ostringstream out;
    std::ostringstream err;
    World around = world_with(out, err, false);
    ProcessEnd end;
    end.status = run_command(around, words);
    end.out = out.str();
    end.err = err.str();
    return end;
}

int CommandTest::run(const std::vector<std::string> &words) {
    std::vector<std::string> rest = words;
    const GlobalOptions options = take_global_options(rest);
    World around = world(options.json);
    status = run_command(around, rest);
    return status;
}

int CommandTest::help_mount(const std::vector<std::string> &words) {
    World around = world(false);
    status = run_mount_helper(around, words);
    return status;
}

nlohmann::json CommandTest::json(std::vector<std::string> words) {
    words.emplace_back("--json");
    run(words);
    return nlohmann::json::parse(out());
}

bool CommandTest::logged(const std::string &request) const {
    return std::find(kernel.log.begin(), kernel.log.end(), request) != kernel.log.end();
}

} // namespace causeway
