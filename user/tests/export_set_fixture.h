// SPDX-License-Identifier: GPL-2.0-or-later
// Tests that add the export "scratch" of a file, and change its settings.
#pragma once

#include "fixture.h"

namespace causeway {

class ExportSet : public CommandTest {
  protected:
    ExportSet() {
        write_file(root / "disk.img", std::string(8192, 'x'));
        write_file(root / "key", "a key of twenty bytes", 0600);
    }

    int add(std::vector<std::string> more = {"--allow", "10.0.0.0/24"}) {
        std::vector<std::string> words = {"export", "add", "scratch", "--file",
                                          (root / "disk.img").string()};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    }
    int set(std::vector<std::string> more) {
        more.insert(more.begin(), {"export", "set", "scratch"});
        return run(more);
    }
    std::string key() const { return (root / "key").string(); }
    const ExportSettings &running() const { return kernel.running_exports.at(0).settings; }
    std::string kept() const { return read_file(export_file("scratch")); }
};

} // namespace causeway
