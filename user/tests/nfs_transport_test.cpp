// SPDX-License-Identifier: GPL-2.0-or-later
// nfs transport and nfs rule, on a host in memory.
#include "nfs_host.h"

#include "nfs/transport.h"

namespace causeway {
namespace {

namespace fs = std::filesystem;

/* ---- transport ---- */

TEST_F(Nfs, transport_writes_and_removes_the_dropin) {
    EXPECT_EQ(run({"nfs", "transport"}), 0);
    EXPECT_EQ(out(), "NFS over RDMA: in-tree is chosen, no module is loaded\n");
    EXPECT_EQ(run({"nfs", "transport", "causeway", "--dry-run"}), 0);
    EXPECT_FALSE(fs::exists(dropin()));
    EXPECT_EQ(run({"nfs", "transport", "causeway"}), 0) << err();
    const std::string text = read_file(dropin());
    for (const char *alias : {"rpcrdma6", "xprtrdma", "svcrdma"}) {
        EXPECT_NE(text.find(std::string("\nalias ") + alias + " rpcrdma\n"), std::string::npos);
    }
    // In-tree rpcrdma is what is left where ours cannot be loaded.
    EXPECT_NE(text.find("\ninstall rpcrdma /sbin/modprobe -q causeway_rpcrdma || /sbin/modprobe "
                        "--ignore-install rpcrdma\n"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.front(), '#');
    EXPECT_EQ(json({"nfs", "transport", "causeway"})["changed"], false);
    EXPECT_EQ(json({"nfs", "transport"})["configured"], "causeway");
    EXPECT_EQ(run({"nfs", "transport", "in-tree"}), 0);
    EXPECT_FALSE(fs::exists(dropin()));
    EXPECT_EQ(run({"nfs", "transport", "in-three"}), 64);
    EXPECT_NE(err().find("did you mean in-tree?"), std::string::npos);
}

TEST_F(Nfs, transport_replaces_the_dropin_of_a_former_version) {
    const std::string former =
        "# Written by \"causeway nfs transport causeway\"; \"causeway nfs transport in-tree\" "
        "removes it.\n"
        "alias rpcrdma causeway_rpcrdma\nalias rpcrdma6 causeway_rpcrdma\n"
        "alias xprtrdma causeway_rpcrdma\nalias svcrdma causeway_rpcrdma\n";
    write_file(dropin(), former);
    EXPECT_EQ(json({"nfs", "transport"})["configured"], "causeway");
    EXPECT_EQ(json({"nfs", "transport", "causeway"})["changed"], true);
    EXPECT_EQ(read_file(dropin()), transport_dropin_text());
    write_file(dropin(), former);
    EXPECT_EQ(run({"restore", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("\n+install rpcrdma "), std::string::npos) << out();
    EXPECT_EQ(run({"restore", "--dry-run", "--stock"}), 0) << err();
    EXPECT_EQ(out(), "would change nothing\n");
    EXPECT_EQ(read_file(dropin()), former);
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(read_file(dropin()), transport_dropin_text());
    // A file that an administrator changed stays as it is.
    write_file(dropin(), former + "options causeway_rpcrdma slots=64\n");
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_NE(read_file(dropin()), transport_dropin_text());
}

TEST_F(Nfs, transport_unloads_the_other_module_when_nothing_uses_it) {
    modules.there.insert("rpcrdma");
    const auto told = json({"nfs", "transport", "causeway"});
    EXPECT_FALSE(modules.loaded("rpcrdma"));
    EXPECT_EQ(told["in_effect"], true);
    EXPECT_EQ(told["loaded"], nullptr);
}

TEST_F(Nfs, transport_says_what_must_be_remounted) {
    modules.there.insert("rpcrdma");
    processes.add_mount("storage1:/srv", mnt(), "rw,proto=rdma,port=20049,addr=10.0.0.1");
    files.content["/proc/fs/nfsd/portlist"] += "rdma 20049\n";
    EXPECT_EQ(run({"nfs", "transport", "causeway"}), 0);
    EXPECT_TRUE(modules.loaded("rpcrdma"));
    EXPECT_TRUE(fs::exists(dropin()));
    EXPECT_NE(err().find("goes by the in-tree transport until its module rpcrdma is unloaded: " +
                         mnt() + " is mounted through it, and nfsd listens through it"),
              std::string::npos)
        << err();
    EXPECT_NE(err().find("systemctl stop nfs-server; causeway nfs remount " + mnt() +
                         "; systemctl start nfs-server"),
              std::string::npos)
        << err();
    EXPECT_EQ(json({"nfs", "transport"})["in_effect"], false);

    // And so it is done.
    files.content["/proc/fs/nfsd/portlist"] = "tcp 2049\n";
    modules.aliases["rpcrdma"] = "causeway_rpcrdma";
    EXPECT_EQ(run({"nfs", "remount", mnt()}), 0) << err();
    EXPECT_FALSE(modules.loaded("rpcrdma"));
    EXPECT_TRUE(modules.loaded("causeway_rpcrdma"));
    EXPECT_TRUE(processes.ran("umount " + mnt()));
}

TEST_F(Nfs, mount_warns_when_the_other_module_carries_it) {
    write_file(dropin(), transport_dropin_text());
    modules.there.insert("rpcrdma");
    modules.busy.insert("rpcrdma");
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", mnt()}), 0);
    EXPECT_NE(err().find("by the in-tree transport until its module rpcrdma is unloaded"),
              std::string::npos)
        << err();
    EXPECT_NE(err().find("rmmod rpcrdma"), std::string::npos);
}

/* ---- rules ---- */

TEST_F(Nfs, rules_are_set_kept_and_brought_back) {
    EXPECT_EQ(run({"nfs", "rule", "add", "10.0.0.0/24", "--from", "10.0.0.2,10.1.0.2"}), 0)
        << err();
    EXPECT_EQ(out(), "mounts of servers in 10.0.0.0/24 connect from 10.0.0.2, 10.1.0.2\n"
                     "causeway undo 1 takes this back\n");
    EXPECT_TRUE(logged("rule 10.0.0.0/24"));
    EXPECT_TRUE(modules.loaded("causeway_rpcrdma"));
    const fs::path place = root / "etc/causeway/nfs-rules.d/10.0.0.0_24.conf";
    EXPECT_NE(read_file(place).find("[nfs-rule]\nnetwork = 10.0.0.0/24\nfrom = 10.0.0.2\nfrom = "
                                    "10.1.0.2\n"),
              std::string::npos);
    EXPECT_EQ(json({"nfs", "rule", "add", "10.0.0.0/24", "--from", "10.0.0.2,10.1.0.2"})["changed"],
              false);
    EXPECT_EQ(json({"nfs", "rule", "list"})["rules"][0]["persistent"], true);

    kernel.running_rules.clear();
    EXPECT_EQ(run({"nfs", "rule", "list"}), 0);
    EXPECT_NE(out().find("not in force: causeway restore"), std::string::npos);
    modules.there.erase("causeway_rpcrdma");
    EXPECT_EQ(run({"restore", "--dry-run"}), 0) << err();
    EXPECT_EQ(out(), "modules\n+causeway_rpcrdma\nwould set the rule for 10.0.0.0/24 "
                     "from " +
                         place.string() + "\n");
    EXPECT_EQ(run({"restore", "--dry-run", "--stock"}), 0) << err();
    EXPECT_EQ(out(), "would change nothing\n");
    EXPECT_FALSE(modules.loaded("causeway_rpcrdma"));
    EXPECT_EQ(run({"restore"}), 0) << err();
    ASSERT_EQ(kernel.running_rules.size(), 1U);
    EXPECT_EQ(kernel.running_rules[0].from.size(), 2U);
    EXPECT_EQ(json({"restore"})["unchanged"][0], "10.0.0.0/24");

    EXPECT_EQ(run({"nfs", "rule", "remove", "10.0.0.0/24"}), 0);
    EXPECT_FALSE(fs::exists(place));
    EXPECT_TRUE(kernel.running_rules.empty());
    EXPECT_EQ(json({"nfs", "rule", "remove", "10.0.0.0/24"})["changed"], false);
}

// Whatever module is loaded.
TEST_F(Nfs, a_wrong_rule_is_refused_first) {
    ASSERT_EQ(run({"nfs", "rule", "add", "10.0.0.0/24", "--from", "10.0.0.2"}), 0) << err();
    modules.there = {"rpcrdma"};
    EXPECT_EQ(run({"nfs", "rule", "add", "10.0.1.0/24", "--from", "x"}), 64);
    EXPECT_EQ(run({"nfs", "rule", "set", "10.0.1.0/24", "--from", "10.0.0.2"}), 69);
    EXPECT_NE(err().find("there is no rule for 10.0.1.0/24"), std::string::npos) << err();
    EXPECT_EQ(run({"nfs", "rule", "add", "10.0.0.0/24", "--from", "10.1.0.2"}), 1);
    EXPECT_NE(err().find("with other addresses"), std::string::npos) << err();
    EXPECT_EQ(run({"nfs", "rule", "set", "10.0.0.0/24", "--from", "10.1.0.2"}), 75);
}

TEST_F(Nfs, a_rule_with_other_addresses_is_changed_by_its_own_verb) {
    const fs::path place = root / "etc/causeway/nfs-rules.d/10.0.0.0_24.conf";
    EXPECT_EQ(run({"nfs", "rule", "set", "10.0.0.0/24", "--from", "10.0.0.2"}), 69);
    EXPECT_NE(err().find("there is no rule for 10.0.0.0/24"), std::string::npos) << err();
    EXPECT_NE(err().find("causeway nfs rule add 10.0.0.0/24 --from 10.0.0.2"), std::string::npos);
    EXPECT_EQ(run({"nfs", "rule", "list"}), 0);
    EXPECT_NE(out().find("there is no rule"), std::string::npos) << out();

    EXPECT_EQ(run({"nfs", "rule", "add", "10.0.0.0/24", "--from", "10.0.0.2"}), 0) << err();
    EXPECT_EQ(run({"nfs", "rule", "add", "10.0.0.0/24", "--from", "10.1.0.2"}), 1);
    EXPECT_NE(err().find("with other addresses: 10.0.0.2, not 10.1.0.2"), std::string::npos)
        << err();
    EXPECT_NE(err().find("causeway nfs rule set 10.0.0.0/24 --from 10.1.0.2"), std::string::npos)
        << err();
    EXPECT_EQ(kernel.running_rules[0].from[0].host_text(), "10.0.0.2");
    // A rule of a file that the kernel does not have counts too.
    kernel.running_rules.clear();
    EXPECT_EQ(run({"nfs", "rule", "add", "10.0.0.0/24", "--from", "10.1.0.2", "--no-persist"}), 1);

    EXPECT_EQ(run({"nfs", "rule", "set", "10.0.0.0/24", "--from", "10.1.0.2", "--dry-run"}), 0);
    EXPECT_TRUE(kernel.running_rules.empty());
    EXPECT_EQ(run({"nfs", "rule", "set", "10.0.0.0/24", "--from", "10.1.0.2"}), 0) << err();
    EXPECT_EQ(kernel.running_rules[0].from[0].host_text(), "10.1.0.2");
    EXPECT_NE(read_file(place).find("from = 10.1.0.2\n"), std::string::npos);
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_NE(read_file(place).find("from = 10.0.0.2\n"), std::string::npos);
}

TEST_F(Nfs, rules_that_make_no_sense_are_refused) {
    for (const std::vector<std::string> &words :
         {std::vector<std::string>{"10.0.0.0/24"},
          {"10.0.0.0/24", "--from", "fd00::2"},
          {"10.0.0.0/24", "--from", "10.0.0.2,10.0.0.2"},
          {"10.0.0.0/24", "--from", "storage1"},
          {"10.0.0.0/24", "--from",
           "10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4,10.0.0.5,10.0.0.6,"
           "10.0.0.7,10.0.0.8,10.0.0.9"},
          {"10.0.0.1/24", "--from", "10.0.0.2"}}) {
        std::vector<std::string> all = {"nfs", "rule", "add"};
        all.insert(all.end(), words.begin(), words.end());
        EXPECT_EQ(run(all), 64) << words.back();
    }
    EXPECT_TRUE(kernel.log.empty());
    write_file(root / "etc/causeway/nfs-rules.d/x.conf", "[nfs-rule]\nnetwork = 10.0.0.0/24\n");
    EXPECT_EQ(run({"restore"}), 78);
    EXPECT_NE(err().find("x.conf"), std::string::npos);
}

TEST_F(Nfs, rules_need_our_transport_and_say_so) {
    modules.there.insert("rpcrdma");
    EXPECT_EQ(run({"nfs", "rule", "add", "10.0.0.0/24", "--from", "10.0.0.2"}), 75);
    EXPECT_NE(err().find("the kernel's own is loaded: rpcrdma"), std::string::npos) << err();
    EXPECT_NE(err().find("causeway nfs transport causeway"), std::string::npos) << err();
    write_file(dropin(), transport_dropin_text());
    EXPECT_EQ(run({"nfs", "rule", "add", "10.0.0.0/24", "--from", "10.0.0.2"}), 75);
    EXPECT_NE(err().find("rmmod rpcrdma"), std::string::npos) << err();
}

} // namespace
} // namespace causeway
