// SPDX-License-Identifier: GPL-2.0-or-later
// nfs serve, nfs unserve: drop-ins for exportfs and rpc.nfsd, and the RDMA port opened live.
#include "base/durable_file.h"
#include "command/plan.h"
#include "command/verb.h"
#include "nfs/exportfs.h"
#include "nfs/mounting.h"
#include "nfs/options.h"
#include "nfs/server.h"
#include "nfs/transport.h"
#include "nfs/units.h"
#include "soft/soft_device.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

// Which hosts may mount the folder: none is open to every host unless an administrator says so.
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
        return Error{ExitCode::usage, "it is not said which hosts may mount the folder",
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

Result<void> check_folder(const std::string &path) {
    std::error_code failure;
    const auto status = fs::status(path, failure);
    if (failure || status.type() == fs::file_type::not_found) {
        return Error{ExitCode::unavailable, fmt::format("there is no folder {}", path),
                     fmt::format("mkdir -p {}", path)};
    }
    if (status.type() != fs::file_type::directory) {
        return Error{ExitCode::unavailable, fmt::format("{} is not a folder", path),
                     "serve the folder that it is in"};
    }
    return {};
}

Result<void> check_installed(World &world) {
    if (world.processes.there("exportfs")) {
        return {};
    }
    return Error{ExitCode::unavailable,
                 "exportfs is not installed: the NFS server's programs are not on this machine",
                 "apt install nfs-kernel-server"};
}

// What the drop-ins are now and what they are to be.
struct Serving {
    ServeSettings settings;
    std::uint16_t port = nfs_rdma_port;
    std::optional<std::uint16_t> port_before;
    std::optional<std::string> conf_before;
    std::optional<std::string> exports_before;
    bool unmarked = false; // they lack the comment for "--allow any"
    CommandLines live;     // exports of the folder that no file has, and that become ours
    // What the drop-in of the folder is to be.
    std::string exports() const {
        if (!exports_before) {
            return exports_text(settings);
        }
        return unmarked ? with_allow_any(*exports_before) : *exports_before;
    }
};

// An export that is in effect keeps its fsid.
Result<void> check_live_fsid(const std::string &path, const std::string &live,
                             const std::string &wanted) {
    if (same_fsid(live, wanted)) {
        return {};
    }
    return Error{ExitCode::failed,
                 fmt::format("{} is exported already, {}, and is in no file: another fsid makes "
                             "what clients have open stale (ESTALE)",
                             path, live.empty() ? "without an fsid" : "with fsid=" + live),
                 live.empty() ? fmt::format("leave fsid={} out, or end that export first", wanted)
                              : fmt::format("give -o fsid={} too, or end that export first", live)};
}

Result<void> check_fsid_is_free(World &world, const ServeSettings &settings) {
    const auto holder = TRY(holder_of_fsid(world, settings));
    if (!holder) {
        return {};
    }
    const FsidHolder &other = *holder;
    return Error{ExitCode::failed,
                 fmt::format("{} cannot be served with fsid={}: {} has this fsid already for hosts "
                             "of the same networks, by {}",
                             settings.path, fsid_of_options(settings.options), other.path,
                             other.place.string()),
                 fmt::format("give another fsid, or first {}",
                             other.ours ? "run: causeway nfs unserve " + shown({other.path})
                                        : "end the export of " + other.path)};
}

// What exportfs exports already of this, alone. A file of somebody else that exports the folder to
// the same hosts is refused: of two such lines exportfs takes the first one, and to end ours would
// end both.
Result<CommandLines> exported_by_others(const World &world, const ServeSettings &settings) {
    const std::string text = exports_text(settings);
    const auto other = TRY(export_of_others(world.places, text));
    if (other) {
        return Error{ExitCode::failed,
                     fmt::format("{} is exported to {} already, by {}", settings.path, other->hosts,
                                 other->place.string()),
                     "give other hosts, or remove these from that file and try again: clients go "
                     "on where the options are the same"};
    }
    const auto live = TRY(live_exports(world.places, text));
    const std::string wanted = fsid_of_options(settings.options);
    for (const ExportedFolder &folder : live) {
        for (const ExportedTo &each : folder.to) {
            TRY(check_live_fsid(settings.path, fsid_of_options(each.options), wanted));
        }
    }
    return export_commands(live);
}

Result<Serving> compare(World &world, const Arguments &arguments) {
    Serving serving;
    auto settings = TRY(serve_settings_of(arguments));
    serving.settings = std::move(settings);
    auto conf = TRY(read_small_file(world.places.nfs_conf()));
    serving.conf_before = conf;
    if (conf) {
        serving.port_before = port_of_nfs_conf(*conf);
    }
    auto port = arguments.number("port", 1, 65535);
    if (!port) {
        return port.error();
    }
    serving.port =
        *port ? static_cast<std::uint16_t>(**port) : serving.port_before.value_or(nfs_rdma_port);
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
        serving.unmarked = serving.settings.to.empty() && is_open_unmarked(*before);
        return serving;
    }
    TRY(check_fsid_is_free(world, serving.settings));
    auto live = TRY(exported_by_others(world, serving.settings));
    serving.live = std::move(live);
    return serving;
}

