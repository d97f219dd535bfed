// SPDX-License-Identifier: GPL-2.0-or-later
// nfs list: the folders that "nfs serve" serves, and the NFS mounts, at present and at boot.
#include "base/durable_file.h"
#include "command/verb.h"
#include "nfs/at_boot.h"
#include "nfs/mount_change.h"
#include "nfs/mounts.h"
#include "nfs/options.h"
#include "nfs/serve_options.h"
#include "nfs/serving.h"
#include "show/table.h"
#include "show/words.h"

#include <algorithm>
#include <causeway.h>
#include <fmt/format.h>

namespace causeway {

namespace {

struct ServedFolder {
    ExportedFolder folder;
    std::optional<bool> in_effect; // none: the table of exports cannot be read
};

std::vector<ServedFolder> served_folders(World &world, bool runs,
                                         std::vector<std::string> &warnings) {
    std::vector<ServedFolder> served;
    for (const std::filesystem::path &place : our_exports(world.places)) {
        const auto text = read_small_file(place);
        if (!text) {
            warnings.push_back(text.error().what);
            continue;
        }
        for (ExportedFolder &folder : exported_folders(text->value_or(std::string()))) {
            const auto live = live_exports(world.places, **text);
            std::optional<bool> in_effect = false;
            if (runs && !live) {
                warnings.push_back(live.error().what);
                in_effect.reset();
            } else if (runs) {
                in_effect = live->size() >= folder.to.size();
            }
            served.push_back({std::move(folder), in_effect});
        }
    }
    return served;
}

std::string hosts_text(const ExportedFolder &folder) {
    std::string text;
    for (const ExportedTo &to : folder.to) {
        text +=
            fmt::format("{}{}", text.empty() ? "" : ", ", to.hosts == "*" ? "everyone" : to.hosts);
    }
    return text;
}

Json served_json(const ServedFolder &served) {
    const ExportedFolder &folder = served.folder;
    Json json = {{"path", folder.path},
                 {"to", Json::array()},
                 {"options", folder.to.front().options},
                 {"in_effect", served.in_effect ? Json(*served.in_effect) : Json(nullptr)}};
    for (const ExportedTo &to : folder.to) {
        json["to"].push_back(to.hosts);
    }
    return json;
}

std::string served_state(const ServedFolder &served, bool runs) {
    if (!runs) {
        return "nfsd does not run: systemctl enable --now nfs-server";
    }
    return !served.in_effect   ? "unknown"
           : *served.in_effect ? "served"
                               : "not served to all: exportfs -r";
}

// Returns the text for the folders, and adds them to the answer's JSON.
Result<std::string> list_served(World &world, Answer &answer) {
    const bool runs = TRY(nfsd_runs(world.files));
    const auto conf = TRY(read_small_file(world.places.nfs_conf()));
    const std::uint16_t port = conf ? port_of_nfs_conf(*conf).value_or(0) : 0;
    answer.json["served"] = Json::array();
    answer.json["port"] = port != 0 ? Json(port) : Json(nullptr);
    answer.json["listening"] = TRY(nfsd_listens_on(world, port != 0 ? port : nfs_rdma_port));
    Table table({{"SERVED"}, {"TO"}, {"OPTIONS"}, {"STATE"}});
    for (const ServedFolder &served : served_folders(world, runs, answer.warnings)) {
        answer.json["served"].push_back(served_json(served));
        table.row({served.folder.path, hosts_text(served.folder), served.folder.to.front().options,
                   served_state(served, runs)});
    }
    const std::string text = table.text(world.terminal);
    return text.empty() ? "nfs serve serves no folder\n" : text;
}

std::string boot_words(const std::string &by) {
    return by == "unit" ? "yes" : by == "fstab" ? "by /etc/fstab" : "no";
}

Result<std::string> list_mounts(World &world, Answer &answer) {
    const auto mounts = TRY(nfs_mounts(world.files));
    answer.json["mounts"] = Json::array();
    Table table({{"MOUNTED ON"}, {"FROM"}, {"BY"}, {"AT BOOT"}});
    const auto add = [&](const std::string &source, const std::string &directory,
                         const NfsMount *mount) {
        const std::string by = mounted_at_boot_by(world.places, directory);
        const std::string reason = mount != nullptr && mount->transport != CW_TRANSPORT_RDMA
                                       ? words_of(world, *mount).reason
                                       : std::string();
        answer.json["mounts"].push_back(
            {{"source", source},
             {"directory", directory},
             {"mounted", mount != nullptr},
             {"transport",
              mount != nullptr ? Json(transport_word(mount->transport)) : Json(nullptr)},
             {"reason", or_null(reason)},
             {"at_boot", or_null(by)}});
        table.row({directory, source,
                   mount != nullptr ? std::string(transport_word(mount->transport))
                                    : "not mounted: systemctl start " + mount_unit_name(directory),
                   boot_words(by)});
        if (!reason.empty()) {
            table.note("not by RDMA: " + reason);
        }
    };
    for (const NfsMount &mount : mounts) {
        add(mount.source, mount.directory, &mount);
    }
    for (const UnitMount &unit : mounts_of_units(world.places)) {
        const bool mounted = std::any_of(mounts.begin(), mounts.end(), [&](const NfsMount &mount) {
            return mount.directory == unit.directory;
        });
        if (!mounted) {
            add(unit.source, unit.directory, nullptr);
        }
    }
    const std::string text = table.text(world.terminal);
    return text.empty() ? "no NFS folder is mounted here\n" : text;
}

Result<Answer> run_nfs_list(World &world, const Arguments & /*arguments*/) {
    Answer answer;
    const std::string served = TRY(list_served(world, answer));
    const std::string mounts = TRY(list_mounts(world, answer));
    answer.text = served + "\n" + mounts;
    return answer;
}

const VerbRows list_rows(Section::nfs, 7, [] {
    return std::vector<Verb>{
        {
            .words = "nfs list",
            .summary = "show the folders that are served and those that are mounted",
            .run = run_nfs_list,
        },
    };
});

} // namespace

} // namespace causeway
