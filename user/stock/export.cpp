// SPDX-License-Identifier: GPL-2.0-or-later
// export add --via, and what export remove and export list do with such exports.
#include "base/append_once.h"
#include "base/units.h"
#include "change/carry_out.h"
#include "config/dropins.h"
#include "host/rdma_devices.h"
#include "machine/kernel_files.h"
#include "show/table.h"
#include "show/words.h"
#include "stock/dhchap.h"
#include "stock/disk_users.h"
#include "stock/exporting.h"
#include "stock/family.h"
#include "stock/shared_target.h"
#include "stock/transport.h"
#include "transport/backend.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace fs = std::filesystem;

namespace {

Result<void> take_backend(const Arguments &arguments, StockExport &settings) {
    const auto choice =
        TRY(take_backend(arguments, "--device DEVICE, --file FILE, --ram SIZE and --scsi DEVICE"));
    settings.backend = choice.kind == "device" ? StockBackend::device
                       : choice.kind == "file" ? StockBackend::file
                       : choice.kind == "ram"  ? StockBackend::ram
                                               : StockBackend::scsi;
    settings.path = choice.path;
    settings.size = choice.size;
    return {};
}

constexpr std::size_t most_portals = 16;

Result<SocketAddress> parse_listener(const std::string &typed, Via via) {
    auto server = TRY(parse_server(typed));
    auto address = SocketAddress::from_text(server.host);
    if (!address) {
        return Error{ExitCode::usage, fmt::format("'{}' is no IP address to listen on", typed),
                     "give ADDRESS or ADDRESS:PORT, such as 10.0.0.1"};
    }
    address->set_port(server.port == default_port ? via_port(via) : server.port);
    return *address;
}

// The listeners on every address. On a machine without IPv6, or with IPv6 sockets that take no
// IPv4, they listen by IPv4 only.
std::vector<SocketAddress> every_address(KernelFiles &files, Via via) {
    using Any = StockTransport::Row::Any;
    const Any any = stock_transport(via).row().any;
    const bool has_ipv6 =
        sysfs_text(files, "/proc/sys/net/ipv6/conf/all/disable_ipv6") == "0" &&
        (any == Any::two || sysfs_text(files, "/proc/sys/net/ipv6/bindv6only") == "0");
    std::vector<SocketAddress> portals;
    if (!has_ipv6 || any != Any::one) {
        portals.push_back(*SocketAddress::from_text("0.0.0.0"));
    }
    if (has_ipv6 && any != Any::v4) {
        portals.push_back(*SocketAddress::from_text("::"));
    }
    for (SocketAddress &portal : portals) {
        portal.set_port(via_port(via));
    }
    return portals;
}

void set_portals(StockExport &settings, const std::vector<SocketAddress> &portals) {
    settings.portal = portals.front();
    settings.more_portals.assign(portals.begin() + 1, portals.end());
}

Result<void> take_portals(KernelFiles &files, const Arguments &arguments, StockExport &settings) {
    std::vector<SocketAddress> portals;
    for (const std::string &typed : arguments.list("portal")) {
        auto portal = TRY(parse_listener(typed, settings.via));
        append_once(portals, portal);
    }
    if (portals.size() > most_portals) {
        return Error{
            ExitCode::usage,
            fmt::format("{} portals are too many, {} are allowed", portals.size(), most_portals),
            "leave out --portal to listen on every address"};
    }
    if (portals.size() > 1 && !stock_transport(settings.via).row().shares_targets) {
        return Error{ExitCode::usage,
                     fmt::format("{} has one listener on this machine", via_title(settings.via)),
                     "give one --portal"};
    }
    set_portals(settings, portals.empty() ? every_address(files, settings.via) : portals);
    return {};
}

} // namespace

