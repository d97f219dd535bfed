// SPDX-License-Identifier: GPL-2.0-or-later
// nfs serve and nfs unserve, on a host in memory.
#include "nfs_host.h"

#include "nfs/exportfs.h"
#include "nfs/server.h"
#include "nfs/transport.h"

#include <cerrno>

namespace causeway {
namespace {

namespace fs = std::filesystem;

TEST_F(Nfs, serves_a_folder_and_opens_the_port) {
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.0/24", "fd00::/64", "--read-only"}), 0)
        << err();
    EXPECT_EQ(out(), served() + " is served to 10.0.0.0/24, fd00::/64, by RDMA on port 20049\n"
                                "causeway undo 1 takes this back\n");
    EXPECT_EQ(exports_line(read_file(exports_file())),
              served() +
                  " 10.0.0.0/24(ro,sync,no_subtree_check) fd00::/64(ro,sync,no_subtree_check)");
    EXPECT_EQ(read_file(root / "etc/nfs.conf.d/causeway.conf"), nfs_conf_text(20049));
    // Exports that others made without a file stay.
    EXPECT_EQ(processes.log,
              (std::vector<std::string>{
                  "exportfs -i -o ro,sync,no_subtree_check 10.0.0.0/24:" + served(),
                  "exportfs -i -o ro,sync,no_subtree_check [fd00::]/64:" + served()}));
    EXPECT_EQ(files.content["/proc/fs/nfsd/portlist"], "tcp 2049\nrdma 20049\n");

    const auto again =
        json({"nfs", "serve", served(), "--to", "10.0.0.0/24,fd00::/64", "--read-only"});
    EXPECT_EQ(again["changed"], false);
    EXPECT_EQ(again["listening"], true);
    EXPECT_EQ(processes.log.size(), 2U);
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 1);
    EXPECT_NE(err().find("is served with other settings"), std::string::npos);
    EXPECT_NE(err().find("causeway nfs set " + served() + " --allow any --read-write -o ''"),
              std::string::npos)
        << err();
}

TEST_F(Nfs, unserve_ends_it_and_the_last_takes_the_port_along) {
    const std::string other = mnt();
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 0);
    EXPECT_EQ(run({"nfs", "serve", other, "--allow", "any"}), 0);
    EXPECT_EQ(run({"nfs", "unserve", other}), 0);
    EXPECT_TRUE(fs::exists(root / "etc/nfs.conf.d/causeway.conf"));
    EXPECT_TRUE(fs::exists(exports_file()));
    EXPECT_EQ(run({"nfs", "unserve", served(), "--dry-run"}), 0);
    EXPECT_TRUE(fs::exists(exports_file()));
    EXPECT_EQ(run({"nfs", "unserve", served()}), 0);
    EXPECT_FALSE(fs::exists(exports_file()));
    EXPECT_FALSE(fs::exists(root / "etc/nfs.conf.d/causeway.conf"));
    EXPECT_NE(err().find("systemctl restart nfs-server"), std::string::npos);
    EXPECT_EQ(processes.log.back(), "exportfs -u *:" + served());
    EXPECT_EQ(processes.count("exportfs -i -o"), 2U);
    EXPECT_EQ(processes.count("exportfs"), 4U);
    EXPECT_EQ(json({"nfs", "unserve", served()})["changed"], false);
}

TEST_F(Nfs, serve_without_the_servers_programs_says_what_to_install) {
    processes.missing.insert("exportfs");
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 69);
    EXPECT_NE(err().find("apt install nfs-kernel-server"), std::string::npos);
    EXPECT_FALSE(fs::exists(exports_file()));
}

