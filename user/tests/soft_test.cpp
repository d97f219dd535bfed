// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the option --soft NETDEV, which verbs that move data have.
#include "fixture.h"

#include <cerrno>

namespace causeway {
namespace {

namespace fs = std::filesystem;

class SoftOption : public CommandTest {
  protected:
    void SetUp() override {
        files.content["/sys/class/net/eth0/type"] = "1\n";
        files.content["/sys/class/net/eth0/address"] = "52:54:00:00:00:01\n";
        fs::create_directories(root / "run/systemd/system");
    }

    fs::path unit() const { return root / "etc/systemd/system/causeway-soft@eth0.service"; }
    fs::path entry(const std::string &number) const {
        return root / ("var/lib/causeway/journal/" + number + ".json");
    }
};

TEST_F(SoftOption, makes_the_device_first_and_says_so) {
    EXPECT_EQ(run({"export", "add", "scratch", "--ram", "1M", "--soft", "eth0", "--allow", "any",
                   "--exclusive"}),
              0)
        << err();
    EXPECT_EQ(out(), "eth0 has the RDMA device rxe0 now, by software (causeway undo 1 takes it "
                     "back)\n'scratch' exports 1 MiB of memory\ncauseway undo 2 takes this back\n");
    EXPECT_EQ(rdma.log, (std::vector<std::string>{"add rxe rxe0 eth0"}));
    EXPECT_TRUE(fs::exists(unit()));
    EXPECT_TRUE(fs::exists(entry("000001")));
    const auto told = json({"attach", "storage1/scratch", "--soft", "eth0"});
    EXPECT_EQ(status, 0) << err();
    EXPECT_EQ(told["soft"]["device"], "rxe0");
    EXPECT_EQ(told["soft"]["changed"], false);
    EXPECT_EQ(told["changed"], true);
    EXPECT_EQ(rdma.log.size(), 1U);
    EXPECT_EQ(run({"undo", "1"}), 0) << err();
    EXPECT_FALSE(fs::exists(unit()));
    EXPECT_EQ(rdma.log.back(), "remove rxe0");
}

TEST_F(SoftOption, makes_soft_iwarp_where_its_type_is_named) {
    const auto export_with = [this](const std::string &soft) {
        return run({"export", "add", "scratch", "--ram", "1M", "--soft", soft, "--allow", "any"});
    };
    EXPECT_EQ(export_with("iwarp:eth0"), 64);
    EXPECT_NE(err().find("give rxe (Soft-RoCE) or siw (Soft-iWARP)"), std::string::npos) << err();
    EXPECT_EQ(export_with("siw:"), 69);
    EXPECT_TRUE(rdma.log.empty());
    EXPECT_EQ(export_with("siw:eth0"), 0) << err();
    EXPECT_EQ(rdma.log, (std::vector<std::string>{"add siw siw0 eth0"}));
    EXPECT_NE(out().find("eth0 has the RDMA device siw0 now, by software"), std::string::npos)
        << out();
    EXPECT_NE(read_file(unit()).find("soft add siw eth0 --name siw0 --at-boot\n"),
              std::string::npos);
    EXPECT_EQ(run({"attach", "storage1/scratch", "--soft", "rxe:eth0", "--dry-run"}), 1);
    EXPECT_NE(err().find("a unit adds the siw device siw0 on eth0 at boot"), std::string::npos)
        << err();
    EXPECT_EQ(
        run({"attach", "storage1/scratch", "--soft", "rxe:eth0", "--dry-run", "--no-persist"}), 0)
        << err();
    EXPECT_NE(out().find("+rxe rxe0 on eth0\n"), std::string::npos) << out();
}

// The unit stays when its device is absent: removed by hand, or after a boot at which it failed.
TEST_F(SoftOption, add_overwrites_no_unit_of_another_name) {
    ASSERT_EQ(run({"soft", "add", "rxe", "eth0", "--name", "store0"}), 0) << err();
    ASSERT_TRUE(rdma.remove("store0"));
    const std::string kept = read_file(unit());
    EXPECT_EQ(run({"soft", "add", "rxe", "eth0", "--name", "store1"}), 1);
    EXPECT_NE(err().find("a unit adds the rxe device store0 on eth0 at boot, and a network device "
                         "has one such unit\n  causeway soft remove store0; or give "
                         "--no-persist\n"),
              std::string::npos)
        << err();
    EXPECT_EQ(read_file(unit()), kept);
    // Without a name, the device gets the name in its unit.
    EXPECT_EQ(run({"soft", "add", "rxe", "eth0"}), 0) << err();
    EXPECT_EQ(rdma.log.back(), "add rxe store0 eth0");
    EXPECT_EQ(read_file(unit()), kept);
}

TEST_F(SoftOption, devices_are_listed_with_those_that_only_a_unit_makes) {
    EXPECT_EQ(run({"soft", "list"}), 0);
    EXPECT_EQ(out(), "there is no RDMA device by software\n");
    ASSERT_EQ(run({"soft", "add", "rxe", "eth0"}), 0) << err();
    files.content["/sys/class/net/eth1/type"] = "1\n";
    ASSERT_EQ(run({"soft", "add", "rxe", "eth1", "--no-persist"}), 0) << err();
    rdma.put("mlx5_0", "node_type", "1: CA");
    rdma.put("mlx5_0", "device/vendor", "0x15b3");
    auto told = json({"soft", "list"})["devices"];
    ASSERT_EQ(told.size(), 2U) << told;
    EXPECT_EQ(told[0], (nlohmann::json{{"name", "rxe0"},
                                       {"type", "rxe"},
                                       {"netdev", "eth0"},
                                       {"there", true},
                                       {"at_boot", true}}));
    EXPECT_EQ(told[1]["name"], "rxe1");
    EXPECT_EQ(told[1]["at_boot"], false);
    ASSERT_TRUE(rdma.remove("rxe0"));
    told = json({"soft", "list"})["devices"];
    ASSERT_EQ(told.size(), 2U) << told;
    EXPECT_EQ(told[1]["name"], "rxe0");
    EXPECT_EQ(told[1]["there"], false);
    EXPECT_EQ(told[1]["at_boot"], true);
    EXPECT_EQ(run({"soft", "remove", "eth0"}), 0) << err();
    EXPECT_EQ(json({"soft", "list"})["devices"].size(), 1U);
}

TEST_F(SoftOption, shows_the_device_in_a_dry_run) {
    EXPECT_EQ(run({"export", "add", "scratch", "--ram", "1M", "--soft", "eth0", "--dry-run",
                   "--allow", "any"}),
              0)
        << err();
    EXPECT_NE(out().find("netlink newlink\n+rxe rxe0 on eth0\n"), std::string::npos) << out();
    EXPECT_NE(out().find("export 1 MiB of memory as 'scratch'"), std::string::npos) << out();
    EXPECT_TRUE(rdma.log.empty());
    EXPECT_FALSE(fs::exists(root / "etc"));
}

TEST_F(SoftOption, takes_the_device_back_where_the_work_fails) {
    EXPECT_EQ(run({"attach", "nobody/scratch", "--soft", "eth0"}), 69);
    EXPECT_NE(err().find("does not resolve"), std::string::npos) << err();
    EXPECT_EQ(rdma.log, (std::vector<std::string>{"add rxe rxe0 eth0", "remove rxe0"}));
    EXPECT_FALSE(fs::exists(unit()));
    rdma.log.clear();
    ASSERT_EQ(run({"soft", "add", "rxe", "eth0"}), 0) << err();
    // A device that existed before stays.
    EXPECT_EQ(run({"attach", "nobody/scratch", "--soft", "eth0"}), 69);
    EXPECT_EQ(rdma.log, (std::vector<std::string>{"add rxe rxe0 eth0"}));
}

TEST_F(SoftOption, refuses_what_cannot_be_before_the_work) {
    EXPECT_EQ(run({"export", "add", "scratch", "--ram", "1M", "--soft", "eth00", "--allow", "any"}),
              69);
    EXPECT_NE(err().find("did you mean eth0?"), std::string::npos) << err();
    EXPECT_TRUE(kernel.running_exports.empty());
    EXPECT_EQ(run({"export", "add", "scratch", "--ram", "1M", "--soft", "eth0", "--no-persist",
                   "--allow", "any"}),
              0)
        << err();
    EXPECT_FALSE(fs::exists(unit()));
}

TEST_F(SoftOption, is_of_nfs_too) {
    fs::create_directories(root / "srv");
    fs::create_directories(root / "mnt");
    files.content["/proc/fs/nfsd/threads"] = "8\n";
    files.content["/proc/fs/nfsd/portlist"] = "";
    EXPECT_EQ(run({"nfs", "serve", (root / "srv").string(), "--soft", "eth0", "--allow", "any"}), 0)
        << err();
    EXPECT_EQ(out().find("eth0 has the RDMA device rxe0 now"), 0U) << out();
    EXPECT_EQ(run({"nfs", "mount", "storage1:/srv", (root / "mnt").string(), "--soft", "eth0"}), 0)
        << err();
    EXPECT_EQ(out().find("eth0 has the RDMA device rxe0 already\n"), 0U) << out();
    EXPECT_NE(out().find("by RDMA"), std::string::npos) << out();
}

TEST_F(SoftOption, renew_makes_the_device_anew_under_its_name) {
    ASSERT_EQ(run({"soft", "add", "rxe", "eth0", "--name", "store0"}), 0) << err();
    EXPECT_EQ(run({"soft", "renew", "eth0", "--dry-run"}), 0) << err();
    EXPECT_EQ(out(), "would make store0 on eth0 anew\n");
    EXPECT_EQ(rdma.log.size(), 1U);
    EXPECT_EQ(run({"soft", "renew", "store0"}), 0) << err();
    EXPECT_EQ(out(), "store0 on eth0 was made anew\n");
    EXPECT_EQ(rdma.log, (std::vector<std::string>{"add rxe store0 eth0", "remove store0",
                                                  "add rxe store0 eth0"}));
}

TEST_F(SoftOption, renew_refuses_what_is_no_software_device) {
    EXPECT_EQ(run({"soft", "renew", "eth0"}), 69);
    EXPECT_NE(err().find("there is no software device eth0"), std::string::npos) << err();
    EXPECT_TRUE(rdma.log.empty());
}

// A device that Causeway made. Requests to its own address get no answer unless a test
// changes that.
class SilentDevice : public SoftOption {
  protected:
    void SetUp() override {
        SoftOption::SetUp();
        ASSERT_EQ(run({"soft", "add", "rxe", "eth0"}), 0) << err();
        says("ip -json address",
             R"([{"ifname":"eth0","mtu":1500,"flags":["UP"],"addr_info":[{"family":"inet",)"
             R"("local":"10.0.0.5","prefixlen":24,"scope":"global"}]}])");
        says("rdma -j resource show pd",
             R"([{"ifname":"rxe0","pdn":1,"users":2,"comm":"ib_core"},)"
             R"({"ifname":"rxe0","pdn":2,"users":9,"comm":"causeway"},)"
             R"({"ifname":"rxe1","pdn":1,"users":1,"pid":7,"comm":"rping"}])");
        silent.device = "rxe0";
        silent.address = 1;
        silent.route = 1;
        paths.answers["10.0.0.5:1"] = silent;
        rdma.log.clear();
    }

