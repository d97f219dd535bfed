// SPDX-License-Identifier: GPL-2.0-or-later
// Runs fio(1), which measures what a block device reads. Nothing here writes to a device: fio
// itself refuses each job that writes.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace causeway {

// One measurement of a disk, and the words for it.
struct DiskMeasurement {
    const char *key;   // in JSON: "sequential"
    const char *title; // for people: "sequential reads"
    bool random;
    std::uint64_t block;  // bytes of one read
    std::uint32_t depth;  // reads that are under way at once
    const char *progress; // "sequential reads of 1 MiB, 8 at once"
};

// In the order in which they are made: bandwidth, latency, rate.
const std::vector<DiskMeasurement> &disk_measurements();

struct DiskPoint {
    double bandwidth = 0; // bytes per second
    double rate = 0;      // reads per second
    double mean = 0;      // nanoseconds of one read, as are the following
    double median = 0;
    double slow = 0; // the 99th percentile
};

// Returns the command line of one measurement of @seconds seconds.
std::vector<std::string> fio_words(const std::string &device, const DiskMeasurement &one,
                                   std::uint64_t seconds);

// Returns the values in the output of fio, which is JSON behind lines for people. Returns an error
// if fio reports an error, read nothing, wrote something, or if a value is missing.
Result<DiskPoint> fio_point(const std::string &output);

} // namespace causeway
