// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of show, doctor and explain on machines as sysfs shows them. tests/machines has one file
// for each machine, with a line for each file below /sys. The command reads sysfs only through
// KernelFiles, so this file is enough to simulate such a machine. The test adds what sysfs does not
// have (addresses, services, NFS).
#include "fixture.h"

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

    bool shows(const std::string &text) {
        EXPECT_EQ(run({"show"}), 0) << err();
        return out().find(text) != std::string::npos;
    }
};

TEST_F(Machines, connectx_of_revision_a0) {
    load("connectx2-a0");
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

TEST_F(Machines, connectx5_on_infiniband) {
    load("connectx5-infiniband");
    EXPECT_TRUE(shows("active, 100 Gb/s, 4X EDR: 100 Gb/s of data")) << out();
    EXPECT_EQ(json({"show"})["devices"][0]["ports"][0]["gids"][0]["type"], "IB");
    EXPECT_EQ(found(), Ids{});
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mode", "connected"}), 69);
    EXPECT_EQ(run({"explain", "mode", "ib0"}), 0);
    EXPECT_NE(out().find("datagram mode"), std::string::npos) << out();
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

} // namespace
} // namespace causeway
