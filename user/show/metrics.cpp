// SPDX-License-Identifier: GPL-2.0-or-later
#include "show/metrics.h"

#include "show/histogram.h"
#include "show/words.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <utility>

namespace causeway {

namespace {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

// Escapes backslash, quote and newline as both formats require.
std::string escaped_label(const std::string &text) {
    std::string out;
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
            continue;
        }
        out += c == '\\' || c == '"' ? "\\" : "";
        out += c;
    }
    return out;
}

std::string braces(const Labels &labels) {
    std::string text;
    for (const auto &[name, value] : labels) {
        text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", name, escaped_label(value));
    }
    return text.empty() ? "" : "{" + text + "}";
}

// Writes one family after the other, because all samples of a family must be together.
class Page {
  public:
    explicit Page(MetricsFormat format) : format_(format) {}

    void gauge(const std::string &name, const std::string &help) { begin(name, "gauge", help); }

    void counter(const std::string &name, const std::string &help) {
        begin(openmetrics() ? name : name + "_total", "counter", help);
        name_ = name + "_total";
    }

    void histogram(const std::string &name, const std::string &help) {
        begin(name, "histogram", help);
    }

    void sample(const Labels &labels, double value) {
        text_ += fmt::format("{}{} {}\n", name_, braces(labels), value);
    }

    void sample(const Labels &labels, std::uint64_t value) {
        text_ += fmt::format("{}{} {}\n", name_, braces(labels), value);
    }

    void sample(const Labels &labels, const Histogram &histogram) {
        std::uint64_t below = 0;
        for (std::size_t i = 0; i < histogram.size(); i++) {
            below += histogram[i];
            const double bound = std::ldexp(1e-9, static_cast<int>(i) + 1);
            // The last bucket also holds all slower samples.
            bucket(labels, i + 1 == histogram.size() ? "+Inf" : fmt::format("{}", bound), below);
        }
        if (!openmetrics()) {
            text_ += fmt::format("{}_sum{} NaN\n", name_, braces(labels));
            text_ += fmt::format("{}_count{} {}\n", name_, braces(labels), below);
        }
    }

    std::string text() const { return openmetrics() ? text_ + "# EOF\n" : text_; }

  private:
    bool openmetrics() const { return format_ == MetricsFormat::openmetrics; }

    void begin(const std::string &name, const char *type, const std::string &help) {
        name_ = name;
        text_ += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
    }

    void bucket(Labels labels, std::string bound, std::uint64_t count) {
        labels.emplace_back("le", std::move(bound));
        text_ += fmt::format("{}_bucket{} {}\n", name_, braces(labels), count);
    }

    MetricsFormat format_;
    std::string name_;
    std::string text_;
};

std::string underscored(std::string_view name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
}

/* ---- labels ---- */

Labels labels_of(const AttachmentInfo &info) {
    return {{"server", info.server}, {"name", info.name}, {"disk", info.disk}};
}

// Returns the labels of a session or of its counters. The labels of a disk are the same whatever
// path carries its I/O. The server has a session for each login of a client, and the id tells a new
// one from an old one that has not ended.
template <typename Session> Labels labels_of_session(const Session &session) {
    if (session.role == CW_ROLE_CLIENT) {
        return {
            {"role", role_word(session.role)}, {"server", session.server}, {"name", session.name}};
    }
    return {{"role", role_word(session.role)},
            {"id", fmt::format("{}", session.id)},
            {"name", session.name},
            {"peer", session.peer.text()}};
}

Labels labels_of(const SessionInfo &session) {
    return labels_of_session(session);
}

Labels labels_of(const StatInfo &info) {
    return labels_of_session(info);
}

Labels labels_of(const NfsConnection &connection) {
    return {{"role", role_word(connection.role)},
            {"id", fmt::format("{}", connection.id)},
            {"server", connection.server},
            {"peer", connection.peer.text()}};
}

