// SPDX-License-Identifier: GPL-2.0-or-later
#include "stock/chap.h"

#include "config/key_file.h"
#include "stock/dhchap.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr std::size_t longest_user = 63;

// LIO takes a name that starts with NULL as the order to forget the name.
bool is_user(std::string_view text) {
    return !text.empty() && text.size() <= longest_user && text.substr(0, 4) != "NULL" &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      std::string_view(".:-_@+").find(c) != std::string_view::npos;
           });
}

Result<void> check_user(std::string_view option, std::string_view user) {
    if (is_user(user)) {
        return {};
    }
    return Error{ExitCode::usage, fmt::format("--{}: '{}' is no name for CHAP", option, user),
                 fmt::format("give 1 to {} letters, digits, '.', ':', '-', '_', '@' and '+', which "
                             "do not start with NULL",
                             longest_user)};
}

// Both of a pair of options are there, or none.
Result<void> check_pair(const std::string &user, const std::string &file, std::string_view start) {
    if (user.empty() == file.empty()) {
        return {};
    }
    return Error{ExitCode::usage,
                 user.empty() ? fmt::format("--{0}-key-file needs --{0}-user", start)
                              : fmt::format("--{0}-user needs --{0}-key-file", start),
                 "give both or none"};
}

Result<void> check_key_path(const std::string &path) {
    if (IniText::can_hold(path) && path.find_first_of("\t\n") == std::string::npos) {
        return {};
    }
    return Error{ExitCode::usage,
                 fmt::format("the path '{}' has '#', a tab, a line break or a space at an end, "
                             "which the configuration cannot keep",
                             path),
                 "use another path"};
}

// NVMe has no names of users.
Result<void> check_no_users(const Chap &chap) {
    if (!chap.user.empty() || !chap.mutual_user.empty()) {
        return Error{ExitCode::usage,
                     fmt::format("--{} is of iSCSI and iSER: by NVMe the NQN of the client stands "
                                 "for the user",
                                 chap.user.empty() ? "chap-mutual-user" : "chap-user"),
                     "give --chap-key-file and --chap-mutual-key-file alone"};
    }
    if (chap.is_mutual() && !chap.is_set()) {
        return Error{ExitCode::usage, "the server proves its secret only to a client that has one",
                     "give --chap-key-file too"};
    }
    return {};
}

Result<void> check_files_of_nvme(const Chap &chap) {
    TRY(check_no_users(chap));
    if (chap.is_set()) {
        TRY(check_key_path(chap.key_file));
    }
    return chap.is_mutual() ? check_key_path(chap.mutual_key_file) : Result<void>();
}

Result<void> check_names(ChapForm form, const Chap &chap) {
    if (form == ChapForm::nvme) {
        return check_files_of_nvme(chap);
    }
    TRY(check_pair(chap.user, chap.key_file, "chap"));
    TRY(check_pair(chap.mutual_user, chap.mutual_key_file, "chap-mutual"));
    if (!chap.mutual_user.empty() && chap.user.empty()) {
        return Error{ExitCode::usage, "mutual CHAP without the CHAP of the client does not exist",
                     "give --chap-user and --chap-key-file too"};
    }
    if (chap.is_set()) {
        TRY(check_user("chap-user", chap.user));
        TRY(check_key_path(chap.key_file));
    }
    if (chap.is_mutual()) {
        TRY(check_user("chap-mutual-user", chap.mutual_user));
        TRY(check_key_path(chap.mutual_key_file));
    }
    return {};
}

std::string absolute_path(const std::optional<std::string> &typed) {
    return typed ? std::filesystem::absolute(*typed).lexically_normal().string() : std::string();
}

void append(std::vector<std::uint8_t> &bytes, std::string_view text) {
    bytes.insert(bytes.end(), text.begin(), text.end());
}

Result<Secret> read_secret(const Chap &chap, const std::string &file) {
    return chap.user.empty() ? read_dhchap_secret(file) : read_chap_secret(file);
}

Result<void> append_secret(std::vector<std::uint8_t> &bytes, const char *key,
                           const std::string &file) {
    const Secret secret = TRY(read_chap_secret(file));
    append(bytes, fmt::format("{} = ", key));
    bytes.insert(bytes.end(), secret.bytes().begin(), secret.bytes().end());
    append(bytes, "\n");
    return {};
}

constexpr std::string_view record_keys = "node.session.auth.";
constexpr std::string_view record_end = "# END RECORD";

} // namespace

Result<Chap> take_chap(ChapForm form, const Arguments &arguments) {
    const auto word = [&](const char *option) { return arguments.text(option).value_or(""); };
    Chap chap{word("chap-user"), absolute_path(arguments.text("chap-key-file")),
              word("chap-mutual-user"), absolute_path(arguments.text("chap-mutual-key-file"))};
    TRY(check_names(form, chap));
    TRY(check_chap(chap));
    return chap;
}

Result<Chap> renewed_chap(const Chap &there, const Arguments &arguments) {
    Chap chap = there;
    for (auto *file : {&chap.key_file, &chap.mutual_key_file}) {
        const char *option = file == &chap.key_file ? "chap-key-file" : "chap-mutual-key-file";
        const auto typed = arguments.text(option);
        if (!typed) {
            continue;
        }
        if (file->empty()) {
            return Error{ExitCode::usage,
                         fmt::format("the export has no secret that --{} could replace", option),
                         fmt::format("remove the export, and add it with --{}", option)};
        }
        *file = absolute_path(typed);
        TRY(check_key_path(*file));
    }
    TRY(check_chap(chap));
    return chap;
}

