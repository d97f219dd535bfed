// SPDX-License-Identifier: GPL-2.0-or-later
// Several paths of one disk: attach, its configuration file, undo, and what net, path list, watch
// and metrics show.
#include "attach_fixture.h"
#include "config/dropins.h"
#include "disk/path_report.h"

#include <cerrno>

namespace causeway {
namespace {

namespace fs = std::filesystem;

class Pathed : public AttachTest {};

TEST_F(Pathed, reach_the_kernel_in_their_order_and_the_file) {
    EXPECT_EQ(attach({"--path", "10.1.0.1,10.0.0.1", "--path", "fd00:0::1"}), 0) << err();
    EXPECT_TRUE(logged("attach storage1/scratch at 10.1.0.1:4793, 10.0.0.1:4793, [fd00::1]:4793"));
    EXPECT_TRUE(asked().address.empty());
    ASSERT_EQ(asked().paths.size(), 3U);
    EXPECT_TRUE(asked().paths[0].local.empty());
    EXPECT_NE(kept().find("name = scratch\npath = 10.1.0.1\npath = 10.0.0.1\npath = fd00::1\n"),
              std::string::npos)
        << kept();
}

TEST_F(Pathed, connect_from_the_local_address_of_the_same_place) {
    EXPECT_EQ(attach({"--path", "10.0.0.1", "--from", "10.0.0.9", "--path", "fd00::1", "--from",
                      "fd00::9"}),
              0)
        << err();
    EXPECT_TRUE(logged("attach storage1/scratch at 10.0.0.1:4793 from 10.0.0.9, [fd00::1]:4793 "
                       "from fd00::9"));
    EXPECT_NE(kept().find("path = 10.0.0.1\npath = fd00::1\nfrom = 10.0.0.9\nfrom = fd00::9\n"),
              std::string::npos)
        << kept();
}

TEST_F(Pathed, have_the_port_of_the_server) {
    EXPECT_EQ(run({"attach", "storage1:5000/scratch", "--path", "10.0.0.1,10.1.0.1"}), 0) << err();
    EXPECT_TRUE(logged("attach storage1:5000/scratch at 10.0.0.1:5000, 10.1.0.1:5000"));
}

// Modules of earlier versions know a single address only.
TEST_F(Pathed, that_are_one_without_a_local_address_are_asked_for_as_before) {
    EXPECT_EQ(attach({}), 0) << err();
    EXPECT_EQ(asked().address, address_of("10.0.0.1"));
    EXPECT_TRUE(asked().paths.empty());
    EXPECT_EQ(kept().find("path"), std::string::npos) << kept();
    EXPECT_EQ(run({"attach", "storage1/other", "--path", "10.1.0.1"}), 0) << err();
    EXPECT_EQ(asked().address, address_of("10.1.0.1"));
    EXPECT_TRUE(asked().paths.empty());
}

TEST_F(Pathed, from_a_local_address_alone_try_the_addresses_of_the_name) {
    resolver.names["storage1"] = {"fd00::1", "10.0.0.1", "10.0.0.2"};
    kernel.unreachable["10.0.0.1"] = Error{ExitCode::try_again, "no route", "", EHOSTUNREACH};
    EXPECT_EQ(attach({"--from", "10.0.0.9"}), 0) << err();
    EXPECT_EQ(kernel.attach_requests.size(), 2U);
    EXPECT_TRUE(logged("attach storage1/scratch at 10.0.0.2:4793 from 10.0.0.9"));
    EXPECT_NE(kept().find("name = scratch\nfrom = 10.0.0.9\n"), std::string::npos) << kept();
    EXPECT_EQ(attach({"--from", "10.0.0.9"}), 0) << err();
    EXPECT_EQ(attach({"--from", "10.0.0.8"}), 1);
}

TEST_F(Pathed, to_names_are_kept_as_names) {
    resolver.names["storage1-a"] = {"10.0.0.1"};
    resolver.names["storage1-b"] = {"fd00::1", "10.1.0.1"};
    EXPECT_EQ(attach({"--path", "storage1-a,storage1-b", "--from", "10.0.0.9,10.1.0.9"}), 0)
        << err();
    EXPECT_TRUE(logged("attach storage1/scratch at 10.0.0.1:4793 from 10.0.0.9, 10.1.0.1:4793 "
                       "from 10.1.0.9"));
    EXPECT_NE(kept().find("path = storage1-a\npath = storage1-b\n"), std::string::npos) << kept();
    resolver.names["storage1-b"] = {"10.2.0.1"};
    EXPECT_EQ(attach({"--path", "storage1-a,storage1-b"}), 1);
    EXPECT_NE(err().find("the list of paths is storage1-a from 10.0.0.9, storage1-b from 10.1.0.9, "
                         "not storage1-a, storage1-b"),
              std::string::npos)
        << err();
    EXPECT_EQ(attach({"--path", "storage1-a,storage1-b", "--from", "10.0.0.9,10.1.0.9"}), 0)
        << err();
}

TEST_F(Pathed, without_a_file_are_compared_by_the_present_addresses_of_names) {
    resolver.names["storage1-b"] = {"10.1.0.1"};
    EXPECT_EQ(attach({"--no-persist", "--path", "10.0.0.1,storage1-b"}), 0) << err();
    EXPECT_EQ(attach({"--no-persist", "--path", "10.0.0.1,storage1-b"}), 0) << err();
    EXPECT_EQ(attach({"--no-persist", "--path", "10.0.0.1,10.1.0.1"}), 0) << err();
    EXPECT_EQ(attach({"--no-persist"}), 0) << err();
    resolver.names["storage1-b"] = {"10.2.0.1"};
    EXPECT_EQ(attach({"--no-persist", "--path", "10.0.0.1,storage1-b"}), 1);
    EXPECT_NE(err().find("the list of paths is 10.0.0.1, 10.1.0.1, not 10.0.0.1, 10.2.0.1"),
              std::string::npos)
        << err();
    resolver.names.erase("storage1-b");
    EXPECT_EQ(attach({"--no-persist", "--path", "10.0.0.1,storage1-b"}), 69);
    EXPECT_EQ(kernel.attach_requests.size(), 1U);
}

TEST_F(Pathed, cannot_be_changed_by_another_attach) {
    EXPECT_EQ(attach({"--path", "10.0.0.1,10.1.0.1"}), 0) << err();
    EXPECT_EQ(attach({"--path", "10.0.0.1,10.1.0.1"}), 0) << err();
    EXPECT_EQ(attach({}), 0) << err();
    for (const char *other : {"10.0.0.1", "10.1.0.1,10.0.0.1", "10.0.0.1,10.1.0.1,10.2.0.1"}) {
        EXPECT_EQ(attach({"--path", other}), 1) << other;
        EXPECT_NE(err().find("the list of paths is 10.0.0.1, 10.1.0.1, not "), std::string::npos)
            << err();
        EXPECT_NE(err().find("causeway detach storage1/scratch"), std::string::npos) << err();
    }
    EXPECT_EQ(run({"attach", "storage1/other"}), 0) << err();
    EXPECT_EQ(run({"attach", "storage1/other", "--path", "10.0.0.1,10.1.0.1"}), 1);
    EXPECT_NE(err().find("the list of paths is left to the name of the server, not 10.0.0.1, "
                         "10.1.0.1"),
              std::string::npos)
        << err();
    EXPECT_EQ(kernel.attach_requests.size(), 2U);
}

TEST_F(Pathed, with_bad_arguments_say_what_is_wrong_and_change_nothing) {
    const std::string nine = "10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4,10.0.0.5,10.0.0.6,10.0.0.7,"
                             "10.0.0.8,10.0.0.9";
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
        {{"--path", "10.0.0.1:4793"},
         "causeway: --path '10.0.0.1:4793' is neither an IP address nor a name\n  give an address "
         "of the server without a port, such as 10.1.0.1, fd01::1 or storage1-b; the port is the "
         "one of SERVER\n"},
        {{"--path", "[fd00::1]"}, "--path '[fd00::1]' is neither an IP address nor a name"},
        {{"--path", "10.0.0.1,"}, "--path '' is neither an IP address nor a name"},
        {{"--path", ""}, "--path '' is neither an IP address nor a name"},
        {{"--path", "10.0.0.1", "--from", "here"},
         "causeway: --from 'here' is not an IP address\n  give an address of this machine, such as "
         "10.1.0.2, or any\n"},
        {{"--path", "fd00::1,fd00:0::1"},
         "causeway: the path fd00::1 is given twice\n  give each path once\n"},
        {{"--path", "a,a"}, "the path a is given twice"},
        {{"--path", "10.0.0.1,10.0.0.1", "--from", "10.0.0.9,10.0.0.9"},
         "the path 10.0.0.1 from 10.0.0.9 is given twice"},
        {{"--path", nine}, "causeway: 9 paths are too many for a disk\n  give at most 8\n"},
        {{"--path", "10.0.0.1,10.1.0.1", "--from", "10.0.0.9"},
         "causeway: --from has 1 address and --path 2: each address of this machine belongs to one "
         "of the server\n  give as many of --path, in the same order, or leave --from out\n"},
        {{"--from", "10.0.0.9,10.1.0.9"}, "--from has 2 addresses and --path none: each"},
        {{"--path", "fd00::1", "--from", "10.0.0.9"},
         "causeway: the path fd00::1 from 10.0.0.9 has an IPv4 address at one end and an IPv6 "
         "address at the other\n  give two addresses of one family\n"},
        {{"--path", "10.0.0.1", "--via", "nvme"},
         "--path is of Causeway's own transport\n  leave out --path or --via\n"},
        {{"--from", "10.0.0.9", "--via", "nvme"}, "leave out --from or --via"},
    };
    for (const auto &[more, saying] : cases) {
        EXPECT_EQ(attach(more), 64) << saying;
        EXPECT_NE(err().find(saying), std::string::npos) << err();
    }
    EXPECT_TRUE(modules.there.empty());
    EXPECT_TRUE(kernel.log.empty());
    EXPECT_FALSE(fs::exists(root / "etc"));
}

TEST_F(Pathed, to_names_that_cannot_be_used_are_refused) {
    resolver.names["a"] = {"10.1.0.1"};
    resolver.names["b"] = {"10.1.0.1"};
    EXPECT_EQ(attach({"--path", "a,nowhere"}), 69);
    EXPECT_NE(err().find("'nowhere' does not resolve"), std::string::npos) << err();
    EXPECT_EQ(attach({"--path", "a,b"}), 1);
    EXPECT_EQ(err(), "causeway: the paths a and b of storage1/scratch are the same: both lead to "
                     "10.1.0.1\n  give another address of the server for each path\n");
    EXPECT_EQ(attach({"--path", "a", "--from", "fd00::9"}), 69);
    EXPECT_NE(err().find("no address of 'a' is of the family of fd00::9\n"), std::string::npos)
        << err();
    EXPECT_TRUE(kernel.attach_requests.empty());
    EXPECT_FALSE(fs::exists(attachment_file("storage1:scratch")));
}

TEST_F(Pathed, are_attached_while_one_of_them_has_a_server) {
    kernel.unreachable["10.0.0.1"] = Error{ExitCode::try_again, "no route", "", EHOSTUNREACH};
    EXPECT_EQ(attach({"--path", "10.0.0.1,10.1.0.1"}), 0) << err();
    kernel.unreachable["10.3.0.1"] = Error{ExitCode::try_again, "no answer", "", ETIMEDOUT};
    EXPECT_EQ(run({"attach", "storage1/other", "--path", "10.0.0.1,10.3.0.1"}), 75);
    EXPECT_EQ(err(), "causeway: cannot attach storage1/other at 10.0.0.1:4793 and 10.3.0.1:4793: "
                     "no answer\n");
    EXPECT_EQ(kernel.attach_requests.size(), 2U);
}

TEST_F(Pathed, do_not_need_the_name_of_the_server) {
    EXPECT_EQ(run({"attach", "nameless/scratch", "--path", "10.0.0.1,10.1.0.1"}), 0) << err();
    EXPECT_TRUE(logged("attach nameless/scratch at 10.0.0.1:4793, 10.1.0.1:4793"));
}

TEST_F(Pathed, come_back_at_boot) {
    resolver.names["storage1-b"] = {"10.1.0.1"};
    write_file(attachment_file("a"), "[attachment]\nserver = storage1\nname = scratch\n"
                                     "path = 10.0.0.1\nfrom = 10.0.0.9\n"
                                     "path = storage1-b\nfrom = 10.1.0.9\n");
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_TRUE(logged("attach storage1/scratch at 10.0.0.1:4793 from 10.0.0.9, 10.1.0.1:4793 from "
                       "10.1.0.9 in the background"));
    kernel.running_attachments.clear();
    resolver.names.erase("storage1-b");
    resolver.unknown = ExitCode::try_again;
    EXPECT_EQ(run({"restore"}), 75);
    EXPECT_NE(err().find("'storage1-b' does not resolve"), std::string::npos) << err();
}

TEST_F(Pathed, that_a_file_has_wrong_are_reported_with_their_line) {
    const std::string head = "[attachment]\nserver = a\nname = x\n";
    for (const auto &[lines, what] : std::vector<std::pair<std::string, std::string>>{
             {"path = 10.0.0.1:1\n", "f:4: path '10.0.0.1:1' is neither an IP address nor a name"},
             {"from = 10.0.0.9\nfrom = 10.0.0.8\n",
              "f:4: from has 2 addresses and path none: each address of this machine belongs to "
              "one of the server"},
             {"path = a\npath = a\n", "f:4: the path a is given twice"},
         }) {
        const auto read = parse_attachment_dropin("f", head + lines);
        ASSERT_FALSE(read) << lines;
        EXPECT_EQ(read.error().what, what);
        EXPECT_EQ(read.error().code, ExitCode::bad_config);
    }
}

TEST_F(Pathed, read_back_from_the_file_as_they_were_written) {
    AttachmentSettings settings;
    settings.disk = *parse_disk("storage1/scratch");
    for (const auto &wanted : std::vector<std::vector<PathSettings>>{
             {},
             {{"10.0.0.1"}},
             {{"", "10.0.0.9"}},
             {{"10.0.0.1", "10.0.0.9"}, {"storage1-b", "fe80::1%lo"}},
         }) {
        settings.paths = wanted;
        const auto back = parse_attachment_dropin("f", *dropin_text(settings));
        ASSERT_TRUE(back) << back.error().what;
        EXPECT_EQ(back->paths, wanted);
    }
}

/* ---- undo ---- */

TEST_F(Pathed, come_back_by_undo) {
    resolver.names["storage1-b"] = {"10.1.0.1"};
    const std::vector<std::vector<std::string>> ways = {
        {"--path", "10.0.0.1,storage1-b", "--from", "10.0.0.9,10.1.0.9"},
        {"--path", "10.0.0.1,10.1.0.1", "--no-persist"},
        {"--path", "10.1.0.1", "--no-persist"},
        {"--from", "10.0.0.9", "--no-persist"},
        {"--from", "10.0.0.9"},
        {"--no-persist"},
    };
    for (const auto &more : ways) {
        SCOPED_TRACE(more.front() + " " + more.back());
        EXPECT_EQ(attach(more), 0) << err();
        const std::string request = kernel.log.back();
        const std::string file = kept();
        EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
        EXPECT_EQ(run({"undo", "--last"}), 0) << err();
        EXPECT_EQ(kernel.log.back(), request);
        EXPECT_EQ(kept(), file);
        EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
    }
}

TEST_F(Pathed, of_an_attach_are_undone_though_a_name_has_another_address_now) {
    resolver.names["storage1-b"] = {"10.1.0.1"};
    EXPECT_EQ(attach({"--path", "10.0.0.1,storage1-b"}), 0) << err();
    resolver.names.clear();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(kernel.running_attachments.empty());
    EXPECT_FALSE(fs::exists(attachment_file("storage1:scratch")));
}

TEST_F(Pathed, of_another_attachment_are_not_undone) {
    EXPECT_EQ(attach({"--path", "10.0.0.1,10.1.0.1"}), 0) << err();
    kernel.running_attachments[0].paths.pop_back();
    EXPECT_EQ(run({"undo", "--last"}), 1);
    EXPECT_EQ(kernel.running_attachments.size(), 1U);
}

// Entries of the journal that were written before there were paths.
TEST_F(Pathed, are_missing_in_older_entries_of_the_journal) {
    EXPECT_EQ(attach({}), 0) << err();
    const fs::path entry = root / "var/lib/causeway/journal/000001.json";
    auto content = nlohmann::json::parse(read_file(entry));
    EXPECT_EQ(content["changes"][0]["paths"], nlohmann::json::array());
    content["changes"][0].erase("paths");
    write_file(entry, content.dump(), mode_of(entry));
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(kernel.running_attachments.empty());
}

/* ---- what is shown ---- */

class PathsShown : public CommandTest {
  protected:
    PathsShown() {
        DiskPath first;
        first.peer = address_of("10.0.0.1");
        first.local = address_of("10.0.0.9", 41000);
        first.state = CW_DISK_PATH_LIVE;
        first.transport = CW_TRANSPORT_RDMA;
        first.device = "mlx5_0";
        first.device_port = 1;
        first.queues = 4;
        first.carries_io = true;
        DiskPath second;
        second.number = 1;
        second.peer = address_of("10.1.0.1");
        second.state = CW_DISK_PATH_DOWN;
        second.attempts = 3;
        second.retry_in = 3000;
        second.reason = "no answer";
        second.error = -ETIMEDOUT;
        second.fencing = true;
        second.fence_commands = 3;
        second.losses = 2;
        second.fences = 1;
        second.fence_time = 1500000000;
        SessionInfo client;
        client.role = CW_ROLE_CLIENT;
        client.server = "storage1";
        client.name = "scratch";
        client.peer = first.peer;
        client.state = CW_STATE_LIVE;
        client.since = 12000000000;
        client.failovers = 5;
        client.fallbacks = 3;
        client.returns = 3;
        client.fallback_reason = "path 1 was lost: no answer";
        client.paths = {first, second};
        SessionInfo other = client;
        other.name = "other";
        other.paths = {first};
        SessionInfo server;
        server.role = CW_ROLE_SERVER;
        server.name = "fast";
        server.state = CW_STATE_LIVE;
        kernel.running_sessions = {client, other, server};
    }

