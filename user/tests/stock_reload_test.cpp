// SPDX-License-Identifier: GPL-2.0-or-later
// "reload" of exports and attachments by stock transports: settings of edited files, while clients
// are attached.
#include "stock/configfs.h"
#include "stock_fixture.h"

namespace causeway {
namespace {

namespace fs = std::filesystem;

const char *const next_nqn = "nqn.2026-01.org.example:next";

class StockReload : public Stock {
  protected:
    void SetUp() override {
        Stock::SetUp();
        write_keys(secret, other_secret);
    }

    static void edit(const fs::path &place, const std::string &from, const std::string &to) {
        std::string text = read_file(place);
        const auto at = text.find(from);
        ASSERT_NE(at, std::string::npos) << text;
        write_file(place, text.replace(at, from.size(), to));
    }
    std::vector<std::string> initiators() {
        return json({"export", "list"})["stock"][0]["initiators"].get<std::vector<std::string>>();
    }
    // Runs "reload", and its dry run before. Both must give this error, and change nothing.
    void fails(int code, const std::string &saying) {
        const auto folders = files.folders;
        const auto symlinks = files.symlinks;
        const auto text = fs::exists(dropin()) ? read_file(dropin()) : "";
        files.writes.clear();
        EXPECT_EQ(run({"reload", "--dry-run"}), 0);
        EXPECT_NE(err().find(saying), std::string::npos) << err();
        EXPECT_NE(out().find("would change nothing"), std::string::npos) << out();
        EXPECT_EQ(run({"reload"}), code);
        EXPECT_NE(err().find(saying), std::string::npos) << err();
        EXPECT_TRUE(files.writes.empty()) << files.writes.front();
        EXPECT_EQ(files.folders, folders);
        EXPECT_EQ(files.symlinks, symlinks);
        EXPECT_EQ(fs::exists(dropin()) ? read_file(dropin()) : "", text);
    }

