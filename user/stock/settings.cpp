// SPDX-License-Identifier: GPL-2.0-or-later
#include "stock/settings.h"

#include "base/units.h"
#include "config/dropins.h"
#include "config/ini.h"
#include "stock/transport.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr std::array backends = {StockBackend::device, StockBackend::file, StockBackend::ram,
                                 StockBackend::scsi};

// The comment in the first line of a file. change/change_set.h replaces only files that start with
// it.
constexpr std::string_view export_comment =
    "Written by \"causeway export add\"; \"causeway restore\" brings this export back.";
constexpr std::string_view attachment_comment =
    "Written by \"causeway attach\"; \"causeway restore\" brings this attachment back.";

IniSchema with_chap(IniSchema schema) {
    for (const IniKey &key : chap_keys()) {
        schema.keys.push_back(key);
    }
    return schema;
}

const IniSchema &export_schema() {
    static const IniSchema schema = with_chap({"stock-export",
                                               {{"via"},
                                                {"device"},
                                                {"file"},
                                                {"ram"},
                                                {"scsi"},
                                                {"read-only"},
                                                {"allow"},
                                                {"initiator", true},
                                                {"target"},
                                                {"address"},
                                                {"port"},
                                                {"portal", true},
                                                {"lun"},
                                                {"buffered"},
                                                {"block-size"},
                                                {"unmap"},
                                                {"uuid"}}});
    return schema;
}

const IniSchema &attachment_schema() {
    static const IniSchema schema = with_chap(
        {"stock-attachment",
         {{"via"}, {"server"}, {"name"}, {"target"}, {"host"}, {"portal"}, {"unfinished"}}});
    return schema;
}

// Returns the value, or the error with the place of the key in the file.
template <typename Value>
Result<Value> at_key(const IniFile &file, const char *key, Result<Value> value) {
    return value ? value : Result<Value>(file.error_at(key, value.error().what, value.error().fix));
}

Result<void> read_backend(const IniFile &file, StockExport &settings) {
    std::vector<StockBackend> given;
    for (const StockBackend backend : backends) {
        if (file.has(stock_backend_text(backend))) {
            given.push_back(backend);
        }
    }
    if (given.size() != 1) {
        return file.error_at("via", "exactly one of device, file, ram and scsi is needed");
    }
    settings.backend = given.front();
    const std::string key = stock_backend_text(settings.backend);
    if (settings.backend != StockBackend::ram) {
        settings.path = file.value(key);
        if (settings.path.substr(0, 1) != "/") {
            return file.error_at(key, fmt::format("'{}' is not an absolute path", settings.path));
        }
        return {};
    }
    settings.size = TRY(at_key(file, "ram", parse_size("ram", file.value(key))));
    return {};
}

Result<Via> read_via(const IniFile &file) {
    return at_key(file, "via", parse_via(file.value("via")));
}

Result<void> read_names(const IniFile &file, StockExport &settings) {
    for (const std::string &typed : file.values("initiator")) {
        auto initiator =
            TRY(at_key(file, "initiator", stock_transport(settings.via).parse_initiator(typed)));
        settings.initiators.push_back(std::move(initiator));
    }
    if (file.has("allow")) {
        settings.allow_any = file.value("allow") == "any";
        if (!settings.allow_any || !settings.initiators.empty()) {
            return file.error_at(
                "allow",
                settings.allow_any ? "'any' stands for every initiator, and one is named too"
                                   : fmt::format("'{}' is not the word 'any'", file.value("allow")),
                "name initiators, or write: allow = any");
        }
    }
    settings.target = TRY(
        at_key(file, "target", stock_transport(settings.via).parse_target(file.value("target"))));
    const auto address = SocketAddress::from_text(file.value("address"));
    if (!address) {
        return file.error_at("address",
                             fmt::format("'{}' is not an IP address", file.value("address")));
    }
    settings.portal = *address;
    const auto port = TRY(at_key(file, "port", parse_number("port", file.value("port"), 1, 65535)));
    settings.portal.set_port(static_cast<std::uint16_t>(port));
    for (const std::string &text : file.values("portal")) {
        const auto portal = parse_portal(text);
        if (!portal) {
            return file.error_at("portal", fmt::format("'{}' is not an address and a port", text));
        }
        settings.more_portals.push_back(*portal);
    }
    if (file.has("lun")) {
        settings.lun = static_cast<unsigned int>(
            TRY(at_key(file, "lun", parse_number("lun", file.value("lun"), 0, most_luns))));
    }
    return {};
}

