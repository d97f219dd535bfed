// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/answer.h"

#include "change/carry_out.h"
#include "show/words.h"

#include <causeway.h>
#include <fmt/format.h>

namespace causeway {

namespace {

std::string way_word(std::uint8_t transport) {
    return transport == CW_TRANSPORT_RDMA  ? "RDMA"
           : transport == CW_TRANSPORT_TCP ? "TCP"
                                           : transport_word(transport);
}

} // namespace

Answer mount_answer(const MountRequest &request, const MountOutcome &outcome, bool changed) {
    Answer answer;
    answer.warnings = outcome.warnings;
    answer.json = {{"source", request.source.text()},
                   {"directory", request.directory},
                   {"transport", transport_word(outcome.transport)},
                   {"reason", or_null(outcome.reason)},
                   {"changed", changed}};
    answer.text = fmt::format("{} is mounted on {} by {}\n", request.source.text(),
                              request.directory, way_word(outcome.transport));
    if (outcome.transport == CW_TRANSPORT_TCP) {
        answer.warnings.push_back(fmt::format(
            "{} goes by TCP{}{}; when RDMA works: causeway nfs remount {}", request.directory,
            outcome.reason.empty() ? "" : ", RDMA failed: ", outcome.reason, request.directory));
    }
    return answer;
}

Answer said_instead(Answer carried_out, const Answer &said) {
    Answer answer = std::move(carried_out);
    answer.text = said.text + line_of_undo(answer);
    answer.json.update(said.json);
    answer.warnings.insert(answer.warnings.end(), said.warnings.begin(), said.warnings.end());
    answer.code = said.code;
    return answer;
}

} // namespace causeway
