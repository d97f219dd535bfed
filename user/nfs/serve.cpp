// SPDX-License-Identifier: GPL-2.0-or-later
// nfs serve, nfs unserve: drop-ins for exportfs and rpc.nfsd, and the RDMA port of a running nfsd.
#include "base/durable_file.h"
#include "change/carry_out.h"
#include "change/look.h"
#include "command/verb.h"
#include "nfs/answer.h"
#include "nfs/export_checks.h"
#include "nfs/mounting.h"
#include "nfs/options.h"
#include "nfs/removal.h"
#include "nfs/serve_options.h"
#include "nfs/server.h"
#include "nfs/serving.h"
#include "nfs/transport.h"
#include "soft/soft_device.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

Result<ServeSettings> serve_settings_of(const Arguments &arguments) {
    ServeSettings settings;
    settings.path = real_directory(arguments.operands().front());
    settings.read_only = arguments.has("read-only");
    settings.options = TRY(export_options_of(arguments));
    TRY(take_clients(arguments, true, settings));
    return settings;
}

// The present state and the wanted settings.
struct Serving {
    ServeSettings settings;
    std::uint16_t port = nfs_rdma_port;
    std::optional<std::uint16_t> port_before;
    std::optional<std::string> exports_before;
    CommandLines live; // make the exports that no file has; Causeway takes them over
};

// nfsd has one port for all folders, so another port is a change for the folders that are served.
Result<void> expect_port(const World &world, const Serving &serving) {
    if (!serving.port_before || *serving.port_before == serving.port) {
        return {};
    }
    const auto served = our_exports(world.places);
    for (const std::filesystem::path &place : served) {
        const auto text = TRY(read_small_file(place));
        for (const ExportedFolder &folder : exported_folders(text.value_or(std::string()))) {
            return Error{ExitCode::failed,
                         fmt::format("{} is served on port {}, and nfsd has one RDMA port for all "
                                     "folders",
                                     folder.path, *serving.port_before),
                         fmt::format("leave --port out; to change the port of all folders: "
                                     "causeway nfs set {} --port {}",
                                     shown({folder.path}), serving.port)};
        }
    }
    return {};
}

Result<Serving> compare(World &world, const Arguments &arguments) {
    Serving serving;
    auto settings = TRY(serve_settings_of(arguments));
    serving.settings = std::move(settings);
    auto conf = TRY(read_small_file(world.places.nfs_conf()));
    if (conf) {
        serving.port_before = port_of_nfs_conf(*conf);
    }
    auto port = TRY(arguments.number("port", 1, 65535));
    serving.port =
        port ? static_cast<std::uint16_t>(*port) : serving.port_before.value_or(nfs_rdma_port);
    TRY(expect_port(world, serving));
    auto before = TRY(read_small_file(exports_place(world.places, serving.settings.path)));
    serving.exports_before = before;
    if (before) {
        serving.settings.fsid = fsid_of_exports(*before);
        const std::string there = exports_line(*before);
        const std::string wanted = exports_line(exports_text(serving.settings));
        if (there != wanted) {
            return Error{ExitCode::failed,
                         fmt::format("{} is served with other settings: '{}', not '{}'",
                                     serving.settings.path, there, wanted),
                         "change that: " + set_command(serving.settings)};
        }
        return serving;
    }
    TRY(check_fsid_is_free(world, serving.settings));
    auto live = TRY(exported_by_others(world, serving.settings));
    serving.live = std::move(live);
    return serving;
}

// Returns a sentence about the folders in other files of exports, which nfsd also exports when it
// starts. Empty if there are none.
std::string others_that_start(const World &world) {
    const auto folders = folders_of_others(world.places);
    if (!folders) {
        return folders.error().what;
    }
    return folders->empty()
               ? std::string()
               : fmt::format("it serves {} too, as /etc/exports and /etc/exports.d say",
                             fmt::join(*folders, ", "));
}