std::string list_phrase(std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    return names.empty() ? "everyone" : fmt::format("{}", fmt::join(names, " "));
}

std::string block_size_phrase(const StockExport &settings) {
    return settings.block_size == 0 ? "that of the backend"
                                    : fmt::format("{}", settings.block_size);
}

std::string place_phrase(const StockExport &settings) {
    return settings.backend == StockBackend::ram
               ? size_exact(settings.size)
               : fmt::format("{} {}", stock_backend_text(settings.backend), settings.path);
}

void compare(std::vector<std::string> &phrases, std::string_view subject, const std::string &there,
             const std::string &wanted) {
    if (there != wanted) {
        phrases.push_back(fmt::format("{} is {}, not {}", subject, there, wanted));
    }
}

} // namespace

std::string stock_backend_text(StockBackend backend) {
    switch (backend) {
    case StockBackend::device:
        return "device";
    case StockBackend::file:
        return "file";
    case StockBackend::ram:
        return "ram";
    default:
        return "scsi";
    }
}

Result<std::uint32_t> parse_block_size(std::string_view text) {
    for (const std::uint32_t size : {512U, 1024U, 2048U, 4096U}) {
        if (text == fmt::format("{}", size)) {
            return size;
        }
    }
    return Error{ExitCode::usage, fmt::format("'{}' is no size of a block", text),
                 "give 512, 1024, 2048 or 4096"};
}

std::vector<SocketAddress> portals_of(const StockExport &settings) {
    std::vector<SocketAddress> all = {settings.portal};
    all.insert(all.end(), settings.more_portals.begin(), settings.more_portals.end());
    return all;
}

std::string portals_text(const StockExport &settings) {
    std::vector<std::string> texts;
    for (const SocketAddress &portal : portals_of(settings)) {
        texts.push_back(portal.text());
    }
    return fmt::format("{}", fmt::join(texts, ", "));
}

std::optional<SocketAddress> parse_portal(const std::string &text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) {
        return std::nullopt;
    }
    std::string host = text.substr(0, colon);
    const bool brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (brackets) {
        host = host.substr(1, host.size() - 2);
    }
    auto address = SocketAddress::from_text(host);
    const auto port = parse_number("port", text.substr(colon + 1), 1, 65535);
    if (!address || !port || brackets != (address->family() == AF_INET6)) {
        return std::nullopt;
    }
    address->set_port(static_cast<std::uint16_t>(*port));
    return address;
}

std::vector<std::string> differences(const StockExport &there, const StockExport &wanted) {
    std::vector<std::string> phrases;
    compare(phrases, "the transport", via_text(there.via), via_text(wanted.via));
    compare(phrases, "the backend", place_phrase(there), place_phrase(wanted));
    compare(phrases, "read-only", there.read_only ? "on" : "off", wanted.read_only ? "on" : "off");
    compare(phrases, "buffered", there.buffered ? "on" : "off", wanted.buffered ? "on" : "off");
    compare(phrases, "the block size", block_size_phrase(there), block_size_phrase(wanted));
    compare(phrases, "UNMAP", there.unmap ? "on" : "off", wanted.unmap ? "on" : "off");
    compare(phrases, "who may attach", list_phrase(there.initiators),
            list_phrase(wanted.initiators));
    compare(phrases, "CHAP", chap_phrase(there.chap), chap_phrase(wanted.chap));
    compare(phrases, "the target", there.target, wanted.target);
    compare(phrases, "the portal", portals_text(there), portals_text(wanted));
    const auto number = [](const StockExport &settings) {
        return fmt::format("{}",
                           settings.lun.value_or(stock_transport(settings.via).row().first_lun));
    };
    compare(phrases, "the LUN", number(there), number(wanted));
    return phrases;
}

