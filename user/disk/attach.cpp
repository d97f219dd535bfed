// SPDX-License-Identifier: GPL-2.0-or-later
// attach.
#include "base/durable_file.h"
#include "change/carry_out.h"
#include "command/verb.h"
#include "config/dropins.h"
#include "config/key_file.h"
#include "disk/attaching.h"
#include "disk/attachment_change.h"
#include "disk/key_option.h"
#include "disk/stock.h"
#include "show/words.h"
#include "soft/soft_device.h"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

constexpr std::chrono::seconds link_limit{5};

template <typename Number>
Result<void> take_number(const Arguments &arguments, std::string_view option, std::uint64_t least,
                         std::uint64_t most, std::optional<Number> &out) {
    auto number = TRY(arguments.number(option, least, most));
    if (number) {
        out = static_cast<Number>(*number);
    }
    return {};
}

Result<AttachmentSettings> attachment_of(const Arguments &arguments) {
    AttachmentSettings settings;
    auto disk = TRY(parse_disk(arguments.operands().front()));
    settings.disk = std::move(disk);
    TRY(take_number(arguments, "queues", 1, most_queues, settings.queues));
    TRY(take_number(arguments, "poll-queues", 0, most_queues, settings.poll_queues));
    TRY(take_number(arguments, "depth", 1, most_depth, settings.depth));
    TRY(take_number(arguments, "io-timeout", 0, longest_io_timeout, settings.io_timeout));
    if (const auto typed = arguments.text("fast-fail")) {
        auto fast_fail = TRY(parse_fast_fail("--fast-fail", *typed));
        settings.fast_fail = fast_fail;
    }
    if (const auto file = arguments.text("key-file")) {
        settings.key_file = std::filesystem::absolute(*file).lexically_normal().string();
        TRY(read_key(settings.key_file));
    }
    if (const auto typed = arguments.text("host-uuid")) {
        auto host = TRY(parse_host_uuid("--host-uuid", *typed));
        settings.host = host;
    }
    return settings;
}

struct AttachSituation {
    std::optional<AttachmentInfo> running;
    std::optional<Stored<AttachmentSettings>> configured;
};

Result<AttachSituation> compare(World &world, const AttachmentSettings &wanted) {
    AttachSituation now;
    auto configured = TRY(find_attachment(world.places, wanted.disk));
    now.configured = std::move(configured);
    auto running = running_attachment(world, wanted.disk);
    if (!running) {
        return running.error();
    }
    now.running = *std::move(running);
    std::vector<std::string> different;
    if (now.configured) {
        different = differences(now.configured->settings, wanted);
    } else if (now.running) {
        different = differences(as_settings(*now.running, wanted), wanted);
    }
    if (!different.empty()) {
        return Error{ExitCode::failed,
                     fmt::format("{} is {} with other settings: {}", wanted.disk.text(),
                                 now.running ? std::string("attached")
                                             : "configured in " + now.configured->place.string(),
                                 fmt::join(different, ", ")),
                     fmt::format("causeway detach {}, then attach it again", wanted.disk.text())};
    }
    return now;
}

// The path that programs should use: udev's link if it comes in time, else the node itself.
Answer tell(World &world, const AttachmentSettings &wanted, const std::string &disk, bool changed) {
    Answer answer;
    answer.json = {{"server", wanted.disk.server.text()},
                   {"name", wanted.disk.name},
                   {"disk", nullptr},
                   {"device", nullptr},
                   {"link", nullptr},
                   {"changed", changed}};
    if (disk.empty()) {
        answer.text = fmt::format("{} is being attached in the background, see: causeway net\n",
                                  wanted.disk.text());
        return answer;
    }
    const auto node = world.links.node(disk);
    const auto link = world.links.link(wanted.disk.server.text(), wanted.disk.name);
    answer.json["disk"] = disk;
    answer.json["device"] = node.string();
    if (world.links.wait(link, node, link_limit)) {
        answer.json["link"] = link.string();
        answer.text = link.string() + "\n";
        return answer;
    }
    answer.warnings.push_back(fmt::format("udev has not made {}: is systemd-udevd running and "
                                          "60-causeway.rules installed?",
                                          link.string()));
    answer.text = node.string() + "\n";
    return answer;
}