    void says(const std::string &command, const std::string &text) {
        processes.acts[command] = [text] {
            ProcessEnd end;
            end.out = text;
            return end;
        };
    }
    bool renewed() const {
        return rdma.log == std::vector<std::string>{"remove rxe0", "add rxe rxe0 eth0"};
    }

    PathTry silent;
};

TEST_F(SilentDevice, is_made_anew_without_a_user) {
    EXPECT_EQ(run({"soft", "renew", "eth0", "--unattended"}), 0) << err();
    EXPECT_EQ(out(), "rxe0 on eth0 was made anew\n");
    EXPECT_TRUE(renewed());
}

TEST_F(SilentDevice, is_left_alone_while_it_answers) {
    silent.answer = 1;
    paths.answers["10.0.0.5:1"] = silent;
    EXPECT_EQ(run({"soft", "renew", "eth0", "--unattended"}), 0) << err();
    EXPECT_EQ(out(), "rxe0 takes connections: nothing to do\n");
    EXPECT_TRUE(rdma.log.empty());
}

TEST_F(SilentDevice, of_another_creator_is_left_alone) {
    fs::remove(unit());
    EXPECT_EQ(run({"soft", "renew", "eth0", "--unattended"}), 0) << err();
    EXPECT_EQ(out(), "rxe0 was not made by Causeway: nothing to do\n");
    EXPECT_EQ(run({"soft", "renew", "eth1", "--unattended"}), 0) << err();
    EXPECT_TRUE(rdma.log.empty());
}

TEST_F(SilentDevice, is_left_alone_without_an_address) {
    says("ip -json address", R"([{"ifname":"eth0","mtu":1500,"flags":[],"addr_info":[]}])");
    EXPECT_EQ(run({"soft", "renew", "eth0", "--unattended"}), 0) << err();
    EXPECT_EQ(out(), "rxe0 has no address at which it could answer: nothing to do\n");
    EXPECT_TRUE(rdma.log.empty());
}

TEST_F(SilentDevice, that_others_use_is_not_taken_from_them) {
    says("rdma -j resource show pd", R"([{"ifname":"rxe0","pdn":2,"users":3,"comm":"nvme_rdma"}])");
    EXPECT_EQ(run({"soft", "renew", "eth0", "--unattended"}), 75);
    EXPECT_NE(err().find("the kernel module nvme_rdma uses it"), std::string::npos) << err();
    EXPECT_TRUE(rdma.log.empty());
    // An administrator can still renew it, unless the removal would not end.
    EXPECT_EQ(run({"soft", "renew", "rxe0", "--force"}), 0) << err();
    EXPECT_TRUE(renewed());
    rdma.log.clear();
    says("rdma -j resource show ctx", R"([{"ifname":"rxe0","ctxn":0,"pid":12,"comm":"rping"}])");
    EXPECT_EQ(run({"soft", "renew", "rxe0"}), 75);
    EXPECT_NE(err().find("rping (process 12) uses it"), std::string::npos) << err();
    EXPECT_EQ(run({"soft", "remove", "rxe0"}), 75);
    EXPECT_NE(err().find("rxe0 cannot be removed now: rping (process 12) uses it"),
              std::string::npos)
        << err();
    EXPECT_EQ(run({"undo", "--last"}), 75);
    EXPECT_NE(err().find("rping (process 12) uses it; nothing is undone"), std::string::npos)
        << err();
    EXPECT_TRUE(rdma.log.empty());
}

TEST_F(SilentDevice, is_in_use_where_the_answer_is_of_another_rdma) {
    says("rdma -j resource show pd",
         R"([{"ifname":7},{"ifname":"rxe0","pid":"12","users":"3","comm":7}])");
    EXPECT_EQ(run({"soft", "renew", "eth0", "--unattended"}), 75);
    EXPECT_TRUE(rdma.log.empty());
}

TEST_F(SilentDevice, is_left_alone_while_its_users_are_unknown) {
    processes.acts["rdma -j resource show pd"] = [] { return FakeProcesses::failure("no", 1); };
    EXPECT_EQ(run({"soft", "renew", "eth0", "--unattended"}), 69);
    EXPECT_TRUE(rdma.log.empty());
}

} // namespace
} // namespace causeway
