// SPDX-License-Identifier: GPL-2.0-or-later
// Tests that a verb leaves what others use: ports, software devices, kernel modules, and targets
// that have a session already.
#include "host/rdma_devices.h"
#include "stock_fixture.h"

namespace causeway {
namespace {

namespace fs = std::filesystem;

/* ---- port type ---- */

// A ConnectX-3 with two ports: ib0 on the first, eth4 on the second.
class AdapterInUse : public CommandTest {
  protected:
    void SetUp() override {
        for (const char *port : {"1", "2"}) {
            const std::string start = std::string("ports/") + port + "/";
            rdma.put("mlx4_0", start + "link_layer", port[0] == '1' ? "InfiniBand" : "Ethernet");
            rdma.put("mlx4_0", start + "phys_state", "5: LinkUp");
        }
        rdma.put("mlx4_0", "node_type", "1: CA");
        rdma.put("mlx4_0", "node_guid", "0002:c903:0010:1200");
        rdma.put("mlx4_0", "device/uevent", "DRIVER=mlx4_core\nPCI_SLOT_NAME=0000:03:00.0");
        rdma.put("mlx4_0", "device/mlx4_port1", "ib");
        rdma.put("mlx4_0", "device/mlx4_port2", "eth");
        rdma.put("mlx4_0", "device/net/ib0/mtu", "2044");
        rdma.put("mlx4_0", "device/net/eth4/mtu", "1500");
        for (const auto &[name, address] :
             {std::pair("ib0", "10.0.0.1"), std::pair("eth4", "10.4.0.1")}) {
            const std::string text = address;
            files.content[std::string("/sys/class/net/") + name + "/type"] = "1\n";
            processes.acts[std::string("ip -json address show dev ") + name] = [text] {
                ProcessEnd end;
                end.out = R"([{"addr_info":[{"family":"inet","local":")" + text +
                          R"(","prefixlen":24,"scope":"global"}]}])";
                return end;
            };
        }
        users(R"([{"ifname":"mlx4_0","pdn":1,"users":2,"comm":"ib_core"},)"
              R"({"ifname":"mlx4_0","pdn":2,"users":2,"comm":"ib_ipoib"}])");
    }

    void users(const std::string &text) {
        processes.acts["rdma -j resource show pd"] = [text] {
            ProcessEnd end;
            end.out = text;
            return end;
        };
    }
    void session_over(const std::string &address) {
        std::string text = "SSH_CONNECTION=192.0.2.9 51000 " + address + " 22";
        text += '\0';
        write_file(root / "proc/self/environ", text);
    }
    std::string type(const char *port) {
        return sysfs_text(files,
                          std::string("/sys/class/infiniband/mlx4_0/device/mlx4_port") + port);
    }
    bool says(const std::string &text) const { return err().find(text) != std::string::npos; }
};

TEST_F(AdapterInUse, a_type_waits_for_a_session_over_either_port) {
    session_over("10.4.0.1");
    auto told = json({"port", "type", "mlx4_0/1", "eth", "--dry-run"});
    EXPECT_EQ(status, 0) << err();
    ASSERT_TRUE(told.contains("confirm")) << told;
    EXPECT_EQ(told["confirm"]["interface"], "eth4");
    told = json({"port", "type", "mlx4_0/1", "eth", "--dry-run", "--confirmed"});
    EXPECT_FALSE(told.contains("confirm")) << told;
    ASSERT_EQ(run({"port", "type", "mlx4_0/1", "eth", "--confirmed"}), 0) << err();
    EXPECT_EQ(type("1"), "eth");
    told = json({"port", "unset", "mlx4_0/1", "--dry-run"});
    EXPECT_EQ(told["confirm"]["interface"], "eth4") << told;
    told = json({"undo", "--last", "--dry-run"});
    EXPECT_EQ(told["confirm"]["interface"], "eth4") << told;
    session_over("10.9.0.1");
    EXPECT_FALSE(json({"undo", "--last", "--dry-run"}).contains("confirm"));
}

TEST_F(AdapterInUse, a_type_set_by_devlink_is_guarded_at_undo_too) {
    files.content.erase("/sys/class/infiniband/mlx4_0/device/mlx4_port1");
    processes.acts["devlink port show pci/0000:03:00.0/1"] = [] {
        ProcessEnd end;
        end.out = "pci/0000:03:00.0/1: type ib ibdev mlx4_0\n";
        return end;
    };
    ASSERT_EQ(run({"port", "type", "mlx4_0/1", "eth"}), 0) << err();
    session_over("10.0.0.1");
    EXPECT_EQ(json({"undo", "--last", "--dry-run"})["confirm"]["interface"], "ib0");
}

