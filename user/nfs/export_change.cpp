// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/diff.h"
#include "base/durable_file.h"
#include "base/uuid.h"
#include "change/kinds.h"
#include "nfs/export_checks.h"
#include "nfs/exportfs_run.h"
#include "nfs/options.h"
#include "nfs/serving.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

const ChangeKind kind_nfs_export("nfs-export", [](const Json &json) -> ChangePointer {
    return change_nfs_export(get_bytes(json, "path").value_or(""),
                             get_bytes(json, "text").value_or(""), json.at("served").get<bool>(),
                             commands_of_json(json.at("others")));
});

class NfsExportChange final : public Change {
  public:
    NfsExportChange(std::filesystem::path place, std::string text, bool served, CommandLines others)
        : place_(std::move(place)), text_(std::move(text)), served_(served),
          others_(std::move(others)) {}

    std::string subject() const override { return "NFS export of " + folders(); }

    std::string show(Direction direction) const override {
        const bool serves = served_ == (direction == Direction::forward);
        const std::optional<std::string> none;
        std::string shown_text = serves ? unified_diff(place_.string(), none, text_)
                                        : unified_diff(place_.string(), text_, none);
        auto commands = serves ? export_commands(text_) : unexport_commands(text_);
        if (!serves) {
            commands.insert(commands.end(), others_.begin(), others_.end());
        }
        for (const auto &words : commands) {
            shown_text += fmt::format("run {}\n", shown(words));
        }
        return shown_text;
    }

    std::string report(Direction direction) const override {
        return fmt::format("{} the {}",
                           served_ == (direction == Direction::forward) ? "made" : "ended",
                           subject());
    }

    Json json() const override {
        Json json = {{"kind", kind_nfs_export.name()},
                     {"served", served_},
                     {"others", json_of_commands(others_)}};
        put_bytes(json, "path", place_.string());
        put_bytes(json, "text", text_);
        return json;
    }

    Result<Standing> standing(World & /*world*/) const override {
        const auto now = TRY(read_small_file(place_));
        if (now && *now != text_ && *now != with_fsid(text_, fsid_of_exports(*now))) {
            return Standing::neither;
        }
        return now.has_value() == served_ ? Standing::after : Standing::before;
    }

    Result<void> forward(World &world) const override {
        const auto lock = TRY(lock_exports(world, *this));
        return served_ ? serve(world) : end(world);
    }

    // The checks are repeated because other exports may have been added since.
    Result<void> back(World &world) const override {
        const auto lock = TRY(lock_exports(world));
        if (!served_) {
            TRY(check_exports(world, text_));
            TRY(serve(world));
            listen_again(world);
            return {};
        }
        warn_of_clients(world);
        TRY(end(world));
        if (our_exports(world.places).empty()) {
            remove_conf(world);
        }
        return {};
    }

    Result<void> may_go_back(World &world) const override {
        return served_ ? Result<void>() : check_exports(world, text_);
    }

  private:
    std::string folders() const {
        std::vector<std::string> paths;
        for (const ExportedFolder &folder : exported_folders(text_)) {
            paths.push_back(folder.path);
        }
        return fmt::format("{}", fmt::join(paths, ", "));
    }

    // If exportfs refuses, takes the drop-in and the exports back.
    Result<void> serve(World &world) const {
        for (std::string text = text_;;) {
            TRY(write_durably(place_, text, 0644));
            auto said = run_exports(world, text);
            if (said && said->empty()) {
                return {};
            }
            const bool needs_fsid = said && said->find("requires fsid=") != std::string::npos &&
                                    fsid_of_exports(text).empty();
            if (!needs_fsid) {
                return taken_back(
                    world, said ? Error{ExitCode::failed,
                                        fmt::format("{} cannot be served: {}", folders(), *said),
                                        "see: man 5 exports"}
                                : said.error());
            }
            text = with_fsid(text_, Uuid::random().text());
        }
    }

