// SPDX-License-Identifier: GPL-2.0-or-later
// export set, for exports by stock transports: the initiators that may attach, and their secrets.
#include "stock/access.h"

#include "base/append_once.h"
#include "change/carry_out.h"
#include "stock/access_change.h"
#include "stock/dhchap.h"
#include "stock/exporting.h"
#include "stock/family.h"
#include "stock/shared_target.h"
#include "stock/transport.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

// True if the made steps of the export admit this initiator. An export that was opened to every
// initiator keeps the ACLs of those that it had.
bool is_made(const TargetPlan &made, const std::vector<ConfigStep> &steps) {
    return std::any_of(made.steps.begin(), made.steps.end(),
                       [&](const ConfigStep &step) { return step.path == steps.back().path; });
}

struct Edited {
    AccessEdit edit;
    TargetPlan made;                   // after the edit
    std::vector<std::string> expelled; // they are connected, and Linux ends their connections
};

// Returns the initiators that have an ACL of LIO in the made steps.
std::vector<std::string> names_of_acls(const TargetPlan &made) {
    constexpr std::string_view folder = "/acls/";
    std::vector<std::string> names;
    for (const ConfigStep &step : made.steps) {
        const std::size_t start = step.path.find(folder);
        if (step.kind == ConfigStep::Kind::link && start != std::string::npos) {
            const std::size_t name = start + folder.size();
            append_once(names, step.path.substr(name, step.path.find('/', name) - name));
        }
    }
    return names;
}

// The initiators that the target admits now by steps of its own, and did or did not name. An export
// that was opened to every initiator keeps the ACLs of those that it named before.
std::vector<std::string> admitted_now(const StockExportState &state,
                                      const std::vector<std::string> &wanted) {
    std::vector<std::string> all =
        state.settings.initiators.empty() ? names_of_acls(state.made) : state.settings.initiators;
    for (const std::string &name : wanted) {
        append_once(all, name);
    }
    return all;
}

// The secrets of the made steps that are in other files now, or that differ from those in the
// kernel. @steps: get the new files.
Result<std::vector<ConfigStep>> renewed_secrets(World &world, const Chap &there, const Chap &wanted,
                                                std::vector<ConfigStep> &steps) {
    std::vector<ConfigStep> renewed;
    for (ConfigStep &step : steps) {
        if (!is_secret(step)) {
            continue;
        }
        const std::string before = step.text;
        step.text = before == there.key_file          ? wanted.key_file
                    : before == there.mutual_key_file ? wanted.mutual_key_file
                                                      : before;
        const bool known = TRY(has_secret(world.files, step));
        if (!known) {
            renewed.push_back(step);
            renewed.back().back = before;
        }
    }
    return renewed;
}

// @connected: as LIO reports it. Of SRP that begins with the identifier of the export.
bool is_same(const std::string &connected, const std::string &name) {
    constexpr std::size_t extension = 18; // "0x" and 16 digits
    return connected == name ||
           (connected.size() > extension && "0x" + connected.substr(extension) == name);
}

bool is_among(const std::vector<std::string> &connected, const std::string &name) {
    return std::any_of(connected.begin(), connected.end(),
                       [&](const std::string &each) { return is_same(each, name); });
}

// True if an initiator is connected that none of these ACLs admitted.
bool leaves_some(const std::vector<std::string> &connected, const std::vector<std::string> &acls) {
    return std::any_of(connected.begin(), connected.end(), [&](const std::string &each) {
        return std::none_of(acls.begin(), acls.end(),
                            [&](const std::string &name) { return is_same(each, name); });
    });
}

bool may_have_clients(World &world, const StockExportState &state) {
    const auto clients = clients_of_port(world, state.made);
    return !clients || !clients->empty();
}

void remove_steps(std::vector<ConfigStep> &steps, const std::vector<ConfigStep> &removed) {
    for (const ConfigStep &step : removed) {
        steps.erase(std::remove_if(steps.begin(), steps.end(),
                                   [&](const ConfigStep &each) { return each.path == step.path; }),
                    steps.end());
    }
}

