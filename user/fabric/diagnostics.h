// SPDX-License-Identifier: GPL-2.0-or-later
// Runs programs of infiniband-diags from one port of this machine.
#pragma once

#include "host/infiniband_port.h"
#include "machine/world.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

class Diagnostics {
  public:
    Diagnostics(World &world, std::optional<InfinibandPort> port)
        : world_(world), port_(std::move(port)) {}

    // Returns the command line with the options that name the port.
    std::vector<std::string> command(std::vector<std::string> words) const;
    // Returns the output of a program that has succeeded.
    Result<std::string> run(const std::vector<std::string> &words) const;
    // Returns how a program ended. Returns an error if it could not run, or not in time.
    Result<ProcessEnd> end_of(const std::vector<std::string> &words) const;

  private:
    World &world_;
    std::optional<InfinibandPort> port_;
};

} // namespace causeway