    // "nfs unserve" of the last folder advises to restart nfsd, which then listens only by TCP.
    // Undo has restored the drop-in of rpc.nfsd before it calls this.
    void listen_again(World &world) const {
        const auto conf = read_small_file(world.places.nfs_conf());
        const auto port = conf && *conf ? port_of_nfs_conf(**conf) : std::nullopt;
        const auto runs = nfsd_runs(world.files);
        if (!runs || !*runs) {
            warn("nfsd does not run: systemctl enable --now nfs-server");
            return;
        }
        const auto listens = nfsd_listens_on(world, port.value_or(nfs_rdma_port));
        if (listens && *listens) {
            return;
        }
        auto opened = world.files.write(nfsd_portlist,
                                        fmt::format("rdma {}\n", port.value_or(nfs_rdma_port)));
        if (!opened) {
            warn(fmt::format("nfsd does not listen by RDMA: {} (systemctl restart nfs-server)",
                             opened.error().what));
        }
    }

    void warn_of_clients(World &world) const {
        std::vector<std::string> addresses;
        const auto clients = nfsd_clients(world.files);
        for (const NfsdClient &client : clients ? *clients : std::vector<NfsdClient>()) {
            addresses.push_back(client.address);
        }
        if (!addresses.empty()) {
            warn(fmt::format("nfsd has clients, which get errors (ESTALE) if they use {}: {}",
                             folders(), fmt::join(addresses, ", ")));
        }
    }

    // The entry that wrote the drop-in of rpc.nfsd may be undone already: that undo left the file
    // for this export.
    void remove_conf(World &world) const {
        const auto place = world.places.nfs_conf();
        const auto conf = read_small_file(place);
        const auto port = conf && *conf ? port_of_nfs_conf(**conf) : std::nullopt;
        if (!port || **conf != nfs_conf_text(*port)) {
            return;
        }
        auto gone = remove_durably(place);
        warn(gone ? fmt::format("removed {}; nfsd runs and is enabled as before, and listens by "
                                "RDMA until it is restarted: systemctl restart nfs-server",
                                place.string())
                  : gone.error().what);
    }

    // Takes a failed export back, and adds to the error what cannot be taken back.
    Error taken_back(World &world, Error error) const {
        if (auto gone = end(world); !gone) {
            warn(fmt::format("{} stays: {}", place_.string(), gone.error().what));
        }
        for (const std::string &warning : take_warnings()) {
            error.what += "; " + warning;
        }
        return error;
    }

    // If exportfs is installed but cannot be run, the drop-in stays.
    Result<void> end(World &world) const {
        const bool can_run = world.processes.there("exportfs");
        if (!can_run) {
            warn("exportfs is not installed: an nfsd that runs serves the folder until it is "
                 "stopped");
        }
        for (const auto &words : can_run ? unexport_commands(text_) : CommandLines()) {
            TRY(run_one(world, words));
        }
        TRY(remove_durably(place_));
        for (const auto &words : can_run ? commands_behind(world) : CommandLines()) {
            TRY(run_one(world, words));
        }
        return {};
    }

    // If a file not of Causeway has the export by now, the options of that file count.
    CommandLines commands_behind(const World &world) const {
        std::vector<std::string> warnings;
        CommandLines commands = commands_of_others(world.places, text_, warnings);
        for (std::string &warning : warnings) {
            warn(std::move(warning));
        }
        for (const auto &words : others_) {
            const bool known = std::any_of(commands.begin(), commands.end(), [&](const auto &each) {
                return each.back() == words.back();
            });
            if (!known) {
                commands.push_back(words);
            }
        }
        return commands;
    }

    Result<void> run_one(World &world, const std::vector<std::string> &words) const {
        if (std::string said = TRY(run_exportfs(world, words)); !said.empty()) {
            warn(std::move(said));
        }
        return {};
    }

    std::filesystem::path place_;
    std::string text_;
    bool served_;
    CommandLines others_;
};

} // namespace

ChangePointer change_nfs_export(std::filesystem::path place, std::string text, bool served,
                                CommandLines others) {
    return std::make_unique<NfsExportChange>(std::move(place), std::move(text), served,
                                             std::move(others));
}

} // namespace causeway
