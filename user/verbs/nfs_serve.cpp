// SPDX-License-Identifier: GPL-2.0-or-later
// nfs serve, nfs unserve: drop-ins for exportfs and rpc.nfsd, and the RDMA port opened live.
#include "base/durable_file.h"
#include "base/uuid.h"
#include "command/plan.h"
#include "nfs/mounting.h"
#include "nfs/options.h"
#include "nfs/server.h"
#include "nfs/transport.h"
#include "nfs/units.h"
#include "verbs/soft_device.h"
#include "verbs/verbs.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "causeway-";
constexpr std::string_view suffix = ".exports";

fs::path exports_place(const World &world, const std::string &path) {
    return world.places.nfs_exports() / fmt::format("{}{}{}", prefix, escaped_path(path), suffix);
}

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
        auto parsed = parse_prefix(network, "--to");
        if (!parsed) {
            return parsed.error();
        }
        settings.to.push_back(*parsed);
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
    if (auto good = take_clients(arguments, settings); !good) {
        return good.error();
    }
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
};

Result<Serving> compare(World &world, const Arguments &arguments) {
    Serving serving;
    auto settings = serve_settings_of(arguments);
    if (!settings) {
        return settings.error();
    }
    serving.settings = *std::move(settings);
    auto conf = read_small_file(world.places.nfs_conf());
    if (!conf) {
        return conf.error();
    }
    serving.conf_before = *conf;
    if (*conf) {
        serving.port_before = port_of_nfs_conf(**conf);
    }
    auto port = arguments.number("port", 1, 65535);
    if (!port) {
        return port.error();
    }
    serving.port =
        *port ? static_cast<std::uint16_t>(**port) : serving.port_before.value_or(nfs_rdma_port);
    auto before = read_small_file(exports_place(world, serving.settings.path));
    if (!before) {
        return before.error();
    }
    serving.exports_before = *before;
    if (*before) {
        serving.settings.fsid = fsid_of_exports(**before);
        const std::string there = exports_line(**before);
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
    }
    return serving;
}

// Lines of exportfs about this path.
std::string complaint(const ProcessEnd &end, const std::string &path) {
    std::string found;
    std::size_t start = 0;
    while (start < end.err.size()) {
        const std::size_t stop = std::min(end.err.find('\n', start), end.err.size());
        const std::string line = end.err.substr(start, stop - start);
        if (line.find(path) != std::string::npos) {
            found = line.substr(line.find(": ") == std::string::npos ? 0 : line.find(": ") + 2);
        }
        start = stop + 1;
    }
    return found;
}

Result<ProcessEnd> run_exportfs(World &world) {
    return world.processes.run({"exportfs", "-ra"});
}

// Writes the drop-in and lets exportfs read it; what it refuses does not stay.
Result<void> export_folder(World &world, ServeSettings settings,
                           std::vector<std::string> &warnings) {
    const fs::path place = exports_place(world, settings.path);
    for (;;) {
        if (auto written = write_durably(place, exports_text(settings), 0644); !written) {
            return written;
        }
        auto end = run_exportfs(world);
        if (!end) {
            static_cast<void>(remove_durably(place));
            return end.error();
        }
        const std::string about_it = complaint(*end, settings.path);
        // A file system without an identity of its own gets one from us.
        if (about_it.find("requires fsid=") != std::string::npos && settings.fsid.empty()) {
            settings.fsid = Uuid::random().text();
            continue;
        }
        if (!about_it.empty()) {
            if (auto removed = remove_durably(place); !removed) {
                return removed.error();
            }
            (void)run_exportfs(world);
            return Error{ExitCode::failed,
                         fmt::format("{} cannot be served: {}", settings.path, about_it),
                         "see: man 5 exports"};
        }
        if (!end->good()) {
            warnings.push_back(
                fmt::format("exportfs complains of another export: {}", end->last_words()));
        }
        return {};
    }
}

Result<bool> listens_on(World &world, std::uint16_t port) {
    auto ports = nfsd_ports(world.files);
    if (!ports) {
        return ports.error();
    }
    return std::find(ports->begin(), ports->end(), NfsdPort{"rdma", port}) != ports->end();
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
    return nfsd_runs(world.files);
}