std::vector<std::string> differences(const StockAttachment &there, const StockAttachment &wanted) {
    std::vector<std::string> phrases;
    compare(phrases, "the transport", via_text(there.via), via_text(wanted.via));
    if (!wanted.target.empty()) {
        compare(phrases, "the target", there.target.empty() ? "as discovered" : there.target,
                wanted.target);
    }
    compare(phrases, "CHAP", chap_phrase(there.chap), chap_phrase(wanted.chap));
    return phrases;
}

std::vector<std::string> fixed_differences(const StockExport &there, StockExport wanted) {
    wanted.initiators = there.initiators;
    wanted.lun = wanted.lun ? wanted.lun : there.lun;
    if (there.chap.is_set() == wanted.chap.is_set() &&
        there.chap.is_mutual() == wanted.chap.is_mutual() && there.chap.user == wanted.chap.user &&
        there.chap.mutual_user == wanted.chap.mutual_user) {
        wanted.chap = there.chap;
    }
    auto phrases = differences(there, wanted);
    const auto text = [](const StockExport &settings) {
        return settings.identity ? settings.identity->text() : std::string("none");
    };
    compare(phrases, "the UUID", text(there), text(wanted));
    return phrases;
}

Result<std::string> stock_text(const StockExport &settings) {
    IniText ini(export_comment, "stock-export");
    ini.add("via", via_text(settings.via));
    if (settings.backend == StockBackend::ram) {
        ini.add("ram", size_exact(settings.size));
    } else if (IniText::can_hold(settings.path)) {
        ini.add(stock_backend_text(settings.backend), settings.path);
    } else {
        return Error{ExitCode::usage,
                     fmt::format("the path '{}' cannot be kept in an INI file: it has '#', a line "
                                 "break or a space at an end",
                                 settings.path),
                     "use another path, or --no-persist"};
    }
    if (settings.read_only) {
        ini.add("read-only", "yes");
    }
    if (settings.allow_any) {
        ini.add("allow", "any");
    }
    for (const std::string &initiator : settings.initiators) {
        ini.add("initiator", initiator);
    }
    ini.add("target", settings.target);
    ini.add("address", settings.portal.host_text());
    ini.add("port", fmt::format("{}", settings.portal.port()));
    for (const SocketAddress &portal : settings.more_portals) {
        ini.add("portal", portal.text());
    }
    if (settings.buffered) {
        ini.add("buffered", "yes");
    }
    if (settings.block_size != 0) {
        ini.add("block-size", fmt::format("{}", settings.block_size));
    }
    if (settings.unmap) {
        ini.add("unmap", "yes");
    }
    if (settings.lun) {
        ini.add("lun", fmt::format("{}", *settings.lun));
    }
    if (settings.identity) {
        ini.add("uuid", settings.identity->text());
    }
    add_chap(ini, settings.chap);
    return ini.text();
}

std::string stock_text(const StockAttachment &settings) {
    IniText ini(attachment_comment, "stock-attachment");
    ini.add("via", via_text(settings.via));
    ini.add("server", settings.disk.server.text());
    ini.add("name", settings.disk.name);
    if (!settings.target.empty()) {
        ini.add("target", settings.target);
    }
    if (!settings.host.empty()) {
        ini.add("host", settings.host);
    }
    if (settings.portal) {
        ini.add("portal", settings.portal->text());
    }
    if (settings.unfinished) {
        ini.add("unfinished", "yes");
    }
    add_chap(ini, settings.chap);
    return ini.text();
}

