// SPDX-License-Identifier: GPL-2.0-or-later
#include "port/adapter_use.h"

#include "host/soft_rdma.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr const char *advice = "see what is connected: causeway net; or give --force";

// These make an interface or a device on the adapter, and come back with it.
bool comes_back(const RdmaUser &user) {
    return user.pid == 0 && (user.name == "ib_ipoib" || user.name == "mlx4_ib");
}

} // namespace

Result<void> expect_adapter_unused(World &world, const std::string &device,
                                   const std::string &verb) {
    const auto by_device = [&](const auto &each) { return each.device == device; };
    const auto refuse = [&](const std::string &user) {
        return Error{ExitCode::try_again,
                     fmt::format("{} is connected by {}: \"{}\" removes the device for a moment, "
                                 "with all its ports",
                                 user, device, verb),
                     advice};
    };
    auto sessions = TRY(world.kernel.sessions());
    const auto session = std::find_if(sessions.begin(), sessions.end(), by_device);
    if (session != sessions.end()) {
        return refuse(fmt::format("the disk '{}'", session->name));
    }
    auto mounts = TRY(world.kernel.nfs_connections());
    if (std::any_of(mounts.begin(), mounts.end(), by_device)) {
        return refuse("NFS");
    }
    auto users = other_users(world, device);
    if (!users) {
        Error error = users.error();
        error.fix += "; or give --force";
        return error;
    }
    const auto user = std::find_if(users->begin(), users->end(),
                                   [](const auto &each) { return !comes_back(each); });
    return user == users->end() ? Result<void>() : refuse(user->text());
}

} // namespace causeway
