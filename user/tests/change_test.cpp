// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of change sets, the journal and undo, directly and through the verbs, on a host in memory.
#include "base/diff.h"
#include "change/carry_out.h"
#include "fixture.h"

#include <cerrno>

namespace causeway {
namespace {

namespace fs = std::filesystem;

constexpr const char *header =
    "# Written by \"causeway limits set\"; \"causeway undo\" takes it back.\n";

TEST(DropinChange, shows_the_removal_of_a_file_that_cannot_be_read) {
    const auto change = change_dropin("/etc/x.conf", FileState{}, FileState{}, DropinWay{});
    EXPECT_EQ(change->show(Direction::forward), "would remove /etc/x.conf, which cannot be read\n");
    EXPECT_TRUE(change->shows(Direction::forward));
    EXPECT_FALSE(change->shows(Direction::back));
}

TEST(UnifiedDiff, is_what_patch_reads) {
    EXPECT_EQ(unified_diff("/f", "a\n", "a\n"), "");
    EXPECT_EQ(unified_diff("/f", std::nullopt, "a\nb\n"),
              "--- /dev/null\n+++ /f\n@@ -0,0 +1,2 @@\n+a\n+b\n");
    EXPECT_EQ(unified_diff("/f", "a\n", std::nullopt),
              "--- /f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
    EXPECT_EQ(unified_diff("/f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
              "--- /f\n+++ /f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
    EXPECT_EQ(unified_diff("/f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n"),
              "--- /f\n+++ /f\n@@ -1,4 +1,4 @@\n-1\n+one\n 2\n 3\n 4\n"
              "@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+nine\n");
    EXPECT_EQ(unified_diff("/f", "a\n", "a"),
              "--- /f\n+++ /f\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n");
}

class HostChange : public CommandTest {
  protected:
    void SetUp() override {
        net("eth0", "1", "52:54:00:00:00:01");
        net("lo", "772", "00:00:00:00:00:00");
    }

    void net(const std::string &name, const std::string &type, const std::string &address) {
        const std::string folder = "/sys/class/net/" + name + "/";
        files.content[folder + "type"] = type + "\n";
        files.content[folder + "address"] = address + "\n";
        files.content[folder + "flags"] = "0x1002\n";
        files.content[folder + "mtu"] = "1500\n";
    }

    // Behaves like the kernel: a change of the mode changes the MTU, and datagram mode takes no
    // large MTU.
    void ipoib(const std::string &mode, const std::string &mtu, const std::string &first = "80") {
        net("ib0", "32", first + ":00:02:08:fe:80:00:00:00:00:00:00:00:02:c9:03:00:10:12:34");
        const std::string folder = "/sys/class/net/ib0/";
        files.content[folder + "mode"] = mode + "\n";
        files.content[folder + "mtu"] = mtu + "\n";
        files.content[folder + "pkey"] = "0xffff\n";
        files.on_write[folder + "mode"] = [this, folder](const std::string &text) -> Result<void> {
            files.content[folder + "mode"] = text;
            const bool connected = text == "connected\n";
            files.content[folder + "mtu"] = connected ? "65520\n" : "2044\n";
            return {};
        };
        files.on_write[folder + "mtu"] = [this, folder](const std::string &text) -> Result<void> {
            if (std::stoi(text) > 4092 && files.content[folder + "mode"] != "connected\n") {
                return Error{ExitCode::failed, "cannot write: Invalid argument", "", EINVAL};
            }
            files.content[folder + "mtu"] = text;
            return {};
        };
    }

    std::string value(const std::string &name) {
        return files.content["/sys/class/net/ib0/" + name];
    }
    fs::path memlock() const { return root / "etc/security/limits.d/causeway-memlock.conf"; }
    fs::path entry(const std::string &number) const {
        return root / ("var/lib/causeway/journal/" + number + ".json");
    }
    fs::path soft_unit() const { return root / "etc/systemd/system/causeway-soft@eth0.service"; }
    fs::path soft_want() const {
        return root / "etc/systemd/system/multi-user.target.wants/causeway-soft@eth0.service";
    }
    void boot_systemd() { fs::create_directories(root / "run/systemd/system"); }
};

/* ---- limits ---- */

TEST_F(HostChange, limits_are_shown_set_once_and_taken_back) {
    EXPECT_EQ(run({"limits", "set", "--dry-run"}), 0) << err();
    EXPECT_EQ(out(), "--- /dev/null\n+++ " + memlock().string() + "\n@@ -0,0 +1,2 @@\n+" + header +
                         "+@rdma - memlock unlimited\n");
    EXPECT_FALSE(fs::exists(root / "etc"));
    EXPECT_FALSE(fs::exists(root / "var"));

    EXPECT_EQ(run({"limits", "set"}), 0) << err();
    EXPECT_EQ(read_file(memlock()), std::string(header) + "@rdma - memlock unlimited\n");
    EXPECT_EQ(mode_of(memlock()), 0644U);
    EXPECT_EQ(mode_of(entry("000001")), 0600U);
    EXPECT_EQ(run({"limits", "set"}), 0);
    EXPECT_EQ(out(), "nothing to do: the limit is unlimited already\n");
    EXPECT_FALSE(fs::exists(entry("000002")));

    EXPECT_EQ(run({"limits", "set", "4G", "--for", "*", "alice"}), 0) << err();
    EXPECT_EQ(read_file(memlock()), std::string(header) +
                                        "@rdma - memlock unlimited\n* - memlock 4194304\n"
                                        "alice - memlock 4194304\n");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(read_file(memlock()), std::string(header) + "@rdma - memlock unlimited\n");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_FALSE(fs::exists(memlock()));
    EXPECT_EQ(run({"undo", "--last"}), 0);
    EXPECT_EQ(out(), "nothing to undo: the journal has no change that is not undone already\n");
}

TEST_F(HostChange, the_last_is_undone_where_none_is_named) {
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(out(), "nothing to undo: the journal has no change that is not undone already\n");
    EXPECT_EQ(run({"limits", "set"}), 0) << err();
    EXPECT_EQ(run({"limits", "set", "4G"}), 0) << err();
    EXPECT_EQ(run({"undo", "1", "--last"}), 64);
    EXPECT_EQ(run({"undo", "--dry-run"}), 0) << err();
    EXPECT_EQ(read_file(memlock()), std::string(header) + "@rdma - memlock 4194304\n");
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(read_file(memlock()), std::string(header) + "@rdma - memlock unlimited\n");
    EXPECT_EQ(json({"undo"})["journal"], 1);
    EXPECT_FALSE(fs::exists(memlock()));
}

TEST_F(HostChange, limits_of_services_are_drop_ins) {
    boot_systemd();
    EXPECT_EQ(run({"limits", "set", "1G", "--service", "nfs-server.service"}), 0) << err();
    const fs::path dropin = root / "etc/systemd/system/nfs-server.service.d/causeway-memlock.conf";
    EXPECT_EQ(read_file(dropin), std::string(header) + "[Service]\nLimitMEMLOCK=1048576K\n");
    EXPECT_FALSE(fs::exists(memlock()));
    EXPECT_EQ(processes.log, (std::vector<std::string>{"systemctl cat nfs-server.service",
                                                       "systemctl daemon-reload"}));
    EXPECT_EQ(run({"undo", "1"}), 0) << err();
    EXPECT_FALSE(fs::exists(dropin));
    EXPECT_EQ(processes.count("systemctl daemon-reload"), 2U);
    processes.acts["systemctl cat nosuch.service"] = [] {
        return FakeProcesses::failure("No files found for nosuch.service.", 1);
    };
    EXPECT_EQ(run({"limits", "set", "1G", "--service", "nfs-server", "nosuch"}), 69);
    EXPECT_NE(err().find("there is no service nosuch\n  see which there are: systemctl "),
              std::string::npos)
        << err();
    EXPECT_FALSE(fs::exists(dropin));
}

TEST_F(HostChange, limits_refuse_what_cannot_be) {
    EXPECT_EQ(run({"limits", "set", "much"}), 64);
    EXPECT_NE(err().find("give unlimited or a size such as 4G"), std::string::npos) << err();
    EXPECT_EQ(run({"limits", "set", "--for", "a b"}), 64);
    EXPECT_NE(err().find("'a b' is not the name of a user or group"), std::string::npos) << err();
    processes.acts["getent group rdma"] = [] { return FakeProcesses::failure("", 2); };
    EXPECT_EQ(run({"limits", "set"}), 69);
    EXPECT_NE(err().find("there is no group rdma\n  make it with \"groupadd -r rdma\""),
              std::string::npos)
        << err();
    write_file(memlock(), "# somebody's own\n");
    EXPECT_EQ(run({"limits", "set", "--for", "*"}), 78);
    EXPECT_NE(err().find("was not written by causeway"), std::string::npos) << err();
    EXPECT_EQ(read_file(memlock()), "# somebody's own\n");
    EXPECT_FALSE(fs::exists(root / "var"));
}

/* ---- undo ---- */

TEST_F(HostChange, undo_refuses_what_another_program_has_changed) {
    run({"limits", "set"});
    const std::string ours = read_file(memlock());
    write_file(memlock(), ours + "# mine\n");
    EXPECT_EQ(run({"undo", "--last"}), 1);
    EXPECT_NE(err().find(memlock().string() + " was changed since by another program; nothing is "
                                              "undone"),
              std::string::npos)
        << err();
    EXPECT_EQ(read_file(memlock()), ours + "# mine\n");
    write_file(memlock(), ours);
    fs::permissions(memlock(), fs::perms::owner_read);
    EXPECT_EQ(run({"undo", "--last"}), 1);
    write_file(memlock(), ours);
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
}

TEST_F(HostChange, undo_names_the_later_change_that_is_in_its_way) {
    run({"limits", "set"});
    run({"limits", "set", "1G"});
    EXPECT_EQ(run({"undo", "1"}), 1);
    EXPECT_NE(err().find("undo what came later first: causeway undo 2"), std::string::npos)
        << err();
    EXPECT_EQ(run({"undo", "--dry-run"}), 0);
    EXPECT_NE(out().find("-@rdma - memlock 1048576\n+@rdma - memlock unlimited\n"),
              std::string::npos)
        << out();
    EXPECT_EQ(run({"undo", "2"}), 0) << err();
    EXPECT_EQ(run({"undo", "2"}), 0);
    EXPECT_EQ(out(), "nothing to undo: 2 (limits set 1G) is undone already\n");
    EXPECT_EQ(run({"undo", "1"}), 0) << err();
    EXPECT_EQ(run({"undo", "7"}), 69);
    const auto told = json({"undo", "--list"});
    EXPECT_EQ(told["journal"].size(), 2U);
    EXPECT_EQ(told["journal"][0]["title"], "limits set unlimited");
    EXPECT_EQ(told["journal"][1]["state"], "undone");
}

TEST_F(HostChange, undo_gives_back_bytes_that_are_no_text) {
    const std::string before = std::string(header) + "caf\xe9 - memlock 1\n\n";
    write_file(memlock(), before, 0640);
    EXPECT_EQ(run({"limits", "set"}), 0) << err();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(read_file(memlock()), before);
    EXPECT_EQ(mode_of(memlock()), 0640U);
}

TEST_F(HostChange, a_damaged_journal_is_said_to_be) {
    write_file(entry("000001"), "{\"schema\": 1, \"time\": 3}");
    EXPECT_EQ(run({"undo", "--last"}), 78);
    EXPECT_NE(err().find("000001.json is damaged"), std::string::npos) << err();
}

/* ---- soft ---- */

TEST_F(HostChange, a_soft_device_is_made_lasts_and_is_taken_back) {
    boot_systemd();
    EXPECT_EQ(run({"soft", "add", "rxe", "eth0", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("modules\n+rdma_rxe\nnetlink newlink\n+rxe rxe0 on eth0\n"),
              std::string::npos)
        << out();
    EXPECT_TRUE(rdma.log.empty());
    EXPECT_FALSE(fs::exists(soft_unit()));

    const auto told = json({"soft", "add", "rxe", "eth0"});
    EXPECT_EQ(status, 0);
    EXPECT_EQ(told["device"], "rxe0");
    EXPECT_EQ(told["journal"], 1);
    EXPECT_EQ(rdma.log, (std::vector<std::string>{"add rxe rxe0 eth0"}));
    EXPECT_TRUE(modules.loaded("rdma_rxe"));
    EXPECT_EQ(fs::read_symlink(soft_want()), soft_unit());
    const std::string unit = read_file(soft_unit());
    // A mount is ordered after causeway.service and must not wait for a missing network device.
    EXPECT_EQ(unit.find("Before=causeway.service"), std::string::npos);
    EXPECT_NE(unit.find("ConditionFileIsExecutable=/usr/sbin/causeway\n"), std::string::npos);
    EXPECT_NE(unit.find("BindsTo=sys-subsystem-net-devices-eth0.device\n"), std::string::npos);
    EXPECT_NE(unit.find("ExecStart=/usr/sbin/causeway soft add rxe eth0 --name rxe0 --at-boot\n"),
              std::string::npos);
    EXPECT_EQ(run({"soft", "add", "rxe", "eth0"}), 0);
    EXPECT_EQ(out(), "nothing to do: eth0 has the rxe device rxe0 already\n");

    // The unit runs this after a reboot. It makes no new entry in the journal.
    ASSERT_TRUE(rdma.remove("rxe0"));
    EXPECT_EQ(run({"soft", "add", "rxe", "eth0", "--name", "rxe0", "--at-boot"}), 0) << err();
    EXPECT_FALSE(fs::exists(entry("000002")));

    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(rdma.log.back(), "remove rxe0");
    EXPECT_FALSE(modules.loaded("rdma_rxe"));
    EXPECT_FALSE(fs::exists(soft_unit()));
    EXPECT_FALSE(fs::is_symlink(soft_want()));
}

TEST_F(HostChange, a_refused_change_takes_those_before_it_back) {
    boot_systemd();
    rdma.refuse = Error{ExitCode::failed, "cannot add the rxe device rxe0 to eth0: No such device"};
    EXPECT_EQ(run({"soft", "add", "rxe", "eth0"}), 1);
    EXPECT_NE(err().find("No such device"), std::string::npos);
    EXPECT_FALSE(modules.loaded("rdma_rxe"));
    EXPECT_FALSE(fs::exists(soft_unit()));
    EXPECT_FALSE(fs::is_symlink(soft_want()));
    EXPECT_FALSE(fs::exists(entry("000001")));
}

TEST_F(HostChange, goes_on_where_udev_was_faster_with_a_module) {
    World world = this->world(false);
    ChangeSet set("soft add rxe eth0");
    set.load(world, "rdma_cm");
    ASSERT_FALSE(set.empty());
    modules.there.insert("rdma_cm");
    const auto done = carry_out(world, {}, set, "");
    ASSERT_TRUE(done);
    EXPECT_EQ(done->text.find("loaded the kernel module"), std::string::npos) << done->text;
    EXPECT_TRUE(modules.loaded("rdma_cm"));
    // Another program loaded the module, so undo does not unload it.
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(modules.loaded("rdma_cm"));
}

TEST_F(HostChange, stops_where_another_program_was_faster_with_a_file) {
    World world = this->world(false);
    ChangeSet set("limits set unlimited");
    ASSERT_TRUE(set.write(memlock(), std::string(header) + "a\n"));
    write_file(memlock(), std::string(header) + "a\n");
    const auto done = carry_out(world, {}, set, "");
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ExitCode::try_again);
    EXPECT_EQ(done.error().what, memlock().string() + " was changed meanwhile");
}

TEST_F(HostChange, a_soft_device_is_removed_and_comes_back_by_undo) {
    boot_systemd();
    run({"soft", "add", "rxe", "eth0", "--name", "soft.0"});
    const std::string unit = read_file(soft_unit());
    EXPECT_EQ(run({"soft", "remove", "soft.0"}), 0) << err();
    EXPECT_FALSE(fs::exists(soft_unit()));
    EXPECT_EQ(run({"soft", "remove", "soft.0"}), 0);
    EXPECT_EQ(out(), "nothing to do: there is no software device soft.0\n");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(rdma.log.back(), "add rxe soft.0 eth0");
    EXPECT_EQ(read_file(soft_unit()), unit);
    modules.busy.insert("rdma_rxe");
    EXPECT_EQ(run({"undo", "1"}), 0);
    EXPECT_NE(err().find("kernel module rdma_rxe stays"), std::string::npos) << err();
}

TEST_F(HostChange, soft_refuses_what_cannot_be) {
    EXPECT_EQ(run({"soft", "add", "rex", "eth0"}), 64);
    EXPECT_EQ(run({"soft", "add", "rxe", "eth00"}), 69);
    EXPECT_NE(err().find("did you mean eth0?"), std::string::npos) << err();
    EXPECT_EQ(run({"soft", "add", "rxe", "eth0", "--name", "a/b"}), 64);
    ipoib("datagram", "2044");
    EXPECT_EQ(run({"soft", "add", "rxe", "ib0"}), 64);
    rdma.put("mlx5_0", "node_type", "1: CA");
    rdma.put("mlx5_0", "device/vendor", "0x15b3");
    EXPECT_EQ(run({"soft", "add", "rxe", "eth0", "--name", "mlx5_0"}), 64);
    EXPECT_EQ(run({"soft", "remove", "mlx5_0"}), 64);
    EXPECT_EQ(run({"soft", "add", "rxe", "eth0"}), 0);
    EXPECT_NE(err().find("nothing brings the device back after a reboot"), std::string::npos);
    EXPECT_TRUE(processes.log.empty());
}

/* ---- ipoib ---- */

TEST_F(HostChange, ipoib_mode_and_the_mtu_that_it_moves_are_taken_back) {
    ipoib("connected", "60000");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mode", "datagram", "--dry-run"}), 0) << err();
    EXPECT_EQ(out(), "value /sys/class/net/ib0/mode\n-connected\n+datagram\n"
                     "value /sys/class/net/ib0/mtu\n-60000\n+as the kernel chooses\n");
    EXPECT_TRUE(files.writes.empty());
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mode", "datagram"}), 0) << err();
    EXPECT_EQ(value("mtu"), "2044\n");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mode", "datagram"}), 0);
    EXPECT_EQ(out(), "nothing to do: ib0 has this mode and MTU already\n");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(value("mode"), "connected\n");
    EXPECT_EQ(value("mtu"), "60000\n");

    ipoib("datagram", "1500");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mode", "connected", "--mtu", "65520"}), 0) << err();
    EXPECT_EQ(value("mtu"), "65520\n");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(value("mode"), "datagram\n");
    EXPECT_EQ(value("mtu"), "1500\n");
}

TEST_F(HostChange, ipoib_refuses_what_cannot_be) {
    ipoib("datagram", "2044", "00");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mode", "connected"}), 69);
    EXPECT_NE(err().find("enhanced IPoIB"), std::string::npos) << err();
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "9000"}), 64);
    EXPECT_NE(err().find("too large for datagram mode"), std::string::npos) << err();
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "65521"}), 64);
    EXPECT_EQ(run({"ipoib", "set", "ib0"}), 64);
    EXPECT_EQ(run({"ipoib", "set", "eth0", "--mtu", "2044"}), 69);
    EXPECT_NE(err().find("of IPoIB there are ib0"), std::string::npos) << err();
    EXPECT_TRUE(files.writes.empty());
    const auto told = json({"ipoib", "show"})["interfaces"][0];
    EXPECT_EQ(told["port_guid"], "00:02:c9:03:00:10:12:34");
    EXPECT_EQ(told["can_connect"], false);
}