Result<StockExport> parse_stock_export(const std::string &source, std::string_view name,
                                       std::string_view content) {
    auto file = TRY(IniFile::parse(source, content, export_schema()));
    StockExport settings;
    auto checked_name = parse_export_name(name);
    if (!checked_name) {
        return Error{ExitCode::bad_config,
                     fmt::format("{}: the file's name: {}", source, checked_name.error().what),
                     checked_name.error().fix};
    }
    settings.name = *std::move(checked_name);
    settings.via = TRY(read_via(file));
    TRY(read_backend(file, settings));
    settings.read_only = TRY(file.flag("read-only"));
    TRY(read_names(file, settings));
    settings.identity = Uuid::parse(file.value("uuid"));
    if (!settings.identity) {
        return file.error_at("uuid", "this is not a UUID");
    }
    settings.chap = TRY(read_chap(stock_transport(settings.via).row().chap, file));
    settings.buffered = TRY(file.flag("buffered"));
    settings.unmap = TRY(file.flag("unmap"));
    if (file.has("block-size")) {
        settings.block_size =
            TRY(at_key(file, "block-size", parse_block_size(file.value("block-size"))));
    }
    return settings;
}

Result<StockAttachment> parse_stock_attachment(const std::string &source,
                                               std::string_view content) {
    auto file = TRY(IniFile::parse(source, content, attachment_schema()));
    StockAttachment settings;
    settings.via = TRY(read_via(file));
    settings.disk.server = TRY(at_key(file, "server", parse_server(file.value("server"))));
    settings.disk.name = TRY(at_key(file, "name", parse_export_name(file.value("name"))));
    if (file.has("target")) {
        settings.target = TRY(at_key(
            file, "target", stock_transport(settings.via).parse_target(file.value("target"))));
    }
    settings.host = file.value("host");
    settings.unfinished = TRY(file.flag("unfinished"));
    settings.chap = TRY(read_chap(stock_transport(settings.via).row().chap, file));
    if (file.has("portal")) {
        settings.portal = parse_portal(file.value("portal"));
        if (!settings.portal) {
            return file.error_at(
                "portal", fmt::format("'{}' is not an address and a port", file.value("portal")));
        }
    }
    return settings;
}

fs::path stock_place(const Places &places, const StockExport &settings) {
    return places.stock_exports() / (settings.name + dropin_suffix);
}

fs::path stock_place(const Places &places, const StockAttachment &settings) {
    return places.stock_attachments() /
           fmt::format("{}:{}{}", settings.disk.server.text(), settings.disk.name, dropin_suffix);
}

Result<std::optional<Stored<StockExport>>> find_stored_export(const Places &places,
                                                              const std::string &name) {
    StockExport named;
    named.name = name;
    const fs::path place = stock_place(places, named);
    const auto text = TRY(read_small_file(place));
    if (!text) {
        return std::optional<Stored<StockExport>>();
    }
    auto settings = TRY(parse_stock_export(place.string(), name, *text));
    return std::optional(Stored<StockExport>{place, std::move(settings)});
}

Result<std::string> edited_stock_text(const Stored<StockExport> &stored, const StockExport &after) {
    return edited_file(stored.place, TRY(stock_text(stored.settings)), TRY(stock_text(after)),
                       [&](const std::string &text) -> Result<std::string> {
                           return stock_text(
                               TRY(parse_stock_export(stored.place.string(), after.name, text)));
                       });
}

Result<Folder<StockExport>> load_stock_exports(const Places &places) {
    return load_folder<StockExport>(
        places.stock_exports(), [](const fs::path &place, const std::string &text) {
            return parse_stock_export(place.string(), place.stem().string(), text);
        });
}

Result<Folder<StockAttachment>> load_stock_attachments(const Places &places) {
    return load_folder<StockAttachment>(places.stock_attachments(),
                                        [](const fs::path &place, const std::string &text) {
                                            return parse_stock_attachment(place.string(), text);
                                        });
}

} // namespace causeway
