// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of DH-HMAC-CHAP of NVMe: secrets, the hosts of nvmet that have them, and logins with them.
#include "stock/dhchap.h"
#include "stock_fixture.h"

#include <array>

namespace causeway {
namespace {

// As nvme-cli prints them: any hash with 32 and 48 bytes, then SHA-256, SHA-384 and SHA-512.
const char *const host_secret = "DHHC-1:00:HyYtNDtCSVBXXmVsc3qBiI+WnaSrsrnAx87V3OPq8fiW2ACC:";
const char *const server_secret = "DHHC-1:01:PkVMU1phaG92fYSLkpmgp661vMPK0djf5u30+wIJEBeV+HgA:";
const std::array valid_secrets = {
    std::string(host_secret), std::string(server_secret),
    std::string(
        "DHHC-1:00:m6KpsLe+xczT2uHo7/b9BAsSGSAnLjU8Q0pRWF9mbXR7gomQl56lrLO6wcjP1t3kXprtag==:"),
    std::string(
        "DHHC-1:02:XWRrcnmAh46VnKOqsbi/xs3U2+Lp8Pf+BQwTGiEoLzY9REtSWWBnbnV8g4qRmJ+mhzDCSg==:"),
    std::string("DHHC-1:03:fIOKkZifpq20u8LJ0Nfe5ezz+gEIDxYdJCsyOUBHTlVcY2pxeH+GjZSboqmwt77FzNPa4ejv"
                "9v0ECxIZICcuNdgUbAk=:")};

class StockDhchap : public Stock {
  protected:
    void SetUp() override {
        Stock::SetUp();
        write_keys(host_secret, server_secret);
        write_file(root / "etc/nvme/hostnqn", client_nqn + "\n");
        put("/proc/sys/kernel/osrelease", "6.12.1");
        files.content["/lib/modules/6.12.1/modules.dep"] =
            "kernel/drivers/nvme/target/nvmet.ko.xz: kernel/drivers/nvme/host/nvme-auth.ko.xz\n"
            "kernel/drivers/nvme/host/nvme-core.ko.xz: kernel/drivers/nvme/host/nvme-auth.ko.xz\n";
    }