Result<bool> listens_on(World &world, std::uint16_t port) {
    auto ports = TRY(nfsd_ports(world.files));
    return std::find(ports.begin(), ports.end(), NfsdPort{"rdma", port}) != ports.end();
}

// What was done to the unit of nfsd.
struct NfsdChange {
    bool enabled = false;
    bool started = false;
};

constexpr const char *nfsd_unit = "nfs-server.service";

bool is_enabled(World &world) {
    const auto said = world.processes.run({"systemctl", "is-enabled", nfsd_unit});
    return said && said->good();
}

// Lines that an administrator left for a server that was off: they are served with ours. Empty
// where there are none.
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

// True: nfsd runs now. first: nothing was served by us before, so it may not start at boot yet.
Result<bool> start_nfsd(World &world, bool first, NfsdChange &change,
                        std::vector<std::string> &warnings) {
    auto runs = nfsd_runs(world.files);
    if (!runs || (*runs && !first)) {
        return runs;
    }
    std::error_code failure;
    if (!fs::exists(world.places.systemd(), failure)) {
        if (!*runs) {
            warnings.emplace_back(
                "nfsd does not run; when it starts, it listens by RDMA: rpc.nfsd 8");
        }
        return runs;
    }
    std::vector<std::string> words = {"systemctl", "enable", nfsd_unit};
    if (!*runs) {
        words.insert(words.begin() + 2, "--now");
    }
    change = {!is_enabled(world), !*runs};
    auto started = world.processes.run(words);
    if (!started) {
        return started.error();
    }
    if (!started->good()) {
        return Error{ExitCode::failed,
                     fmt::format("nfsd cannot be started: {}", started->last_words()),
                     "see: systemctl status nfs-server"};
    }
    if (const std::string others = others_that_start(world); change.started && !others.empty()) {
        warnings.push_back("nfsd was not running and was started; " + others);
    }
    return nfsd_runs(world.files);
}

// True: it listens.
Result<bool> open_port(World &world, std::uint16_t port, bool first, NfsdChange &change,
                       std::vector<std::string> &warnings) {
    auto sight = TRY(see_transport(world));
    if (sight.configured == NfsTransport::causeway) {
        if (const auto stays = settle_transport(world, sight)) {
            warnings.push_back(fmt::format("{} ({})", stays->what, stays->fix));
        }
    }
    auto runs = start_nfsd(world, first, change, warnings);
    if (!runs || !*runs) {
        return runs;
    }
    auto listens = listens_on(world, port);
    if (!listens || *listens) {
        return listens;
    }
    auto opened = world.files.write(nfsd_portlist, fmt::format("rdma {}\n", port));
    if (opened) {
        return true;
    }
    Error error = opened.error();
    error.what = fmt::format("nfsd cannot listen by RDMA on port {}: {}", port, error.what);
    if (error.system_error == EPROTONOSUPPORT || error.system_error == ENOENT ||
        error.system_error == EAFNOSUPPORT) {
        error.code = ExitCode::unavailable;
        error.fix =
            fmt::format("load its RDMA transport: modprobe {}", transport_module(sight.configured));
    } else if (error.system_error == EADDRINUSE) {
        error.fix = "another program listens there: rdma resource show cm_id; or give --port N";
    } else if (error.fix.empty()) {
        error.fix = "the kernel's log says more: dmesg | tail";
    }
    return error;
}