Result<void> take_initiators(const Arguments &arguments, StockExport &settings) {
    for (const std::string &typed : arguments.list("initiator")) {
        auto initiator = TRY(stock_transport(settings.via).parse_initiator(typed));
        settings.initiators.push_back(std::move(initiator));
    }
    const std::vector<std::string> allowed = arguments.list("allow");
    settings.allow_any = allowed == std::vector<std::string>{"any"};
    if (!allowed.empty() && !settings.allow_any) {
        return Error{ExitCode::usage,
                     fmt::format("{} knows clients by their names, not by networks",
                                 via_title(settings.via)),
                     "give --initiator NAME, or --allow any for every initiator"};
    }
    if (settings.allow_any && !settings.initiators.empty()) {
        return Error{ExitCode::usage,
                     "--allow any stands for every initiator, and --initiator names one too",
                     "leave one of them out"};
    }
    if (!settings.allow_any && settings.initiators.empty() && !settings.chap.is_set() &&
        stock_transport(settings.via).row().lets_everyone_in) {
        return Error{
            ExitCode::usage, "no option names the initiators that may attach the disk",
            fmt::format("give --initiator NAME, or --allow any: {} asks for no password{}, "
                        "and every host that reaches this one could write to the disk",
                        via_title(settings.via),
                        stock_transport(settings.via).row().chap == ChapForm::iscsi
                            ? " without --chap-user"
                            : "")};
    }
    return {};
}

