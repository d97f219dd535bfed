// SPDX-License-Identifier: GPL-2.0-or-later
// Loads and unloads kernel modules, and reports which are loaded.
#pragma once

#include "base/result.h"
#include "machine/processes.h"

#include <string>

namespace causeway {

class Modules {
  public:
    Modules() = default;
    Modules(const Modules &) = delete;
    Modules &operator=(const Modules &) = delete;
    virtual ~Modules() = default;

    virtual bool loaded(const std::string &module) = 0;
    // Loads the module unless it is loaded.
    virtual Result<void> need(const std::string &module) = 0;
    // Unloads the module with exactly this name, without regard to aliases. Returns an error with
    // EBUSY if the module is in use.
    virtual Result<void> unload(const std::string &module) = 0;
};

// Uses modprobe(8) and rmmod(8).
class SystemModules final : public Modules {
  public:
    explicit SystemModules(Processes &processes) : processes_(processes) {}

    bool loaded(const std::string &module) override;
    Result<void> need(const std::string &module) override;
    Result<void> unload(const std::string &module) override;

  private:
    Processes &processes_;
};

} // namespace causeway
