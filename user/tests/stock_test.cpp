// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of exports and attachments by stock transports, on a host in memory.
#include "change/journal.h"
#include "stock/configfs.h"
#include "stock/target.h"
#include "stock/transport.h"
#include "stock_fixture.h"

#include <cerrno>

namespace causeway {
namespace {

namespace fs = std::filesystem;

/* ---- steps in configfs ---- */

TEST(ConfigSteps, are_kept_as_text) {
    const std::string config = Stock::config;
    const std::vector<ConfigStep> steps = {config_shared_folder(config + "/a"),
                                           config_folder(config + "/a/b c"),
                                           config_value(config + "/a/b c/v", "1", "0"),
                                           config_exact(config + "/a/b c/e", "1"),
                                           config_secret(config + "/a/b c/s", "/etc/key"),
                                           config_dhchap(config + "/a/b c/d", "/etc/key"),
                                           shared_step(config_value(config + "/a/b c/w", "2")),
                                           shared_step(config_link(config + "/a/m", config + "/a")),
                                           config_link(config + "/a/l", config + "/a/b c")};
    const auto read = parse_steps("# a comment\n" + steps_text(steps));
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, steps);
    EXPECT_FALSE(parse_steps("folder\t/etc/passwd\t\t\n"));
    EXPECT_FALSE(parse_steps("folder\t" + config + "/a\t\n"));
    EXPECT_FALSE(parse_steps("chmod\t" + config + "/a\t\t\n"));
}

TEST_F(Stock, steps_in_configfs_are_all_made_or_none) {
    World host = world(false);
    files.refuse[config + "/a/v"] = Error{ExitCode::failed, "Invalid argument", "", EINVAL};
    const std::vector<ConfigStep> steps = {config_folder(config + "/a"),
                                           config_folder(config + "/a/b"),
                                           config_value(config + "/a/v", "1")};
    EXPECT_FALSE(make_steps(host, steps));
    EXPECT_TRUE(files.folders.empty());
    files.refuse.clear();
    ASSERT_TRUE(make_steps(host, steps));
    // Another program made something inside: steps that were reversed already are made again.
    files.folders.insert(config + "/a/other");
    EXPECT_FALSE(take_steps_back(host, steps));
    EXPECT_EQ(files.folders.count(config + "/a/b"), 1U);
    files.folders.erase(config + "/a/other");
    EXPECT_TRUE(take_steps_back(host, steps));
    EXPECT_TRUE(files.folders.empty());
}

/* ---- names ---- */

TEST_F(Stock, names_are_checked_by_transport) {
    EXPECT_TRUE(stock_transport(Via::iscsi).parse_target(iqn));
    EXPECT_TRUE(stock_transport(Via::iser).parse_target("eui.02004567a425678d"));
    EXPECT_TRUE(stock_transport(Via::nvme).parse_target(client_nqn));
    for (const char *bad :
         {"", "scratch", "iqn.2003-13.org.x:a", "iqn.2003-1.org.x", "nqn.2014-08.x",
          "iqn.2003-01.org.x:A", "iqn.2003-01.org.x/a", "eui.02"}) {
        EXPECT_FALSE(stock_transport(Via::iscsi).parse_target(bad)) << bad;
    }
    EXPECT_FALSE(stock_transport(Via::nvme).parse_target("nqn.2014-08.org/x"));
    EXPECT_FALSE(
        stock_transport(Via::nvme).parse_target("nqn.2014-08.org." + std::string(220, 'x')));
    EXPECT_EQ(*stock_transport(Via::srp).parse_initiator("0002:C903:0010:1234"),
              "0x0002c90300101234");
    EXPECT_FALSE(stock_transport(Via::srp).parse_initiator("0x2c90300101234"));
    EXPECT_FALSE(stock_transport(Via::srp).parse_initiator("0x0002c9030010123g"));
}

/* ---- exports ---- */

TEST_F(Stock, nvme_export_is_made_kept_and_removed) {
    EXPECT_EQ(run(add("nvme", {"--dry-run"})), 0) << err();
    EXPECT_NE(out().find("+" + config + "/nvmet/ports/1/addr_trtype = rdma\n"), std::string::npos)
        << out();
    EXPECT_TRUE(nothing_left());
    EXPECT_FALSE(fs::exists(root / "etc"));

    EXPECT_EQ(run(add("nvme", {"--initiator", client_nqn})), 0) << err();
    const std::string subsystem = "/nvmet/subsystems/" + nqn;
    EXPECT_TRUE(modules.loaded("nvmet_rdma"));
    EXPECT_EQ(value(subsystem + "/attr_allow_any_host"), "0\n");
    EXPECT_EQ(value(subsystem + "/namespaces/1/device_path"), disk() + "\n");
    EXPECT_EQ(value(subsystem + "/namespaces/1/enable"), "1\n");
    EXPECT_EQ(value("/nvmet/ports/1/addr_trsvcid"), "4420\n");
    EXPECT_EQ(link(subsystem + "/allowed_hosts/" + client_nqn),
              config + "/nvmet/hosts/" + client_nqn);
    EXPECT_EQ(link("/nvmet/ports/1/subsystems/" + nqn), config + subsystem);
    EXPECT_NE(out().find("on a client: causeway attach SERVER/scratch --via nvme\n"),
              std::string::npos)
        << out();
    EXPECT_EQ(run(add("nvme", {"--initiator", client_nqn})), 0);
    EXPECT_EQ(out().find("nothing to do: 'scratch' is exported by NVMe/RDMA already\n"), 0U)
        << out();
    EXPECT_EQ(run(add("nvme")), 1);
    EXPECT_NE(err().find("who may attach is " + client_nqn + ", not everyone"), std::string::npos)
        << err();

    const auto told = json({"export", "list"})["stock"];
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0]["running"], true);
    EXPECT_EQ(told[0]["persistent"], true);
    EXPECT_EQ(told[0]["size"], 8192);
    EXPECT_EQ(json({"net"})["stock"][0]["state"], "listens at 0.0.0.0:4420");

    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_TRUE(nothing_left());
    EXPECT_FALSE(fs::exists(dropin()));
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(value(subsystem + "/namespaces/1/enable"), "1\n");
    EXPECT_TRUE(fs::exists(dropin()));
    EXPECT_EQ(run({"undo", "1"}), 0) << err();
    EXPECT_TRUE(nothing_left());
    EXPECT_FALSE(fs::exists(dropin()));
    EXPECT_EQ(json({"export", "list"})["stock"].size(), 0U);
}

