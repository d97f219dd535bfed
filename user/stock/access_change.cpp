// SPDX-License-Identifier: GPL-2.0-or-later
#include "stock/access_change.h"

#include "change/kinds.h"
#include "host/rdma_devices.h"
#include "stock/exporting.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

using Kind = ConfigStep::Kind;

const ChangeKind kind_access("stock-access", [](const Json &json) -> ChangePointer {
    const auto steps = [&](const char *key) {
        return parse_steps(json.at(key).get<std::string>());
    };
    auto taken = steps("taken");
    auto made = steps("made");
    auto value = steps("openness");
    // A journal of an earlier version has none.
    auto secrets = parse_steps(json.value("secrets", std::string()));
    if (!taken || !made || !value || value->size() > 1 || !secrets) {
        return nullptr;
    }
    AccessEdit edit{json.at("subject").get<std::string>(), json.at("probe").get<std::string>(),
                    *std::move(taken), *std::move(made)};
    if (!value->empty()) {
        edit.openness = value->front();
    }
    edit.secrets = *std::move(secrets);
    return change_access(std::move(edit));
});

// True if all folders and links of the steps exist, or, with @there false, none but shared ones.
bool are(KernelFiles &files, const std::vector<ConfigStep> &steps, bool there) {
    return std::all_of(steps.begin(), steps.end(), [&](const ConfigStep &step) {
        const bool is_object = step.kind == Kind::folder || step.kind == Kind::link;
        const bool skipped = !is_object || (!there && step.shared && step.kind == Kind::folder);
        return skipped || exists(files, step.path) == there;
    });
}

// The step that writes the old secret.
ConfigStep old_secret(const ConfigStep &step) {
    ConfigStep old = step;
    old.text = step.back;
    return old;
}

bool is_known(KernelFiles &files, const ConfigStep &secret) {
    const auto same = has_secret(files, secret);
    return same && *same;
}

class AccessChange final : public Change {
  public:
    explicit AccessChange(AccessEdit edit) : edit_(std::move(edit)) {}

    std::string subject() const override { return "initiators of " + edit_.subject; }

    std::string show(Direction direction) const override {
        const bool forward = direction == Direction::forward;
        std::string text = fmt::format("initiators of {}\n", edit_.subject);
        for (const ConfigStep &step : forward ? edit_.taken : edit_.made) {
            text += line(step, '-');
        }
        if (edit_.openness) {
            text += fmt::format("+{} = {}\n", edit_.openness->path,
                                forward ? edit_.openness->text : edit_.openness->back);
        }
        for (const ConfigStep &step : forward ? edit_.made : edit_.taken) {
            text += line(step, '+');
        }
        for (const ConfigStep &step : edit_.secrets) {
            text +=
                fmt::format("+{} = the secret in {}\n", step.path, forward ? step.text : step.back);
        }
        if (forward && !edit_.cut.empty()) {
            text += "+all connections end, and those of admitted initiators come back\n";
        }
        return text;
    }

    std::string report(Direction direction) const override {
        return fmt::format("{} the initiators of {}",
                           direction == Direction::forward ? "changed" : "restored", edit_.subject);
    }

    // Undo does not end connections, so the journal has no cut.
    Json json() const override {
        return {{"kind", kind_access.name()},
                {"subject", edit_.subject},
                {"probe", edit_.probe},
                {"taken", steps_text(edit_.taken)},
                {"made", steps_text(edit_.made)},
                {"secrets", steps_text(edit_.secrets)},
                {"openness", edit_.openness ? steps_text({*edit_.openness}) : std::string()}};
    }

    Result<Standing> standing(World &world) const override {
        if (!world.files.has_folder(edit_.probe)) {
            return Standing::neither;
        }
        const std::string value =
            edit_.openness ? sysfs_text(world.files, edit_.openness->path) : std::string();
        const bool done = are(world.files, edit_.made, true) &&
                          are(world.files, edit_.taken, false) &&
                          (!edit_.openness || value == edit_.openness->text);
        const bool undone = are(world.files, edit_.made, false) &&
                            are(world.files, edit_.taken, true) &&
                            (!edit_.openness || value == edit_.openness->back);
        // An edit that only cuts connections may be made again and again.
        if (undone && are_written(world, false)) {
            return Standing::before;
        }
        if (done && are_written(world, true)) {
            return Standing::after;
        }
        // The kernel may have a secret that is in no file any more.
        return (done || undone) && !edit_.secrets.empty() ? Standing::unknown : Standing::neither;
    }

    Result<void> forward(World &world) const override {
        TRY(write_secrets(world, true));
        if (auto done = edit(world, edit_.taken, edit_.made,
                             edit_.openness ? edit_.openness->text : std::string());
            !done) {
            (void)write_secrets(world, false);
            return done;
        }
        for (const ConfigStep &step : edit_.cut) {
            if (auto done = cut(world, step); !done) {
                Error error = done.error();
                if (const auto restored = back(world); !restored) {
                    error.what +=
                        fmt::format("; and the new initiators stay: {}", restored.error().what);
                }
                return error;
            }
        }
        if (edit_.leaves_some) {
            warn(fmt::format("a client of {} that is no longer admitted may keep its connection "
                             "until that ends; to end all connections: causeway export set, with "
                             "the same --initiator and --force",
                             edit_.subject));
        }
        return {};
    }

