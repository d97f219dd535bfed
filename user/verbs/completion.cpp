// SPDX-License-Identifier: GPL-2.0-or-later
// What an operand or the value of an option may be is read off its name in the table of verbs:
// "rxe|siw" are words to choose from, NETDEV and the like have a source below.
#include "verbs/completion.h"

#include "command/verb.h"
#include "host/rate.h"
#include "host/rdma_devices.h"
#include "host/rdma_modules.h"
#include "subnet/opensm.h"
#include "subnet/partitions.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sstream>

namespace causeway {

namespace {

using Names = std::vector<std::string>;

/* ---- names that are known here ---- */

Names exports(World &world) {
    Names names;
    if (const auto found = world.kernel.exports()) {
        for (const ExportInfo &info : *found) {
            names.push_back(info.settings.name);
        }
    }
    return names;
}

// UUIDs, which are never ambiguous, and the names that belong to them.
Names hosts(World &world) {
    Names names;
    if (const auto found = world.kernel.owners()) {
        for (const OwnerInfo &info : *found) {
            if (!info.host.is_nil()) {
                names.push_back(info.host.text());
            }
            if (!info.host_name.empty()) {
                names.push_back(info.host_name);
            }
        }
    }
    return names;
}

Names attachments(World &world) {
    Names names;
    if (const auto found = world.kernel.attachments()) {
        for (const AttachmentInfo &info : *found) {
            names.push_back(info.server + "/" + info.name);
        }
    }
    return names;
}

Names servers(World &world) {
    Names names;
    if (const auto found = world.kernel.attachments()) {
        for (const AttachmentInfo &info : *found) {
            names.push_back(info.server);
        }
    }
    return names;
}

Names rdma_names(World &world) {
    return world.files.list("/sys/class/infiniband");
}

Names netdevs(World &world) {
    return world.files.list("/sys/class/net");
}

Names software_devices(World &world) {
    Names names;
    for (const RdmaDevice &device : rdma_devices(world.files)) {
        if (!device.soft.empty()) {
            names.push_back(device.name);
        }
    }
    return names;
}

Names ipoib_interfaces(World &world) {
    constexpr const char *infiniband = "32"; // ARPHRD_INFINIBAND
    Names names;
    for (const std::string &name : netdevs(world)) {
        if (sysfs_text(world.files, "/sys/class/net/" + name + "/type") == infiniband) {
            names.push_back(name);
        }
    }
    return names;
}

Names networks_of_rules(World &world) {
    Names names;
    if (const auto found = world.kernel.nfs_rules()) {
        for (const NfsRule &rule : *found) {
            names.push_back(rule.network.text());
        }
    }
    return names;
}

Names modules(World & /*world*/) {
    Names names;
    for (const KnownModule &module : known_rdma_modules()) {
        names.emplace_back(module.name);
    }
    return names;
}

Names speeds(World & /*world*/) {
    Names names;
    for (const LaneSpeed &speed : lane_speeds()) {
        names.emplace_back(speed.name);
    }
    return names;
}

// Those that somebody may ask the meaning of.
Names addresses_of_this_host(World &world) {
    Names names;
    for (const RdmaDevice &device : rdma_devices(world.files)) {
        names.push_back(device.node_guid);
        for (const RdmaPort &port : device.ports) {
            for (const RdmaGid &gid : port.gids) {
                names.push_back(gid.gid);
            }
        }
    }
    for (const std::string &name : netdevs(world)) {
        names.push_back(sysfs_text(world.files, "/sys/class/net/" + name + "/address"));
    }
    names.erase(std::remove(names.begin(), names.end(), ""), names.end());
    return names;
}

// The only ports of others that are known without a question to the fabric.
Names subnet_managers(World &world) {
    Names names;
    for (const RdmaDevice &device : rdma_devices(world.files)) {
        for (const RdmaPort &port : device.ports) {
            if (!port.sm_lid.empty() && port.sm_lid != "0x0") {
                names.push_back(port.sm_lid);
            }
        }
    }
    return names;
}

Names partitions(World &world) {
    Names names;
    const auto text = partitions_before(world.places);
    const auto rules = text ? parse_partitions("", *text) : text.error();
    for (const PartitionRule &rule : rules ? *rules : std::vector<PartitionRule>()) {
        if (rule.pkey) {
            names.push_back(fmt::format("0x{:04x}", *rule.pkey));
        }
    }
    return names;
}

struct Source {
    std::string_view verb; // how its words start
    std::string_view name; // of the operand or value
    Names (*names)(World &world) = nullptr;
    FileKind files = FileKind::none;
};

// The first that fits counts.
constexpr std::array completion_sources = {
    Source{"export add", "DEVICE", nullptr, FileKind::any},
    Source{"export remove", "NAME", exports},
    Source{"export evict", "UUID|ADDRESS|NAME", hosts},
    Source{"export readmit", "UUID|ADDRESS|NAME", hosts},
    Source{"export evict", "NAME", exports},
    Source{"export readmit", "NAME", exports},
    Source{"nfs rule remove", "CIDR", networks_of_rules},
    Source{"soft remove", "DEVICE|NETDEV", software_devices},
    Source{"name set", "OLD", ipoib_interfaces},
    Source{"explain address", "ADDRESS", addresses_of_this_host},
    Source{"ping", "ADDRESS", servers},
    Source{"ping", "LID", subnet_managers},
    Source{"sm partition", "P_KEY", partitions},
    Source{"", "SPEED", speeds},
    Source{"", "SERVER/NAME", attachments},
    Source{"", "SERVER[:PORT]", servers},
    Source{"", "SERVER", servers},
    Source{"", "DEVICE", rdma_names},
    Source{"", "DEVICE[/PORT]", rdma_names},
    Source{"", "DEVICE[/PORT]|GUID", rdma_names},
    Source{"", "PARENT", ipoib_interfaces},
    Source{"", "NETDEV", netdevs},
    Source{"", "INTERFACE", ipoib_interfaces},
    Source{"", "MODULE", modules},
    Source{"", "FILE", nullptr, FileKind::any},
    Source{"", "CMD", nullptr, FileKind::any},
    Source{"", "PATH", nullptr, FileKind::folders},
    Source{"", "DIR", nullptr, FileKind::folders},
};

/* ---- the table's way of writing operands ---- */

bool is_choice(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
}

// "[unlimited|SIZE]" without the brackets, "DIR..." without the dots.
std::string bare(std::string name) {
    if (name.size() > 2 && name.front() == '[' && name.back() == ']') {
        name = name.substr(1, name.size() - 2);
    }
    if (name.size() > 3 && name.substr(name.size() - 3) == "...") {
        name.erase(name.size() - 3);
    }
    return name;
}

// Of "SERVER/NAME | --all" the first.
Names operand_names(const Verb &verb) {
    std::istringstream stream{std::string(verb.operands)};
    Names names;
    for (std::string word; stream >> word && word != "|";) {
        names.push_back(bare(word));
    }
    return names;
}

bool starts_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

void add(Completion &completion, const std::string &typed, std::string word, std::string help) {
    if (!starts_with(word, typed)) {
        return;
    }
    const auto &there = completion.candidates;
    if (std::none_of(there.begin(), there.end(),
                     [&](const Candidate &each) { return each.word == word; })) {
        completion.candidates.push_back({std::move(word), std::move(help)});
    }
}

const Source *source_of(const Verb &verb, const std::string &name) {
    const auto found = std::find_if(
        completion_sources.begin(), completion_sources.end(), [&](const Source &source) {
            return source.name == name && starts_with(verb.words, source.verb);
        });
    return found == completion_sources.end() ? nullptr : &*found;
}

// What may stand for this name; `before` is typed already, as "--mode=" is. Of "datagram|INTERFACE"
// each part has its own, unless the whole has one.
void add_values(World &world, const Verb &verb, const std::string &name, const std::string &typed,
                const std::string &before, Completion &completion) {
    std::istringstream stream(name);
    const bool whole = source_of(verb, name) != nullptr;
    for (std::string part; std::getline(stream, part, whole ? '\0' : '|');) {
        if (const Source *source = source_of(verb, part)) {
            completion.files = std::max(completion.files, source->files);
            for (const std::string &each :
                 source->names == nullptr ? Names() : source->names(world)) {
                add(completion, typed, before + each, "");
            }
        } else if (is_choice(part)) {
            add(completion, typed, before + part, "");
        }
    }
}

/* ---- where on the line the last word stands ---- */

void add_verbs(const Names &typed, Completion &completion) {
    for (const Verb &verb : all_verbs()) {
        const auto words = words_of(verb);
        const bool leads = !verb.hidden && words.size() >= typed.size() &&
                           std::equal(typed.begin(), typed.end() - 1, words.begin());
        if (leads) {
            const bool ends = words.size() == typed.size();
            add(completion, typed.back(), words[typed.size() - 1],
                ends ? std::string(verb.summary) : std::string());
        }
    }
}

// The one with the most words: "fabric hosts" before "fabric".
const Verb *find_verb(const Names &typed) {
    const Verb *found = nullptr;
    for (const Verb &verb : all_verbs()) {
        const auto words = words_of(verb);
        const bool longer = found == nullptr || words.size() > words_of(*found).size();
        if (!verb.hidden && longer && typed.size() > words.size() &&
            std::equal(words.begin(), words.end(), typed.begin())) {
            found = &verb;
        }
    }
    return found;
}

const OptionSpec *option_of(const std::vector<OptionSpec> &options, const std::string &word) {
    for (const OptionSpec &option : options) {
        const std::string letter = std::string("-") + option.letter;
        if (word == "--" + std::string(option.name) || (option.letter != 0 && word == letter)) {
            return &option;
        }
    }
    return nullptr;
}

void add_options(const std::vector<OptionSpec> &options, const Names &words,
                 Completion &completion) {
    for (const OptionSpec &option : options) {
        const std::string written = "--" + std::string(option.name);
        const bool given = std::find(words.begin(), words.end() - 1, written) != words.end() - 1;
        if (!option.hidden && (!given || option.repeats)) {
            add(completion, words.back(), written, std::string(option.help));
        }
    }
    add(completion, words.back(), "--json", "answer as JSON");
}

// The words behind a verb, the last of which is being typed.
Completion complete_arguments(World &world, const Verb &verb, const Names &words) {
    Completion completion;
    const auto options = options_of(verb);
    const std::string &last = words.back();
    const OptionSpec *open = nullptr; // the option whose value may come next
    bool needs_value = false;
    std::size_t operands = 0;
    for (std::size_t i = 0; i + 1 < words.size(); i++) {
        if (starts_with(words[i], "-")) {
            open = option_of(options, words[i]);
            open = open != nullptr && !open->value.empty() ? open : nullptr;
            needs_value = open != nullptr;
        } else if (open != nullptr) {
            needs_value = false;
            open = open->repeats ? open : nullptr;
        } else {
            operands++;
        }
    }
    if (needs_value) {
        add_values(world, verb, bare(std::string(open->value)), last, "", completion);
        return completion;
    }
    if (const std::size_t equals = last.find('=');
        starts_with(last, "--") && equals != std::string::npos) {
        if (const OptionSpec *option = option_of(options, last.substr(0, equals))) {
            add_values(world, verb, bare(std::string(option->value)), last,
                       last.substr(0, equals + 1), completion);
        }
        return completion;
    }
    if (starts_with(last, "-")) {
        add_options(options, words, completion);
        return completion;
    }
    if (open != nullptr) {
        add_values(world, verb, bare(std::string(open->value)), last, "", completion);
    }
    const Names names = operand_names(verb);
    if (!names.empty() && operands < verb.most_operands) {
        add_values(world, verb, names[std::min(operands, names.size() - 1)], last, "", completion);
    }
    if (completion.candidates.empty() && completion.files == FileKind::none) {
        add_options(options, words, completion);
    }
    return completion;
}

} // namespace

Completion complete(World &world, const std::vector<std::string> &words) {
    Completion completion;
    Names typed = words;
    if (typed.empty()) {
        typed.emplace_back();
    }
    // --json stands anywhere.
    typed.erase(std::remove(typed.begin(), typed.end() - 1, "--json"), typed.end() - 1);
    if (typed.size() > 1 && typed.front() == "help" && !starts_with(typed.back(), "-")) {
        add_verbs(Names(typed.begin() + 1, typed.end()), completion);
        return completion;
    }
    if (const Verb *verb = find_verb(typed)) {
        const auto count = static_cast<std::ptrdiff_t>(words_of(*verb).size());
        completion = complete_arguments(world, *verb, Names(typed.begin() + count, typed.end()));
    }
    add_verbs(typed, completion);
    if (typed.size() == 1 && starts_with(typed.back(), "-")) {
        for (const char *option : {"--help", "--version", "--json"}) {
            add(completion, typed.back(), option, "");
        }
    }
    return completion;
}

} // namespace causeway
