// SPDX-License-Identifier: GPL-2.0-or-later
// net: the connections of both roles, for disks and for NFS.
#include "command/connection_source.h"
#include "command/verb.h"

namespace causeway {

namespace {

Result<Answer> run_net(World &world, const Arguments & /*arguments*/) {
    Answer answer;
    for (const ConnectionSource *source : ConnectionSource::all()) {
        TRY(source->add(world, answer));
    }
    if (answer.text.empty()) {
        answer.text = "there is no connection\n";
    }
    return answer;
}

const VerbRows net_rows(Section::seeing, 2, [] {
    return std::vector<Verb>{
        {
            .words = "net",
            .summary = "show connections, their transport, and why one is missing",
            .run = run_net,
        },
    };
});

} // namespace

} // namespace causeway
