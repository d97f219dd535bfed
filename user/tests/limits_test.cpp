// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the limits of locked memory, and of the kernel modules that a kernel lacks.
#include "fixture.h"

namespace causeway {
namespace {

namespace fs = std::filesystem;

constexpr const char *limits_header =
    "# Written by \"causeway limits set\"; \"causeway undo\" takes it back.\n";

class Limits : public CommandTest {
  protected:
    void SetUp() override { fs::create_directories(root / "run/systemd/system"); }

    fs::path memlock() const { return root / "etc/security/limits.d/causeway-memlock.conf"; }
    fs::path dropin(const std::string &service) const {
        return root / ("etc/systemd/system/" + service + ".service.d/causeway-memlock.conf");
    }
    bool says(const std::string &text) const { return err().find(text) != std::string::npos; }
};

TEST_F(Limits, of_other_names_stay) {
    EXPECT_EQ(run({"limits", "set", "--for", "@hpc"}), 0) << err();
    EXPECT_EQ(run({"limits", "set", "--for", "root", "--dry-run"}), 0) << err();
    EXPECT_EQ(out().find("-@hpc"), std::string::npos) << out();
    EXPECT_EQ(run({"limits", "set", "--for", "root"}), 0) << err();
    EXPECT_EQ(read_file(memlock()),
              std::string(limits_header) + "@hpc - memlock unlimited\nroot - memlock unlimited\n");
    // Another value of a name replaces the old one; a dry run shows both.
    EXPECT_EQ(run({"limits", "set", "1G", "--for", "@hpc", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("-@hpc - memlock unlimited\n+@hpc - memlock 1048576\n"), std::string::npos)
        << out();
    EXPECT_EQ(run({"limits", "set", "1G", "--for", "@hpc"}), 0) << err();
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(read_file(memlock()), std::string(limits_header) + "@hpc - memlock unlimited\n");
}

TEST_F(Limits, keep_the_lines_of_an_administrator) {
    write_file(memlock(),
               std::string(limits_header) + "@hpc soft memlock 1024 # mine\nbob - nofile 9\n");
    EXPECT_EQ(run({"limits", "set", "2M", "--for", "alice"}), 0) << err();
    EXPECT_EQ(read_file(memlock()), std::string(limits_header) +
                                        "@hpc soft memlock 1024 # mine\nbob - nofile 9\n"
                                        "alice - memlock 2048\n");
    EXPECT_EQ(run({"limits", "unset", "@hpc", "alice"}), 0) << err();
    EXPECT_EQ(read_file(memlock()), std::string(limits_header) + "bob - nofile 9\n");
}

TEST_F(Limits, are_removed_by_name_and_by_service) {
    ASSERT_EQ(run({"limits", "set", "--for", "@hpc", "root", "--service", "slurmd"}), 0) << err();
    ASSERT_EQ(run({"limits", "set", "1G", "--service", "glusterd.service"}), 0) << err();
    EXPECT_EQ(run({"limits", "unset", "root", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("-root - memlock unlimited\n"), std::string::npos) << out();
    EXPECT_NE(read_file(memlock()).find("root"), std::string::npos);
    EXPECT_EQ(run({"limits", "unset", "root"}), 0) << err();
    EXPECT_EQ(read_file(memlock()), std::string(limits_header) + "@hpc - memlock unlimited\n");
    EXPECT_TRUE(fs::exists(dropin("slurmd")));
    EXPECT_EQ(run({"limits", "unset", "--service", "slurmd.service"}), 0) << err();
    EXPECT_FALSE(fs::exists(dropin("slurmd")));
    EXPECT_TRUE(fs::exists(memlock()));
    EXPECT_EQ(processes.log.back(), "systemctl daemon-reload");
    EXPECT_EQ(run({"limits", "unset", "@hpd", "--service", "slurmd"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: \"causeway limits set\" has set none of these limits\n");
    EXPECT_EQ(run({"limits", "unset"}), 0) << err();
    EXPECT_FALSE(fs::exists(memlock()));
    EXPECT_FALSE(fs::exists(dropin("glusterd")));
    EXPECT_EQ(run({"limits", "unset"}), 0) << err();
    EXPECT_EQ(out(), "nothing to do: \"causeway limits set\" has set no limit\n");
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(read_file(memlock()), std::string(limits_header) + "@hpc - memlock unlimited\n");
    EXPECT_TRUE(fs::exists(dropin("glusterd")));
}

TEST_F(Limits, of_a_file_that_causeway_did_not_write_stay) {
    write_file(memlock(), "@hpc - memlock 1\n");
    EXPECT_EQ(run({"limits", "unset", "@hpc"}), 0) << err();
    EXPECT_EQ(run({"limits", "unset"}), 0) << err();
    EXPECT_EQ(read_file(memlock()), "@hpc - memlock 1\n");
}

TEST_F(Limits, are_listed_with_those_of_others) {
    EXPECT_EQ(run({"limits", "list"}), 0);
    EXPECT_EQ(out(), "no file sets how much memory programs may lock\n");
    write_file(root / "etc/security/limits.conf",
               "* soft memlock 64\nbob - nofile 9\n#x - memlock 1\n");
    ASSERT_EQ(run({"limits", "set", "4G", "--for", "@hpc", "--service", "slurmd"}), 0) << err();
    const auto told = json({"limits", "list"})["limits"];
    ASSERT_EQ(told.size(), 3U) << told;
    EXPECT_EQ(told[0]["for"], "*");
    EXPECT_EQ(told[0]["bytes"], 65536);
    EXPECT_EQ(told[0]["type"], "soft");
    EXPECT_EQ(told[0]["by_causeway"], false);
    EXPECT_EQ(told[1]["for"], "@hpc");
    EXPECT_EQ(told[1]["bytes"], std::uint64_t{4} << 30U);
    EXPECT_EQ(told[1]["by_causeway"], true);
    EXPECT_EQ(told[1]["file"], memlock().string());
    EXPECT_EQ(told[2]["for"], "slurmd");
    EXPECT_EQ(told[2]["service"], true);
    EXPECT_EQ(told[2]["bytes"], std::uint64_t{4} << 30U);
    ASSERT_EQ(run({"limits", "set", "--service", "slurmd"}), 0) << err();
    const auto unlimited = json({"limits", "list"})["limits"][2];
    EXPECT_EQ(unlimited["unlimited"], true);
    EXPECT_EQ(unlimited["bytes"], nullptr);
}

/* ---- modules ---- */

TEST_F(Limits, modules_that_this_kernel_lacks_are_marked) {
    modules.there.insert("ib_umad");
    processes.acts["modprobe --dry-run --quiet -- ib_ipoib"] = [] {
        return FakeProcesses::failure("", 1);
    };
    const auto told = json({"modules", "list"})["modules"];
    const auto available = [&](const std::string &name) {
        const auto found = std::find_if(told.begin(), told.end(),
                                        [&](const auto &each) { return each["name"] == name; });
        return found == told.end() ? nlohmann::json("not listed") : (*found)["available"];
    };
    EXPECT_EQ(available("ib_ipoib"), false);
    EXPECT_EQ(available("rdma_rxe"), true);
    EXPECT_FALSE(processes.ran("modprobe --dry-run --quiet -- ib_umad"));
    EXPECT_EQ(run({"modules", "list"}), 0);
    EXPECT_NE(out().find("this kernel lacks it"), std::string::npos) << out();
    // The error of a known module does not send the user to a list that has the module.
    EXPECT_EQ(run({"modules", "enable", "ib_ipoib"}), 69);
    EXPECT_TRUE(says("this kernel has no module ib_ipoib\n  another package may have it: "))
        << err();
    EXPECT_TRUE(says("kernel-modules-extra")) << err();
    processes.missing.insert("modprobe");
    EXPECT_EQ(json({"modules", "list"})["modules"][0]["available"], nullptr);
}

TEST_F(Limits, say_where_an_option_took_the_operand) {
    processes.acts["getent passwd 4G"] = [] { return FakeProcesses::failure("", 2); };
    EXPECT_EQ(run({"limits", "set", "--for", "root", "4G"}), 69);
    EXPECT_TRUE(says("there is no user 4G")) << err();
    EXPECT_TRUE(says("4G was taken as a value of --for: give operands before the options"))
        << err();
    EXPECT_EQ(run({"modules", "enable"}), 64);
    EXPECT_FALSE(says("was taken as")) << err();
    EXPECT_EQ(run({"export", "add", "--ram", "1M", "--allow", "10.0.0.0/8", "scratch"}), 64);
    EXPECT_TRUE(says("scratch was taken as a value of --allow")) << err();
    // A list with commas is one word, and an operand that was found needs no advice.
    EXPECT_EQ(run({"limits", "set", "1X", "--for", "root", "bob"}), 64);
    EXPECT_FALSE(says("was taken as")) << err();
}

} // namespace
} // namespace causeway