void act_all(Plan &plan, const CommandLines &commands) {
    for (const auto &words : commands) {
        plan.act(fmt::format("run {}", shown(words)));
    }
}

// "10.0.0.0/24:/srv"; empty where the folder was not exported before.
std::string taken_over(const Serving &serving) {
    std::vector<std::string> exports;
    for (const auto &words : serving.live) {
        exports.push_back(words.back());
    }
    return fmt::format("{}", fmt::join(exports, ", "));
}

Result<Answer> plan_serve(World &world, const Serving &serving) {
    Plan plan;
    const bool again = serving.exports_before.has_value();
    TRY(plan.write(exports_place(world.places, serving.settings.path), serving.exports()));
    TRY(plan.write(world.places.nfs_conf(), nfs_conf_text(serving.port)));
    if (const std::string taken = taken_over(serving); !taken.empty()) {
        plan.act(fmt::format("take over the export {}, which no file has", taken));
    }
    if (!again) {
        act_all(plan, export_commands(serving.exports()));
    }
    auto runs = nfsd_runs(world.files);
    auto listens = listens_on(world, serving.port);
    if (!runs || !listens) {
        return runs ? listens.error() : runs.error();
    }
    std::error_code failure;
    if ((!serving.port_before || !*runs) && fs::exists(world.places.systemd(), failure) &&
        !is_enabled(world)) {
        plan.act(fmt::format("run systemctl enable {}", nfsd_unit));
    }
    if (!*runs) {
        const std::string others = others_that_start(world);
        plan.act(others.empty() ? "start nfsd" : fmt::format("start nfsd; {}", others));
    }
    if (!*listens) {
        plan.act(fmt::format("let nfsd listen by RDMA on port {}", serving.port));
    }
    return plan.answer();
}

void take_export_back(World &world, const Serving &serving) {
    const fs::path place = exports_place(world.places, serving.settings.path);
    if (serving.unmarked) {
        static_cast<void>(write_durably(place, *serving.exports_before, 0644));
    }
    if (serving.exports_before) {
        return;
    }
    if (const auto text = read_small_file(place); text && *text) {
        std::vector<std::string> warnings;
        static_cast<void>(unexport_folder(world, place, **text, serving.live, warnings));
    }
}