    std::string group = "/target/iscsi/" + iqn + "/tpgt_1";
    std::string hosts = "/nvmet/subsystems/" + nqn + "/allowed_hosts/";
};

/* ---- exports ---- */

TEST_F(StockReload, an_initiator_that_is_no_longer_in_the_file_is_not_admitted) {
    ASSERT_EQ(run(add("nvme", {"--initiator", client_nqn, next_nqn})), 0) << err();
    edit(dropin(), std::string("initiator = ") + next_nqn + "\n", "");
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_TRUE(exists(files, config + hosts + next_nqn));
    EXPECT_EQ(run({"reload", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("-" + config + hosts + next_nqn + "\n"), std::string::npos) << out();
    EXPECT_TRUE(exists(files, config + hosts + next_nqn));

    const auto answer = json({"reload"});
    EXPECT_EQ(status, 0) << err();
    EXPECT_EQ(answer["restored"], std::vector<std::string>{"scratch"});
    EXPECT_FALSE(exists(files, config + hosts + next_nqn));
    EXPECT_TRUE(exists(files, config + hosts + client_nqn));
    EXPECT_EQ(initiators(), std::vector<std::string>{client_nqn});
    const auto again = json({"reload"});
    EXPECT_EQ(again["restored"], std::vector<std::string>());
    EXPECT_EQ(again["unchanged"], std::vector<std::string>{"scratch"});
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_TRUE(nothing_left());
}

TEST_F(StockReload, an_initiator_that_is_added_to_the_file_is_admitted) {
    ASSERT_EQ(run(add("iscsi", {"--initiator", client_iqn})), 0) << err();
    put(config + group + "/acls/" + client_iqn + "/info", "InitiatorName: " + client_iqn);
    edit(dropin(), "target =", std::string("initiator = ") + other_iqn + "\ntarget =");
    EXPECT_EQ(run({"reload", "--stock"}), 0) << err();
    EXPECT_NE(out().find("'scratch' has the settings of its file"), std::string::npos) << out();
    EXPECT_TRUE(exists(files, config + group + "/acls/" + other_iqn + "/lun_0"));
    // The order and repetitions of the names mean nothing.
    edit(dropin(), "initiator = " + client_iqn + "\n", "");
    edit(dropin(),
         "target =", "initiator = " + client_iqn + "\ninitiator = " + client_iqn + "\ntarget =");
    EXPECT_EQ(json({"reload"})["unchanged"], std::vector<std::string>{"scratch"});
}

TEST_F(StockReload, a_client_that_would_lose_its_session_keeps_it) {
    ASSERT_EQ(run(add("iscsi", {"--initiator", client_iqn, other_iqn})), 0) << err();
    const std::string info = config + group + "/acls/" + client_iqn + "/info";
    put(info, "InitiatorName: " + client_iqn);
    edit(dropin(), "initiator = " + client_iqn + "\n", "");
    fails(75, client_iqn +
                  " has 'scratch' attached, and Linux ends its session when it is no longer "
                  "admitted (detach it there, then: causeway reload; to end the session: causeway "
                  "export set scratch --initiator " +
                  other_iqn + " --force)");
    drop(info);
    EXPECT_EQ(run({"reload"}), 0) << err();
    EXPECT_FALSE(exists(files, config + group + "/acls/" + client_iqn));
}

TEST_F(StockReload, secrets_of_the_file_are_in_force) {
    ASSERT_EQ(run(add("iscsi", {"--initiator", client_iqn, "--chap-user", "anna", "--chap-key-file",
                                key()})),
              0)
        << err();
    const std::string auth = group + "/acls/" + client_iqn + "/auth";
    edit(dropin(), "chap-key-file = " + key() + "\n", "chap-key-file = " + other_key() + "\n");
    EXPECT_EQ(run({"reload"}), 0) << err();
    EXPECT_EQ(value(auth + "/password"), other_secret);
    EXPECT_EQ(json({"reload"})["unchanged"], std::vector<std::string>{"scratch"});
    // Another secret in the same file.
    write_file(other_key(), "a-new-secret-of-the-client\n", 0600);
    EXPECT_EQ(json({"reload"})["restored"], std::vector<std::string>{"scratch"});
    EXPECT_EQ(value(auth + "/password"), "a-new-secret-of-the-client");
    EXPECT_EQ(value(group + "/auth/password"), "a-new-secret-of-the-client");
    fs::remove(other_key());
    fails(78, "key file " + other_key());
    EXPECT_EQ(value(auth + "/password"), "a-new-secret-of-the-client");
}

TEST_F(StockReload, a_missing_line_opens_no_export) {
    ASSERT_EQ(run(add("iscsi", {"--initiator", client_iqn})), 0) << err();
    edit(dropin(), "initiator = " + client_iqn + "\n", "");
    fails(1, "reload would open 'scratch' to every host: its file names neither an initiator nor a "
             "secret (write \"allow = any\" into " +
                 dropin().string() + " if every host may attach the disk)");
    EXPECT_EQ(value(group + "/attrib/generate_node_acls"), "0\n");
    edit(dropin(), "target =", "allow = any\ntarget =");
    EXPECT_EQ(run({"reload"}), 0) << err();
    EXPECT_EQ(value(group + "/attrib/generate_node_acls"), "1\n");
    EXPECT_EQ(initiators(), std::vector<std::string>());
}

TEST_F(StockReload, a_transport_that_needs_names_refuses_a_file_without_them) {
    ASSERT_TRUE(rdma.add("rxe", "rxe0", "eth0"));
    ASSERT_EQ(run(add("srp", {"--initiator", "505400fffe000002"})), 0) << err();
    edit(dropin(), "initiator = ", "# ");
    fails(78, dropin().string() + ": SRP admits only initiators that are named, and none is");
}

TEST_F(StockReload, names_what_cannot_change_and_goes_on_with_the_others) {
    ASSERT_EQ(run(add("iscsi", {"--initiator", client_iqn})), 0) << err();
    ASSERT_EQ(run({"export", "add", "a", "--ram", "1M", "--via", "iscsi", "--initiator", client_iqn,
                   other_iqn}),
              0)
        << err();
    edit(dropin(), "initiator = ",
         std::string("read-only = yes\nblock-size = 4096\ninitiator = ") + other_iqn +
             "\ninitiator = ");
    edit(dropin(), "port = 3260", "port = 3261");
    const auto other_file = root / "etc/causeway/stock-exports.d/a.conf";
    edit(other_file, std::string("initiator = ") + other_iqn + "\n", "");
    EXPECT_EQ(run({"reload"}), 1);
    const std::string text = err();
    EXPECT_NE(text.find("the export 'scratch' runs with settings that cannot change while it runs: "
                        "read-only is off, not on, the block size is that of the backend, not "
                        "4096, the portal is "),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("(detach the disk on its clients, causeway export remove scratch, then add "
                        "it with the new settings)"),
              std::string::npos)
        << text;
    EXPECT_FALSE(exists(files, config + group + "/acls/" + other_iqn));
    const std::string of_other = "/target/iscsi/iqn.2003-01.org.linux-iscsi.store-1:a/tpgt_1/acls/";
    EXPECT_TRUE(exists(files, config + of_other + client_iqn));
    EXPECT_FALSE(exists(files, config + of_other + other_iqn));
}

TEST_F(StockReload, users_of_chap_and_identities_stay) {
    ASSERT_EQ(run(add("iscsi", {"--initiator", client_iqn, "--chap-user", "anna", "--chap-key-file",
                                key()})),
              0)
        << err();
    const std::string text = read_file(dropin());
    edit(dropin(), "chap-user = anna", "chap-user = bert");
    fails(1, "CHAP is anna with " + key() + ", not bert with " + key());
    write_file(dropin(),
               text + "chap-mutual-user = store\nchap-mutual-key-file = " + other_key() + "\n");
    fails(1, "CHAP is anna with " + key() + ", not anna with " + key() + " and store with ");
    write_file(dropin(), text);
    edit(dropin(), "chap-user = anna\nchap-key-file = " + key() + "\n", "");
    fails(1, "CHAP is anna with " + key() + ", not none");
    write_file(dropin(), text);
    edit(dropin(), "uuid = ", "uuid = 5cbe11f0-0000-4000-8000-000000000001\n# ");
    fails(1, "not 5cbe11f0-0000-4000-8000-000000000001");
}

TEST_F(StockReload, a_shared_target_keeps_what_all_its_exports_share) {
    ASSERT_EQ(run(add("nvme", {"--initiator", client_nqn, next_nqn})), 0) << err();
    write_file(root / "second.img", std::string(8192, 'x'));
    ASSERT_EQ(run({"export", "add", "second", "--file", (root / "second.img").string(), "--via",
                   "nvme", "--target", nqn, "--initiator", client_nqn, next_nqn}),
              0)
        << err();
    // A file that an administrator wrote may leave the number to Causeway.
    edit(root / "etc/causeway/stock-exports.d/second.conf", "lun = 2\n", "");
    EXPECT_EQ(json({"reload"})["unchanged"], (std::vector<std::string>{"scratch", "second"}));
    edit(dropin(), std::string("initiator = ") + next_nqn + "\n", "");
    fails(1, "this change would admit initiators to both");
}

TEST_F(StockReload, takes_back_what_was_set_for_now_and_starts_what_is_missing) {
    ASSERT_EQ(run(add("iscsi", {"--initiator", client_iqn})), 0) << err();
    ASSERT_EQ(run({"export", "set", "scratch", "--allow", "any", "--no-persist"}), 0) << err();
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(initiators(), std::vector<std::string>());
    EXPECT_EQ(run({"reload"}), 0) << err();
    EXPECT_EQ(initiators(), std::vector<std::string>{client_iqn});
    EXPECT_EQ(value(group + "/attrib/generate_node_acls"), "0\n");
    ASSERT_EQ(run({"stop"}), 0) << err();
    EXPECT_TRUE(nothing_left());
    EXPECT_EQ(run({"reload"}), 0) << err();
    EXPECT_TRUE(exists(files, config + group + "/acls/" + client_iqn));
}

TEST_F(StockReload, a_file_with_a_fault_is_named) {
    ASSERT_EQ(run(add("iscsi", {"--initiator", client_iqn})), 0) << err();
    edit(dropin(), "initiator = " + client_iqn, "initiator = x");
    EXPECT_EQ(run({"reload"}), 78);
    EXPECT_NE(err().find(dropin().string()), std::string::npos) << err();
    EXPECT_EQ(initiators(), std::vector<std::string>{client_iqn});
}

/* ---- attachments ---- */

TEST_F(StockReload, an_attached_disk_keeps_its_settings_and_the_difference_is_reported) {
    offer_nvme();
    ASSERT_EQ(run({"attach", "storage1/scratch", "--via", "nvme"}), 0) << err();
    EXPECT_EQ(json({"reload"})["unchanged"], std::vector<std::string>{"storage1/scratch"});
    const std::string text = read_file(attachment());
    processes.log.clear();
    const auto refused = [&](const std::string &saying) {
        fails(1, "storage1/scratch is attached with settings that cannot change while it is: " +
                     saying +
                     " (causeway detach storage1/scratch, then attach it with the new settings)");
        EXPECT_FALSE(processes.ran("nvme connect") || processes.ran("nvme disconnect"));
    };
    write_file(attachment(), text + "target = " + next_nqn + "\n");
    refused("the target is " + nqn + ", not " + next_nqn);
    write_file(attachment(), text + "chap-key-file = " + key() + "\n");
    refused("CHAP is none, not " + key());
    write_file(attachment(), text);
    edit(attachment(), "via = nvme", "via = nvme-tcp");
    refused("the transport is nvme, not nvme-tcp");
    EXPECT_EQ(json({"list"})["stock"][0]["via"], "nvme");
}

TEST_F(StockReload, a_disk_that_is_configured_and_missing_is_attached) {
    offer_nvme();
    ASSERT_EQ(run({"attach", "storage1/scratch", "--via", "nvme"}), 0) << err();
    ASSERT_EQ(run({"stop", "--all"}), 0) << err();
    EXPECT_EQ(json({"reload"})["restored"], std::vector<std::string>{"storage1/scratch"});
    EXPECT_EQ(json({"list"})["stock"][0]["attached"], true);
}

} // namespace
} // namespace causeway