/* ---- name ---- */

TEST_F(HostChange, a_name_is_a_rule_by_the_port_guid) {
    ipoib("datagram", "2044");
    EXPECT_EQ(run({"name", "set", "ib0", "store0"}), 0) << err();
    const fs::path rules = root / "etc/udev/rules.d/70-causeway-ipoib.rules";
    EXPECT_EQ(read_file(rules),
              "# Written by \"causeway name set\"; \"causeway undo\" takes it back.\n"
              "ACTION==\"add\", SUBSYSTEM==\"net\", DRIVERS==\"?*\", ATTR{type}==\"32\", "
              "ATTR{address}==\"?*00:02:c9:03:00:10:12:34\", NAME=\"store0\"\n");
    EXPECT_EQ(processes.log.back(), "ip link set dev ib0 name store0");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(processes.log.back(), "ip link set dev store0 name ib0");
    EXPECT_FALSE(fs::exists(rules));
    files.content["/sys/class/net/ib0/flags"] = "0x1003\n";
    EXPECT_EQ(run({"name", "set", "ib0", "store0"}), 0);
    EXPECT_NE(err().find("ib0 is up"), std::string::npos) << err();
    EXPECT_EQ(processes.count("ip link set"), 2U);
    EXPECT_EQ(run({"name", "set", "ib0", "eth0"}), 64);
    EXPECT_EQ(run({"name", "set", "ib0", "much-too-long-name"}), 64);
}

