// SPDX-License-Identifier: GPL-2.0-or-later
#include "stock/attaching.h"

#include "base/durable_file.h"
#include "change/kinds.h"
#include "host/rdma_devices.h"
#include "stock/configfs.h"
#include "stock/disk_users.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace fs = std::filesystem;

namespace {

const ChangeKind kind_stock_attachment("stock-attachment", [](const Json &json) -> ChangePointer {
    auto settings = parse_stock_attachment("the journal", json.at("settings").get<std::string>());
    return settings ? change_stock_attachment(*std::move(settings), json.at("attached").get<bool>())
                    : nullptr;
});

fs::path record_place(const World &world, const StockAttachment &settings) {
    return world.places.stock_running_attachments() /
           stock_place(world.places, settings).filename();
}

Result<std::optional<StockAttachment>> record_of(World &world, const StockAttachment &settings) {
    const fs::path place = record_place(world, settings);
    auto text = TRY(read_small_file(place));
    if (!text) {
        return std::optional<StockAttachment>();
    }
    auto record = parse_stock_attachment(place.string(), *text);
    return record ? Result<std::optional<StockAttachment>>(std::optional(*std::move(record)))
                  : record.error();
}

// Returns the attachment with its connection. If it is connected and there is a record of it, the
// settings are those of the record.
Result<StockAttachmentState> look(World &world, const StockAttachment &settings) {
    auto record = TRY(record_of(world, settings));
    const StockAttachment &known = record ? *record : settings;
    auto connection =
        known.target.empty() ? std::nullopt : stock_transport(known.via).find(world.files, known);
    const bool unfinished = record && record->unfinished;
    const bool attached = connection.has_value() && !unfinished;
    return StockAttachmentState{attached ? known : settings, false, std::move(connection),
                                unfinished};
}

// Returns the settings with the name of the target. Asks the server's discovery if they have none.
Result<StockAttachment> resolved(World &world, const StockAttachment &settings,
                                 const SocketAddress &portal) {
    const StockTransport &transport = stock_transport(settings.via);
    StockAttachment known = settings;
    known.host.clear();
    known.portal.reset();
    known.unfinished = false;
    if (known.target.empty()) {
        TRY(transport.check_discovery(known.disk.server.host));
        const auto offer = TRY(transport.discover(world, portal));
        known.target = TRY(transport.choose(known, offer, portal));
    }
    known.portal = portal;
    return known;
}

Result<StockAttachment> connect_at(World &world, const StockAttachment &settings,
                                   const SocketAddress &portal) {
    auto known = TRY(resolved(world, settings, portal));
    TRY(expect_no_session(world, known));
    const fs::path place = record_place(world, known);
    const StockTransport &transport = stock_transport(known.via);
    known.unfinished = true;
    TRY(write_durably(place, stock_text(known), 0644));
    auto up = transport.connect(world, known, portal);
    if (up) {
        known.unfinished = false;
        up = write_durably(place, stock_text(known), 0644);
        if (!up) {
            (void)transport.disconnect(world, known);
        }
    }
    // A login without an answer may still have made a session, which the record then names.
    if (!up && !transport.find(world.files, known)) {
        (void)remove_durably(place);
    }
    return up ? Result<StockAttachment>(std::move(known)) : up.error();
}

// Disks are attached without the lock of the journal, and a record of a login that runs looks like
// that of an interrupted one. Each disk therefore has a lock of its own.
Result<FileLock> take_turn_of(World &world, const StockAttachment &settings) {
    const fs::path dropin = stock_place(world.places, settings).filename();
    const fs::path place = (world.places.stock_locks() / dropin).replace_extension(".lock");
    auto lock = TRY(FileLock::take_now(place));
    if (!lock) {
        return Error{ExitCode::try_again,
                     fmt::format("another causeway attaches or detaches {} at this moment",
                                 settings.disk.text()),
                     "run this again when it has ended; see: causeway list"};
    }
    return *std::move(lock);
}

// Ends what an earlier attach left that did not end well, or whose connection another program has
// ended: a session that no command has checked, or a record of open-iscsi.
Result<void> end_earlier(World &world, const StockAttachment &settings) {
    const auto record = TRY(record_of(world, settings));
    const auto state = TRY(look(world, settings));
    if (!record || state.attached()) {
        return {};
    }
    if (const auto unused = check_unused(world, state); !unused) {
        Error error = unused.error();
        error.what = fmt::format("an interrupted attach left {} connected, which is used: {}",
                                 settings.disk.text(), error.what);
        return error;
    }
    TRY(stock_transport(record->via).disconnect(world, *record));
    auto forgotten = remove_durably(record_place(world, settings));
    return forgotten ? Result<void>() : forgotten.error();
}

// Tries the addresses of the server one after another.
Result<StockAttachment> connect(World &world, const StockAttachment &settings) {
    ServerName server = settings.disk.server;
    if (server.port == default_port) {
        server.port = via_port(settings.via);
    }
    auto addresses = TRY(world.resolver.resolve(server));
    for (std::size_t i = 0;; i++) {
        auto known = connect_at(world, settings, addresses.at(i));
        if (known) {
            return known;
        }
        const bool passing = known.error().code == ExitCode::try_again;
        if (i + 1 == addresses.size() || !passing) {
            Error error = known.error();
            error.what = fmt::format("cannot attach {} by {}: {}", settings.disk.text(),
                                     via_title(settings.via), error.what);
            return error;
        }
    }
}

class StockAttachmentChange final : public Change {
  public:
    // @renews: the change attaches although an interrupted attach left something.
    StockAttachmentChange(StockAttachment settings, bool attached, bool renews = false)
        : settings_(std::move(settings)), attached_(attached), renews_(renews) {}

