// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/soft_rdma.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace causeway {

namespace {

// No service is assigned to this port, so a working device refuses a connection to it at once.
constexpr std::uint16_t unused_port = 1;
constexpr std::chrono::milliseconds own_answer_limit{2000};
constexpr std::chrono::seconds patience{10};
// These modules release a device when it is removed, and use it again when it returns.
constexpr std::array<std::string_view, 4> returning = {"ib_core", "rdma_cm", "causeway",
                                                       "causeway_rpcrdma"};

// Returns an empty text if the value is missing or is no text.
std::string text_in(const nlohmann::json &object, const char *key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

unsigned int number_in(const nlohmann::json &object, const char *key, unsigned int otherwise) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number_unsigned() ? found->get<unsigned int>()
                                                                : otherwise;
}

bool returns(const std::string &module) {
    return std::find(returning.begin(), returning.end(), module) != returning.end();
}

} // namespace

bool takes_connections(World &world, const std::string &device, SocketAddress own) {
    own.set_port(unused_port);
    const auto attempt = world.paths.attempt(own, own_answer_limit);
    return !attempt || attempt->device != device || !attempt->route || attempt->answer;
}

std::string RdmaUser::text() const {
    return pid != 0 ? fmt::format("{} (process {})", name, pid)
                    : fmt::format("the kernel module {}", name);
}

std::vector<RdmaUser> parse_rdma_users(std::string_view text, const std::string &device) {
    std::vector<RdmaUser> users;
    const auto told = nlohmann::json::parse(text, nullptr, false);
    if (!told.is_array()) {
        return users;
    }
    for (const auto &one : told) {
        if (!one.is_object() || text_in(one, "ifname") != device) {
            continue;
        }
        RdmaUser user{text_in(one, "comm"), number_in(one, "pid", 0)};
        // Output for people has brackets around the name of a module.
        user.name.erase(std::remove_if(user.name.begin(), user.name.end(),
                                       [](char c) { return c == '[' || c == ']'; }),
                        user.name.end());
        if (user.pid == 0 && (returns(user.name) || number_in(one, "users", 1) == 0)) {
            continue;
        }
        users.push_back(user);
    }
    return users;
}

Result<std::vector<RdmaUser>> other_users(World &world, const std::string &device) {
    auto domains = TRY(world.processes.run({"rdma", "-j", "resource", "show", "pd"}, patience));
    if (!domains.good()) {
        return Error{ExitCode::unavailable,
                     fmt::format("cannot see who uses {}: {}", device, domains.last_words()),
                     "see that the program rdma of iproute2 is there"};
    }
    auto users = parse_rdma_users(domains.out, device);
    // Older versions of rdma(8) cannot list devices that a program has open without a protection
    // domain.
    const auto open = world.processes.run({"rdma", "-j", "resource", "show", "ctx"}, patience);
    if (open && open->good()) {
        for (const RdmaUser &user : parse_rdma_users(open->out, device)) {
            users.push_back(user);
        }
    }
    return users;
}

Result<void> expect_no_users(World &world, const std::string &device, const char *action,
                             bool force) {
    const auto users = other_users(world, device);
    if (!users && force) {
        return {};
    }
    if (!users) {
        Error error = users.error();
        error.fix += "; or give --force";
        return error;
    }
    // A program comes first, because --force does not help against it.
    auto user = std::find_if(users->begin(), users->end(),
                             [](const RdmaUser &each) { return each.pid != 0; });
    if (user == users->end() && !force) {
        user = users->begin();
    }
    if (user == users->end()) {
        return {};
    }
    return Error{ExitCode::try_again,
                 fmt::format("{} cannot be {} now: {} uses it", device, action, user->text()),
                 user->pid != 0 ? "end that, and try again"
                                : "end that, and try again; or give --force: the module then loses "
                                  "its connections, and may lose its disks"};
}

} // namespace causeway
