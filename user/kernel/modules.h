// SPDX-License-Identifier: GPL-2.0-or-later
// Which kernel modules are there, and how one is loaded.
#pragma once

#include "base/result.h"

#include <string>

namespace causeway {

class Modules {
  public:
    Modules() = default;
    Modules(const Modules &) = delete;
    Modules &operator=(const Modules &) = delete;
    virtual ~Modules() = default;

    virtual bool loaded(const std::string &module) = 0;
    // Loads it unless it is there.
    virtual Result<void> need(const std::string &module) = 0;
};

// By modprobe(8), without a shell.
class SystemModules final : public Modules {
  public:
    bool loaded(const std::string &module) override;
    Result<void> need(const std::string &module) override;
};

} // namespace causeway