    DiskPath &path(std::size_t number) { return kernel.running_sessions[0].paths[number]; }
};

TEST_F(PathsShown, by_net_below_a_connection_that_has_several) {
    EXPECT_EQ(run({"net"}), 0) << err();
    EXPECT_NE(out().find("live for 12 s\n"
                         "    path 0: 10.0.0.9 -> 10.0.0.1:4793 by RDMA over mlx5_0/1, live, "
                         "carries I/O\n"
                         "    path 1: any -> 10.1.0.1:4793, down, next attempt in 3 s: no answer "
                         "(Connection timed out); its fence waits for 3 commands at the server's "
                         "disk\n"
                         "client"),
              std::string::npos)
        << out();
    EXPECT_EQ(out().find("path 0", out().find("path 1")), std::string::npos) << out();
    const auto told = json({"net"})["connections"];
    EXPECT_EQ(told[0]["paths"].size(), 2U);
    EXPECT_EQ(told[0]["paths"][1], (nlohmann::json{{"number", 1},
                                                   {"peer", "10.1.0.1:4793"},
                                                   {"local", nullptr},
                                                   {"state", "down"},
                                                   {"carries_io", false},
                                                   {"transport", "none"},
                                                   {"device", nullptr},
                                                   {"device_port", 0},
                                                   {"queues", 0},
                                                   {"attempts", 3},
                                                   {"retry_in_ms", 3000},
                                                   {"reason", "no answer"},
                                                   {"errno", ETIMEDOUT},
                                                   {"fencing", true},
                                                   {"fence_commands", 3},
                                                   {"losses", 2},
                                                   {"fences", 1},
                                                   {"fence_ns", 1500000000}}));
    EXPECT_EQ(told[0]["fallbacks"], 3);
    EXPECT_EQ(told[0]["returns"], 3);
    EXPECT_EQ(told[0]["fallback_reason"], "path 1 was lost: no answer");
    EXPECT_EQ(told[2]["fallback_reason"], nullptr);
    EXPECT_EQ(told[0]["paths"][0]["local"], "10.0.0.9");
    EXPECT_EQ(told[0]["paths"][0]["transport"], "rdma");
    EXPECT_EQ(told[1]["paths"].size(), 1U);
    EXPECT_EQ(told[2]["paths"], nullptr);
}

TEST_F(PathsShown, by_path_list_for_one_disk_or_all) {
    path(1).local = address_of("10.1.0.9", 0);
    EXPECT_EQ(run({"path", "list", "storage1/scratch"}), 0) << err();
    EXPECT_EQ(out(), "DISK              PATH  LOCAL     REMOTE         BY    DEVICE    QUEUES  "
                     "STATE\n"
                     "storage1/scratch     0  10.0.0.9  10.0.0.1:4793  RDMA  mlx5_0/1       4  "
                     "live, carries I/O\n"
                     "storage1/scratch     1  10.1.0.9  10.1.0.1:4793  -     -              0  "
                     "down, next attempt in 3 s\n"
                     "    last failure: no answer (Connection timed out)\n"
                     "    its fence waits for 3 commands at the server's disk\n");
    EXPECT_EQ(run({"path", "list"}), 0) << err();
    EXPECT_NE(out().find("storage1/other "), std::string::npos) << out();
    EXPECT_EQ(out().find("fast"), std::string::npos) << out();
    const auto told = json({"path", "list", "storage1/scratch"})["paths"];
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[1]["server"], "storage1");
    EXPECT_EQ(told[1]["name"], "scratch");
    EXPECT_EQ(told[1]["number"], 1);
    EXPECT_EQ(told[1]["fence_commands"], 3);
    EXPECT_EQ(json({"path", "list"})["paths"].size(), 3U);
}

