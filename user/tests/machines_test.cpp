// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of show, doctor and explain on machines as sysfs shows them. tests/machines has one file
// for each machine, with a line for each file below /sys. The command reads sysfs only through
// KernelFiles, so this file is enough to simulate such a machine. The test adds what sysfs does not
// have (addresses, services, NFS). The files were written after the kernel's documentation, and the
// output of programs was written for the tests, except what tests/machines/record has recorded.
#include "fixture.h"
#include "host/device_details.h"
#include "host/firmware_table.h"
#include "host/pci_adapters.h"

#include <algorithm>
#include <fstream>

namespace causeway {
namespace {

using Ids = std::vector<std::string>;

class Machines : public CommandTest {
  protected:
    void load(const std::string &machine) {
        std::ifstream stream(source_tree() / "user/tests/machines" / (machine + ".sysfs"));
        ASSERT_TRUE(stream) << machine;
        for (std::string line; std::getline(stream, line);) {
            if (line.empty() || line.front() == '#') {
                continue;
            }
            const std::size_t space = line.find(' ');
            std::string value = space == std::string::npos ? "" : line.substr(space + 1);
            std::replace(value.begin(), value.end(), ';', '\n');
            files.content["/sys/" + line.substr(0, space)] = value + "\n";
        }
        // Everything that does not depend on the device is in order.
        modules.there = {"causeway",  "causeway_disk", "causeway_target", "causeway_rpcrdma",
                         "ib_uverbs", "rdma_ucm",      "ib_umad",         "ib_ipoib"};
        write_file(root / "etc/modprobe.d/causeway-nfs.conf", "alias rpcrdma causeway_rpcrdma\n");
        write_file(root / "etc/security/limits.d/rdma.conf", "@rdma - memlock unlimited\n");
    }

    void says(const std::string &words, const std::string &text) {
        processes.acts[words] = [=] {
            ProcessEnd end;
            end.out = text;
            return end;
        };
    }

    Ids found() {
        Ids ids;
        const auto told = json({"doctor"});
        for (const auto &each : told["findings"]) {
            ids.push_back(each["id"]);
        }
        return ids;
    }

    // Installs the table of firmware that the packages contain.
    void install_firmware_table() {
        write_file(root / "usr/share/causeway/firmware.conf",
                   read_file(source_tree() / "packaging/firmware.conf"));
    }

