// SPDX-License-Identifier: GPL-2.0-or-later
#include "subnet/opensm.h"

#include "base/durable_file.h"
#include "change/look.h"
#include "config/file_header.h"
#include "host/rdma_devices.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr const char *environment = "/etc/causeway/opensm.env";
constexpr const char *settings_file = "/etc/causeway/opensm.conf";
constexpr const char *partitions_file = "/etc/causeway/partitions.conf";

std::string hex_digits(const std::string &gid) {
    std::string digits;
    std::copy_if(gid.begin(), gid.end(), std::back_inserter(digits),
                 [](char c) { return c != ':'; });
    return digits;
}

unsigned int lid_of(const std::string &text) {
    return static_cast<unsigned int>(std::strtoul(text.c_str(), nullptr, 16));
}

std::string command_line() {
    return fmt::format("/usr/sbin/opensm --guid %I --log_file /var/log/opensm.%I.log "
                       "--config {} --Pconfig {}",
                       settings_file, partitions_file);
}

std::string unit_of(const std::string &guid) {
    return fmt::format("causeway-opensm@{}.service", guid);
}

Result<void> plan_debian(ChangeSet &set, const Places &places) {
    const std::string more = our_header("sm enable") + fmt::format("[Service]\n"
                                                                   "EnvironmentFile={}\n",
                                                                   environment);
    TRY(set.write(places.units() / "opensm.service.d/causeway.conf", more));
    const std::string line = our_header("sm enable") + fmt::format("[Service]\n"
                                                                   "ExecStart=\n"
                                                                   "ExecStart={}\n",
                                                                   command_line());
    TRY(set.write(places.units() / "opensm@.service.d/causeway.conf", line));
    // The package makes this link when it is installed. An existing link stays, whatever its
    // target.
    const fs::path want = places.units() / "network-online.target.wants/opensm.service";
    std::error_code failure;
    if (fs::is_symlink(want, failure)) {
        return {};
    }
    return set.link(want, "/lib/systemd/system/opensm.service");
}

Result<void> plan_redhat(ChangeSet &set, const Places &places,
                         const std::vector<std::string> &guids,
                         const std::vector<std::string> &before) {
    const fs::path unit = places.units() / unit_of("");
    const std::string text = our_header("sm enable") +
                             fmt::format("[Unit]\n"
                                         "Description=Subnet manager of InfiniBand on port %I\n"
                                         "Documentation=man:opensm(8)\n"
                                         "Conflicts=opensm.service\n"
                                         "Before=network.target remote-fs-pre.target\n"
                                         "ConditionPathExists="
                                         "/sys/class/infiniband_mad/abi_version\n"
                                         "\n"
                                         "[Service]\n"
                                         "ExecStart={}\n"
                                         "\n"
                                         "[Install]\n"
                                         "WantedBy=multi-user.target\n",
                                         command_line());
    TRY(set.write(unit, text));
    const fs::path wants = places.units() / "multi-user.target.wants";
    for (const std::string &guid : before) {
        if (std::find(guids.begin(), guids.end(), guid) != guids.end()) {
            continue;
        }
        TRY(set.unlink(wants / unit_of(guid), unit.string()));
    }
    for (const std::string &guid : guids) {
        TRY(set.link(wants / unit_of(guid), unit.string()));
    }
    return {};
}

// Returns the content of the first file that exists, or "".
Result<std::string> first_content(const std::vector<fs::path> &places) {
    for (const fs::path &place : places) {
        auto content = TRY(read_small_file(place));
        if (content) {
            return *content;
        }
    }
    return std::string();
}

} // namespace

std::string SubnetPort::text() const {
    return fmt::format("{}/{}", device, port);
}

std::vector<SubnetPort> subnet_ports(KernelFiles &files) {
    std::vector<SubnetPort> ports;
    for (const RdmaDevice &device : rdma_devices(files)) {
        for (const RdmaPort &port : device.ports) {
            const std::string gid = port.gids.empty() ? "" : hex_digits(port.gids.front().gid);
            if (port.link_layer == "InfiniBand" && gid.size() == 32) {
                ports.push_back({device.name, port.number, "0x" + gid.substr(16), port.state,
                                 lid_of(port.lid), lid_of(port.sm_lid)});
            }
        }
    }
    return ports;
}