// Returns "10.0.0.0/24:/srv"; empty if the folder was not exported before.
std::string taken_over(const Serving &serving) {
    std::vector<std::string> names;
    for (const auto &words : serving.live) {
        names.push_back(words.back());
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

// Plans the export. If the drop-in exists, only the comment for "--allow any" may be missing.
Result<void> plan_export(World &world, const Serving &serving, ChangeSet &set, Answer &said) {
    const ServeSettings &settings = serving.settings;
    const auto place = exports_place(world.places, settings.path);
    if (serving.exports_before) {
        if (!settings.to.empty() || !is_open_unmarked(*serving.exports_before)) {
            return {};
        }
        return set.describe(place, {with_allow_any(*serving.exports_before)});
    }
    set.add(change_nfs_export(place, exports_text(settings), true, serving.live));
    if (const std::string taken = taken_over(serving); !taken.empty()) {
        said.warnings.push_back(fmt::format("{} was exported by exportfs and by no file; now it is "
                                            "an export of nfs serve, and nfs unserve ends it",
                                            taken));
    }
    return {};
}

// Plans the port of nfsd, and its unit, which starts nfsd at boot once a folder is served.
Result<void> plan_nfsd(World &world, const Serving &serving, ChangeSet &set, Answer &said) {
    ChangePointer conf;
    if (serving.port_before != serving.port) {
        const auto place = world.places.nfs_conf();
        auto before = TRY(look_at_file(place));
        conf = change_file(place, std::move(before), {nfs_conf_text(serving.port)});
    }
    if (conf && serving.port_before) {
        said.warnings.push_back(
            fmt::format("nfsd listens on port {} too until it is restarted", *serving.port_before));
    }
    const bool runs = TRY(nfsd_runs(world.files));
    const bool units = systemd_runs(world);
    NfsdStart wanted{exports_place(world.places, serving.settings.path), serving.port};
    wanted.start = units && !runs;
    wanted.enable = units && (!serving.port_before || !runs) && !nfsd_is_enabled(world);
    wanted.listen = (runs || wanted.start) && !TRY(nfsd_listens_on(world, serving.port));
    if (!runs && !units) {
        said.warnings.emplace_back(
            "nfsd does not run; when it starts, it listens by RDMA: rpc.nfsd 8");
    }
    if (const std::string others = others_that_start(world); wanted.start && !others.empty()) {
        said.warnings.push_back("nfsd was not running and is started; " + others);
    }
    if (conf || wanted.start || wanted.enable || wanted.listen) {
        set.add(change_nfsd(std::move(wanted), std::move(conf)));
    }
    return {};
}

Result<Answer> serve_folder(World &world, const Arguments &arguments) {
    TRY(check_exportfs(world));
    const Serving serving = TRY(compare(world, arguments));
    const ServeSettings &settings = serving.settings;
    TRY(check_folder(settings.path));
    ChangeSet set("nfs serve " + settings.path, Scope::disks);
    Answer said;
    TRY(plan_export(world, serving, set, said));
    const auto state = TRY(read_transport(world));
    if (state.configured == NfsTransport::causeway && wrong_one(state)) {
        set.add(change_nfs_transport(state.configured, state.configured));
    }
    TRY(plan_nfsd(world, serving, set, said));
    auto answer = carry_out(world, {arguments.dry_run()}, set, "it is served");
    if (!answer) {
        return answer;
    }
    if (arguments.dry_run()) {
        answer->warnings = std::move(said.warnings);
        return answer;
    }
    Answer served =
        served_answer(settings, serving.port, TRY(nfsd_listens_on(world, serving.port)));
    served.warnings = std::move(said.warnings);
    return said_instead(*std::move(answer), served);
}

Result<Answer> run_nfs_serve(World &world, const Arguments &arguments) {
    return with_soft_device(world, arguments, serve_folder);
}

Result<Answer> run_nfs_unserve(World &world, const Arguments &arguments) {
    const std::string path = real_directory(arguments.operands().front());
    const auto place = exports_place(world.places, path);
    const auto there = TRY(read_small_file(place));
    ChangeSet set("nfs unserve " + path, Scope::disks);
    Answer said;
    if (there) {
        set.add(change_nfs_export(place, *there, false,
                                  commands_of_others(world.places, *there, said.warnings)));
    }
    const bool last = there && our_exports(world.places).size() == 1;
    Removals removals;
    if (last) {
        removals.remove_file(set, world.places.nfs_conf());
    }
    auto answer = carry_out(world, {arguments.dry_run()}, set, "it is not served");
    if (!answer) {
        return answer;
    }
    if (arguments.dry_run()) {
        answer->warnings = std::move(said.warnings);
        return answer;
    }
    // The change itself has warned of the files that cannot be read.
    said.warnings.clear();
    if (last) {
        said.warnings.emplace_back(
            "nfsd listens by RDMA until it is restarted: systemctl restart nfs-server");
        if (systemd_runs(world) && nfsd_is_enabled(world)) {
            said.warnings.emplace_back("nfsd starts at boot as before; if nothing else is served: "
                                       "systemctl disable --now nfs-server");
        }
    }
    const Answer removed = removals.said();
    said.code = removed.code;
    said.warnings.insert(said.warnings.end(), removed.warnings.begin(), removed.warnings.end());
    said.json["path"] = path;
    said.text = there ? fmt::format("{} is no longer served\n", path)
                      : fmt::format("{} is not served by us, nothing to end\n", path);
    return said_instead(*std::move(answer), said);
}

const VerbRows serve_rows(Section::nfs, 1, [] {
    return std::vector<Verb>{
        {
            .words = "nfs serve",
            .operands = "PATH",
            .summary = "serve a folder by NFS over RDMA, now and at boot",
            .options =
                {{"to", "CIDR...", "networks that may mount the folder", true},
                 {"allow", "any", "every host may mount the folder"},
                 {"port", "N",
                  "RDMA port of nfsd; by default the port of an earlier nfs serve, else 20049"},
                 {"read-only", "", "refuse writes"},
                 {"options", "OPTIONS", "more export options, such as sec=krb5p,no_root_squash",
                  false, false, 'o'},
                 soft_option},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_nfs_serve,
        },
        {
            .words = "nfs unserve",
            .operands = "PATH",
            .summary = "stop serving a folder, now and at boot",
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_nfs_unserve,
        },
    };
});

} // namespace

} // namespace causeway
