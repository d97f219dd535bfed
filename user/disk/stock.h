// SPDX-License-Identifier: GPL-2.0-or-later
// What --via and names of stock exports and attachments mean to the verbs of disks.
#pragma once

#include "base/answer.h"
#include "base/disk_name.h"
#include "base/result.h"
#include "command/arguments.h"
#include "machine/world.h"

#include <optional>
#include <string>

namespace causeway {

inline constexpr OptionSpec via_option{"via", "iser|iscsi|nvme|srp",
                                       "by the kernel's own transport, for peers without Causeway"};

// "export add --via".
Result<Answer> add_stock_export(World &world, const Arguments &arguments);
// None: there is no stock export of this name.
Result<std::optional<Answer>> remove_stock_export(World &world, const std::string &name, bool force,
                                                  bool dry_run);
// Adds "stock" to the answer's JSON and a table to its text.
Result<void> list_stock_exports(World &world, Answer &answer);

// "attach --via".
Result<Answer> attach_stock(World &world, const Arguments &arguments);
// None: there is no stock attachment of this name.
Result<std::optional<Answer>> detach_stock(World &world, const DiskName &disk, bool force,
                                           bool dry_run);
// Detaches all of them and adds what came of it to the answer.
Result<void> detach_all_stock(World &world, bool force, bool dry_run, Answer &answer);
Result<void> list_stock_attachments(World &world, Answer &answer);

// The connections of both roles.
Result<void> add_stock_net(World &world, Answer &answer);

// Nothing of this name is a stock export, or an error says so.
Result<void> no_stock_export(World &world, const std::string &name);
Result<void> no_stock_attachment(World &world, const DiskName &disk);

// An option that Causeway's own transport alone has.
Result<void> only_with_via(const Arguments &arguments);

} // namespace causeway
