// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/mount_helper.h"

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

// The arguments of mount(8), parsed.
struct Call {
    std::vector<std::string> operands;
    std::vector<std::string> switches; // passed on to mount(8)
    std::string options;
    bool fake = false;
    bool verbose = false;
};

class CallParser {
  public:
    explicit CallParser(const std::vector<std::string> &words) : words_(words) {}

    Result<Call> parse() {
        for (; at_ < words_.size(); at_++) {
            const std::string &word = words_[at_];
            if (word.size() < 2 || word.front() != '-') {
                call_.operands.push_back(word);
            } else {
                TRY(take_letters(word));
            }
        }
        if (call_.operands.size() != 2) {
            return bad_call(
                fmt::format("it takes a source and a folder, not {} words", call_.operands.size()));
        }
        return std::move(call_);
    }

  private:
    // Parses "-nv", "-o OPTIONS" and "-oOPTIONS".
    Result<void> take_letters(const std::string &word) {
        for (std::size_t i = 1; i < word.size(); i++) {
            const char letter = word[i];
            if (std::string_view("oNt").find(letter) != std::string_view::npos) {
                return take_value(letter, word.substr(i + 1));
            }
            if (letter == 'r' || letter == 'w') {
                add_options(letter == 'r' ? "ro" : "rw");
            } else if (letter == 'f') {
                call_.fake = true;
            } else if (std::string_view("nsv").find(letter) != std::string_view::npos) {
                call_.verbose |= letter == 'v';
                call_.switches.push_back(fmt::format("-{}", std::string(1, letter)));
            } else {
                return bad_call(fmt::format("-{} is unknown", std::string(1, letter)));
            }
        }
        return {};
    }

    // @rest is the rest of the word; if it is empty, the next word is the value.
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

Result<MountRequest> request_of(const Call &call) {
    MountRequest request;
    auto source = TRY(parse_nfs_source(call.operands[0]));
    request.source = std::move(source);
    request.directory = real_directory(call.operands[1]);
    request.switches = call.switches;
    auto options = TRY(parse_nfs_options(call.options));
    request.options = std::move(options);
    request.may_leave = request.options.background;
    request.patience = request.options.retry.value_or(request.may_leave ? background_patience
                                                                        : foreground_patience);
    return request;
}

// Writes messages to the caller's stream and, in the background, to the system's log.
class Voice final : public MountProgress {
  public:
    Voice(World &world, const MountRequest &request) : world_(world), request_(request) {}

    void left_foreground() override { background_ = true; }

    void retries(const std::string &reason) override {
        say("warning", fmt::format("{} is not mounted yet: {}; it is tried again for up to {} "
                                   "minutes",
                                   request_.directory, reason, request_.patience.count()));
    }

    // @level is a level of syslog(3).
    void say(const std::string &level, const std::string &what) {
        if (background_) {
            static_cast<void>(world_.processes.run(
                {"logger", "-t", std::string(mount_helper_name), "-p", "daemon." + level, what}));
        } else {
            world_.err << mount_helper_name << ": " << what << "\n";
        }
    }

    bool in_background() const { return background_; }

  private:
    World &world_;
    const MountRequest &request_;
    bool background_ = false;
};

// As for mount(8), an error of mount(2) means that the mount failed, not that the call was wrong.
int status_of(const Error &error) {
    const bool called_wrongly =
        error.code == ExitCode::usage || error.code == ExitCode::no_permission;
    return called_wrongly && error.system_error == 0 ? wrong_call : not_mounted;
}

int fail(World &world, const Error &error) {
    world.err << mount_helper_name << ": " << error.what << "\n";
    if (!error.fix.empty()) {
        world.err << "  " << error.fix << "\n";
    }
    return status_of(error);
}

// @is_told: a mount without problems is reported too.
void report_outcome(Voice &voice, const MountRequest &request, const MountOutcome &outcome,
                    bool is_told) {
    for (const std::string &warning : outcome.warnings) {
        voice.say("warning", warning);
    }
    if (outcome.transport == CW_TRANSPORT_TCP) {
        voice.say("warning",
                  fmt::format("{} goes by TCP, RDMA failed: {}\n  when RDMA works: causeway nfs "
                              "remount {}",
                              request.directory, outcome.reason, request.directory));
    } else if (is_told || voice.in_background()) {
        voice.say("info", fmt::format("{} is mounted on {} by RDMA", request.source.text(),
                                      request.directory));
    }
}

int mount_as_told(World &world, MountRequest request, bool verbose) {
    Voice voice(world, request);
    request.progress = &voice;
    auto outcome = mount_nfs(world, request);
    if (!outcome) {
        if (voice.in_background()) {
            voice.say("err", outcome.error().what);
            return status_of(outcome.error());
        }
        return fail(world, outcome.error());
    }
    if (outcome->in_background) {
        voice.say("warning",
                  fmt::format("{} is not mounted yet: {}; it is tried in the background "
                              "for {} minutes",
                              request.directory, outcome->reason, request.patience.count()));
        return 0;
    }
    report_outcome(voice, request, *outcome, verbose);
    return 0;
}

} // namespace

int run_mount_helper(World &world, const std::vector<std::string> &words) {
    auto call = CallParser(words).parse();
    if (!call) {
        return fail(world, call.error());
    }
    auto request = request_of(*call);
    if (!request) {
        return fail(world, request.error());
    }
    if (call->fake) {
        return 0;
    }
    if (request->options.remount) {
        auto changed = change_options(world, *request);
        return changed ? 0 : fail(world, changed.error());
    }
    return mount_as_told(world, *std::move(request), call->verbose);
}

} // namespace causeway
