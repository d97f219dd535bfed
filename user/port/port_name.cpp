// SPDX-License-Identifier: GPL-2.0-or-later
#include "port/port_name.h"

#include "base/systemd_name.h"
#include "base/units.h"
#include "config/file_header.h"
#include "doctor/gather.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr std::string_view rule_start = "65-causeway-port-";
constexpr std::string_view before_start = "# The type before: ";

std::string our_text(const std::filesystem::path &place) {
    const std::string text = text_of(place).value_or("");
    return is_ours(text) ? text : std::string();
}

// Returns the text between @start and @end, or "" if there is none.
std::string between(const std::string &text, std::string_view start, std::string_view end) {
    const std::size_t place = text.find(start);
    if (place == std::string::npos) {
        return {};
    }
    const std::size_t value = place + start.size();
    const std::size_t stop = text.find(end, value);
    return stop == std::string::npos ? std::string() : text.substr(value, stop - value);
}

} // namespace

std::string PortName::text() const {
    return fmt::format("{}/{}", device.name, port.number);
}

Result<PortName> find_port(World &world, const std::string &typed) {
    const std::size_t slash = typed.find('/');
    const std::string name = typed.substr(0, slash);
    const auto devices = rdma_devices(world.files);
    const auto device = std::find_if(devices.begin(), devices.end(),
                                     [&](const RdmaDevice &each) { return each.name == name; });
    if (device == devices.end()) {
        return no_such_rdma_device(devices, name);
    }
    if (slash == std::string::npos && device->ports.size() == 1) {
        return PortName{*device, device->ports.front()};
    }
    for (const RdmaPort &port : device->ports) {
        if (slash != std::string::npos &&
            fmt::format("{}", port.number) == typed.substr(slash + 1)) {
            return PortName{*device, port};
        }
    }
    return Error{slash == std::string::npos ? ExitCode::usage : ExitCode::unavailable,
                 slash == std::string::npos
                     ? fmt::format("{} has {} ports", name, device->ports.size())
                     : fmt::format("{} has no port {}", name, typed.substr(slash + 1)),
                 fmt::format("name the port: {}/1", name)};
}

std::string uevent_value(KernelFiles &files, const std::string &device, std::string_view key) {
    const std::string text =
        sysfs_text(files, fmt::format("/sys/class/infiniband/{}/device/uevent", device));
    const std::string start = fmt::format("{}=", key);
    const std::size_t place = text.rfind("\n" + start) == std::string::npos
                                  ? (text.substr(0, start.size()) == start ? 0 : std::string::npos)
                                  : text.rfind("\n" + start) + 1;
    if (place == std::string::npos) {
        return {};
    }
    const std::size_t value = place + start.size();
    return text.substr(value, text.find('\n', value) - value);
}

PortFiles port_files(const World &world, const std::string &device, unsigned int port) {
    const auto rule = [&](std::string_view kind) {
        return world.places.udev_rules() /
               fmt::format("{}{}-{}-{}.rules", rule_start, kind, device, port);
    };
    return {world.places.units() / fmt::format("causeway-port@{}.service",
                                               escaped_path(fmt::format("{}-{}", device, port))),
            rule("enable"), rule("type")};
}

KeptPort kept_port(const World &world, const std::string &device, unsigned int port) {
    const PortFiles places = port_files(world, device, port);
    KeptPort kept{device, port, {}, {}, {}};
    if (!our_text(places.state_rule).empty()) {
        kept.state = between(our_text(places.unit), "/usr/sbin/causeway port ", " ");
    }
    const std::string rule = our_text(places.type_rule);
    kept.type = between(rule, fmt::format("ATTR{{mlx4_port{}}}=\"", port), "\"");
    kept.before = between(rule, before_start, "\n");
    return kept;
}

std::vector<KeptPort> kept_ports_at_boot(const World &world) {
    std::vector<KeptPort> kept;
    for (const std::filesystem::path &file : files_in(world.places.udev_rules(), ".rules")) {
        const std::string stem = file.stem().string();
        for (const std::string_view kind : {"enable-", "type-"}) {
            const std::string start = fmt::format("{}{}", rule_start, kind);
            const std::size_t dash = stem.rfind('-');
            if (stem.rfind(start, 0) != 0 || dash <= start.size()) {
                continue;
            }
            const auto number = parse_number("port", stem.substr(dash + 1), 1, UINT8_MAX);
            const std::string device = stem.substr(start.size(), dash - start.size());
            const bool known =
                number && std::any_of(kept.begin(), kept.end(), [&](const auto &each) {
                    return each.device == device && each.port == *number;
                });
            if (number && !known) {
                KeptPort one = kept_port(world, device, static_cast<unsigned int>(*number));
                if (!one.empty()) {
                    kept.push_back(std::move(one));
                }
            }
        }
    }
    return kept;
}

std::string type_before_line(const std::string &type) {
    return fmt::format("{}{}\n", before_start, type);
}

} // namespace causeway
