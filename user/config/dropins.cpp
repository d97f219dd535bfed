// SPDX-License-Identifier: GPL-2.0-or-later
#include "config/dropins.h"

#include "base/durable_file.h"
#include "base/units.h"
#include "config/dropin_folder.h"
#include "config/ini.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace fs = std::filesystem;

namespace {

const IniSchema &export_schema() {
    static const IniSchema schema{"export",
                                  {{"device"},
                                   {"file"},
                                   {"ram"},
                                   {"uuid"},
                                   {"read-only"},
                                   {"exclusive"},
                                   {"write-through"},
                                   {"tcp"},
                                   {"allow", true},
                                   {"key-file"},
                                   {"ledger"},
                                   {"state-folder"},
                                   {"takeover-after"},
                                   {"address", true}}};
    return schema;
}

const IniSchema &attachment_schema() {
    static const IniSchema schema = [] {
        IniSchema all{"attachment",
                      {{"server"}, {"name"}, {"path", true}, {"from", true}, {"transport", true}}};
        for (const AttachOption &option : attach_options) {
            all.keys.push_back({option.word});
        }
        all.keys.push_back({"key-file"});
        all.keys.push_back({"host-uuid"});
        all.keys.push_back({"uuid"});
        return all;
    }();
    return schema;
}

const IniSchema &rule_schema() {
    static const IniSchema schema{"nfs-rule", {{"network"}, {"from", true}}};
    return schema;
}

Result<void> check_path(std::string_view subject, const std::string &path) {
    if (IniText::can_hold(path)) {
        return {};
    }
    return Error{
        ExitCode::usage,
        fmt::format("the {} '{}' cannot be kept in an INI file: it has '#', a line break or "
                    "a space at an end",
                    subject, path),
        "use another path, or --no-persist"};
}

Result<void> read_backend(const IniFile &file, ExportSettings &settings) {
    const int given = static_cast<int>(file.has("device")) + static_cast<int>(file.has("file")) +
                      static_cast<int>(file.has("ram"));
    if (given != 1) {
        const std::string_view key = file.has("file") ? "file" : "ram";
        return file.error_at(key, "exactly one of device, file and ram is needed");
    }
    if (file.has("ram")) {
        settings.backend = Backend::ram;
        auto size = parse_size("ram", file.value("ram"));
        if (!size) {
            return file.error_at("ram", size.error().what, size.error().fix);
        }
        settings.size = *size;
        return {};
    }
    settings.backend = file.has("device") ? Backend::device : Backend::file;
    const std::string key = backend_text(settings.backend);
    settings.path = file.value(key);
    if (settings.path.front() != '/') {
        return file.error_at(key, fmt::format("'{}' is not an absolute path", settings.path));
    }
    return {};
}

Result<void> read_key_file(const IniFile &file, std::string &out) {
    out = file.value("key-file");
    if (!out.empty() && out.front() != '/') {
        return file.error_at("key-file", fmt::format("'{}' is not an absolute path", out));
    }
    return {};
}

// Sets @out to parse(key, value) if the file has the key.
template <typename Parse, typename Out>
Result<void> read_value(const IniFile &file, std::string_view key, const Parse &parse, Out &out) {
    if (!file.has(key)) {
        return {};
    }
    auto value = parse(key, file.value(key));
    if (!value) {
        return file.error_at(key, value.error().what, value.error().fix);
    }
    out = *value;
    return {};
}

Result<void> read_flag(const IniFile &file, std::string_view key, bool &out) {
    out = TRY(file.flag(key));
    return {};
}

// Reads the keys about the export's owners. The other settings must have been read before.
Result<void> read_owners(const IniFile &file, ExportSettings &settings) {
    if (file.has("ledger")) {
        settings.ledger = Uuid::parse(file.value("ledger"));
        if (!settings.ledger || settings.ledger->is_nil()) {
            return file.error_at("ledger", "this is not a UUID");
        }
    }
    for (const char *key : {"ledger", "state-folder"}) {
        if (file.has(key) && settings.backend == Backend::ram) {
            return file.error_at(key, "a memory export keeps no ledger of owners in files");
        }
    }
    settings.state_folder = file.value("state-folder");
    if (!settings.state_folder.empty() && settings.state_folder.front() != '/') {
        return file.error_at("state-folder",
                             fmt::format("'{}' is not an absolute path", settings.state_folder));
    }
    settings.state_folder = plain_folder(settings.state_folder);
    std::uint64_t after = 0;
    const auto seconds = [](std::string_view subject, std::string_view text) {
        return parse_number(subject, text, 0, longest_takeover);
    };
    TRY(read_value(file, "takeover-after", seconds, after));
    settings.takeover_after = static_cast<std::uint32_t>(after);
    // A read-only export has no use for these settings, and keeps them for the time after that.
    if (settings.takeover_after != 0 && settings.has_owners()) {
        if (auto good = check_takeover(settings, "takeover-after"); !good) {
            return file.error_at("takeover-after", good.error().what);
        }
    }
    return {};
}

} // namespace