namespace {

// The reason is not the same as for other options of Causeway: an option does nearly what is asked.
Result<void> check_not_exclusive(Via via, const Arguments &arguments) {
    if (!arguments.has("exclusive")) {
        return {};
    }
    return Error{ExitCode::usage,
                 fmt::format("{} has no exclusive exports: {} admits clients by their names, and "
                             "cannot fence an earlier owner",
                             via_title(via),
                             stock_transport(via).has_backstore() ? "LIO" : "nvmet"),
                 "give --initiator with the name of the one client that may attach, or leave out "
                 "--via"};
}

Result<StockExport> stock_export_of(World &world, const Arguments &arguments) {
    StockExport settings;
    settings.via = TRY(parse_via(arguments.text("via").value_or("")));
    settings.name = TRY(parse_export_name(arguments.operands().front()));
    TRY(check_not_exclusive(settings.via, arguments));
    TRY(refuse_options(arguments,
                       {"write-through", "tcp", "key-file", "uuid", "takeover-after",
                        "state-folder", "forget-owners", "address"},
                       "is of Causeway's own transport", "leave out --{} or --via"));
    TRY(take_backend(arguments, settings));
    settings.read_only = arguments.has("read-only");
    settings.buffered = arguments.has("buffered");
    settings.unmap = arguments.has("unmap");
    if (const auto size = arguments.text("block-size")) {
        settings.block_size = TRY(parse_block_size(*size));
    }
    settings.chap = TRY(take_chap(settings.via, arguments));
    TRY(stock_transport(settings.via).check_kernel(world.files, settings.chap, true));
    TRY(take_initiators(arguments, settings));
    TRY(take_portals(world.files, arguments, settings));
    if (const auto number = TRY(arguments.number("lun", 0, most_luns))) {
        settings.lun = static_cast<unsigned int>(*number);
    }
    TRY(check_stock_backend(world.files, settings));
    const StockTransport &transport = stock_transport(settings.via);
    const auto typed = arguments.text("target");
    settings.target = TRY(typed ? transport.parse_target(*typed)
                                : transport.default_target(world.files, settings));
    return settings;
}

// The settings with defaults that the administrator gave.
struct Typed {
    bool target = false;
    bool portal = false;
    bool lun = false;
};

// An existing export keeps its values of the settings that the administrator did not give: the
// defaults may have changed since.
Result<std::optional<StockExportState>> compare(World &world, StockExport &wanted,
                                                const Typed &typed) {
    auto now = find_stock_export(world, wanted.name);
    if (!now || !*now) {
        wanted.identity = Uuid::random();
        return now;
    }
    if ((*now)->settings.via == wanted.via) {
        const StockExport &there = (*now)->settings;
        wanted.target = typed.target ? wanted.target : there.target;
        set_portals(wanted, portals_of(typed.portal ? wanted : there));
        wanted.lun = typed.lun ? wanted.lun : there.lun;
    }
    const auto different = differences((*now)->settings, wanted);
    if (!different.empty()) {
        return Error{
            ExitCode::failed,
            fmt::format("the export '{}' is there with other settings: {}", wanted.name,
                        fmt::join(different, ", ")),
            fmt::format("\"causeway export set {0} --via {1}\" changes who may attach; for "
                        "the rest detach the disk on its clients, causeway export remove "
                        "{0}, then add it again",
                        wanted.name, via_text(wanted.via))};
    }
    wanted.identity = (*now)->settings.identity;
    return now;
}

// Returns the text of a file whose settings are those of @wanted already, or an error if they are
// not: the file may have been edited since the export began.
Result<std::string> kept_text(const Stored<StockExport> &stored, const StockExport &wanted) {
    StockExport kept = stored.settings;
    kept.lun = kept.lun ? kept.lun : wanted.lun;
    kept.identity = kept.identity ? kept.identity : wanted.identity;
    StockExport there = kept;
    if (std::is_permutation(there.initiators.begin(), there.initiators.end(),
                            wanted.initiators.begin(), wanted.initiators.end())) {
        there.initiators = wanted.initiators;
    }
    const auto different = differences(there, wanted);
    if (!different.empty()) {
        return Error{ExitCode::failed,
                     fmt::format("the export '{}' is configured in {} with other settings: {}",
                                 wanted.name, stored.place.string(), fmt::join(different, ", ")),
                     fixed_differences(there, wanted).empty()
                         ? fmt::format("for the settings of the file: causeway reload; for others: "
                                       "causeway export set {}, with the options that differ",
                                       wanted.name)
                         : fmt::format("correct the file; or detach the disk on its clients, "
                                       "causeway export remove {}, then add it again",
                                       wanted.name)};
    }
    return edited_stock_text(stored, kept);
}

// Returns the command that attaches the disk on a client, with SERVER for this machine.
std::string client_line(World &world, const StockExport &settings) {
    std::string line = fmt::format("causeway attach SERVER{}/{} --via {}",
                                   settings.portal.port() == via_port(settings.via)
                                       ? ""
                                       : fmt::format(":{}", settings.portal.port()),
                                   settings.name, via_text(settings.via));
    const std::string ending = ":" + settings.name;
    const bool found_by_name =
        settings.target.size() > ending.size() &&
        settings.target.compare(settings.target.size() - ending.size(), ending.size(), ending) == 0;
    if (stock_transport(settings.via).row().shares_targets && !found_by_name) {
        line += fmt::format(" --target {}", settings.target);
    }
    const auto add = [&](const char *option, const std::string &value) {
        line += value.empty() ? std::string() : fmt::format(" --{} {}", option, value);
    };
    const Chap &chap = settings.chap;
    add("chap-user", chap.user);
    add("chap-key-file", chap.is_set() ? "FILE" : "");
    add("chap-mutual-user", chap.mutual_user);
    add("chap-mutual-key-file", chap.is_mutual() ? "FILE" : "");
    if (const auto service = stock_transport(settings.via).service(world.files)) {
        line += fmt::format(" --target {}", *service);
    }
    return line;
}

std::uint64_t size_of(World &world, const StockExport &settings) {
    if (settings.backend == StockBackend::ram) {
        return settings.size;
    }
    std::error_code failure;
    if (settings.backend == StockBackend::file) {
        const auto size = fs::file_size(settings.path, failure);
        return failure ? 0 : size;
    }
    const fs::path device = fs::canonical(settings.path, failure);
    return size_of_disk(world.files, device.filename().string());
}

std::string options_phrase(const StockExport &settings) {
    std::vector<std::string> words;
    if (settings.read_only) {
        words.emplace_back("read-only");
    }
    if (settings.buffered) {
        words.emplace_back("buffered");
    }
    if (settings.unmap) {
        words.emplace_back("unmap");
    }
    if (settings.chap.is_set()) {
        words.emplace_back(settings.chap.is_mutual() ? "mutual-chap" : "chap");
    }
    return fmt::format("{}", fmt::join(words, " "));
}

Json portals_json(const StockExport &settings) {
    Json all = Json::array();
    for (const SocketAddress &portal : portals_of(settings)) {
        all.push_back(portal.text());
    }
    return all;
}

// "everyone", or the initiators; with CHAP, whose secret they need.
std::string admitted_phrase(const StockExport &settings) {
    std::string who = settings.initiators.empty()
                          ? "everyone"
                          : fmt::format("{}", fmt::join(settings.initiators, ", "));
    if (!settings.chap.is_set()) {
        return who;
    }
    return settings.chap.user.empty()
               ? fmt::format("{} with the secret of DH-HMAC-CHAP", who)
               : fmt::format("{} with the CHAP secret of {}", who, settings.chap.user);
}

Json export_json(World &world, const StockExportState &state) {
    const StockExport &settings = state.settings;
    return {{"name", settings.name},
            {"via", via_text(settings.via)},
            {"backend", stock_backend_text(settings.backend)},
            {"path", settings.path},
            {"size", size_of(world, settings)},
            {"read_only", settings.read_only},
            {"initiators", settings.initiators},
            {"target", settings.target},
            {"service", or_null(stock_transport(settings.via).service(world.files))},
            {"portal", settings.portal.text()},
            {"portals", portals_json(settings)},
            {"lun", settings.lun ? Json(*settings.lun) : Json(nullptr)},
            {"chap", or_null(chap_word(settings.chap))},
            {"chap_user", or_null(settings.chap.user)},
            {"chap_mutual_user", or_null(settings.chap.mutual_user)},
            {"buffered", settings.buffered},
            {"block_size", settings.block_size == 0 ? Json(nullptr) : Json(settings.block_size)},
            {"unmap", settings.unmap},
            {"connected",
             state.running ? Json(connected_initiators(world.files, state.made)) : Json::array()},
            {"running", state.running},
            {"persistent", state.persistent}};
}

class StockExportAction final : public DiskAction {
  public:
    StockExportAction(StockExport wanted, const Arguments &arguments)
        : wanted_(std::move(wanted)), typed_{arguments.has("target"), arguments.has("portal"),
                                             arguments.has("lun")},
          persists_(!arguments.has("no-persist")), dry_run_(arguments.dry_run()) {}

