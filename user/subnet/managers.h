// SPDX-License-Identifier: GPL-2.0-or-later
// The subnet managers that Causeway enabled on this machine: one opensm for each port. All ports
// share settings and partitions, and each port may have settings and partitions of its own, because
// the ports of one machine can be in different subnets. The verbs of "sm" read the managers, change
// them in memory, and write them again.
#pragma once

#include "base/answer.h"
#include "machine/world.h"
#include "subnet/opensm.h"
#include "subnet/partitions.h"
#include "subnet/settings.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

struct ManagedPort {
    std::string guid;
    OpensmSettings settings; // replace those of all ports
    // None: the port has the partitions of all ports.
    std::optional<std::vector<PartitionRule>> partitions;
};

struct Managers {
    std::vector<ManagedPort> ports;
    OpensmSettings settings; // of all ports, beyond those of opensm's package
    std::vector<PartitionRule> partitions;

    std::vector<std::string> guids() const;
    ManagedPort *find(const std::string &guid);
    const std::vector<PartitionRule> &partitions_of(const ManagedPort &port) const {
        return port.partitions ? *port.partitions : partitions;
    }
    // Changes the partitions of these ports, or, without ports, those of all ports. A port that
    // shared its partitions gets partitions of its own if @change alters them.
    using ChangeRules = std::function<Result<void>(std::vector<PartitionRule> &)>;
    Result<void> change_partitions(const std::vector<std::string> &guids,
                                   const ChangeRules &change);
    // Change a setting of these ports, or, without ports, of all ports. Then the ports lose their
    // own values of the setting.
    void set(const std::vector<std::string> &guids, const std::string &key,
             const std::string &value);
    void unset(const std::vector<std::string> &guids, const std::string &key);
};

// Returns the title of a change: the verb and the ports that its operands name.
std::string title_with_ports(const std::string &verb, const std::vector<std::string> &operands);

// Reads the files of Causeway. A file of settings of an earlier version is a copy of the package's
// file; of such a copy only the lines that differ are kept. Without files of Causeway, the
// partitions are those of the package.
Result<Managers> read_managers(const Places &places);
// The same, or an error if there is none.
Result<Managers> need_managers(const World &world);

// Returns the settings with which opensm runs on the port: of the package, of all ports, and of the
// port. @port may be null.
Result<OpensmSettings> effective_settings(const Places &places, const Managers &managers,
                                          const ManagedPort *port);

// Shows or makes the change from one state to the other, and restarts each opensm whose settings
// change. An opensm whose partitions alone change reads them again. Starts those in @idle too.
Result<Answer> carry_managers(World &world, bool dry_run, const std::string &title,
                              OpensmPackage package, const Managers &before, const Managers &after,
                              const std::string &nothing_to_do,
                              const std::vector<std::string> &idle = {});

// Returns the file of the partitions that the port has of its own.
std::filesystem::path partitions_place(const Places &places, const std::string &guid);

} // namespace causeway