Result<void> check_chap(const Chap &chap) {
    if (!chap.is_set()) {
        return {};
    }
    const Secret secret = TRY(read_secret(chap, chap.key_file));
    if (!chap.is_mutual()) {
        return {};
    }
    const Secret other = TRY(read_secret(chap, chap.mutual_key_file));
    if (std::equal(secret.bytes().begin(), secret.bytes().end(), other.bytes().begin(),
                   other.bytes().end())) {
        return Error{ExitCode::bad_config,
                     fmt::format("{} and {} have the same secret, which {} does not allow",
                                 chap.key_file, chap.mutual_key_file,
                                 chap.user.empty() ? "NVMe" : "iSCSI"),
                     fmt::format("make another one: (umask 077; {} > FILE)",
                                 chap.user.empty() ? "nvme gen-dhchap-key"
                                                   : "head -c 32 /dev/urandom | base64")};
    }
    return {};
}

std::vector<IniKey> chap_keys() {
    std::vector<IniKey> keys;
    for (const OptionSpec &option : chap_options) {
        keys.push_back({option.name});
    }
    return keys;
}

std::vector<std::string_view> chap_words() {
    std::vector<std::string_view> words;
    for (const OptionSpec &option : chap_options) {
        words.push_back(option.name);
    }
    return words;
}

Result<Chap> read_chap(ChapForm form, const IniFile &file) {
    Chap chap{file.value("chap-user"), file.value("chap-key-file"), file.value("chap-mutual-user"),
              file.value("chap-mutual-key-file")};
    if (const auto checked = check_names(form, chap); !checked) {
        return file.error_at(chap.user.empty() ? "chap-key-file" : "chap-user",
                             checked.error().what, checked.error().fix);
    }
    for (const auto *path : {&chap.key_file, &chap.mutual_key_file}) {
        if (!path->empty() && path->front() != '/') {
            return file.error_at("chap-key-file",
                                 fmt::format("'{}' is not an absolute path", *path));
        }
    }
    return chap;
}

void add_chap(IniText &ini, const Chap &chap) {
    const std::array<const std::string *, chap_options.size()> values = {
        &chap.user, &chap.key_file, &chap.mutual_user, &chap.mutual_key_file};
    for (std::size_t i = 0; i < values.size(); i++) {
        if (!values.at(i)->empty()) {
            ini.add(chap_options.at(i).name, *values.at(i));
        }
    }
}

std::string chap_phrase(const Chap &chap) {
    if (!chap.is_set()) {
        return "none";
    }
    if (chap.user.empty()) {
        return chap.is_mutual() ? fmt::format("{} and {}", chap.key_file, chap.mutual_key_file)
                                : chap.key_file;
    }
    const std::string phrase = fmt::format("{} with {}", chap.user, chap.key_file);
    return chap.is_mutual()
               ? fmt::format("{} and {} with {}", phrase, chap.mutual_user, chap.mutual_key_file)
               : phrase;
}

std::string chap_word(const Chap &chap) {
    return chap.is_mutual() ? "mutual" : chap.is_set() ? "one-way" : "";
}

Result<Secret> read_chap_secret(const std::string &file) {
    Secret secret = TRY(read_key(file));
    const bool plain = std::all_of(secret.bytes().begin(), secret.bytes().end(),
                                   [](std::uint8_t byte) { return byte > ' ' && byte <= '~'; });
    const std::string_view start(reinterpret_cast<const char *>(secret.bytes().data()), 4);
    if (!plain || start == "NULL") {
        return Error{ExitCode::bad_config,
                     fmt::format("key file {} {}", file,
                                 plain ? "starts with NULL, which the kernel does not take"
                                       : "has other bytes than printable characters"),
                     "make a secret for CHAP with: (umask 077; head -c 32 /dev/urandom | base64 > "
                     "FILE)"};
    }
    return secret;
}

std::vector<ConfigStep> chap_steps(const std::string &folder, const Chap &chap) {
    std::vector<ConfigStep> steps;
    if (chap.is_set()) {
        steps.push_back(config_exact(folder + "/userid", chap.user));
        steps.push_back(config_secret(folder + "/password", chap.key_file));
    }
    if (chap.is_mutual()) {
        steps.push_back(config_exact(folder + "/userid_mutual", chap.mutual_user));
        steps.push_back(config_secret(folder + "/password_mutual", chap.mutual_key_file));
    }
    return steps;
}

Result<Secret> node_record_with(std::string_view record, const Chap &chap) {
    std::vector<std::uint8_t> lines;
    append(lines, fmt::format("{}authmethod = CHAP\n{}username = {}\n", record_keys, record_keys,
                              chap.user));
    TRY(append_secret(lines, "node.session.auth.password", chap.key_file));
    if (chap.is_mutual()) {
        append(lines, fmt::format("{}username_in = {}\n", record_keys, chap.mutual_user));
        TRY(append_secret(lines, "node.session.auth.password_in", chap.mutual_key_file));
    }
    const Secret ours(std::move(lines));
    std::vector<std::uint8_t> bytes;
    bytes.reserve(record.size() + ours.bytes().size() + 1);
    bool added = false;
    const auto add_ours = [&] {
        if (!added) {
            bytes.insert(bytes.end(), ours.bytes().begin(), ours.bytes().end());
        }
        added = true;
    };
    while (!record.empty()) {
        const std::string_view line = record.substr(0, record.find('\n'));
        record.remove_prefix(std::min(record.size(), line.size() + 1));
        if (line.substr(0, record_end.size()) == record_end) {
            add_ours();
        }
        if (line.substr(0, record_keys.size()) != record_keys) {
            append(bytes, line);
            append(bytes, "\n");
        }
    }
    add_ours();
    return Secret(std::move(bytes));
}

} // namespace causeway
