// SPDX-License-Identifier: GPL-2.0-or-later
#include "disk/export_change.h"

#include "base/durable_file.h"
#include "base/units.h"
#include "change/kinds.h"
#include "config/key_file.h"
#include "disk/causeway.h"
#include "disk/exporting.h"
#include "disk/server_life.h"
#include "stock/disk_users.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

const char *const kind_export_dropin = "export-dropin";

namespace {

Json uuid_json(const std::optional<Uuid> &uuid) {
    return uuid ? Json(uuid->text()) : Json(nullptr);
}

// Returns false if the text is not a UUID.
bool read_uuid(const Json &json, std::optional<Uuid> &uuid) {
    uuid = json.is_null() ? std::nullopt : Uuid::parse(json.get<std::string>());
    return json.is_null() || uuid;
}

std::optional<Backend> parse_backend(const std::string &text) {
    for (const Backend backend : {Backend::device, Backend::file, Backend::ram}) {
        if (backend_text(backend) == text) {
            return backend;
        }
    }
    return std::nullopt;
}

// Returns null if a text in the JSON is malformed.
ChangePointer export_from(const Json &json) {
    ExportState state;
    ExportSettings &settings = state.settings;
    const auto backend = parse_backend(json.at("backend").get<std::string>());
    auto allow = parse_allow_list(json.at("allow").get<std::vector<std::string>>());
    // Entries of earlier versions have no addresses.
    const auto addresses = parse_export_addresses(
        "addresses", json.value("addresses", std::vector<std::string>()), settings);
    if (!backend || !allow || !addresses || !read_uuid(json.at("uuid"), settings.identity) ||
        !read_uuid(json.at("ledger"), settings.ledger)) {
        return nullptr;
    }
    settings.name = json.at("name").get<std::string>();
    settings.backend = *backend;
    settings.path = get_bytes(json, "path").value_or("");
    settings.size = json.at("size").get<std::uint64_t>();
    settings.read_only = json.at("read_only").get<bool>();
    settings.exclusive = json.at("exclusive").get<bool>();
    settings.write_through = json.at("write_through").get<bool>();
    settings.tcp = json.value("tcp", false); // not in entries of earlier versions
    settings.allow = std::move(allow->networks);
    settings.allow_any = allow->any;
    settings.key_file = get_bytes(json, "key_file").value_or("");
    settings.state_folder = get_bytes(json, "state_folder").value_or("");
    settings.takeover_after = json.at("takeover_after").get<std::uint32_t>();
    state.key_unknown = json.at("key_unknown").get<bool>();
    state.owners_discarded = json.at("owners_discarded").get<bool>();
    return change_export(std::move(state), json.at("added").get<bool>());
}

const ChangeKind kind_export("export", export_from);

// The drop-in's file name is the name of its export.
const ChangeKind kind_of_dropin(kind_export_dropin, [](const Json &json) -> ChangePointer {
    const std::filesystem::path place = json.at("path").get<std::string>();
    const bool added = get_bytes(json, "after").has_value();
    DropinWay way;
    way.permit = permit_dropin(place.stem().string(), added);
    way.kind = kind_export_dropin;
    return dropin_from(json, std::move(way));
});

// The drop-in of an export names no ledger until an instance of this is kept or destroyed.
class UnnamedLedger {
  public:
    explicit UnnamedLedger(const std::optional<Stored<ExportSettings>> &stored) : stored_(stored) {}
    UnnamedLedger(const UnnamedLedger &) = delete;
    UnnamedLedger &operator=(const UnnamedLedger &) = delete;
    ~UnnamedLedger() {
        if (before_) {
            static_cast<void>(write_durably(stored_->place, *before_, mode()));
        }
    }

    Result<void> take() {
        if (!stored_) {
            return {};
        }
        auto before = TRY(read_small_file(stored_->place));
        ExportSettings without = stored_->settings;
        without.ledger.reset();
        auto text = TRY(dropin_text(without));
        TRY(write_durably(stored_->place, text, mode()));
        before_ = before.value_or("");
        return {};
    }
    void keep() { before_.reset(); }

  private:
    unsigned int mode() const { return export_file_mode(stored_->settings); }

    const std::optional<Stored<ExportSettings>> &stored_;
    std::optional<std::string> before_;
};

class ExportChange final : public Change {
  public:
    ExportChange(ExportState state, bool added, ExportWay way)
        : state_(std::move(state)), added_(added), way_(std::move(way)) {}

    std::string subject() const override { return fmt::format("the export '{}'", name()); }

    std::string show(Direction direction) const override {
        if (added_ != (direction == Direction::forward)) {
            return added_ ? fmt::format("would end the export '{}'\n", name())
                          : fmt::format("would end the export '{}' with {} sessions\n", name(),
                                        way_.sessions);
        }
        std::string text =
            way_.loads ? fmt::format("would load the kernel module {}\n", module_target) : "";
        for (const std::string &sentence :
             way_.ledger ? way_.ledger->sentences() : std::vector<std::string>()) {
            text += fmt::format("would {}\n", sentence);
        }
        return text +
               fmt::format("would export {} as '{}'\n", backend_phrase(state_.settings), name());
    }

