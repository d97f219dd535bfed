// SPDX-License-Identifier: GPL-2.0-or-later
#include "disk/attachment_change.h"

#include "change/kinds.h"
#include "config/key_file.h"
#include "disk/attaching.h"
#include "disk/causeway.h"
#include "stock/disk_users.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>

namespace causeway {

namespace {

Json paths_json(const std::vector<PathSettings> &paths) {
    Json all = Json::array();
    for (const PathSettings &path : paths) {
        all.push_back(
            {{"address", path.address}, {"from", path.from}, {"transport", transport_word(path)}});
    }
    return all;
}

// Entries of earlier versions have no paths, or paths without a transport.
Result<std::vector<PathSettings>> paths_from(const Json &json) {
    PathWords words;
    for (const Json &path : json.value("paths", Json::array())) {
        if (auto address = path.at("address").get<std::string>(); !address.empty()) {
            words.addresses.push_back(std::move(address));
        }
        auto local = path.at("from").get<std::string>();
        words.from.push_back(local.empty() ? std::string(any_local) : std::move(local));
        words.transports.push_back(path.value("transport", std::string(transport_rdma)));
    }
    return parse_paths(words, "");
}

std::vector<PathSettings> path_settings(const AttachmentInfo &info) {
    std::vector<PathSettings> paths;
    for (const DiskPathAddresses &path : running_paths(info)) {
        paths.push_back(settings_of(path));
    }
    return paths;
}

// Returns null if a text in the JSON is malformed.
ChangePointer attachment_from(const Json &json) {
    AttachmentState state;
    AttachmentSettings &settings = state.settings;
    auto disk = parse_disk(json.at("disk").get<std::string>());
    if (!disk) {
        return nullptr;
    }
    settings.disk = *std::move(disk);
    for (const AttachOption &option : attach_options) {
        // Entries of earlier versions lack the options that came later.
        if (const Json number = json.value(option.key(), Json()); !number.is_null()) {
            settings.*option.value = number.get<std::uint32_t>();
        }
    }
    auto paths = paths_from(json);
    if (!paths) {
        return nullptr;
    }
    settings.paths = *std::move(paths);
    settings.key_file = get_bytes(json, "key_file").value_or("");
    if (const Json &host = json.at("host"); !host.is_null()) {
        settings.host = Uuid::parse(host.get<std::string>());
        if (!settings.host) {
            return nullptr;
        }
    }
    // Entries of earlier versions have no identity.
    if (const Json identity = json.value("identity", Json()); !identity.is_null()) {
        settings.identity = Uuid::parse(identity.get<std::string>());
        if (!settings.identity) {
            return nullptr;
        }
    }
    state.key_unknown = json.at("key_unknown").get<bool>();
    return change_attachment(std::move(state), json.at("attached").get<bool>());
}

const ChangeKind kind_attachment("attachment", attachment_from);

const ChangeKind kind_loss("acknowledged-loss", [](const Json &json) -> ChangePointer {
    auto disk = parse_disk(json.at("disk").get<std::string>());
    return disk ? change_loss(*disk) : nullptr;
});

class AttachmentChange final : public Change {
  public:
    AttachmentChange(AttachmentState state, bool attached, AttachmentWay way)
        : state_(std::move(state)), attached_(attached), way_(std::move(way)) {}

    std::string subject() const override { return "disk " + name(); }

    std::filesystem::path lock_place(const World &world) const override {
        return attachment_lock(world.places, state_.settings.disk);
    }

    std::string show(Direction direction) const override {
        if (attached_ != (direction == Direction::forward)) {
            return fmt::format("would detach {}{}\n", name(),
                               way_.force ? ", even while it is open" : "");
        }
        return (way_.loads ? fmt::format("would load the kernel module {}\n", module_disk) : "") +
               fmt::format("would attach {}{}\n", name(),
                           way_.link.empty() ? "" : " as " + way_.link);
    }

    std::string report(Direction direction) const override {
        return fmt::format("{} {}",
                           attached_ == (direction == Direction::forward) ? "attached" : "detached",
                           name());
    }

    Json json() const override {
        const AttachmentSettings &settings = state_.settings;
        Json json = {{"kind", kind_attachment.name()}, {"attached", attached_}, {"disk", name()}};
        for (const AttachOption &option : attach_options) {
            json[option.key()] = or_null(settings.*option.value);
        }
        json["paths"] = paths_json(settings.paths);
        json["key_unknown"] = state_.key_unknown;
        json["host"] = settings.host ? Json(settings.host->text()) : Json(nullptr);
        json["identity"] = settings.identity ? Json(settings.identity->text()) : Json(nullptr);
        put_bytes(json, "key_file", settings.key_file);
        return json;
    }

    Result<Standing> standing(World &world) const override {
        auto running = TRY(running_attachment(world, state_.settings.disk));
        if (!running) {
            return attached_ ? Standing::before : Standing::after;
        }
        if (!is_same(*running)) {
            return Standing::neither;
        }
        return attached_ ? Standing::after : Standing::before;
    }

    Result<void> forward(World &world) const override {
        return attached_ ? attach(world) : detach(world, way_.force);
    }
    Result<void> back(World &world) const override {
        return attached_ ? detach(world, false) : attach(world);
    }
    Result<void> back_by_force(World &world) const override {
        return attached_ ? detach(world, true) : attach(world);
    }

    Result<void> may_go_back(World &world) const override {
        if (!attached_) {
            return check_attachable(world);
        }
        auto running = TRY(running_attachment(world, state_.settings.disk));
        if (!running || running->openers == 0) {
            return {};
        }
        const std::string user = user_of_disk(world, running->disk);
        return Error{ExitCode::try_again,
                     fmt::format("cannot detach {}: {}", name(),
                                 user.empty() ? "a program has it open" : user)};
    }

