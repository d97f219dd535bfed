// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of targets with several exports and portals, and of the options of backends.
#include "stock/configfs.h"
#include "stock_fixture.h"

namespace causeway {
namespace {

class StockTargets : public Stock {
  protected:
    // Adds a second export to the target of scratch.
    std::vector<std::string> add_other(const std::string &via, const std::string &target,
                                       std::vector<std::string> more = {}) {
        const std::string image = (root / "other.img").string();
        write_file(image, std::string(8192, 'y'));
        std::vector<std::string> words = {"export", "add", "other",    "--file", image,
                                          "--via",  via,   "--target", target};
        words.insert(words.end(), more.begin(), more.end());
        return with_clients(words);
    }
    void have_ipv6(const std::string &only = "0") {
        put("/proc/sys/net/ipv6/conf/all/disable_ipv6", "0");
        put("/proc/sys/net/ipv6/bindv6only", only);
    }
    nlohmann::json exports() { return json({"export", "list"})["stock"]; }

    std::string group = "/target/iscsi/" + iqn + "/tpgt_1";
};

TEST_F(StockTargets, iscsi_exports_are_luns_of_one_target) {
    ASSERT_EQ(run(add("iser", {"--initiator", client_iqn})), 0) << err();
    EXPECT_EQ(run(add_other("iser", iqn, {"--initiator", client_iqn})), 0) << err();
    EXPECT_NE(out().find("causeway attach SERVER/other --via iser --target " + iqn + "\n"),
              std::string::npos)
        << out();
    EXPECT_EQ(link(group + "/lun/lun_1/causeway"), config + "/target/core/fileio_4793/other");
    EXPECT_EQ(link(group + "/acls/" + client_iqn + "/lun_1/causeway"),
              config + group + "/lun/lun_1");
    EXPECT_EQ(exports()[0]["lun"], 1);
    EXPECT_EQ(exports()[1]["lun"], nullptr);

    // A portal or group that is made again would end the sessions of the first export.
    const auto count = [&](const std::string &line) {
        return std::count(files.writes.begin(), files.writes.end(), line);
    };
    EXPECT_EQ(count(config + group + "/enable 1\n"), 1);
    EXPECT_EQ(count(config + group + "/np/0.0.0.0:3260/iser 1\n"), 1);

    // Each removal takes one LUN, also that of the export which made the target.
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_FALSE(exists(files, config + group + "/lun/lun_0"));
    EXPECT_FALSE(exists(files, config + group + "/acls/" + client_iqn + "/lun_0"));
    EXPECT_EQ(value(group + "/enable"), "1\n");
    EXPECT_EQ(link(group + "/acls/" + client_iqn + "/lun_1/causeway"),
              config + group + "/lun/lun_1");
    EXPECT_TRUE(exists(files, config + group + "/np/0.0.0.0:3260"));
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(exists(files, config + group + "/lun/lun_0/causeway"));
    EXPECT_EQ(count(config + group + "/enable 1\n"), 1);

    // A reboot brings each back with its number.
    std::filesystem::remove_all(root / "run/causeway");
    const auto before = files.symlinks;
    files.folders.clear();
    files.symlinks.clear();
    drop(config);
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(files.symlinks, before);
    EXPECT_EQ(run({"export", "remove", "other"}), 0) << err();
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_TRUE(nothing_left());
}

TEST_F(StockTargets, exports_of_one_target_end_one_after_the_other_at_a_stop) {
    ASSERT_EQ(run(add("iscsi", {"--initiator", client_iqn})), 0) << err();
    ASSERT_EQ(run(add_other("iscsi", iqn, {"--initiator", client_iqn})), 0) << err();
    ASSERT_EQ(run({"export", "add", "third", "--ram", "1M", "--via", "iscsi", "--allow", "any"}), 0)
        << err();
    processes.limits.clear();
    EXPECT_EQ(run({"stop"}), 0) << err();
    // Two rounds: "other" and "third" at the same time, then "scratch".
    EXPECT_EQ(processes.limits.size(), 2U);
    EXPECT_EQ(processes.log.back(), "/proc/self/exe stop-stock-export scratch");
    EXPECT_TRUE(nothing_left());
}

TEST_F(StockTargets, a_client_of_one_lun_does_not_hold_the_other) {
    ASSERT_EQ(run(add("iscsi", {"--initiator", client_iqn})), 0) << err();
    const std::string second_iqn = "iqn.1993-08.org.debian:01:other";
    ASSERT_EQ(run(add_other("iscsi", iqn, {"--initiator", second_iqn, "--lun", "7"})), 0) << err();
    put(config + group + "/acls/" + second_iqn + "/info", "InitiatorName: " + second_iqn);
    EXPECT_EQ(exports()[0]["connected"].size(), 1U);
    EXPECT_EQ(exports()[1]["connected"].size(), 0U);
    EXPECT_EQ(run({"export", "remove", "other"}), 75);
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_TRUE(exists(files, config + group + "/lun/lun_7"));
}

TEST_F(StockTargets, nvme_exports_are_namespaces_of_one_subsystem) {
    ASSERT_EQ(run(add("nvme", {"--initiator", client_nqn})), 0) << err();
    const std::string subsystem = "/nvmet/subsystems/" + nqn;
    const std::string serial = value(subsystem + "/attr_serial");
    EXPECT_EQ(run(add_other("nvme", nqn, {"--initiator", client_nqn})), 0) << err();
    EXPECT_EQ(value(subsystem + "/namespaces/2/device_path"), (root / "other.img").string() + "\n");
    EXPECT_EQ(value(subsystem + "/attr_serial"), serial);
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_FALSE(exists(files, config + subsystem + "/namespaces/1"));
    EXPECT_EQ(link("/nvmet/ports/1/subsystems/" + nqn), config + subsystem);
    EXPECT_EQ(link(subsystem + "/allowed_hosts/" + client_nqn),
              config + "/nvmet/hosts/" + client_nqn);
    EXPECT_EQ(run({"export", "remove", "other"}), 0) << err();
    EXPECT_TRUE(nothing_left());
}

TEST_F(StockTargets, exports_that_do_not_fit_together_are_refused) {
    ASSERT_EQ(run(add("iscsi", {"--initiator", client_iqn})), 0) << err();
    const auto refused = [&](const std::vector<std::string> &words, int code,
                             const std::string &saying) {
        EXPECT_EQ(run(words), code) << saying;
        EXPECT_NE(err().find(saying), std::string::npos) << err();
    };
    refused(add_other("iser", iqn, {"--initiator", client_iqn}), 1,
            "'scratch' there goes by iSCSI");
    refused(add_other("iscsi", iqn), 1, "admits only initiators that are named");
    refused(add_other("iscsi", iqn, {"--initiator", client_iqn, "--portal", "10.0.0.1"}), 1,
            "has the portals 0.0.0.0:3260");
    refused(add_other("iscsi", iqn, {"--initiator", client_iqn, "--lun", "0"}), 1,
            "the number 0 of " + iqn + " is that of another export");
    refused(add_other("iscsi", iqn, {"--initiator", client_iqn, "--lun", "256"}), 64, "--lun");
    const std::string foreign = "iqn.2003-01.org.example:foreign";
    files.folders.insert(config + "/target/iscsi/" + foreign);
    refused(add_other("iscsi", foreign), 1, "and another program made it");
    refused(add_other("nvme", "nqn.2026-01.org.example:x", {"--lun", "0"}), 64, "has no number 0");
    refused({"export", "set", "scratch", "--allow", "any", "--via", "nvme"}, 1, "not by NVMe");
    ASSERT_EQ(run(add_other("iscsi", iqn, {"--initiator", client_iqn})), 0) << err();
    refused({"export", "set", "scratch", "--allow", "any"}, 1, "has the export 'other' too");
}

// The objects that another export needs stay when the kernel refuses the second export.
TEST_F(StockTargets, an_export_that_fails_leaves_the_target_of_the_other) {
    ASSERT_EQ(run(add("iscsi", {"--initiator", client_iqn})), 0) << err();
    const auto folders = files.folders;
    files.refuse[config + group + "/acls/" + client_iqn + "/lun_1/write_protect"] =
        Error{ExitCode::failed, "cannot write write_protect: Invalid argument", "", EINVAL};
    files.writes.clear();
    EXPECT_EQ(run(add_other("iscsi", iqn, {"--initiator", client_iqn})), 1);
    EXPECT_EQ(files.folders, folders);
    EXPECT_EQ(std::count(files.writes.begin(), files.writes.end(),
                         "rmdir " + config + group + "/np/0.0.0.0:3260"),
              0);
    EXPECT_EQ(value(group + "/enable"), "1\n");
}

/* ---- portals ---- */

TEST_F(StockTargets, listen_by_ipv6_too_where_the_host_has_ipv6) {
    have_ipv6();
    EXPECT_EQ(run(add("iscsi")), 0) << err();
    // A socket of IPv6 accepts IPv4 too, and a second one could not listen.
    EXPECT_EQ(exports()[0]["portals"], nlohmann::json::array({"[::]:3260"}));
    EXPECT_TRUE(exists(files, config + group + "/np/[::]:3260"));
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_EQ(run(add("iser")), 0) << err();
    EXPECT_EQ(exports()[0]["portals"], nlohmann::json::array({"0.0.0.0:3260"}));
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_EQ(run(add("nvme")), 0) << err();
    EXPECT_EQ(exports()[0]["portals"], nlohmann::json::array({"0.0.0.0:4420", "[::]:4420"}));
    EXPECT_EQ(value("/nvmet/ports/1/addr_adrfam"), "ipv4\n");
    EXPECT_EQ(value("/nvmet/ports/2/addr_adrfam"), "ipv6\n");
    EXPECT_EQ(link("/nvmet/ports/2/subsystems/" + nqn), config + "/nvmet/subsystems/" + nqn);
    // An export that was added before keeps its portals.
    put("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
    EXPECT_EQ(run(add("nvme")), 0) << err();
    EXPECT_NE(out().find("nothing to do"), std::string::npos) << out();
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    have_ipv6("1");
    EXPECT_EQ(run(add("nvme-tcp")), 0) << err();
    EXPECT_EQ(exports()[0]["portal"], "0.0.0.0:4420");
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_TRUE(nothing_left());
}

TEST_F(StockTargets, have_the_portals_that_are_given) {
    EXPECT_EQ(run(add("iser", {"--portal", "10.0.0.1", "--portal", "[fd00::1]:3261"})), 0) << err();
    EXPECT_EQ(value(group + "/np/10.0.0.1:3260/iser"), "1\n");
    EXPECT_EQ(value(group + "/np/[fd00::1]:3261/iser"), "1\n");
    EXPECT_EQ(run(add("iser", {"--portal", "10.0.0.1", "[fd00::1]:3261"})), 0) << err();
    EXPECT_NE(out().find("nothing to do"), std::string::npos) << out();
    EXPECT_EQ(run(add("iser", {"--portal", "10.0.0.1"})), 1);
    EXPECT_NE(err().find("the portal is 10.0.0.1:3260, [fd00::1]:3261, not 10.0.0.1:3260"),
              std::string::npos)
        << err();
    std::filesystem::remove_all(root / "run/causeway");
    files.folders.clear();
    files.symlinks.clear();
    drop(config);
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(value(group + "/np/[fd00::1]:3261/iser"), "1\n");
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_TRUE(nothing_left());
    std::vector<std::string> many;
    for (int i = 1; i <= 17; i++) {
        many.insert(many.end(), {"--portal", "10.0.0." + std::to_string(i)});
    }
    EXPECT_EQ(run(add("iscsi", many)), 64);
    EXPECT_NE(err().find("17 portals are too many"), std::string::npos) << err();
    EXPECT_EQ(
        run(add("srp", {"--initiator", "505400fffe000002", "--portal", "10.0.0.1", "10.0.0.2"})),
        64);
    EXPECT_NE(err().find("SRP has one listener"), std::string::npos) << err();
}

/* ---- backends ---- */

TEST_F(StockTargets, backends_have_the_options_of_lio) {
    EXPECT_EQ(run(add("iscsi", {"--buffered", "--block-size", "4096", "--unmap"})), 0) << err();
    const std::string store = "/target/core/fileio_4793/scratch";
    EXPECT_EQ(value(store + "/control"),
              "fd_dev_name=" + disk() + ",fd_dev_size=8192,fd_buffered_io=1\n");
    EXPECT_EQ(value(store + "/attrib/block_size"), "4096\n");
    EXPECT_EQ(value(store + "/attrib/emulate_tpu"), "1\n");
    EXPECT_EQ(exports()[0]["block_size"], 4096);
    EXPECT_EQ(exports()[0]["buffered"], true);
    EXPECT_EQ(exports()[0]["unmap"], true);
    EXPECT_EQ(run(add("iscsi")), 1);
    EXPECT_NE(err().find("buffered is on, not off"), std::string::npos) << err();
    EXPECT_NE(err().find("the block size is 4096, not that of the backend"), std::string::npos)
        << err();
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();

    EXPECT_EQ(run(add("nvme", {"--buffered"})), 0) << err();
    EXPECT_EQ(value("/nvmet/subsystems/" + nqn + "/namespaces/1/buffered_io"), "1\n");
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    const auto refused = [&](const std::vector<std::string> &words, const std::string &saying) {
        EXPECT_EQ(run(words), 64) << saying;
        EXPECT_NE(err().find(saying), std::string::npos) << err();
    };
    refused(add("nvme", {"--unmap"}), "without --unmap");
    refused(add("nvme", {"--block-size", "4096"}), "nvmet takes the block size");
    refused(add("iscsi", {"--block-size", "4k"}), "give 512, 1024, 2048 or 4096");
    refused({"export", "add", "m", "--ram", "1M", "--via", "iscsi", "--allow", "any", "--buffered"},
            "--buffered is of --file");
    refused({"export", "add", "m", "--ram", "1M", "--allow", "any", "--unmap"},
            "--unmap goes with --via only");
    EXPECT_TRUE(nothing_left());
}

} // namespace
} // namespace causeway
