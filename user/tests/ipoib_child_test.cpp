// SPDX-License-Identifier: GPL-2.0-or-later
// P_Key children of an interface: which program makes them, which keeps them, and how the profile
// of the parent names them.
#include "ipoib_host.h"

#include <cerrno>

namespace causeway {
namespace {

namespace fs = std::filesystem;

class IpoibChildren : public IpoibHost {};

// The child was made by "ip link add" or an administrator, so there is no record.
TEST_F(IpoibChildren, a_child_without_a_record_is_kept_as_a_child) {
    files.add_ipoib("ib0.8001", "0x8001");
    files.content["/sys/class/net/ib0.8001/parent"] = "ib0\n";
    processes.acts["ip -json address show dev ib0"] = [] {
        ProcessEnd end;
        end.out = R"([{"addr_info":[{"family":"inet","local":"10.0.0.1","prefixlen":24,)"
                  R"("scope":"global"}]}])";
        return end;
    };
    processes.acts["ip -json address show dev ib0.8001"] = [] { return ProcessEnd{}; };
    for (const std::vector<std::string> &words :
         {std::vector<std::string>{"ipoib", "addr", "ib0.8001", "10.2.0.1/24"},
          {"ipoib", "set", "ib0.8001", "--mtu", "1500"}}) {
        auto with = [&](const char *backend) {
            auto all = words;
            all.insert(all.end(), {"--backend", backend});
            EXPECT_EQ(run(all), 0) << err();
        };
        with("nm");
        EXPECT_NE(read_file(keyfile("ib0.8001")).find("p-key=32769\nparent=ib0\n"),
                  std::string::npos)
            << read_file(keyfile("ib0.8001"));
        ASSERT_EQ(run({"undo", "--last"}), 0) << err();
        with("networkd");
        EXPECT_TRUE(fs::exists(network("ib0.8001.netdev")));
        // The parent's profile names the child, and has the parent's present settings.
        const std::string parent = read_file(network("ib0.network"));
        EXPECT_NE(parent.find("Address=10.0.0.1/24\n"), std::string::npos) << parent;
        EXPECT_NE(parent.find("IPoIB=ib0.8001\n"), std::string::npos) << parent;
        ASSERT_EQ(run({"undo", "--last"}), 0) << err();
    }
}

TEST_F(IpoibChildren, networkd_gets_no_parent_without_its_addresses) {
    answers("ip -json address show dev ib0",
            R"([{"addr_info":[{"family":"inet","local":"10.0.0.1","prefixlen":24}]}])");
    const auto add = [&](const char *backend) {
        return run({"ipoib", "child", "add", "ib0", "0x8001", "--backend", backend});
    };
    const auto set = [&](const char *name, const char *mtu, const char *backend) {
        return run({"ipoib", "set", name, "--mtu", mtu, "--backend", backend});
    };
    // A child that moves from another manager takes its parent along.
    ASSERT_EQ(add("nm"), 0) << err();
    ASSERT_EQ(set("ib0.8001", "1500", "networkd"), 0) << err();
    EXPECT_NE(read_file(network("ib0.network")).find("Address=10.0.0.1/24\n"), std::string::npos)
        << read_file(network("ib0.network"));
    // The parent alone cannot move to another manager.
    EXPECT_EQ(set("ib0", "1500", "nm"), 64);
    EXPECT_TRUE(says("ib0.8001")) << err();
    ASSERT_EQ(run({"undo", "--last"}), 0) << err();
    ASSERT_EQ(run({"undo", "--last"}), 0) << err();

    ASSERT_EQ(set("ib0", "1500", "nm"), 0) << err();
    EXPECT_EQ(add("networkd"), 64);
    EXPECT_TRUE(says("ib0 has a profile of NetworkManager")) << err();
    EXPECT_TRUE(says("--backend nm")) << err();
    EXPECT_FALSE(fs::exists(network("ib0.network")));
    EXPECT_FALSE(there("ib0.8001"));
    ASSERT_EQ(add("nm"), 0) << err();
    EXPECT_EQ(set("ib0.8001", "1500", "networkd"), 64);
    ASSERT_EQ(set("ib0", "1500", "networkd"), 0) << err();
    EXPECT_EQ(set("ib0.8001", "1500", "networkd"), 0) << err();
}

TEST_F(IpoibChildren, contents_of_a_parents_profile_are_reported) {
    boot("systemd-networkd.service");
    answers("ip -json address show dev ib0",
            R"([{"addr_info":[{"family":"inet","local":"10.0.0.1","prefixlen":24},
                              {"family":"inet","local":"10.0.0.200","prefixlen":32}]}])");
    for (const std::vector<std::string> &words :
         {std::vector<std::string>{"ipoib", "child", "add", "ib0", "0x8001"},
          {"ipoib", "addr", "ib0.8001", "10.2.0.1/24"},
          {"ipoib", "set", "ib0.8001", "--mtu", "1500"}}) {
        ASSERT_EQ(run(words), 0) << err();
        EXPECT_NE(out().find("kept, as ib0 has it now: the address 10.0.0.200/32\n"),
                  std::string::npos)
            << out();
        EXPECT_TRUE(says("leave it out with --without 10.0.0.200")) << err();
        if (words[1] != "child") {
            ASSERT_EQ(run({"undo", "--last"}), 0) << err();
        }
        // The next manager finds the child without a profile.
        fs::remove_all(root / "etc");
        fs::remove_all(root / "var");
        auto without = words;
        without.insert(without.end(), {"--without", "10.0.0.200"});
        const auto told = json(without);
        EXPECT_EQ(status, 0) << err();
        EXPECT_EQ(told.value("kept_of_parent", nlohmann::json()),
                  nlohmann::json{"the address 10.0.0.1/24"})
            << told;
        EXPECT_FALSE(says("10.0.0.200")) << err();
        EXPECT_EQ(read_file(network("ib0.network")).find("10.0.0.200"), std::string::npos);
        fs::remove_all(root / "etc");
        fs::remove_all(root / "var");
        files.add_ipoib("ib0.8001", "0x8001");
        files.content["/sys/class/net/ib0.8001/parent"] = "ib0\n";
    }
}