TEST_F(AdapterInUse, no_type_is_changed_under_a_disk_or_a_mount) {
    SessionInfo live;
    live.name = "scratch";
    live.device = "mlx4_0";
    live.device_port = 2;
    kernel.running_sessions.push_back(live);
    EXPECT_EQ(run({"port", "type", "mlx4_0/1", "eth"}), 75);
    EXPECT_TRUE(says("the disk 'scratch' is connected by mlx4_0")) << err();
    EXPECT_TRUE(says("--force")) << err();
    kernel.running_sessions.clear();
    NfsConnection mount;
    mount.device = "mlx4_0";
    mount.device_port = 1;
    kernel.running_nfs.push_back(mount);
    EXPECT_EQ(run({"port", "type", "mlx4_0/1", "eth"}), 75);
    EXPECT_TRUE(says("NFS is connected by mlx4_0")) << err();
    kernel.running_nfs.clear();
    users(R"([{"ifname":"mlx4_0","pdn":3,"users":9,"comm":"nvme_rdma"}])");
    EXPECT_EQ(run({"port", "type", "mlx4_0/1", "eth"}), 75);
    EXPECT_TRUE(says("the kernel module nvme_rdma")) << err();
    EXPECT_EQ(type("1"), "ib");
    EXPECT_FALSE(fs::exists(root / "etc"));
    EXPECT_EQ(run({"port", "type", "mlx4_0/1", "eth", "--force"}), 0) << err();
    EXPECT_EQ(type("1"), "eth");
    EXPECT_EQ(run({"port", "unset", "mlx4_0/1"}), 75);
    users("[]");
    EXPECT_EQ(run({"port", "unset", "mlx4_0/1"}), 0) << err();
    EXPECT_EQ(type("1"), "ib");
}

/* ---- undo of modules ---- */

TEST_F(AdapterInUse, a_module_with_an_interface_that_is_up_stays_loaded) {
    files.add_ipoib("ib0", "0xffff");
    for (const char *module : {"ib_ipoib", "mlx4_ib", "mlx4_en"}) {
        files.content["/sys/class/net/ib0/flags"] = "0x1003\n";
        files.content["/sys/class/net/eth4/flags"] = "0x1003\n";
        files.content["/sys/class/net/ib0/device/uevent"] = "DRIVER=mlx4_core\n";
        files.content["/sys/class/net/eth4/device/uevent"] = "DRIVER=mlx4_core\n";
        ASSERT_EQ(run({"modules", "enable", module}), 0) << err();
        ASSERT_EQ(run({"undo", "--last"}), 0) << err();
        EXPECT_TRUE(modules.loaded(module)) << module;
        EXPECT_TRUE(says(std::string("kernel module ") + module + " stays: ")) << err();
        EXPECT_TRUE(says(" is up")) << err();
        modules.there.erase(module);
        ASSERT_EQ(run({"modules", "enable", module}), 0) << err();
        files.content["/sys/class/net/ib0/flags"] = "0x1002\n";
        files.content["/sys/class/net/eth4/flags"] = "0x1002\n";
        ASSERT_EQ(run({"undo", "--last"}), 0) << err();
        EXPECT_FALSE(modules.loaded(module)) << module;
    }
}

/* ---- software devices ---- */

class SoftDeviceInUse : public CommandTest {
  protected:
    void SetUp() override {
        files.content["/sys/class/net/eth0/type"] = "1\n";
        fs::create_directories(root / "run/systemd/system");
        ASSERT_EQ(run({"soft", "add", "rxe", "eth0"}), 0) << err();
        rdma.log.clear();
        used_by("nvme_rdma");
    }

    void used_by(const std::string &module) {
        processes.acts["rdma -j resource show pd"] = [module] {
            ProcessEnd end;
            end.out = R"([{"ifname":"rxe0","pdn":2,"users":3,"comm":")" + module + "\"}]";
            return end;
        };
    }
    fs::path unit() const { return root / "etc/systemd/system/causeway-soft@eth0.service"; }
    bool says(const std::string &text) const { return err().find(text) != std::string::npos; }
};

TEST_F(SoftDeviceInUse, is_not_removed_under_a_disk_of_another_module) {
    for (const std::vector<std::string> &words :
         {std::vector<std::string>{"soft", "remove", "rxe0"}, {"soft", "renew", "rxe0"}}) {
        EXPECT_EQ(run(words), 75);
        EXPECT_TRUE(says("the kernel module nvme_rdma uses it")) << err();
        EXPECT_TRUE(says("--force")) << err();
    }
    EXPECT_EQ(run({"undo", "--last"}), 75);
    EXPECT_TRUE(says("the kernel module nvme_rdma uses it")) << err();
    EXPECT_TRUE(rdma.log.empty());
    EXPECT_EQ(run({"soft", "renew", "rxe0", "--force"}), 0) << err();
    EXPECT_EQ(run({"soft", "remove", "rxe0", "--force"}), 0) << err();
    EXPECT_EQ(rdma.log.back(), "remove rxe0");
}