Result<std::string> dropin_text(const ExportSettings &settings) {
    IniText ini("Written by causeway; \"causeway restore\" brings this export back.", "export");
    if (settings.backend == Backend::ram) {
        ini.add("ram", size_exact(settings.size));
    } else {
        TRY(check_path(backend_text(settings.backend), settings.path));
        ini.add(backend_text(settings.backend), settings.path);
    }
    // The content of a memory disk ends with the export, and so does its identity.
    if (settings.identity && settings.backend != Backend::ram) {
        ini.add("uuid", settings.identity->text());
    }
    if (settings.read_only) {
        ini.add("read-only", "yes");
    }
    if (settings.exclusive) {
        ini.add("exclusive", "yes");
    }
    if (settings.write_through) {
        ini.add("write-through", "yes");
    }
    if (settings.tcp) {
        ini.add("tcp", "yes");
    }
    if (settings.allow_any) {
        ini.add("allow", "any");
    }
    for (const Prefix &prefix : settings.allow) {
        ini.add("allow", prefix.text());
    }
    if (!settings.key_file.empty()) {
        TRY(check_path("key file", settings.key_file));
        ini.add("key-file", settings.key_file);
    }
    if (settings.takeover_after != 0) {
        ini.add("takeover-after", fmt::format("{}", settings.takeover_after));
    }
    if (settings.backend != Backend::ram && !settings.state_folder.empty()) {
        TRY(check_path("state folder", settings.state_folder));
        ini.add("state-folder", settings.state_folder);
    }
    if (settings.keeps_ledger() && settings.ledger) {
        ini.add("ledger", settings.ledger->text());
    }
    for (const std::string &word : export_address_words(settings)) {
        ini.add("address", word);
    }
    return ini.text();
}

Result<std::string> dropin_text(const AttachmentSettings &settings) {
    IniText ini("Written by causeway; \"causeway restore\" brings this attachment back.",
                "attachment");
    ini.add("server", settings.disk.server.text());
    ini.add("name", settings.disk.name);
    for (const PathSettings &path : settings.paths) {
        if (!path.address.empty()) {
            ini.add("path", path.address);
        }
    }
    const bool from = std::any_of(settings.paths.begin(), settings.paths.end(),
                                  [](const PathSettings &path) { return !path.from.empty(); });
    for (const PathSettings &path : settings.paths) {
        if (from) {
            ini.add("from", path.from.empty() ? std::string(any_local) : path.from);
        }
    }
    const bool tcp = std::any_of(settings.paths.begin(), settings.paths.end(),
                                 [](const PathSettings &path) { return path.tcp; });
    for (const PathSettings &path : settings.paths) {
        if (tcp) {
            ini.add("transport", transport_word(path));
        }
    }
    for (const AttachOption &option : attach_options) {
        if (const auto number = settings.*option.value) {
            ini.add(option.word, option.text(*number));
        }
    }
    if (!settings.key_file.empty()) {
        TRY(check_path("key file", settings.key_file));
        ini.add("key-file", settings.key_file);
    }
    if (settings.host) {
        ini.add("host-uuid", settings.host->text());
    }
    if (settings.identity) {
        ini.add("uuid", settings.identity->text());
    }
    return ini.text();
}

