// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's counters in the text formats that monitoring systems read.
#pragma once

#include "machine/kernel.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

struct Figures {
    std::vector<ExportInfo> exports;
    std::vector<AttachmentInfo> attachments;
    std::vector<SessionInfo> sessions;
    std::vector<StatInfo> stats;
    std::vector<NfsConnection> nfs;
    std::optional<ServerInfo> server = std::nullopt;
};

// Reads all lists of the kernel. Returns the first error.
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
