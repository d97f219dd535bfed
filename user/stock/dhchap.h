// SPDX-License-Identifier: GPL-2.0-or-later
// DH-HMAC-CHAP, by which a host and an NVMe target authenticate each other (NVM Express base
// specification 2.0, 8.13.5). The NQN of the host stands for the user of CHAP. nvmet keeps one
// secret for each host, for all its exports.
#pragma once

#include "base/result.h"
#include "base/secret.h"
#include "machine/world.h"
#include "stock/configfs.h"
#include "stock/settings.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// Checks a secret in the form that nvme-cli makes: "DHHC-1:HH:BASE64:". HH is the hash by which the
// kernel transforms the secret. BASE64 has the 32, 48 or 64 bytes of the secret and their CRC-32.
// The error says what is wrong, never what the secret is.
Result<void> check_dhchap_secret(std::string_view text);

// Reads a secret from a file that only its owner may read.
Result<Secret> read_dhchap_secret(const std::string &file);

// The steps that set the secrets in @folder, a host of nvmet.
std::vector<ConfigStep> dhchap_steps(const std::string &folder, const Chap &chap);

enum class NvmeSide { target, host };

// Returns an error (unavailable) if the running kernel was built without DH-HMAC-CHAP. Succeeds if
// that cannot be determined; then the kernel refuses the secret.
Result<void> check_dhchap_kernel(KernelFiles &files, NvmeSide side);
// Returns true if the kernel has the module with support for authentication, as modules.dep and
// modules.builtin list it; none: they do not list @module.
std::optional<bool> authenticates(std::string_view dependencies, std::string_view built_in,
                                  std::string_view module);

// For an export by NVMe: returns an error if another export admits one of its hosts with other
// secrets, or if it has a secret for a host that another program made.
Result<void> check_one_secret(World &world, const StockExport &wanted);

// Connects by a write to /dev/nvme-fabrics, so that no command line has the secrets: nvme-cli of
// Debian 12 takes them from the command line, or from a file that Causeway would have to make.
// @transport: as the kernel names it.
// @mark: what mark_log() returned.
Result<void> connect_with_secret(World &world, const StockAttachment &settings,
                                 const char *transport, const SocketAddress &portal,
                                 const std::string &mark);
// For a controller of connect_with_secret() that is connected, "nvme0": removes the access of other
// users to its secrets in /sys. @mark: what mark_log() returned before it was connected. Returns an
// error if the target had to prove a secret, and the kernel's log after the mark does not say that
// it did: Linux does not end a connection to a target that asks for no secret.
Result<void> check_controller(World &world, const StockAttachment &settings,
                              const std::string &controller, const std::string &mark);
// Writes a line to the kernel's log that nothing else has, and returns it. What the log has after
// that line is newer. If the log cannot be written or read: an error if the target has to prove a
// secret, else an empty text.
Result<std::string> mark_log(World &world, const Chap &chap);

} // namespace causeway
