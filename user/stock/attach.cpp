// SPDX-License-Identifier: GPL-2.0-or-later
// attach --via, what detach and list do with such disks, and the connections of both roles.
#include "base/units.h"
#include "change/carry_out.h"
#include "command/connection_source.h"
#include "config/dropins.h"
#include "host/fstab.h"
#include "host/rdma_devices.h"
#include "machine/kernel_files.h"
#include "show/progress.h"
#include "show/table.h"
#include "stock/attaching.h"
#include "stock/exporting.h"
#include "stock/family.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

constexpr std::chrono::seconds disk_limit{30};
constexpr std::chrono::seconds link_limit{5};

Result<StockAttachment> stock_attachment_of(World &world, const Arguments &arguments) {
    StockAttachment settings;
    settings.via = TRY(parse_via(arguments.text("via").value_or("")));
    settings.disk = TRY(parse_disk(arguments.operands().front()));
    std::vector<std::string_view> of_causeway;
    for (const AttachOption &option : attach_options) {
        of_causeway.push_back(option.word);
    }
    of_causeway.insert(of_causeway.end(),
                       {"path", "from", "transport", "key-file", "background", "host-uuid"});
    TRY(refuse_options(arguments, of_causeway, "is of Causeway's own transport",
                       "leave out --{} or --via"));
    settings.chap = TRY(take_chap(settings.via, arguments));
    TRY(stock_transport(settings.via).check_kernel(world.files, settings.chap, false));
    if (const auto typed = arguments.text("target")) {
        settings.target = TRY(stock_transport(settings.via).parse_target(*typed));
    } else {
        TRY(stock_transport(settings.via).check_discovery(settings.disk.server.host));
    }
    return settings;
}

Result<std::optional<StockAttachmentState>> compare(World &world, const StockAttachment &wanted) {
    auto now = find_stock_attachment(world, wanted.disk);
    if (!now || !*now) {
        return now;
    }
    const auto different = differences((*now)->settings, wanted);
    if (!different.empty()) {
        return Error{ExitCode::failed,
                     fmt::format("{} is there with other settings: {}", wanted.disk.text(),
                                 fmt::join(different, ", ")),
                     fmt::format("causeway detach {}, then attach it again", wanted.disk.text())};
    }
    return now;
}

std::vector<std::string> devices_of(const StockConnection &connection) {
    std::vector<std::string> devices;
    for (const std::string &disk : connection.disks) {
        devices.push_back("/dev/" + disk);
    }
    return devices;
}

// Returns the line for /etc/fstab of one of the disks of an attachment; "" without a link.
std::string fstab_of(const StockAttachment &settings, std::size_t index, const std::string &link) {
    const std::string &name = settings.disk.name;
    return link.empty()
               ? ""
               : fstab_line(link, index == 0 ? name : fmt::format("{}-{}", name, index + 1));
}

Json attachment_json(World &world, const StockAttachmentState &state) {
    const StockAttachment &settings = state.settings;
    const bool attached = state.attached();
    Json disks = Json::array();
    for (const std::string &disk :
         attached ? state.connection->disks : std::vector<std::string>()) {
        const std::string link = link_by_id(world.files, disk);
        disks.push_back({{"disk", disk},
                         {"device", "/dev/" + disk},
                         {"link", or_null(link)},
                         {"fstab", or_null(fstab_of(settings, disks.size(), link))},
                         {"size", size_of_disk(world.files, disk)}});
    }
    return {{"server", settings.disk.server.text()},
            {"name", settings.disk.name},
            {"via", via_text(settings.via)},
            {"target", settings.target.empty() ? Json(nullptr) : Json(settings.target)},
            {"chap", or_null(chap_word(settings.chap))},
            {"chap_user", or_null(settings.chap.user)},
            {"chap_mutual_user", or_null(settings.chap.mutual_user)},
            {"portal", settings.portal ? Json(settings.portal->text()) : Json(nullptr)},
            {"attached", attached},
            {"handle", attached ? Json(state.connection->handle) : Json(nullptr)},
            {"state", attached           ? Json(state.connection->state)
                      : state.unfinished ? Json("interrupted")
                                         : Json(nullptr)},
            {"disks", disks},
            {"persistent", state.persistent}};
}

