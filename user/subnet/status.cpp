// SPDX-License-Identifier: GPL-2.0-or-later
// sm status: the InfiniBand ports of this machine, their subnet managers, and the partitions.
#include "show/table.h"
#include "subnet/managers.h"
#include "subnet/partition_table.h"
#include "subnet/ports.h"
#include "subnet/verbs.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace causeway {

namespace {

std::string manager_of(const SubnetPort &port) {
    return port.sm_lid == 0           ? "none was seen"
           : port.managed_elsewhere() ? fmt::format("LID {}", port.sm_lid)
                                      : "this port";
}

// A value that opensm would not read is no number.
Json number_or_null(const std::optional<std::string> &text) {
    unsigned int number = 0;
    const std::string digits = text.value_or("");
    const auto [rest, failure] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return failure == std::errc() && rest == digits.data() + digits.size() ? Json(number)
                                                                           : Json(nullptr);
}

class PortRows {
  public:
    PortRows(World &world, Managers &managers, OpensmPackage package, Answer &answer)
        : world_(world), managers_(managers), package_(package), answer_(answer) {
        answer_.json["ports"] = Json::array();
    }

    void add(const SubnetPort &port) {
        const ManagedPort *const managed = managers_.find(port.guid);
        const bool running = runs(port.guid);
        any_runs_ = any_runs_ || running;
        Json row = {{"port", port.text()},
                    {"guid", port.guid},
                    {"state", port.state},
                    {"lid", port.lid},
                    {"sm_lid", port.sm_lid}};
        const auto priority = describe(managed, running, row);
        row["prefix"] = port.prefix;
        answer_.json["ports"].push_back(std::move(row));
        table_.row({port.text(), port.guid, port.state, fmt::format("{}", port.lid), port.prefix,
                    managed != nullptr ? "yes" : "", priority, manager_of(port)});
    }

    // A port whose device is not there now.
    void add_absent(const ManagedPort &port) {
        const bool running = runs(port.guid);
        any_runs_ = any_runs_ || running;
        Json row = {{"port", nullptr},
                    {"guid", port.guid},
                    {"state", nullptr},
                    {"lid", nullptr},
                    {"sm_lid", nullptr}};
        const auto priority = describe(&port, running, row);
        row["prefix"] = nullptr;
        answer_.json["ports"].push_back(std::move(row));
        table_.row({"", port.guid, "absent", "", "", "yes", priority, ""});
    }

    bool any_runs() const { return any_runs_; }
    std::string text() const { return table_.text(world_.terminal); }

  private:
    bool runs(const std::string &guid) {
        return package_ != OpensmPackage::none && systemd_runs(world_) &&
               opensm_runs(world_, package_, guid);
    }

    // Adds what is configured to the row, and returns the priority as text.
    std::string describe(const ManagedPort *managed, bool running, Json &row) {
        row["enabled"] = managed != nullptr;
        row["running"] = running;
        std::optional<std::string> priority;
        std::optional<std::string> prefix;
        if (managed != nullptr) {
            const auto settings = effective_settings(world_.places, managers_, managed);
            if (settings) {
                priority = settings->value("sm_priority");
                prefix = settings->value("subnet_prefix");
            } else {
                answer_.warnings.push_back(settings.error().what);
            }
        }
        row["priority"] = number_or_null(priority);
        row["configured_prefix"] = or_null(prefix);
        row["own_partitions"] = managed != nullptr && managed->partitions;
        return priority.value_or("");
    }

    World &world_;
    Managers &managers_;
    OpensmPackage package_;
    Answer &answer_;
    bool any_runs_ = false;
    Table table_{{{"PORT"},
                  {"GUID"},
                  {"STATE"},
                  {"LID", Table::Align::right},
                  {"PREFIX"},
                  {"ENABLED"},
                  {"PRIORITY", Table::Align::right},
                  {"SUBNET MANAGER"}}};
};

Result<Answer> run_sm_status(World &world, const Arguments & /*arguments*/) {
    const OpensmPackage package = opensm_package(world.places);
    Answer answer;
    Managers managers;
    if (auto read = read_managers(world.places)) {
        managers = *std::move(read);
    } else {
        answer.warnings.push_back(read.error().what);
        auto guids = TRY(opensm_ports(world.places));
        for (const std::string &guid : guids) {
            managers.ports.push_back({guid, {}, std::nullopt});
        }
    }
    const auto ports = subnet_ports(world.files);
    answer.json["installed"] = package != OpensmPackage::none;
    answer.json["running"] = false;
    PortRows rows(world, managers, package, answer);
    for (const SubnetPort &port : ports) {
        rows.add(port);
    }
    for (const ManagedPort &port : managers.ports) {
        const bool there = std::any_of(ports.begin(), ports.end(), [&](const SubnetPort &each) {
            return each.guid == port.guid;
        });
        if (!there) {
            rows.add_absent(port);
        }
    }
    answer.json["running"] = rows.any_runs();
    answer.text = package == OpensmPackage::none ? "opensm is not installed here\n"
                  : rows.any_runs()              ? "opensm runs here\n"
                                                 : "no service of opensm runs here\n";
    answer.text += managers.ports.empty() ? "causeway enabled no subnet manager here\n" : "";
    answer.text +=
        ports.empty() ? "this machine has no port of InfiniBand\n" + rows.text() : rows.text();
    Answer partitions;
    add_partitions(managers, {}, world.terminal, partitions);
    answer.json["partitions"] = partitions.json["partitions"];
    answer.text += partitions.text.empty() ? "" : "\n" + partitions.text;
    return answer;
}

} // namespace

Verb sm_status_verb() {
    return {
        .words = "sm status",
        .summary = "show ports, their subnet manager, and the partitions",
        .run = run_sm_status,
    };
}

} // namespace causeway