TEST_F(HostChange, a_name_is_taken_back_of_an_interface_that_is_up) {
    ipoib("datagram", "2044");
    EXPECT_EQ(run({"name", "set", "ib0", "store0"}), 0) << err();
    processes.acts["ip link set dev store0 name ib0"] = [] {
        return FakeProcesses::failure("RTNETLINK answers: Device or resource busy\n", 2);
    };
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_NE(err().find("\"ip link set dev store0 name ib0\" failed"), std::string::npos) << err();
    EXPECT_FALSE(fs::exists(root / "etc/udev/rules.d/70-causeway-ipoib.rules"));
}

TEST_F(HostChange, an_rdma_device_is_renamed_and_back) {
    rdma.put("mlx4_0", "node_type", "1: CA");
    rdma.put("mlx4_0", "node_guid", "0002:c903:0010:1234");
    rdma.put("mlx4_0", "device/vendor", "0x15b3");
    EXPECT_EQ(run({"name", "set", "mlx4_0", "store0", "--rdma"}), 0) << err();
    EXPECT_EQ(rdma.log, (std::vector<std::string>{"rename mlx4_0 store0"}));
    EXPECT_NE(read_file(root / "etc/udev/rules.d/59-causeway-rdma-names.rules")
                  .find("ATTR{node_guid}==\"0002:c903:0010:1234\", PROGRAM=\"rdma_rename %k "
                        "NAME_FIXED store0\"\n"),
              std::string::npos);
    EXPECT_EQ(run({"name", "set", "store0", "store0", "--rdma"}), 0);
    EXPECT_EQ(out(), "nothing to do: store0 has this name already, now and at boot\n");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(rdma.log.back(), "rename store0 mlx4_0");
    EXPECT_EQ(run({"name", "set", "mlx4_1", "x", "--rdma"}), 69);
}

