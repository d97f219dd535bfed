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

Json state_json(const TransportState &state) {
    Json json = {{"configured", transport_name(state.configured)},
                 {"loaded", state.loaded ? Json(transport_name(*state.loaded)) : Json(nullptr)},
                 {"listening", state.listens},
                 {"mounts", Json::array()}};
    for (const NfsMount &mount : state.mounts) {
        json["mounts"].push_back(mount.directory);
    }
    return json;
}

Answer tell(const TransportState &state, bool changed) {
    Answer answer;
    answer.json = state_json(state);
    answer.json["in_effect"] = !wrong_one(state);
    answer.json["changed"] = changed;
    answer.text =
        fmt::format("NFS over RDMA: {} is chosen, {} is loaded\n", transport_name(state.configured),
                    state.loaded ? transport_module(*state.loaded) : "no module");
    return answer;
}

Answer report_choice(const TransportState &state) {
    Answer answer = tell(state, false);
    if (const auto wrong = wrong_one(state)) {
        answer.warnings.push_back(
            fmt::format("{} is loaded and carries NFS until it is unloaded ({})",
                        transport_module(*wrong), way_out(state)));
    }
    return answer;
}

Result<Answer> run_nfs_transport(World &world, const Arguments &arguments) {
    auto state = TRY(read_transport(world));
    if (arguments.operands().empty()) {
        return report_choice(state);
    }
    auto wanted = TRY(parse_transport(arguments.operands().front()));
    ChangeSet set(fmt::format("nfs transport {}", transport_name(wanted)));
    TRY(wanted == NfsTransport::causeway
            ? set.write(world.places.modprobe(), transport_dropin_text())
            : set.remove(world.places.modprobe()));
    // If the choice stays the same, undo has nothing to take back.
    const bool chosen = !set.empty();
    const NfsTransport before = state.configured;
    state.configured = wanted;
    if (chosen || wrong_one(state)) {
        set.add(change_nfs_transport(wanted, before));
    }
    auto answer = carry_out(world, {arguments.dry_run(), chosen}, set, "it is chosen");
    if (!answer || arguments.dry_run()) {
        return answer;
    }
    state = TRY(read_transport(world));
    return said_instead(*std::move(answer), tell(state, chosen));
}

const VerbRows transport_verb_rows(Section::nfs, 5, [] {
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
