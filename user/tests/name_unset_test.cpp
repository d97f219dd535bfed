// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the verbs that list the kept names and remove them.
#include "ipoib_host.h"

namespace causeway {
namespace {

namespace fs = std::filesystem;

class KeptNames : public IpoibHost {
  protected:
    void SetUp() override {
        IpoibHost::SetUp();
        files.content["/sys/class/net/ib0/flags"] = "0x1002\n";
        rdma.put("mlx4_0", "node_guid", "0002:c903:0010:1200");
        rdma.put("mlx4_0", "device/vendor", "0x15b3");
    }

    fs::path interface_rules() const { return root / "etc/udev/rules.d/70-causeway-ipoib.rules"; }
    fs::path device_rules() const { return root / "etc/udev/rules.d/59-causeway-rdma-names.rules"; }
};

TEST_F(KeptNames, are_listed_with_their_guids) {
    EXPECT_EQ(run({"name", "list"}), 0);
    EXPECT_EQ(out(), "\"causeway name set\" keeps no name\n");
    ASSERT_EQ(run({"name", "set", "ib0", "store0"}), 0) << err();
    ASSERT_EQ(run({"name", "set", "mlx4_0", "hca0", "--rdma"}), 0) << err();
    const auto told = json({"name", "list"})["names"];
    ASSERT_EQ(told.size(), 2U) << told;
    EXPECT_EQ(told[0], (nlohmann::json{{"name", "store0"},
                                       {"kind", "interface"},
                                       {"guid", "00:02:c9:03:00:10:12:34"},
                                       {"now", "ib0"}}));
    EXPECT_EQ(told[1], (nlohmann::json{{"name", "hca0"},
                                       {"kind", "device"},
                                       {"guid", "0002:c903:0010:1200"},
                                       {"now", "hca0"}}));
    ASSERT_TRUE(rdma.remove("hca0"));
    EXPECT_EQ(json({"name", "list"})["names"][1]["now"], nullptr);
}

TEST_F(KeptNames, are_removed_one_by_one) {
    ASSERT_EQ(run({"name", "set", "ib0", "store0"}), 0) << err();
    const std::string another = "ACTION==\"add\", ATTR{address}==\"?*00:02:c9:03:00:10:99:99\", "
                                "NAME=\"store1\"\n";
    write_file(interface_rules(), read_file(interface_rules()) + another);
    EXPECT_EQ(run({"name", "unset", "store0", "--dry-run"}), 0) << err();
    EXPECT_NE(read_file(interface_rules()).find("store0"), std::string::npos);
    EXPECT_EQ(run({"name", "unset", "store0"}), 0) << err();
    EXPECT_NE(out().find("store0 is called so until it appears anew"), std::string::npos) << out();
    EXPECT_EQ(read_file(interface_rules()),
              "# Written by \"causeway name set\"; \"causeway undo\" takes it back.\n" + another);
    EXPECT_EQ(run({"name", "unset", "store1"}), 0) << err();
    EXPECT_FALSE(fs::exists(interface_rules()));
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_NE(read_file(interface_rules()).find("store1"), std::string::npos);
}

TEST_F(KeptNames, of_devices_and_interfaces_are_kept_apart) {
    ASSERT_EQ(run({"name", "set", "mlx4_0", "hca0", "--rdma"}), 0) << err();
    EXPECT_EQ(run({"name", "unset", "hca0"}), 64);
    EXPECT_TRUE(says("causeway name unset hca0 --rdma")) << err();
    EXPECT_EQ(run({"name", "unset", "hca1", "--rdma"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: \"causeway name set\" keeps no name hca1\n");
    EXPECT_EQ(run({"name", "unset", "hca0", "--rdma"}), 0) << err();
    EXPECT_FALSE(fs::exists(device_rules()));
    EXPECT_EQ(run({"name", "unset", "hca0", "--rdma"}), 0) << err();
    write_file(device_rules(), "# an administrator's\n, NAME_FIXED hca0\"\n");
    EXPECT_EQ(run({"name", "unset", "hca0", "--rdma"}), 0) << err();
    EXPECT_NE(read_file(device_rules()), "");
}

TEST_F(KeptNames, that_settings_need_are_warned_of) {
    boot_ifupdown();
    ASSERT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.1/24"}), 0) << err();
    ASSERT_EQ(run({"name", "set", "ib0", "store0"}), 0) << err();
    ASSERT_TRUE(fs::exists(record("store0")));
    EXPECT_EQ(run({"name", "unset", "store0"}), 0) << err();
    EXPECT_TRUE(says("causeway keeps settings of store0")) << err();
}

} // namespace
} // namespace causeway
