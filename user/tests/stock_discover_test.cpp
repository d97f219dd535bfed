// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of "discover --via" and of the parsers behind it, and of the connections to a target.
#include "base/durable_file.h"
#include "stock/discovery.h"
#include "stock/target.h"
#include "stock_fixture.h"

namespace causeway {
namespace {

using Targets = std::vector<OfferedTarget>;

TEST(StockDiscovery, reads_the_lines_of_iscsiadm) {
    const std::string &iqn = Stock::iqn;
    const Offer offer = parse_iscsi_discovery("10.0.0.1:3260,1 " + iqn + "\n[fd00::1]:3261,2 " +
                                              iqn + "\n10.0.0.1:3260,1 " + iqn + "\n");
    EXPECT_EQ(offer.targets, (Targets{{iqn, "", "10.0.0.1:3260"}, {iqn, "", "[fd00::1]:3261"}}));
    EXPECT_EQ(offer.names(), std::vector<std::string>{iqn});
    EXPECT_EQ(offer.left_out, 0U);
    for (const std::string &bad : std::vector<std::string>{
             "no portals found", "10.0.0.1:3260,1 " + iqn + " x", "10.0.0.1,1 " + iqn,
             "10.0.0.1:3260 " + iqn, "10.0.0.1:70000,1 " + iqn, "10.0.0.1:3260,x " + iqn,
             "10.0.0.1:3260,1 \x1b[2J", "10.0.0.1:3260,1 IQN.2003-01.org.x:a"}) {
        const Offer none = parse_iscsi_discovery(bad);
        EXPECT_TRUE(none.targets.empty()) << bad;
        EXPECT_EQ(none.left_out, 1U) << bad;
    }
}

TEST(StockDiscovery, reads_the_log_page_of_nvme) {
    const std::string own = "nqn.2014-08.org.nvmexpress.discovery";
    const auto offer =
        parse_nvme_discovery(R"({"records":[)" + Stock::nvme_record("rdma", Stock::nqn) + "," +
                             Stock::nvme_record("tcp  ", Stock::nqn) + "," +
                             Stock::nvme_record("tcp", own, "current discovery subsystem") + "," +
                             Stock::nvme_record("tcp", own, "discovery subsystem referral") + "]}");
    ASSERT_TRUE(offer);
    EXPECT_EQ(offer->targets, (Targets{{Stock::nqn, "rdma", "10.0.0.1:4420"},
                                       {Stock::nqn, "tcp", "10.0.0.1:4420"}}));
    EXPECT_EQ(offer->referrals, std::vector<std::string>{"10.0.0.1:4420"});
    EXPECT_EQ(offer->left_out, 0U);
    EXPECT_EQ(offer->names("fc").size(), 0U);
    for (const std::string bad : {"", "[]", "{\"records\":3}", "{", "Failed to open nvme0"}) {
        EXPECT_FALSE(parse_nvme_discovery(bad)) << bad;
    }
    EXPECT_TRUE(parse_nvme_discovery("No discovery log entries to fetch."));
    const auto broken = parse_nvme_discovery(
        R"({"records":[3,{"subnqn":7},)" + Stock::nvme_record("rdma", "nqn.x") + "," +
        Stock::nvme_record("rdma", R"(nqn.2026-01.org.\u001b[2J)") + "," +
        Stock::nvme_record(R"(\u001b)", Stock::nqn) + "," + R"({"trtype":"rdma","subnqn":")" +
        Stock::nqn + R"(","traddr":"server","trsvcid":"4420"}]})");
    ASSERT_TRUE(broken);
    EXPECT_TRUE(broken->targets.empty());
    EXPECT_EQ(broken->left_out, 6U);
}

TEST(StockDiscovery, reads_the_lines_of_ibsrpdm) {
    const std::string line = "id_ext=0002c90300101234,ioc_guid=0002c90300101235,dgid="
                             "fe800000000000000002c90300101236,pkey=ffff,service_id="
                             "0002c90300101234";
    const Offer offer = parse_srp_discovery(line + "\n");
    EXPECT_EQ(offer.targets, (Targets{{"0x0002c90300101235", "", "fe80::2:c903:10:1236", line}}));
    for (const std::string &bad :
         {line + ",x=1", line.substr(1), line.substr(0, line.size() - 1),
          "id_ext=0002C90300101234" + line.substr(23), line.substr(0, line.find(",pkey"))}) {
        EXPECT_EQ(parse_srp_discovery(bad).left_out, 1U) << bad;
    }
}

