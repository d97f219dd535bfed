// SPDX-License-Identifier: GPL-2.0-or-later
// The host of nfs_host.h with another folder, for the tests of undo.
#pragma once

#include "nfs/mounts.h"
#include "nfs_host.h"

#include <filesystem>
#include <string>
#include <vector>

namespace causeway {

class NfsUndo : public Nfs {
  protected:
    void SetUp() override {
        Nfs::SetUp();
        std::filesystem::create_directories(other());
    }

    std::string other() const { return (root / "other").string(); }

    bool mounted() { return mounted_on(files, mnt())->nfs.has_value(); }
    std::string transport() {
        return option_value(mounted_on(files, mnt())->nfs->options, "proto");
    }

    // nfsd is off, and its unit starts it.
    void stop_nfsd() {
        boot_systemd();
        files.content["/proc/fs/nfsd/threads"] = "0\n";
        processes.acts["systemctl is-enabled"] = [] {
            return FakeProcesses::failure("disabled", 1);
        };
        processes.acts["systemctl enable --now nfs-server.service"] = [&] {
            files.content["/proc/fs/nfsd/threads"] = "8\n";
            files.content["/proc/fs/nfsd/portlist"] = "rdma 20049\n";
            return ProcessEnd{};
        };
        processes.acts["systemctl stop nfs-server.service"] = [&] {
            files.content["/proc/fs/nfsd/threads"] = "0\n";
            files.content["/proc/fs/nfsd/portlist"] = "";
            return ProcessEnd{};
        };
    }

    // The changes that --dry-run shows are the changes that are made.
    void expect_as_shown(std::vector<std::string> words) {
        auto shown = words;
        shown.emplace_back("--dry-run");
        const auto wanted = json(shown);
        ASSERT_EQ(status, 0) << err();
        EXPECT_EQ(wanted["dry_run"], true);
        EXPECT_EQ(wanted["journal"], nullptr);
        const auto done = json(std::move(words));
        ASSERT_EQ(status, 0) << err();
        EXPECT_EQ(done["changes"], wanted["changes"]);
        EXPECT_EQ(done["changed"], true);
        EXPECT_TRUE(done["journal"].is_number()) << done;
    }

    std::size_t entries() { return json({"undo", "--list"})["journal"].size(); }
};

} // namespace causeway
