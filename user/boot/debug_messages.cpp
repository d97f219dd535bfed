// SPDX-License-Identifier: GPL-2.0-or-later
#include "boot/debug_messages.h"

#include "change/kinds.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <sstream>

namespace causeway {

namespace {

// The first one exists without debugfs, since Linux 5.7.
constexpr std::array controls = {"/proc/dynamic_debug/control",
                                 "/sys/kernel/debug/dynamic_debug/control"};

const ChangeKind kind_debug_messages("debug-messages", [](const Json &json) -> ChangePointer {
    return change_debug_messages({json.at("module").get<std::string>(),
                                  json.at("count").get<std::size_t>(),
                                  json.at("printed").get<std::vector<MessageSite>>()},
                                 json.at("on").get<bool>());
});

struct ControlFile {
    std::string path;
    std::string content;
};

Result<ControlFile> control_file(World &world) {
    for (const char *path : controls) {
        auto content = TRY(world.files.read(path));
        if (content) {
            return ControlFile{path, *std::move(content)};
        }
    }
    return Error{ExitCode::unavailable,
                 "this kernel has no dynamic debug, so messages for debugging cannot be turned on",
                 "use a kernel with CONFIG_DYNAMIC_DEBUG, as Debian's is; or tracepoints: see "
                 "MONITORING.md, \"More from the kernel\""};
}

struct ControlLine {
    std::string file;
    std::string line;
    std::string module;
    bool printed = false;

    MessageSite site() const { return file + ":" + line; }
};

// Parses "FILE:LINE [MODULE]FUNCTION =FLAGS "FORMAT"". Returns none for any other line, such as the
// comment at the start.
std::optional<ControlLine> parse_control_line(const std::string &text) {
    const std::size_t open = text.find(" [");
    const std::size_t close = text.find(']', open);
    const std::size_t flags = text.find(" =", close);
    const std::size_t colon = text.rfind(':', open);
    if (text.empty() || text.front() == '#' || open == std::string::npos ||
        close == std::string::npos || flags == std::string::npos || colon == std::string::npos) {
        return std::nullopt;
    }
    ControlLine parsed{text.substr(0, colon), text.substr(colon + 1, open - colon - 1),
                       text.substr(open + 2, close - open - 2)};
    const std::size_t end = std::min(text.find(' ', flags + 2), text.size());
    parsed.printed = text.substr(flags + 2, end - flags - 2).find('p') != std::string::npos;
    return parsed;
}

std::vector<DebugMessages> parse_control(const std::string &content) {
    std::map<std::string, DebugMessages> modules;
    std::istringstream lines(content);
    for (std::string line; std::getline(lines, line);) {
        if (const auto parsed = parse_control_line(line)) {
            DebugMessages &messages = modules[parsed->module];
            messages.module = parsed->module;
            messages.count++;
            if (parsed->printed) {
                messages.printed.push_back(parsed->site());
            }
        }
    }
    std::vector<DebugMessages> all;
    for (auto &[module, messages] : modules) {
        std::sort(messages.printed.begin(), messages.printed.end());
        all.push_back(std::move(messages));
    }
    return all;
}

class DebugMessagesChange final : public Change {
  public:
    DebugMessagesChange(DebugMessages before, bool on) : before_(std::move(before)), on_(on) {}

    std::string subject() const override { return "debug messages of " + before_.module; }

    std::string show(Direction direction) const override {
        const bool back = direction == Direction::back;
        const std::size_t before = before_.printed.size();
        const std::size_t after = on_ ? before_.count : 0;
        return fmt::format("{}\n-{} of {} printed\n+{} of {} printed\n", subject(),
                           back ? after : before, before_.count, back ? before : after,
                           before_.count);
    }

    std::string report(Direction direction) const override {
        const std::size_t printed = direction == Direction::back ? before_.printed.size()
                                    : on_                        ? before_.count
                                                                 : 0;
        return fmt::format("{} of {} {} are printed now", printed, before_.count, subject());
    }

    Json json() const override {
        return {{"kind", kind_debug_messages.name()},
                {"module", before_.module},
                {"count", before_.count},
                {"printed", before_.printed},
                {"on", on_}};
    }

    // An unloaded module prints nothing, and has forgotten the flags.
    Result<Standing> standing(World &world) const override {
        const auto list = TRY(debug_messages(world));
        const DebugMessages *now = messages_of(list, before_.module);
        if (now == nullptr || now->printed == before_.printed) {
            return Standing::before;
        }
        return (on_ ? now->all() : now->printed.empty()) ? Standing::after : Standing::neither;
    }

    Result<void> forward(World &world) const override {
        return query(world, fmt::format("module {} {}p", before_.module, on_ ? '+' : '-'));
    }

    Result<void> back(World &world) const override {
        TRY(query(world, fmt::format("module {} -p", before_.module)));
        for (const MessageSite &site : before_.printed) {
            const std::size_t colon = site.rfind(':');
            TRY(query(world, fmt::format("module {} file {} line {} +p", before_.module,
                                         site.substr(0, colon), site.substr(colon + 1))));
        }
        return {};
    }

  private:
    static Result<void> query(World &world, const std::string &text) {
        const auto control = TRY(control_file(world));
        return world.files.write(control.path, text + "\n");
    }

    DebugMessages before_;
    bool on_;
};

} // namespace

Result<std::vector<DebugMessages>> debug_messages(World &world) {
    const auto control = TRY(control_file(world));
    return parse_control(control.content);
}

const DebugMessages *messages_of(const std::vector<DebugMessages> &list,
                                 const std::string &module) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const DebugMessages &messages) {
        return messages.module == module;
    });
    return found == list.end() ? nullptr : &*found;
}

ChangePointer change_debug_messages(DebugMessages before, bool on) {
    return std::make_unique<DebugMessagesChange>(std::move(before), on);
}

} // namespace causeway
