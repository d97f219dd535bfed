// SPDX-License-Identifier: GPL-2.0-or-later
// fabric: hosts, switches, links, partitions and problems of an InfiniBand fabric, from the
// programs of infiniband-diags.
#include "command/verb.h"
#include "doctor/report.h"
#include "fabric/checks.h"
#include "fabric/diagnostics.h"
#include "fabric/view.h"

#include "change/carry_out.h"
#include "host/rate.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

constexpr const char *default_sm_key = "1"; // of opensm

Error no_fabric(const std::vector<RdmaDevice> &devices) {
    Error error{ExitCode::unavailable, "this machine has no RDMA device",
                "see what there is: causeway show"};
    if (!devices.empty()) {
        error.what = fmt::format("{} is no device of InfiniBand: RoCE and iWARP go over Ethernet, "
                                 "whose switches have no subnet management to be asked by",
                                 devices.front().name);
        error.fix = "ask the switch, or: lldpctl; a peer: causeway ping ADDRESS";
    }
    return error;
}

Result<std::optional<InfinibandPort>> choose_port(World &world,
                                                  const std::optional<std::string> &typed) {
    const auto devices = rdma_devices(world.files);
    if (typed) {
        auto port = TRY(find_infiniband_port(
            devices, *typed, "ask the switch, or: lldpctl; a peer: causeway ping ADDRESS"));
        return std::optional(port);
    }
    if (std::none_of(devices.begin(), devices.end(), has_infiniband)) {
        return no_fabric(devices);
    }
    return std::optional<InfinibandPort>();
}

/* ---- looking ---- */

// Reads a fabric by several programs. A part that cannot be read becomes a warning of the answer.
class Look {
  public:
    Look(World &world, const Diagnostics &diagnostics, Answer &answer)
        : world_(world), diagnostics_(diagnostics), answer_(answer) {}

    Result<void> nodes() {
        auto text = TRY(diagnostics_.run({"ibnetdiscover"}));
        Unread unread;
        nodes_ = parse_topology(text, unread);
        note(unread, "ibnetdiscover");
        if (nodes_.empty()) {
            return Error{ExitCode::try_again, "ibnetdiscover found no node, not even this machine",
                         "causeway doctor says what is wrong with the port"};
        }
        show_nodes(nodes_, world_.terminal, answer_);
        keep(check_addresses(nodes_));
        return {};
    }

    void links(const ExpectedLink &expected) {
        const auto text = diagnostics_.run({"iblinkinfo", "--line"});
        if (!text) {
            answer_.json["ports"] = Json::array();
            answer_.json["bad_links"] = Json::array();
            cannot("no states of links: " + text.error().what);
            return;
        }
        Unread unread;
        const auto ports = parse_links(*text, unread);
        note(unread, "iblinkinfo");
        show_links(ports, world_.terminal, answer_);
        keep(check_links(ports, expected));
    }

    void partitions_and_groups(const std::optional<std::string> &key) {
        answer_.json["partitions"] = Json::array();
        answer_.json["groups"] = Json::array();
        const auto text = diagnostics_.run({"saquery", "-g"});
        if (!text) {
            cannot("no partitions and groups: " + text.error().what);
            return;
        }
        Unread unread;
        GroupsView view;
        view.groups = parse_groups(*text, unread);
        note(unread, "saquery -g");
        const std::string smkey = key.value_or(default_sm_key);
        if (const auto tables = diagnostics_.run({"saquery", "--smkey", smkey, "PKTR"})) {
            Unread rest;
            view.partitions = parse_pkey_tables(*tables, rest);
            note(rest, "saquery PKTR");
        } else {
            cannot(no_tables(tables.error(), key.has_value()));
        }
        if (const auto members = diagnostics_.run({"saquery", "--smkey", smkey, "-m"})) {
            Unread rest;
            view.members = parse_members(*members, rest);
            note(rest, "saquery -m");
        } else if (view.partitions) {
            cannot("the members of groups are not known: " + members.error().what);
        }
        if (const auto ports = diagnostics_.run({"saquery", "PIR"})) {
            Unread rest;
            view.mtus = parse_link_mtus(*ports, rest);
            note(rest, "saquery PIR");
        } else {
            cannot("the MTU of groups is not compared: " + ports.error().what);
        }
        show_partitions(view, world_.terminal, answer_);
        keep(check_groups(nodes_, view));
    }

