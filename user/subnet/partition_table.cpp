// SPDX-License-Identifier: GPL-2.0-or-later
#include "subnet/partition_table.h"

#include "show/table.h"
#include "subnet/partition_group.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

class Rows {
  public:
    Rows(Answer &answer, bool with_ports) : answer_(answer), with_ports_(with_ports) {}

    void add(const std::string &guid, const std::vector<PartitionRule> &rules) {
        for (const PartitionRule &rule : rules) {
            add(guid, rule);
        }
    }

    std::string text(const Terminal &terminal) const { return table_.text(terminal); }

  private:
    static std::vector<Table::Column> columns(bool with_ports) {
        std::vector<Table::Column> columns = {
            {"P_KEY"}, {"PARTITION"}, {"SETTINGS"}, {"MEMBERS"}, {"GROUPS"}};
        if (with_ports) {
            columns.insert(columns.begin(), {"PORT"});
        }
        return columns;
    }

    void add(const std::string &guid, const PartitionRule &rule) {
        const std::string pkey = rule.pkey ? fmt::format("0x{:04x}", *rule.pkey) : "";
        std::vector<std::string> members;
        std::vector<std::string> groups;
        for (const std::string &property : rule.properties) {
            (is_group(property) ? groups : members).push_back(property);
        }
        answer_.json["partitions"].push_back({{"port", or_null(guid)},
                                              {"pkey", or_null(pkey)},
                                              {"name", rule.name},
                                              {"flags", rule.flags},
                                              {"members", members},
                                              {"groups", groups}});
        std::vector<std::string> cells = {pkey, rule.name,
                                          fmt::format("{}", fmt::join(rule.flags, ", ")),
                                          fmt::format("{}", fmt::join(members, ", ")),
                                          fmt::format("{}", fmt::join(groups, "; "))};
        if (with_ports_) {
            cells.insert(cells.begin(), guid.empty() ? "all" : guid);
        }
        table_.row(std::move(cells));
    }

    Answer &answer_;
    bool with_ports_;
    Table table_{columns(with_ports_)};
};

} // namespace

void add_partitions(const Managers &managers, const std::vector<std::string> &guids,
                    const Terminal &terminal, Answer &answer) {
    answer.json["partitions"] = Json::array();
    const bool own = std::any_of(managers.ports.begin(), managers.ports.end(),
                                 [](const ManagedPort &port) { return bool(port.partitions); });
    Rows rows(answer, own);
    const auto named = [&](const ManagedPort &port) {
        return guids.empty() || std::find(guids.begin(), guids.end(), port.guid) != guids.end();
    };
    const bool shared = guids.empty() || std::any_of(managers.ports.begin(), managers.ports.end(),
                                                     [&](const ManagedPort &port) {
                                                         return named(port) && !port.partitions;
                                                     });
    if (shared) {
        rows.add("", managers.partitions);
    }
    for (const ManagedPort &port : managers.ports) {
        if (named(port) && port.partitions) {
            rows.add(port.guid, *port.partitions);
        }
    }
    answer.text += rows.text(terminal);
}

} // namespace causeway
