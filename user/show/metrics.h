// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's counters in the text formats that monitoring systems read.
#pragma once

#include "machine/kernel.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

struct MountFigure {
    std::string source; // "server:/srv/home"
    std::string directory;
    bool rdma = false;
    bool fallback = false; // goes by TCP, because RDMA was not available
};

struct Figures {
    std::vector<ExportInfo> exports;
    std::vector<AttachmentInfo> attachments;
    std::vector<SessionInfo> sessions;
    std::vector<StatInfo> stats;
    std::vector<NfsConnection> nfs;
    std::optional<ServerInfo> server = std::nullopt;
    std::vector<MountFigure> mounts{};                     // set by the verb only
    std::optional<std::uint64_t> malformed = std::nullopt; // set by the verb only
};

// Reads all lists of Causeway's modules. Returns the first error.
Result<Figures> read_figures(Kernel &kernel);

// Older modules report no paths; their sessions have one.
std::uint64_t live_paths(const SessionInfo &session);

enum class MetricsFormat {
    // OpenMetrics 1.0: no "_total" in the name of a counter's family, "# EOF" at the end.
    openmetrics,
    prometheus, // text format 0.0.4, whose types the textfile collector of node_exporter reads
};

// Times are in seconds, sizes in bytes. The bounds of a histogram are the kernel's powers of two of
// nanoseconds. The sum of a histogram is unknown: OpenMetrics allows to omit it; the other format
// requires one and gets NaN.
std::string metrics_text(const Figures &figures, MetricsFormat format);

} // namespace causeway