TEST_F(Stock, nvme_port_of_another_program_is_used_and_left) {
    files.folders.insert(config + "/nvmet/ports/7");
    put(config + "/nvmet/ports/7/addr_trtype", "rdma");
    put(config + "/nvmet/ports/7/addr_traddr", "0.0.0.0");
    put(config + "/nvmet/ports/7/addr_trsvcid", "4420");
    EXPECT_EQ(run(add("nvme")), 0) << err();
    EXPECT_EQ(link("/nvmet/ports/7/subsystems/" + nqn), config + "/nvmet/subsystems/" + nqn);
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_EQ(files.folders, std::set<std::string>{config + "/nvmet/ports/7"});
}

TEST_F(Stock, exports_share_a_port_until_the_last_goes) {
    EXPECT_EQ(run(add("nvme")), 0) << err();
    write_file(root / "other.img", std::string(8192, 'x'));
    EXPECT_EQ(run({"export", "add", "other", "--file", (root / "other.img").string(), "--via",
                   "nvme", "--allow", "any"}),
              0)
        << err();
    // It is unknown which export the client uses.
    connect(4420);
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    connect(4421);
    EXPECT_EQ(files.folders.count(config + "/nvmet/ports/1"), 1U);
    EXPECT_EQ(run({"export", "remove", "other"}), 0) << err();
    EXPECT_TRUE(nothing_left());
}