TEST(StockDiscovery, is_bounded) {
    std::string lines;
    for (int i = 0; i < 1030; i++) {
        lines += "10.0.0.1:3260,1 iqn.2003-01.org.x:" + std::to_string(i) + "\n";
    }
    const Offer offer = parse_iscsi_discovery(lines);
    EXPECT_EQ(offer.targets.size(), most_offered);
    EXPECT_EQ(offer.left_out, 6U);
}

TEST(StockClients, are_found_in_the_table_of_tcp) {
    // 10.0.0.1:4420 with 10.0.0.2 by IPv4, the same mapped by IPv6, and fd00::2 by IPv6.
    const std::string table =
        "  sl  local_address rem_address   st tx_queue rx_queue\n"
        "   0: 00000000:1144 00000000:0000 0A 00000000:00000000\n"
        "   1: 0100000A:1144 0200000A:9C40 01 00000000:00000000\n"
        "   2: 0100000A:1144 0300000A:9C40 06 00000000:00000000\n"
        "   3: 0100000A:1145 0400000A:9C40 01 00000000:00000000\n"
        "   4: 0000000000000000FFFF00000100000A:1144 0000000000000000FFFF00000500000A:9C40 01\n"
        "   5: 000000FD000000000000000001000000:1144 000000FD000000000000000002000000:9C40 01\n"
        "   6: 0100000A:1144 0200000:9C40 01\n   7: x\n";
    EXPECT_EQ(parse_tcp_clients(table, 4420),
              (std::vector<std::string>{"10.0.0.2", "10.0.0.5", "[fd00::2]"}));
    EXPECT_TRUE(parse_tcp_clients("", 4420).empty());
}

TEST_F(Stock, discover_lists_the_targets_of_a_server) {
    offer_iscsi();
    const auto told = json({"discover", "storage1", "--via", "iser"});
    EXPECT_EQ(status, 0) << err();
    ASSERT_EQ(told["targets"].size(), 2U);
    EXPECT_EQ(told["via"], "iser");
    EXPECT_EQ(told["targets"][0]["target"], iqn);
    EXPECT_EQ(told["targets"][0]["name"], "scratch");
    EXPECT_EQ(told["targets"][0]["portals"][0]["portal"], "10.0.0.1:3260");
    EXPECT_EQ(run({"discover", "storage1", "--via", "iscsi"}), 0) << err();
    EXPECT_NE(out().find("storage1/scratch"), std::string::npos) << out();
    EXPECT_TRUE(processes.ran("iscsiadm -m discovery -t sendtargets -p 10.0.0.1:3260"));

    // A subsystem that the server offers by another transport cannot be attached by NAME.
    processes.acts["nvme discover"] = [] {
        ProcessEnd end;
        end.out = R"({"records":[3,)" + nvme_record("tcp", nqn) + "," +
                  nvme_record("rdma", "nqn.2014-08.org.nvmexpress.discovery",
                              "discovery subsystem referral") +
                  "]}";
        return end;
    };
    const auto by_rdma = json({"discover", "storage1", "--via", "nvme"});
    EXPECT_EQ(by_rdma["targets"][0]["name"], nullptr);
    EXPECT_EQ(by_rdma["targets"][0]["portals"][0]["transport"], "tcp");
    EXPECT_EQ(by_rdma["referrals"][0], "10.0.0.1:4420");
    EXPECT_NE(by_rdma["warnings"][0].get<std::string>().find("1 entries"), std::string::npos);
    EXPECT_EQ(json({"discover", "storage1", "--via", "nvme-tcp"})["targets"][0]["name"], "scratch");
    EXPECT_TRUE(modules.loaded("nvme_tcp"));
    EXPECT_TRUE(processes.ran("nvme discover -t tcp -a 10.0.0.1 -s 4420 -o json"));
    EXPECT_EQ(run({"discover", "storage1:8009", "--via", "nvme-tcp"}), 0) << err();
    EXPECT_TRUE(processes.ran("nvme discover -t tcp -a 10.0.0.1 -s 8009"));
    EXPECT_NE(out().find("more: causeway discover 10.0.0.1:4420 --via nvme-tcp\n"),
              std::string::npos)
        << out();
    EXPECT_FALSE(std::filesystem::exists(root / "etc"));
}

