// SPDX-License-Identifier: GPL-2.0-or-later
// CHAP, by which an iSCSI target and initiator authenticate each other (RFC 7143, 12.1.3). Settings
// and records name the files with the secrets. A secret itself goes from its file to the kernel or
// to open-iscsi only: never to a command line, a log, the journal, or the output of --dry-run.
#pragma once

#include "base/result.h"
#include "base/secret.h"
#include "command/arguments.h"
#include "config/ini.h"
#include "stock/configfs.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct Chap {
    std::string user;          // the initiator proves that it has this secret; empty: no CHAP
    std::string key_file;      // an absolute path
    std::string mutual_user{}; // the target proves that it has this one; empty: it proves nothing
    std::string mutual_key_file{};

    bool is_set() const { return !user.empty(); }
    bool is_mutual() const { return !mutual_user.empty(); }
    bool operator==(const Chap &) const = default;
};

// The options of "export add" and "attach", which are keys of the configuration files too.
inline constexpr std::array chap_options = {
    OptionSpec{
        "chap-user", "USER",
        "with --via iscsi or iser: the client proves by CHAP that it has the secret of USER"},
    OptionSpec{"chap-key-file", "FILE",
               "file with that secret: 16 to 64 printable characters, which only root may read"},
    OptionSpec{"chap-mutual-user", "USER",
               "the server proves by CHAP that it has the secret of this USER, another one"},
    OptionSpec{"chap-mutual-key-file", "FILE", "file with the secret of the server"}};

// Takes the options, and checks that the files have usable secrets. No CHAP if there are none.
Result<Chap> take_chap(const Arguments &arguments);
// Checks that the files still have usable secrets, which differ.
Result<void> check_chap(const Chap &chap);
Result<Chap> read_chap(const IniFile &file);
void add_chap(IniText &ini, const Chap &chap);
std::vector<IniKey> chap_keys();
std::vector<std::string_view> chap_words();
// "none", or the users and the files.
std::string chap_phrase(const Chap &chap);

// Reads a secret: what read_key() accepts, if it consists of printable characters without spaces.
Result<Secret> read_chap_secret(const std::string &file);

// The steps that set the names and secrets in @folder, "auth" of an ACL or of a portal group of
// LIO.
std::vector<ConfigStep> chap_steps(const std::string &folder, const Chap &chap);

// Returns the text of a node record of open-iscsi with the names and secrets, in place of those
// that it has.
Result<Secret> node_record_with(std::string_view record, const Chap &chap);

} // namespace causeway