Labels with(Labels labels, std::string_view name, std::string value) {
    labels.emplace_back(name, std::move(value));
    return labels;
}

template <typename Thing>
void each(Page &page, const std::vector<Thing> &things,
          const std::function<double(const Thing &)> &value) {
    for (const Thing &thing : things) {
        page.sample(labels_of(thing), value(thing));
    }
}

/* ---- the families ---- */

void add_exports(Page &page, const std::vector<ExportInfo> &exports) {
    page.gauge("causeway_export_sessions", "Clients that have the export attached.");
    for (const ExportInfo &info : exports) {
        page.sample({{"name", info.settings.name}}, std::uint64_t{info.sessions});
    }
}

// Counts how often the server refused or delayed something because of a limit.
void add_limits(Page &page, const ServerInfo &server) {
    page.counter("causeway_limit_met", "Times that a limit of the server was met.");
    for (const NetlinkName &name : limit_names) {
        page.sample({{"limit", std::string(name.name)}},
                    server.limits.at(static_cast<std::size_t>(name.number)));
    }
}

void add_attachments(Page &page, const std::vector<AttachmentInfo> &attachments) {
    page.gauge("causeway_disk_size_bytes", "Size of the attached disk.");
    for (const AttachmentInfo &info : attachments) {
        page.sample(labels_of(info), info.size);
    }
    page.gauge("causeway_disk_loss",
               "1 while acknowledged writes were lost and that is not acknowledged.");
    each<AttachmentInfo>(page, attachments,
                         [](const AttachmentInfo &info) { return info.loss ? 1.0 : 0.0; });
}

// Counts clients whose session is gone, too.
void add_malformed(Page &page, std::uint64_t malformed) {
    page.counter("causeway_malformed",
                 "Connections that ended because the client broke the protocol.");
    page.sample({}, malformed);
}

void add_mounts(Page &page, const std::vector<MountFigure> &mounts) {
    const auto each_mount = [&](bool MountFigure::*value) {
        for (const MountFigure &mount : mounts) {
            page.sample({{"source", mount.source}, {"directory", mount.directory}},
                        std::uint64_t{mount.*value ? 1U : 0U});
        }
    };
    page.gauge("causeway_nfs_mount_rdma", "1 for an NFS mount that goes by RDMA, else 0.");
    each_mount(&MountFigure::rdma);
    page.gauge("causeway_nfs_mount_fallback",
               "1 for an NFS mount that goes by TCP because RDMA was not available, else 0.");
    each_mount(&MountFigure::fallback);
}

bool is_attached(const SessionInfo &session) {
    return session.role == CW_ROLE_CLIENT;
}

// The labels stay the same when a path is lost and comes back, by another device too.
Labels labels_of(const SessionInfo &session, const DiskPath &path) {
    return {{"server", session.server},
            {"name", session.name},
            {"path", fmt::format("{}", path.number)},
            {"address", path.peer.host_text()}};
}

void each_path(const std::vector<SessionInfo> &sessions,
               const std::function<void(const Labels &, const DiskPath &)> &add) {
    for (const SessionInfo &session : sessions) {
        if (is_attached(session)) {
            for (const DiskPath &path : session.paths) {
                add(labels_of(session, path), path);
            }
        }
    }
}

void each_disk(Page &page, const std::vector<SessionInfo> &sessions,
               const std::function<std::uint64_t(const SessionInfo &)> &value) {
    for (const SessionInfo &session : sessions) {
        if (is_attached(session)) {
            page.sample({{"server", session.server}, {"name", session.name}}, value(session));
        }
    }
}

bool has_rdma(const SessionInfo &session) {
    return std::any_of(session.paths.begin(), session.paths.end(),
                       [](const DiskPath &path) { return path.transport == CW_TRANSPORT_RDMA; });
}

