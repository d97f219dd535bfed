// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's figures in the text formats that monitoring reads.
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

Result<Figures> read_figures(Kernel &kernel);

enum class MetricsFormat {
    openmetrics, // OpenMetrics 1.0: a counter's family is named without "_total", "# EOF" ends it
    prometheus,  // the text format 0.0.4, which node_exporter's textfile collector reads typed
};

// Times in seconds, sizes in bytes; a histogram's bounds are the kernel's powers of two of
// nanoseconds. The sum of a histogram is not known and left out in OpenMetrics, which allows that;
// the other format wants one and gets NaN.
std::string metrics_text(const Figures &figures, MetricsFormat format);

} // namespace causeway