    void counters() {
        const auto seen = fabric_counters(diagnostics_);
        if (!seen) {
            answer_.json["counters"] = nullptr;
            cannot("no counters: " + seen.error().what);
            return;
        }
        note(seen->unread, "ibqueryerrors");
        if (seen->counters.failed_queries != 0) {
            cannot(fmt::format("{} ports did not report their counters",
                               seen->counters.failed_queries));
        }
        show_counters(seen->counters, world_.terminal, answer_);
        keep(check_counters(seen->counters));
    }

    // Ends the answer with the findings. With @check the exit status depends on them.
    void conclude(bool check) {
        std::stable_sort(found_.begin(), found_.end(),
                         [](const FabricFinding &left, const FabricFinding &right) {
                             return left.severity > right.severity;
                         });
        show_findings(found_, answer_);
        answer_.json["complete"] = complete_;
        if (!check) {
            return;
        }
        const auto worst = found_.empty() ? Severity::notice : found_.front().severity;
        answer_.code = worst == Severity::error     ? static_cast<ExitCode>(exit_errors)
                       : worst == Severity::warning ? static_cast<ExitCode>(exit_warnings)
                       : complete_                  ? ExitCode::ok
                                                    : ExitCode::try_again;
    }

  private:
    void keep(const std::vector<FabricFinding> &more) {
        found_.insert(found_.end(), more.begin(), more.end());
    }
    void cannot(const std::string &why) {
        answer_.warnings.push_back(why);
        complete_ = false;
    }
    void note(const Unread &unread, std::string_view program) {
        if (const std::string sentence = unread.sentence(program); !sentence.empty()) {
            cannot(sentence);
        }
    }
    static std::string no_tables(const Error &error, bool given) {
        return fmt::format(
            "no partitions: {}. The subnet manager shows the P_Key tables of ports only to those "
            "who have its SM key (sm_key in the settings of opensm); {}",
            error.what,
            given ? "the key of --sm-key is another"
                  : "1, its default, is not the key here: give it by --sm-key");
    }

    World &world_;
    const Diagnostics &diagnostics_;
    Answer &answer_;
    std::vector<FabricNode> nodes_;
    std::vector<FabricFinding> found_;
    bool complete_ = true;
};

/* ---- clearing counters ---- */

std::string values_text(const PortCounters &port) {
    std::vector<std::string> values;
    for (const CounterValue &each : port.values) {
        if (find_error_counter(each.name) != nullptr) {
            values.push_back(fmt::format("{} {}", each.name, each.value));
        }
    }
    return fmt::format("{}", fmt::join(values, ", "));
}

// Returns the ports that have counters of errors above zero.
std::vector<PortCounters> with_errors(const FabricCounters &counters) {
    std::vector<PortCounters> ports;
    std::copy_if(counters.ports.begin(), counters.ports.end(), std::back_inserter(ports),
                 [](const PortCounters &port) { return !values_text(port).empty(); });
    return ports;
}

// Sets the error counters of the whole fabric to zero. The values cannot be restored, so the
// journal gets no entry, and the answer lists them.
Result<Answer> clear_counters(World &world, const Diagnostics &diagnostics, bool dry_run) {
    auto before = TRY(fabric_counters(diagnostics));
    const auto ports = with_errors(before.counters);
    ChangeSet set("fabric --clear-counters");
    if (!ports.empty()) {
        set.add(change_program(diagnostics.command(clear_command()), {}));
    }
    Manner manner;
    manner.dry_run = dry_run;
    manner.journalled = false;
    auto answer = TRY(carry_out(
        world, manner, set,
        fmt::format("the error counters of {} ports are 0", before.counters.ports_checked)));
    if (const std::string sentence = before.unread.sentence("ibqueryerrors"); !sentence.empty()) {
        answer.warnings.push_back(sentence);
    }
    answer.json["cleared"] = Json::array();
    for (const PortCounters &port : ports) {
        answer.text += fmt::format("{} {}: {}\n", dry_run ? "would clear" : "cleared", port.text(),
                                   values_text(port));
        answer.json["cleared"].push_back(counters_json(port));
    }
    if (dry_run || ports.empty()) {
        return answer;
    }
    // ibqueryerrors reports no failure of this request, so the counters are read again.
    auto after = TRY(fabric_counters(diagnostics));
    answer.json["left"] = Json::array();
    for (const PortCounters &port : with_errors(after.counters)) {
        answer.warnings.push_back(
            fmt::format("{} still has, or has again: {}", port.text(), values_text(port)));
        answer.json["left"].push_back(counters_json(port));
    }
    answer.text += "undo cannot restore counters\n";
    return answer;
}

