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

class CallParser {
  public:
    explicit CallParser(const std::vector<std::string> &words) : words_(words) {}

    Result<Call> parse() {
        for (; at_ < words_.size(); at_++) {
            const std::string &word = words_[at_];
            if (word.size() < 2 || word.front() != '-') {
                call_.operands.push_back(word);
            } else if (auto good = take_letters(word); !good) {
                return good.error();
            }
        }
        if (call_.operands.size() != 2) {
            return bad_call(
                fmt::format("it takes a source and a folder, not {} words", call_.operands.size()));
        }
        return std::move(call_);
    }

  private:
    // "-nv", "-o OPTIONS", "-oOPTIONS".
    Result<void> take_letters(const std::string &word) {
        for (std::size_t i = 1; i < word.size(); i++) {
            const char letter = word[i];
            if (std::string_view("oNt").find(letter) != std::string_view::npos) {
                return take_value(letter, word.substr(i + 1));
            }
            if (letter == 'r' || letter == 'w') {
                add_options(letter == 'r' ? "ro" : "rw");
            } else if (std::string_view("fnsv").find(letter) != std::string_view::npos) {
                call_.switches.push_back(fmt::format("-{}", std::string(1, letter)));
            } else {
                return bad_call(fmt::format("-{} is unknown", std::string(1, letter)));
            }
        }
        return {};
    }

    // rest: of the word; where it is empty the next word is the value.
    Result<void> take_value(char letter, std::string rest) {
        if (rest.empty()) {
            if (++at_ >= words_.size()) {
                return bad_call(fmt::format("-{} needs a value", std::string(1, letter)));
            }
            rest = words_[at_];
        }
        if (letter == 'o') {
            add_options(rest);
        } else if (letter == 'N') {
            call_.switches.insert(call_.switches.end(), {"-N", rest});
        }
        return {};
    }

    void add_options(const std::string &more) {
        call_.options += (call_.options.empty() || more.empty() ? "" : ",") + more;
    }

    const std::vector<std::string> &words_;
    std::size_t at_ = 0;
    Call call_;
};

Result<MountRequest> request_of(const std::vector<std::string> &words) {
    auto call = CallParser(words).parse();
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
    request.may_leave = request.options.background;
    request.patience = request.options.retry.value_or(request.may_leave ? background_patience
                                                                        : foreground_patience);
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

// What happens in the background goes to the system's log.
void log_background(World &world, const std::string &what) {
    static_cast<void>(world.processes.run(
        {"logger", "-t", std::string(mount_helper_name), "-p", "daemon.err", what}));
}

} // namespace

int run_mount_helper(World &world, const std::vector<std::string> &words) {
    auto request = request_of(words);
    if (!request) {
        return fail(world, request.error());
    }
    if (request->options.remount) {
        auto changed = change_options(world, *request);
        return changed ? 0 : fail(world, changed.error());
    }
    auto outcome = mount_nfs(world, *request);
    if (!outcome) {
        if (request->may_leave) {
            log_background(world, outcome.error().what);
        }
        return fail(world, outcome.error());
    }
    if (outcome->in_background) {
        world.err << mount_helper_name
                  << fmt::format(
                         ": {} is not mounted yet: {}; it is tried in the background for {} "
                         "minutes\n",
                         request->directory, outcome->reason, request->patience.count());
        return 0;
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