// The port could not be opened: nothing of what was done for the folder stays.
void take_back(World &world, const Serving &serving, const NfsdChange &change) {
    // First: the end of the unit ends all exports, those that are in no file too.
    if (change.started) {
        static_cast<void>(world.processes.run({"systemctl", "stop", nfsd_unit}));
    }
    take_export_back(world, serving);
    if (!serving.conf_before) {
        static_cast<void>(remove_durably(world.places.nfs_conf()));
    } else if (serving.port_before != serving.port) {
        static_cast<void>(write_durably(world.places.nfs_conf(), *serving.conf_before, 0644));
    }
    if (change.enabled) {
        static_cast<void>(world.processes.run({"systemctl", "disable", nfsd_unit}));
    }
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
    auto serving = compare(world, arguments);
    if (!serving) {
        return serving.error();
    }
    const ServeSettings &settings = serving->settings;
    TRY(check_folder(settings.path));
    if (arguments.dry_run()) {
        return plan_serve(world, *serving);
    }
    Answer answer;
    if (!serving->exports_before) {
        TRY(export_folder(world, settings, serving->live));
        if (const std::string taken = taken_over(*serving); !taken.empty()) {
            answer.warnings.push_back(fmt::format(
                "{} was exported by exportfs and by no file; now it is an export of nfs serve, and "
                "nfs unserve ends it",
                taken));
        }
    }
    if (serving->unmarked) {
        TRY(write_durably(exports_place(world.places, settings.path), serving->exports(), 0644));
    }
    const bool new_port = serving->port_before != serving->port;
    if (new_port) {
        if (auto written =
                write_durably(world.places.nfs_conf(), nfs_conf_text(serving->port), 0644);
            !written) {
            take_back(world, *serving, {});
            return written.error();
        }
        if (serving->port_before) {
            answer.warnings.push_back(fmt::format(
                "nfsd listens on port {} too until it is restarted", *serving->port_before));
        }
    }
    NfsdChange change;
    auto listens = open_port(world, serving->port, !serving->port_before, change, answer.warnings);
    if (!listens) {
        take_back(world, *serving, change);
        return listens.error();
    }
    answer.json = {{"path", settings.path},
                   {"to", Json::array()},
                   {"read_only", settings.read_only},
                   {"port", serving->port},
                   {"listening", *listens},
                   {"changed", !serving->exports_before || serving->unmarked || new_port}};
    for (const Prefix &network : settings.to) {
        answer.json["to"].push_back(network.text());
    }
    answer.text = fmt::format("{} is served to {}{}\n", settings.path, who(settings),
                              *listens ? fmt::format(", by RDMA on port {}", serving->port) : "");
    return answer;
}

Result<Answer> run_nfs_serve(World &world, const Arguments &arguments) {
    return with_soft_device(world, arguments, serve_folder);
}

Result<Answer> run_nfs_unserve(World &world, const Arguments &arguments) {
    const std::string path = real_directory(arguments.operands().front());
    const fs::path place = exports_place(world.places, path);
    auto there = read_small_file(place);
    if (!there) {
        return there.error();
    }
    const bool last = *there && our_exports(world.places).size() == 1;
    Answer answer;
    const CommandLines again =
        *there ? commands_of_others(world.places, **there, answer.warnings) : CommandLines();
    if (arguments.dry_run()) {
        Plan plan;
        for (const auto &[file, goes] : {std::pair(place, true), {world.places.nfs_conf(), last}}) {
            if (!goes) {
                continue;
            }
            TRY(plan.remove(file));
        }
        if (*there) {
            act_all(plan, unexport_commands(**there));
            act_all(plan, again);
        }
        Answer planned = plan.answer();
        planned.warnings = std::move(answer.warnings);
        return planned;
    }
    answer.json = {{"path", path}, {"changed", there->has_value()}};
    if (!*there) {
        answer.text = fmt::format("{} is not served by us, nothing to end\n", path);
        return answer;
    }
    TRY(unexport_folder(world, place, **there, again, answer.warnings));
    if (last) {
        TRY(remove_durably(world.places.nfs_conf()));
        answer.warnings.emplace_back(
            "nfsd listens by RDMA until it is restarted: systemctl restart nfs-server");
    }
    answer.text = fmt::format("{} is no longer served\n", path);
    return answer;
}

const VerbRows serve_rows(Section::nfs, 1, [] {
    return std::vector<Verb>{
        {
            .words = "nfs serve",
            .operands = "PATH",
            .summary = "serve a folder by NFS over RDMA, now and at boot",
            .options = {{"to", "CIDR...", "networks that may mount it", true},
                        {"allow", "any", "every host may mount it"},
                        {"port", "N", "RDMA port of nfsd, 20049 where none is given"},
                        {"read-only", "", "refuse writes"},
                        {"options", "OPTIONS",
                         "more export options, such as sec=krb5p,no_root_squash", false, false,
                         'o'},
                        soft_option},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_nfs_serve,
        },
        {
            .words = "nfs unserve",
            .operands = "PATH",
            .summary = "stop serving it, now and at boot",
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_nfs_unserve,
        },
    };
});

} // namespace

} // namespace causeway
