// SPDX-License-Identifier: GPL-2.0-or-later
#include "stock/configfs.h"

#include "change/kinds.h"
#include "stock/disk_users.h"
#include "stock/target.h"

#include <cerrno>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

const ChangeKind kind_configfs("configfs", [](const Json &json) -> ChangePointer {
    auto steps = parse_steps(json.at("steps").get<std::string>());
    return steps ? change_configfs(json.at("subject").get<std::string>(),
                                   json.at("probe").get<std::string>(), *std::move(steps),
                                   json.at("added").get<bool>())
                 : nullptr;
});

using Kind = ConfigStep::Kind;

Result<void> make(KernelFiles &files, const ConfigStep &step) {
    if (step.kind == Kind::value) {
        return files.write(step.path, step.text + "\n");
    }
    if (step.kind == Kind::link) {
        return files.make_link(step.path, step.text);
    }
    if (step.shared && files.has_folder(step.path)) {
        return {};
    }
    return files.make_folder(step.path);
}

Result<void> take_back(KernelFiles &files, const ConfigStep &step) {
    Result<void> done;
    if (step.kind == Kind::value) {
        done = step.back.empty() ? done : files.write(step.path, step.back + "\n");
    } else if (step.kind == Kind::link) {
        done = files.remove_link(step.path);
    } else {
        done = files.remove_folder(step.path);
    }
    const int number = done ? 0 : done.error().system_error;
    const bool needed = step.shared && (number == ENOTEMPTY || number == EBUSY);
    return needed || number == ENOENT ? Result<void>() : done;
}

Result<void> take_first_back(KernelFiles &files, const std::vector<ConfigStep> &steps,
                             std::size_t count) {
    for (std::size_t i = count; i-- > 0;) {
        TRY(take_back(files, steps[i]));
    }
    return {};
}

std::string_view word(const ConfigStep &step) {
    switch (step.kind) {
    case Kind::value:
        return "value";
    case Kind::link:
        return "link";
    default:
        return step.shared ? "shared" : "folder";
    }
}

class ConfigfsChange final : public Change {
  public:
    ConfigfsChange(std::string subject, std::string probe, std::vector<ConfigStep> steps,
                   bool added)
        : subject_(std::move(subject)), probe_(std::move(probe)), steps_(std::move(steps)),
          added_(added) {}

    std::string subject() const override { return subject_; }

    std::string show(Direction direction) const override {
        const bool adds = added_ == (direction == Direction::forward);
        std::string text = fmt::format("configfs {}\n", subject_);
        for (std::size_t i = 0; i < steps_.size(); i++) {
            text += adds ? line_made(steps_[i]) : line_taken(steps_[steps_.size() - 1 - i]);
        }
        return text;
    }

    std::string report(Direction direction) const override {
        const bool adds = added_ == (direction == Direction::forward);
        return fmt::format("{} {}", adds ? "made" : "removed", subject_);
    }

    Json json() const override {
        return {{"kind", kind_configfs.name()},
                {"subject", subject_},
                {"probe", probe_},
                {"steps", steps_text(steps_)},
                {"added", added_}};
    }

    Result<Standing> standing(World &world) const override {
        return world.files.has_folder(probe_) == added_ ? Standing::after : Standing::before;
    }

    Result<void> forward(World &world) const override { return put(world, added_); }
    Result<void> back(World &world) const override { return put(world, !added_); }

    Result<void> may_go_back(World &world) const override {
        const TargetPlan plan{probe_, steps_};
        return added_ ? check_no_clients(world, subject_, plan)
                      : check_unclaimed(world, subject_, plan);
    }

  private:
    static std::string line_made(const ConfigStep &step) {
        switch (step.kind) {
        case Kind::value:
            return fmt::format("+{} = {}\n", step.path, step.text);
        case Kind::link:
            return fmt::format("+{} -> {}\n", step.path, step.text);
        default:
            return fmt::format("+{}/\n", step.path);
        }
    }

    static std::string line_taken(const ConfigStep &step) {
        if (step.kind == Kind::value) {
            return step.back.empty() ? "" : fmt::format("+{} = {}\n", step.path, step.back);
        }
        return fmt::format("-{}{}\n", step.path, step.kind == Kind::folder ? "/" : "");
    }

    Result<void> put(World &world, bool there) const {
        return there ? make_steps(world.files, steps_) : take_steps_back(world.files, steps_);
    }

    std::string subject_;
    std::string probe_;
    std::vector<ConfigStep> steps_;
    bool added_;
};

} // namespace

ConfigStep config_folder(std::string path) {
    return {Kind::folder, std::move(path)};
}

ConfigStep config_shared_folder(std::string path) {
    return {Kind::folder, std::move(path), {}, {}, true};
}

ConfigStep config_value(std::string path, std::string text, std::string back) {
    return {Kind::value, std::move(path), std::move(text), std::move(back)};
}

ConfigStep config_link(std::string path, std::string target) {
    return {Kind::link, std::move(path), std::move(target)};
}

Result<void> make_steps(KernelFiles &files, const std::vector<ConfigStep> &steps) {
    for (std::size_t i = 0; i < steps.size(); i++) {
        auto made = make(files, steps[i]);
        if (made) {
            continue;
        }
        Error error = made.error();
        if (auto taken = take_first_back(files, steps, i); !taken) {
            error.what += fmt::format("; and what was made before stays: {}", taken.error().what);
        }
        if (error.fix.empty()) {
            error.fix = "the kernel's log says more: dmesg | tail";
        }
        return error;
    }
    return {};
}

Result<void> take_steps_back(KernelFiles &files, const std::vector<ConfigStep> &steps) {
    for (std::size_t i = steps.size(); i-- > 0;) {
        auto taken = take_back(files, steps[i]);
        if (taken) {
            continue;
        }
        Error error = taken.error();
        for (std::size_t again = i + 1; again < steps.size(); again++) {
            if (auto made = make(files, steps[again]); !made) {
                error.what += fmt::format("; and half of it is gone: {}", made.error().what);
                break;
            }
        }
        return error;
    }
    return {};
}

std::string steps_text(const std::vector<ConfigStep> &steps) {
    std::string text;
    for (const ConfigStep &step : steps) {
        text += fmt::format("{}\t{}\t{}\t{}\n", word(step), step.path, step.text, step.back);
    }
    return text;
}

Result<std::vector<ConfigStep>> parse_steps(std::string_view text) {
    std::vector<ConfigStep> steps;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (line.empty() || line.front() == '#') {
            continue;
        }
        std::vector<std::string> words;
        for (std::size_t tab = line.find('\t'); tab != std::string_view::npos;
             tab = line.find('\t')) {
            words.emplace_back(line.substr(0, tab));
            line.remove_prefix(tab + 1);
        }
        words.emplace_back(line);
        const bool known = words[0] == "folder" || words[0] == "shared" || words[0] == "value" ||
                           words[0] == "link";
        if (!known || words.size() != 4 || words[1].rfind(configfs, 0) != 0) {
            return Error{ExitCode::bad_config,
                         fmt::format("'{}' is no step in configfs", fmt::join(words, " "))};
        }
        const Kind kind = words[0] == "value"  ? Kind::value
                          : words[0] == "link" ? Kind::link
                                               : Kind::folder;
        steps.push_back({kind, words[1], words[2], words[3], words[0] == "shared"});
    }
    return steps;
}

ChangePointer change_configfs(std::string subject, std::string probe, std::vector<ConfigStep> steps,
                              bool added) {
    return std::make_unique<ConfigfsChange>(std::move(subject), std::move(probe), std::move(steps),
                                            added);
}

} // namespace causeway