// True: it listens.
Result<bool> open_port(World &world, std::uint16_t port, bool first, NfsdChange &change,
                       std::vector<std::string> &warnings) {
    auto sight = see_transport(world);
    if (!sight) {
        return sight.error();
    }
    if (sight->configured == NfsTransport::causeway) {
        if (const auto stays = settle_transport(world, *sight)) {
            warnings.push_back(fmt::format("{} ({})", stays->what, stays->mend));
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
        error.mend = fmt::format("load its RDMA transport: modprobe {}",
                                 transport_module(sight->configured));
    } else if (error.system_error == EADDRINUSE) {
        error.mend = "another program listens there: rdma resource show cm_id; or give --port N";
    } else if (error.mend.empty()) {
        error.mend = "the kernel's log says more: dmesg | tail";
    }
    return error;
}

Result<Answer> plan_serve(World &world, const Serving &serving) {
    Plan plan;
    const bool again = serving.exports_before.has_value();
    if (auto good = plan.write(exports_place(world, serving.settings.path),
                               again ? *serving.exports_before : exports_text(serving.settings));
        !good) {
        return good.error();
    }
    if (auto good = plan.write(world.places.nfs_conf(), nfs_conf_text(serving.port)); !good) {
        return good.error();
    }
    if (!again) {
        plan.act("run exportfs -ra");
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
        plan.act("start nfsd");
    }
    if (!*listens) {
        plan.act(fmt::format("let nfsd listen by RDMA on port {}", serving.port));
    }
    return plan.answer();
}

// The port could not be opened: nothing of what was done for the folder stays.
void take_back(World &world, const Serving &serving, const NfsdChange &change) {
    if (!serving.exports_before) {
        static_cast<void>(remove_durably(exports_place(world, serving.settings.path)));
        static_cast<void>(run_exportfs(world));
    }
    if (!serving.conf_before) {
        static_cast<void>(remove_durably(world.places.nfs_conf()));
    } else if (serving.port_before != serving.port) {
        static_cast<void>(write_durably(world.places.nfs_conf(), *serving.conf_before, 0644));
    }
    if (change.enabled) {
        static_cast<void>(world.processes.run({"systemctl", "disable", nfsd_unit}));
    }
    if (change.started) {
        static_cast<void>(world.processes.run({"systemctl", "stop", nfsd_unit}));
    }
}

std::string who(const ServeSettings &settings) {
    std::vector<std::string> networks;
    for (const Prefix &network : settings.to) {
        networks.push_back(network.text());
    }
    return networks.empty() ? "everyone" : fmt::format("{}", fmt::join(networks, ", "));
}

// Drop-ins of ours that are there.
std::vector<fs::path> all_exports(const World &world) {
    std::vector<fs::path> places;
    std::error_code failure;
    for (fs::directory_iterator entry(world.places.nfs_exports(), failure), end;
         !failure && entry != end; entry.increment(failure)) {
        const std::string name = entry->path().filename().string();
        if (name.substr(0, prefix.size()) == prefix && entry->path().extension() == suffix) {
            places.push_back(entry->path());
        }
    }
    return places;
}

Result<Answer> serve_folder(World &world, const Arguments &arguments) {
    if (auto good = check_installed(world); !good) {
        return good.error();
    }
    auto serving = compare(world, arguments);
    if (!serving) {
        return serving.error();
    }
    const ServeSettings &settings = serving->settings;
    if (auto good = check_folder(settings.path); !good) {
        return good.error();
    }
    if (arguments.dry_run()) {
        return plan_serve(world, *serving);
    }
    Answer answer;
    if (!serving->exports_before) {
        if (auto done = export_folder(world, settings, answer.warnings); !done) {
            return done.error();
        }
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
    answer.json = {
        {"path", settings.path},           {"to", Json::array()},
        {"read_only", settings.read_only}, {"port", serving->port},
        {"listening", *listens},           {"changed", !serving->exports_before || new_port}};
    for (const Prefix &network : settings.to) {
        answer.json["to"].push_back(network.text());
    }
    answer.text = fmt::format("{} is served to {}{}\n", settings.path, who(settings),
                              *listens ? fmt::format(", by RDMA on port {}", serving->port) : "");
    return answer;
}

} // namespace

Result<Answer> run_nfs_serve(World &world, const Arguments &arguments) {
    return with_soft_device(world, arguments, serve_folder);
}

Result<Answer> run_nfs_unserve(World &world, const Arguments &arguments) {
    const std::string path = real_directory(arguments.operands().front());
    const fs::path place = exports_place(world, path);
    auto there = read_small_file(place);
    if (!there) {
        return there.error();
    }
    const bool last = *there && all_exports(world).size() == 1;
    if (arguments.dry_run()) {
        Plan plan;
        for (const auto &[file, goes] : {std::pair(place, true), {world.places.nfs_conf(), last}}) {
            if (!goes) {
                continue;
            }
            if (auto good = plan.remove(file); !good) {
                return good.error();
            }
        }
        if (*there) {
            plan.act("run exportfs -ra");
        }
        return plan.answer();
    }
    Answer answer;
    answer.json = {{"path", path}, {"changed", there->has_value()}};
    if (!*there) {
        answer.text = fmt::format("{} is not served by us, nothing to end\n", path);
        return answer;
    }
    if (auto removed = remove_durably(place); !removed) {
        return removed.error();
    }
    auto end = run_exportfs(world);
    if (!end) {
        return end.error();
    }
    if (!end->good()) {
        answer.warnings.push_back(fmt::format("exportfs complains: {}", end->last_words()));
    }
    if (last) {
        if (auto removed = remove_durably(world.places.nfs_conf()); !removed) {
            return removed.error();
        }
        answer.warnings.emplace_back(
            "nfsd listens by RDMA until it is restarted: systemctl restart nfs-server");
    }
    answer.text = fmt::format("{} is no longer served\n", path);
    return answer;
}

} // namespace causeway