TEST_F(PathsShown, with_the_policy_of_the_disk) {
    kernel.running_sessions[0].path_policy = CW_PATH_POLICY_ROUND_ROBIN;
    kernel.running_sessions[1].path_policy = CW_PATH_POLICY_AUTO;
    EXPECT_EQ(run({"net"}), 0) << err();
    EXPECT_NE(out().find("the server's disk\n    policy: round-robin\n"), std::string::npos)
        << out();
    EXPECT_EQ(out().find("policy: auto"), std::string::npos) << out(); // of a disk with one path
    EXPECT_EQ(run({"path", "list"}), 0) << err();
    EXPECT_NE(out().find("the server's disk\n    policy: round-robin\n"), std::string::npos)
        << out();
    EXPECT_EQ(out().find("policy: auto"), std::string::npos) << out();
    EXPECT_EQ(json({"net"})["connections"][1]["policy"], "auto");
    EXPECT_EQ(json({"net"})["connections"][2]["policy"], nullptr);
    EXPECT_EQ(json({"path", "list"})["paths"][1]["policy"], "round-robin");
}

TEST_F(PathsShown, of_disks_that_are_attached_only) {
    EXPECT_EQ(run({"path", "list", "storage1/nothing"}), 69);
    EXPECT_NE(err().find("storage1/nothing is not attached"), std::string::npos) << err();
    EXPECT_EQ(run({"path", "list", "storage1"}), 64);
    kernel.running_sessions.clear();
    EXPECT_EQ(run({"path", "list"}), 0);
    EXPECT_EQ(out(), "no disk is attached\n");
    EXPECT_TRUE(modules.there.empty());
}