TEST_F(Stock, discover_reports_what_it_cannot_list) {
    processes.acts["iscsiadm -m discovery"] = [] {
        return FakeProcesses::failure("iscsiadm: No portals found", 21);
    };
    EXPECT_EQ(run({"discover", "storage1", "--via", "iscsi"}), 0) << err();
    EXPECT_EQ(out(), "storage1 offers nothing to this machine by iSCSI\n");
    processes.acts["iscsiadm -m discovery"] = [] {
        return FakeProcesses::failure("iscsiadm: cannot make connection to 10.0.0.1", 4);
    };
    EXPECT_EQ(run({"discover", "storage1", "--via", "iscsi"}), 75);
    EXPECT_NE(err().find("cannot make connection"), std::string::npos) << err();
    processes.acts["nvme discover"] = [] { return ProcessEnd{}; };
    EXPECT_EQ(run({"discover", "storage1", "--via", "nvme"}), 75);
    EXPECT_NE(err().find("printed no log page"), std::string::npos) << err();
    EXPECT_EQ(run({"discover", "storage1", "--via", "nvm"}), 64);
    EXPECT_EQ(run({"discover", "storage1", "--via", "nvme", "--transport", "tcp"}), 64);
    EXPECT_NE(err().find("--transport is of Causeway's own transport"), std::string::npos) << err();
    processes.missing = {"nvme"};
    EXPECT_EQ(run({"discover", "storage1", "--via", "nvme-tcp"}), 69);
    EXPECT_NE(err().find("apt install nvme-cli"), std::string::npos) << err();
}

TEST_F(Stock, discover_of_srp_needs_an_infiniband_fabric) {
    ASSERT_TRUE(rdma.add("rxe", "mlx4_0", "eth0"));
    put("/sys/class/infiniband_mad/umad0/ibdev", "mlx4_0");
    put("/sys/class/infiniband_mad/umad0/port", "1");
    EXPECT_EQ(run({"discover", "storage1", "--via", "srp"}), 69);
    EXPECT_NE(err().find("on an InfiniBand fabric only"), std::string::npos) << err();
    rdma.put("mlx4_0", "ports/1/link_layer", "InfiniBand");
    processes.missing = {"ibsrpdm"};
    EXPECT_EQ(run({"discover", "storage1", "--via", "srp"}), 69);
    EXPECT_NE(err().find("apt install srptools"), std::string::npos) << err();
    processes.missing.clear();
    processes.acts["ibsrpdm -c -d /dev/infiniband/umad0"] = [] {
        ProcessEnd end;
        end.out = "id_ext=0002c90300101234,ioc_guid=0002c90300101234,dgid="
                  "fe800000000000000002c90300101235,pkey=ffff,service_id=0002c90300101234";
        return end;
    };
    const auto told = json({"discover", "storage1", "--via", "srp"});
    EXPECT_EQ(status, 0) << err();
    EXPECT_TRUE(modules.loaded("ib_umad"));
    EXPECT_EQ(told["targets"][0]["target"], "0x0002c90300101234");
    EXPECT_EQ(told["targets"][0]["name"], nullptr);
    EXPECT_EQ(told["targets"][0]["portals"][0]["portal"], "fe80::2:c903:10:1235");
}

