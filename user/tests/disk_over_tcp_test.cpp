// SPDX-License-Identifier: GPL-2.0-or-later
// Disks over TCP: export add, attach, path add, discover, their configuration files and undo; and
// what earlier versions wrote, which had no links over TCP.
#include "attach_fixture.h"
#include "config/dropins.h"
#include "kernel/refusal.h"

#include <algorithm>
#include <cerrno>

namespace causeway {
namespace {

class OverTcp : public AttachTest {};

TEST_F(OverTcp, a_disk_goes_to_the_port_after_that_of_rdma) {
    EXPECT_EQ(attach({"--transport", "tcp"}), 0) << err();
    EXPECT_TRUE(logged("attach storage1/scratch at 10.0.0.1:4794 over TCP"));
    ASSERT_EQ(asked().paths.size(), 1U);
    EXPECT_EQ(asked().paths[0].transport, CW_TRANSPORT_TCP);
    EXPECT_NE(kept().find("name = scratch\ntransport = tcp\n"), std::string::npos) << kept();
    EXPECT_EQ(run({"attach", "storage1:5000/other", "--transport", "tcp"}), 0) << err();
    EXPECT_TRUE(logged("attach storage1:5000/other at 10.0.0.1:5001 over TCP"));
}

TEST_F(OverTcp, a_path_follows_each_path_by_rdma_if_both_are_wanted) {
    EXPECT_EQ(attach({"--path", "10.0.0.1,10.1.0.1", "--transport", "rdma,tcp"}), 0) << err();
    EXPECT_TRUE(logged("attach storage1/scratch at 10.0.0.1:4793, 10.1.0.1:4793, 10.0.0.1:4794 "
                       "over TCP, 10.1.0.1:4794 over TCP"));
    EXPECT_FALSE(asked().paths[0].transport);
    EXPECT_NE(kept().find("path = 10.1.0.1\ntransport = rdma\ntransport = rdma\n"
                          "transport = tcp\ntransport = tcp\n"),
              std::string::npos)
        << kept();
}

TEST_F(OverTcp, both_transports_lead_to_the_name_of_the_server) {
    EXPECT_EQ(attach({"--transport", "rdma,tcp", "--from", "10.0.0.9"}), 0) << err();
    EXPECT_TRUE(logged("attach storage1/scratch at 10.0.0.1:4793 from 10.0.0.9, 10.0.0.1:4794 "
                       "from 10.0.0.9 over TCP"));
    EXPECT_EQ(attach({"--transport", "rdma,tcp", "--from", "10.0.0.9"}), 0) << err();
    EXPECT_EQ(kernel.attach_requests.size(), 1U);
}

TEST_F(OverTcp, the_transport_belongs_to_the_settings_of_a_disk) {
    EXPECT_EQ(attach({"--path", "10.0.0.1"}), 0) << err();
    EXPECT_EQ(attach({"--path", "10.0.0.1", "--transport", "rdma"}), 0) << err();
    EXPECT_EQ(attach({"--path", "10.0.0.1", "--transport", "tcp"}), 1);
    EXPECT_NE(err().find("the list of paths is 10.0.0.1, not 10.0.0.1 over TCP"), std::string::npos)
        << err();
}

TEST_F(OverTcp, a_typed_transport_is_compared_with_that_of_the_disk) {
    EXPECT_EQ(attach({"--transport", "tcp"}), 0) << err();
    EXPECT_EQ(attach({"--transport", "rdma"}), 1);
    EXPECT_NE(err().find("the list of paths is the server's name over TCP, not left to the name"),
              std::string::npos)
        << err();
    EXPECT_EQ(attach({}), 0) << err();
    EXPECT_EQ(run({"attach", "storage1/other"}), 0) << err();
    EXPECT_EQ(run({"attach", "storage1/other", "--transport", "rdma"}), 0) << err();
}

TEST_F(OverTcp, a_disk_that_is_made_persistent_keeps_its_transport) {
    EXPECT_EQ(attach({"--transport", "tcp", "--no-persist"}), 0) << err();
    EXPECT_EQ(attach({}), 0) << err();
    EXPECT_NE(kept().find("name = scratch\ntransport = tcp\n"), std::string::npos) << kept();
    EXPECT_EQ(run({"attach", "storage1/other", "--no-persist", "--path", "10.0.0.1,10.1.0.1"}), 0)
        << err();
    EXPECT_EQ(run({"attach", "storage1/other"}), 0) << err();
    EXPECT_NE(read_file(attachment_file("storage1:other")).find("path = 10.1.0.1\n"),
              std::string::npos);
}

TEST_F(OverTcp, bad_words_say_what_is_right_and_change_nothing) {
    for (const char *word : {"", "tcp,rdma", "udp", "rdma,", "rdma,tcp,tcp"}) {
        EXPECT_EQ(attach({"--transport", word}), 64) << word;
        EXPECT_NE(err().find("rdma, tcp or rdma,tcp"), std::string::npos) << err();
    }
    EXPECT_EQ(attach({"--path", "10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4,10.0.0.5", "--transport",
                      "rdma,tcp"}),
              64);
    EXPECT_NE(err().find("10 paths are too many for a disk"), std::string::npos) << err();
    EXPECT_EQ(run({"attach", "storage1:65535/scratch", "--transport", "tcp"}), 64);
    EXPECT_NE(err().find("has no port for TCP"), std::string::npos) << err();
    EXPECT_TRUE(kernel.attach_requests.empty());
}

TEST_F(OverTcp, disks_come_back_at_boot_and_by_undo) {
    EXPECT_EQ(attach({"--path", "10.0.0.1,10.1.0.1", "--from", "10.0.0.9,any", "--transport",
                      "rdma,tcp"}),
              0)
        << err();
    const auto before = kernel.log.back();
    EXPECT_EQ(run({"stop"}), 0) << err();
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(kernel.log.back(), before);
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(kernel.log.back(), before);
}

TEST_F(OverTcp, a_file_with_wrong_transports_is_reported) {
    write_file(attachment_file("storage1:scratch"),
               "[attachment]\nserver = storage1\nname = scratch\npath = 10.0.0.1\n"
               "transport = rdma\ntransport = tcp\n");
    EXPECT_NE(run({"restore"}), 0);
    EXPECT_NE(err().find("transport has 2 words, and the number of paths is 1"), std::string::npos)
        << err();
}

TEST_F(OverTcp, a_path_is_added_and_removed) {
    EXPECT_EQ(attach({"--path", "10.0.0.1"}), 0) << err();
    EXPECT_EQ(run({"path", "add", "storage1/scratch", "--path", "10.0.0.1", "--transport", "tcp"}),
              0)
        << err();
    EXPECT_TRUE(logged("add path 10.0.0.1:4794 over TCP to storage1/scratch"));
    EXPECT_NE(kept().find("path = 10.0.0.1\npath = 10.0.0.1\ntransport = rdma\ntransport = tcp\n"),
              std::string::npos)
        << kept();
    EXPECT_EQ(run({"path", "remove", "storage1/scratch", "10.0.0.1"}), 64);
    EXPECT_NE(err().find("has 2 paths to 10.0.0.1"), std::string::npos) << err();
    EXPECT_EQ(run({"path", "remove", "storage1/scratch", "1"}), 0) << err();
    EXPECT_EQ(kept().find("transport"), std::string::npos) << kept();
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_NE(kept().find("transport = tcp\n"), std::string::npos) << kept();
}

TEST_F(OverTcp, an_export_says_whether_it_is_served) {
    EXPECT_EQ(run({"export", "add", "fast", "--ram", "16M", "--allow", "any", "--tcp"}), 0)
        << err();
    EXPECT_TRUE(kernel.running_exports.at(0).settings.tcp);
    EXPECT_NE(read_file(export_file("fast")).find("tcp = yes\n"), std::string::npos);
    EXPECT_EQ(run({"export", "add", "fast", "--ram", "16M", "--allow", "any"}), 1);
    EXPECT_NE(err().find("tcp is on, not off"), std::string::npos) << err();
    const auto shown = json({"export", "list"})["exports"][0];
    EXPECT_EQ(shown["tcp"], true);
    EXPECT_EQ(run({"export", "remove", "fast"}), 0) << err();
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_TRUE(kernel.running_exports.at(0).settings.tcp);
}

// The kernel does not know CW_A_TCP then.
TEST_F(OverTcp, an_export_by_older_modules_is_an_error_and_leaves_nothing) {
    kernel.refuse["add"] = refusal(Request::add_export, EINVAL, "Unknown attribute type");
    EXPECT_EQ(run({"export", "add", "fast", "--ram", "16M", "--allow", "any", "--tcp"}), 69);
    EXPECT_NE(err().find("cannot export 'fast': the loaded kernel modules are of an earlier "
                         "version"),
              std::string::npos)
        << err();
    EXPECT_TRUE(kernel.running_exports.empty());
    EXPECT_FALSE(std::filesystem::exists(export_file("fast")));
    EXPECT_TRUE(json({"undo", "--list"})["journal"].empty()) << out();
}

/* ---- discover ---- */

class AskedServer : public AttachTest {
  protected:
    AskedServer() {
        DiscoveredExport scratch;
        scratch.name = "scratch";
        kernel.offered = {scratch};
    }