Result<Answer> tell_running(World &world, const AttachmentSettings &wanted,
                            const AttachmentInfo &running, bool background, bool changed) {
    if (running.state == CW_STATE_REVOKED) {
        return Error{ExitCode::failed,
                     fmt::format("{} is attached and revoked ({}): {}", wanted.disk.text(),
                                 refusal_word(running.refusal), running.reason),
                     way_back(running)};
    }
    if (running.disk.empty() && !background) {
        return Error{ExitCode::try_again,
                     fmt::format("{} is being attached in the background and {} yet{}{}",
                                 wanted.disk.text(), "not connected",
                                 running.reason.empty() ? "" : ": ", running.reason),
                     "see: causeway net; or wait with: causeway watch --until up"};
    }
    return tell(world, wanted, running.disk, changed);
}

// @disk: set to the name of the disk once it is attached.
Result<ChangeSet> attaching(World &world, const AttachmentSettings &wanted,
                            const AttachSituation &now, const Arguments &arguments,
                            std::string &disk) {
    ChangeSet set("attach " + wanted.disk.text(), Scope::disks);
    if (!now.running) {
        AttachmentWay way;
        way.background = arguments.has("background");
        way.link = world.links.link(wanted.disk.server.text(), wanted.disk.name).string();
        way.loads = !world.modules.loaded(module_disk);
        way.disk = &disk;
        set.add(change_attachment({now.configured ? now.configured->settings : wanted}, true, way));
    }
    // What is configured already says the same, or says more than was asked for now.
    if (!arguments.has("no-persist") && !now.configured) {
        auto text = TRY(dropin_text(wanted));
        TRY(set.describe(dropin_place(world.places, wanted),
                         {text, wanted.key_file.empty() ? 0644U : 0600U}));
    }
    return set;
}

Result<Answer> attach_disk(World &world, const Arguments &arguments) {
    if (arguments.has("via")) {
        return attach_stock(world, arguments);
    }
    TRY(only_with_via(arguments));
    auto wanted = TRY(attachment_of(arguments));
    TRY(no_stock_attachment(world, wanted.disk));
    auto now = TRY(compare(world, wanted));
    std::string disk;
    auto set = TRY(attaching(world, wanted, now, arguments, disk));
    auto done = TRY(carry_out(world, {arguments.dry_run()}, set, "it is attached"));
    if (arguments.dry_run()) {
        return done;
    }
    Answer answer = TRY(now.running ? tell_running(world, wanted, *now.running,
                                                   arguments.has("background"), !set.empty())
                                    : Result<Answer>(tell(world, wanted, disk, true)));
    answer.json.update(done.json);
    answer.warnings.insert(answer.warnings.begin(), done.warnings.begin(), done.warnings.end());
    return answer;
}

Result<Answer> run_attach(World &world, const Arguments &arguments) {
    return with_soft_device(world, arguments, attach_disk);
}

const VerbRows attach_rows(Section::disks, 6, [] {
    return std::vector<Verb>{
        {
            .words = "attach",
            .operands = "SERVER[:PORT]/NAME",
            .summary = "make a server's export a disk of this machine",
            .options =
                {{"queues", "N",
                  "connections for data; where none is given, one per CPU and at most 8"},
                 {"poll-queues", "N", "so many more that are polled, for hipri I/O"},
                 {"depth", "N", "commands in flight on each"},
                 {"io-timeout", "SECONDS",
                  "hold I/O for so long without a server, then fail it; 0 holds it for ever"},
                 {"fast-fail", "SECONDS|off",
                  "fail I/O that is to fail fast, as of dm-multipath, after so long without a "
                  "server; 1"},
                 key_option,
                 {"host-uuid", "UUID",
                  "by which the server knows this machine; made of /etc/machine-id where not "
                  "given"},
                 {"background", "", "do not wait for the server, keep trying"},
                 via_option,
                 {"target", "NAME", "with --via: its full name; found out where not given"},
                 soft_option,
                 no_persist},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_attach,
        },
    };
});

} // namespace

} // namespace causeway
