// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of who may attach an export by a stock transport: CHAP, and the names of initiators.
#include "stock/chap.h"
#include "stock/configfs.h"
#include "stock/dhchap.h"
#include "stock/target.h"
#include "stock_fixture.h"

namespace causeway {
namespace {

class StockAccess : public Stock {
  protected:
    void SetUp() override {
        Stock::SetUp();
        write_keys(secret, other_secret);
    }

    // All text that a run left in files of Causeway.
    std::string left_behind() const {
        std::string text;
        for (const char *folder : {"etc/causeway", "run/causeway", "var/lib/causeway"}) {
            std::error_code failure;
            for (const auto &entry : std::filesystem::recursive_directory_iterator(
                     root / folder, std::filesystem::directory_options(), failure)) {
                text += entry.is_regular_file() ? read_file(entry.path()) : "";
            }
        }
        return text;
    }

    std::string group = "/target/iscsi/" + iqn + "/tpgt_1";
    std::filesystem::path record() const {
        return root / ("etc/iscsi/nodes/" + iqn + "/10.0.0.1,3260,1/iser");
    }
};

/* ---- CHAP ---- */

TEST_F(StockAccess, chap_secrets_go_to_the_kernel_only) {
    EXPECT_EQ(run(add("iser", {"--dry-run", "--chap-user", "anna", "--chap-key-file", key()})), 0);
    EXPECT_EQ(out().find(secret), std::string::npos) << out();
    EXPECT_NE(out().find("auth/password = the secret in " + key() + "\n"), std::string::npos)
        << out();
    auto words = chap(true);
    words.insert(words.end(), {"--initiator", client_iqn});
    EXPECT_EQ(run(add("iser", words)), 0) << err();
    const std::string auth = group + "/acls/" + client_iqn + "/auth";
    EXPECT_EQ(value(group + "/attrib/authentication"), "1\n");
    // The kernel would take a newline for a part of the name and of the secret.
    EXPECT_EQ(value(auth + "/userid"), "anna");
    EXPECT_EQ(value(auth + "/password"), secret);
    EXPECT_EQ(value(auth + "/userid_mutual"), "store");
    EXPECT_EQ(value(auth + "/password_mutual"), other_secret);
    EXPECT_EQ((left_behind() + out() + err()).find(secret), std::string::npos);
    EXPECT_NE(left_behind().find("chap-key-file = " + key()), std::string::npos);
    const auto listed = json({"export", "list"})["stock"][0];
    EXPECT_EQ(listed["chap_user"], "anna");
    EXPECT_EQ(listed["chap_mutual_user"], "store");
    EXPECT_EQ(run({"export", "list"}), 0);
    EXPECT_NE(out().find("with the CHAP secret of anna"), std::string::npos) << out();

    // With another secret in the file, a restart and an undo use the new one.
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_TRUE(nothing_left());
    write_file(key(), "a-new-secret-of-the-client\n", 0600);
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(value(auth + "/password"), "a-new-secret-of-the-client");
}

TEST_F(StockAccess, chap_stands_for_initiators_that_are_not_named) {
    std::vector<std::string> words = {"export", "add",   "scratch", "--file",
                                      disk(),   "--via", "iscsi"};
    EXPECT_EQ(run(words), 64);
    EXPECT_NE(err().find("no password without --chap-user"), std::string::npos) << err();
    const auto more = chap(false);
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run(words), 0) << err();
    EXPECT_EQ(value(group + "/attrib/generate_node_acls"), "1\n");
    EXPECT_EQ(value(group + "/auth/userid"), "anna");
    EXPECT_EQ(value(group + "/auth/password"), secret);
    EXPECT_NE(out().find("--via iscsi --chap-user anna --chap-key-file FILE\n"), std::string::npos)
        << out();
    EXPECT_EQ(run(words), 0);
    EXPECT_NE(out().find("nothing to do"), std::string::npos) << out();
    EXPECT_EQ(run(add("iscsi")), 1);
    EXPECT_NE(err().find("CHAP is anna with"), std::string::npos) << err();
    // A reboot: the secret is read again, and its loss is an error.
    std::filesystem::remove_all(root / "run/causeway");
    files.folders.clear();
    files.symlinks.clear();
    std::filesystem::remove(key());
    EXPECT_EQ(run({"restore"}), 78);
    EXPECT_NE(err().find("key file " + key()), std::string::npos) << err();
    EXPECT_TRUE(nothing_left());
}

TEST_F(StockAccess, chap_refuses_what_cannot_be) {
    const auto refused = [&](const std::string &via, const std::vector<std::string> &more, int code,
                             const std::string &saying) {
        EXPECT_EQ(run(add(via, more)), code) << saying;
        EXPECT_NE(err().find(saying), std::string::npos) << err();
    };
    refused("nvme", chap(false), 64, "by NVMe the NQN of the client stands for the user");
    refused("srp", chap(false), 64, "SRP has no CHAP");
    refused("iscsi", {"--chap-user", "anna"}, 64, "--chap-user needs --chap-key-file");
    refused("iscsi", {"--chap-key-file", key()}, 64, "--chap-key-file needs --chap-user");
    refused("iscsi", {"--chap-mutual-user", "s", "--chap-mutual-key-file", key()}, 64,
            "mutual CHAP without the CHAP of the client");
    refused("iscsi", {"--chap-user", "NULLA", "--chap-key-file", key()}, 64, "is no name for CHAP");
    refused("iscsi", {"--chap-user", "a b", "--chap-key-file", key()}, 64, "is no name for CHAP");
    refused("iscsi",
            {"--chap-user", "a", "--chap-key-file", key(), "--chap-mutual-user", "b",
             "--chap-mutual-key-file", key()},
            78, "have the same secret");
    write_file(key(), "short\n", 0600);
    refused("iscsi", chap(false), 78, "too few to protect anything");
    write_file(key(), "with a space in the middle\n", 0600);
    refused("iscsi", chap(false), 78, "other bytes than printable characters");
    write_file(key(), "NULL-is-no-secret-at-all\n", 0600);
    refused("iscsi", chap(false), 78, "starts with NULL");
    write_file(key(), std::string(secret) + "\n", 0644);
    refused("iscsi", chap(false), 78, "is open to others");
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "nvme", "--chap-user", "anna"}), 64);
    EXPECT_EQ(
        run({"export", "add", "scratch", "--ram", "1M", "--allow", "any", "--chap-user", "a"}), 64);
    EXPECT_NE(err().find("--chap-user goes with --via only"), std::string::npos) << err();
    EXPECT_TRUE(nothing_left());
    EXPECT_FALSE(std::filesystem::exists(root / "etc"));
}