TEST_F(Stock, srp_logs_in_at_the_gid_that_the_fabric_names) {
    have_srp();
    ASSERT_TRUE(rdma.add("rxe", "rxe0", "eth0"));
    const std::string disk_there = "fe80::2:c903:10:1235/scratch";
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "srp"}), 64);
    EXPECT_NE(err().find("or on InfiniBand, in place of storage1, the GID"), std::string::npos)
        << err();
    EXPECT_EQ(run({"attach", disk_there, "--via", "srp"}), 69);
    EXPECT_NE(err().find("this machine has no active InfiniBand port"), std::string::npos) << err();

    rdma.put("rxe0", "ports/1/link_layer", "InfiniBand");
    put("/sys/class/infiniband_mad/umad0/ibdev", "rxe0");
    put("/sys/class/infiniband_mad/umad0/port", "1");
    const std::string line = "id_ext=505400fffe000009,ioc_guid=505400fffe000001,dgid="
                             "fe800000000000000002c90300101235,pkey=ffff,service_id="
                             "505400fffe000001";
    processes.acts["ibsrpdm -c -d /dev/infiniband/umad0"] = [&] {
        ProcessEnd end;
        end.out = line + "\n" + std::string(line).replace(line.find("1235"), 4, "1236");
        return end;
    };
    EXPECT_EQ(run({"attach", "fe80::9/scratch", "--via", "srp"}), 69);
    EXPECT_NE(err().find("no SRP target of the fabric has the GID fe80::9"), std::string::npos)
        << err();
    files.writes.clear();
    EXPECT_EQ(run({"attach", disk_there, "--via", "srp"}), 0) << err();
    const std::string add = "/sys/class/infiniband_srp/srp-rxe0-1/add_target ";
    EXPECT_EQ(std::count(files.writes.begin(), files.writes.end(),
                         add + line + ",initiator_ext=" + srp_extension("scratch") + "\n"),
              1);
    EXPECT_EQ(json({"list"})["stock"][0]["target"], "0x505400fffe000001");
    EXPECT_EQ(run({"detach", disk_there}), 0) << err();
    // An IP address is for rdma_cm, also where a fabric has targets.
    resolver.names["storage1"] = {"fd00::1"};
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "srp", "--target", "505400fffe000001"}),
              0)
        << err();
    EXPECT_EQ(std::count(files.writes.begin(), files.writes.end(),
                         add +
                             "id_ext=505400fffe000001,ioc_guid=505400fffe000001,dest=[fd00::1]:"
                             "5555,initiator_ext=" +
                             srp_extension("scratch") + "\n"),
              1);
}

TEST_F(Stock, srp_attachment_waits_until_the_kernel_has_forgotten_the_last_one) {
    have_srp();
    const std::string port = "/sys/class/infiniband_srp/srp-rxe0-1/add_target";
    const auto add = files.on_write[port];
    int refused = 0;
    int refusals = 3;
    files.on_write[port] = [&](const std::string &text) -> Result<void> {
        return refused++ < refusals ? Error{ExitCode::failed, "File exists", "", EEXIST}
                                    : add(text);
    };
    const std::vector<std::string> words = {"attach", "storage1/scratch", "--via",
                                            "srp",    "--target",         "0x505400fffe000001"};
    EXPECT_EQ(run(words), 0) << err();
    EXPECT_EQ(refused, 4);
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
    refused = 0;
    refusals = 1000; // another program is connected by these names
    clock.slept = {};
    EXPECT_EQ(run(words), 75);
    EXPECT_NE(err().find("File exists"), std::string::npos) << err();
    EXPECT_EQ(clock.slept, std::chrono::seconds(10));
}

/* ---- NVMe/TCP ---- */

TEST_F(Stock, nvme_tcp_has_ports_and_clients_of_its_own) {
    EXPECT_EQ(run(add("nvme-tcp", {"--portal", "10.0.0.1:8009"})), 0) << err();
    EXPECT_TRUE(modules.loaded("nvmet_tcp"));
    EXPECT_EQ(value("/nvmet/ports/1/addr_trtype"), "tcp\n");
    EXPECT_EQ(value("/nvmet/ports/1/addr_trsvcid"), "8009\n");
    EXPECT_NE(out().find("causeway attach SERVER:8009/scratch --via nvme-tcp\n"), std::string::npos)
        << out();
    EXPECT_EQ(json({"export", "list"})["stock"][0]["via"], "nvme-tcp");
    put("/proc/net/tcp6", "  0: 0000000000000000FFFF00000100000A:1F49 "
                          "0000000000000000FFFF00000500000A:9C40 01");
    EXPECT_EQ(run({"export", "remove", "scratch"}), 75);
    EXPECT_NE(err().find("10.0.0.5 has it attached"), std::string::npos) << err();
    files.content.erase("/proc/net/tcp6");
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_TRUE(nothing_left());
}

