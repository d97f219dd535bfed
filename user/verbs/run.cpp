// SPDX-License-Identifier: GPL-2.0-or-later
// run: lets a program with TCP sockets use RDMA. rsocket(7) of librdmacm has the calls of sockets,
// and a preloaded library redirects the program's calls to it.
#include "command/verb.h"
#include "host/rdma_devices.h"
#include "show/progress.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

constexpr const char *library = "librspreload.so";

// Debian's folders contain the name of the architecture; other distributions have /usr/lib64.
std::optional<std::string> find_library(World &world) {
    std::vector<std::string> folders = {"/usr/lib64"};
    for (const std::string &name : world.files.list("/usr/lib")) {
        if (name.find("-linux-gnu") != std::string::npos) {
            folders.push_back("/usr/lib/" + name);
        }
    }
    folders.emplace_back("/usr/lib");
    for (const std::string &folder : folders) {
        for (const char *place : {"/rsocket", ""}) {
            const auto names = world.files.list(folder + place);
            if (std::find(names.begin(), names.end(), library) != names.end()) {
                return folder + place + "/" + library;
            }
        }
    }
    return std::nullopt;
}

Result<Answer> run_run(World &world, const Arguments &arguments) {
    if (!arguments.has("preload")) {
        return Error{
            ExitCode::usage, "causeway run needs to know how",
            fmt::format("causeway run --preload {}", fmt::join(arguments.operands(), " "))};
    }
    const auto place = find_library(world);
    if (!place) {
        return Error{ExitCode::unavailable, fmt::format("the library {} is not installed", library),
                     "apt install librdmacm1, or: dnf install librdmacm"};
    }
    if (rdma_devices(world.files).empty()) {
        return Error{ExitCode::unavailable, "there is no RDMA device here",
                     "one by software: causeway soft add rxe DEV"};
    }
    const char *before = std::getenv("LD_PRELOAD");
    const std::string libraries =
        before == nullptr || *before == '\0' ? *place : fmt::format("{}:{}", *place, before);
    const Progress::Pause no_line; // the program has the terminal
    TRY(world.processes.become(arguments.operands(), {{"LD_PRELOAD", libraries}}));
    Answer answer;
    answer.printed = true;
    return answer;
}

const VerbRows run_rows(Section::host, 15, [] {
    return std::vector<Verb>{
        {
            .words = "run",
            .operands = "CMD...",
            .summary = "run a program that uses TCP sockets over RDMA",
            .options = {{"preload", "",
                         "the way, which must be given: the library of rsockets is loaded before "
                         "the program's own"}},
            .least_operands = 1,
            .most_operands = 1000,
            .run = run_run,
            .verbatim = true,
        },
    };
});

} // namespace

} // namespace causeway
