// SPDX-License-Identifier: GPL-2.0-or-later
#include "soft/soft_device.h"

#include <fmt/format.h>

namespace causeway {

namespace {

// Removes the device that was made for the work, and returns the error of the work.
Error without_device(World &world, const Answer &soft, Error error) {
    if (!soft.json["journal"].is_number()) {
        return error;
    }
    const auto number = soft.json["journal"].get<unsigned int>();
    if (auto taken = undo(world, false, number, true); !taken) {
        error.what += fmt::format("; the RDMA device {} that was made for it stays: {}",
                                  soft.json["device"].get<std::string>(), taken.error().what);
    }
    return error;
}

std::string sentence(const Answer &soft, const std::string &netdev) {
    const auto device = soft.json["device"].get<std::string>();
    if (!soft.json["changed"].get<bool>()) {
        return fmt::format("{} has the RDMA device {} already\n", netdev, device);
    }
    return fmt::format("{} has the RDMA device {} now, by software (causeway undo {} takes it "
                       "back)\n",
                       netdev, device, soft.json["journal"].get<unsigned int>());
}

} // namespace

Result<Answer> with_soft_device(World &world, const Arguments &arguments,
                                Result<Answer> (*work)(World &, const Arguments &)) {
    const auto typed = arguments.text("soft");
    if (!typed) {
        return work(world, arguments);
    }
    // The kernel allows no colon in the name of a network device.
    const std::size_t colon = typed->find(':');
    SoftWish wish{"rxe", *typed, std::nullopt, !arguments.has("no-persist")};
    if (colon != std::string::npos) {
        wish.type = typed->substr(0, colon);
        wish.netdev = typed->substr(colon + 1);
        TRY(parse_soft_type(wish.type));
    }
    auto soft = TRY(add_soft_device(world, {arguments.dry_run()}, wish));
    auto answer = work(world, arguments);
    if (!answer) {
        return without_device(world, soft, answer.error());
    }
    if (arguments.dry_run()) {
        answer->json["soft"] = soft.json;
        answer->text = soft.text + answer->text;
    } else {
        answer->json["soft"] = {{"device", soft.json["device"]},
                                {"changed", soft.json["changed"]},
                                {"journal", soft.json["journal"]}};
        answer->text = sentence(soft, wish.netdev) + answer->text;
    }
    if (soft.json["changed"].get<bool>()) {
        answer->json["changed"] = true;
    }
    answer->warnings.insert(answer->warnings.begin(), soft.warnings.begin(), soft.warnings.end());
    return answer;
}

} // namespace causeway