TEST_F(PathsShown, as_standing_by_connecting_or_fenced) {
    path(0).carries_io = false;
    EXPECT_EQ(state_sentence(path(0)), "live, stands by");
    EXPECT_EQ(fence_sentence(path(0)), "");
    path(1).fence_commands = 1;
    EXPECT_EQ(fence_sentence(path(1)), "its fence waits for 1 command at the server's disk");
    path(1).fence_commands = 0;
    EXPECT_EQ(fence_sentence(path(1)), "its fence waits for the server's answer");
    path(1).retry_in.reset();
    EXPECT_EQ(state_sentence(path(1)), "down");
    path(1).state = CW_DISK_PATH_CONNECTING;
    EXPECT_EQ(state_sentence(path(1)), "connecting, attempt 3");
    path(1).attempts = 1;
    EXPECT_EQ(state_sentence(path(1)), "connecting");
    path(1).state = CW_DISK_PATH_ENDING;
    EXPECT_EQ(state_sentence(path(1)), "ending");
}

TEST_F(PathsShown, by_no_metric_of_a_fallback_that_cannot_end) {
    const std::string fallback = "causeway_disk_fallback{";
    kernel.running_sessions[0].returns = 2;
    EXPECT_EQ(run({"metrics"}), 0) << err();
    EXPECT_NE(out().find(fallback), std::string::npos) << out();
    for (DiskPath &path : kernel.running_sessions[0].paths) {
        path.transport = CW_TRANSPORT_TCP; // the path by RDMA was removed
    }
    EXPECT_EQ(run({"metrics"}), 0) << err();
    EXPECT_EQ(out().find(fallback), std::string::npos) << out();
}

