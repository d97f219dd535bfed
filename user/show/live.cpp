// SPDX-License-Identifier: GPL-2.0-or-later
#include "show/live.h"

#include "base/units.h"
#include "show/histogram.h"
#include "show/words.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace causeway {

namespace {

/* ---- rates between two readings ---- */

std::optional<double> rate(std::uint64_t before, std::uint64_t now, double seconds) {
    return now < before ? std::optional<double>()
                        : std::optional(static_cast<double>(now - before) / seconds);
}

bool same(const StatInfo &left, const StatInfo &right) {
    return left.role == right.role && left.id == right.id && left.server == right.server &&
           left.name == right.name;
}

bool same(const NfsConnection &left, const NfsConnection &right) {
    return left.role == right.role && left.id == right.id;
}

bool belongs(const SessionInfo &session, const StatInfo &info) {
    return session.role == info.role && session.id == info.id && session.server == info.server &&
           session.name == info.name;
}

template <typename Thing>
const Thing *find_before(const std::vector<Thing> &things, const Thing &wanted) {
    const auto found = std::find_if(things.begin(), things.end(),
                                    [&](const Thing &each) { return same(each, wanted); });
    return found == things.end() ? nullptr : &*found;
}

void add_difference(Histogram &sum, const std::optional<Histogram> &before,
                    const std::optional<Histogram> &now) {
    if (!now) {
        return;
    }
    for (std::size_t i = 0; i < sum.size(); i++) {
        const std::uint64_t had = before ? before->at(i) : 0;
        sum.at(i) += now->at(i) > had ? now->at(i) - had : 0;
    }
}

std::string transport_name(std::uint8_t transport) {
    return transport == CW_TRANSPORT_RDMA ? "RDMA" : transport == CW_TRANSPORT_TCP ? "TCP" : "";
}

LiveRow row_of(const SessionInfo &session) {
    LiveRow row;
    const bool client = session.role == CW_ROLE_CLIENT;
    const std::string peer =
        session.host_name.empty() ? session.peer.host_text() : session.host_name;
    row.kind = client ? "disk" : "export";
    row.name = client ? session.server + "/" + session.name
                      : session.name + (peer.empty() ? "" : " to " + peer);
    row.transport = transport_name(session.transport);
    row.device = device_text(session);
    row.state = session.state;
    if (session.paths.size() > 1) {
        row.paths = fmt::format("{}/{}", live_paths(session), session.paths.size());
    }
    return row;
}

LiveRow row_of(const NfsConnection &connection) {
    LiveRow row;
    const bool client = connection.role == CW_ROLE_CLIENT;
    const std::string peer = connection.peer.host_text();
    row.kind = client ? "mount" : "nfsd";
    row.name = client && !connection.server.empty() ? connection.server : peer;
    row.transport = transport_name(connection.transport);
    row.device = device_text(connection.device, connection.device_port);
    row.state = connection.state;
    return row;
}

void add_rates(LiveRow &row, const StatInfo &before, const StatInfo &now, double seconds) {
    const auto of = [&](int counter) {
        const auto index = static_cast<std::size_t>(counter);
        return rate(before.counters.at(index), now.counters.at(index), seconds);
    };
    row.reads = of(CW_N_READS);
    row.writes = of(CW_N_WRITES);
    row.read_bytes = of(CW_N_READ_BYTES);
    row.written_bytes = of(CW_N_WRITTEN_BYTES);
    Histogram ended{};
    add_difference(ended, before.read_latency, now.read_latency);
    add_difference(ended, before.write_latency, now.write_latency);
    row.median = percentile(ended, 0.5);
    row.slowest = percentile(ended, 0.99);
}

// An NFS connection counts reads and writes by how their data was sent, inline or in chunks.
void add_rates(LiveRow &row, const NfsConnection &before, const NfsConnection &now,
               double seconds) {
    const auto value = [](const NfsConnection &connection, int counter) {
        return connection.counters.at(static_cast<std::size_t>(counter));
    };
    const auto of = [&](int counter) {
        return rate(value(before, counter), value(now, counter), seconds);
    };
    const auto sum = [](std::optional<double> left, std::optional<double> right) {
        return left && right ? std::optional(*left + *right) : std::nullopt;
    };
    const bool client = now.role == CW_ROLE_CLIENT;
    row.reads = sum(of(CW_NFS_INLINE_READS), of(CW_NFS_CHUNKED_READS));
    row.writes = sum(of(CW_NFS_INLINE_WRITES), of(CW_NFS_CHUNKED_WRITES));
    row.read_bytes = of(client ? CW_NFS_RECEIVED_BYTES : CW_NFS_SENT_BYTES);
    row.written_bytes = of(client ? CW_NFS_SENT_BYTES : CW_NFS_RECEIVED_BYTES);
}

/* ---- lines of the screen ---- */

using Text = std::string (*)(const LiveRow &row);

std::string rate_text(const std::optional<double> &value) {
    return value ? count_text(static_cast<std::uint64_t>(*value + 0.5)) : "-";
}

std::string bytes_text(const std::optional<double> &value) {
    return value ? size_text(static_cast<std::uint64_t>(*value + 0.5)) : "-";
}

std::string time_text(const std::optional<double> &value) {
    return value ? latency_text(*value) : "-";
}

std::string state_text(const LiveRow &row) {
    const std::string word = state_word(row.state);
    return row.paths.empty() || row.state != CW_STATE_LIVE ? word : word + " " + row.paths;
}

struct LiveColumn {
    const char *title;
    std::size_t width; // 0: the space that the other columns leave
    bool right;
    std::size_t from; // shown if the screen has at least this many columns
    Text text;
};

constexpr std::size_t wide = 110;

constexpr std::array columns_of_screen = {
    LiveColumn{"KIND", 6, false, 0, [](const LiveRow &row) { return row.kind; }},
    LiveColumn{"NAME", 0, false, 0, [](const LiveRow &row) { return row.name; }},
    LiveColumn{"BY", 4, false, 0,
               [](const LiveRow &row) { return row.transport.empty() ? "-" : row.transport; }},
    LiveColumn{"DEVICE", 10, false, wide,
               [](const LiveRow &row) { return row.device.empty() ? "-" : row.device; }},
    LiveColumn{"READS/s", 9, true, wide, [](const LiveRow &row) { return rate_text(row.reads); }},
    LiveColumn{"WRITES/s", 9, true, wide, [](const LiveRow &row) { return rate_text(row.writes); }},
    LiveColumn{"READ/s", 9, true, 0, [](const LiveRow &row) { return bytes_text(row.read_bytes); }},
    LiveColumn{"WRITTEN/s", 9, true, 0,
               [](const LiveRow &row) { return bytes_text(row.written_bytes); }},
    LiveColumn{"P50", 8, true, 0, [](const LiveRow &row) { return time_text(row.median); }},
    LiveColumn{"P99", 8, true, 0, [](const LiveRow &row) { return time_text(row.slowest); }},
    LiveColumn{"STATE", 10, false, 0, state_text},
};

// Cuts or pads the text to the width. A text that was cut ends in '~'.
std::string fitted(std::string text, std::size_t width, bool right) {
    if (text.size() > width) {
        text.resize(width);
        if (width != 0) {
            text.back() = '~';
        }
        return text;
    }
    const std::string padding(width - text.size(), ' ');
    return right ? padding + text : text + padding;
}

std::size_t name_width(std::size_t columns) {
    std::size_t taken = 0;
    for (const LiveColumn &column : columns_of_screen) {
        taken += columns >= column.from ? column.width + 1 : 0;
    }
    constexpr std::size_t least = 8;
    constexpr std::size_t most = 60;
    return columns > taken + least ? std::min(columns - taken, most) : least;
}

ScreenLine one_line(std::size_t columns, const LiveRow *row) {
    ScreenLine line;
    line.reversed = row == nullptr;
    std::size_t left = columns;
    for (const LiveColumn &column : columns_of_screen) {
        if (columns < column.from || left == 0) {
            continue;
        }
        const std::size_t width = column.width == 0 ? name_width(columns) : column.width;
        std::string text =
            fitted(row == nullptr ? column.title : column.text(*row), width, column.right);
        text += " ";
        text.resize(std::min(text.size(), left));
        left -= text.size();
        const bool state = row != nullptr && column.text == columns_of_screen.back().text;
        line.parts.push_back({std::move(text), state ? tone_of_state(row->state) : Tone::plain});
    }
    return line;
}

ScreenLine plain_line(const std::string &text, std::size_t columns) {
    return {{{text.substr(0, columns), Tone::plain}}, false};
}

std::string summary(const std::vector<LiveRow> &rows) {
    double read = 0;
    double written = 0;
    std::size_t live = 0;
    for (const LiveRow &row : rows) {
        read += row.read_bytes.value_or(0);
        written += row.written_bytes.value_or(0);
        live += row.state == CW_STATE_LIVE ? 1 : 0;
    }
    return fmt::format("causeway: {} of {} connections live, {}/s read, {}/s written", live,
                       rows.size(), bytes_text(read), bytes_text(written));
}

const char *order_word(LiveOrder order) {
    switch (order) {
    case LiveOrder::latency:
        return "latency";
    case LiveOrder::name:
        return "name";
    case LiveOrder::throughput:
        break;
    }
    return "throughput";
}

} // namespace