/* ---- modules ---- */

TEST_F(HostChange, modules_are_enabled_by_systemd_or_by_rdma_core) {
    const fs::path plain = root / "etc/modules-load.d/causeway.conf";
    EXPECT_EQ(run({"modules", "enable", "ib-umad", "rdma_ucm"}), 0) << err();
    EXPECT_EQ(read_file(plain),
              "# Written by \"causeway modules enable\"; \"causeway undo\" takes it back.\n"
              "ib_umad\nrdma_ucm\n");
    EXPECT_TRUE(modules.loaded("ib_umad"));
    EXPECT_EQ(run({"modules", "enable", "rdma_ucm"}), 0);
    EXPECT_EQ(out(), "nothing to do: they are loaded, now and at boot\n");
    EXPECT_EQ(run({"modules", "disable", "ib_umad", "rdma_ucm"}), 0) << err();
    EXPECT_FALSE(fs::exists(plain));
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(fs::exists(plain));
    EXPECT_EQ(run({"undo", "1"}), 0) << err();
    EXPECT_FALSE(fs::exists(plain));
    EXPECT_FALSE(modules.loaded("ib_umad"));

    write_file(root / "lib/systemd/system/rdma-load-modules@.service", "");
    EXPECT_EQ(run({"modules", "enable", "ib_umad"}), 0) << err();
    const fs::path want =
        root / "etc/systemd/system/sysinit.target.wants/rdma-load-modules@causeway.service";
    EXPECT_TRUE(fs::exists(root / "etc/rdma/modules/causeway.conf"));
    EXPECT_EQ(fs::read_symlink(want), "/lib/systemd/system/rdma-load-modules@.service");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_FALSE(fs::is_symlink(want));
}