/* ---- the verb ---- */

Result<ExpectedLink> expected_link(const Arguments &arguments) {
    const std::vector<std::string> widths = {"1X", "2X", "4X", "8X", "12X"};
    ExpectedLink expected{arguments.text("expect-width").value_or(""),
                          arguments.text("expect-speed").value_or("")};
    if (!expected.width.empty() &&
        std::find(widths.begin(), widths.end(), expected.width) == widths.end()) {
        return Error{ExitCode::usage, fmt::format("'{}' is no width of a link", expected.width),
                     fmt::format("give one of {}", fmt::join(widths, ", "))};
    }
    std::vector<std::string_view> speeds;
    for (const LaneSpeed &each : lane_speeds()) {
        speeds.push_back(each.name);
    }
    if (!expected.speed.empty() &&
        std::find(speeds.begin(), speeds.end(), expected.speed) == speeds.end()) {
        return Error{ExitCode::usage, fmt::format("'{}' is no speed of a link", expected.speed),
                     fmt::format("give one of {}", fmt::join(speeds, ", "))};
    }
    return expected;
}

Result<void> check_options(const Arguments &arguments) {
    if (arguments.has("clear-counters")) {
        for (const std::string other :
             {"counters", "check", "expect-width", "expect-speed", "sm-key"}) {
            if (arguments.has(other)) {
                return Error{ExitCode::usage,
                             fmt::format("--clear-counters and --{} exclude each other", other),
                             "give one of them"};
            }
        }
    } else if (arguments.dry_run()) {
        return Error{ExitCode::usage, "--dry-run goes with --clear-counters",
                     "fabric without it changes nothing"};
    }
    const auto key = arguments.text("sm-key");
    if (key && !whole_number(*key, UINT64_MAX)) {
        return Error{ExitCode::usage, "the SM key is no number of 64 bits",
                     "give sm_key of the settings of opensm, such as 0x0000000000000001"};
    }
    return {};
}

Result<Answer> run_fabric(World &world, const Arguments &arguments) {
    TRY(check_options(arguments));
    auto expected = TRY(expected_link(arguments));
    const auto port = TRY(choose_port(world, arguments.text("device")));
    const Diagnostics diagnostics(world, port);
    if (arguments.has("clear-counters")) {
        return clear_counters(world, diagnostics, arguments.dry_run());
    }
    Answer answer;
    Look look(world, diagnostics, answer);
    TRY(look.nodes());
    look.links(expected);
    look.partitions_and_groups(arguments.text("sm-key"));
    if (arguments.has("counters")) {
        look.counters();
    }
    look.conclude(arguments.has("check"));
    return answer;
}

const VerbRows fabric_rows(Section::seeing, 9, [] {
    return std::vector<Verb>{
        {
            .words = "fabric",
            .summary = "show hosts, switches, links, partitions and problems of InfiniBand",
            .options = {{"device", "DEVICE[/PORT]",
                         "port to look from; by default the first active one"},
                        {"expect-width", "WIDTH",
                         "width that each link must have, such as 4X; by default the most that "
                         "both ends support"},
                        {"expect-speed", "SPEED",
                         "speed that each link must have, such as EDR; by default as above"},
                        {"counters", "", "also read the error counters of all ports"},
                        {"clear-counters", "",
                         "set the error counters of all ports to zero, and list what they were"},
                        {"sm-key", "KEY",
                         "SM key of the subnet manager, to read partitions; by default 1"},
                        {"check", "", "exit with 10 if there are warnings, 20 if errors"}},
            .changes = true,
            .run = run_fabric,
        },
    };
});

} // namespace

} // namespace causeway