TEST_F(Stock, iser_export_is_a_target_of_its_own) {
    EXPECT_EQ(run(add("iser", {"--read-only", "--initiator", client_iqn})), 0) << err();
    const std::string group = "/target/iscsi/" + iqn + "/tpgt_1";
    const std::string store = "/target/core/fileio_4793/scratch";
    EXPECT_TRUE(modules.loaded("ib_isert"));
    EXPECT_EQ(value(store + "/control"), "fd_dev_name=" + disk() + ",fd_dev_size=8192\n");
    EXPECT_EQ(value(group + "/np/0.0.0.0:3260/iser"), "1\n");
    EXPECT_EQ(value(group + "/attrib/generate_node_acls"), "0\n");
    EXPECT_EQ(value(group + "/acls/" + client_iqn + "/lun_0/write_protect"), "1\n");
    EXPECT_EQ(link(group + "/lun/lun_0/causeway"), config + store);
    EXPECT_EQ(value(group + "/enable"), "1\n");

    put(config + group + "/acls/" + client_iqn + "/info", "InitiatorName: " + client_iqn);
    EXPECT_EQ(run({"export", "remove", "scratch"}), 75);
    EXPECT_NE(err().find(client_iqn + " has it attached"), std::string::npos) << err();
    EXPECT_EQ(run({"undo", "--last"}), 75);
    EXPECT_NE(err().find(client_iqn + " has it attached; nothing is undone"), std::string::npos)
        << err();
    EXPECT_EQ(run({"stop"}), 75);
    EXPECT_EQ(value(group + "/enable"), "1\n");
    EXPECT_EQ(json({"net"})["stock"][0]["peer"], client_iqn);
    EXPECT_EQ(run({"export", "remove", "scratch", "--force"}), 0) << err();
    EXPECT_TRUE(nothing_left());
}

TEST_F(Stock, removal_waits_for_clients_that_have_just_detached) {
    EXPECT_EQ(run(add("iser", {"--initiator", client_iqn})), 0) << err();
    const std::string client = config + "/target/iscsi/" + iqn + "/tpgt_1/acls/" + client_iqn;
    put(client + "/info", "InitiatorName: " + client_iqn);
    EXPECT_EQ(run({"export", "remove", "scratch"}), 75);
    EXPECT_EQ(clock.slept, std::chrono::seconds(5));
    clock.events.emplace(clock.now() + std::chrono::seconds(1),
                         [this, client] { drop(client + "/info"); });
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_EQ(clock.slept, std::chrono::seconds(6));
    EXPECT_TRUE(nothing_left());
}

TEST_F(Stock, nvme_clients_are_seen_by_their_connections) {
    EXPECT_EQ(run(add("nvme")), 0) << err();
    connect(4420, "LISTEN");
    EXPECT_EQ(run({"stop", "--dry-run"}), 0) << err();
    connect(4420);
    EXPECT_EQ(run({"stop"}), 75);
    EXPECT_NE(err().find("clients are connected to exports: scratch"), std::string::npos) << err();
    EXPECT_EQ(run({"stop", "--dry-run"}), 75);
    EXPECT_EQ(run({"export", "remove", "scratch"}), 75);
    EXPECT_NE(err().find("10.0.0.2 has it attached"), std::string::npos) << err();
    EXPECT_EQ(run({"undo", "--last"}), 75);
    processes.acts["rdma -j resource show cm_id"] = [] {
        return FakeProcesses::failure("rdma: Operation not supported", 1);
    };
    EXPECT_EQ(run({"stop"}), 75);
    EXPECT_NE(err().find("it cannot be seen who is connected to port 4420: rdma: Operation"),
              std::string::npos)
        << err();
    EXPECT_FALSE(nothing_left());
    EXPECT_EQ(run({"stop", "--force"}), 0) << err();
    EXPECT_TRUE(nothing_left());
}

// Linux unloads this module while its own threads still run in it.
TEST_F(Stock, undo_leaves_the_iscsi_target_loaded) {
    EXPECT_EQ(run(add("iscsi", {"--initiator", client_iqn})), 0) << err();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_NE(err().find("kernel module iscsi_target_mod stays: "), std::string::npos) << err();
    EXPECT_TRUE(modules.loaded("iscsi_target_mod"));
    EXPECT_FALSE(modules.loaded("target_core_file"));
    EXPECT_TRUE(nothing_left());
}

