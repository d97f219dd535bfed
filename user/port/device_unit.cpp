// SPDX-License-Identifier: GPL-2.0-or-later
#include "port/device_unit.h"

#include "base/systemd_name.h"
#include "config/file_header.h"
#include "doctor/gather.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace causeway {

namespace {

// Returns the words after the verb in the command of a unit, or none.
std::vector<std::string> words_of_unit(const std::filesystem::path &unit, const std::string &verb) {
    const std::string start = fmt::format("ExecStart=/usr/sbin/causeway {} ", verb);
    for (const std::string &line : lines_of(text_of(unit).value_or(""))) {
        if (line.compare(0, start.size(), start) == 0) {
            return words_of_line(line.substr(start.size()));
        }
    }
    return {};
}

} // namespace

DeviceUnit device_unit(std::string verb, std::string setting, std::string subject) {
    DeviceUnit unit;
    unit.verb = std::move(verb);
    unit.setting = std::move(setting);
    unit.subject = std::move(subject);
    return unit;
}

std::string DeviceUnit::name() const {
    return fmt::format("causeway-{}@{}.service", setting, escaped_path(subject));
}

std::filesystem::path DeviceUnit::unit(const Places &places) const {
    return places.units() / name();
}

std::filesystem::path DeviceUnit::rule(const Places &places) const {
    return places.udev_rules() / fmt::format("65-causeway-{}-{}.rules", setting, subject);
}

Result<void> plan_device_unit(World &world, ChangeSet &set, const DeviceUnit &unit) {
    const std::string wait = unit.interface.empty()
                                 ? ""
                                 : fmt::format("After=sys-subsystem-net-devices-{0}.device\n"
                                               "BindsTo=sys-subsystem-net-devices-{0}.device\n",
                                               escaped_path(unit.interface));
    const std::string text =
        our_header(unit.verb) + fmt::format("[Unit]\n"
                                            "Description={}\n"
                                            "{}"
                                            "Before=causeway.service\n"
                                            "ConditionFileIsExecutable=/usr/sbin/causeway\n"
                                            "\n"
                                            "[Service]\n"
                                            "Type=oneshot\n"
                                            "RemainAfterExit=yes\n"
                                            "ExecStart=/usr/sbin/causeway {} {} --at-boot\n",
                                            unit.description, wait, unit.verb,
                                            fmt::join(unit.words, " "));
    TRY(set.write(unit.unit(world.places), text));
    // The rule runs after rdma-core has renamed the device. It matches the node GUID, which a new
    // name does not change.
    const std::string rule =
        our_header(unit.verb) +
        fmt::format("ACTION!=\"remove\", SUBSYSTEM==\"infiniband\", ATTR{{node_guid}}==\"{}\", "
                    "TAG+=\"systemd\", ENV{{SYSTEMD_WANTS}}+=\"{}\"\n",
                    unit.node_guid, unit.name());
    return set.write(unit.rule(world.places), rule);
}

Result<void> plan_no_device_unit(World &world, ChangeSet &set, const DeviceUnit &unit) {
    TRY(set.remove(unit.unit(world.places)));
    return set.remove(unit.rule(world.places));
}

std::vector<std::string> words_at_boot(const World &world, const DeviceUnit &unit) {
    return words_of_unit(unit.unit(world.places), unit.verb);
}

std::vector<std::vector<std::string>>
all_words_at_boot(const World &world, const std::string &setting, const std::string &verb) {
    std::vector<std::vector<std::string>> all;
    for (const std::filesystem::path &file : files_in(world.places.units(), ".service")) {
        const bool is_unit =
            file.filename().string().rfind(fmt::format("causeway-{}@", setting), 0) == 0 &&
            is_ours(text_of(file).value_or(""));
        auto words = is_unit ? words_of_unit(file, verb) : std::vector<std::string>();
        if (!words.empty()) {
            all.push_back(std::move(words));
        }
    }
    return all;
}

} // namespace causeway
