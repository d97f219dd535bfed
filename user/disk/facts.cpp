// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the configuration of disks, the reports of the kernel modules, and the state of the
// services.
#include "disk/facts.h"

#include "base/durable_file.h"
#include "change/change_set.h"
#include "config/key_file.h"
#include "config/server_settings.h"
#include "doctor/gather.h"
#include "owners/ledger.h"
#include "stock/exporting.h"

#include <algorithm>
#include <causeway.h>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace causeway {

namespace {

void check_key(const std::string &name, const std::string &file, DiskFacts &disks) {
    if (file.empty()) {
        return;
    }
    if (auto key = read_key(file); !key) {
        disks.bad_keys[name] = key.error().what;
    }
}

void gather_exports(World &world, Facts &facts, DiskFacts &disks) {
    disks.exports = facts.told_or_unseen(load_exports(world.places), "exports");
    disks.stock_files =
        facts.told_or_unseen(load_stock_exports(world.places), "exports by stock transports");
    for (const auto &stored : disks.exports.good) {
        const ExportSettings &it = stored.settings;
        std::error_code error;
        if (it.backend != Backend::ram && !std::filesystem::exists(it.path, error)) {
            disks.bad_backends[it.name] =
                fmt::format("the {} {} is not there", backend_text(it.backend), it.path);
        }
        check_key(it.name, it.key_file, disks);
    }
    disks.running_exports = facts.told_or_unseen(world.kernel.exports(), "exports that run");
    if (::access(world.places.owners().c_str(), X_OK) != 0 && errno == EACCES) {
        facts.unseen.push_back(
            fmt::format("ledgers: {}: {}", world.places.owners().string(), std::strerror(EACCES)));
        return;
    }
    for (const auto &stored : disks.exports.good) {
        const ExportSettings &it = stored.settings;
        const bool runs =
            std::any_of(disks.running_exports.begin(), disks.running_exports.end(),
                        [&](const ExportInfo &info) { return info.settings.name == it.name; });
        if (runs || !it.keeps_ledger() || !it.identity) {
            continue;
        }
        if (auto plan = plan_ledger(world, it, EarlierOwners::possible); !plan) {
            disks.bad_ledgers.emplace(it.name, plan.error());
        }
    }
}

void gather_stock(World &world, Facts &facts, DiskFacts &disks) {
    std::vector<std::string> unreadable;
    for (const StockExportState &state :
         facts.told_or_unseen(stock_exports(world, disks.stock_files, unreadable),
                              "exports by the kernel's own targets")) {
        disks.stock_exports.push_back(state.settings);
    }
    for (const std::string &each : unreadable) {
        facts.unseen.push_back(each);
    }
}

void gather_attachments(World &world, Facts &facts, DiskFacts &disks) {
    disks.attachments = facts.told_or_unseen(load_attachments(world.places), "disks");
    disks.running_attachments =
        facts.told_or_unseen(world.kernel.attachments(), "disks that are attached");
    for (const auto &stored : disks.attachments.good) {
        const DiskName &disk = stored.settings.disk;
        check_key(disk.text(), stored.settings.key_file, disks);
        bool runs = false;
        for (const AttachmentInfo &running : disks.running_attachments) {
            runs |= running.server == disk.server.text() && running.name == disk.name;
        }
        if (runs) {
            continue;
        }
        for (const std::string &host : stored.settings.hosts()) {
            if (auto addresses = world.resolver.resolve({host, disk.server.port}); !addresses) {
                disks.unresolved[host] = addresses.error().what;
            }
        }
    }
    for (const AttachmentInfo &running : disks.running_attachments) {
        if (!running.disk.empty() &&
            !world.links.ready(world.links.link(running.server, running.name),
                               world.links.node(running.disk))) {
            disks.unlinked.insert(running.server + "/" + running.name);
        }
    }
    disks.sessions = facts.told_or_unseen(world.kernel.sessions(), "connections");
}

void gather_services(World &world, DiskFacts &disks) {
    if (!systemd_runs(world)) {
        return;
    }
    disks.service_enabled = systemctl_says(world, "is-enabled", "causeway.service", "enabled");
    disks.service_failed = systemctl_says(world, "is-failed", "causeway.service", "failed") ||
                           systemctl_says(world, "is-failed", "causeway-stock.service", "failed");
}

const FactSource disk_facts([](World &world, Facts &facts) {
    auto &disks = facts.of<DiskFacts>();
    disks.server_port = configured_port(world.places);
    gather_services(world, disks);
    gather_exports(world, facts, disks);
    gather_stock(world, facts, disks);
    gather_attachments(world, facts, disks);
});

} // namespace

} // namespace causeway
