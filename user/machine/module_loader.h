// SPDX-License-Identifier: GPL-2.0-or-later
// Which kernel modules are there, and how one is loaded and unloaded.
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
    // Loads it unless it is there.
    virtual Result<void> need(const std::string &module) = 0;
    // Takes this very module away, whatever aliases say; an error with EBUSY where it is in use.
    virtual Result<void> unload(const std::string &module) = 0;
};

// By modprobe(8) and rmmod(8).
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