// Completes the edit of an export that is not open. By force it ends all connections if one could
// stay whose initiator is not admitted any more. @connected: as LIO reports them. @acls: the
// initiators that had or get an ACL.
void end_connections(World &world, const StockExportState &state, bool force,
                     const std::vector<std::string> &connected,
                     const std::vector<std::string> &acls, AccessEdit &edit) {
    const StockTransport &transport = stock_transport(state.settings.via);
    const bool outlives = transport.outlives_admission();
    const bool leaves = !outlives && leaves_some(connected, acls);
    if (force && (outlives || leaves)) {
        edit.cut = transport.cutting(state.made.steps);
    } else if (!force) {
        const bool expels = edit.openness || !edit.taken.empty();
        edit.leaves_some = leaves || (outlives && expels && may_have_clients(world, state));
    }
}

Result<Edited> edit_of(World &world, const StockExportState &state, const StockExport &wanted,
                       bool force, bool renews) {
    const StockTransport &transport = stock_transport(wanted.via);
    const std::string &probe = state.made.probe;
    Edited result{{fmt::format("the export '{}' by {}", wanted.name, via_title(wanted.via)), probe},
                  state.made,
                  {}};
    AccessEdit &edit = result.edit;
    auto &steps = result.made.steps;
    if (renews) {
        edit.secrets = TRY(renewed_secrets(world, state.settings.chap, wanted.chap, steps));
    }
    const bool opens = wanted.initiators.empty();
    const auto connected = connected_initiators(world.files, state.made);
    const auto all = admitted_now(state, wanted.initiators);
    for (const std::string &name : all) {
        const bool is_wanted = std::find(wanted.initiators.begin(), wanted.initiators.end(),
                                         name) != wanted.initiators.end();
        const auto admission = transport.admit(is_wanted ? wanted : state.settings, probe, name);
        const bool there = is_made(state.made, admission);
        if (is_wanted && !there) {
            edit.made.insert(edit.made.end(), admission.begin(), admission.end());
            steps.insert(steps.end(), admission.begin(), admission.end());
        } else if (!is_wanted && there && (!opens || transport.outlives_admission())) {
            edit.taken.insert(edit.taken.end(), admission.begin(), admission.end());
            remove_steps(steps, admission);
            remove_steps(edit.secrets, admission);
            if (is_among(connected, name) && !transport.outlives_admission()) {
                result.expelled.push_back(name);
            }
        }
    }
    auto openness = transport.openness(wanted, probe);
    const auto before = transport.openness(state.settings, probe);
    if (openness && openness->text != before->text) {
        openness->back = before->text;
        edit.openness = *openness;
        for (ConfigStep &step : steps) {
            if (step.path == openness->path) {
                step.text = openness->text;
            }
        }
    }
    if (!opens) {
        end_connections(world, state, force, connected, all, edit);
    }
    return result;
}

// The exports of a target share what is not of one LUN.
Result<void> check_others(World &world, const StockExport &there, const StockExport &wanted) {
    const auto others = TRY(others_in_target(world, wanted));
    const bool changes_all = stock_transport(wanted.via).row().admits_to_target ||
                             wanted.initiators.empty() != there.initiators.empty();
    if (!others.empty() && wanted.chap != there.chap) {
        return Error{ExitCode::failed,
                     fmt::format("the target {} has the export '{}' too, whose secrets are in "
                                 "the same files",
                                 wanted.target, others.front().settings.name),
                     "write the new secrets to those files, and give their names"};
    }
    const bool same = wanted.initiators == there.initiators;
    if (others.empty() || !changes_all || same) {
        return {};
    }
    return Error{ExitCode::failed,
                 fmt::format("the target {} has the export '{}' too, and this change would "
                             "admit initiators to both",
                             wanted.target, others.front().settings.name),
                 "remove one of them, and add it with a target of its own"};
}

bool names_clients(const Arguments &arguments) {
    return arguments.has("initiator") || arguments.has("allow");
}

// Returns the settings with those of the command line in place of their own.
Result<StockExport> with_options(StockExport settings, const Arguments &arguments) {
    settings.chap = TRY(renewed_chap(settings.chap, arguments));
    if (names_clients(arguments)) {
        settings.initiators.clear();
        TRY(take_initiators(arguments, settings));
    }
    TRY(stock_transport(settings.via).check(settings));
    return settings;
}

