// SPDX-License-Identifier: GPL-2.0-or-later
// Tests that attach the disk storage1/scratch, by paths that the words of the command choose.
#pragma once

#include "fixture.h"

namespace causeway {

class AttachTest : public CommandTest {
  protected:
    // Attaches storage1/scratch with these further words. Returns the exit status.
    int attach(std::vector<std::string> more) {
        more.insert(more.begin(), {"attach", "storage1/scratch"});
        return run(more);
    }
    // The newest request to attach a disk.
    const AttachRequest &asked() const { return kernel.attach_requests.back(); }
    // The configuration file of storage1/scratch.
    std::string kept() const { return read_file(attachment_file("storage1:scratch")); }
};

} // namespace causeway
