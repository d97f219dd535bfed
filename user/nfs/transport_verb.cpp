// SPDX-License-Identifier: GPL-2.0-or-later
// nfs transport: shows or chooses the kernel module for NFS over RDMA.
#include "base/nearest.h"
#include "change/carry_out.h"
#include "command/verb.h"
#include "nfs/answer.h"
#include "nfs/transport.h"

#include <fmt/format.h>

namespace causeway {

namespace {

Result<NfsTransport> parse_transport(const std::string &typed) {
    for (const NfsTransport one : {NfsTransport::causeway, NfsTransport::in_tree}) {
        if (typed == transport_name(one)) {
            return one;
        }
    }
    const auto close = nearest(typed, {"causeway", "in-tree"});
    return Error{ExitCode::usage, fmt::format("'{}' is no transport", typed),
                 close ? fmt::format("did you mean {}?", *close) : "give causeway or in-tree"};
}

Json sight_json(const TransportSight &sight) {
    Json json = {{"configured", transport_name(sight.configured)},
                 {"loaded", sight.loaded ? Json(transport_name(*sight.loaded)) : Json(nullptr)},
                 {"listening", sight.listens},
                 {"mounts", Json::array()}};
    for (const NfsMount &mount : sight.mounts) {
        json["mounts"].push_back(mount.directory);
    }
    return json;
}

Answer tell(const TransportSight &sight, bool changed) {
    Answer answer;
    answer.json = sight_json(sight);
    answer.json["in_effect"] = !wrong_one(sight);
    answer.json["changed"] = changed;
    answer.text =
        fmt::format("NFS over RDMA: {} is chosen, {} is loaded\n", transport_name(sight.configured),
                    sight.loaded ? transport_module(*sight.loaded) : "no module");
    return answer;
}

Answer report_choice(const TransportSight &sight) {
    Answer answer = tell(sight, false);
    if (const auto wrong = wrong_one(sight)) {
        answer.warnings.push_back(
            fmt::format("{} is loaded and carries NFS until it is unloaded ({})",
                        transport_module(*wrong), way_out(sight)));
    }
    return answer;
}

Result<Answer> run_nfs_transport(World &world, const Arguments &arguments) {
    auto sight = TRY(see_transport(world));
    if (arguments.operands().empty()) {
        return report_choice(sight);
    }
    auto wanted = TRY(parse_transport(arguments.operands().front()));
    ChangeSet set(fmt::format("nfs transport {}", transport_name(wanted)));
    TRY(wanted == NfsTransport::causeway
            ? set.write(world.places.modprobe(), transport_dropin_text())
            : set.remove(world.places.modprobe()));
    // If the choice stays the same, undo has nothing to take back.
    const bool chosen = !set.empty();
    const NfsTransport before = sight.configured;
    sight.configured = wanted;
    if (chosen || wrong_one(sight)) {
        set.add(change_nfs_transport(wanted, before));
    }
    auto answer = carry_out(world, {arguments.dry_run(), chosen}, set, "it is chosen");
    if (!answer || arguments.dry_run()) {
        return answer;
    }
    sight = TRY(see_transport(world));
    return said_instead(*std::move(answer), tell(sight, chosen));
}

const VerbRows transport_verb_rows(Section::nfs, 4, [] {
    return std::vector<Verb>{
        {
            .words = "nfs transport",
            .operands = "[causeway|in-tree]",
            .summary = "show or choose the kernel module that carries NFS over RDMA",
            .most_operands = 1,
            .changes = true,
            .run = run_nfs_transport,
        },
    };
});

} // namespace

} // namespace causeway
