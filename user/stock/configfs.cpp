// SPDX-License-Identifier: GPL-2.0-or-later
#include "stock/configfs.h"

#include "change/kinds.h"
#include "host/rdma_devices.h"
#include "stock/chap.h"
#include "stock/dhchap.h"
#include "stock/disk_users.h"
#include "stock/exporting.h"
#include "stock/target.h"

#include <algorithm>
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

Result<Secret> secret_of(const ConfigStep &step) {
    return step.kind == Kind::dhchap ? read_dhchap_secret(step.text) : read_chap_secret(step.text);
}

Result<void> write_secret(World &world, const ConfigStep &step) {
    const Secret secret = TRY(secret_of(step));
    if (step.kind == Kind::dhchap) {
        if (const auto closed = close_to_others(world, step.path); !closed) {
            return exists(world.files, step.path)
                       ? closed
                       : Error{ExitCode::unavailable,
                               fmt::format("the kernel has no {}: nvmet was built without "
                                           "CONFIG_NVME_TARGET_AUTH",
                                           step.path),
                               "use a kernel that has it, or leave out --chap-key-file"};
        }
    }
    std::string text(secret.bytes().begin(), secret.bytes().end());
    auto written = world.files.write(step.path, text);
    explicit_bzero(text.data(), text.size());
    return written;
}

Result<void> make(World &world, const ConfigStep &step) {
    KernelFiles &files = world.files;
    if (step.kind == Kind::value) {
        return files.write(step.path, step.text + "\n");
    }
    if (step.kind == Kind::exact) {
        return files.write(step.path, step.text);
    }
    if (is_secret(step)) {
        return write_secret(world, step);
    }
    if (step.kind == Kind::link) {
        return files.make_link(step.path, step.text);
    }
    return files.make_folder(step.path);
}

// Returns true if a shared step needs nothing to be done.
bool stands(KernelFiles &files, const ConfigStep &step) {
    if (!step.shared) {
        return false;
    }
    if (step.kind == Kind::value) {
        return sysfs_text(files, step.path) == step.text;
    }
    return step.kind == Kind::folder ? files.has_folder(step.path) : exists(files, step.path);
}

Result<void> make_unless_it_stands(World &world, const ConfigStep &step) {
    return stands(world.files, step) ? Result<void>() : make(world, step);
}

Result<void> take_back(KernelFiles &files, const ConfigStep &step) {
    Result<void> done;
    if (step.kind == Kind::value) {
        done = step.back.empty() ? done : files.write(step.path, step.back + "\n");
    } else if (step.kind == Kind::link) {
        done = files.remove_link(step.path);
    } else if (step.kind == Kind::folder) {
        done = files.remove_folder(step.path);
    }
    const int number = done ? 0 : done.error().system_error;
    const bool needed = step.shared && (number == ENOTEMPTY || number == EBUSY);
    return needed || number == ENOENT ? Result<void>() : done;
}

Result<void> take_all_back(KernelFiles &files, const std::vector<ConfigStep> &steps) {
    for (std::size_t i = steps.size(); i-- > 0;) {
        TRY(take_back(files, steps[i]));
    }
    return {};
}

std::string_view word(const ConfigStep &step) {
    switch (step.kind) {
    case Kind::value:
        return step.shared ? "shared-value" : "value";
    case Kind::exact:
        return "exact";
    case Kind::secret:
        return "secret";
    case Kind::dhchap:
        return "dhchap";
    case Kind::link:
        return step.shared ? "shared-link" : "link";
    default:
        return step.shared ? "shared" : "folder";
    }
}