TEST_F(IpoibChildren, a_child_that_networkmanager_would_not_take_is_refused) {
    files.add_ipoib("ibp193s0f0n", "0xffff");
    EXPECT_EQ(run({"ipoib", "child", "add", "ibp193s0f0n", "0x8001", "--backend", "nm"}), 69);
    EXPECT_TRUE(says("10")) << err();
    EXPECT_TRUE(says("causeway name set ibp193s0f0n ib0")) << err();
}

TEST_F(IpoibChildren, an_old_networkd_that_knows_no_children_is_said_to_be) {
    boot("systemd-networkd.service");
    processes.acts["networkctl --version"] = [] {
        ProcessEnd end;
        end.out = "systemd 247 (247.3-7+deb11u4)\n+PAM +AUDIT";
        return end;
    };
    EXPECT_EQ(run({"ipoib", "child", "add", "ib0", "0x8001"}), 69);
    EXPECT_TRUE(says("systemd-networkd 247 knows no children of IPoIB: 250 and later do")) << err();
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mode", "connected"}), 0) << err();
}

TEST_F(IpoibChildren, a_child_is_made_kept_and_taken_back) {
    boot("systemd-networkd.service");
    auto told = json({"ipoib", "child", "add", "ib0", "8001", "--mtu", "1500"});
    EXPECT_EQ(status, 0) << err();
    EXPECT_EQ(told["interface"], "ib0.8001");
    EXPECT_TRUE(there("ib0.8001"));
    EXPECT_EQ(files.content["/sys/class/net/ib0.8001/mtu"], "1500\n");
    EXPECT_NE(read_file(network("ib0.network")).find("IPoIB=ib0.8001\n"), std::string::npos);
    EXPECT_TRUE(fs::exists(network("ib0.8001.netdev")));
    EXPECT_EQ(run({"ipoib", "child", "add", "ib0", "0x8001"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: ib0 has the child ib0.8001 already\n");
    EXPECT_EQ(run({"ipoib", "addr", "ib0.8001", "10.1.0.1/24"}), 0) << err();

    EXPECT_EQ(run({"ipoib", "child", "remove", "ib0.8001"}), 0) << err();
    EXPECT_FALSE(there("ib0.8001"));
    EXPECT_FALSE(fs::exists(network("ib0.network")));
    EXPECT_FALSE(fs::exists(network("ib0.8001.netdev")));
    EXPECT_FALSE(fs::exists(record("ib0.8001")));
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(there("ib0.8001"));
    EXPECT_EQ(files.content["/sys/class/net/ib0.8001/mtu"], "1500\n");
    EXPECT_NE(read_file(network("ib0.8001.network")).find("Address=10.1.0.1/24\n"),
              std::string::npos);
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_FALSE(there("ib0.8001"));
    EXPECT_FALSE(fs::exists(record("ib0.8001")));
}

// Without the check, the record took the typed settings and the interface stayed as it was.
TEST_F(IpoibChildren, add_refuses_a_child_that_has_other_settings) {
    const auto add = [&](const std::vector<std::string> &options) {
        std::vector<std::string> words = {"ipoib", "child", "add", "ib0", "0x8001"};
        words.insert(words.end(), options.begin(), options.end());
        return run(words);
    };
    ASSERT_EQ(add({"--no-persist"}), 0) << err();
    EXPECT_EQ(add({"--mtu", "1500", "--no-persist"}), 1);
    EXPECT_TRUE(says("the child ib0.8001 is there with other settings: MTU 2044, not 1500\n"
                     "  causeway ipoib set ib0.8001 --mtu 1500\n"))
        << err();
    EXPECT_EQ(add({"--mode", "connected", "--mtu", "9000"}), 1);
    EXPECT_TRUE(says("mode datagram, not connected; MTU 2044, not 9000\n"
                     "  causeway ipoib set ib0.8001 --mode connected --mtu 9000\n"))
        << err();
    EXPECT_EQ(add({"--mode", "datagram", "--mtu", "2044", "--no-persist"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: ib0 has the child ib0.8001 already\n");

    // The record counts as well as the interface.
    boot("systemd-networkd.service");
    ASSERT_EQ(run({"ipoib", "set", "ib0.8001", "--mtu", "1500"}), 0) << err();
    const std::string kept = read_file(record("ib0.8001"));
    files.content["/sys/class/net/ib0.8001/mtu"] = "2044\n";
    EXPECT_EQ(add({"--mtu", "2044"}), 1);
    EXPECT_TRUE(says("is kept for the next boot with other settings: MTU 1500, not 2044\n"
                     "  causeway ipoib set ib0.8001 --mtu 2044\n"))
        << err();
    files.content.erase("/sys/class/net/ib0.8001/type");
    EXPECT_EQ(add({"--mtu", "2044"}), 1);
    EXPECT_TRUE(says("is kept for the next boot with other settings: MTU 1500, not 2044\n"
                     "  causeway ipoib child add ib0 0x8001, then: causeway ipoib set ib0.8001 "
                     "--mtu 2044\n"))
        << err();
    EXPECT_EQ(read_file(record("ib0.8001")), kept);

    // The MTU of a child in connected mode may be larger than datagram mode takes.
    files.add_ipoib("ib0.8001", "0x8001");
    files.content["/sys/class/net/ib0.8001/mode"] = "connected\n";
    files.content["/sys/class/net/ib0.8001/mtu"] = "65520\n";
    EXPECT_EQ(add({"--mtu", "65520", "--no-persist"}), 0) << err();
}

TEST_F(IpoibChildren, a_child_that_netlink_made_is_removed_by_netlink) {
    files.add_ipoib("ib0.8001", "0x8001");
    files.refuse["/sys/class/net/ib0/delete_child"] =
        Error{ExitCode::failed, "cannot write: No such device", "", ENODEV};
    processes.acts["ip link delete dev ib0.8001"] = [this] {
        files.content.erase("/sys/class/net/ib0.8001/type");
        return ProcessEnd();
    };
    EXPECT_EQ(run({"ipoib", "child", "remove", "ib0.8001"}), 0) << err();
    EXPECT_FALSE(there("ib0.8001"));
}

TEST_F(IpoibChildren, netlink_reports_properties_that_sysfs_lacks) {
    const std::string folder = "/sys/class/net/storage/";
    for (const auto &[file, value] :
         {std::pair("type", "32"), std::pair("flags", "0x1003"), std::pair("mtu", "2044"),
          std::pair("address", "80:00:02:08:fe:80:00:00:00:00:00:00:00:02:c9:03:00:10:12:34")}) {
        files.content[folder + file] = std::string(value) + "\n";
    }
    std::string mode = "datagram";
    processes.acts["ip -details -json link show dev storage"] = [&mode] {
        ProcessEnd end;
        end.out =
            R"([{"ifindex":9,"link":"ib0","ifname":"storage","linkinfo":{"info_kind":"ipoib",)"
            R"("info_data":{"key":"0x8001","mode":")" +
            mode + R"(","umcast":"0000"}}}])";
        return end;
    };
    for (const char *wanted : {"connected", "datagram"}) {
        processes.acts[std::string("ip link set dev storage type ipoib mode ") + wanted] =
            [&mode, wanted] {
                mode = wanted;
                return ProcessEnd();
            };
    }
    auto told = json({"ipoib", "show", "storage"})["interfaces"][0];
    EXPECT_EQ(told["mode"], "datagram") << told;
    EXPECT_EQ(told["pkey"], "0x8001") << told;
    EXPECT_EQ(told["parent"], "ib0") << told;
    EXPECT_EQ(run({"ipoib", "child", "add", "storage", "0x8002"}), 64);
    EXPECT_TRUE(says("storage is a child itself")) << err();

    EXPECT_EQ(run({"ipoib", "set", "storage", "--mode", "connected", "--no-persist"}), 0) << err();
    EXPECT_EQ(mode, "connected");
    EXPECT_EQ(run({"ipoib", "set", "storage", "--mode", "connected", "--no-persist"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: storage has this mode and MTU already\n");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(mode, "datagram");

    // The name has no dot, but the interface is a child.
    told = json({"ipoib", "child", "remove", "storage", "--dry-run"});
    EXPECT_EQ(told["changes"][0]["parent"], "ib0") << told;
    EXPECT_EQ(told["changes"][0]["pkey"], "0x8001") << told;
    EXPECT_EQ(told["changes"][0]["mode"], "datagram") << told;

    // An invalid answer counts as no answer.
    for (const char *said : {"", "{}", "[]", "[7]", R"([{"linkinfo":{"info_data":[]}}])",
                             R"([{"linkinfo":{"info_data":{"mode":7,"key":[]}},"link":{}}])"}) {
        processes.acts["ip -details -json link show dev storage"] = [said] {
            ProcessEnd end;
            end.out = said;
            return end;
        };
        EXPECT_TRUE(json({"ipoib", "show", "storage"})["interfaces"][0]["mode"].is_null()) << said;
        EXPECT_EQ(run({"ipoib", "set", "storage", "--mode", "connected"}), 69) << said;
    }
}

TEST_F(IpoibChildren, a_child_whose_mtu_is_refused_is_not_left_behind) {
    files.refuse["/sys/class/net/ib0.8001/mtu"] =
        Error{ExitCode::failed, "cannot write: Invalid argument", "", EINVAL};
    EXPECT_EQ(run({"ipoib", "child", "add", "ib0", "8001", "--mtu", "4000"}), 1);
    EXPECT_FALSE(there("ib0.8001"));
    EXPECT_FALSE(fs::exists(root / "var/lib/causeway/journal/000001.json"));
}

TEST_F(IpoibChildren, a_child_of_no_partition_is_refused) {
    EXPECT_EQ(run({"ipoib", "child", "add", "ib0", "0x8003"}), 69);
    EXPECT_TRUE(says("mlx4_0 port 1 is in no partition 0x8003: the subnet manager gave it 0xffff, "
                     "0x8001, 0x0002\n  on the host of the subnet manager: causeway sm partition "
                     "add 0x8003"))
        << err();
    EXPECT_EQ(run({"ipoib", "child", "add", "ib0", "0x8002", "--no-persist"}), 0) << err();
    EXPECT_TRUE(says("limited member of 0x8002")) << err();
    EXPECT_EQ(run({"ipoib", "child", "add", "ib0", "0x8000"}), 64);
    EXPECT_EQ(run({"ipoib", "child", "add", "ib0.8002", "0x8001"}), 64);
    EXPECT_TRUE(says("is a child itself")) << err();
    EXPECT_EQ(run({"ipoib", "child", "add", "eth0", "0x8001"}), 69);
    EXPECT_EQ(run({"ipoib", "child", "add", "ib0", "0x8001", "--mtu", "9000"}), 64);
    EXPECT_EQ(run({"ipoib", "child", "remove", "ib0"}), 64);
    EXPECT_EQ(run({"ipoib", "child", "remove", "nothing"}), 69);
    EXPECT_EQ(run({"ipoib", "child", "remove", "ib0.8001"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: there is no interface ib0.8001\n");
}

} // namespace
} // namespace causeway