// Returns the changes that detach the disk. Returns an error if the disk is in use, unless @force.
Result<ChangeSet> detaching(World &world, const StockAttachmentState &state, bool force) {
    const StockAttachment &settings = state.settings;
    ChangeSet set("detach " + settings.disk.text());
    if (state.connection || state.unfinished) {
        if (!force) {
            TRY(check_unused(world, state));
        }
        set.add(change_stock_attachment(settings, false));
    }
    if (state.persistent) {
        TRY(set.remove(stock_place(world.places, settings)));
    }
    return set;
}

class StockAttachAction final : public DiskAction {
  public:
    StockAttachAction(StockAttachment wanted, const Arguments &arguments)
        : wanted_(std::move(wanted)), persists_(!arguments.has("no-persist")),
          dry_run_(arguments.dry_run()) {}

    Result<ChangeSet> changes(World &world) override {
        const auto now = TRY(compare(world, wanted_));
        comes_back_ = persists_ || (now && now->persistent);
        ChangeSet set(
            fmt::format("attach {} --via {}", wanted_.disk.text(), via_text(wanted_.via)));
        if (!now || !now->attached()) {
            if (!wanted_.target.empty() && !(now && now->unfinished)) {
                TRY(expect_no_session(world, wanted_));
            }
            add_attach(world, set, wanted_);
        }
        if (persists_ && !(now && now->persistent)) {
            TRY(set.write(stock_place(world.places, wanted_), stock_text(wanted_)));
        }
        return set;
    }

    std::string nothing_to_do() const override {
        return fmt::format("{} is attached by {} already", wanted_.disk.text(),
                           via_title(wanted_.via));
    }

    Result<Answer> answer(World &world, Answer done) override {
        if (dry_run_) {
            return done;
        }
        done.json["server"] = wanted_.disk.server.text();
        done.json["name"] = wanted_.disk.name;
        done.json["devices"] = Json::array();
        done.json["links"] = Json::array();
        done.json["fstab"] = Json::array();
        const Progress progress(world, fmt::format("waiting for the disk {}", wanted_.disk.text()));
        const auto connection = wait_for_disks(world, wanted_, disk_limit);
        if (!connection) {
            done.warnings.push_back(connection.error().what);
            done.code = connection.error().code;
            return done;
        }
        std::string advice;
        std::string devices;
        for (const std::string &disk : connection->disks) {
            const std::string link = wait_for_link(world, disk, link_limit);
            const std::string line =
                comes_back_ ? fstab_of(wanted_, done.json["devices"].size(), link) : "";
            done.json["devices"].push_back("/dev/" + disk);
            done.json["links"].push_back(or_null(link));
            done.json["fstab"].push_back(or_null(line));
            if (!line.empty() && world.terminal.columns != 0) {
                advice += fmt::format("to mount it at boot, add to /etc/fstab: {}\n", line);
            }
            devices += fmt::format("{}{}/dev/{}\n", link, link.empty() ? "" : "\n", disk);
        }
        // The device is last, for scripts that take the last line.
        done.text += advice + devices;
        return done;
    }

  private:
    StockAttachment wanted_;
    bool persists_;
    bool dry_run_;
    bool comes_back_ = false; // at boot
};

const StockFamily stock_family;

Json row_json(const char *role, Via via, const std::string &peer, const std::string &name,
              const std::string &state) {
    return {{"role", role},
            {"via", via_text(via)},
            {"peer", peer.empty() ? Json(nullptr) : Json(peer)},
            {"name", name},
            {"state", state}};
}

} // namespace

Result<ActionPointer> StockFamily::attach(World &world, const Arguments &arguments) const {
    auto wanted = TRY(stock_attachment_of(world, arguments));
    TRY(check_initiator_tools(world, wanted.via));
    return ActionPointer(std::make_unique<StockAttachAction>(std::move(wanted), arguments));
}

Result<ActionPointer> StockFamily::attach_set(World &world, const DiskName &disk,
                                              const Arguments & /*arguments*/) const {
    const auto state = TRY(find_stock_attachment(world, disk));
    if (!state) {
        return ActionPointer();
    }
    return Error{
        ExitCode::failed,
        fmt::format("settings of a disk attached by {} cannot be changed",
                    via_title(state->settings.via)),
        fmt::format("causeway detach {}, then attach it with the new settings", disk.text())};
}