TEST_F(Stock, srp_export_is_at_a_port_that_works) {
    ASSERT_TRUE(rdma.add("rxe", "mlx4_0", "eth0"));
    for (const char *number : {"1", "2"}) {
        const std::string port = std::string("ports/") + number + "/";
        rdma.put("mlx4_0", port + "state", *number == '1' ? "1: DOWN" : "4: ACTIVE");
        rdma.put("mlx4_0", port + "link_layer", "InfiniBand");
        rdma.put("mlx4_0", port + "gids/0",
                 std::string("fe80:0000:0000:0000:0002:c903:0010:123") + number);
    }
    EXPECT_EQ(run(add("srp", {"--initiator", "0002:c903:0010:5678"})), 0) << err();
    const std::string wwn = "0xfe800000000000000002c90300101232";
    EXPECT_EQ(value("/target/srpt/" + wwn + "/" + wwn + "/enable"), "1\n");
    rdma.put("mlx4_0", "ports/1/state", "4: ACTIVE");
    EXPECT_EQ(run(add("srp", {"--initiator", "0002:c903:0010:5678"})), 0) << err();
    EXPECT_EQ(out().find("nothing to do"), 0U) << out();
}

TEST_F(Stock, srp_export_shows_one_disk_to_each_attachment) {
    ASSERT_TRUE(rdma.add("rxe", "rxe0", "eth0"));
    put("/sys/module/ib_srpt/parameters/srpt_service_guid", "0x505400fffe000001");
    EXPECT_EQ(run(add("srp")), 64);
    EXPECT_NE(err().find("give --initiator"), std::string::npos) << err();
    EXPECT_EQ(run(add("srp", {"--initiator", "5054:00ff:fe00:0002"})), 0) << err();
    const std::string wwn = "0x00000000000000000000ffff0a000001";
    const std::string group = "/target/srpt/" + wwn + "/" + wwn;
    const std::string acl = group + "/acls/0x" + srp_extension("scratch") + "505400fffe000002";
    EXPECT_EQ(link(acl + "/lun_0/causeway"), config + group + "/lun/lun_0");
    EXPECT_EQ(value("/target/srpt/discovery_auth/rdma_cm_port"), "5555\n");
    EXPECT_NE(out().find("--via srp --target 0x505400fffe000001\n"), std::string::npos) << out();
    put(config + acl + "/lun_0/statistics/scsi_att_intr_port/port_ident", "0x1");
    EXPECT_EQ(run({"export", "remove", "scratch"}), 75);
    EXPECT_EQ(run({"stop"}), 75);
    files.content.erase(config + acl + "/lun_0/statistics/scsi_att_intr_port/port_ident");
    EXPECT_EQ(run({"export", "add", "other", "--ram", "1M", "--via", "srp", "--initiator",
                   "0x505400fffe000002"}),
              0)
        << err();
    EXPECT_EQ(link(group + "/lun/lun_1/causeway"), config + "/target/core/rd_mcp_4793/other");
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_EQ(link(group + "/lun/lun_1/causeway"), config + "/target/core/rd_mcp_4793/other");
    EXPECT_EQ(run({"export", "remove", "other"}), 0) << err();
    EXPECT_TRUE(nothing_left());
}

TEST_F(Stock, scsi_devices_are_passed_through) {
    put("/sys/class/scsi_generic/zero/device/scsi_device/2:0:1:3/x", "");
    // Any path works here, because the kernel's files determine what it is.
    fs::create_symlink("/dev/zero", root / "zero");
    EXPECT_EQ(run({"export", "add", "tape", "--scsi", (root / "zero").string(), "--via", "iscsi",
                   "--allow", "any"}),
              0)
        << err();
    EXPECT_EQ(value("/target/core/pscsi_4793/tape/control"),
              "scsi_host_id=2,scsi_channel_id=0,scsi_target_id=1,scsi_lun_id=3\n");
    EXPECT_TRUE(modules.loaded("target_core_pscsi"));
    EXPECT_EQ(run({"export", "add", "b", "--scsi", disk(), "--via", "iscsi", "--allow", "any"}),
              69);
    EXPECT_NE(err().find("is no SCSI device"), std::string::npos) << err();
}