// A step with the kind of this word; none if no step has the word.
std::optional<ConfigStep> step_of(std::string_view text) {
    for (const Kind kind :
         {Kind::folder, Kind::value, Kind::exact, Kind::secret, Kind::dhchap, Kind::link}) {
        for (const bool shared : {false, true}) {
            ConfigStep step{kind, "", "", "", shared};
            if (text == word(step)) {
                return step;
            }
        }
    }
    return std::nullopt;
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
        case Kind::exact:
            return fmt::format("+{} = {}\n", step.path, step.text);
        case Kind::secret:
        case Kind::dhchap:
            return fmt::format("+{} = the secret in {}\n", step.path, step.text);
        case Kind::link:
            return fmt::format("+{} -> {}\n", step.path, step.text);
        default:
            return fmt::format("+{}/\n", step.path);
        }
    }

    static std::string line_taken(const ConfigStep &step) {
        if (step.kind == Kind::value || step.kind == Kind::exact || is_secret(step)) {
            return step.back.empty() ? "" : fmt::format("+{} = {}\n", step.path, step.back);
        }
        return fmt::format("-{}{}\n", step.path, step.kind == Kind::folder ? "/" : "");
    }

    Result<void> put(World &world, bool there) const {
        if (there) {
            return make_steps(world, steps_);
        }
        std::vector<ConfigStep> ours = TRY(without_needed(world, probe_, steps_));
        return take_steps_back(world, ours);
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

ConfigStep shared_step(ConfigStep step) {
    step.shared = true;
    return step;
}

bool exists(KernelFiles &files, const std::string &path) {
    const std::size_t slash = path.rfind('/');
    const auto names = files.list(path.substr(0, slash));
    return std::find(names.begin(), names.end(), path.substr(slash + 1)) != names.end();
}

ConfigStep config_exact(std::string path, std::string text) {
    return {Kind::exact, std::move(path), std::move(text)};
}

ConfigStep config_secret(std::string path, std::string file) {
    return {Kind::secret, std::move(path), std::move(file)};
}

ConfigStep config_dhchap(std::string path, std::string file) {
    return {Kind::dhchap, std::move(path), std::move(file)};
}

bool is_secret(const ConfigStep &step) {
    return step.kind == Kind::secret || step.kind == Kind::dhchap;
}

Result<bool> has_secret(KernelFiles &files, const ConfigStep &step) {
    const Secret secret = TRY(secret_of(step));
    std::string text = text_of(files, step.path);
    const std::string_view shown =
        std::string_view(text).substr(0, text.find_last_not_of('\n') + 1);
    const bool same =
        std::equal(secret.bytes().begin(), secret.bytes().end(), shown.begin(), shown.end(),
                   [](std::uint8_t byte, char c) { return byte == static_cast<unsigned char>(c); });
    explicit_bzero(text.data(), text.size());
    return same;
}

ConfigStep config_link(std::string path, std::string target) {
    return {Kind::link, std::move(path), std::move(target)};
}

Result<void> close_to_others(World &world, const std::string &path) {
    auto end = TRY(world.processes.run({"chmod", "600", path}, std::chrono::seconds(10)));
    return end.good()
               ? Result<void>()
               : Error{ExitCode::failed, fmt::format("chmod 600 {}: {}", path, end.last_words())};
}

Result<void> make_steps(World &world, const std::vector<ConfigStep> &steps) {
    std::vector<ConfigStep> ours;
    for (const ConfigStep &step : steps) {
        if (stands(world.files, step)) {
            continue;
        }
        auto made = make(world, step);
        if (made) {
            ours.push_back(step);
            continue;
        }
        Error error = made.error();
        if (auto taken = take_all_back(world.files, ours); !taken) {
            error.what += fmt::format("; and what was made before stays: {}", taken.error().what);
        }
        if (error.fix.empty()) {
            error.fix = "the kernel's log says more: dmesg | tail";
        }
        return error;
    }
    return {};
}

Result<void> take_steps_back(World &world, const std::vector<ConfigStep> &steps) {
    for (std::size_t i = steps.size(); i-- > 0;) {
        auto taken = take_back(world.files, steps[i]);
        if (taken) {
            continue;
        }
        Error error = taken.error();
        for (std::size_t again = i + 1; again < steps.size(); again++) {
            if (auto made = make_unless_it_stands(world, steps[again]); !made) {
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
        const auto step = step_of(words[0]);
        if (!step || words.size() != 4 || words[1].rfind(configfs, 0) != 0) {
            return Error{ExitCode::bad_config,
                         fmt::format("'{}' is no step in configfs", fmt::join(words, " "))};
        }
        steps.push_back({step->kind, words[1], words[2], words[3], step->shared});
    }
    return steps;
}

ChangePointer change_configfs(std::string subject, std::string probe, std::vector<ConfigStep> steps,
                              bool added) {
    return std::make_unique<ConfigfsChange>(std::move(subject), std::move(probe), std::move(steps),
                                            added);
}

} // namespace causeway