    bool shows(const std::string &text) {
        EXPECT_EQ(run({"show"}), 0) << err();
        return out().find(text) != std::string::npos;
    }
};

TEST_F(Machines, connectx_of_revision_a0) {
    load("connectx-a0-ddr");
    says("ip -json address", R"([{"ifname":"ib0","flags":["UP"],"mtu":65520}])");
    EXPECT_TRUE(shows("active, 20 Gb/s, 4X DDR: 16 Gb/s of data")) << out();
    EXPECT_TRUE(shows("firmware 2.9.1000")) << out();
    EXPECT_EQ(found(), Ids{});
    says("ethtool -k ib0", "Features for ib0:\ntcp-segmentation-offload: on\n");
    EXPECT_EQ(found(), Ids{"ipoib-segmentation-a0"});
    run({"doctor", "--fix"});
    EXPECT_TRUE(processes.ran("ethtool -K ib0 tso off")) << out() << err();
    EXPECT_EQ(run({"explain", "mode", "ib0"}), 0);
    EXPECT_NE(out().find("its device can do connected"), std::string::npos) << out();
}

TEST_F(Machines, connectx_of_revision_a0_and_qdr) {
    load("connectx-a0-qdr");
    says("ip -json address", R"([{"ifname":"ib0","flags":["UP"],"mtu":65520}])");
    says("ethtool -k ib0", "Features for ib0:\ntcp-segmentation-offload: on\n");
    EXPECT_EQ(found(), Ids{"ipoib-segmentation-a0"});
    EXPECT_EQ(run({"fix", "tso"}), 0) << err();
    EXPECT_TRUE(processes.ran("ethtool -K ib0 tso off")) << out();
    const std::string rule = read_file(root / "etc/udev/rules.d/75-causeway-tso.rules");
    EXPECT_NE(rule.find("ATTRS{device}==\"0x6340|0x634a|0x6354|"), std::string::npos) << rule;
    EXPECT_NE(rule.find("|0x673c|"), std::string::npos) << rule;
}

TEST_F(Machines, connectx2_segments_well_although_it_has_the_same_pci_id) {
    load("connectx-a0-qdr");
    files.content["/sys/class/infiniband/mlx4_0/device/revision"] = "0xb0\n";
    files.content["/sys/class/net/ib0/device/revision"] = "0xb0\n";
    says("ip -json address", R"([{"ifname":"ib0","flags":["UP"],"mtu":65520}])");
    says("ethtool -k ib0", "Features for ib0:\ntcp-segmentation-offload: on\n");
    EXPECT_EQ(found(), Ids{});
    EXPECT_EQ(run({"fix", "tso"}), 0) << err();
    EXPECT_FALSE(processes.ran("ethtool -K"));
}

TEST_F(Machines, connectx5_on_infiniband) {
    load("connectx5-infiniband");
    EXPECT_TRUE(shows("active, 100 Gb/s, 4X EDR: 100 Gb/s of data")) << out();
    EXPECT_EQ(json({"show"})["devices"][0]["ports"][0]["gids"][0]["type"], "IB");
    EXPECT_EQ(found(), Ids{});
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mode", "connected"}), 69);
    EXPECT_EQ(run({"explain", "mode", "ib0"}), 0);
    EXPECT_NE(out().find("datagram mode"), std::string::npos) << out();
}

TEST_F(Machines, all_that_is_known_of_a_device_is_shown) {
    load("connectx5-infiniband");
    install_firmware_table();
    says("rdma -j resource show mlx5_0",
         R"([{"ifindex":0,"ifname":"mlx5_0","pd":2,"cq":5,"qp":4,"cm_id":1,"mr":3,"ctx":0}])");
    says("ibv_devinfo -d mlx5_0", "hca_id:\tmlx5_0\n\tvendor_id:\t\t\t0x02c9\n"
                                  "\tvendor_part_id:\t\t\t4119\n\tphys_port_cnt:\t\t\t1\n"
                                  "\t\tport:\t1\n\t\t\tmax_mtu:\t\t4096 (5)\n"
                                  "\t\t\tactive_mtu:\t\t2048 (4)\n");
    EXPECT_EQ(run({"show", "mlx5_0"}), 0) << err();
    for (const char *line :
         {"  system image GUID 9803:9b03:00aa:bbcc\n",
          "  CA by InfiniBand, 1 port, PSID MT_0000000008, hardware version 0, vendor 0x02c9, part "
          "4119\n",
          "  newest firmware known: 16.35.8008 (ConnectX-5)\n",
          "  PCI ID 15B3:1017, driver mlx5_core, NUMA node 1\n",
          "  PCI Express link x16 at 8.0 GT/s PCIe, at most x16 at 8.0 GT/s PCIe\n",
          "  in use: 1 cm_id, 5 cq, 0 ctx, 3 mr, 2 pd, 4 qp\n",
          "          link layer InfiniBand, physical state LinkUp\n",
          "          port GUID 9803:9b03:00aa:bbcc, LMC 0\n", "          MTU 2048, at most 4096\n",
          "          capability mask 0x2651e848: extended speeds, connection manager, client "
          "reregistration\n"}) {
        EXPECT_NE(out().find(line), std::string::npos) << line << out();
    }
    const auto device = json({"show"})["devices"][0];
    EXPECT_EQ(device["transport"], "InfiniBand");
    EXPECT_EQ(device["system_image_guid"], "9803:9b03:00aa:bbcc");
    EXPECT_EQ(device["psid"], "MT_0000000008");
    EXPECT_EQ(device["hardware_version"], "0");
    EXPECT_EQ(device["vendor_id"], "0x02c9");
    EXPECT_EQ(device["newest_firmware"], "16.35.8008");
    EXPECT_EQ(device["pci"]["slot"], "0000:81:00.0");
    EXPECT_EQ(device["pci"]["max_width"], 16);
    EXPECT_EQ(device["pci"]["numa_node"], 1);
    EXPECT_EQ(device["resources"]["qp"], 4);
    const auto port = device["ports"][0];
    EXPECT_EQ(port["port_guid"], "9803:9b03:00aa:bbcc");
    EXPECT_EQ(port["lmc"], 0);
    EXPECT_EQ(port["capability_mask"], "0x2651e848");
    EXPECT_EQ(port["capabilities"][0], "extended speeds");
    EXPECT_EQ(port["max_mtu"], 4096);
    EXPECT_EQ(port["active_mtu"], 2048);
}

TEST_F(Machines, the_short_report_runs_no_program) {
    load("connectx5-infiniband");
    EXPECT_TRUE(shows("  node GUID 9803:9b03:00aa:bbcc, PCI slot 0000:81:00.0\n")) << out();
    EXPECT_EQ(out().find("capability mask"), std::string::npos) << out();
    EXPECT_TRUE(processes.log.empty());
    EXPECT_EQ(run({"show", "--long"}), 0);
    EXPECT_NE(out().find("capability mask"), std::string::npos) << out();
}

TEST_F(Machines, what_no_program_reports_is_unknown) {
    load("connectx5-infiniband");
    processes.missing.insert("ibv_devinfo");
    says("rdma -j resource show mlx5_0", "no JSON");
    EXPECT_EQ(run({"show", "mlx5_0"}), 0) << err();
    EXPECT_NE(out().find("MTU unknown: the program ibv_devinfo is not installed\n"),
              std::string::npos)
        << out();
    EXPECT_NE(out().find("in use: unknown: the program rdma shows none of mlx5_0\n"),
              std::string::npos)
        << out();
    const auto device = json({"show", "mlx5_0"})["devices"][0];
    EXPECT_EQ(device["resources"], nullptr);
    EXPECT_EQ(device["ports"][0]["active_mtu"], nullptr);
    EXPECT_EQ(device["newest_firmware"], nullptr);
}

TEST_F(Machines, old_firmware_is_told_by_the_installed_table) {
    load("connectx5-infiniband");
    install_firmware_table();
    EXPECT_EQ(found(), Ids{"firmware-old"});
    // Firmware for the board of another seller has another version.
    files.content["/sys/class/infiniband/mlx5_0/board_id"] = "DEL0000000004\n";
    EXPECT_EQ(found(), Ids{});
    // The administrator's line comes before the installed one.
    const auto own = root / "etc/causeway/firmware.d/own.conf";
    write_file(own, "psid:DEL0000000004 16.35.3006 ours\n");
    EXPECT_EQ(found(), Ids{"firmware-old"});
    write_file(own, "type:MT4119 -\n");
    files.content["/sys/class/infiniband/mlx5_0/board_id"] = "MT_0000000008\n";
    EXPECT_EQ(found(), Ids{});
    write_file(own, "psid:MT_0000000008 newest\n");
    EXPECT_EQ(found(), (Ids{"firmware-old", "firmware-table-broken"}));
    EXPECT_EQ(run({"show"}), 0);
    EXPECT_NE(err().find("own.conf:1: 'newest' is no version of a firmware"), std::string::npos)
        << err();
}

TEST(InstalledFirmware, has_only_lines_that_can_be_used) {
    FirmwareTable table;
    add_firmware_lines(table, "firmware.conf",
                       read_file(source_tree() / "packaging/firmware.conf"));
    EXPECT_TRUE(table.broken.empty()) << table.broken.front().what;
    EXPECT_GE(table.entries.size(), 10U);
    // The update that the reference describes.
    const auto first = table.find({"MT_04A0110002", "MT25418", "15B3:634A", "0xa0"});
    ASSERT_TRUE(first);
    EXPECT_TRUE(is_older_firmware("2.7.1000", first->version));
    EXPECT_FALSE(is_older_firmware("2.9.1000", first->version));
    // ConnectX and ConnectX-2 have the same PCI ID.
    EXPECT_FALSE(table.find({"MT_0C40110009", "MT26428", "15B3:673C", "0xa0"}));
    EXPECT_TRUE(table.find({"MT_0C40110009", "MT26428", "15B3:673C", "0xb0"}));
}

TEST(FirmwareLines, that_are_malformed_are_named_and_hide_no_other) {
    FirmwareTable table;
    add_firmware_lines(table, "f",
                       "# text\n\ntype:MT1 1.2.3 a note # text\nMT2 1.2.3\n"
                       "pci:15b3 1\npci:15b3:101g 1\npsid:A\npsid:B 1..2\n"
                       "psid:C 1.x\npsid:D 9999999999\npci:15B3:1017:B0 1\n");
    EXPECT_EQ(table.entries.size(), 2U);
    EXPECT_EQ(table.entries.at("type:MT1").note, "a note");
    EXPECT_EQ(table.entries.count("pci:15b3:1017:b0"), 1U);
    ASSERT_EQ(table.broken.size(), 7U);
    EXPECT_EQ(table.broken[0].what, "f:4: 'MT2' names no adapter");
    EXPECT_EQ(table.broken[3].what, "f:7: psid:A has no version");
    EXPECT_EQ(table.broken[6].what, "f:10: '9999999999' is no version of a firmware");
    EXPECT_EQ(table.broken[0].code, ExitCode::bad_config);
}

TEST(FirmwareVersions, are_compared_as_numbers) {
    EXPECT_TRUE(is_older_firmware("2.9.1000", "2.10.0"));
    EXPECT_FALSE(is_older_firmware("2.10.0", "2.9.1000"));
    EXPECT_TRUE(is_older_firmware("2.9", "2.9.1"));
    EXPECT_FALSE(is_older_firmware("unknown", "2.9.1"));
    EXPECT_FALSE(is_older_firmware("2.9.1", "-"));
}

// An adapter in its slot, with the kernel's table of modules.
class Adapters : public Machines {
  protected:
    void SetUp() override {
        files.content["/proc/sys/kernel/osrelease"] = "6.1.0\n";
        files.content["/lib/modules/6.1.0/modules.alias"] =
            "# Aliases extracted from modules themselves.\n"
            "alias pci:v000015B3d00001017sv*sd*bc*sc*i* mlx5_core\n"
            "alias auxiliary:mlx5_core.rdma mlx5-ib\n"
            "alias pci:v00008086d000024F0sv*sd*bc*sc*i* hfi1\n";
        says("ip -json address", "[]");
        write_file(root / "etc/security/limits.d/rdma.conf", "@rdma - memlock unlimited\n");
    }