TEST_F(Nfs, serve_starts_nfsd_or_says_how) {
    files.content.erase("/proc/fs/nfsd/threads");
    files.content.erase("/proc/fs/nfsd/portlist");
    auto told = json({"nfs", "serve", served(), "--allow", "any"});
    EXPECT_EQ(status, 0);
    EXPECT_EQ(told["listening"], false);
    EXPECT_NE(told["warnings"][0].get<std::string>().find("rpc.nfsd 8"), std::string::npos);

    boot_systemd();
    processes.acts["systemctl enable --now nfs-server.service"] = [&] {
        files.content["/proc/fs/nfsd/threads"] = "8\n";
        files.content["/proc/fs/nfsd/portlist"] = "rdma 20049\nrdma 20049\n";
        return ProcessEnd{};
    };
    told = json({"nfs", "serve", served(), "--allow", "any"});
    EXPECT_EQ(told["listening"], true);
    EXPECT_EQ(files.content["/proc/fs/nfsd/portlist"], "rdma 20049\nrdma 20049\n");
    processes.acts["systemctl enable --now nfs-server.service"] = [] {
        return FakeProcesses::failure("Job for nfs-server.service failed.", 1);
    };
    files.content["/proc/fs/nfsd/threads"] = "0\n";
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 1);
    EXPECT_NE(err().find("nfsd cannot be started: Job for nfs-server.service failed."),
              std::string::npos);
}

TEST_F(Nfs, serve_sees_to_it_that_nfsd_starts_at_boot) {
    boot_systemd();
    processes.acts["systemctl is-enabled nfs-server.service"] = [] {
        return FakeProcesses::failure("disabled", 1);
    };
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 0) << err();
    EXPECT_EQ(processes.log.back(), "systemctl enable nfs-server.service");
    EXPECT_EQ(run({"nfs", "serve", mnt(), "--allow", "any"}), 0) << err();
    EXPECT_EQ(processes.count("systemctl enable"), 1U);
}

TEST_F(Nfs, serve_that_fails_leaves_nfsd_as_it_was) {
    boot_systemd();
    processes.acts["systemctl is-enabled nfs-server.service"] = [] {
        return FakeProcesses::failure("disabled", 1);
    };
    EXPECT_EQ(run({"nfs", "serve", served(), "--dry-run", "--allow", "any"}), 0) << err();
    EXPECT_NE(out().find("run systemctl enable nfs-server.service\n"), std::string::npos) << out();
    files.refuse["/proc/fs/nfsd/portlist"] =
        Error{ExitCode::failed, "cannot write /proc/fs/nfsd/portlist: Protocol not supported", "",
              EPROTONOSUPPORT};
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 69);
    EXPECT_TRUE(processes.ran("systemctl disable nfs-server.service"));
    EXPECT_EQ(processes.log.back(), "exportfs -u *:" + served());
    EXPECT_FALSE(fs::exists(exports_file()));
    EXPECT_FALSE(fs::exists(root / "etc/nfs.conf.d/causeway.conf"));
}

// An nfsd that was off starts, and then cannot listen by RDMA.
TEST_F(Nfs, serve_stops_the_nfsd_that_it_started_in_vain) {
    boot_systemd();
    files.content["/proc/fs/nfsd/threads"] = "0\n";
    files.content["/proc/fs/nfsd/portlist"] = "";
    processes.acts["systemctl is-enabled nfs-server.service"] = [] {
        return FakeProcesses::failure("disabled", 1);
    };
    processes.acts["systemctl enable --now nfs-server.service"] = [&] {
        files.content["/proc/fs/nfsd/threads"] = "8\n";
        files.content["/proc/fs/nfsd/portlist"] = "tcp 2049\n";
        return ProcessEnd{};
    };
    files.refuse["/proc/fs/nfsd/portlist"] =
        Error{ExitCode::failed, "cannot write /proc/fs/nfsd/portlist: Protocol not supported", "",
              EPROTONOSUPPORT};
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 69);
    EXPECT_TRUE(processes.ran("systemctl stop nfs-server.service"));
    EXPECT_TRUE(processes.ran("systemctl disable nfs-server.service"));
    EXPECT_EQ(processes.log.back(), "exportfs -u *:" + served());
    EXPECT_FALSE(fs::exists(exports_file()));
    EXPECT_FALSE(fs::exists(root / "etc/nfs.conf.d/causeway.conf"));
    EXPECT_EQ(json({"undo", "--list"})["journal"].size(), 0U);
}

TEST_F(Nfs, unserve_of_the_last_folder_says_that_nfsd_stays_enabled) {
    boot_systemd();
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 0) << err();
    EXPECT_EQ(run({"nfs", "unserve", served()}), 0) << err();
    EXPECT_NE(err().find("systemctl disable --now nfs-server"), std::string::npos) << err();
}

