// SPDX-License-Identifier: GPL-2.0-or-later
#include "verbs/nfs_helper.h"

#include "nfs/mounting.h"

#include <causeway.h>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr int wrong_call = 1;
constexpr int not_mounted = 32;

Error bad_call(const std::string &why) {
    return Error{ExitCode::usage, why,
                 fmt::format("call: {} SOURCE DIR [-fnrsvw] [-o OPTIONS]", mount_helper_name)};
}

// What the words of mount(8) come to.
struct Call {
    std::vector<std::string> operands;
    std::vector<std::string> switches; // for mount(8) again
    std::string options;
};

Result<Call> parse_call(const std::vector<std::string> &words) {
    Call call;
    const auto add_options = [&](const std::string &more) {
        call.options += (call.options.empty() || more.empty() ? "" : ",") + more;
    };
    for (std::size_t i = 0; i < words.size(); i++) {
        const std::string &word = words[i];
        if (word.size() < 2 || word.front() != '-') {
            call.operands.push_back(word);
            continue;
        }
        for (std::size_t letter = 1; letter < word.size(); letter++) {
            const char c = word[letter];
            if (std::string_view("fnsv").find(c) != std::string_view::npos) {
                call.switches.push_back(fmt::format("-{}", std::string(1, c)));
            } else if (c == 'r' || c == 'w') {
                add_options(c == 'r' ? "ro" : "rw");
            } else if (c == 'o' || c == 'N' || c == 't') {
                // The value: the rest of the word, or the next.
                std::string value = word.substr(letter + 1);
                if (value.empty()) {
                    if (++i == words.size()) {
                        return bad_call(fmt::format("-{} needs a value", std::string(1, c)));
                    }
                    value = words[i];
                }
                if (c == 'o') {
                    add_options(value);
                } else if (c == 'N') {
                    call.switches.insert(call.switches.end(), {"-N", value});
                }
                break;
            } else {
                return bad_call(fmt::format("-{} is unknown", std::string(1, c)));
            }
        }
    }
    if (call.operands.size() != 2) {
        return bad_call(
            fmt::format("it takes a source and a folder, not {} words", call.operands.size()));
    }
    return call;
}

Result<MountRequest> request_of(const std::vector<std::string> &words) {
    auto call = parse_call(words);
    if (!call) {
        return call.error();
    }
    MountRequest request;
    auto source = parse_nfs_source(call->operands[0]);
    if (!source) {
        return source.error();
    }
    request.source = *std::move(source);
    request.directory = real_directory(call->operands[1]);
    request.switches = std::move(call->switches);
    auto options = parse_nfs_options(call->options);
    if (!options) {
        return options.error();
    }
    request.options = *std::move(options);
    return request;
}

int fail(World &world, const Error &error) {
    world.err << mount_helper_name << ": " << error.what << "\n";
    if (!error.mend.empty()) {
        world.err << "  " << error.mend << "\n";
    }
    return error.code == ExitCode::usage || error.code == ExitCode::no_permission ? wrong_call
                                                                                  : not_mounted;
}

} // namespace

int run_mount_helper(World &world, const std::vector<std::string> &words) {
    auto request = request_of(words);
    if (!request) {
        return fail(world, request.error());
    }
    auto outcome = mount_nfs(world, *request);
    if (!outcome) {
        return fail(world, outcome.error());
    }
    for (const std::string &warning : outcome->warnings) {
        world.err << mount_helper_name << ": " << warning << "\n";
    }
    if (outcome->transport == CW_TRANSPORT_TCP) {
        world.err << mount_helper_name
                  << fmt::format(": {} goes by TCP, RDMA failed: {}\n  when RDMA works: causeway "
                                 "nfs remount {}\n",
                                 request->directory, outcome->reason, request->directory);
    }
    return 0;
}

} // namespace causeway