TEST_F(PathsShown, by_metrics) {
    kernel.running_sessions[1].paths.clear(); // as an older module reports it
    kernel.running_sessions[0].returns = 2;
    EXPECT_EQ(run({"metrics"}), 0) << err();
    const std::string disk = "{server=\"storage1\",name=\"scratch\"";
    const std::string first = disk + ",path=\"0\",address=\"10.0.0.1\"";
    const std::string second = disk + ",path=\"1\",address=\"10.1.0.1\"";
    for (const std::string &line : {
             "causeway_disk_path_info" + first + ",transport=\"rdma\"} 1\n",
             "causeway_disk_fallback" + disk + ",reason=\"lost\"} 1\n",
             "causeway_disk_paths" + disk + "} 2\n",
             "causeway_disk_paths_live" + disk + "} 1\n",
             "causeway_disk_path_state" + first + ",state=\"live\"} 1\n",
             "causeway_disk_path_state" + first + ",state=\"down\"} 0\n",
             "causeway_disk_path_state" + second + ",state=\"live\"} 0\n",
             "causeway_disk_path_state" + second + ",state=\"connecting\"} 0\n",
             "causeway_disk_path_state" + second + ",state=\"ending\"} 0\n",
             "causeway_disk_path_state" + second + ",state=\"down\"} 1\n",
             "causeway_disk_path_carries_io" + first + "} 1\n",
             "causeway_disk_path_carries_io" + second + "} 0\n",
             "causeway_disk_path_losses_total" + first + "} 0\n",
             "causeway_disk_path_losses_total" + second + "} 2\n",
             "causeway_disk_path_fences_total" + second + "} 1\n",
             "causeway_disk_path_fence_seconds_total" + second + "} 1.5\n",
             "causeway_disk_failovers_total" + disk + "} 5\n",
             "causeway_disk_fallbacks_total" + disk + "} 3\n",
             "causeway_disk_returns_total" + disk + "} 2\n",
             std::string("causeway_disk_paths{server=\"storage1\",name=\"other\"} 1\n"),
             std::string("causeway_disk_paths_live{server=\"storage1\",name=\"other\"} 1\n"),
         }) {
        EXPECT_NE(out().find(line), std::string::npos) << line << out();
    }
}

