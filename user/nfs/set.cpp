// SPDX-License-Identifier: GPL-2.0-or-later
// nfs set: other hosts, options or another port for a folder that is served.
#include "base/durable_file.h"
#include "change/carry_out.h"
#include "change/look.h"
#include "command/verb.h"
#include "nfs/answer.h"
#include "nfs/export_checks.h"
#include "nfs/mounting.h"
#include "nfs/options.h"
#include "nfs/serve_options.h"
#include "nfs/serving.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>

namespace causeway {

namespace {

// A drop-in, and the settings in it.
struct Served {
    std::filesystem::path place;
    std::string text;
    ServeSettings settings;
};

Result<Served> served_now(World &world, const std::string &path) {
    const auto place = exports_place(world.places, path);
    const auto text = TRY(read_small_file(place));
    if (!text) {
        return Error{
            ExitCode::unavailable, fmt::format("{} is not served by nfs serve", path),
            fmt::format("causeway nfs serve {} --to CIDR; see: causeway nfs list", shown({path}))};
    }
    auto settings = settings_of_exports(*text);
    if (!settings || settings->path != path) {
        return Error{ExitCode::failed,
                     fmt::format("{} was changed by hand: its line has not the form that nfs serve "
                                 "writes",
                                 place.string()),
                     "change that file, then run: exportfs -r, which ends all exports that no file "
                     "has"};
    }
    return Served{place, *text, *std::move(settings)};
}

Result<void> check_arguments(const Arguments &arguments) {
    constexpr std::array options = {"to", "allow", "read-only", "read-write", "options", "port"};
    if (std::none_of(options.begin(), options.end(),
                     [&](const char *option) { return arguments.has(option); })) {
        return Error{ExitCode::usage, "no option says what to change",
                     "give --to, --allow, --read-only, --read-write, -o or --port"};
    }
    if (arguments.has("read-only") && arguments.has("read-write")) {
        return Error{ExitCode::usage, "--read-only and --read-write contradict each other",
                     "leave one of them out"};
    }
    return {};
}

// A client identifies the folder by its fsid, so another fsid needs the end of the export.
Result<void> expect_same_fsid(const ServeSettings &before, const ServeSettings &after) {
    const auto fsid_of = [](const ServeSettings &settings) {
        const std::string typed = fsid_of_options(settings.options);
        return typed.empty() ? settings.fsid : typed;
    };
    if (same_fsid(fsid_of(before), fsid_of(after))) {
        return {};
    }
    const std::string fsid = fsid_of(before);
    return Error{ExitCode::failed,
                 fmt::format("{} has {}: another fsid makes what clients have open stale (ESTALE)",
                             before.path, fsid.empty() ? "no fsid" : "fsid=" + fsid),
                 fsid.empty() ? "leave fsid out of -o"
                              : fmt::format("give fsid={} in -o too", fsid)};
}

Result<ServeSettings> wanted_settings(const Arguments &arguments, const Served &served) {
    ServeSettings wanted = served.settings;
    TRY(take_clients(arguments, false, wanted));
    wanted.read_only =
        arguments.has("read-only") || (wanted.read_only && !arguments.has("read-write"));
    if (arguments.has("options")) {
        wanted.options = TRY(export_options_of(arguments));
    }
    TRY(expect_same_fsid(served.settings, wanted));
    const bool names_clients = arguments.has("to") || arguments.has("allow");
    if (!names_clients && is_open_unmarked(served.text) &&
        (arguments.has("options") || arguments.has("read-only") || arguments.has("read-write"))) {
        return Error{ExitCode::failed,
                     fmt::format("{} is open to every host, and its file does not say that this is "
                                 "meant",
                                 wanted.path),
                     "give --to CIDR too, or --allow any"};
    }
    return wanted;
}

// The hosts that only @wanted has.
ServeSettings added_hosts(const ServeSettings &before, const ServeSettings &wanted) {
    ServeSettings added = wanted;
    added.to.erase(std::remove_if(added.to.begin(), added.to.end(),
                                  [&](const Prefix &network) {
                                      return std::find(before.to.begin(), before.to.end(),
                                                       network) != before.to.end();
                                  }),
                   added.to.end());
    return added;
}

Result<void> plan_settings(World &world, const Served &served, const ServeSettings &wanted,
                           ChangeSet &set) {
    const std::string text = exports_text(wanted);
    if (text == served.text) {
        return {};
    }
    TRY(check_folder(wanted.path));
    TRY(check_fsid_is_free(world, wanted));
    const ServeSettings added = added_hosts(served.settings, wanted);
    const bool opens = wanted.to.empty() && !served.settings.to.empty();
    CommandLines live;
    if (opens || !added.to.empty()) {
        live = TRY(exported_by_others(world, added));
    }
    set.add(change_nfs_export_settings(served.place, served.text, text, std::move(live)));
    return {};
}

// nfsd has one port for all exports. @before: 0 if the drop-in of rpc.nfsd has none.
Result<void> plan_port(World &world, const Served &served, std::uint16_t port, std::uint16_t before,
                       ChangeSet &set, Answer &said) {
    if (before == port) {
        return {};
    }
    const auto place = world.places.nfs_conf();
    auto file = TRY(look_at_file(place));
    set.add(change_file(place, std::move(file), {nfs_conf_text(port)}));
    if (TRY(nfsd_runs(world.files)) && !TRY(nfsd_listens_on(world, port))) {
        set.add(change_nfsd({served.place, port, false, false, true}, nullptr));
        if (before != 0) {
            said.warnings.push_back(
                fmt::format("nfsd listens on port {} too until it is restarted", before));
        }
    }
    said.warnings.push_back(fmt::format(
        "the port is that of all folders: mounts that name the earlier port need port={}", port));
    return {};
}

Result<Answer> run_nfs_set(World &world, const Arguments &arguments) {
    TRY(check_exportfs(world));
    TRY(check_arguments(arguments));
    const std::string path = real_directory(arguments.operands().front());
    const Served served = TRY(served_now(world, path));
    const ServeSettings wanted = TRY(wanted_settings(arguments, served));
    const auto conf = TRY(read_small_file(world.places.nfs_conf()));
    const std::uint16_t port_before = conf ? port_of_nfs_conf(*conf).value_or(0) : 0;
    const auto typed = TRY(arguments.number("port", 1, 65535));
    const std::uint16_t port = typed              ? static_cast<std::uint16_t>(*typed)
                               : port_before != 0 ? port_before
                                                  : nfs_rdma_port;
    ChangeSet set("nfs set " + path, Scope::disks);
    Answer said;
    TRY(plan_settings(world, served, wanted, set));
    if (typed) {
        TRY(plan_port(world, served, port, port_before, set, said));
    }
    auto answer = carry_out(world, {arguments.dry_run()}, set, "it is served so");
    if (!answer) {
        return answer;
    }
    if (arguments.dry_run()) {
        answer->warnings = std::move(said.warnings);
        return answer;
    }
    Answer served_so = served_answer(wanted, port, TRY(nfsd_listens_on(world, port)));
    served_so.warnings = std::move(said.warnings);
    return said_instead(*std::move(answer), served_so);
}

const VerbRows set_rows(Section::nfs, 2, [] {
    return std::vector<Verb>{
        {
            .words = "nfs set",
            .operands = "PATH",
            .summary = "change how a folder is served; clients go on",
            .options = {{"to", "CIDR...", "networks that may mount the folder", true},
                        {"allow", "any", "every host may mount the folder"},
                        {"port", "N", "RDMA port of nfsd, for all folders"},
                        {"read-only", "", "refuse writes"},
                        {"read-write", "", "accept writes"},
                        {"options", "OPTIONS",
                         "export options in place of the present ones, such as sec=krb5p", false,
                         false, 'o'}},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_nfs_set,
        },
    };
});

} // namespace

} // namespace causeway