    // If the kernel refuses a part, it keeps all as it was.
    Result<void> back(World &world) const override {
        TRY(write_secrets(world, false));
        auto done = edit(world, edit_.made, edit_.taken,
                         edit_.openness ? edit_.openness->back : std::string());
        if (!done) {
            (void)write_secrets(world, true);
        }
        return done;
    }

    std::string what_stays() const override {
        for (const ConfigStep &step : edit_.secrets) {
            if (step.text == step.back) {
                return fmt::format("{} keeps the secret that is in {} now, because the earlier one "
                                   "is not known",
                                   edit_.subject, step.text);
            }
        }
        return {};
    }

    Result<void> may_go_back(World &world) const override {
        // The file of a secret may be gone.
        for (const ConfigStep &step : edit_.secrets) {
            TRY(has_secret(world.files, old_secret(step)));
        }
        for (const ConfigStep &step : edit_.taken) {
            TRY(is_secret(step) ? has_secret(world.files, step) : Result<bool>(true));
        }
        const auto connected = connected_initiators(world.files, {edit_.probe, edit_.made});
        for (const ConfigStep &step : edit_.made) {
            const std::string name = step.path.substr(step.path.rfind('/') + 1);
            if (std::find(connected.begin(), connected.end(), name) != connected.end()) {
                return Error{
                    ExitCode::try_again,
                    fmt::format("{} has {} attached, and would lose it", name, edit_.subject),
                    "detach it there, or give --force"};
            }
        }
        return {};
    }

  private:
    static std::string line(const ConfigStep &step, char sign) {
        const bool is_object = step.kind == Kind::folder || step.kind == Kind::link;
        return is_object ? fmt::format("{}{}\n", sign, step.path) : std::string();
    }

    // True if the kernel has the new secrets, or, with @renewed false, the old ones. If both are in
    // the same file, the old secret is any other one.
    bool are_written(World &world, bool renewed) const {
        return std::all_of(edit_.secrets.begin(), edit_.secrets.end(), [&](const ConfigStep &step) {
            const bool is_new = is_known(world.files, step);
            const bool is_old =
                step.text == step.back ? !is_new : is_known(world.files, old_secret(step));
            return renewed ? is_new : is_old;
        });
    }

    // Ends the connections at a port: removes its link, and makes it again.
    static Result<void> cut(World &world, const ConfigStep &link) {
        ConfigStep alone = link;
        alone.shared = false;
        TRY(take_steps_back(world, {alone}));
        auto linked = make_steps(world, {alone});
        if (!linked) {
            linked = Error{linked.error().code,
                           fmt::format("its connections ended, and no client can connect at {} "
                                       "any more: {}",
                                       alone.path, linked.error().what),
                           "correct the cause, then remove the export and add it anew"};
        }
        return linked;
    }

    // Writes the new secrets, or the old ones. If the kernel refuses one, it keeps all as they
    // were.
    Result<void> write_secrets(World &world, bool renewed) const {
        for (std::size_t i = 0; i < edit_.secrets.size(); i++) {
            const ConfigStep &step = edit_.secrets[i];
            auto written = make_steps(world, {renewed ? step : old_secret(step)});
            if (!written) {
                for (std::size_t again = 0; again < i; again++) {
                    const ConfigStep &earlier = edit_.secrets[again];
                    (void)make_steps(world, {renewed ? old_secret(earlier) : earlier});
                }
                return written;
            }
        }
        return {};
    }

    // Reverses the first steps, writes the value, and makes the other steps. Restores what it did
    // if the kernel refuses a part.
    Result<void> edit(World &world, const std::vector<ConfigStep> &out,
                      const std::vector<ConfigStep> &in, const std::string &value) const {
        const auto gone = TRY(without_needed(world, edit_.probe, out));
        TRY(take_steps_back(world, gone));
        Result<void> done;
        const std::string before =
            edit_.openness ? sysfs_text(world.files, edit_.openness->path) : std::string();
        if (edit_.openness && before != value) {
            done = world.files.write(edit_.openness->path, value + "\n");
        }
        if (done) {
            done = make_steps(world, in);
            if (!done && edit_.openness && before != value) {
                (void)world.files.write(edit_.openness->path, before + "\n");
            }
        }
        if (!done) {
            Error error = done.error();
            if (const auto again = make_steps(world, gone); !again) {
                error.what += fmt::format("; and half of it is gone: {}", again.error().what);
            }
            return error;
        }
        return {};
    }

    AccessEdit edit_;
};

} // namespace

ChangePointer change_access(AccessEdit edit) {
    return std::make_unique<AccessChange>(std::move(edit));
}

} // namespace causeway
