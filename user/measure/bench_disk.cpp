// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/bench_disk.h"

#include "base/durable_file.h"
#include "base/units.h"
#include "measure/benched_disk.h"
#include "measure/fio.h"
#include "measure/link_rate.h"
#include "measure/page.h"
#include "measure/report.h"
#include "show/progress.h"
#include "show/table.h"

#include <cerrno>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

constexpr std::chrono::seconds fio_grace{20}; // in addition to the duration of a measurement
// Above and below these parts of the link's rate, sequential reads are limited by the link, and by
// something else.
constexpr double share_of_full_link = 0.8;
constexpr double share_of_idle_link = 0.5;

struct DiskResult {
    BenchedDisk disk;
    DiskLinks links;
    std::vector<DiskPoint> points; // of disk_measurements(), in their order

    std::optional<double> share() const {
        return links.usable ? std::optional(points.front().bandwidth / *links.usable)
                            : std::nullopt;
    }
};

Result<void> need_fio(World &world) {
    if (world.processes.there("fio")) {
        return {};
    }
    return Error{ExitCode::unavailable, "the program fio is not installed here",
                 "apt install fio, or: dnf install fio"};
}

Result<DiskPoint> measure_disk(World &world, const BenchedDisk &disk, const DiskMeasurement &one,
                               std::uint64_t seconds) {
    const auto limit = fio_grace + std::chrono::seconds(seconds);
    auto end = TRY(world.processes.run(fio_words(disk.device, one, seconds), limit));
    if (end.timed_out) {
        return Error{
            ExitCode::try_again,
            fmt::format("measuring {} failed: no answer within {} s", disk.device, limit.count()),
            "see: causeway net, and causeway doctor"};
    }
    auto point = fio_point(end.out);
    if (point && end.good()) {
        return point;
    }
    Error error = point ? Error{ExitCode::failed, end.last_words()} : point.error();
    if (!point && error.system_error == 0 && !end.err.empty()) {
        error.what += "; it says: " + end.last_words();
    }
    if (error.system_error == EACCES || error.system_error == EPERM) {
        error.code = ExitCode::no_permission;
        error.fix = "run the command as root";
    }
    error.what = fmt::format("measuring {} failed: {}", disk.device, error.what);
    return error;
}

std::string disk_gigabits(double bytes_per_second) {
    return bench_value({BenchKind::one_way, 1, bytes_per_second});
}

std::vector<std::string> cells_of(const DiskMeasurement &one, const DiskPoint &point) {
    return {one.title,
            size_text(one.block),
            disk_gigabits(point.bandwidth),
            count_text(static_cast<std::uint64_t>(point.rate)) + " /s",
            latency_text(point.mean),
            latency_text(point.median),
            latency_text(point.slow)};
}

// The sentences that compare the measurement with the link, and with the other end.
std::string comparison(const DiskResult &result) {
    std::string text;
    if (result.disk.attached) {
        const std::string server = result.disk.attached->server.host;
        if (const auto share = result.share()) {
            text +=
                fmt::format("{} leaves {} for data; sequential reads reach {:.0f} % of it{}\n",
                            result.links.text, disk_gigabits(*result.links.usable), *share * 100,
                            *share >= share_of_full_link  ? ", so the link limits them"
                            : *share < share_of_idle_link ? ", so the link does not limit them"
                                                          : "");
        } else {
            text += fmt::format("the rate of the link is not known; measure it: causeway bench "
                                "--serve on {0}, and here: causeway bench {0}\n",
                                server);
        }
        text += fmt::format("the disk by itself, on {}: causeway bench --disk {}\n", server,
                            result.disk.attached->name);
    }
    if (!result.disk.exported.empty()) {
        text += fmt::format("what a client reads of it, on the client: causeway bench --disk "
                            "SERVER/{}\n",
                            result.disk.exported);
    }
    return text;
}