class StockSetAction final : public DiskAction {
  public:
    StockSetAction(StockExportState state, StockExport wanted, const Arguments &arguments)
        : state_(std::move(state)), wanted_(std::move(wanted)), arguments_(arguments),
          renews_(arguments.has("chap-key-file") || arguments.has("chap-mutual-key-file")) {}

    Result<ChangeSet> changes(World &world) override {
        ChangeSet set(fmt::format("export set {} --via {}", wanted_.name, via_text(wanted_.via)));
        TRY(check_access(world, state_.settings, wanted_));
        if (state_.running) {
            TRY(add_access(world, set, state_, wanted_, {arguments_.has("force"), renews_}));
        }
        // The file may differ from what runs: by --no-persist, or because it was edited.
        const auto stored = TRY(find_stored_export(world.places, wanted_.name));
        if (stored && !arguments_.has("no-persist")) {
            const auto after = TRY(with_options(stored->settings, arguments_));
            const auto text = TRY(edited_stock_text(*stored, after));
            TRY(set.write(stored->place, text));
        }
        return set;
    }

    std::string nothing_to_do() const override {
        return fmt::format("'{}' admits these initiators already{}", wanted_.name,
                           renews_ ? ", by these secrets" : "");
    }

    Error failure(Error error) const override {
        error.what = fmt::format("cannot change who may attach '{}': {}", wanted_.name, error.what);
        return error;
    }

    Result<Answer> answer(World & /*world*/, Answer done) override {
        done.json["name"] = wanted_.name;
        done.json["initiators"] = wanted_.initiators;
        return done;
    }

  private:
    StockExportState state_;
    StockExport wanted_;
    const Arguments &arguments_;
    bool renews_; // the secrets are read again
};

} // namespace

Result<void> check_access(World &world, const StockExport &there, const StockExport &wanted) {
    TRY(check_others(world, there, wanted));
    return check_one_secret(world, wanted);
}

Result<void> add_access(World &world, ChangeSet &set, const StockExportState &state,
                        const StockExport &wanted, const AccessWay &way) {
    Edited edited = TRY(edit_of(world, state, wanted, way.force, way.renews));
    if (!edited.expelled.empty() && !way.force) {
        return Error{ExitCode::try_again,
                     fmt::format("{} has '{}' attached, and Linux ends its session when it is "
                                 "no longer admitted",
                                 fmt::join(edited.expelled, ", "), wanted.name),
                     "detach it there, " + way.by_force};
    }
    TRY(add_record(world, set, wanted, edited.made));
    if (!edited.edit.empty()) {
        set.add(change_access(std::move(edited.edit)));
    }
    return {};
}

Result<ActionPointer> StockFamily::export_set(World &world, const std::string &name,
                                              const Arguments &arguments) const {
    auto state = TRY(find_stock_export(world, name));
    if (!state) {
        return ActionPointer();
    }
    TRY(refuse_options(arguments,
                       {"key-file", "no-key", "read-only", "read-write", "tcp", "no-tcp",
                        "takeover-after", "address"},
                       "is no setting that an export by --via can change while it is there",
                       "leave --{} out, or remove the export and add it anew"));
    const Via via = TRY(parse_via(arguments.text("via").value_or(via_text(state->settings.via))));
    if (!names_clients(arguments) && !arguments.has("chap-key-file") &&
        !arguments.has("chap-mutual-key-file")) {
        return Error{ExitCode::usage, "no option names the initiators that may attach from now on",
                     "give --initiator NAME, or --allow any; or --chap-key-file for a new secret"};
    }
    if (via != state->settings.via) {
        return Error{ExitCode::failed,
                     fmt::format("'{}' is exported by {}, not by {}", name,
                                 via_title(state->settings.via), via_title(via)),
                     fmt::format("give --via {}", via_text(state->settings.via))};
    }
    StockExport wanted = TRY(with_options(state->settings, arguments));
    return ActionPointer(
        std::make_unique<StockSetAction>(*std::move(state), std::move(wanted), arguments));
}

} // namespace causeway
