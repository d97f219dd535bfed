// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/serve_options.h"

#include "nfs/exportfs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

// exports_text() writes these options after "rw" or "ro".
constexpr std::string_view options_of_every_export = ",sync,no_subtree_check";

std::vector<std::string> network_words(const ServeSettings &settings) {
    std::vector<std::string> words;
    for (const Prefix &network : settings.to) {
        words.push_back(network.text());
    }
    return words;
}

// Takes "rw,sync,no_subtree_check,MORE,fsid=UUID" apart. Returns false if the form is another one.
bool take_export_options(std::string_view options, ServeSettings &settings) {
    settings.read_only = options.substr(0, 2) == "ro";
    if (!settings.read_only && options.substr(0, 2) != "rw") {
        return false;
    }
    options.remove_prefix(2);
    if (options.substr(0, options_of_every_export.size()) != options_of_every_export) {
        return false;
    }
    options.remove_prefix(options_of_every_export.size());
    const std::string fsid = ",fsid=" + settings.fsid;
    if (!settings.fsid.empty() && options.size() >= fsid.size() &&
        options.substr(options.size() - fsid.size()) == fsid) {
        options.remove_suffix(fsid.size());
    }
    settings.options = options.substr(options.substr(0, 1) == "," ? 1 : 0);
    return true;
}

} // namespace

// No folder is open to every host unless an administrator allows it.
Result<void> take_clients(const Arguments &arguments, bool needed, ServeSettings &settings) {
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
    if (needed && !allow && networks.empty()) {
        return Error{ExitCode::usage, "no option names the hosts that may mount the folder",
                     "give --to CIDR, or --allow any for every host that reaches this one"};
    }
    if (allow || !networks.empty()) {
        settings.to.clear();
    }
    for (const std::string &network : networks) {
        auto parsed = TRY(parse_prefix(network, "--to"));
        settings.to.push_back(parsed);
    }
    return {};
}

Result<std::string> export_options_of(const Arguments &arguments) {
    std::string options = arguments.text("options").value_or("");
    if (options.find_first_of("() \t\n\"") != std::string::npos) {
        return Error{ExitCode::usage, fmt::format("'{}' is no list of export options", options),
                     "give options with commas between them, such as sec=krb5p,no_root_squash"};
    }
    return options;
}

Result<void> check_exportfs(World &world) {
    if (world.processes.there("exportfs")) {
        return {};
    }
    return Error{ExitCode::unavailable,
                 "exportfs is not installed: the NFS server's programs are not on this machine",
                 "apt install nfs-kernel-server, or: dnf install nfs-utils"};
}

std::optional<ServeSettings> settings_of_exports(std::string_view text) {
    const auto folders = exported_folders(text);
    if (folders.size() != 1) {
        return std::nullopt;
    }
    ServeSettings settings;
    settings.path = folders.front().path;
    settings.fsid = fsid_of_exports(text);
    for (const ExportedTo &to : folders.front().to) {
        if (!take_export_options(to.options, settings)) {
            return std::nullopt;
        }
        if (const auto network = parse_prefix(to.hosts)) {
            settings.to.push_back(*network);
        }
    }
    // The hosts may differ in their options, or be other than networks.
    return exports_line(exports_text(settings)) == exports_line(text) ? std::optional(settings)
                                                                      : std::nullopt;
}

std::string clients_text(const ServeSettings &settings) {
    return settings.to.empty() ? "everyone"
                               : fmt::format("{}", fmt::join(network_words(settings), ", "));
}

std::string set_command(const ServeSettings &settings) {
    return fmt::format(
        "causeway nfs set {} {} {} -o {}", shown({settings.path}),
        settings.to.empty() ? "--allow any"
                            : fmt::format("--to {}", fmt::join(network_words(settings), ",")),
        settings.read_only ? "--read-only" : "--read-write", shown({settings.options}));
}

Answer served_answer(const ServeSettings &settings, std::uint16_t port, bool listens) {
    Answer said;
    said.json = {{"path", settings.path},
                 {"to", network_words(settings)},
                 {"read_only", settings.read_only},
                 {"port", port},
                 {"listening", listens}};
    said.text = fmt::format("{} is served to {}{}\n", settings.path, clients_text(settings),
                            listens ? fmt::format(", by RDMA on port {}", port) : "");
    return said;
}

} // namespace causeway