std::string disk_text(const DiskResult &result, const Terminal &terminal) {
    constexpr auto right = Table::Align::right;
    Table table({{"WHAT"},
                 {"BLOCK", right},
                 {"BANDWIDTH", right},
                 {"RATE", right},
                 {"MEAN", right},
                 {"MEDIAN", right},
                 {"P99", right}});
    for (std::size_t i = 0; i < result.points.size(); i++) {
        table.row(cells_of(disk_measurements()[i], result.points[i]));
    }
    const std::string more = comparison(result);
    return fmt::format("{}{}{}", table.text(terminal), more.empty() ? "" : "\n", more);
}

Json disk_json(const DiskResult &result) {
    const auto &name = result.disk.attached;
    const auto share = result.share();
    Json json = {{"disk", result.disk.typed},
                 {"device", result.disk.device},
                 {"server", name ? Json(name->server.text()) : Json(nullptr)},
                 {"name", name ? Json(name->name) : Json(nullptr)},
                 {"export", or_null(result.disk.exported)},
                 {"link", or_null(result.links.text)},
                 {"usable_bytes_per_s", or_null(result.links.usable)},
                 {"sequential_share", or_null(share)},
                 {"points", Json::array()}};
    for (std::size_t i = 0; i < result.points.size(); i++) {
        const DiskMeasurement &one = disk_measurements()[i];
        const DiskPoint &point = result.points[i];
        json["points"].push_back({{"kind", one.key},
                                  {"block_bytes", one.block},
                                  {"depth", one.depth},
                                  {"bytes_per_s", point.bandwidth},
                                  {"reads_per_s", point.rate},
                                  {"mean_ns", point.mean},
                                  {"median_ns", point.median},
                                  {"p99_ns", point.slow}});
    }
    return json;
}

std::string disk_page(const DiskResult &result) {
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < result.points.size(); i++) {
        rows.push_back(cells_of(disk_measurements()[i], result.points[i]));
    }
    std::string body =
        fmt::format("<p>Reads of {}, by fio.</p>\n", escaped_html(result.disk.device));
    body += html_table({"what", "block", "bandwidth", "rate", "mean", "median", "P99"}, rows);
    const std::string more = comparison(result);
    body += more.empty() ? "" : fmt::format("<pre>{}</pre>\n", escaped_html(more));
    return html_page("Disk " + result.disk.typed, body);
}

} // namespace

Answer commands_answer(const std::vector<std::vector<std::string>> &commands) {
    Answer answer;
    answer.json = {{"dry_run", true}, {"commands", commands}};
    for (const auto &words : commands) {
        answer.text += fmt::format("run {}\n", fmt::join(words, " "));
    }
    return answer;
}

Result<Answer> bench_disk(World &world, const Arguments &arguments, std::uint64_t seconds) {
    DiskResult result;
    result.disk = TRY(find_benched_disk(world, arguments.text("disk").value_or("")));
    TRY(need_fio(world));
    if (arguments.dry_run()) {
        std::vector<std::vector<std::string>> commands;
        for (const DiskMeasurement &one : disk_measurements()) {
            commands.push_back(fio_words(result.disk.device, one, seconds));
        }
        return commands_answer(commands);
    }
    {
        Progress progress(world, "measuring " + result.disk.device);
        const std::size_t count = disk_measurements().size();
        for (const DiskMeasurement &one : disk_measurements()) {
            progress.now(fmt::format("[{}/{}] {}", result.points.size() + 1, count, one.progress));
            result.points.push_back(TRY(measure_disk(world, result.disk, one, seconds)));
        }
    }
    // Read after the measurement, during which the paths that carry I/O may have changed.
    if (const auto &name = result.disk.attached) {
        if (const auto sessions = world.kernel.sessions()) {
            result.links = links_of_disk(world.files, *sessions, name->server.text(), name->name);
        }
    }
    Answer answer;
    answer.json = disk_json(result);
    answer.text = disk_text(result, world.terminal);
    if (const auto place = arguments.text("report")) {
        TRY(write_durably(*place, disk_page(result), 0644));
        answer.text += fmt::format("the report is in {}\n", *place);
        answer.json["report"] = *place;
    }
    return answer;
}

} // namespace causeway