    std::string subject() const override { return "disk " + settings_.disk.text(); }

    std::string show(Direction direction) const override {
        const bool adds = attached_ == (direction == Direction::forward);
        return fmt::format("disk\n{}{} by {}{}{}\n", adds ? '+' : '-', settings_.disk.text(),
                           via_title(settings_.via), settings_.target.empty() ? "" : ", target ",
                           settings_.target);
    }

    std::string report(Direction direction) const override {
        const bool adds = attached_ == (direction == Direction::forward);
        return fmt::format("{} {} by {}", adds ? "attached" : "detached", settings_.disk.text(),
                           via_title(settings_.via));
    }

    Json json() const override {
        return {{"kind", kind_stock_attachment.name()},
                {"settings", stock_text(settings_)},
                {"attached", attached_}};
    }

    Result<Standing> standing(World &world) const override {
        auto state = TRY(look(world, settings_));
        const bool left = state.unfinished && !renews_;
        return (state.attached() || left) == attached_ ? Standing::after : Standing::before;
    }

    Result<void> forward(World &world) const override { return put(world, attached_); }
    Result<void> back(World &world) const override { return put(world, !attached_); }

    Result<void> may_go_back(World &world) const override {
        if (!attached_) {
            return {};
        }
        auto state = look(world, settings_);
        return state ? check_unused(world, *state) : state.error();
    }

  private:
    Result<void> put(World &world, bool there) const {
        return there ? attach(world) : detach(world);
    }

    Result<void> attach(World &world) const {
        for (const std::string &module : stock_transport(settings_.via).initiator_modules()) {
            TRY(world.modules.need(module));
        }
        const auto turn = TRY(take_turn_of(world, settings_));
        TRY(end_earlier(world, settings_));
        TRY(connect(world, settings_));
        return {};
    }

    Result<void> detach(World &world) const {
        const auto turn = TRY(take_turn_of(world, settings_));
        const auto record = TRY(record_of(world, settings_));
        const auto state = TRY(look(world, settings_));
        if (state.connection || state.unfinished) {
            const StockAttachment &known = record ? *record : settings_;
            TRY(stock_transport(known.via).disconnect(world, known));
        }
        auto forgotten = remove_durably(record_place(world, settings_));
        return forgotten ? Result<void>() : forgotten.error();
    }

    StockAttachment settings_;
    bool attached_;
    bool renews_;
};

bool can_be_opened(World &world, const std::string &disk) {
    return world.files.has_folder("/sys/class/block/" + disk) &&
           !sysfs_text(world.files, fmt::format("/sys/class/block/{}/size", disk)).empty();
}

} // namespace

Result<std::vector<StockAttachmentState>> stock_attachments(World &world,
                                                            std::vector<std::string> &warnings) {
    auto configured = load_stock_attachments(world.places);
    auto running =
        load_folder<StockAttachment>(world.places.stock_running_attachments(),
                                     [](const fs::path &place, const std::string &text) {
                                         return parse_stock_attachment(place.string(), text);
                                     });
    if (!configured || !running) {
        return configured ? running.error() : configured.error();
    }
    std::vector<StockAttachmentState> states;
    for (const auto *folder : {&*configured, &*running}) {
        for (const Error &broken : folder->broken) {
            warnings.push_back(broken.what);
        }
        for (const auto &stored : folder->good) {
            const bool known =
                std::any_of(states.begin(), states.end(), [&](const StockAttachmentState &each) {
                    return each.settings.disk == stored.settings.disk;
                });
            auto state = TRY(look(world, stored.settings));
            state.persistent = folder == &*configured;
            if (!known && (state.persistent || state.connection || state.unfinished)) {
                states.push_back(std::move(state));
            }
        }
    }
    return states;
}