    std::string report(Direction direction) const override {
        if (added_ == (direction == Direction::forward)) {
            return fmt::format("'{}' exports {}", name(), backend_phrase(state_.settings));
        }
        return fmt::format("'{}' is no longer exported{}", name(),
                           same_disk_again(state_.settings));
    }

    Json json() const override {
        const ExportSettings &settings = state_.settings;
        Json json = {{"kind", kind_export.name()},
                     {"added", added_},
                     {"name", settings.name},
                     {"backend", backend_text(settings.backend)},
                     {"size", settings.size},
                     {"read_only", settings.read_only},
                     {"exclusive", settings.exclusive},
                     {"write_through", settings.write_through},
                     {"tcp", settings.tcp},
                     {"allow", allow_words(settings)},
                     {"addresses", export_address_words(settings)},
                     {"uuid", uuid_json(settings.identity)},
                     {"ledger", uuid_json(settings.ledger)},
                     {"takeover_after", settings.takeover_after},
                     {"key_unknown", state_.key_unknown},
                     {"owners_discarded", state_.owners_discarded}};
        put_bytes(json, "path", settings.path);
        put_bytes(json, "key_file", settings.key_file);
        put_bytes(json, "state_folder", settings.state_folder);
        return json;
    }

    Result<Standing> standing(World &world) const override {
        auto running = TRY(running_export(world, name()));
        if (!running) {
            return added_ || way_.ending ? Standing::before : Standing::after;
        }
        if (!is_same(*running)) {
            return Standing::neither;
        }
        return added_ ? Standing::after : Standing::before;
    }

    Result<void> forward(World &world) const override {
        return added_ ? start(world) : end(world, way_.force);
    }
    Result<void> back(World &world) const override {
        return added_ ? end(world, false) : start(world);
    }
    Result<void> back_by_force(World &world) const override {
        return added_ ? end(world, true) : start(world);
    }

    Result<void> may_go_back(World &world) const override {
        if (!added_) {
            return check_startable(world);
        }
        auto running = TRY(running_export(world, name()));
        if (!running || running->sessions == 0) {
            return {};
        }
        return Error{ExitCode::try_again,
                     fmt::format("clients are connected to the export '{}' ({} sessions)", name(),
                                 running->sessions)};
    }

    // Makes the ledger before a drop-in names it: otherwise the export could not start after a
    // crash.
    Result<void> prepare() override {
        if (!added_ || !way_.locked) {
            return {};
        }
        if (!state_.settings.key_file.empty()) {
            TRY(read_key(state_.settings.key_file));
        }
        return make_ledger(way_.ledger);
    }

    bool answer_may_be_lost() const override { return added_; }

    std::string what_stays() const override {
        if (!added_ && state_.settings.backend == Backend::ram) {
            return fmt::format("the content of the memory disk '{}' is gone: the export that comes "
                               "back is an empty disk with a new UUID",
                               name());
        }
        return added_ && state_.owners_discarded
                   ? fmt::format("the former owners of '{}' stay discarded: their ledger is gone",
                                 name())
                   : "";
    }

  private:
    const std::string &name() const { return state_.settings.name; }

    bool is_same(const ExportInfo &info) const {
        ExportInfo there = info;
        there.has_key = info.has_key && !state_.key_unknown;
        return static_cast<bool>(same_export(there, state_.settings, state_.settings));
    }

    // Only undo calls this. A verb has checked the same before.
    Result<void> check_startable(World &world) const {
        if (state_.key_unknown) {
            return Error{ExitCode::failed,
                         fmt::format("'{}' had a key, and the name of the key file is not known: "
                                     "it cannot be exported again",
                                     name())};
        }
        const ExportSettings &settings = state_.settings;
        if (!settings.key_file.empty()) {
            TRY(read_key(settings.key_file));
        }
        TRY(check_export_name(world, causeway_family, name()));
        TRY(check_backend(settings));
        TRY(check_unclaimed(world, settings));
        return check_not_configured(world, name(), settings.path);
    }

    // Removes a discarded ledger's name from the drop-in, then makes the new ledger.
    Result<void> make_ledger(std::optional<LedgerPlan> plan) const {
        TRY(unnamed_.take());
        if (!plan) {
            return {};
        }
        auto prepared = PreparedLedger::prepare(*std::move(plan));
        if (!prepared) {
            Error error = prepared.error();
            error.what = fmt::format("cannot make the ledger with the owners of '{}': {}", name(),
                                     error.what);
            return error;
        }
        ledger_.emplace(*std::move(prepared));
        return {};
    }

