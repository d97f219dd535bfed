// SPDX-License-Identifier: GPL-2.0-or-later
// A folder below /run for one mount that shows whether a server answers by RDMA. Each caller has
// its own folder, so that no caller finds the mount of another one there.
#pragma once

#include "base/result.h"
#include "machine/world.h"

#include <string>

namespace causeway {

class TrialFolder {
  public:
    // Also removes the trial folders of processes that were killed.
    static Result<TrialFolder> make(World &world);

    TrialFolder(TrialFolder &&other) noexcept;
    TrialFolder &operator=(TrialFolder &&) = delete;
    TrialFolder(const TrialFolder &) = delete;
    TrialFolder &operator=(const TrialFolder &) = delete;
    ~TrialFolder();

    const std::string &path() const { return path_; }

    // Unmounts the trial and removes the folder. The destructor does this if end() was not called.
    // After an error, make() of another process tries this again when this process has ended.
    Result<void> end();

  private:
    TrialFolder(World &world, std::string path) : world_(&world), path_(std::move(path)) {}

    World *world_;
    std::string path_; // empty: ended, or moved from
};

} // namespace causeway
