// SPDX-License-Identifier: GPL-2.0-or-later
// A host in memory with nfsd, a folder to serve and a folder to mount on, for the tests of the NFS
// verbs.
#pragma once

#include "base/systemd_name.h"
#include "fixture.h"
#include "nfs/units.h"

#include <filesystem>
#include <string>

namespace causeway {

class Nfs : public CommandTest {
  protected:
    void SetUp() override {
        files.content["/sys/class/infiniband/rxe0/node_type"] = "1: CA\n";
        files.content["/proc/fs/nfsd/threads"] = "8\n";
        files.content["/proc/fs/nfsd/portlist"] = "tcp 2049\n";
        std::filesystem::create_directories(mnt());
        std::filesystem::create_directories(served());
    }

    std::string mnt() const { return (root / "mnt").string(); }
    std::string served() const { return (root / "srv").string(); }
    std::filesystem::path exports_file() const {
        return root / ("etc/exports.d/causeway-" + escaped_path(served()) + ".exports");
    }
    std::filesystem::path unit_file() const {
        return root / ("etc/systemd/system/" + mount_unit_name(mnt()));
    }
    std::filesystem::path unit_link() const {
        return root / ("etc/systemd/system/remote-fs.target.wants/" + mount_unit_name(mnt()));
    }
    std::filesystem::path dropin() const { return root / "etc/modprobe.d/causeway-nfs.conf"; }
    void boot_systemd() { std::filesystem::create_directories(root / "run/systemd/system"); }
    Places places() const { return Places(root.path()); }
};

} // namespace causeway
