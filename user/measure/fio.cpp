// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/fio.h"

#include "base/answer.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <initializer_list>
#include <optional>

namespace causeway {

namespace {

// The name of a device may contain ':', at which fio would divide the name into two.
std::string escaped_colons(const std::string &path) {
    std::string escaped;
    for (const char c : path) {
        if (c == ':' || c == '\\') {
            escaped += '\\';
        }
        escaped += c;
    }
    return escaped;
}

Error not_understood(const std::string &why) {
    return Error{ExitCode::failed, fmt::format("the output of fio is not understood: {}", why),
                 "see if this fio works: fio --version"};
}

// Returns the member at the end of the path, or null if a part of the path is missing.
const Json *member_at(const Json &from, std::initializer_list<const char *> path) {
    const Json *at = &from;
    for (const char *name : path) {
        if (!at->is_object() || !at->contains(name)) {
            return nullptr;
        }
        at = &at->at(name);
    }
    return at;
}

Result<double> figure_at(const Json &from, std::initializer_list<const char *> path) {
    const Json *at = member_at(from, path);
    const double figure = at != nullptr && at->is_number() ? at->get<double>() : -1;
    if (!std::isfinite(figure) || figure < 0) {
        return not_understood(fmt::format("it has no number for {}", *(path.end() - 1)));
    }
    return figure;
}

// Returns the JSON of the only job. Lines for people may stand before the JSON.
Result<Json> only_job(const std::string &output) {
    const std::size_t start =
        output.substr(0, 1) == "{" ? 0 : std::min(output.find("\n{"), output.size());
    Json all = Json::parse(output.substr(start), nullptr, false);
    const Json *jobs = all.is_discarded() ? nullptr : member_at(all, {"jobs"});
    if (jobs == nullptr || !jobs->is_array() || jobs->size() != 1 || !jobs->front().is_object()) {
        return not_understood("it is no JSON with one job");
    }
    return jobs->front();
}

} // namespace

const std::vector<DiskMeasurement> &disk_measurements() {
    constexpr std::uint64_t large = 1048576;
    constexpr std::uint64_t small = 4096;
    static const std::vector<DiskMeasurement> all = {
        {"sequential", "sequential reads", false, large, 8, "sequential reads of 1 MiB, 8 at once"},
        {"latency", "random reads, one at once", true, small, 1,
         "random reads of 4 KiB, one at once"},
        {"rate", "random reads, 32 at once", true, small, 32, "random reads of 4 KiB, 32 at once"},
    };
    return all;
}

// Without --invalidate=0, fio would drop the cached pages of the device, and write dirty ones
// first.
std::vector<std::string> fio_words(const std::string &device, const DiskMeasurement &one,
                                   std::uint64_t seconds) {
    return {"fio",
            "--readonly",
            "--output-format=json",
            "--name=" + std::string(one.key),
            "--filename=" + escaped_colons(device),
            "--allow_file_create=0",
            "--ioengine=libaio",
            "--direct=1",
            "--invalidate=0",
            one.random ? "--rw=randread" : "--rw=read",
            fmt::format("--bs={}", one.block),
            fmt::format("--iodepth={}", one.depth),
            "--norandommap",
            "--randrepeat=0",
            "--time_based",
            fmt::format("--runtime={}", seconds)};
}

Result<DiskPoint> fio_point(const std::string &output) {
    const auto job = TRY(only_job(output));
    const auto failure = TRY(figure_at(job, {"error"}));
    if (failure > 0) {
        const int number = failure < 4096 ? static_cast<int>(failure) : EIO;
        return Error{ExitCode::failed, std::strerror(number), "", number};
    }
    for (const char *writing : {"write", "trim"}) {
        const auto bytes = TRY(figure_at(job, {writing, "io_bytes"}));
        if (bytes > 0) {
            return not_understood(fmt::format("it reports a {}", writing));
        }
    }
    DiskPoint point;
    point.bandwidth = TRY(figure_at(job, {"read", "bw_bytes"}));
    point.rate = TRY(figure_at(job, {"read", "iops"}));
    point.mean = TRY(figure_at(job, {"read", "clat_ns", "mean"}));
    point.median = TRY(figure_at(job, {"read", "clat_ns", "percentile", "50.000000"}));
    point.slow = TRY(figure_at(job, {"read", "clat_ns", "percentile", "99.000000"}));
    const auto reads = TRY(figure_at(job, {"read", "total_ios"}));
    if (reads == 0) {
        return Error{ExitCode::failed, "no read was answered"};
    }
    return point;
}

} // namespace causeway