std::string dropin_text(const NfsRule &rule) {
    IniText ini("Written by causeway; \"causeway restore\" brings this rule back.", "nfs-rule");
    ini.add("network", rule.network.text());
    for (const SocketAddress &address : rule.from) {
        ini.add("from", address.host_text());
    }
    return ini.text();
}

Result<ExportSettings> parse_export_dropin(const std::string &source, std::string_view name,
                                           std::string_view content) {
    auto file = TRY(IniFile::parse(source, content, export_schema()));
    ExportSettings settings;
    auto checked_name = parse_export_name(name);
    if (!checked_name) {
        return Error{ExitCode::bad_config,
                     fmt::format("{}: the file's name: {}", source, checked_name.error().what),
                     checked_name.error().fix};
    }
    settings.name = *checked_name;
    TRY(read_backend(file, settings));
    for (auto [key, flag] : {std::pair<std::string_view, bool *>{"read-only", &settings.read_only},
                             {"exclusive", &settings.exclusive},
                             {"write-through", &settings.write_through},
                             {"tcp", &settings.tcp}}) {
        TRY(read_flag(file, key, *flag));
    }
    auto allowed = parse_allow_list(file.values("allow"), "allow");
    if (!allowed) {
        return file.error_at("allow", allowed.error().what, allowed.error().fix);
    }
    settings.allow = std::move(allowed->networks);
    settings.allow_any = allowed->any;
    if (file.has("uuid")) {
        settings.identity = Uuid::parse(file.value("uuid"));
        if (!settings.identity || settings.backend == Backend::ram) {
            return file.error_at("uuid", settings.identity
                                             ? "a memory disk gets a new UUID each time it is made"
                                             : "this is not a UUID");
        }
    }
    TRY(read_key_file(file, settings.key_file));
    TRY(read_owners(file, settings));
    if (auto parsed = parse_export_addresses("address", file.values("address"), settings);
        !parsed) {
        return file.error_at("address", parsed.error().what, parsed.error().fix);
    }
    return settings;
}

Result<AttachmentSettings> parse_attachment_dropin(const std::string &source,
                                                   std::string_view content) {
    auto file = TRY(IniFile::parse(source, content, attachment_schema()));
    for (const std::string_view key : {"server", "name"}) {
        if (!file.has(key)) {
            return file.error_at(key, fmt::format("'{}' is missing", key));
        }
    }
    AttachmentSettings settings;
    auto server = parse_server(file.value("server"));
    if (!server) {
        return file.error_at("server", server.error().what, server.error().fix);
    }
    settings.disk.server = *std::move(server);
    auto name = parse_export_name(file.value("name"));
    if (!name) {
        return file.error_at("name", name.error().what, name.error().fix);
    }
    settings.disk.name = *std::move(name);
    auto paths =
        parse_paths({file.values("path"), file.values("from"), file.values("transport")}, "");
    if (!paths) {
        const char *key = file.has("path") ? "path" : file.has("from") ? "from" : "transport";
        return file.error_at(key, paths.error().what, paths.error().fix);
    }
    settings.paths = *std::move(paths);
    for (const AttachOption &option : attach_options) {
        const auto parse = [&](std::string_view subject, std::string_view text) {
            return option.parse(subject, text);
        };
        TRY(read_value(file, option.word, parse, settings.*option.value));
    }
    TRY(read_key_file(file, settings.key_file));
    TRY(read_value(file, "host-uuid", parse_host_uuid, settings.host));
    if (file.has("uuid")) {
        settings.identity = Uuid::parse(file.value("uuid"));
        if (!settings.identity || settings.identity->is_nil()) {
            return file.error_at("uuid", "this is not the UUID of a disk");
        }
    }
    return settings;
}

Result<std::string>
edited_file(const std::filesystem::path &place, const std::string &before, const std::string &after,
            const std::function<Result<std::string>(const std::string &)> &reread) {
    const auto there = TRY(read_small_file(place));
    if (there && after == before) {
        return *there;
    }
    std::string text = edited_ini(there.value_or(""), before, after);
    const auto again = reread(text);
    if (again && *again == after) {
        return text;
    }
    TRY(reread(after));
    return after;
}

