// SPDX-License-Identifier: GPL-2.0-or-later
// The verbs that measure and watch.
#include "verbs/tables.h"
#include "verbs/verbs.h"

namespace causeway {

std::vector<Verb> seeing_verbs() {
    return {
        {"top",
         "",
         "watch throughput and latency of each connection as they change",
         {{"interval", "SECONDS", "between two looks, 1 where none is given"},
          {"count", "N", "end after so many; 1 where the output is no terminal"}},
         0,
         0,
         false,
         run_top},
        {"bench",
         "[SERVER]",
         "measure bandwidth, latency and message rate to a server, by qperf",
         {{"serve", "", "let others measure to this machine, until it is interrupted"},
          {"time", "SECONDS", "of each measurement, 2 where none is given"},
          {"device", "DEVICE", "whose rate it is held against, where several are active"},
          {"report", "FILE", "write a page with plots: HTML that needs no other file"}},
         0,
         1,
         false,
         run_bench},
        {"metrics",
         "",
         "figures of all connections for monitoring",
         {{"format", "openmetrics|prometheus",
           "openmetrics, or the older text that node_exporter's textfile collector takes"},
          {"output", "FILE", "replace this file in one step instead of printing"}},
         0,
         0,
         false,
         run_metrics},
    };
}

} // namespace causeway