Result<std::optional<std::string>> StockFamily::attached_by(World &world,
                                                            const DiskName &disk) const {
    const auto there = TRY(find_stock_attachment(world, disk));
    return there ? std::optional(via_title(there->settings.via)) : std::nullopt;
}

Result<std::optional<std::vector<std::string>>>
StockFamily::devices_of_attachment(World &world, const DiskName &disk) const {
    const auto there = TRY(find_stock_attachment(world, disk));
    if (!there) {
        return std::optional<std::vector<std::string>>();
    }
    return std::optional(there->connection ? devices_of(*there->connection)
                                           : std::vector<std::string>());
}

Result<std::vector<Task>> StockFamily::detach(World &world, bool force,
                                              std::vector<std::string> &warnings) const {
    std::vector<Task> tasks;
    for (const StockAttachmentState &state : TRY(stock_attachments(world, warnings))) {
        tasks.push_back({state.settings.disk.text(), "",
                         [state, force](World &now) { return detaching(now, state, force); }});
    }
    return tasks;
}

Result<void> StockFamily::list_attachments(World &world, Answer &answer) const {
    auto states = TRY(stock_attachments(world, answer.warnings));
    answer.json["stock"] = Json::array();
    Table table({{"DISK"}, {"BY"}, {"SIZE", Table::Align::right}, {"STATE"}, {"DEVICE"}});
    for (const StockAttachmentState &state : states) {
        answer.json["stock"].push_back(attachment_json(world, state));
        const std::string disk = state.settings.disk.text();
        const std::string title = via_title(state.settings.via);
        if (!state.attached()) {
            table.row({disk, title, "", state.unfinished ? "interrupted" : "not attached", ""});
            continue;
        }
        const auto &disks = state.connection->disks;
        const std::uint64_t size = disks.empty() ? 0 : size_of_disk(world.files, disks.front());
        table.row({disk, title, size == 0 ? "" : size_text(size), state.connection->state,
                   fmt::format("{}", fmt::join(devices_of(*state.connection), " "))});
        for (const std::string &name : disks) {
            if (const std::string link = link_by_id(world.files, name); !link.empty()) {
                table.note(link);
            }
        }
    }
    const std::string text = table.text(world.terminal);
    answer.text += (answer.text.empty() || text.empty() ? "" : "\n") + text;
    return {};
}

namespace {

Result<void> add_connections(World &world, Answer &answer) {
    std::vector<std::string> told; // discarded, because "causeway list" reports these warnings
    auto exports = stock_exports(world, told);
    auto attachments = stock_attachments(world, told);
    if (!exports || !attachments) {
        return exports ? attachments.error() : exports.error();
    }
    answer.json["stock"] = Json::array();
    Table table({{"ROLE"}, {"PEER"}, {"EXPORT"}, {"BY"}, {"STATE"}});
    const auto add = [&](const char *role, Via via, const std::string &peer,
                         const std::string &name, const std::string &state) {
        answer.json["stock"].push_back(row_json(role, via, peer, name, state));
        table.row({role, peer, name, via_title(via), state});
    };
    for (const StockExportState &state : *exports) {
        if (!state.running) {
            continue;
        }
        const StockExport &settings = state.settings;
        const auto connected = connected_initiators(world.files, state.made);
        for (const std::string &peer : connected) {
            add("server", settings.via, peer, settings.name, "connected");
        }
        if (connected.empty()) {
            add("server", settings.via, "", settings.name,
                fmt::format("listens at {}", portals_text(settings)));
        }
    }
    for (const StockAttachmentState &state : *attachments) {
        const StockAttachment &settings = state.settings;
        add("client", settings.via, settings.disk.server.text(), settings.disk.name,
            state.attached()
                ? fmt::format("{} ({})", state.connection->state, state.connection->handle)
            : state.unfinished ? "interrupted"
                               : "not attached");
    }
    const std::string text = table.text(world.terminal);
    answer.text += (answer.text.empty() || text.empty() ? "" : "\n") + text;
    return {};
}

const ConnectionSource stock_connections(2, add_connections);

} // namespace

} // namespace causeway