    void adapter(const std::string &kind, const std::string &driver,
                 const std::string &device = "1017") {
        files.content[folder + "uevent"] = (driver.empty() ? "" : "DRIVER=" + driver + "\n") +
                                           "PCI_CLASS=" + kind + "\nPCI_ID=15B3:" + device +
                                           "\nMODALIAS=pci:v000015B3d0000" + device +
                                           "sv000015B3sd00000008bc02sc07i00\n";
    }
    // The machine is set up for disks by RDMA.
    void export_a_disk() {
        write_file(root / "etc/causeway/exports.d/fast.conf", "[export]\nram = 4K\nallow = any\n");
    }
    bool finds(const std::string &id) {
        const Ids ids = found();
        return std::find(ids.begin(), ids.end(), id) != ids.end();
    }

    const std::string folder = "/sys/bus/pci/devices/0000:81:00.0/";
};

TEST_F(Adapters, of_infiniband_without_a_driver_are_found) {
    adapter("20700", "");
    EXPECT_TRUE(finds("adapter-without-driver"));
    EXPECT_EQ(run({"show"}), 0);
    EXPECT_NE(out().find("the RDMA adapter 15B3:1017 in PCI slot 0000:81:00.0 has no driver\n"
                         "  modprobe mlx5_core; if that changes nothing, see: dmesg\n"),
              std::string::npos)
        << out();
    const auto idle = json({"show"})["adapters_without_rdma"][0];
    EXPECT_EQ(idle["slot"], "0000:81:00.0");
    EXPECT_EQ(idle["module"], "mlx5_core");
    EXPECT_EQ(idle["certain"], true);
    adapter("C0600", "", "6282");
    EXPECT_EQ(run({"show"}), 0);
    EXPECT_NE(out().find("this kernel has no module for the adapter"), std::string::npos) << out();
}

TEST_F(Adapters, whose_driver_has_no_rdma_device_are_found) {
    adapter("20700", "mlx5_core");
    files.content[folder + "mlx5_core.rdma.0/uevent"] = "MODALIAS=auxiliary:mlx5_core.rdma\n";
    EXPECT_TRUE(finds("adapter-without-rdma"));
    EXPECT_EQ(json({"show"})["adapters_without_rdma"][0]["module"], "mlx5_ib");
    files.content[folder + "infiniband/mlx5_0/node_type"] = "1: CA\n";
    EXPECT_FALSE(finds("adapter-without-rdma"));
    EXPECT_TRUE(json({"show"})["adapters_without_rdma"].empty());
}

TEST_F(Adapters, of_ethernet_are_found_only_where_rdma_is_wanted) {
    adapter("20000", "mlx5_core");
    files.content[folder + "mlx5_core.rdma.0/uevent"] = "MODALIAS=auxiliary:mlx5_core.rdma\n";
    EXPECT_FALSE(finds("adapter-without-rdma"));
    EXPECT_EQ(json({"show"})["adapters_without_rdma"].size(), 1U);
    export_a_disk();
    EXPECT_TRUE(finds("adapter-without-rdma"));
    adapter("20000", "");
    EXPECT_TRUE(finds("adapter-without-driver"));
    // An Ethernet adapter that no module of RDMA serves is no RDMA adapter.
    adapter("20000", "e1000e");
    files.content.erase(folder + "mlx5_core.rdma.0/uevent");
    EXPECT_FALSE(finds("adapter-without-rdma"));
    EXPECT_TRUE(json({"show"})["adapters_without_rdma"].empty());
}

TEST_F(Adapters, that_virtual_machines_have_are_not_found) {
    adapter("20700", "vfio-pci");
    EXPECT_TRUE(json({"show"})["adapters_without_rdma"].empty());
    adapter("20700", "");
    files.content[folder + "physfn/uevent"] = "DRIVER=mlx5_core\n";
    EXPECT_TRUE(json({"show"})["adapters_without_rdma"].empty());
    EXPECT_FALSE(finds("adapter-without-driver"));
}

TEST_F(Machines, connectx5_on_ethernet) {
    load("connectx5-ethernet");
    says("ip -json address",
         R"([{"ifname":"eth1","flags":["UP"],"mtu":9000,"addr_info":[)"
         R"({"family":"inet","local":"10.1.0.5","prefixlen":24,"scope":"global"}]}])");
    says("dcb pfc show dev eth1", "prio-pfc 3:on");
    EXPECT_TRUE(shows("GID 3  0000:0000:0000:0000:0000:ffff:0a01:0005  RoCE v2  eth1")) << out();
    // The adapter is in a slot of four lanes.
    EXPECT_EQ(found(), Ids{"pci-slot-slow"});
    EXPECT_EQ(run({"fabric"}), 69);
}

TEST_F(Machines, omni_path) {
    load("omnipath");
    EXPECT_TRUE(shows("Intel Omni-Path")) << out();
    EXPECT_EQ(found(), Ids{});
    EXPECT_EQ(json({"explain", "address", "0011:7501:0165:acd8"})["parts"][0]["meaning"],
              "QLogic, Intel: Omni-Path");
}

TEST_F(Machines, two_ports_of_which_one_is_down) {
    load("two-ports-one-down");
    EXPECT_TRUE(shows("port 1  initialized: it waits for a subnet manager")) << out();
    EXPECT_TRUE(shows("port 2  down: no port answers at the other end of the cable")) << out();
    EXPECT_EQ(found(), (Ids{"port-without-subnet-manager", "port-polling"}));
    // A second port that is down is no problem once the other port works.
    files.content["/sys/class/infiniband/mlx4_0/ports/1/state"] = "4: ACTIVE\n";
    EXPECT_EQ(found(), Ids{});
}

TEST_F(Machines, soft_roce) {
    load("rxe");
    says("ip -json address",
         R"([{"ifname":"eth0","flags":["UP"],"mtu":1500,"addr_info":[)"
         R"({"family":"inet","local":"10.0.0.5","prefixlen":24,"scope":"global"}]}])");
    EXPECT_TRUE(shows("rxe0  Soft-RoCE (rxe) on eth0")) << out();
    EXPECT_EQ(found(), Ids{"roce-mtu-small"});
}

TEST_F(Machines, soft_iwarp) {
    load("siw");
    EXPECT_TRUE(shows("siw0  Soft-iWARP (siw) on eth0")) << out();
    EXPECT_EQ(found(), Ids{});
}

// Devices whose sysfs and output of programs were recorded. The command printed the same on the
// machine where they were recorded.
class Recorded : public Machines {
  protected:
    void load_with_output(const std::string &device) {
        load(device);
        std::ifstream stream(source_tree() / "user/tests/machines" / (device + ".output"));
        ASSERT_TRUE(stream) << device;
        std::string command;
        std::string text;
        for (std::string line; std::getline(stream, line);) {
            if (line.rfind("$ ", 0) == 0) {
                command = std::exchange(line, "").substr(2);
                text.clear();
            } else if (!command.empty()) {
                text += line + "\n";
                says(command, text);
            }
        }
    }
};

TEST_F(Recorded, devices_are_shown_as_their_programs_show_them) {
    const std::string hca = "simhca0  MT4123, firmware 20.31.1014\n"
                            "  node GUID b8ce:f603:0000:0000\n"
                            "  system image GUID b8ce:f603:0000:0000\n"
                            "  CA by InfiniBand, 2 ports, PSID MT_0000000223, hardware version 0, "
                            "vendor 0x02c9, part 4123\n"
                            "  in use: 0 cm_id, 6 cq, 0 ctx, 0 mr, 4 pd, 6 qp, 2 srq\n"
                            "  port 1  active, 200 Gb/s, 4X HDR: 200 Gb/s of data\n"
                            "          LID 0x1, subnet manager at LID 0x1\n"
                            "          link layer InfiniBand, physical state LinkUp\n"
                            "          port GUID b8ce:f603:0000:0001, LMC 0\n"
                            "          MTU 4096, at most 4096\n"
                            "          capability mask 0x02014822: subnet manager, extended "
                            "speeds, connection manager, client reregistration\n"
                            "          GID 0  fe80:0000:0000:0000:b8ce:f603:0000:0001\n"
                            "  port 2  active, 200 Gb/s, 4X HDR: 200 Gb/s of data\n"
                            "          LID 0x2, subnet manager at LID 0x1\n"
                            "          link layer InfiniBand, physical state LinkUp\n"
                            "          port GUID b8ce:f603:0000:0002, LMC 0\n"
                            "          MTU 4096, at most 4096\n"
                            "          capability mask 0x02014820: extended speeds, connection "
                            "manager, client reregistration\n"
                            "          GID 0  fe80:0000:0000:0000:b8ce:f603:0000:0002\n";
    const std::string soft =
        "rxe0  Soft-RoCE (rxe) on eth0\n"
        "  node GUID 5054:00ff:fe00:0002\n"
        "  system image GUID 5054:00ff:fe00:0002\n"
        "  CA by RoCE, 1 port, vendor 0xffffff, part 0\n"
        "  in use: 2 cm_id, 3 cq, 0 ctx, 128 mr, 3 pd, 3 qp, 0 srq\n"
        "  port 1  active, 2.5 Gb/s\n"
        "          link layer Ethernet, physical state LinkUp\n"
        "          MTU 4096, at most 4096\n"
        "          capability mask 0x00010000: connection manager\n"
        "          GID 0  fe80:0000:0000:0000:5054:00ff:fe00:0002  RoCE v2  eth0\n"
        "          GID 1  0000:0000:0000:0000:0000:ffff:0a00:0002  RoCE v2  eth0\n"
        "          GID 2  fd00:0000:0000:0000:0000:0000:0000:0002  RoCE v2  eth0\n";
    load_with_output("simhca0");
    EXPECT_EQ(run({"show", "simhca0"}), 0) << err();
    EXPECT_EQ(out(), hca);
    load_with_output("rxe0");
    EXPECT_EQ(run({"show", "rxe0"}), 0) << err();
    EXPECT_EQ(out(), soft);
    EXPECT_EQ(run({"show", "--long"}), 0) << err();
    EXPECT_EQ(out(), soft + "\n" + hca);
}

} // namespace
} // namespace causeway
