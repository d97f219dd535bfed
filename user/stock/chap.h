// SPDX-License-Identifier: GPL-2.0-or-later
// CHAP, by which an iSCSI target and initiator authenticate each other (RFC 7143, 12.1.3), and the
// settings of DH-HMAC-CHAP of NVMe (stock/dhchap.h). Settings and records name the files with the
// secrets. A secret itself goes from its file to the kernel or to open-iscsi only: never to a
// command line, a log, the journal, or the output of --dry-run.
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

// A transport has no authentication, CHAP with user names, or DH-HMAC-CHAP, which takes the NQNs of
// hosts for user names.
enum class ChapForm { none, iscsi, nvme };

struct Chap {
    std::string user;              // of iSCSI only
    std::string key_file;          // the initiator proves that it has this secret; empty: no CHAP
    std::string mutual_user{};     // of iSCSI only
    std::string mutual_key_file{}; // the target proves that it has this one; empty: nothing

    bool is_set() const { return !key_file.empty(); }
    bool is_mutual() const { return !mutual_key_file.empty(); }
    bool operator==(const Chap &) const = default;
};

// The options of "export add" and "attach", which are keys of the configuration files too.
inline constexpr std::array chap_options = {
    OptionSpec{
        "chap-user", "USER",
        "with --via iscsi or iser: the client proves by CHAP that it has the secret of USER"},
    OptionSpec{
        "chap-key-file", "FILE",
        "file with that secret, which only root may read: 16 to 64 printable characters; with "
        "--via nvme or nvme-tcp the secret of the client, as nvme gen-dhchap-key prints it"},
    OptionSpec{"chap-mutual-user", "USER",
               "the server proves by CHAP that it has the secret of this USER, another one"},
    OptionSpec{"chap-mutual-key-file", "FILE",
               "file with the secret of the server, in the same form"}};

// Takes the options, and checks that the files have usable secrets. No CHAP if there are none.
Result<Chap> take_chap(ChapForm form, const Arguments &arguments);
// Takes the options of "export set", which name other files, or the same ones with new secrets. An
// error if @there has no such secret.
Result<Chap> renewed_chap(const Chap &there, const Arguments &arguments);
// Checks that the files still have usable secrets, which differ.
Result<void> check_chap(const Chap &chap);
Result<Chap> read_chap(ChapForm form, const IniFile &file);
void add_chap(IniText &ini, const Chap &chap);
std::vector<IniKey> chap_keys();
std::vector<std::string_view> chap_words();
// "none", or the users, if there are any, and the files.
std::string chap_phrase(const Chap &chap);
// "one-way" or "mutual"; empty: none.
std::string chap_word(const Chap &chap);

// Reads a secret: what read_key() accepts, if it consists of printable characters without spaces.
Result<Secret> read_chap_secret(const std::string &file);

// The steps that set the names and secrets in @folder, "auth" of an ACL or of a portal group of
// LIO.
std::vector<ConfigStep> chap_steps(const std::string &folder, const Chap &chap);

// Returns the text of a node record of open-iscsi with the names and secrets, in place of those
// that it has.
Result<Secret> node_record_with(std::string_view record, const Chap &chap);

} // namespace causeway
