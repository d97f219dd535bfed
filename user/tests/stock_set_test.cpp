// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of "export set" for stock transports: initiators and secrets change while clients are
// attached.
#include "stock/configfs.h"
#include "stock/target.h"
#include "stock_fixture.h"

namespace causeway {
namespace {

class StockSet : public Stock {
  protected:
    void SetUp() override {
        Stock::SetUp();
        write_keys(secret, other_secret);
        write_file(new_key(), new_secret + "\n", 0600);
    }

    int set(std::vector<std::string> words) {
        words.insert(words.begin(), {"export", "set", "scratch"});
        return run(words);
    }
    std::string new_key() const { return (root / "key3").string(); }
    // Replaces a line of the drop-in, as an administrator does.
    void edit(const std::string &from, const std::string &to) const {
        std::string text = read_file(dropin());
        const auto at = text.find(from);
        ASSERT_NE(at, std::string::npos) << text;
        write_file(dropin(), text.replace(at, from.size(), to));
    }
    bool kept(const std::string &line) const {
        return read_file(dropin()).find(line + "\n") != std::string::npos;
    }

    const std::string new_secret = "a-new-secret-of-the-client";
    std::string group = "/target/iscsi/" + iqn + "/tpgt_1";
    std::string acls = group + "/acls/";
    std::string hosts = config + "/nvmet/subsystems/" + nqn + "/allowed_hosts/";
    const std::string next_nqn = "nqn.2026-01.org.example:next";
};

/* ---- initiators ---- */

TEST_F(StockSet, iscsi_initiators_change_while_a_client_is_attached) {
    ASSERT_EQ(run(add("iscsi", {"--initiator", client_iqn})), 0) << err();
    put(config + acls + client_iqn + "/info", "InitiatorName: " + client_iqn);
    EXPECT_EQ(set({"--via", "iscsi", "--initiator", client_iqn, other_iqn, "--dry-run"}), 0);
    EXPECT_NE(out().find("+" + config + acls + other_iqn + "\n"), std::string::npos) << out();
    EXPECT_FALSE(exists(files, config + acls + other_iqn));

    EXPECT_EQ(set({"--initiator", client_iqn, other_iqn}), 0) << err();
    EXPECT_EQ(link(acls + other_iqn + "/lun_0/causeway"), config + group + "/lun/lun_0");
    EXPECT_EQ(json({"export", "list"})["stock"][0]["initiators"].size(), 2U);
    EXPECT_NE(read_file(dropin()).find(std::string("initiator = ") + other_iqn), std::string::npos);
    EXPECT_EQ(set({"--initiator", client_iqn, other_iqn}), 0);
    EXPECT_NE(out().find("admits these initiators already"), std::string::npos) << out();

    // Linux ends the session of an initiator with its ACL.
    EXPECT_EQ(set({"--initiator", other_iqn}), 75);
    EXPECT_NE(err().find(client_iqn + " has 'scratch' attached"), std::string::npos) << err();
    EXPECT_TRUE(exists(files, config + acls + client_iqn));
    EXPECT_EQ(set({"--initiator", other_iqn, "--force"}), 0) << err();
    EXPECT_FALSE(exists(files, config + acls + client_iqn));
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(exists(files, config + acls + client_iqn + "/lun_0"));
    EXPECT_EQ(json({"export", "list"})["stock"][0]["initiators"].size(), 2U);

    // An initiator that is attached loses nothing when the export is opened.
    put(config + acls + client_iqn + "/info", "InitiatorName: " + client_iqn);
    EXPECT_EQ(set({"--allow", "any"}), 0) << err();
    EXPECT_EQ(value(group + "/attrib/generate_node_acls"), "1\n");
    EXPECT_TRUE(exists(files, config + acls + client_iqn));
    drop(config + acls + client_iqn + "/info");
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_TRUE(nothing_left());
}

// An export that is open keeps the ACLs of the initiators that it named before.
TEST_F(StockSet, an_initiator_of_an_earlier_list_is_not_admitted_by_a_later_one) {
    ASSERT_EQ(run(add("iscsi", {"--initiator", client_iqn})), 0) << err();
    const std::string acl = config + group + "/acls/" + client_iqn;
    EXPECT_EQ(set({"--allow", "any"}), 0) << err();
    EXPECT_TRUE(exists(files, acl));
    put(acl + "/info", "InitiatorName: " + client_iqn);
    EXPECT_EQ(set({"--initiator", other_iqn}), 75);
    EXPECT_NE(err().find(client_iqn + " has 'scratch' attached"), std::string::npos) << err();
    drop(acl + "/info");
    EXPECT_EQ(set({"--initiator", other_iqn}), 0) << err();
    EXPECT_FALSE(exists(files, acl));
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(exists(files, acl + "/lun_0"));
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_TRUE(nothing_left());
}

TEST_F(StockSet, force_ends_sessions_that_no_acl_names) {
    ASSERT_EQ(run(add("iscsi")), 0) << err();
    put(config + group + "/dynamic_sessions", other_iqn);
    files.writes.clear();
    EXPECT_EQ(set({"--initiator", client_iqn}), 0) << err();
    EXPECT_EQ(value(group + "/attrib/generate_node_acls"), "0\n");
    const auto cuts = [&] {
        return std::count(files.writes.begin(), files.writes.end(), config + group + "/enable 0\n");
    };
    EXPECT_EQ(cuts(), 0);
    EXPECT_EQ(set({"--initiator", client_iqn, "--force"}), 0) << err();
    EXPECT_EQ(cuts(), 1);
    EXPECT_EQ(value(group + "/enable"), "1\n");
    files.content.erase(config + group + "/dynamic_sessions");
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_TRUE(nothing_left());
}

TEST_F(StockSet, nvme_hosts_change_while_clients_are_attached) {
    ASSERT_EQ(run(add("nvme")), 0) << err();
    connect(4420);
    const std::string subsystem = "/nvmet/subsystems/" + nqn;
    files.writes.clear();
    EXPECT_EQ(set({"--initiator", client_nqn}), 0) << err();
    // nvmet refuses a host while it admits all.
    EXPECT_EQ(files.writes.front(), config + subsystem + "/attr_allow_any_host 0\n");
    EXPECT_EQ(link(subsystem + "/allowed_hosts/" + client_nqn),
              config + "/nvmet/hosts/" + client_nqn);
    const std::string port = config + "/nvmet/ports/1/subsystems/" + nqn;
    EXPECT_EQ(std::count(files.writes.begin(), files.writes.end(), "unlink " + port), 0);
    EXPECT_EQ(set({"--initiator", next_nqn, "--force"}), 0) << err();
    EXPECT_FALSE(exists(files, config + subsystem + "/allowed_hosts/" + client_nqn));
    EXPECT_EQ(std::count(files.writes.begin(), files.writes.end(), "unlink " + port), 1);
    EXPECT_EQ(link("/nvmet/ports/1/subsystems/" + nqn), config + subsystem);
    EXPECT_EQ(set({"--allow", "any"}), 0) << err();
    EXPECT_EQ(value(subsystem + "/attr_allow_any_host"), "1\n");
    EXPECT_FALSE(exists(files, config + subsystem + "/allowed_hosts/" + next_nqn));
    connect(4421);
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_TRUE(nothing_left());
}

TEST_F(StockSet, srp_initiators_change_too) {
    ASSERT_TRUE(rdma.add("rxe", "rxe0", "eth0"));
    ASSERT_EQ(run(add("srp", {"--initiator", "5054:00ff:fe00:0002"})), 0) << err();
    const std::string wwn = "0x00000000000000000000ffff0a000001";
    const std::string ports_acls =
        config + "/target/srpt/" + wwn + "/" + wwn + "/acls/0x" + srp_extension("scratch");
    put(ports_acls + "505400fffe000002/lun_0/statistics/scsi_att_intr_port/port_ident", "0x1");
    EXPECT_EQ(set({"--initiator", "505400fffe000003"}), 75);
    EXPECT_EQ(set({"--allow", "any"}), 64);
    EXPECT_EQ(set({"--initiator", "505400fffe000002", "505400fffe000003"}), 0) << err();
    EXPECT_EQ(err(), "");
    EXPECT_TRUE(exists(files, ports_acls + "505400fffe000003/lun_0"));
    EXPECT_EQ(set({"--initiator", "505400fffe000003", "--force"}), 0) << err();
    EXPECT_FALSE(files.folders.count(ports_acls + "505400fffe000002") == 1);
}

TEST_F(StockSet, set_that_the_kernel_refuses_changes_nothing) {
    ASSERT_EQ(run(add("iscsi", {"--initiator", client_iqn})), 0) << err();
    const auto folders = files.folders;
    const std::string text = read_file(dropin());
    files.refuse[config + group + "/acls/" + other_iqn + "/lun_0/write_protect"] =
        Error{ExitCode::failed, "cannot write write_protect: Invalid argument", "", EINVAL};
    EXPECT_EQ(set({"--initiator", other_iqn}), 1);
    EXPECT_NE(err().find("cannot change who may attach 'scratch': cannot write write_protect"),
              std::string::npos)
        << err();
    EXPECT_EQ(files.folders, folders);
    EXPECT_EQ(read_file(dropin()), text);
    EXPECT_EQ(json({"export", "list"})["stock"][0]["initiators"][0], client_iqn);
    EXPECT_EQ(set({"--via", "iser", "--initiator", other_iqn}), 1);
    EXPECT_NE(err().find("is exported by iSCSI, not by iSER"), std::string::npos) << err();
    EXPECT_EQ(set({"--via", "iscsi"}), 64);
    EXPECT_EQ(run({"export", "set", "none", "--allow", "any"}), 69);
}

TEST_F(StockSet, a_client_that_keeps_its_connection_is_named_in_a_warning) {
    ASSERT_EQ(run(add("nvme", {"--initiator", client_nqn})), 0) << err();
    connect(4420);
    EXPECT_EQ(set({"--initiator", client_nqn, next_nqn}), 0) << err();
    EXPECT_EQ(err(), "");
    EXPECT_EQ(set({"--initiator", next_nqn}), 0);
    EXPECT_NE(err().find("a client of the export 'scratch' by NVMe/RDMA that is no longer "
                         "admitted may keep its connection until that ends"),
              std::string::npos)
        << err();
    // The initiators are those that were given, and the connections end all the same.
    files.writes.clear();
    EXPECT_EQ(set({"--initiator", next_nqn, "--force"}), 0);
    EXPECT_EQ(err(), "");
    EXPECT_EQ(std::count(files.writes.begin(), files.writes.end(),
                         "unlink " + config + "/nvmet/ports/1/subsystems/" + nqn),
              1);
    connect(4421); // of another export
    EXPECT_EQ(set({"--initiator", client_nqn}), 0);
    EXPECT_EQ(err(), "");
}

// By force the port is closed and opened again, which fails if its address is gone by then.
TEST_F(StockSet, a_port_that_cannot_be_opened_again_leaves_the_initiators_as_they_were) {
    ASSERT_EQ(run(add("nvme", {"--initiator", client_nqn})), 0) << err();
    const std::string text = read_file(dropin());
    const std::string port = config + "/nvmet/ports/1/subsystems/" + nqn;
    files.refuse[port] =
        Error{ExitCode::failed, "cannot link " + port + ": Cannot assign requested address", "",
              EADDRNOTAVAIL};
    EXPECT_EQ(set({"--initiator", next_nqn, "--force"}), 1);
    EXPECT_NE(err().find("its connections ended, and no client can connect at " + port),
              std::string::npos)
        << err();
    EXPECT_TRUE(exists(files, hosts + client_nqn));
    EXPECT_FALSE(exists(files, hosts + next_nqn));
    EXPECT_EQ(read_file(dropin()), text);
    EXPECT_EQ(json({"export", "list"})["stock"][0]["initiators"],
              std::vector<std::string>{client_nqn});
}

/* ---- the drop-in ---- */

TEST_F(StockSet, changes_in_the_file_only_what_is_typed) {
    auto words = chap(false);
    words.insert(words.end(), {"--initiator", client_iqn});
    ASSERT_EQ(run(add("iscsi", words)), 0) << err();
    edit("initiator = ", "# the machine in the cellar\ninitiator = ");
    EXPECT_EQ(set({"--allow", "any", "--no-persist"}), 0) << err();
    EXPECT_TRUE(kept("initiator = " + client_iqn));
    EXPECT_EQ(set({"--chap-key-file", new_key()}), 0) << err();
    EXPECT_TRUE(kept("# the machine in the cellar\ninitiator = " + client_iqn));
    EXPECT_TRUE(kept("chap-key-file = " + new_key()));
    EXPECT_FALSE(kept("allow = any"));
    // A list that was edited, and not reloaded yet, stays as it is.
    edit("initiator = " + client_iqn, std::string("initiator = ") + other_iqn);
    EXPECT_EQ(set({"--chap-key-file", key()}), 0) << err();
    EXPECT_TRUE(kept(std::string("initiator = ") + other_iqn));
    EXPECT_TRUE(kept("chap-key-file = " + key()));
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(kept("chap-key-file = " + new_key()));

    write_file(dropin(), "[stock-export]\nvia = iscsi\nsize = large\n");
    EXPECT_EQ(set({"--allow", "any"}), 78);
    EXPECT_NE(err().find("scratch.conf"), std::string::npos) << err();
}

TEST_F(StockSet, is_not_done_by_a_repeated_add) {
    ASSERT_EQ(run(add("iscsi", {"--initiator", client_iqn})), 0) << err();
    edit("initiator = " + client_iqn, std::string("# moved\ninitiator = ") + other_iqn);
    EXPECT_EQ(run(add("iscsi", {"--initiator", client_iqn})), 1);
    EXPECT_NE(err().find("'scratch' is configured in " + dropin().string() +
                         " with other settings: who may attach is " + other_iqn + ", not " +
                         client_iqn + "\n  for the settings of the file: causeway reload"),
              std::string::npos)
        << err();
    EXPECT_TRUE(kept(std::string("# moved\ninitiator = ") + other_iqn));
    edit(std::string("initiator = ") + other_iqn, "initiator = " + client_iqn);
    EXPECT_EQ(run(add("iscsi", {"--initiator", client_iqn})), 0) << err();
    EXPECT_NE(out().find("nothing to do"), std::string::npos) << out();
    EXPECT_TRUE(kept("# moved\ninitiator = " + client_iqn));
}

/* ---- secrets ---- */

TEST_F(StockSet, iscsi_secrets_change_and_come_back) {
    auto words = chap(true);
    words.insert(words.end(), {"--initiator", client_iqn});
    ASSERT_EQ(run(add("iscsi", words)), 0) << err();
    EXPECT_EQ(set({"--chap-key-file", new_key()}), 0) << err();
    for (const std::string &auth : {group + "/auth", group + "/acls/" + client_iqn + "/auth"}) {
        EXPECT_EQ(value(auth + "/password"), new_secret);
        EXPECT_EQ(value(auth + "/password_mutual"), other_secret);
    }
    EXPECT_EQ(json({"export", "list"})["stock"][0]["chap_user"], "anna");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(value(group + "/auth/password"), secret);
    EXPECT_EQ(set({"--chap-key-file", other_key()}), 78);
    EXPECT_NE(err().find("have the same secret"), std::string::npos) << err();
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_TRUE(nothing_left());
}

TEST_F(StockSet, a_secret_whose_file_is_gone_can_be_replaced) {
    auto words = chap(false);
    words.insert(words.end(), {"--initiator", client_iqn});
    ASSERT_EQ(run(add("iscsi", words)), 0) << err();
    const std::string auth = acls + client_iqn + "/auth/password";
    std::filesystem::remove(key());
    EXPECT_EQ(set({"--chap-key-file", new_key()}), 0) << err();
    EXPECT_EQ(value(auth), new_secret);
    // Undo has no secret to write, and changes nothing.
    EXPECT_NE(run({"undo", "--last"}), 0);
    EXPECT_NE(err().find("key file " + key()), std::string::npos) << err();
    EXPECT_EQ(value(auth), new_secret);
    EXPECT_TRUE(kept("chap-key-file = " + new_key()));
}

// The kernel keeps the secret, and undo writes the earlier one all the same.
TEST_F(StockSet, a_new_secret_whose_file_is_gone_is_taken_back) {
    auto words = chap(false);
    words.insert(words.end(), {"--initiator", client_iqn});
    ASSERT_EQ(run(add("iscsi", words)), 0) << err();
    ASSERT_EQ(set({"--chap-key-file", new_key()}), 0) << err();
    std::filesystem::remove(new_key());
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(value(acls + client_iqn + "/auth/password"), secret);
    EXPECT_TRUE(kept("chap-key-file = " + key()));
}

TEST_F(StockSet, an_initiator_whose_secret_is_gone_does_not_come_back_by_half) {
    auto words = chap(false);
    words.insert(words.end(), {"--initiator", client_iqn});
    ASSERT_EQ(run(add("iscsi", words)), 0) << err();
    ASSERT_EQ(set({"--initiator", other_iqn}), 0) << err();
    std::filesystem::remove(key());
    EXPECT_NE(run({"undo", "--last"}), 0);
    EXPECT_NE(err().find("key file " + key()), std::string::npos) << err();
    EXPECT_TRUE(kept(std::string("initiator = ") + other_iqn));
    EXPECT_TRUE(exists(files, config + acls + other_iqn));
}

TEST_F(StockSet, initiators_and_secrets_change_together_and_come_back) {
    auto words = chap(false);
    words.insert(words.end(), {"--initiator", client_iqn});
    ASSERT_EQ(run(add("iscsi", words)), 0) << err();
    EXPECT_EQ(set({"--initiator", other_iqn, "--chap-key-file", new_key()}), 0) << err();
    EXPECT_EQ(value(acls + other_iqn + "/auth/password"), new_secret);
    EXPECT_FALSE(exists(files, config + acls + client_iqn));
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(value(acls + client_iqn + "/auth/password"), secret);
    EXPECT_EQ(value(group + "/auth/password"), secret);
    EXPECT_FALSE(exists(files, config + acls + other_iqn));
}

} // namespace
} // namespace causeway