TEST_F(HostChange, modules_that_are_not_there_are_named) {
    processes.acts["modprobe --dry-run --quiet -- ib_umda"] = [] {
        return FakeProcesses::failure("", 1);
    };
    EXPECT_EQ(run({"modules", "enable", "ib_umda"}), 69);
    EXPECT_NE(err().find("this kernel has no module ib_umda\n  did you mean ib_umad?"),
              std::string::npos)
        << err();
    EXPECT_EQ(run({"modules", "enable", "../x"}), 64);
    EXPECT_FALSE(fs::exists(root / "etc"));
}

/* ---- show ---- */

TEST_F(HostChange, show_describes_devices_in_words) {
    EXPECT_EQ(run({"show"}), 0);
    EXPECT_NE(out().find("causeway soft add rxe DEV"), std::string::npos);
    ASSERT_TRUE(rdma.add("rxe", "rxe0", "eth0"));
    rdma.put("mlx5_0", "node_type", "1: CA");
    rdma.put("mlx5_0", "node_guid", "0002:c903:0010:1234");
    rdma.put("mlx5_0", "fw_ver", "16.35.3006");
    rdma.put("mlx5_0", "hca_type", "MT4119");
    rdma.put("mlx5_0", "ports/1/state", "2: INIT");
    rdma.put("mlx5_0", "ports/1/phys_state", "5: LinkUp");
    rdma.put("mlx5_0", "ports/1/rate", "100 Gb/sec (4X EDR)");
    rdma.put("mlx5_0", "ports/1/link_layer", "InfiniBand");
    rdma.put("mlx5_0", "ports/1/lid", "0x0");
    rdma.put("mlx5_0", "ports/1/sm_lid", "0x0");
    EXPECT_EQ(run({"show"}), 0);
    EXPECT_EQ(out(), "mlx5_0  MT4119, firmware 16.35.3006\n"
                     "  node GUID 0002:c903:0010:1234\n"
                     "  port 1  initialized: it waits for a subnet manager, 100 Gb/s, 4X EDR: "
                     "100 Gb/s of data\n"
                     "          LID 0x0, no subnet manager was seen\n"
                     "\n"
                     "rxe0  Soft-RoCE (rxe) on eth0\n"
                     "  node GUID 5054:00ff:fe00:0001\n"
                     "  port 1  active, 2.5 Gb/s\n"
                     "          GID 0  0000:0000:0000:0000:0000:ffff:0a00:0001  RoCE v2  eth0\n");
    const auto told = json({"show", "rxe0"})["devices"];
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0]["soft"], "rxe");
    EXPECT_EQ(told[0]["ports"][0]["gids"][0]["type"], "RoCE v2");
    EXPECT_EQ(run({"show", "rxe1"}), 69);
    EXPECT_NE(err().find("did you mean rxe0?"), std::string::npos) << err();
}

} // namespace
} // namespace causeway