TEST_F(StockAccess, chap_of_an_attachment_is_in_the_record_of_open_iscsi) {
    offer_iscsi();
    const std::string node = "iscsiadm -m node -T " + iqn + " -p 10.0.0.1:3260";
    processes.acts[node + " -I iser -o new"] = [this] {
        write_file(record(),
                   "# BEGIN RECORD 2.1.8\nnode.name = x\nnode.session.auth.authmethod = None\n"
                   "node.session.auth.chap_algs = MD5\nnode.startup = manual\n# END RECORD\n",
                   0600);
        return ProcessEnd{};
    };
    std::string at_login;
    const auto login = processes.acts[node + " -I iser --login"];
    processes.acts[node + " -I iser --login"] = [&] {
        at_login = read_file(record());
        return login();
    };
    std::vector<std::string> words = {"attach", "storage1/scratch", "--via", "iser"};
    const auto more = chap(true);
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run(words), 0) << err();
    EXPECT_EQ(at_login, "# BEGIN RECORD 2.1.8\nnode.name = x\nnode.startup = manual\n"
                        "node.session.auth.authmethod = CHAP\nnode.session.auth.username = anna\n"
                        "node.session.auth.password = " +
                            std::string(secret) +
                            "\nnode.session.auth.username_in = store\n"
                            "node.session.auth.password_in = " +
                            other_secret + "\n# END RECORD\n");
    EXPECT_EQ(mode_of(record()), 0600U);
    for (const std::string &line : processes.log) {
        EXPECT_EQ(line.find(secret), std::string::npos) << line;
    }
    EXPECT_EQ((left_behind() + out() + err()).find(secret), std::string::npos);
    EXPECT_EQ(json({"list"})["stock"][0]["chap_user"], "anna");
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "iser"}), 1);
    EXPECT_NE(err().find("CHAP is anna with"), std::string::npos) << err();
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
}