    Result<ChangeSet> changes(World &world) override {
        const auto now = TRY(compare(world, wanted_, typed_));
        starts_ = !now || !now->running;
        if (starts_) {
            TRY(join_target(world, wanted_, typed_.portal));
        }
        ChangeSet set(fmt::format("export add {} --via {}", wanted_.name, via_text(wanted_.via)));
        if (starts_) {
            TRY(check_unclaimed(world, wanted_));
            TRY(check_one_secret(world, wanted_));
            TRY(check_not_configured(world, wanted_.name, wanted_.path));
            TRY(add_bring_up(world, set, wanted_));
        }
        if (persists_) {
            const std::string text = TRY(text_of_file(world));
            TRY(set.write(stock_place(world.places, wanted_), text));
        }
        return set;
    }

    std::string nothing_to_do() const override {
        return fmt::format("'{}' is exported by {} already", wanted_.name, via_title(wanted_.via));
    }

    Error failure(Error error) const override {
        error.what = fmt::format("cannot export '{}' by {}: {}", wanted_.name,
                                 via_title(wanted_.via), error.what);
        return error;
    }

    Result<Answer> answer(World &world, Answer done) override {
        done.json["name"] = wanted_.name;
        done.json["target"] = wanted_.target;
        if (dry_run_) {
            return done;
        }
        done.json["service"] = or_null(stock_transport(wanted_.via).service(world.files));
        done.text +=
            fmt::format("'{}' is {} at {}\non a client: {}\n", wanted_.name, wanted_.target,
                        portals_text(wanted_), client_line(world, wanted_));
        if (!wanted_.read_only && starts_) {
            done.text += several_writers_note("mount it on one at a time");
        }
        return done;
    }