TEST_F(SoftDeviceInUse, is_not_removed_while_its_users_are_unknown) {
    processes.acts["rdma -j resource show pd"] = [] { return FakeProcesses::failure("no", 1); };
    for (const std::vector<std::string> &words :
         {std::vector<std::string>{"soft", "remove", "rxe0"}, {"soft", "renew", "rxe0"}}) {
        EXPECT_EQ(run(words), 69);
        EXPECT_TRUE(says("cannot see who uses rxe0")) << err();
        EXPECT_TRUE(says("--force")) << err();
    }
    EXPECT_TRUE(rdma.log.empty());
    EXPECT_EQ(run({"soft", "remove", "rxe0", "--force"}), 0) << err();
}

// The kernel would wait for the program, whatever the administrator accepts to lose.
TEST_F(SoftDeviceInUse, is_not_removed_by_force_under_a_program) {
    processes.acts["rdma -j resource show ctx"] = [] {
        ProcessEnd end;
        end.out = R"([{"ifname":"rxe0","ctxn":0,"pid":12,"comm":"rping"}])";
        return end;
    };
    EXPECT_EQ(run({"soft", "remove", "rxe0", "--force"}), 75);
    EXPECT_TRUE(says("rping (process 12) uses it")) << err();
    EXPECT_TRUE(rdma.log.empty());
}

TEST_F(SoftDeviceInUse, keeps_its_unit_when_another_type_is_added) {
    EXPECT_EQ(run({"soft", "add", "siw", "eth0"}), 1);
    EXPECT_TRUE(says("adds the rxe device rxe0 on eth0 at boot")) << err();
    EXPECT_TRUE(rdma.log.empty());
    EXPECT_NE(read_file(unit()).find("soft add rxe eth0 --name rxe0"), std::string::npos);
    EXPECT_EQ(run({"soft", "add", "siw", "eth0", "--no-persist"}), 0) << err();
    EXPECT_NE(read_file(unit()).find("soft add rxe eth0 --name rxe0"), std::string::npos);
    processes.acts["rdma -j resource show pd"] = [] { return ProcessEnd{}; };
    EXPECT_EQ(run({"soft", "remove", "siw0"}), 0) << err();
    EXPECT_NE(read_file(unit()).find("soft add rxe eth0 --name rxe0"), std::string::npos);
}

TEST_F(SoftDeviceInUse, has_its_unit_removed_by_its_name_when_it_is_gone) {
    ASSERT_TRUE(rdma.remove("rxe0"));
    EXPECT_EQ(run({"soft", "remove", "rxe0"}), 0) << err();
    EXPECT_FALSE(fs::exists(unit()));
    EXPECT_TRUE(json({"soft", "list"})["devices"].empty());
}

/* ---- targets with a session ---- */

class TargetInUse : public Stock {
  protected:
    bool says(const std::string &text) const { return err().find(text) != std::string::npos; }
    void logged_in() {
        put("/sys/class/iscsi_session/session7/targetname", iqn);
        put("/sys/class/iscsi_session/session7/state", "LOGGED_IN");
    }
};

TEST_F(TargetInUse, a_session_of_an_administrator_is_not_taken_over) {
    offer_iscsi();
    logged_in();
    for (const bool named : {false, true}) {
        std::vector<std::string> words = {"attach", "storage1/scratch", "--via", "iscsi"};
        if (named) {
            words.insert(words.end(), {"--target", iqn});
        }
        EXPECT_EQ(run(words), 1) << named;
        EXPECT_TRUE(says(iqn + " has a session already, session7")) << err();
        EXPECT_FALSE(says("meanwhile")) << err();
    }
    EXPECT_FALSE(processes.ran("iscsiadm -m node -T"));
    EXPECT_FALSE(fs::exists(root / "etc"));
}

TEST_F(TargetInUse, the_attachment_that_has_the_session_is_named) {
    resolver.names["other"] = {"10.0.0.1"};
    offer_iscsi();
    ASSERT_EQ(run({"attach", "storage1/scratch", "--via", "iscsi"}), 0) << err();
    EXPECT_EQ(run({"attach", "other/disk", "--via", "iscsi", "--target", iqn}), 1);
    EXPECT_TRUE(says("it is the disk storage1/scratch")) << err();
    EXPECT_EQ(json({"list"})["stock"].size(), 1U);
}

TEST_F(TargetInUse, a_record_of_an_administrator_is_neither_changed_nor_deleted) {
    offer_iscsi();
    processes.acts["iscsiadm -m node -o show"] = [] { return ProcessEnd{}; };
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "iscsi"}), 1);
    EXPECT_TRUE(says("open-iscsi has a record of " + iqn + " at 10.0.0.1:3260")) << err();
    EXPECT_FALSE(processes.ran("iscsiadm -m node -T"));
    // A record that an attachment of the last boot left is its own.
    write_file(attachment(),
               "[stock-attachment]\nserver = storage1\nname = scratch\nvia = iscsi\n");
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "iscsi"}), 0) << err();
}

} // namespace
} // namespace causeway
