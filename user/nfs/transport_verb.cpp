// SPDX-License-Identifier: GPL-2.0-or-later
// nfs transport: whose kernel module carries NFS over RDMA.
#include "base/durable_file.h"
#include "base/nearest.h"
#include "command/plan.h"
#include "command/verb.h"
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

Answer tell(const TransportSight &sight, const std::optional<Error> &stays, bool changed) {
    Answer answer;
    answer.json = sight_json(sight);
    answer.json["in_effect"] = !stays && !wrong_one(sight);
    answer.json["changed"] = changed;
    answer.text =
        fmt::format("NFS over RDMA: {} is chosen, {} is loaded\n", transport_name(sight.configured),
                    sight.loaded ? transport_module(*sight.loaded) : "no module");
    if (stays) {
        answer.warnings.push_back(fmt::format("{} ({})", stays->what, stays->fix));
    }
    return answer;
}

// Whether the drop-in is not what it has to be.
Result<bool> changes(World &world, NfsTransport wanted) {
    auto dropin = TRY(read_small_file(world.places.modprobe()));
    return wanted == NfsTransport::causeway ? dropin != transport_dropin_text()
                                            : dropin.has_value();
}

Result<void> choose(World &world, NfsTransport wanted) {
    if (wanted == NfsTransport::causeway) {
        return write_durably(world.places.modprobe(), transport_dropin_text(), 0644);
    }
    TRY(remove_durably(world.places.modprobe()));
    return {};
}

Result<Answer> run_nfs_transport(World &world, const Arguments &arguments) {
    auto sight = TRY(see_transport(world));
    if (arguments.operands().empty()) {
        std::optional<Error> stays;
        if (const auto wrong = wrong_one(sight)) {
            stays = Error{ExitCode::try_again,
                          fmt::format("{} is loaded and carries NFS until it is unloaded",
                                      transport_module(*wrong)),
                          way_out(sight)};
        }
        return tell(sight, stays, false);
    }
    auto wanted = TRY(parse_transport(arguments.operands().front()));
    auto changed = TRY(changes(world, wanted));
    sight.configured = wanted;
    if (arguments.dry_run()) {
        Plan plan;
        TRY(wanted == NfsTransport::causeway
                ? plan.write(world.places.modprobe(), transport_dropin_text())
                : plan.remove(world.places.modprobe()));
        if (const auto wrong = wrong_one(sight)) {
            plan.act(fmt::format("unload {}", transport_module(*wrong)));
        }
        return plan.answer();
    }
    if (changed) {
        TRY(choose(world, wanted));
    }
    const auto stays = settle_transport(world, sight);
    if (!stays && wrong_one(sight)) {
        sight.loaded.reset();
    }
    return tell(sight, stays, changed);
}

const VerbRows transport_verb_rows(Section::nfs, 4, [] {
    return std::vector<Verb>{
        {
            .words = "nfs transport",
            .operands = "[causeway|in-tree]",
            .summary = "show or choose whose kernel module carries NFS over RDMA",
            .most_operands = 1,
            .changes = true,
            .run = run_nfs_transport,
        },
    };
});

} // namespace

} // namespace causeway