  private:
    Result<std::string> text_of_file(const World &world) const {
        const auto stored = TRY(find_stored_export(world.places, wanted_.name));
        return stored ? kept_text(*stored, wanted_) : stock_text(wanted_);
    }

    StockExport wanted_;
    Typed typed_;
    bool persists_;
    bool dry_run_;
    bool starts_ = false;
};

class StockRemoveAction final : public DiskAction {
  public:
    StockRemoveAction(StockExportState state, bool force)
        : state_(std::move(state)), force_(force) {}

    Result<ChangeSet> changes(World &world) override {
        const std::string &name = state_.settings.name;
        ChangeSet set("export remove " + name);
        if (state_.running) {
            if (!force_) {
                TRY(check_no_clients(world, fmt::format("the export '{}'", name), state_.made));
            }
            TRY(add_take_down(world, set, state_));
        }
        if (state_.persistent) {
            TRY(set.remove(stock_place(world.places, state_.settings)));
        }
        return set;
    }

    Result<Answer> answer(World & /*world*/, Answer done) override {
        done.json["name"] = state_.settings.name;
        return done;
    }

  private:
    StockExportState state_;
    bool force_;
};

} // namespace

Result<ActionPointer> StockFamily::export_add(World &world, const Arguments &arguments) const {
    auto wanted = TRY(stock_export_of(world, arguments));
    return ActionPointer(std::make_unique<StockExportAction>(std::move(wanted), arguments));
}

Result<ActionPointer> StockFamily::export_remove(World &world, const std::string &name,
                                                 const Arguments &arguments) const {
    auto state = TRY(find_stock_export(world, name));
    return state ? ActionPointer(std::make_unique<StockRemoveAction>(*std::move(state),
                                                                     arguments.has("force")))
                 : nullptr;
}

Result<std::optional<std::string>> StockFamily::exported_by(World &world,
                                                            const std::string &name) const {
    const auto there = TRY(find_stock_export(world, name));
    return there ? std::optional(via_title(there->settings.via)) : std::nullopt;
}

Result<std::optional<std::string>> StockFamily::path_of_export(World &world,
                                                               const std::string &name) const {
    const auto there = TRY(find_stock_export(world, name));
    return there ? std::optional(there->settings.path) : std::nullopt;
}

Result<void> StockFamily::list_exports(World &world, Answer &answer) const {
    auto states = TRY(stock_exports(world, answer.warnings));
    answer.json["stock"] = Json::array();
    Table table(
        {{"EXPORT"}, {"BY"}, {"SIZE", Table::Align::right}, {"STATE"}, {"OPTIONS"}, {"BACKEND"}});
    for (const StockExportState &state : states) {
        const StockExport &settings = state.settings;
        const std::uint64_t size = size_of(world, settings);
        answer.json["stock"].push_back(export_json(world, state));
        table.row({settings.name, via_title(settings.via), size == 0 ? "" : size_text(size),
                   !state.running     ? "not running"
                   : state.persistent ? "running"
                                      : "until reboot",
                   options_phrase(settings),
                   settings.backend == StockBackend::ram ? "memory" : settings.path});
        table.note(fmt::format("{} at {}{}", settings.target, portals_text(settings),
                               settings.lun ? fmt::format(", LUN {}", *settings.lun) : ""));
        table.note(fmt::format("for {}", admitted_phrase(settings)));
        const auto service = stock_transport(settings.via).service(world.files);
        if (service && state.running) {
            table.note(fmt::format("clients give --target {}", *service));
        }
    }
    const std::string text = table.text(world.terminal);
    answer.text += (answer.text.empty() || text.empty() ? "" : "\n") + text;
    return {};
}

} // namespace causeway