TEST_F(Stock, what_the_kernel_refuses_leaves_nothing) {
    files.refuse[config + "/nvmet/subsystems/" + nqn + "/namespaces/1/enable"] =
        Error{ExitCode::failed, "cannot write enable: Device or resource busy", "", EBUSY};
    EXPECT_EQ(run(add("nvme")), 1);
    EXPECT_NE(err().find("cannot export 'scratch' by NVMe/RDMA: cannot write enable"),
              std::string::npos)
        << err();
    EXPECT_TRUE(nothing_left());
    EXPECT_FALSE(fs::exists(dropin()));
    EXPECT_FALSE(fs::exists(root / "run/causeway/stock-exports/scratch.conf"));
    EXPECT_EQ(run({"undo", "--list"}), 0);
    EXPECT_FALSE(modules.loaded("nvmet"));
}

TEST_F(Stock, exports_refuse_what_cannot_be) {
    const auto refused = [&](std::vector<std::string> words, int code, const std::string &saying) {
        EXPECT_EQ(run(words), code) << err();
        EXPECT_NE(err().find(saying), std::string::npos) << err();
    };
    refused(add("nvm"), 64, "did you mean nvme?");
    refused(add("tcp"), 64, "give one of nvme, nvme-tcp, iser, iscsi, srp");
    refused(add("iscsi", {"--target", "iqn.1.x"}), 64, "'iqn.1.x' is no iSCSI name");
    refused(add("nvme", {"--initiator", iqn}), 64, "is no NQN");
    refused(add("nvme", {"--allow", "10.0.0.0/24"}), 64, "give --initiator NAME, or --allow any");
    refused(add("nvme", {"--read-only"}), 64, "nvmet does not refuse writes");
    refused(add("nvme", {"--exclusive"}), 64, "NVMe/RDMA has no exclusive exports: nvmet admits");
    refused(add("iscsi", {"--exclusive"}), 64, "give --initiator with the name of the one client");
    refused(add("nvme", {"--write-through"}), 64, "--write-through is of Causeway's own transport");
    refused(add("nvme", {"--portal", "eth0"}), 64, "is no IP address");
    refused(add("nvme", {"--ram", "1M"}), 64, "one backend");
    refused({"export", "add", "m", "--ram", "1M", "--via", "nvme", "--allow", "any"}, 64,
            "no memory backend");
    refused({"export", "add", "m", "--ram", "1000", "--via", "iser", "--allow", "any"}, 64,
            "not a multiple of 4096");
    refused({"export", "add", "x", "--file", (root / "none").string(), "--via", "iser", "--allow",
             "any"},
            69, "truncate -s 10G");
    refused({"export", "add", "x", "--device", disk(), "--via", "iser", "--allow", "any"}, 69,
            "give --file");
    refused({"export", "add", "Big", "--file", disk(), "--via", "iser", "--allow", "any"}, 64,
            "in lower case");
    refused({"export", "add", "x", "--file", disk(), "--initiator", iqn}, 64,
            "--initiator goes with --via only");
    refused(add("srp", {"--initiator", "0x505400fffe000002"}), 69, "there is no RDMA device");
    EXPECT_TRUE(nothing_left());
    EXPECT_FALSE(fs::exists(root / "etc"));
    ASSERT_EQ(run({"export", "add", "scratch", "--file", disk(), "--allow", "any"}), 0) << err();
    refused(add("nvme"), 1, "is there by Causeway's own transport");
    ASSERT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    ASSERT_EQ(run(add("nvme")), 0) << err();
    refused({"export", "add", "scratch", "--file", disk(), "--allow", "any"}, 1,
            "is there by NVMe/RDMA");
}

/* ---- attachments ---- */