OpensmPackage opensm_package(const Places &places) {
    std::error_code failure;
    if (fs::exists(places.vendor_units() / "opensm@.service", failure)) {
        return OpensmPackage::debian;
    }
    return fs::exists(places.vendor_units() / "opensm.service", failure) ? OpensmPackage::redhat
                                                                         : OpensmPackage::none;
}

Result<void> plan_opensm(ChangeSet &set, const Places &places, OpensmPackage package,
                         const std::vector<std::string> &guids) {
    auto before = TRY(opensm_ports(places));
    const std::string ports =
        our_header("sm enable") + fmt::format("PORTS=\"{}\"\n", fmt::join(guids, " "));
    TRY(set.write(places.opensm_environment(), ports));
    return package == OpensmPackage::debian ? plan_debian(set, places)
                                            : plan_redhat(set, places, guids, before);
}

Result<std::vector<std::string>> opensm_ports(const Places &places) {
    auto content = TRY(read_small_file(places.opensm_environment()));
    std::vector<std::string> guids;
    std::istringstream stream(content.value_or(""));
    for (std::string line; std::getline(stream, line);) {
        if (line.substr(0, 7) != "PORTS=\"" || line.back() != '"') {
            continue;
        }
        std::istringstream words(line.substr(7, line.size() - 8));
        for (std::string guid; words >> guid;) {
            guids.push_back(guid);
        }
    }
    return guids;
}

std::vector<std::vector<std::string>> opensm_start(OpensmPackage package,
                                                   const std::vector<std::string> &guids) {
    std::vector<std::vector<std::string>> programs = {{"systemctl", "daemon-reload"}};
    std::vector<std::string> restart = {"systemctl", "restart"};
    if (package == OpensmPackage::debian) {
        restart.emplace_back("opensm.service");
    } else {
        for (const std::string &guid : guids) {
            restart.push_back(unit_of(guid));
        }
    }
    programs.push_back(std::move(restart));
    return programs;
}

std::vector<std::vector<std::string>> opensm_stop(OpensmPackage package,
                                                  const std::vector<std::string> &guids) {
    std::vector<std::string> stop = {"systemctl", "stop"};
    if (package == OpensmPackage::debian) {
        // Stopping this unit stops its instances too.
        stop.emplace_back("opensm.service");
    } else {
        for (const std::string &guid : guids) {
            stop.push_back(unit_of(guid));
        }
    }
    return {stop};
}

std::vector<std::vector<std::string>> opensm_reread(OpensmPackage package) {
    return {{"systemctl", "kill", "--signal=HUP",
             package == OpensmPackage::debian ? "opensm@*.service" : "causeway-opensm@*.service"}};
}

Result<std::string> opensm_settings(const Places &places,
                                    const std::map<std::string, std::string> &values) {
    auto content = TRY(first_content({places.opensm_settings(), places.rdma() / "opensm.conf",
                                      places.opensm() / "opensm.conf"}));
    std::string text = our_header("sm");
    std::map<std::string, std::string> left = values;
    std::istringstream stream(content);
    for (std::string line; std::getline(stream, line);) {
        std::istringstream words(line);
        std::string key;
        words >> key;
        if (is_ours(line)) {
            continue;
        }
        if (const auto wanted = values.find(key); wanted == values.end()) {
            text += line + "\n";
        } else if (left.erase(key) != 0) {
            text += fmt::format("{} {}\n", key, wanted->second);
        }
    }
    for (const auto &[key, value] : left) {
        text += fmt::format("{} {}\n", key, value);
    }
    return text;
}

Result<std::string> partitions_before(const Places &places) {
    return first_content({places.partitions(), places.rdma() / "partitions.conf",
                          places.opensm() / "partitions.conf"});
}

} // namespace causeway
