// SPDX-License-Identifier: GPL-2.0-or-later
// Disks over TCP: export add, attach, path add, their configuration files and undo.
#include "config/dropins.h"
#include "fixture.h"

#include <cerrno>

namespace causeway {
namespace {

class OverTcp : public CommandTest {
  protected:
    const AttachRequest &asked() const { return kernel.attach_requests.back(); }
    std::string kept() const { return read_file(attachment_file("storage1:scratch")); }
    int attach(std::vector<std::string> more) {
        more.insert(more.begin(), {"attach", "storage1/scratch"});
        return run(more);
    }
};

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

} // namespace
} // namespace causeway
