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

// Takes the hosts that may mount the folder. No folder is open to every host unless an
// administrator allows it.
Result<void> take_clients(const Arguments &arguments, ServeSettings &settings) {
    const std::vector<std::string> networks = arguments.list("to");
    const auto allow = arguments.text("allow");
    if (allow && *allow != "any") {
        return Error{ExitCode::usage, fmt::format("--allow '{}' is not the word any", *allow),
                     "give networks with --to, or --allow any for every host"};
    }
    if (allow && !networks.empty()) {
        return Error{ExitCode::usage, "--allow any stands for every host, and --to names networks",
                     "leave one of them out"};
    }
    if (!allow && networks.empty()) {
        return Error{ExitCode::usage, "no option names the hosts that may mount the folder",
                     "give --to CIDR, or --allow any for every host that reaches this one"};
    }
    for (const std::string &network : networks) {
        auto parsed = TRY(parse_prefix(network, "--to"));
        settings.to.push_back(parsed);
    }
    return {};
}

Result<ServeSettings> serve_settings_of(const Arguments &arguments) {
    ServeSettings settings;
    settings.path = real_directory(arguments.operands().front());
    settings.read_only = arguments.has("read-only");
    settings.options = arguments.text("options").value_or("");
    if (settings.options.find_first_of("() \t\n\"") != std::string::npos) {
        return Error{ExitCode::usage,
                     fmt::format("'{}' is no list of export options", settings.options),
                     "give options with commas between them, such as sec=krb5p,no_root_squash"};
    }
    TRY(take_clients(arguments, settings));
    return settings;
}

Result<void> check_installed(World &world) {
    if (world.processes.there("exportfs")) {
        return {};
    }
    return Error{ExitCode::unavailable,
                 "exportfs is not installed: the NFS server's programs are not on this machine",
                 "apt install nfs-kernel-server, or: dnf install nfs-utils"};
}

// The present state and the wanted settings.
struct Serving {
    ServeSettings settings;
    std::uint16_t port = nfs_rdma_port;
    std::optional<std::uint16_t> port_before;
    std::optional<std::string> exports_before;
    CommandLines live; // make the exports that no file has; Causeway takes them over
};

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
    auto before = TRY(read_small_file(exports_place(world.places, serving.settings.path)));
    serving.exports_before = before;
    if (before) {
        serving.settings.fsid = fsid_of_exports(*before);
        const std::string there = exports_line(*before);
        const std::string wanted = exports_line(exports_text(serving.settings));
        if (there != wanted) {
            return Error{
                ExitCode::failed,
                fmt::format("{} is served with other settings: '{}', not '{}'",
                            serving.settings.path, there, wanted),
                fmt::format("causeway nfs unserve {}, then serve it again; programs of clients get "
                            "errors in between (ESTALE)",
                            serving.settings.path)};
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

std::string who(const ServeSettings &settings) {
    std::vector<std::string> networks;
    for (const Prefix &network : settings.to) {
        networks.push_back(network.text());
    }
    return networks.empty() ? "everyone" : fmt::format("{}", fmt::join(networks, ", "));
}

Result<Answer> serve_folder(World &world, const Arguments &arguments) {
    TRY(check_installed(world));
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
    const bool listens = TRY(nfsd_listens_on(world, serving.port));
    said.json = {{"path", settings.path},
                 {"to", Json::array()},
                 {"read_only", settings.read_only},
                 {"port", serving.port},
                 {"listening", listens}};
    for (const Prefix &network : settings.to) {
        said.json["to"].push_back(network.text());
    }
    said.text = fmt::format("{} is served to {}{}\n", settings.path, who(settings),
                            listens ? fmt::format(", by RDMA on port {}", serving.port) : "");
    return said_instead(*std::move(answer), said);
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
