// SPDX-License-Identifier: GPL-2.0-or-later
// A host with nfsd and folders to serve and to mount on, for the tests of undo.
#pragma once

#include "fixture.h"
#include "nfs/exportfs.h"
#include "nfs/mounts.h"
#include "nfs/units.h"

#include <filesystem>
#include <string>
#include <vector>

namespace causeway {

class NfsUndo : public CommandTest {
  protected:
    void SetUp() override {
        files.content["/sys/class/infiniband/rxe0/node_type"] = "1: CA\n";
        files.content["/proc/fs/nfsd/threads"] = "8\n";
        files.content["/proc/fs/nfsd/portlist"] = "tcp 2049\n";
        std::filesystem::create_directories(mnt());
        std::filesystem::create_directories(served());
        std::filesystem::create_directories(other());
    }

    std::string mnt() const { return (root / "mnt").string(); }
    std::string served() const { return (root / "srv").string(); }
    std::string other() const { return (root / "other").string(); }
    Places places() const { return Places(root.path()); }
    std::filesystem::path exports_file() const { return exports_place(places(), served()); }
    std::filesystem::path unit_file() const {
        return root / ("etc/systemd/system/" + mount_unit_name(mnt()));
    }
    std::filesystem::path unit_link() const {
        return root / ("etc/systemd/system/remote-fs.target.wants/" + mount_unit_name(mnt()));
    }
    std::filesystem::path dropin() const { return root / "etc/modprobe.d/causeway-nfs.conf"; }
    void boot_systemd() { std::filesystem::create_directories(root / "run/systemd/system"); }

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

    // What --dry-run shows is what is done.
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