TEST_F(Stock, nvme_detach_ends_only_its_own_path) {
    // An administrator has connected the same subsystem by another address.
    put("/sys/class/nvme/nvme7/subsysnqn", nqn);
    put("/sys/class/nvme/nvme7/transport", "tcp");
    put("/sys/class/nvme/nvme7/address", "traddr=10.0.1.1,trsvcid=4420,src_addr=10.0.1.2");
    put("/sys/class/nvme/nvme7/state", "live");
    offer_nvme(nqn, "tcp");
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "nvme-tcp"}), 0) << err();
    EXPECT_TRUE(processes.ran("nvme connect -t tcp -a 10.0.0.1 -s 4420 -n " + nqn));
    EXPECT_EQ(json({"list"})["stock"][0]["handle"], "nvme0");
    EXPECT_EQ(json({"list"})["stock"][0]["portal"], "10.0.0.1:4420");
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
    EXPECT_EQ(processes.count("nvme disconnect"), 1U);
    EXPECT_TRUE(processes.ran("nvme disconnect -d nvme0"));
    EXPECT_EQ(files.content.count("/sys/class/nvme/nvme7/state"), 1U);
}

/* ---- links to the disks ---- */

/* ---- attachments that were interrupted ---- */

// open-iscsi with its database, and a command that is killed at a step.
class StockInterrupted : public Stock {
  protected:
    struct Killed {};

    void SetUp() override {
        Stock::SetUp();
        offer_iscsi();
        processes.acts["iscsiadm -m node -o show"] = [this] {
            return recorded ? ProcessEnd{} : FakeProcesses::failure("No records found", 21);
        };
        processes.acts[node + " -I default -o new"] = [this] {
            recorded = true;
            return ProcessEnd{};
        };
        for (const char *words : {" -I default -o delete", " -o delete"}) {
            processes.acts[node + words] = [this] {
                recorded = false;
                return ProcessEnd{};
            };
        }
    }

    // Runs the command, which is killed right after this step.
    void kill_after(const std::string &step, const std::vector<std::string> &words) {
        const auto act = processes.acts.at(node + " -I default " + step);
        processes.acts[node + " -I default " + step] = [act]() -> ProcessEnd {
            (void)act();
            throw Killed();
        };
        EXPECT_THROW(run(words), Killed) << step;
        processes.acts[node + " -I default " + step] = act;
    }

    const std::string node = "iscsiadm -m node -T " + iqn + " -p 10.0.0.1:3260";
    const std::vector<std::string> attach = {"attach", "storage1/scratch", "--via", "iscsi"};
    bool recorded = false; // open-iscsi has a record of the target
};

TEST_F(StockInterrupted, attach_and_detach_know_what_is_left) {
    for (const char *step : {"-o new", "--login"}) {
        kill_after(step, attach);
        EXPECT_TRUE(recorded);
        const auto listed = json({"list"})["stock"];
        ASSERT_EQ(listed.size(), 1U) << step;
        EXPECT_EQ(listed[0]["attached"], false);
        EXPECT_EQ(listed[0]["state"], "interrupted");
        EXPECT_EQ(run(attach), 0) << err();
        EXPECT_EQ(json({"list"})["stock"][0]["attached"], true);
        EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
        EXPECT_FALSE(recorded);

        kill_after(step, attach);
        EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
        EXPECT_FALSE(recorded);
        EXPECT_EQ(json({"list"})["stock"].size(), 0U);

        kill_after(step, attach);
        EXPECT_EQ(run({"undo", "--last"}), 0) << err();
        EXPECT_FALSE(recorded);
        EXPECT_EQ(json({"list"})["stock"].size(), 0U);
    }
    EXPECT_FALSE(std::filesystem::exists(root / "var/lib/causeway/iscsi-records" / iqn));
}