Result<std::optional<StockAttachmentState>> find_stock_attachment(World &world,
                                                                  const DiskName &disk) {
    std::vector<std::string> others;
    auto states = TRY(stock_attachments(world, others));
    for (StockAttachmentState &state : states) {
        if (state.settings.disk == disk) {
            return std::optional(std::move(state));
        }
    }
    return std::optional<StockAttachmentState>();
}

Result<void> expect_no_session(World &world, const StockAttachment &settings) {
    const auto session = stock_transport(settings.via).find(world.files, settings);
    if (!session) {
        return {};
    }
    std::string owner = "causeway did not make it";
    std::string fix = "end it by the program that made it; see: causeway list";
    std::vector<std::string> others;
    for (const StockAttachmentState &state : TRY(stock_attachments(world, others))) {
        if (state.connection && state.connection->handle == session->handle) {
            owner = fmt::format("it is the disk {}", state.settings.disk.text());
            fix = fmt::format("use that disk, or: causeway detach {}", state.settings.disk.text());
        }
    }
    return Error{ExitCode::failed,
                 fmt::format("{} has a session already, {}{}{}: {}", settings.target,
                             session->handle, session->disks.empty() ? "" : " with ",
                             fmt::join(session->disks, " "), owner),
                 fix};
}

ChangePointer change_stock_attachment(StockAttachment settings, bool attached) {
    return std::make_unique<StockAttachmentChange>(std::move(settings), attached);
}

void add_attach(World &world, ChangeSet &set, const StockAttachment &settings) {
    for (const std::string &module : stock_transport(settings.via).initiator_modules()) {
        set.load(world, module);
    }
    const auto record = record_of(world, settings);
    const bool renews = record && *record && (*record)->unfinished;
    set.add(std::make_unique<StockAttachmentChange>(settings, true, renews));
}

Result<StockConnection> wait_for_disks(World &world, const StockAttachment &settings,
                                       std::chrono::milliseconds limit) {
    constexpr std::chrono::milliseconds between_looks{100};
    const auto deadline = world.clock.now() + limit;
    for (;;) {
        auto state = TRY(look(world, settings));
        const bool ready =
            state.connection && !state.connection->disks.empty() &&
            std::all_of(state.connection->disks.begin(), state.connection->disks.end(),
                        [&](const std::string &disk) { return can_be_opened(world, disk); });
        if (ready) {
            return *state.connection;
        }
        if (world.clock.now() >= deadline) {
            return Error{ExitCode::try_again,
                         fmt::format("{} is connected and shows no disk yet", settings.disk.text()),
                         "see: causeway list; the kernel's log says more: dmesg | tail"};
        }
        world.clock.sleep(between_looks);
    }
}

std::string link_by_id(KernelFiles &files, const std::string &disk) {
    constexpr const char *folder = "/dev/disk/by-id";
    // "naa.6001405..." and "eui.0025..." of SCSI, "uuid.5cbe11f0-..." of NVMe.
    const std::string scsi =
        sysfs_text(files, fmt::format("/sys/class/block/{}/device/wwid", disk));
    const std::string nvme = sysfs_text(files, fmt::format("/sys/class/block/{}/wwid", disk));
    const bool has_number = scsi.rfind("naa.", 0) == 0 || scsi.rfind("eui.", 0) == 0;
    const std::string name = has_number      ? "wwn-0x" + scsi.substr(4)
                             : !nvme.empty() ? "nvme-" + nvme
                                             : std::string();
    const std::string path = fmt::format("{}/{}", folder, name);
    return !name.empty() && name.find('/') == std::string::npos && exists(files, path)
               ? path
               : std::string();
}

std::string wait_for_link(World &world, const std::string &disk, std::chrono::milliseconds limit) {
    constexpr std::chrono::milliseconds between_looks{100};
    const auto deadline = world.clock.now() + limit;
    for (;;) {
        std::string link = link_by_id(world.files, disk);
        if (!link.empty() || !exists(world.files, "/run/udev/control") ||
            world.clock.now() >= deadline) {
            return link;
        }
        world.clock.sleep(between_looks);
    }
}

Result<void> check_unused(World &world, const StockAttachmentState &state) {
    for (const std::string &disk :
         state.connection ? state.connection->disks : std::vector<std::string>()) {
        if (const std::string user = user_of_disk(world, disk); !user.empty()) {
            const std::string release = release_of_disk(world, disk);
            return Error{ExitCode::try_again,
                         fmt::format("cannot detach {}: {}", state.settings.disk.text(), user),
                         fmt::format("{}; then detach it, or give up its I/O with --force",
                                     release.empty() ? "end that use" : release)};
        }
    }
    return {};
}

} // namespace causeway