  private:
    std::string name() const { return state_.settings.disk.text(); }

    bool is_same(const AttachmentInfo &info) const {
        AttachmentSettings there = as_settings(info, state_.settings);
        if (state_.key_unknown && info.has_key) {
            there.key_file.clear();
        }
        return differences(there, state_.settings).empty();
    }

    // Only undo calls this. A verb has checked the same before.
    Result<void> check_attachable(World &world) const {
        if (state_.key_unknown) {
            return Error{ExitCode::failed,
                         fmt::format("{} had a key, and the name of the key file is not known: it "
                                     "cannot be attached again",
                                     name())};
        }
        if (!state_.settings.key_file.empty()) {
            TRY(read_key(state_.settings.key_file));
        }
        return check_disk_name(world, causeway_family, state_.settings.disk);
    }

    Result<void> attach(World &world) const {
        if (!attached_) {
            TRY(check_attachable(world));
        }
        TRY(world.modules.need(module_disk));
        auto up = TRY(bring_up(world, state_.settings, way_.background));
        for (std::string &warning : up.warnings) {
            warn(std::move(warning));
        }
        if (way_.disk != nullptr) {
            *way_.disk = up.disk;
        }
        return {};
    }

    // Adds a warning if the server may still keep the disk for this host.
    Result<void> detach(World &world, bool force) const {
        const DiskName &disk = state_.settings.disk;
        auto detached = world.kernel.detach(disk.server.text(), disk.name, force);
        if (!detached) {
            Error error = with_user(world, disk, detached.error());
            error.what = fmt::format("cannot detach {}: {}", name(), error.what);
            return error;
        }
        if (!detached->empty()) {
            warn(fmt::format("{}: {}", name(), *detached));
        }
        return {};
    }

    AttachmentState state_;
    bool attached_;
    AttachmentWay way_;
};

class LossChange final : public Change {
  public:
    explicit LossChange(DiskName disk) : disk_(std::move(disk)) {}

    std::string subject() const override { return "loss of disk " + disk_.text(); }
    std::string show(Direction direction) const override {
        return direction == Direction::back
                   ? ""
                   : fmt::format("would let flushes of {} pass again\n", disk_.text());
    }
    std::string report(Direction /*direction*/) const override {
        return fmt::format("acknowledged the loss of {}", disk_.text());
    }
    Json json() const override { return {{"kind", kind_loss.name()}, {"disk", disk_.text()}}; }
    Result<Standing> standing(World & /*world*/) const override { return Standing::unknown; }
    Result<void> forward(World &world) const override {
        return world.kernel.acknowledge(disk_.server.text(), disk_.name);
    }
    Result<void> back(World & /*world*/) const override { return {}; }
    std::string what_stays() const override {
        return fmt::format("the loss of {} stays acknowledged: programs that flush since do not "
                           "learn of it",
                           disk_.text());
    }

  private:
    DiskName disk_;
};

} // namespace

Error with_user(World &world, const DiskName &disk, Error error) {
    if (error.system_error != EBUSY) {
        return error;
    }
    const auto running = running_attachment(world, disk);
    if (!running || !*running) {
        return error;
    }
    if (std::string user = user_of_disk(world, (*running)->disk); !user.empty()) {
        error.what = std::move(user);
    }
    if (const std::string release = release_of_disk(world, (*running)->disk); !release.empty()) {
        error.fix = fmt::format("{}; then detach it, or give up its I/O with --force", release);
    }
    return error;
}

AttachmentState state_of(const DiskName &disk, const AttachmentInfo &info,
                         const std::optional<AttachmentSettings> &configured) {
    if (configured && differences(as_settings(info, *configured), *configured).empty()) {
        return {*configured, false};
    }
    AttachmentState state;
    state.settings = as_settings(info, {});
    state.settings.disk = disk;
    state.settings.paths = path_settings(info);
    // Before the first connection the kernel does not know the granted numbers.
    if (info.depth == 0) {
        state.settings.queues.reset();
        state.settings.depth.reset();
    }
    state.settings.key_file = info.has_key && configured ? configured->key_file : "";
    state.key_unknown = info.has_key && state.settings.key_file.empty();
    return state;
}

AttachmentSettings as_settings(const AttachmentInfo &info, const AttachmentSettings &wanted) {
    AttachmentSettings there{numbers_of(info), wanted.disk};
    // info.queues includes the polled queues.
    there.queues = std::max(info.queues - info.poll_queues, 0);
    for (const AttachOption &option : attach_options) {
        if (option.granted && there.*option.value < wanted.*option.value) {
            there.*option.value = wanted.*option.value;
        }
    }
    if (!wanted.paths.empty()) {
        there.paths = path_settings(info);
        for (std::size_t i = 0; i < std::min(there.paths.size(), wanted.paths.size()); i++) {
            if (!SocketAddress::from_text(wanted.paths[i].address)) {
                there.paths[i].address = wanted.paths[i].address;
            }
        }
    }
    there.key_file = !info.has_key ? "" : wanted.key_file.empty() ? "set" : wanted.key_file;
    there.host = info.host.is_nil() ? wanted.host : std::optional(info.host);
    // Unknown before the first connection, and to other users than root.
    there.identity = info.identity.is_nil() ? wanted.identity : std::optional(info.identity);
    return there;
}

ChangePointer change_attachment(AttachmentState state, bool attached, AttachmentWay way) {
    return std::make_unique<AttachmentChange>(std::move(state), attached, std::move(way));
}

ChangePointer change_loss(const DiskName &disk) {
    return std::make_unique<LossChange>(disk);
}

} // namespace causeway