TEST_F(Stock, nvme_attachment_is_discovered_shown_and_ended) {
    offer_nvme();
    put("/dev/disk/by-id/nvme-uuid.5cbe11f0", "");
    put("/sys/class/block/nvme0n1/wwid", "uuid.5cbe11f0");
    const auto told = json({"attach", "storage1/scratch", "--via", "nvme"});
    EXPECT_EQ(status, 0) << err();
    EXPECT_EQ(told["devices"], nlohmann::json::array({"/dev/nvme0n1"}));
    EXPECT_EQ(told["links"], nlohmann::json::array({"/dev/disk/by-id/nvme-uuid.5cbe11f0"}));
    const std::string line = "/dev/disk/by-id/nvme-uuid.5cbe11f0  /mnt/scratch  auto  "
                             "_netdev,nofail,x-systemd.device-timeout=5min  0  2";
    EXPECT_EQ(told["fstab"], nlohmann::json::array({line}));
    EXPECT_EQ(run({"list", "--fstab"}), 0) << err();
    EXPECT_EQ(out(), line + "\n");
    EXPECT_TRUE(processes.ran("nvme connect -t rdma -a 10.0.0.1 -s 4420 -n " + nqn));
    EXPECT_TRUE(fs::exists(attachment()));
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "nvme"}), 0);
    EXPECT_NE(out().find("nothing to do"), std::string::npos) << out();
    EXPECT_NE(out().find("/dev/disk/by-id/nvme-uuid.5cbe11f0\n/dev/nvme0n1\n"), std::string::npos)
        << out();
    EXPECT_EQ(out().find("fstab"), std::string::npos) << out();
    on_terminal = {100, false};
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "nvme"}), 0);
    EXPECT_NE(out().find("to mount it at boot, add to /etc/fstab: " + line +
                         "\n/dev/disk/by-id/nvme-uuid.5cbe11f0\n/dev/nvme0n1\n"),
              std::string::npos)
        << out();
    on_terminal = {};
    const auto listed = json({"list"})["stock"][0];
    EXPECT_EQ(listed["state"], "live");
    EXPECT_EQ(listed["disks"][0]["size"], 1048576);
    EXPECT_EQ(json({"net"})["stock"][0]["state"], "live (nvme0)");

    files.content["/proc/self/mountinfo"] += "40 25 8:0 / /mnt/x rw - ext4 /dev/nvme0n1 rw\n";
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 75);
    EXPECT_NE(err().find("/dev/nvme0n1 is mounted"), std::string::npos) << err();
    EXPECT_EQ(run({"detach", "storage1/scratch", "--force"}), 0) << err();
    EXPECT_TRUE(processes.ran("nvme disconnect -d nvme0"));
    EXPECT_FALSE(fs::exists(attachment()));
    EXPECT_EQ(json({"list"})["stock"].size(), 0U);
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(json({"list"})["stock"][0]["attached"], true);
    EXPECT_EQ(run({"undo", "1"}), 75);
    EXPECT_NE(err().find("/dev/nvme0n1 is mounted at /mnt/x; nothing is undone"), std::string::npos)
        << err();
    EXPECT_NE(err().find("causeway undo 1 --force"), std::string::npos) << err();
    EXPECT_EQ(run({"undo", "1", "--dry-run"}), 75);
    EXPECT_EQ(json({"list"})["stock"][0]["attached"], true);
    EXPECT_EQ(run({"undo", "1", "--force"}), 0) << err();
    EXPECT_EQ(json({"list"})["stock"].size(), 0U);
}

TEST_F(Stock, iscsi_and_iser_go_by_open_iscsi) {
    offer_iscsi();
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "iser"}), 0) << err();
    EXPECT_NE(out().find("/dev/sda\n"), std::string::npos) << out();
    EXPECT_TRUE(modules.loaded("ib_iser"));
    const std::string node = "iscsiadm -m node -T " + iqn;
    EXPECT_TRUE(processes.ran(node + " -p 10.0.0.1:3260 -I iser -o new"));
    EXPECT_TRUE(
        processes.ran(node + " -p 10.0.0.1:3260 -I iser -o update -n node.startup -v manual"));
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "iscsi"}), 1);
    EXPECT_NE(err().find("the transport is iser, not iscsi"), std::string::npos) << err();
    const auto told = json({"detach", "--all"});
    EXPECT_EQ(status, 0) << err();
    EXPECT_EQ(told["detached"][0]["journal"], 2);
    EXPECT_FALSE(told["changes"].empty());
    EXPECT_TRUE(processes.ran(node + " -p 10.0.0.1:3260 -o delete"));
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "iscsi", "--target", iqn}), 0) << err();
    EXPECT_EQ(processes.count("iscsiadm -m discovery"), 1U);
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
}

