// SPDX-License-Identifier: GPL-2.0-or-later
#include "subnet/opensm.h"

#include "base/durable_file.h"
#include "change/look.h"
#include "config/file_header.h"
#include "subnet/partitions.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view ports_start = "PORTS=\"";

// opensm keeps the LIDs of its subnet in OSM_CACHE_DIR, so each instance has a folder there: two
// instances would overwrite the files of each other. The instances of earlier versions, and those
// of the package, have these files in /var/cache/opensm. The first port takes them over once, so
// that its LIDs stay.
//
// opensm reads one file of settings, so the second program joins those of the package, of all ports
// and of the port. RHEL's package sets dump_files_dir to a folder that all instances would share.
constexpr const char *service_lines =
    "CacheDirectory=opensm opensm/%I\n"
    "Environment=OSM_CACHE_DIR=/var/cache/opensm/%I\n"
    "EnvironmentFile=-/etc/causeway/opensm.env\n"
    "ExecStartPre=-/bin/sh -c 'case \"$$PORTS\" in %I|\"%I \"*) for file in guid2lid guid2mkey "
    "neighbors; do if [ -e /var/cache/opensm/$$file ] && [ ! -e /var/cache/opensm/%I/$$file ]; "
    "then cp -p /var/cache/opensm/$$file /var/cache/opensm/%I; fi; done;; esac'\n"
    "ExecStartPre=/bin/sh -c 'join() { for file; do if [ -e \"$$file\" ]; then cat \"$$file\" && "
    "echo || exit 1; fi; done; }; { join /etc/opensm/opensm.conf /etc/rdma/opensm.conf; "
    "echo dump_files_dir /var/cache/opensm/%I; join /etc/causeway/opensm.conf "
    "/etc/causeway/opensm.d/%I.conf; } >/var/cache/opensm/causeway-%I.conf'\n"
    "ExecStart=/usr/sbin/opensm --guid %I --log_file /var/log/opensm.%I.log "
    "--config /var/cache/opensm/causeway-%I.conf\n";

std::string unit_of_ours(const std::string &guid) {
    return fmt::format("causeway-opensm@{}.service", guid);
}

// The package makes this link when it is installed. An existing link stays, whatever its target.
// The target is also that of the package on systems whose /lib is a link to /usr/lib.
Result<void> plan_start_of_package(ChangeSet &set, const Places &places, bool wanted) {
    const fs::path want = places.units() / "network-online.target.wants/opensm.service";
    auto target = TRY(look_at_symlink(want));
    if (wanted) {
        return target ? Result<void>() : set.link(want, "/lib/systemd/system/opensm.service");
    }
    return target ? set.unlink(want, *target) : Result<void>();
}

fs::path service_dropin(const Places &places) {
    return places.units() / "opensm.service.d/causeway.conf";
}

fs::path instance_dropin(const Places &places) {
    return places.units() / "opensm@.service.d/causeway.conf";
}

fs::path template_of_ours(const Places &places) {
    return places.units() / unit_of_ours("");
}

fs::path start_of_ours(const Places &places, const std::string &guid) {
    return places.units() / "multi-user.target.wants" / unit_of_ours(guid);
}

Result<void> plan_debian(ChangeSet &set, const Places &places) {
    TRY(set.write(service_dropin(places),
                  our_header("sm enable") +
                      "[Service]\nEnvironmentFile=/etc/causeway/opensm.env\n"));
    TRY(set.write(instance_dropin(places),
                  our_header("sm enable") + "[Service]\nExecStart=\n" + service_lines));
    return plan_start_of_package(set, places, true);
}

Result<void> plan_redhat(ChangeSet &set, const Places &places,
                         const std::vector<std::string> &before,
                         const std::vector<std::string> &guids) {
    const fs::path unit = template_of_ours(places);
    TRY(set.write(unit, our_header("sm enable") +
                            fmt::format("[Unit]\n"
                                        "Description=Subnet manager of InfiniBand on port %I\n"
                                        "Documentation=man:opensm(8)\n"
                                        "Conflicts=opensm.service\n"
                                        "Before=network.target remote-fs-pre.target\n"
                                        "ConditionPathExists="
                                        "/sys/class/infiniband_mad/abi_version\n"
                                        "\n"
                                        "[Service]\n"
                                        "{}"
                                        "\n"
                                        "[Install]\n"
                                        "WantedBy=multi-user.target\n",
                                        service_lines)));
    for (const std::string &guid : before) {
        if (std::find(guids.begin(), guids.end(), guid) == guids.end()) {
            TRY(set.unlink(start_of_ours(places, guid), unit.string()));
        }
    }
    for (const std::string &guid : guids) {
        TRY(set.link(start_of_ours(places, guid), unit.string()));
    }
    return {};
}