// Why I/O goes over TCP, while it does after a fallback and could come back. The label has one of
// two values only; the whole reason is in "net --json".
void add_fallbacks(Page &page, const std::vector<SessionInfo> &sessions) {
    page.gauge("causeway_disk_fallback",
               "1 while I/O goes over TCP because the last path over RDMA was lost or removed.");
    for (const SessionInfo &session : sessions) {
        if (is_attached(session) && session.fallbacks > session.returns && has_rdma(session)) {
            const bool removed =
                session.fallback_reason.find("is being removed") != std::string::npos;
            page.sample({{"server", session.server},
                         {"name", session.name},
                         {"reason", removed ? "removed" : "lost"}},
                        std::uint64_t{1});
        }
    }
}

void add_paths(Page &page, const std::vector<SessionInfo> &sessions) {
    page.gauge("causeway_disk_path_info", "1 for each path, with its transport.");
    each_path(sessions, [&](const Labels &labels, const DiskPath &path) {
        page.sample(with(labels, "transport", transport_word(path.transport)), std::uint64_t{1});
    });
    page.gauge("causeway_disk_paths", "Paths that the disk has.");
    each_disk(page, sessions, [](const SessionInfo &session) {
        return std::max<std::uint64_t>(session.paths.size(), 1);
    });
    page.gauge("causeway_disk_paths_live", "Paths of the disk that are live.");
    each_disk(page, sessions, live_paths);
    page.gauge("causeway_disk_path_state", "1 for the state that the path is in, else 0.");
    each_path(sessions, [&](const Labels &labels, const DiskPath &path) {
        for (const NetlinkName &name : disk_path_state_names) {
            page.sample(with(labels, "state", std::string(name.name)),
                        std::uint64_t{path.state == name.number ? 1U : 0U});
        }
    });
    page.gauge("causeway_disk_path_carries_io",
               "1 for a path that carries I/O of its disk, else 0.");
    each_path(sessions, [&](const Labels &labels, const DiskPath &path) {
        page.sample(labels, std::uint64_t{path.carries_io ? 1U : 0U});
    });
    page.gauge("causeway_disk_path_fencing",
               "1 while writes that the path had not answered wait for its fence, else 0.");
    each_path(sessions, [&](const Labels &labels, const DiskPath &path) {
        page.sample(labels, std::uint64_t{path.fencing ? 1U : 0U});
    });
    page.gauge("causeway_disk_path_fence_commands",
               "Commands at the server's disk that the fence of the path waits for.");
    each_path(sessions, [&](const Labels &labels, const DiskPath &path) {
        page.sample(labels, std::uint64_t{path.fence_commands});
    });
    page.counter("causeway_disk_path_losses", "Times that the path was lost.");
    each_path(sessions, [&](const Labels &labels, const DiskPath &path) {
        page.sample(labels, std::uint64_t{path.losses});
    });
    page.counter("causeway_disk_path_fences", "Fences of the path that have ended.");
    each_path(sessions, [&](const Labels &labels, const DiskPath &path) {
        page.sample(labels, std::uint64_t{path.fences});
    });
    page.counter("causeway_disk_path_fence_seconds",
                 "Time from losses of the path until its fence had ended.");
    each_path(sessions, [&](const Labels &labels, const DiskPath &path) {
        page.sample(labels, static_cast<double>(path.fence_time) * 1e-9);
    });
    page.counter("causeway_disk_failovers",
                 "Times that a path which carried I/O was lost while another one was live.");
    each_disk(page, sessions, [](const SessionInfo &session) { return session.failovers; });
    page.counter("causeway_disk_fallbacks",
                 "Times that I/O moved to paths over TCP, because the last one over RDMA was lost "
                 "or removed.");
    each_disk(page, sessions, [](const SessionInfo &session) { return session.fallbacks; });
    add_fallbacks(page, sessions);
    page.counter("causeway_disk_returns", "Times that I/O moved back to paths over RDMA.");
    each_disk(page, sessions, [](const SessionInfo &session) { return session.returns; });
}

