// SPDX-License-Identifier: GPL-2.0-or-later
// metrics: figures for monitoring.
#include "show/metrics.h"
#include "command/verb.h"

#include "base/durable_file.h"
#include "nfs/mounts.h"
#include "nfs/record.h"

#include <charconv>
#include <fmt/format.h>

namespace causeway {

namespace {

Result<MetricsFormat> format_of(const Arguments &arguments) {
    const std::string word = arguments.text("format").value_or("openmetrics");
    if (word == "openmetrics") {
        return MetricsFormat::openmetrics;
    }
    if (word == "prometheus") {
        return MetricsFormat::prometheus;
    }
    return Error{ExitCode::usage, fmt::format("--format '{}' is unknown", word),
                 "give openmetrics or prometheus"};
}

std::optional<std::uint64_t> malformed_messages(World &world) {
    const std::string text = text_of(world.files, "/sys/module/causeway/parameters/malformed");
    std::uint64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    return error == std::errc() && end != text.data() ? std::optional(count) : std::nullopt;
}

Result<std::vector<MountFigure>> mount_figures(World &world) {
    std::vector<MountFigure> figures;
    for (const NfsMount &mount : TRY(nfs_mounts(world.files))) {
        const bool tcp = mount.transport == CW_TRANSPORT_TCP;
        const auto record = record_of(world.places, mount, world.clock.now());
        figures.push_back({mount.source, mount.directory, mount.transport == CW_TRANSPORT_RDMA,
                           tcp && record && !record->reason.empty()});
    }
    return figures;
}

Result<Answer> run_metrics(World &world, const Arguments &arguments) {
    auto format = TRY(format_of(arguments));
    auto figures = TRY(read_figures(world.kernel));
    figures.mounts = TRY(mount_figures(world));
    figures.malformed = malformed_messages(world);
    Answer answer;
    const std::string text = metrics_text(figures, format);
    const auto place = arguments.text("output");
    if (!place) {
        answer.text = text;
        answer.json["metrics"] = text;
        return answer;
    }
    // A reader of the file gets either the old or the new content.
    TRY(write_durably(*place, text, 0644));
    answer.json["output"] = *place;
    return answer;
}

const VerbRows metrics_rows(Section::seeing, 6, [] {
    return std::vector<Verb>{
        {
            .words = "metrics",
            .summary = "print figures of all connections for monitoring",
            .options = {{"format", "openmetrics|prometheus",
                         "openmetrics, the default, or the older text that node_exporter's "
                         "textfile collector takes"},
                        {"output", "FILE", "replace this file in one step instead of printing"}},
            .run = run_metrics,
        },
    };
});

} // namespace

} // namespace causeway
