// SPDX-License-Identifier: GPL-2.0-or-later
// stat: counters, and percentiles of latencies.
#include "base/units.h"
#include "command/verb.h"
#include "disk/attaching.h"
#include "show/histogram.h"
#include "show/metrics.h"
#include "show/table.h"
#include "show/words.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace causeway {

namespace {

struct Share {
    const char *title;
    const char *key;
    double share;
};
constexpr std::array shares = {
    Share{"P50", "p50", 0.5},
    Share{"P95", "p95", 0.95},
    Share{"P99", "p99", 0.99},
    Share{"P99.9", "p99_9", 0.999},
};

struct Latency {
    const char *title;
    const std::optional<Histogram> StatInfo::*histogram;
};
constexpr std::array latencies = {
    Latency{"read", &StatInfo::read_latency},
    Latency{"write", &StatInfo::write_latency},
    Latency{"flush", &StatInfo::flush_latency},
};

std::string json_key(std::string_view name) {
    std::string key(name);
    std::replace(key.begin(), key.end(), '-', '_');
    return key;
}

Json latency_json(const Histogram &histogram) {
    Json json = {{"samples", sample_count(histogram)}, {"buckets", histogram}};
    Json percentiles = {{"method", "linear within power-of-two buckets"}};
    for (const Share &share : shares) {
        const auto value = percentile(histogram, share.share);
        percentiles[share.key] = value ? Json(static_cast<std::uint64_t>(*value)) : Json(nullptr);
    }
    json["interpolated_ns"] = percentiles;
    return json;
}

Json stat_json(const StatInfo &info) {
    Json json = {{"role", role_word(info.role)}, {"id", info.id},
                 {"server", info.server},        {"name", info.name},
                 {"host_name", info.host_name},  {"disk", info.disk},
                 {"peer", info.peer.text()}};
    for (const NetlinkName &name : counter_names) {
        json["counters"][json_key(name.name)] =
            info.counters.at(static_cast<std::size_t>(name.number));
    }
    json["latency"] = Json::object();
    for (const Latency &latency : latencies) {
        if (const auto &histogram = info.*latency.histogram) {
            json["latency"][latency.title] = latency_json(*histogram);
        }
    }
    return json;
}

std::string heading(const StatInfo &info) {
    if (info.role == CW_ROLE_CLIENT) {
        return fmt::format("{}/{}{}{}\n", info.server, info.name, info.disk.empty() ? "" : " as ",
                           info.disk);
    }
    const std::string peer = info.host_name.empty() ? info.peer.host_text() : info.host_name;
    return fmt::format("export {}{}{}\n", info.name, peer.empty() ? "" : " for ", peer);
}

std::string counters_text(const StatInfo &info) {
    Table table({{"  counter"}, {"value", Table::Align::right}, {""}});
    for (const NetlinkName &name : counter_names) {
        const std::uint64_t value = info.counters.at(static_cast<std::size_t>(name.number));
        const bool bytes = name.number == CW_N_READ_BYTES || name.number == CW_N_WRITTEN_BYTES;
        if (value != 0) {
            table.row({fmt::format("  {}", name.name), count_text(value),
                       bytes ? size_text(value) : " "});
        }
    }
    const std::string text = table.text();
    return text.empty() ? "  nothing was counted yet\n" : text;
}

std::string latencies_text(const StatInfo &info) {
    std::vector<Table::Column> columns = {{"  latency"}, {"samples", Table::Align::right}};
    for (const Share &share : shares) {
        columns.push_back({share.title, Table::Align::right});
    }
    Table table(columns);
    for (const Latency &latency : latencies) {
        const auto &histogram = info.*latency.histogram;
        if (!histogram || sample_count(*histogram) == 0) {
            continue;
        }
        std::vector<std::string> cells = {fmt::format("  {}", latency.title),
                                          count_text(sample_count(*histogram))};
        for (const Share &share : shares) {
            cells.push_back(latency_text(percentile(*histogram, share.share).value_or(0)));
        }
        table.row(std::move(cells));
    }
    const std::string text = table.text();
    return text.empty() ? text
                        : text + "  (percentiles are interpolated within power-of-two buckets)\n";
}

// The paths of an attached disk that has several.
void add_paths(Answer &answer, const std::vector<SessionInfo> &sessions, const StatInfo &info) {
    for (const SessionInfo &session : sessions) {
        if (info.role != CW_ROLE_CLIENT || session.role != info.role || session.id != info.id ||
            session.paths.size() < 2) {
            continue;
        }
        const std::uint64_t live = live_paths(session);
        answer.json["stats"].back()["paths"] = {{"live", live}, {"count", session.paths.size()}};
        answer.text += fmt::format("  {} of {} paths live; causeway path list {}/{}\n", live,
                                   session.paths.size(), info.server, info.name);
    }
}

Result<void> add_nfs_counters(World &world, Answer &answer) {
    auto connections = TRY(world.kernel.nfs_connections());
    answer.json["nfs"] = Json::array();
    for (const NfsConnection &connection : connections) {
        Json json = {{"role", role_word(connection.role)},
                     {"id", connection.id},
                     {"server", connection.server},
                     {"peer", connection.peer.text()},
                     {"counters", Json::object()}};
        Table table({{"  counter"}, {"value", Table::Align::right}, {""}});
        for (const NetlinkName &name : nfs_counter_names) {
            const std::uint64_t value =
                connection.counters.at(static_cast<std::size_t>(name.number));
            const bool bytes =
                name.number == CW_NFS_SENT_BYTES || name.number == CW_NFS_RECEIVED_BYTES;
            json["counters"][json_key(name.name)] = value;
            if (value != 0) {
                table.row({fmt::format("  {}", name.name), count_text(value),
                           bytes ? size_text(value) : " "});
            }
        }
        answer.json["nfs"].push_back(json);
        const std::string text = table.text();
        answer.text += answer.text.empty() ? "" : "\n";
        answer.text += fmt::format("NFS connection {} {} {}\n", connection.id,
                                   connection.role == CW_ROLE_CLIENT ? "to" : "from",
                                   connection.peer.host_text());
        answer.text += text.empty() ? "  nothing was counted yet\n" : text;
    }
    return {};
}

Result<Answer> run_stat(World &world, const Arguments &arguments) {
    std::optional<DiskName> only;
    if (!arguments.operands().empty()) {
        only = TRY(parse_disk(arguments.operands().front()));
    }
    auto stats = TRY(world.kernel.stats());
    const auto sessions = TRY(world.kernel.sessions());
    Answer answer;
    answer.json["stats"] = Json::array();
    for (const StatInfo &info : stats) {
        if (only && (info.server != only->server.text() || info.name != only->name)) {
            continue;
        }
        answer.json["stats"].push_back(stat_json(info));
        answer.text += answer.text.empty() ? "" : "\n";
        answer.text += heading(info);
        add_paths(answer, sessions, info);
        answer.text += counters_text(info) + latencies_text(info);
    }
    if (only) {
        return answer.text.empty() ? Result<Answer>(not_attached(*only)) : answer;
    }
    TRY(add_nfs_counters(world, answer));
    if (answer.text.empty()) {
        answer.text = "no disk is attached, no client is connected, and NFS has no connection\n";
    }
    return answer;
}

const VerbRows stat_rows(Section::seeing, 3, [] {
    return std::vector<Verb>{
        {
            .words = "stat",
            .operands = "[SERVER/NAME]",
            .summary = "show counters and latencies",
            .most_operands = 1,
            .run = run_stat,
        },
    };
});

} // namespace

} // namespace causeway