TEST_F(Stock, srp_attachment_names_itself_by_the_export) {
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "srp"}), 64);
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "srp", "--target", "0x505400fffe000001"}),
              69);
    EXPECT_NE(err().find("no RDMA device"), std::string::npos) << err();
    have_srp();
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "srp", "--target", "0x505400fffe000001"}),
              0)
        << err();
    EXPECT_NE(out().find("/dev/sdb\n"), std::string::npos) << out();
    EXPECT_EQ(files.writes.back(),
              "/sys/class/infiniband_srp/srp-rxe0-1/add_target id_ext=505400fffe000001,ioc_guid="
              "505400fffe000001,dest=10.0.0.1:5555,initiator_ext=" +
                  srp_extension("scratch") + "\n");
    EXPECT_EQ(json({"list"})["stock"][0]["handle"], "host7");
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
    EXPECT_EQ(files.writes.back(), "/sys/class/srp_remote_ports/port-7:1/delete 1\n");
    EXPECT_EQ(json({"list"})["stock"].size(), 0U);
}

TEST_F(Stock, srp_detach_reports_a_host_that_stays) {
    have_srp();
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "srp", "--target", "0x505400fffe000001"}),
              0)
        << err();
    srp_removed_after_s = 31;
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 75);
    EXPECT_NE(err().find("the kernel still removes host7 after 30 s"), std::string::npos) << err();
    EXPECT_EQ(clock.slept, std::chrono::seconds(30));
    EXPECT_EQ(json({"list"})["stock"].size(), 1U);
}

TEST_F(Stock, attachments_refuse_what_cannot_be) {
    processes.missing = {"nvme", "iscsiadm"};
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "nvme"}), 69);
    EXPECT_NE(err().find("apt install nvme-cli"), std::string::npos) << err();
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "iser"}), 69);
    EXPECT_NE(err().find("apt install open-iscsi"), std::string::npos) << err();
    processes.missing.clear();
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "srq"}), 64);
    EXPECT_NE(err().find("did you mean srp?"), std::string::npos) << err();
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "nvme", "--target", "scratch"}), 64);
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "nvme", "--queues", "2"}), 64);
    EXPECT_EQ(run({"attach", "storage1/scratch", "--target", nqn}), 64);
    offer_nvme("nqn.2014-08.org.nvmexpress.store-1:other");
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "nvme"}), 69);
    EXPECT_NE(err().find("storage1 offers no 'scratch' by NVMe/RDMA"), std::string::npos) << err();
    EXPECT_NE(err().find("store-1:other"), std::string::npos) << err();
    processes.acts["nvme discover"] = [] {
        return FakeProcesses::failure("connection refused", 1);
    };
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "nvme"}), 75);
    processes.acts["iscsiadm -m discovery"] = [] {
        return FakeProcesses::failure("iscsiadm: cannot make connection to 10.0.0.1", 4);
    };
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "iscsi"}), 75);
    EXPECT_FALSE(fs::exists(attachment()));
    EXPECT_FALSE(modules.loaded("nvme_rdma"));
    EXPECT_EQ(json({"list"})["stock"].size(), 0U);
}

/* ---- restore and stop ---- */