TEST_F(StockAccess, a_login_that_the_server_refuses_says_so) {
    offer_iscsi();
    const std::string node = "iscsiadm -m node -T " + iqn + " -p 10.0.0.1:3260 -I default";
    processes.acts[node + " --login"] = [] {
        return FakeProcesses::failure("iscsiadm: authorization failure", 24);
    };
    EXPECT_EQ(run({"attach", "storage1/scratch", "--via", "iscsi"}), 77);
    EXPECT_NE(err().find("the server refused the login: iscsiadm: authorization failure"),
              std::string::npos)
        << err();
    EXPECT_NE(err().find("--chap-user"), std::string::npos) << err();
    EXPECT_TRUE(processes.ran(node + " -o delete"));
    // No record to which the secrets could go: nothing is left behind.
    std::vector<std::string> words = {"attach", "storage1/scratch", "--via", "iscsi"};
    const auto more = chap(false);
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run(words), 1);
    EXPECT_NE(err().find("open-iscsi has no record 10.0.0.1,3260"), std::string::npos) << err();
    EXPECT_EQ(processes.count(node + " -o delete"), 2U);
    EXPECT_EQ(processes.count(node + " --login"), 1U);
}

TEST(DhchapKernel, is_known_by_the_dependencies_of_its_modules) {
    const std::string with = "kernel/drivers/nvme/target/nvmet.ko.zst: "
                             "kernel/drivers/nvme/common/nvme-common.ko.zst kernel/lib/x.ko.zst\n";
    EXPECT_EQ(authenticates(with, "", "nvmet"), true);
    EXPECT_EQ(authenticates(with, "", "nvme_core"), std::nullopt);
    EXPECT_EQ(authenticates("a/nvmet.ko:\na/nvmet-tcp.ko: a/nvme-common.ko\n", "", "nvmet"), false);
    EXPECT_EQ(authenticates("a/nvmet.ko: a/nvme-auth.ko\n", "", "nvmet"), true);
    EXPECT_EQ(authenticates("a/nvmet.ko:\n", "a/nvme-auth.ko\n", "nvmet"), true);
    EXPECT_EQ(authenticates("", "a/nvme-core.ko\na/nvme-auth.ko\n", "nvme_core"), true);
    EXPECT_EQ(authenticates("", "a/nvme-core.ko\n", "nvme_core"), false);
    EXPECT_EQ(authenticates("", "", "nvmet"), std::nullopt);
    EXPECT_EQ(authenticates("nvmet.ko", ":::", "nvmet"), std::nullopt);
}

/* ---- the names of this machine ---- */

TEST_F(StockAccess, initiator_shows_the_names_of_this_machine) {
    auto told = json({"initiator"});
    EXPECT_EQ(status, 0) << err();
    EXPECT_EQ(told["iqn"], nullptr);
    EXPECT_EQ(told["warnings"].size(), 2U);
    write_file(root / "etc/iscsi/initiatorname.iscsi",
               "## comment\nInitiatorName=" + client_iqn + " \n");
    write_file(root / "etc/nvme/hostnqn", client_nqn + "\n");
    ASSERT_TRUE(rdma.add("rxe", "mlx4_0", "eth0"));
    rdma.put("mlx4_0", "ports/1/gids/0", "fe80:0000:0000:0000:0002:c903:0010:1231");
    told = json({"initiator"});
    EXPECT_EQ(told["iqn"], client_iqn);
    EXPECT_EQ(told["host_nqn"], client_nqn);
    EXPECT_EQ(told["srp"][0]["guid"], "0x0002c90300101231");
    EXPECT_EQ(told["srp"][0]["device"], "mlx4_0");
    EXPECT_EQ(told.count("warnings"), 0U);
    write_file(root / "etc/nvme/hostnqn", "x\n");
    EXPECT_NE(json({"initiator"})["warnings"][0].get<std::string>().find("'x' is no NQN"),
              std::string::npos);
}

} // namespace
} // namespace causeway