TEST_F(PathsShown, by_stat) {
    StatInfo several;
    several.role = CW_ROLE_CLIENT;
    several.id = kernel.running_sessions[0].id;
    several.server = "storage1";
    several.name = "scratch";
    kernel.running_stats = {several};
    EXPECT_EQ(run({"stat"}), 0) << err();
    EXPECT_NE(out().find("  1 of 2 paths live; causeway path list storage1/scratch\n"),
              std::string::npos)
        << out();
    const auto told = json({"stat"})["stats"][0]["paths"];
    EXPECT_EQ(told["live"], 1);
    EXPECT_EQ(told["count"], 2);
    kernel.running_sessions[0].paths.pop_back();
    EXPECT_EQ(run({"stat"}), 0) << err();
    EXPECT_EQ(out().find("paths live"), std::string::npos) << out();
}

TEST_F(PathsShown, by_path_list_with_the_fallback_that_lasts) {
    const std::string note = "    I/O goes by TCP, because path 1 was lost: no answer\n";
    EXPECT_EQ(run({"path", "list", "storage1/scratch"}), 0) << err();
    EXPECT_EQ(out().find(note), std::string::npos) << out();
    kernel.running_sessions[0].paths[0].transport = CW_TRANSPORT_TCP;
    kernel.running_sessions[0].paths[0].carries_io = false;
    EXPECT_EQ(run({"path", "list", "storage1/scratch"}), 0) << err();
    EXPECT_EQ(out().find(note), std::string::npos) << out();
    kernel.running_sessions[0].returns = 2;
    kernel.running_sessions[0].paths[0].carries_io = true;
    EXPECT_EQ(run({"path", "list", "storage1/scratch"}), 0) << err();
    EXPECT_NE(out().find(note), std::string::npos) << out();
    const auto told = json({"path", "list", "storage1/scratch"})["paths"];
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[1]["fallbacks"], 3);
    EXPECT_EQ(told[1]["returns"], 2);
    EXPECT_EQ(told[1]["fallback_reason"], "path 1 was lost: no answer");
}