template <typename Thing>
void add_connection_state(Page &page, const std::string &prefix, const std::vector<Thing> &things) {
    page.gauge(prefix + "_up", "1 while the connection is live.");
    each<Thing>(page, things,
                [](const Thing &each) { return each.state == CW_STATE_LIVE ? 1.0 : 0.0; });
    page.gauge(prefix + "_rdma", "1 while it goes by RDMA, else 0.");
    each<Thing>(page, things,
                [](const Thing &each) { return each.transport == CW_TRANSPORT_RDMA ? 1.0 : 0.0; });
    page.gauge(prefix + "_state_seconds", "Time in the present state.");
    each<Thing>(page, things,
                [](const Thing &each) { return static_cast<double>(each.since) * 1e-9; });
    page.counter(prefix + "_reconnects", "Connections made anew after a loss.");
    for (const Thing &each : things) {
        page.sample(labels_of(each), std::uint64_t{each.reconnects});
    }
}

void add_counters(Page &page, const std::vector<StatInfo> &stats) {
    for (const NetlinkName &name : counter_names) {
        page.counter("causeway_session_" + underscored(name.name),
                     fmt::format("Counter {} of causeway stat.", name.name));
        for (const StatInfo &info : stats) {
            page.sample(labels_of(info), info.counters.at(static_cast<std::size_t>(name.number)));
        }
    }
}

void add_latencies(Page &page, const std::vector<StatInfo> &stats) {
    page.histogram("causeway_io_latency_seconds", "Time of an I/O from start to end.");
    const auto add = [&](const StatInfo &info, const char *kind,
                         const std::optional<Histogram> &histogram) {
        if (histogram) {
            page.sample(with(labels_of(info), "operation", kind), *histogram);
        }
    };
    for (const StatInfo &info : stats) {
        add(info, "read", info.read_latency);
        add(info, "write", info.write_latency);
        add(info, "flush", info.flush_latency);
    }
}

void add_nfs_counters(Page &page, const std::vector<NfsConnection> &connections) {
    for (const NetlinkName &name : nfs_counter_names) {
        page.counter("causeway_nfs_" + underscored(name.name),
                     fmt::format("Counter {} of an NFS connection.", name.name));
        for (const NfsConnection &connection : connections) {
            page.sample(labels_of(connection),
                        connection.counters.at(static_cast<std::size_t>(name.number)));
        }
    }
}

} // namespace

Result<Figures> read_figures(Kernel &kernel) {
    auto exports = TRY(kernel.exports());
    auto attachments = TRY(kernel.attachments());
    auto sessions = TRY(kernel.sessions());
    auto stats = TRY(kernel.stats());
    auto nfs = TRY(kernel.nfs_connections());
    auto server = TRY(kernel.server());
    return Figures{std::move(exports), std::move(attachments), std::move(sessions),
                   std::move(stats),   std::move(nfs),         server};
}

std::uint64_t live_paths(const SessionInfo &session) {
    if (session.paths.empty()) {
        return session.state == CW_STATE_LIVE ? 1 : 0;
    }
    return static_cast<std::uint64_t>(
        std::count_if(session.paths.begin(), session.paths.end(),
                      [](const DiskPath &path) { return path.state == CW_DISK_PATH_LIVE; }));
}

std::string metrics_text(const Figures &figures, MetricsFormat format) {
    Page page(format);
    add_exports(page, figures.exports);
    if (figures.server) {
        add_limits(page, *figures.server);
    }
    if (figures.malformed) {
        add_malformed(page, *figures.malformed);
    }
    add_attachments(page, figures.attachments);
    add_paths(page, figures.sessions);
    add_connection_state(page, "causeway_session", figures.sessions);
    add_counters(page, figures.stats);
    add_latencies(page, figures.stats);
    add_connection_state(page, "causeway_nfs_connection", figures.nfs);
    add_nfs_counters(page, figures.nfs);
    add_mounts(page, figures.mounts);
    return page.text();
}

} // namespace causeway