namespace {

// @parse: parses the content of the file.
template <typename Settings, typename Parse>
Result<std::string> edited(const Stored<Settings> &stored, const Settings &after,
                           const Parse &parse) {
    return edited_file(stored.place, TRY(dropin_text(stored.settings)), TRY(dropin_text(after)),
                       [&](const std::string &text) -> Result<std::string> {
                           return dropin_text(TRY(parse(text)));
                       });
}

} // namespace

Result<std::string> edited_dropin(const Stored<ExportSettings> &stored,
                                  const ExportSettings &after) {
    return edited(stored, after, [&](const std::string &text) {
        return parse_export_dropin(stored.place.string(), after.name, text);
    });
}

Result<std::string> edited_dropin(const Stored<AttachmentSettings> &stored,
                                  const AttachmentSettings &after) {
    return edited(stored, after, [&](const std::string &text) {
        return parse_attachment_dropin(stored.place.string(), text);
    });
}

Result<NfsRule> parse_rule_dropin(const std::string &source, std::string_view content) {
    auto file = TRY(IniFile::parse(source, content, rule_schema()));
    NfsRule rule;
    auto network = parse_prefix(file.value("network"), "network =");
    if (!network) {
        return file.error_at("network", network.error().what, network.error().fix);
    }
    rule.network = *network;
    for (const std::string &text : file.values("from")) {
        const auto address = SocketAddress::from_text(text);
        if (!address) {
            return file.error_at("from", fmt::format("'{}' is not an IP address", text));
        }
        rule.from.push_back(*address);
    }
    if (auto good = check_rule(rule); !good) {
        return file.error_at("from", good.error().what, good.error().fix);
    }
    return rule;
}

fs::path dropin_place(const Places &places, const NfsRule &rule) {
    std::string name = rule.network.text();
    std::replace(name.begin(), name.end(), '/', '_');
    return places.nfs_rules() / (name + dropin_suffix);
}

fs::path dropin_place(const Places &places, const ExportSettings &settings) {
    return places.exports() / (settings.name + dropin_suffix);
}

fs::path dropin_place(const Places &places, const AttachmentSettings &settings) {
    return places.attachments() /
           fmt::format("{}:{}{}", settings.disk.server.text(), settings.disk.name, dropin_suffix);
}

Result<Folder<ExportSettings>> load_exports(const Places &places) {
    return load_folder<ExportSettings>(
        places.exports(), [](const fs::path &place, const std::string &text) {
            return parse_export_dropin(place.string(), place.stem().string(), text);
        });
}

Result<Folder<AttachmentSettings>> load_attachments(const Places &places) {
    return load_folder<AttachmentSettings>(places.attachments(),
                                           [](const fs::path &place, const std::string &text) {
                                               return parse_attachment_dropin(place.string(), text);
                                           });
}

Result<Folder<NfsRule>> load_nfs_rules(const Places &places) {
    return load_folder<NfsRule>(places.nfs_rules(),
                                [](const fs::path &place, const std::string &text) {
                                    return parse_rule_dropin(place.string(), text);
                                });
}

Result<std::optional<Stored<ExportSettings>>> find_export(const Places &places,
                                                          const std::string &name) {
    ExportSettings wanted;
    wanted.name = name;
    const fs::path place = dropin_place(places, wanted);
    auto content = TRY(read_small_file(place));
    if (!content) {
        return std::optional<Stored<ExportSettings>>();
    }
    auto settings = TRY(parse_export_dropin(place.string(), name, *content));
    return std::optional(Stored<ExportSettings>{place, std::move(settings)});
}

Result<std::optional<Stored<AttachmentSettings>>> find_attachment(const Places &places,
                                                                  const DiskName &disk) {
    auto folder = TRY(load_attachments(places));
    for (Stored<AttachmentSettings> &stored : folder.good) {
        if (stored.settings.disk == disk) {
            return std::optional(std::move(stored));
        }
    }
    return std::optional<Stored<AttachmentSettings>>();
}

} // namespace causeway