    Result<void> start(World &world) const {
        TRY(world.modules.need(module_target));
        if (way_.locked) {
            return begin(world, state_.settings);
        }
        auto lock = TRY(lock_server(world));
        TRY(check_startable(world));
        ExportSettings settings = state_.settings;
        auto plan = TRY(complete(world, settings));
        TRY(make_ledger(std::move(plan)));
        auto begun = begin(world, std::move(settings));
        ledger_.reset(); // which reverts it under the lock, if the export has not begun
        return begun;
    }

    Result<void> begin(World &world, ExportSettings settings) const {
        ExportRequest request;
        request.settings = std::move(settings);
        if (!request.settings.key_file.empty()) {
            request.key = TRY(read_key(request.settings.key_file));
        }
        if (request.settings.backend == Backend::ram) {
            request.settings.identity = Uuid::random();
        }
        request.settings.addresses = addresses_now(world, request.settings);
        if (request.settings.tcp) {
            request.over_tcp = addresses_without_rdma(world, request.settings.addresses);
        }
        request.ledger_folder = ledger_ ? ledger_->plan().folder.string() : "";
        if (auto stale_port = TRY(start_life(world)); !stale_port.empty()) {
            warn(std::move(stale_port));
        }
        auto added = world.kernel.add_export(request);
        if (added || may_run(world)) {
            unnamed_.keep();
            if (ledger_) {
                ledger_->keep();
            }
        }
        if (!added) {
            Error error = added.error();
            error.what = fmt::format("cannot export '{}': {}", name(), error.what);
            return error;
        }
        return {};
    }

    // Clients can give the addresses themselves, so the disk is exported without them, too.
    std::vector<SocketAddress> addresses_now(World &world, const ExportSettings &settings) const {
        CommonAddresses of_this;
        auto addresses = served_addresses(world, settings,
                                          way_.common_addresses ? *way_.common_addresses : of_this);
        if (!addresses) {
            warn(fmt::format("'{}' names no addresses to its clients: {}", name(),
                             addresses.error().what));
            return {};
        }
        return *std::move(addresses);
    }

    // If the kernel's answer was lost, the export may run, and the files that it has open must
    // stay.
    bool may_run(World &world) const {
        const auto there = running_export(world, name());
        return !there || *there;
    }

    // Does not hold lock_server(), because the removal waits for the export's disk and its clients.
    Result<void> end(World &world, bool force) const {
        auto removed = world.kernel.remove_export(name(), force);
        if (!removed) {
            Error error = removed.error();
            error.what = fmt::format("cannot remove the export '{}': {}", name(), error.what);
            return error;
        }
        if (way_.unflushed != nullptr) {
            *way_.unflushed = *removed;
        } else if (!removed->empty()) {
            warn_of_failure(fmt::format("'{}' is no longer exported, but {}", name(), *removed));
        }
        return {};
    }

    ExportState state_;
    bool added_;
    ExportWay way_;
    // If the export does not start, the destructors revert these, the last one first.
    mutable UnnamedLedger unnamed_{way_.names_discarded};
    mutable std::optional<PreparedLedger> ledger_;
};

} // namespace

ExportState state_of(const ExportInfo &info, const std::optional<ExportSettings> &configured) {
    ExportState state;
    ExportSettings &settings = state.settings;
    settings = info.chosen();
    settings.allow_any = settings.allow.empty();
    settings.key_file = info.has_key && configured ? configured->key_file : "";
    if (configured) {
        settings.addresses = configured->addresses;
        settings.no_addresses = configured->no_addresses;
    }
    state.key_unknown = info.has_key && settings.key_file.empty();
    if (settings.backend == Backend::ram) {
        settings.identity.reset();
    }
    return state;
}

ChangePointer change_export(ExportState state, bool added, ExportWay way) {
    return std::make_unique<ExportChange>(std::move(state), added, std::move(way));
}

std::function<Result<std::optional<FileLock>>(World &, Direction)> permit_dropin(std::string name,
                                                                                 bool added) {
    return [name = std::move(name), added](World &world,
                                           Direction direction) -> Result<std::optional<FileLock>> {
        const bool expected = added == (direction == Direction::forward);
        auto lock = TRY(lock_server(world));
        const auto running = TRY(running_export(world, name));
        return running.has_value() == expected ? std::optional(std::move(lock))
                                               : std::optional<FileLock>();
    };
}

std::vector<std::string> allow_words(const ExportSettings &settings) {
    std::vector<std::string> words;
    for (const Prefix &network : settings.allow) {
        words.push_back(network.text());
    }
    if (settings.allow_any) {
        words.emplace_back("any");
    }
    return words;
}

std::string backend_phrase(const ExportSettings &settings) {
    return settings.backend == Backend::ram
               ? fmt::format("{} of memory", size_text(settings.size))
               : fmt::format("{} {}", backend_text(settings.backend), settings.path);
}

std::string same_disk_again(const ExportSettings &settings) {
    return settings.backend == Backend::ram || !settings.identity
               ? ""
               : fmt::format("; to export the same disk again, give: --uuid {}",
                             settings.identity->text());
}

} // namespace causeway