TEST_F(Nfs, serve_gives_an_identity_to_what_has_none) {
    processes.acts["exportfs"] = [&] {
        const std::string text = read_file(exports_file());
        return text.find("fsid=") != std::string::npos
                   ? ProcessEnd{}
                   : FakeProcesses::failure(
                         "exportfs: Warning: " + served() + " requires fsid= for NFS export", 0);
    };
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 0) << err();
    const std::string text = read_file(exports_file());
    EXPECT_EQ(fsid_of_exports(text).size(), 36U);
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 0) << err();
    EXPECT_EQ(read_file(exports_file()), text);
}

TEST_F(Nfs, serve_takes_back_what_exportfs_refuses) {
    processes.acts["exportfs"] = [&] {
        return fs::exists(exports_file())
                   ? FakeProcesses::failure(
                         "exportfs: " + served() + " does not support NFS export", 0)
                   : ProcessEnd{};
    };
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any"}), 1);
    EXPECT_NE(err().find("does not support NFS export"), std::string::npos) << err();
    EXPECT_FALSE(fs::exists(exports_file()));
    EXPECT_FALSE(fs::exists(root / "etc/nfs.conf.d/causeway.conf"));
    // It does not name the path in each complaint, and has a status that is not 0 then.
    processes.acts["exportfs -i"] = [] {
        return FakeProcesses::failure("exportfs: command line:0: unknown keyword \"nonsense\"", 22);
    };
    EXPECT_EQ(run({"nfs", "serve", served(), "--allow", "any", "-o", "nonsense"}), 1);
    EXPECT_NE(err().find("cannot be served: command line:0: unknown keyword \"nonsense\""),
              std::string::npos)
        << err();
    EXPECT_FALSE(fs::exists(exports_file()));
}

TEST_F(Nfs, serve_reports_why_the_port_cannot_be_opened) {
    files.refuse["/proc/fs/nfsd/portlist"] =
        Error{ExitCode::failed, "cannot write /proc/fs/nfsd/portlist: Protocol not supported", "",
              EPROTONOSUPPORT};
    write_file(dropin(), transport_dropin_text());
    EXPECT_EQ(run({"nfs", "serve", served(), "--port", "20050", "--allow", "any"}), 69);
    EXPECT_NE(err().find("nfsd cannot listen by RDMA on port 20050"), std::string::npos);
    EXPECT_NE(err().find("modprobe causeway_rpcrdma"), std::string::npos);
    // And nothing of it stays.
    EXPECT_FALSE(fs::exists(root / "etc/nfs.conf.d/causeway.conf"));
    EXPECT_TRUE(fs::is_empty(root / "etc/exports.d"));
    EXPECT_EQ(processes.log.back().find("systemctl"), std::string::npos);
    files.refuse.clear();
    EXPECT_EQ(run({"nfs", "serve", served(), "--port", "20050", "--allow", "any"}), 0) << err();
    EXPECT_NE(out().find("by RDMA on port 20050"), std::string::npos);

    // nfsd has one port for all folders.
    EXPECT_EQ(run({"nfs", "serve", mnt(), "--port", "20051", "--allow", "any"}), 1);
    EXPECT_NE(err().find(served() + " is served on port 20050"), std::string::npos) << err();
    EXPECT_NE(err().find("causeway nfs set " + served() + " --port 20051"), std::string::npos)
        << err();
    EXPECT_EQ(run({"nfs", "serve", mnt(), "--allow", "any"}), 0) << err();
    EXPECT_NE(out().find("by RDMA on port 20050"), std::string::npos) << out();
}

TEST_F(Nfs, serve_refuses_what_cannot_be_served) {
    EXPECT_EQ(run({"nfs", "serve", (root / "none").string(), "--allow", "any"}), 69);
    write_file(root / "file", "");
    EXPECT_EQ(run({"nfs", "serve", (root / "file").string(), "--allow", "any"}), 69);
    EXPECT_EQ(run({"nfs", "serve", served(), "--to", "10.0.0.1/24"}), 64);
    EXPECT_NE(err().find("--to '10.0.0.1/24' has bits set"), std::string::npos);
    EXPECT_EQ(run({"nfs", "serve", served(), "-o", "rw) *(rw", "--allow", "any"}), 64);
    EXPECT_TRUE(processes.log.empty());
}

} // namespace
} // namespace causeway