TEST_F(Stock, all_comes_back_by_restore_and_ends_by_stop) {
    offer_nvme();
    ASSERT_EQ(run(add("nvme")), 0) << err();
    ASSERT_EQ(run({"attach", "storage1/scratch", "--via", "nvme"}), 0) << err();
    const auto made = files.folders;
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(files.folders, made);

    EXPECT_EQ(run({"stop", "--all"}), 0) << err();
    EXPECT_TRUE(nothing_left());
    EXPECT_TRUE(processes.ran("nvme disconnect"));
    EXPECT_TRUE(fs::exists(dropin()));
    // Removes the records, as a reboot does.
    fs::remove_all(root / "run/causeway");
    EXPECT_EQ(json({"export", "list"})["stock"][0]["running"], false);
    EXPECT_EQ(json({"list"})["stock"][0]["attached"], false);
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(files.folders, made);
    EXPECT_EQ(json({"list"})["stock"][0]["attached"], true);
    EXPECT_FALSE(fs::exists(root / "var/lib/causeway/journal/000003.json"));
}

TEST_F(Stock, restore_shows_what_its_options_choose) {
    offer_nvme();
    ASSERT_EQ(run({"attach", "storage1/scratch", "--via", "nvme"}), 0) << err();
    ASSERT_EQ(run({"attach", "storage1/other"}), 0) << err();
    kernel.running_attachments.clear();
    drop("/sys/class/nvme/nvme0/");
    EXPECT_EQ(json({"restore", "--dry-run"})["changes"].size(), 2U);
    EXPECT_EQ(run({"restore", "--dry-run", "--own"}), 0) << err();
    EXPECT_EQ(out().find("NVMe"), std::string::npos) << out();
    EXPECT_EQ(run({"restore", "--dry-run", "--stock"}), 0) << err();
    EXPECT_EQ(out().find("other"), std::string::npos) << out();
}

// A login to a dead target takes minutes, during which other commands change the host.
TEST_F(Stock, restore_and_stop_hold_no_lock_of_the_journal) {
    offer_nvme();
    ASSERT_EQ(run(add("nvme")), 0) << err();
    ASSERT_EQ(run({"attach", "storage1/scratch", "--via", "nvme"}), 0) << err();
    const Places places(root.path());
    const auto free = [&](const char *program) {
        const auto before = processes.acts[program];
        processes.acts[program] = [&places, program, before] {
            const auto lock = Journal(places.journal()).lock_now();
            EXPECT_TRUE(lock && *lock) << program;
            return before();
        };
    };
    free("nvme connect");
    free("nvme disconnect");
    EXPECT_EQ(run({"stop", "--all"}), 0) << err();
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(processes.count("nvme connect"), 2U);
    // They do not wait for a holder of the lock either.
    offer_nvme();
    const auto held = Journal(places.journal()).lock_now();
    ASSERT_TRUE(held && *held);
    const auto again = Journal(places.journal()).lock_now();
    EXPECT_TRUE(again && !*again);
    EXPECT_EQ(run({"stop", "--all"}), 0) << err();
    EXPECT_TRUE(nothing_left());
}

TEST_F(Stock, what_is_in_use_stays_attached_at_a_stop) {
    offer_nvme();
    ASSERT_EQ(run({"attach", "storage1/scratch", "--via", "nvme"}), 0) << err();
    const std::string unused = files.content["/proc/self/mountinfo"];
    files.content["/proc/self/mountinfo"] += "40 25 8:0 / /mnt/x rw - ext4 /dev/nvme0n1 rw\n";
    EXPECT_EQ(run({"stop", "--all"}), 75);
    EXPECT_NE(err().find("/dev/nvme0n1 is mounted"), std::string::npos) << err();
    EXPECT_FALSE(processes.ran("nvme disconnect"));
    files.content["/proc/self/mountinfo"] = unused;
    EXPECT_EQ(run({"stop", "--all"}), 0) << err();
    EXPECT_TRUE(processes.ran("nvme disconnect"));
}

TEST_F(Stock, a_broken_configuration_file_is_reported_with_its_line) {
    write_file(dropin(),
               "[stock-export]\nvia = nvme\nfile = /x\ntarget = scratch\naddress = 0.0.0.0\n"
               "port = 4420\nuuid = 5cbe11f0-0000-4000-8000-000000000001\n");
    EXPECT_EQ(run({"restore"}), 78);
    EXPECT_NE(err().find("scratch.conf:4: 'scratch' is no NQN"), std::string::npos) << err();
}

} // namespace
} // namespace causeway