TEST_F(StockInterrupted, restore_and_stop_know_it_too) {
    write_file(attachment(),
               "[stock-attachment]\nvia = iscsi\nserver = storage1\nname = scratch\n");
    for (const char *step : {"-o new", "--login"}) {
        kill_after(step, {"restore"});
        EXPECT_EQ(run({"restore"}), 0) << err();
        EXPECT_EQ(json({"list"})["stock"][0]["attached"], true);
        EXPECT_EQ(run({"stop", "--all"}), 0) << err();
        EXPECT_FALSE(recorded);
        kill_after(step, {"restore"});
        EXPECT_EQ(run({"stop", "--all"}), 0) << err();
        EXPECT_FALSE(recorded);
        EXPECT_EQ(json({"list"})["stock"][0]["attached"], false);
    }
}

TEST_F(StockInterrupted, a_login_that_is_used_is_not_ended) {
    kill_after("--login", attach);
    files.content["/proc/self/mountinfo"] += "40 25 8:0 / /mnt/x rw - ext4 /dev/sda rw\n";
    EXPECT_EQ(run(attach), 75);
    EXPECT_NE(err().find("an interrupted attach left storage1/scratch connected, which is used"),
              std::string::npos)
        << err();
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 75);
    EXPECT_EQ(run({"detach", "storage1/scratch", "--force"}), 0) << err();
    EXPECT_FALSE(recorded);
}

TEST_F(StockInterrupted, a_login_that_runs_is_left_alone) {
    const auto turn = FileLock::take_now(root / "run/causeway/attaching/storage1:scratch.lock");
    ASSERT_TRUE(turn && *turn);
    EXPECT_EQ(run(attach), 75);
    EXPECT_NE(err().find("another causeway attaches or detaches storage1/scratch"),
              std::string::npos)
        << err();
    EXPECT_FALSE(processes.ran("iscsiadm"));
}

TEST_F(StockInterrupted, a_login_that_fails_leaves_no_record) {
    processes.acts[node + " -I default --login"] = [] {
        return FakeProcesses::failure("iscsiadm: initiator reported error", 8);
    };
    EXPECT_EQ(run(attach), 75);
    EXPECT_FALSE(recorded);
    EXPECT_EQ(json({"list"})["stock"].size(), 0U);
    EXPECT_FALSE(std::filesystem::exists(root / "var/lib/causeway/iscsi-records" / iqn));
}

// The database of open-iscsi outlives a reboot.
TEST_F(StockInterrupted, a_disk_is_attached_again_after_a_reboot) {
    auto until_reboot = attach;
    until_reboot.emplace_back("--no-persist");
    ASSERT_EQ(run(until_reboot), 0) << err();
    std::filesystem::remove_all(root / "run/causeway");
    drop("/sys/class/iscsi_session/");
    drop("/sys/class/scsi_disk/");
    ASSERT_TRUE(recorded);
    EXPECT_EQ(run(until_reboot), 0) << err();
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
    EXPECT_FALSE(recorded);
    recorded = true; // by another program
    EXPECT_EQ(run(until_reboot), 1);
    EXPECT_NE(err().find("which causeway did not make"), std::string::npos) << err();
    EXPECT_TRUE(recorded);
}

TEST_F(Stock, attach_waits_for_the_link_of_the_disk) {
    offer_iscsi();
    put("/sys/class/block/sda/device/wwid", "naa.6001405a");
    put("/run/udev/control", "");
    clock.events.emplace(clock.now() + std::chrono::seconds(2),
                         [this] { put("/dev/disk/by-id/wwn-0x6001405a", ""); });
    const auto told = json({"attach", "storage1/scratch", "--via", "iscsi"});
    EXPECT_EQ(told["links"], nlohmann::json::array({"/dev/disk/by-id/wwn-0x6001405a"}));
    EXPECT_EQ(clock.slept, std::chrono::seconds(2));
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "iscsi"}), 0) << err();
    EXPECT_NE(out().find("/dev/disk/by-id/wwn-0x6001405a\n/dev/sda\n"), std::string::npos) << out();
    EXPECT_EQ(json({"list"})["stock"][0]["disks"][0]["link"], "/dev/disk/by-id/wwn-0x6001405a");
    // Without udevd, attach does not wait for a link.
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
    drop("/dev/disk/");
    drop("/run/udev/");
    clock.slept = {};
    EXPECT_EQ(json({"attach", "storage1/scratch", "--via", "iscsi"})["links"][0], nullptr);
    EXPECT_EQ(clock.slept.count(), 0);
}

} // namespace
} // namespace causeway