    int discover() { return run({"discover", "storage1", "--transport", "rdma,tcp"}); }

    Error no_device{ExitCode::unavailable, "no RDMA device leads there", "", ENODEV};
};

TEST_F(AskedServer, is_asked_over_tcp_if_it_cannot_be_asked_by_rdma) {
    kernel.refuse["discover"] = no_device;
    EXPECT_EQ(discover(), 0) << err();
    EXPECT_NE(out().find("storage1/scratch"), std::string::npos) << out();
    EXPECT_EQ(kernel.log,
              (std::vector<std::string>{"discover storage1 at 10.0.0.1:4793",
                                        "discover storage1 at 10.0.0.1:4794 over TCP"}));
    kernel.log.clear();
    kernel.refuse["discover"] = no_device;
    EXPECT_EQ(attach({"--path", "auto", "--transport", "rdma,tcp"}), 0) << err();
    EXPECT_EQ(kernel.log,
              (std::vector<std::string>{"discover storage1 at 10.0.0.1:4793 for scratch",
                                        "discover storage1 at 10.0.0.1:4794 over TCP for scratch",
                                        "attach storage1/scratch at 10.0.0.1:4794 over TCP"}));
    EXPECT_NE(err().find("the disk has no path by RDMA"), std::string::npos) << err();
}

TEST_F(AskedServer, is_asked_by_rdma_alone_if_it_answers) {
    EXPECT_EQ(discover(), 0) << err();
    kernel.refuse["discover"] = {ExitCode::no_permission, "another version", "", EPROTONOSUPPORT};
    EXPECT_EQ(discover(), 77);
    EXPECT_EQ(kernel.log, (std::vector<std::string>{"discover storage1 at 10.0.0.1:4793",
                                                    "discover storage1 at 10.0.0.1:4793"}));
}

/* ---- what earlier versions wrote ---- */

class BeforeTcp : public AttachTest {
  protected:
    // Rewrites the newest entry of the journal as a version without links over TCP wrote it.
    void make_entry_old() {
        std::filesystem::path newest;
        for (const auto &each :
             std::filesystem::directory_iterator(root / "var/lib/causeway/journal")) {
            if (each.path().extension() == ".json") {
                newest = std::max(newest, each.path());
            }
        }
        auto entry = nlohmann::json::parse(read_file(newest));
        std::size_t erased = 0;
        for (auto &change : entry["changes"]) {
            erased += change.erase("tcp");
            for (auto &path : change.contains("paths") ? change["paths"] : change) {
                erased += path.is_object() ? path.erase("transport") : 0;
            }
        }
        EXPECT_GT(erased, 0U) << entry;
        write_file(newest, entry.dump(), mode_of(newest));
    }
};

TEST_F(BeforeTcp, an_attachment_of_the_journal_goes_by_rdma) {
    EXPECT_EQ(attach({"--path", "10.0.0.1,10.1.0.1", "--no-persist"}), 0) << err();
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
    make_entry_old();
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(kernel.log.back(), "attach storage1/scratch at 10.0.0.1:4793, 10.1.0.1:4793");
    EXPECT_FALSE(asked().paths.at(0).transport);
}

TEST_F(BeforeTcp, a_path_of_the_journal_goes_by_rdma) {
    EXPECT_EQ(attach({"--path", "10.0.0.1"}), 0) << err();
    EXPECT_EQ(run({"path", "add", "storage1/scratch", "--path", "10.1.0.1"}), 0) << err();
    make_entry_old();
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(kernel.log.back(), "remove path 1 of storage1/scratch");
    EXPECT_EQ(run({"path", "add", "storage1/scratch", "--path", "10.1.0.1"}), 0) << err();
    EXPECT_EQ(run({"path", "remove", "storage1/scratch", "10.1.0.1"}), 0) << err();
    make_entry_old();
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(kernel.log.back(), "add path 10.1.0.1:4793 to storage1/scratch");
}

TEST_F(BeforeTcp, an_export_of_the_journal_is_served_by_rdma_alone) {
    EXPECT_EQ(run({"export", "add", "fast", "--ram", "16M", "--allow", "any"}), 0) << err();
    EXPECT_EQ(run({"export", "remove", "fast"}), 0) << err();
    make_entry_old();
    EXPECT_EQ(run({"undo"}), 0) << err();
    ASSERT_EQ(kernel.running_exports.size(), 1U);
    EXPECT_FALSE(kernel.running_exports.at(0).settings.tcp);
}

TEST_F(BeforeTcp, configuration_files_mean_rdma) {
    write_file(export_file("fast"), "[export]\nram = 16M\nallow = any\n");
    write_file(attachment_file("storage1:scratch"),
               "[attachment]\nserver = storage1\nname = scratch\npath = 10.0.0.1\n"
               "path = 10.1.0.1\nfrom = 10.0.0.9\nfrom = any\n");
    write_file(attachment_file("storage1:other"),
               "[attachment]\nserver = storage1\nname = other\n");
    EXPECT_EQ(run({"restore"}), 0) << err();
    ASSERT_EQ(kernel.running_exports.size(), 1U);
    EXPECT_FALSE(kernel.running_exports.at(0).settings.tcp);
    EXPECT_TRUE(
        logged("attach storage1/scratch at 10.0.0.1:4793 from 10.0.0.9, 10.1.0.1:4793 in the "
               "background"));
    EXPECT_TRUE(logged("attach storage1/other at 10.0.0.1:4793 in the background"));
    EXPECT_EQ(json({"export", "list"})["exports"][0]["tcp"], false);
    // The same settings in the words of this version are no change.
    EXPECT_EQ(run({"attach", "storage1/other", "--transport", "rdma", "--background"}), 0) << err();
    EXPECT_EQ(run({"export", "add", "fast", "--ram", "16M", "--allow", "any"}), 0) << err();
    EXPECT_EQ(kernel.attach_requests.size(), 2U);
}

} // namespace
} // namespace causeway