std::vector<LiveRow> live_rows(const Figures &before, const Figures &now, double seconds) {
    std::vector<LiveRow> rows;
    for (const SessionInfo &session : now.sessions) {
        LiveRow row = row_of(session);
        const auto stat =
            std::find_if(now.stats.begin(), now.stats.end(),
                         [&](const StatInfo &each) { return belongs(session, each); });
        if (stat != now.stats.end()) {
            if (const StatInfo *had = find_before(before.stats, *stat)) {
                add_rates(row, *had, *stat, seconds);
            }
        }
        rows.push_back(std::move(row));
    }
    for (const NfsConnection &connection : now.nfs) {
        LiveRow row = row_of(connection);
        if (const NfsConnection *had = find_before(before.nfs, connection)) {
            add_rates(row, *had, connection, seconds);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

void sort_rows(std::vector<LiveRow> &rows, LiveOrder order) {
    const auto weight = [&](const LiveRow &row) {
        switch (order) {
        case LiveOrder::throughput:
            return row.read_bytes.value_or(0) + row.written_bytes.value_or(0);
        case LiveOrder::latency:
            return row.median.value_or(0);
        case LiveOrder::name:
            break;
        }
        return 0.0;
    };
    std::stable_sort(rows.begin(), rows.end(), [&](const LiveRow &left, const LiveRow &right) {
        const double difference = weight(left) - weight(right);
        return difference != 0 ? difference > 0 : left.name < right.name;
    });
}

std::vector<ScreenLine> live_screen(const std::vector<LiveRow> &rows, LiveOrder order,
                                    std::size_t columns, std::size_t lines) {
    std::vector<ScreenLine> screen;
    screen.push_back(plain_line(summary(rows), columns));
    screen.push_back(plain_line("", columns));
    screen.push_back(one_line(columns, nullptr));
    constexpr std::size_t around = 5; // summary, blank line, titles, count of rows left out, keys
    const std::size_t room = lines > around ? lines - around : 0;
    for (std::size_t i = 0; i < std::min(room, rows.size()); i++) {
        screen.push_back(one_line(columns, &rows[i]));
    }
    if (rows.empty()) {
        screen.push_back(plain_line("no connections", columns));
    } else if (rows.size() > room) {
        screen.push_back(plain_line(fmt::format("... and {} more", rows.size() - room), columns));
    }
    while (screen.size() + 1 < lines) {
        screen.push_back(plain_line("", columns));
    }
    screen.push_back(
        plain_line(fmt::format("q quit   s sort, now by {}", order_word(order)), columns));
    screen.resize(std::min(screen.size(), lines));
    return screen;
}

} // namespace causeway