    std::vector<std::string> with_secret(bool mutual = false) const {
        std::vector<std::string> words = {"--chap-key-file", key()};
        if (mutual) {
            words.insert(words.end(), {"--chap-mutual-key-file", other_key()});
        }
        return words;
    }
    std::vector<std::string> add_host(bool mutual = false) {
        auto words = with_secret(mutual);
        words.insert(words.end(), {"--initiator", client_nqn});
        return add("nvme", words);
    }
    std::vector<std::string> attach(bool mutual = false) const {
        std::vector<std::string> words = {"attach", "storage1/scratch", "--via", "nvme"};
        const auto more = with_secret(mutual);
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    // The kernel of a client: a write to /dev/nvme-fabrics connects, and @says goes to its log.
    void connects(const std::string &says) {
        offer_nvme();
        processes.acts["dmesg"] = [this] {
            ProcessEnd end;
            end.out = log_;
            return end;
        };
        files.on_write["/dev/kmsg"] = [this](const std::string &text) {
            EXPECT_EQ(text.substr(0, 3), "<6>");
            log_ += "\n[    2.5] " + text.substr(3, text.find('\n') - 3);
            return Result<void>();
        };
        files.on_write["/dev/nvme-fabrics"] = [this, says](const std::string &text) {
            written = text;
            log_ += says;
            (void)processes.acts["nvme connect"]();
            put("/sys/class/nvme/nvme0/dhchap_secret", host_secret);
            return Result<void>();
        };
    }
    void kernel_lacks_it() {
        files.content["/lib/modules/6.12.1/modules.dep"] =
            "kernel/drivers/nvme/target/nvmet.ko: kernel/drivers/nvme/host/nvme-core.ko\n"
            "kernel/drivers/nvme/host/nvme-core.ko:\n";
    }
    // All that the run left in files of Causeway, in its output, and on command lines.
    std::string seen() const {
        std::string text = out() + err();
        for (const char *folder : {"etc/causeway", "run/causeway", "var/lib/causeway"}) {
            std::error_code failure;
            for (const auto &entry : std::filesystem::recursive_directory_iterator(
                     root / folder, std::filesystem::directory_options(), failure)) {
                text += entry.is_regular_file() ? read_file(entry.path()) : "";
            }
        }
        for (const std::string &line : processes.log) {
            text += line + "\n";
        }
        return text;
    }
    bool shows_a_secret() const {
        return seen().find(host_secret) != std::string::npos ||
               seen().find(server_secret) != std::string::npos;
    }

    std::string host = "/nvmet/hosts/" + client_nqn;
    std::string written; // to /dev/nvme-fabrics
    std::string log_ = "[    1.0] nvme nvme0: qid 0: controller authenticated\n"
                       "[    2.0] the last line before the login";
};

/* ---- the form of a secret ---- */

TEST(DhchapSecret, of_every_length_and_hash_is_taken) {
    for (const std::string &text : valid_secrets) {
        EXPECT_TRUE(check_dhchap_secret(text)) << text;
    }
}

TEST(DhchapSecret, errors_say_what_is_wrong_and_never_the_secret) {
    const auto refused = [](const std::string &text, const std::string &saying) {
        const auto checked = check_dhchap_secret(text);
        ASSERT_FALSE(checked) << text;
        EXPECT_NE(checked.error().what.find(saying), std::string::npos) << checked.error().what;
        EXPECT_NE(checked.error().fix.find("nvme gen-dhchap-key"), std::string::npos);
        EXPECT_EQ((checked.error().what + checked.error().fix).find("HyYtNDtC"), std::string::npos);
    };
    const std::string good = host_secret;
    refused("", "starts with DHHC-1:");
    refused("a password that is long enough for CHAP", "a password does not do");
    refused("DHHC-1:", "starts with DHHC-1:");
    refused("DHHC-1:00", "starts with DHHC-1:");
    refused("DHHC-2" + good.substr(6), "starts with DHHC-1:");
    refused("DHHC-1:04" + good.substr(9), "unknown hash");
    refused("DHHC-1:10" + good.substr(9), "unknown hash");
    refused(good.substr(0, good.size() - 1), "its last character is ':'");
    refused("DHHC-1:00::", "not written in base64");
    refused("DHHC-1:00:AAAA:", "not written in base64");
    refused("DHHC-1:00:" + std::string(4, '=') + ":", "not written in base64");
    refused(good.substr(0, 20) + "*" + good.substr(21), "not written in base64");
    refused("DHHC-1:00:" + std::string(30, 'A') + "==:", "32, 48 or 64");
    refused("DHHC-1:02" + good.substr(9), "of 32 bytes, and with hash 02 it has 48");
    refused("DHHC-1:01" + valid_secrets[2].substr(9), "of 48 bytes, and with hash 01 it has 32");
    refused(good.substr(0, 20) + (good[20] == 'A' ? "B" : "A") + good.substr(21),
            "a wrong checksum");
}

TEST_F(StockDhchap, files_of_secrets_are_checked) {
    EXPECT_TRUE(read_dhchap_secret(key()));
    write_file(key(), valid_secrets.back(), 0600);
    const auto longest = read_dhchap_secret(key());
    ASSERT_TRUE(longest);
    EXPECT_EQ(longest->bytes().size(), 103U);
    write_file(key(), valid_secrets.back() + "\n", 0640);
    EXPECT_NE(read_dhchap_secret(key()).error().what.find("is open to others"), std::string::npos);
    write_file(key(), "Y2F1c2V3YXktc2VjcmV0LTE=\n", 0600);
    EXPECT_NE(read_dhchap_secret(key()).error().fix.find("nvme gen-dhchap-key > FILE"),
              std::string::npos);
    write_file(key(), std::string(200, 'x'), 0600);
    EXPECT_NE(read_dhchap_secret(key()).error().what.find("longer than 103"), std::string::npos);
    std::filesystem::remove(key());
    EXPECT_NE(read_dhchap_secret(key()).error().fix.find("nvme gen-dhchap-key > " + key()),
              std::string::npos);
}

/* ---- the kernel ---- */

TEST_F(StockDhchap, a_kernel_without_it_is_an_error_before_any_change) {
    kernel_lacks_it();
    offer_nvme();
    EXPECT_EQ(run(add_host()), 69);
    EXPECT_NE(err().find("was built without CONFIG_NVME_TARGET_AUTH"), std::string::npos) << err();
    EXPECT_EQ(run(attach()), 69);
    EXPECT_NE(err().find("was built without CONFIG_NVME_AUTH"), std::string::npos) << err();
    EXPECT_TRUE(nothing_left() && files.writes.empty());
    EXPECT_FALSE(std::filesystem::exists(root / "etc/causeway"));
    EXPECT_FALSE(std::filesystem::exists(root / "var/lib/causeway/journal"));
    EXPECT_EQ(run(add("nvme", {"--initiator", client_nqn})), 0) << err();
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    // Hosts of nvmet show it too.
    files.content["/lib/modules/6.12.1/modules.dep"] = "x/nvmet.ko: x/nvme-common.ko\n";
    files.folders.insert(config + "/nvmet/hosts/nqn.2026-01.org.example:another");
    EXPECT_EQ(run(add_host()), 69);
    put(config + "/nvmet/hosts/nqn.2026-01.org.example:another/dhchap_key", "");
    EXPECT_EQ(run(add_host()), 0) << err();
}

TEST_F(StockDhchap, a_kernel_that_lacks_the_attribute_leaves_nothing) {
    files.content.erase("/lib/modules/6.12.1/modules.dep");
    processes.acts["chmod 600 " + config + host + "/dhchap_key"] = [] {
        return FakeProcesses::failure("chmod: cannot access: No such file or directory", 1);
    };
    EXPECT_EQ(run(add_host()), 69);
    EXPECT_NE(err().find("the kernel has no " + config + host + "/dhchap_key"), std::string::npos)
        << err();
    EXPECT_TRUE(nothing_left());
    EXPECT_FALSE(std::filesystem::exists(dropin()));
}

/* ---- the target ---- */

TEST_F(StockDhchap, secrets_go_to_the_host_of_nvmet_only) {
    auto dry = add_host(true);
    dry.emplace_back("--dry-run");
    EXPECT_EQ(run(dry), 0) << err();
    EXPECT_NE(out().find("dhchap_key = the secret in " + key() + "\n"), std::string::npos) << out();
    EXPECT_FALSE(shows_a_secret());
    EXPECT_EQ(run(add_host(true)), 0) << err();
    EXPECT_EQ(value(host + "/dhchap_key"), host_secret);
    EXPECT_EQ(value(host + "/dhchap_ctrl_key"), server_secret);
    EXPECT_NE(out().find("--chap-key-file FILE --chap-mutual-key-file FILE\n"), std::string::npos)
        << out();
    // The kernel would show them to every user, and the host may log in only with its secret.
    const auto &log = processes.log;
    EXPECT_EQ(std::count(log.begin(), log.end(), "chmod 600 " + config + host + "/dhchap_key"), 1);
    EXPECT_EQ(std::count(log.begin(), log.end(), "chmod 600 " + config + host + "/dhchap_ctrl_key"),
              1);
    const auto place = [&](const std::string &start) {
        return std::find_if(files.writes.begin(), files.writes.end(),
                            [&](const std::string &line) { return line.rfind(start, 0) == 0; });
    };
    EXPECT_LT(place(config + host + "/dhchap_key "),
              place("link " + config + "/nvmet/subsystems/" + nqn + "/allowed_hosts"));
    EXPECT_FALSE(shows_a_secret());
    const auto listed = json({"export", "list"})["stock"][0];
    EXPECT_EQ(listed["chap"], "mutual");
    EXPECT_EQ(listed["chap_user"], nullptr);
    EXPECT_EQ(run(add_host(true)), 0);
    EXPECT_NE(out().find("nothing to do"), std::string::npos) << out();

    // After a reboot the secrets are read again, and the loss of a file is an error.
    std::filesystem::remove_all(root / "run/causeway");
    files.folders.clear();
    files.symlinks.clear();
    drop(config);
    write_file(key(), valid_secrets.back() + "\n", 0600);
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(value(host + "/dhchap_key"), valid_secrets.back());
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_TRUE(nothing_left());
}

TEST_F(StockDhchap, what_nvme_cannot_do_is_refused) {
    const auto refused = [&](const std::vector<std::string> &words, int code,
                             const std::string &saying) {
        EXPECT_EQ(run(words), code) << saying;
        EXPECT_NE(err().find(saying), std::string::npos) << err();
    };
    auto open = with_secret();
    refused(add("nvme", open), 64, "nvmet has a secret for each host, by its NQN");
    auto named = add_host();
    named.insert(named.end(), {"--chap-user", "anna"});
    refused(named, 64, "the NQN of the client stands for the user");
    refused(add("nvme", {"--initiator", client_nqn, "--chap-mutual-key-file", key()}), 64,
            "only to a client that has one");
    refused(add("nvme", {"--initiator", client_nqn, "--chap-key-file", key(),
                         "--chap-mutual-key-file", key()}),
            78, "which NVMe does not allow");
    write_file(key(), "Y2F1c2V3YXktc2VjcmV0LTE=\n", 0600);
    refused(add_host(), 78, "key file " + key());
    EXPECT_TRUE(nothing_left());
    EXPECT_FALSE(std::filesystem::exists(root / "etc/causeway"));
}

TEST_F(StockDhchap, a_host_has_one_secret_for_all_exports) {
    ASSERT_EQ(run(add_host()), 0) << err();
    write_file(root / "second.img", std::string(8192, 'x'));
    const auto second = [&](std::vector<std::string> more) {
        std::vector<std::string> words = {
            "export", "add",      "second",      "--file",  (root / "second.img").string(),
            "--via",  "nvme-tcp", "--initiator", client_nqn};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    };
    EXPECT_EQ(run(second({})), 1);
    EXPECT_NE(
        err().find("the export 'scratch' admits " + client_nqn + " with the secret: " + key()),
        std::string::npos)
        << err();
    EXPECT_EQ(run(second({"--chap-key-file", other_key()})), 1);
    EXPECT_EQ(run(second({"--chap-key-file", key()})), 0) << err();
    EXPECT_EQ(run({"export", "set", "second", "--chap-key-file", other_key()}), 1);
    EXPECT_NE(err().find("write it to that file first"), std::string::npos) << err();
    EXPECT_EQ(run({"export", "remove", "second"}), 0) << err();
    EXPECT_EQ(value(host + "/dhchap_key"), host_secret);
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_TRUE(nothing_left());
    files.folders.insert(config + host);
    put(config + host + "/dhchap_key", "");
    EXPECT_EQ(run(add_host()), 1);
    EXPECT_NE(err().find("another program made the host"), std::string::npos) << err();
}

/* ---- export set ---- */

TEST_F(StockDhchap, secrets_change_while_a_client_is_attached) {
    ASSERT_EQ(run(add_host()), 0) << err();
    EXPECT_EQ(run({"export", "set", "scratch", "--chap-key-file", other_key(), "--dry-run"}), 0);
    EXPECT_NE(out().find("dhchap_key = the secret in " + other_key()), std::string::npos) << out();
    EXPECT_EQ(value(host + "/dhchap_key"), host_secret);
    EXPECT_EQ(run({"export", "set", "scratch", "--chap-key-file", other_key()}), 0) << err();
    EXPECT_EQ(value(host + "/dhchap_key"), server_secret);
    EXPECT_NE(read_file(dropin()).find("chap-key-file = " + other_key()), std::string::npos);
    EXPECT_EQ(run({"export", "set", "scratch", "--chap-key-file", other_key()}), 0);
    EXPECT_NE(out().find("by these secrets"), std::string::npos) << out();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(value(host + "/dhchap_key"), host_secret);
    EXPECT_NE(read_file(dropin()).find("chap-key-file = " + key() + "\n"), std::string::npos);
    // Another secret in the same file; an initiator that is named anew has it too.
    write_file(key(), valid_secrets.back() + "\n", 0600);
    const std::string next = "nqn.2026-01.org.example:next";
    EXPECT_EQ(run({"export", "set", "scratch", "--chap-key-file", key(), "--initiator", client_nqn,
                   next}),
              0)
        << err();
    EXPECT_EQ(value(host + "/dhchap_key"), valid_secrets.back());
    EXPECT_EQ(value("/nvmet/hosts/" + next + "/dhchap_key"), valid_secrets.back());
    EXPECT_EQ(run({"export", "set", "scratch", "--chap-mutual-key-file", other_key()}), 64);
    EXPECT_NE(err().find("has no secret that --chap-mutual-key-file could replace"),
              std::string::npos)
        << err();
    write_file(key(), "no secret of NVMe, although it is of a length that fits it\n", 0600);
    EXPECT_EQ(run({"export", "set", "scratch", "--chap-key-file", key()}), 78);
    EXPECT_EQ(value(host + "/dhchap_key"), valid_secrets.back());
    EXPECT_FALSE(shows_a_secret());
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0) << err();
    EXPECT_TRUE(nothing_left());
}

TEST_F(StockDhchap, a_secret_that_the_kernel_refuses_changes_nothing) {
    ASSERT_EQ(run(add_host(true)), 0) << err();
    const std::string text = read_file(dropin());
    write_file(root / "key3", valid_secrets.back(), 0600);
    write_file(root / "key4", valid_secrets[3], 0600);
    files.refuse[config + host + "/dhchap_ctrl_key"] =
        Error{ExitCode::failed, "cannot write dhchap_ctrl_key: Invalid argument", "", EINVAL};
    EXPECT_EQ(run({"export", "set", "scratch", "--chap-key-file", (root / "key3").string(),
                   "--chap-mutual-key-file", (root / "key4").string()}),
              1);
    EXPECT_EQ(value(host + "/dhchap_key"), host_secret);
    EXPECT_EQ(read_file(dropin()), text);
}

/* ---- the host ---- */

TEST_F(StockDhchap, a_login_gives_its_secrets_to_the_kernel_only) {
    connects("\n[    3.0] nvme nvme0: qid 0: controller authenticated");
    write_file(root / "etc/nvme/hostid", "5cbe11f0-0000-4000-8000-000000000001\n");
    EXPECT_EQ(run(attach(true)), 0) << err();
    EXPECT_EQ(written,
              "nqn=" + nqn + ",transport=rdma,traddr=10.0.0.1,trsvcid=4420,hostnqn=" + client_nqn +
                  ",hostid=5cbe11f0-0000-4000-8000-000000000001" + ",dhchap_secret=" + host_secret +
                  ",dhchap_ctrl_secret=" + server_secret);
    EXPECT_FALSE(processes.ran("nvme connect"));
    EXPECT_TRUE(processes.ran("chmod 600 /sys/class/nvme/nvme0/dhchap_secret"));
    EXPECT_FALSE(shows_a_secret());
    const auto listed = json({"list"})["stock"][0];
    EXPECT_EQ(listed["chap"], "mutual");
    EXPECT_EQ(listed["attached"], true);
    EXPECT_EQ(run(attach(false)), 1);
    EXPECT_NE(err().find("CHAP is " + key() + " and " + other_key() + ", not " + key()),
              std::string::npos)
        << err();
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
    EXPECT_FALSE(std::filesystem::exists(attachment()));
}

TEST_F(StockDhchap, a_server_that_proves_nothing_is_left) {
    // The kernel's log has the proof of an earlier login only.
    connects("\n[    3.0] nvme nvme0: creating 2 I/O queues.");
    EXPECT_EQ(run(attach(true)), 77);
    EXPECT_NE(err().find("the server did not prove that it has the secret"), std::string::npos)
        << err();
    EXPECT_TRUE(processes.ran("nvme disconnect -d nvme0"));
    EXPECT_FALSE(std::filesystem::exists(attachment()));
    EXPECT_EQ(run(attach(false)), 0) << err();
}

TEST_F(StockDhchap, a_login_that_the_server_refuses_says_so) {
    connects("");
    files.on_write["/dev/nvme-fabrics"] = [this](const std::string &) -> Result<void> {
        log_ += "\n[    9.0] nvme nvme0: qid 0: authentication failed";
        return Error{ExitCode::failed, "cannot write /dev/nvme-fabrics: Input/output error", "",
                     EIO};
    };
    EXPECT_EQ(run(attach()), 77);
    EXPECT_NE(err().find("different secrets, or the server has none for " + client_nqn),
              std::string::npos)
        << err();
    processes.acts.erase("dmesg");
    files.on_write["/dev/nvme-fabrics"] = [](const std::string &) -> Result<void> {
        return Error{ExitCode::failed, "cannot write /dev/nvme-fabrics: Input/output error", "",
                     EIO};
    };
    EXPECT_EQ(run(attach()), 75);
    EXPECT_NE(err().find("NVMe at 10.0.0.1:4420: Input/output error"), std::string::npos) << err();
    std::filesystem::remove(root / "etc/nvme/hostnqn");
    EXPECT_EQ(run(attach()), 69);
    EXPECT_NE(err().find("nvme gen-hostnqn > /etc/nvme/hostnqn; uuidgen > /etc/nvme/hostid"),
              std::string::npos)
        << err();
    EXPECT_FALSE(std::filesystem::exists(attachment()));
}

// The log has the proof of an earlier login, which says nothing about this one.
TEST_F(StockDhchap, a_log_that_cannot_be_read_proves_nothing) {
    connects("\n[    3.0] nvme nvme0: qid 0: controller authenticated");
    const auto dmesg = processes.acts["dmesg"];
    const auto refused = [&](bool connected) {
        EXPECT_EQ(run(attach(true)), 69) << err();
        EXPECT_NE(err().find("it cannot be seen whether the server proves the secret"),
                  std::string::npos)
            << err();
        EXPECT_EQ(!written.empty(), connected);
        EXPECT_EQ(processes.ran("nvme disconnect -d nvme0"), connected);
        EXPECT_EQ(json({"list"})["stock"].size(), 0U);
    };
    unsigned int calls = 0;
    processes.acts["dmesg"] = [&] {
        return calls++ == 0 ? FakeProcesses::failure("dmesg: not permitted", 1) : dmesg();
    };
    refused(false);
    processes.acts["dmesg"] = [] { return FakeProcesses::failure("dmesg: not permitted", 1); };
    refused(false);
    EXPECT_EQ(run(attach(false)), 0) << err();
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
    processes.log.clear();
    written.clear();
    processes.acts["dmesg"] = dmesg;
    files.refuse["/dev/kmsg"] =
        Error{ExitCode::failed, "cannot write /dev/kmsg: Operation not permitted", "", EPERM};
    refused(false);
    files.refuse.clear();
    const auto kmsg = files.on_write["/dev/kmsg"];
    files.on_write["/dev/kmsg"] = [](const std::string &) { return Result<void>(); };
    refused(false);
    files.on_write["/dev/kmsg"] = kmsg;
    // The log has lost the mark when the proof is looked for.
    const auto login = files.on_write["/dev/nvme-fabrics"];
    files.on_write["/dev/nvme-fabrics"] = [&](const std::string &text) {
        log_.clear();
        return login(text);
    };
    refused(true);
    files.on_write["/dev/nvme-fabrics"] = login;
    EXPECT_EQ(run(attach(true)), 0) << err();
}

TEST_F(StockDhchap, an_interrupted_login_has_proved_nothing) {
    struct Killed {};
    connects("\n[    3.0] nvme nvme0: creating 2 I/O queues.");
    const auto login = files.on_write["/dev/nvme-fabrics"];
    files.on_write["/dev/nvme-fabrics"] = [&](const std::string &text) -> Result<void> {
        (void)login(text);
        throw Killed();
    };
    EXPECT_THROW(run(attach(true)), Killed);
    EXPECT_EQ(json({"list"})["stock"][0]["attached"], false);
    files.on_write["/dev/nvme-fabrics"] = login;
    EXPECT_EQ(run(attach(true)), 77);
    EXPECT_EQ(processes.count("nvme disconnect -d nvme0"), 2U);
    EXPECT_EQ(json({"list"})["stock"].size(), 0U);
}

TEST_F(StockDhchap, a_host_has_one_id) {
    connects("");
    // As after: nvme gen-hostnqn > /etc/nvme/hostnqn
    EXPECT_EQ(run(attach()), 0) << err();
    EXPECT_NE(
        written.find(",hostnqn=" + client_nqn + ",hostid=5cbe11f0-0000-4000-8000-000000000001,"),
        std::string::npos)
        << written;
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
    written.clear();
    write_file(root / "etc/nvme/hostnqn", "nqn.2026-01.org.example:client\n");
    const auto refused = [&](const std::string &saying) {
        EXPECT_EQ(run(attach()), 69);
        EXPECT_NE(err().find(saying), std::string::npos) << err();
        EXPECT_NE(err().find("uuidgen > /etc/nvme/hostid; or for a new NQN: nvme gen-hostnqn > "
                             "/etc/nvme/hostnqn"),
                  std::string::npos)
            << err();
        EXPECT_TRUE(written.empty());
    };
    refused("there is no ");
    write_file(root / "etc/nvme/hostid", "client\n");
    refused("hostid has no UUID");
    write_file(root / "etc/nvme/hostid", "9d3f1b52-0000-4000-8000-000000000002\n");
    EXPECT_EQ(run(attach()), 0) << err();
    EXPECT_NE(written.find(",hostid=9d3f1b52-0000-4000-8000-000000000002,"), std::string::npos);
}

TEST_F(StockDhchap, a_target_cannot_add_options_to_the_login) {
    connects("");
    auto words = attach();
    words.insert(words.end(), {"--target", "nqn.2026-01.org.example:x,host_traddr=10.0.0.9"});
    EXPECT_EQ(run(words), 64);
    EXPECT_NE(err().find("takes no NQN with a comma"), std::string::npos) << err();
    EXPECT_TRUE(written.empty());
}

} // namespace
} // namespace causeway