// Removes the units of both kinds of packages, because the package may be gone.
Result<void> plan_no_units(ChangeSet &set, const Places &places, OpensmPackage package,
                           const std::vector<std::string> &before) {
    for (const std::string &guid : before) {
        TRY(set.unlink(start_of_ours(places, guid), template_of_ours(places).string()));
    }
    TRY(set.remove(template_of_ours(places)));
    TRY(set.remove(service_dropin(places)));
    TRY(set.remove(instance_dropin(places)));
    TRY(set.remove(places.opensm_environment()));
    // Without the drop-ins, the package's service would run opensm on all ports.
    return package == OpensmPackage::redhat ? Result<void>()
                                            : plan_start_of_package(set, places, false);
}

std::vector<std::string> with_units(std::vector<std::string> words, OpensmPackage package,
                                    const std::vector<std::string> &guids) {
    for (const std::string &guid : guids) {
        words.push_back(opensm_unit(package, guid));
    }
    return words;
}

} // namespace

OpensmPackage opensm_package(const Places &places) {
    std::error_code failure;
    if (fs::exists(places.vendor_units() / "opensm@.service", failure)) {
        return OpensmPackage::debian;
    }
    return fs::exists(places.vendor_units() / "opensm.service", failure) ? OpensmPackage::redhat
                                                                         : OpensmPackage::none;
}

Result<OpensmPackage> need_opensm(const World &world) {
    const OpensmPackage package = opensm_package(world.places);
    if (package == OpensmPackage::none) {
        return Error{ExitCode::unavailable, "opensm is not installed: there is no opensm.service",
                     "apt install opensm, or: dnf install opensm"};
    }
    if (!systemd_runs(world)) {
        return Error{ExitCode::unavailable, "systemd does not run here: it starts opensm",
                     "start opensm(8) by hand"};
    }
    return package;
}

Result<std::vector<std::string>> opensm_ports(const Places &places) {
    auto content = TRY(read_small_file(places.opensm_environment()));
    std::vector<std::string> guids;
    std::istringstream stream(content.value_or(""));
    for (std::string line; std::getline(stream, line);) {
        if (line.size() <= ports_start.size() ||
            line.substr(0, ports_start.size()) != ports_start || line.back() != '"') {
            continue;
        }
        std::istringstream words(
            line.substr(ports_start.size(), line.size() - ports_start.size() - 1));
        for (std::string word; words >> word;) {
            // A GUID becomes a part of the names of files and units.
            const auto guid = canonical_guid(word);
            if (!guid) {
                return Error{ExitCode::bad_config,
                             fmt::format("{}: '{}' is no port GUID",
                                         places.opensm_environment().string(), word),
                             "give GUIDs such as 0x0002c90300101234"};
            }
            if (std::find(guids.begin(), guids.end(), *guid) == guids.end()) {
                guids.push_back(*guid);
            }
        }
    }
    return guids;
}

Result<void> plan_opensm_units(ChangeSet &set, const Places &places, OpensmPackage package,
                               const std::vector<std::string> &before,
                               const std::vector<std::string> &guids) {
    if (guids.empty()) {
        return plan_no_units(set, places, package, before);
    }
    TRY(set.write(places.opensm_environment(),
                  our_header("sm enable") +
                      fmt::format("{}{}\"\n", ports_start, fmt::join(guids, " "))));
    return package == OpensmPackage::debian ? plan_debian(set, places)
                                            : plan_redhat(set, places, before, guids);
}

std::string opensm_unit(OpensmPackage package, const std::string &guid) {
    return package == OpensmPackage::debian ? fmt::format("opensm@{}.service", guid)
                                            : unit_of_ours(guid);
}

bool opensm_runs(World &world, OpensmPackage package, const std::string &guid) {
    auto end =
        world.processes.run({"systemctl", "is-active", "--quiet", opensm_unit(package, guid)});
    return end && end->good();
}

bool opensm_service_runs(World &world) {
    auto end = world.processes.run({"systemctl", "is-active", "--quiet", "opensm.service"});
    return end && end->good();
}

Programs opensm_restart(OpensmPackage package, const std::vector<std::string> &guids,
                        bool with_package) {
    const std::vector<std::string> restart = {"systemctl", "restart"};
    if (with_package && package == OpensmPackage::debian) {
        return {{"systemctl", "restart", "opensm.service"}};
    }
    return guids.empty() ? Programs() : Programs{with_units(restart, package, guids)};
}

Programs opensm_stop(OpensmPackage package, const std::vector<std::string> &guids,
                     bool with_package) {
    if (with_package && package == OpensmPackage::debian) {
        // Stopping this unit stops its instances too.
        return {{"systemctl", "stop", "opensm.service"}};
    }
    return guids.empty() || package == OpensmPackage::none
               ? Programs()
               : Programs{with_units({"systemctl", "stop"}, package, guids)};
}

Programs opensm_reread(OpensmPackage package, const std::vector<std::string> &guids) {
    return guids.empty()
               ? Programs()
               : Programs{with_units({"systemctl", "kill", "--signal=HUP"}, package, guids)};
}

} // namespace causeway