TEST_F(PathsShown, by_watch_as_events) {
    Event down;
    down.kind = CW_EVENT_PATH_DOWN;
    down.role = CW_ROLE_CLIENT;
    down.time = 1700000000123456789;
    down.server = "storage1";
    down.name = "scratch";
    down.text = "path 1: no answer";
    Event up = down;
    up.kind = CW_EVENT_PATH_UP;
    up.text = "path 1 is live over mlx5_1";
    kernel.events = {down, up};
    EXPECT_EQ(run({"watch", "--until", "path-up"}), 0) << err();
    EXPECT_EQ(out(), "2023-11-14T22:13:20.123Z path-down storage1/scratch: path 1: no answer\n"
                     "2023-11-14T22:13:20.123Z path-up storage1/scratch: path 1 is live over "
                     "mlx5_1\n");
    down.kind = CW_EVENT_FALLBACK;
    down.text = "path 1 over TCP carries I/O now, because path 0 was lost: no answer";
    up.kind = CW_EVENT_RETURN;
    up.text = "path 0 over RDMA carries I/O now, because it has been live for 3001 ms";
    kernel.events = {down, up};
    EXPECT_EQ(run({"watch", "--until", "return"}), 0) << err();
    EXPECT_EQ(out(), "2023-11-14T22:13:20.123Z fallback storage1/scratch: path 1 over TCP carries "
                     "I/O now, because path 0 was lost: no answer\n"
                     "2023-11-14T22:13:20.123Z return storage1/scratch: path 0 over RDMA carries "
                     "I/O now, because it has been live for 3001 ms\n");
    kernel.events[0].kind = CW_EVENT_PATH_DOWN;
    EXPECT_EQ(run({"watch", "--until", "path-down", "--json"}), 0) << err();
    EXPECT_EQ(nlohmann::json::parse(out())["event"], "path-down");
}

} // namespace
} // namespace causeway
