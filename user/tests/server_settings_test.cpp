// SPDX-License-Identifier: GPL-2.0-or-later
// "server set", "server unset" and "server show".
#include "config/server_settings.h"
#include "fixture.h"

namespace causeway {
namespace {

class ServerVerbs : public CommandTest {
  protected:
    ServerVerbs() {
        for (const auto &[name, value] :
             std::map<std::string, std::string>{{"max_sessions", "256"},
                                                {"max_sessions_host", "64"},
                                                {"max_links_host", "256"},
                                                {"max_waiting", "64"},
                                                {"max_strangers", "64"},
                                                {"max_strangers_host", "16"}}) {
            files.content[parameter(name)] = value + "\n";
        }
    }

    static std::string parameter(const std::string &name) {
        return "/sys/module/causeway/parameters/" + name;
    }
    std::filesystem::path file() const { return root / "etc/causeway/server.conf"; }
    std::string now(const std::string &name) {
        std::string text = files.content.at(parameter(name));
        return text.substr(0, text.find('\n'));
    }
    int add() { return run({"export", "add", "m", "--ram", "64M", "--allow", "any"}); }
};

TEST_F(ServerVerbs, set_limits_now_and_at_boot_and_undo_takes_them_back) {
    EXPECT_EQ(run({"server", "set", "--max-sessions", "300", "--max-waiting", "80"}), 0) << err();
    EXPECT_EQ(now("max_sessions"), "300");
    EXPECT_EQ(now("max_waiting"), "80");
    EXPECT_NE(read_file(file()).find("max-sessions = 300\nmax-waiting = 80\n"), std::string::npos)
        << read_file(file());
    EXPECT_EQ(json({"server", "set", "--max-sessions", "300"})["changed"], false);
    EXPECT_EQ(run({"server", "unset", "max-waiting"}), 0) << err();
    EXPECT_EQ(now("max_waiting"), "64");
    EXPECT_EQ(now("max_sessions"), "300");
    EXPECT_EQ(run({"server", "unset"}), 0) << err();
    EXPECT_FALSE(std::filesystem::exists(file()));
    EXPECT_EQ(now("max_sessions"), "256");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(now("max_sessions"), "300");
}

TEST_F(ServerVerbs, set_what_the_next_start_of_the_server_uses) {
    EXPECT_EQ(run({"server", "set", "--port", "5000", "--max-sessions", "300"}), 0) << err();
    files.content[parameter("max_sessions")] = "256\n"; // the module is loaded anew
    EXPECT_EQ(add(), 0) << err();
    EXPECT_TRUE(logged("port 5000"));
    EXPECT_EQ(kernel.port, 5000);
    EXPECT_EQ(now("max_sessions"), "300");
}

TEST_F(ServerVerbs, leave_a_port_in_use_and_say_what_changes_it) {
    ASSERT_EQ(add(), 0) << err();
    kernel.listens = true;
    EXPECT_EQ(run({"server", "set", "--port", "5000"}), 0) << err();
    EXPECT_NE(out().find("the server listens on port 4793 until its module is loaded anew"),
              std::string::npos)
        << out();
    ASSERT_EQ(run({"export", "remove", "m"}), 0);
    EXPECT_EQ(add(), 0);
    EXPECT_NE(err().find("the server goes on listening on port 4793, not 5000"), std::string::npos)
        << err();
}

TEST_F(ServerVerbs, show_what_is_and_what_is_set) {
    static_cast<void>(modules.need("causeway_target"));
    ASSERT_EQ(run({"server", "set", "--max-sessions", "300"}), 0) << err();
    const auto shown = json({"server", "show"});
    EXPECT_EQ(shown["max_sessions"]["now"], 300);
    EXPECT_EQ(shown["max_sessions"]["set"], 300);
    EXPECT_EQ(shown["max_sessions"]["default"], 256);
    EXPECT_EQ(shown["max_waiting"]["set"], nullptr);
    EXPECT_EQ(shown["port"]["now"], 4793);
}

TEST_F(ServerVerbs, refuse_nonsense_and_change_nothing) {
    EXPECT_EQ(run({"server", "set"}), 64);
    EXPECT_NE(err().find("no setting is given\n  give --port PORT"), std::string::npos) << err();
    for (const auto *port : {"0", "65535", "x"}) {
        EXPECT_EQ(run({"server", "set", "--port", port}), 64) << port;
    }
    EXPECT_EQ(run({"server", "set", "--max-sessions", "1025"}), 64);
    EXPECT_EQ(run({"server", "unset", "max"}), 64);
    EXPECT_NE(err().find("'max' is no setting of the server\n  give one or more of port"),
              std::string::npos)
        << err();
    EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(ServerVerbs, name_the_line_of_a_file_that_is_wrong) {
    write_file(file(), "[server]\nport = 4793\nmax-sessions = many\n");
    EXPECT_EQ(run({"server", "show"}), 78);
    EXPECT_NE(err().find("server.conf:3: "), std::string::npos) << err();
    EXPECT_EQ(add(), 78);
    EXPECT_TRUE(kernel.running_exports.empty());
}

TEST_F(ServerVerbs, keep_no_export_from_its_clients_by_a_file_that_is_wrong) {
    ASSERT_EQ(add(), 0) << err();
    ASSERT_EQ(run({"export", "add", "n", "--ram", "64M", "--allow", "any"}), 0) << err();
    write_file(file(), "[server]\nmax-sessions = many\n");
    kernel.reload_target();
    EXPECT_EQ(run({"restore"}), 78);
    EXPECT_EQ(kernel.running_exports.size(), 2U);
    const auto at = err().find("server.conf:2: ");
    EXPECT_NE(at, std::string::npos) << err();
    EXPECT_EQ(err().find("server.conf:2: ", at + 1), std::string::npos) << err();
    EXPECT_EQ(run({"reload"}), 78);
    EXPECT_NE(err().find("server.conf:2: "), std::string::npos) << err();
    EXPECT_EQ(run({"reload", "--dry-run"}), 0);
    EXPECT_NE(err().find("server.conf:2: "), std::string::npos) << err();
}

TEST_F(ServerVerbs, give_the_firewall_their_port) {
    ASSERT_EQ(run({"server", "set", "--port", "5000"}), 0) << err();
    EXPECT_EQ(configured_port(Places(root.path())), 5000);
    EXPECT_EQ(tcp_port_of(5000), 5001);
    write_file(file(), "[server]\nport = many\n");
    EXPECT_EQ(configured_port(Places(root.path())), 4793);
}

TEST_F(ServerVerbs, reload_applies_an_edited_file) {
    ASSERT_EQ(add(), 0) << err();
    write_file(file(), "[server]\nmax-sessions = 310\n");
    EXPECT_EQ(run({"reload", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("-256\n+310\n"), std::string::npos) << out();
    EXPECT_EQ(now("max_sessions"), "256");
    EXPECT_EQ(run({"reload"}), 0) << err();
    EXPECT_EQ(now("max_sessions"), "310");
}

TEST_F(ServerVerbs, reload_gives_a_limit_that_is_not_in_the_file_any_more_its_default) {
    ASSERT_EQ(add(), 0) << err();
    ASSERT_EQ(run({"server", "set", "--max-sessions", "300", "--max-waiting", "80"}), 0) << err();
    write_file(file(), "[server]\nmax-waiting = 80\n");
    EXPECT_EQ(run({"reload"}), 0) << err();
    EXPECT_EQ(now("max_sessions"), "256");
    EXPECT_EQ(now("max_waiting"), "80");
}

TEST_F(ServerVerbs, reload_says_that_a_port_in_use_stays) {
    ASSERT_EQ(add(), 0) << err();
    kernel.listens = true;
    write_file(file(), "[server]\nport = 5000\n");
    EXPECT_EQ(run({"reload"}), 0) << err();
    EXPECT_NE(err().find("the server goes on listening on port 4793, not 5000"), std::string::npos)
        << err();
}

TEST_F(ServerVerbs, set_a_limit_that_the_module_has_lost) {
    ASSERT_EQ(run({"server", "set", "--max-sessions", "300", "--max-waiting", "80"}), 0) << err();
    files.content[parameter("max_sessions")] = "256\n"; // the module is loaded anew
    files.content[parameter("max_waiting")] = "90\n";   // and an administrator tries a number
    EXPECT_EQ(run({"server", "set", "--max-sessions", "300"}), 0) << err();
    EXPECT_EQ(now("max_sessions"), "300");
    EXPECT_EQ(now("max_waiting"), "90");
}

TEST_F(ServerVerbs, are_taken_back_after_the_module_was_loaded_anew_or_unloaded) {
    ASSERT_EQ(run({"server", "set", "--max-sessions", "280"}), 0) << err();
    ASSERT_EQ(run({"server", "set", "--max-sessions", "300"}), 0) << err();
    files.content[parameter("max_sessions")] = "256\n"; // the module is loaded anew
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(now("max_sessions"), "280");
    EXPECT_NE(read_file(file()).find("max-sessions = 280\n"), std::string::npos);
    files.content.erase(parameter("max_sessions"));
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_FALSE(std::filesystem::exists(file()));
    EXPECT_EQ(files.content.count(parameter("max_sessions")), 0U);
}

TEST_F(ServerVerbs, are_not_taken_back_over_a_number_of_an_administrator) {
    ASSERT_EQ(run({"server", "set", "--max-sessions", "300"}), 0) << err();
    files.content[parameter("max_sessions")] = "400\n";
    EXPECT_EQ(run({"undo", "--last"}), 1);
    EXPECT_EQ(now("max_sessions"), "400");
}

TEST_F(ServerVerbs, set_the_port_of_a_server_that_listens_without_an_export) {
    static_cast<void>(modules.need("causeway_target"));
    EXPECT_EQ(run({"server", "set", "--port", "5000"}), 0) << err();
    EXPECT_EQ(kernel.port, 5000);
    kernel.listens = true;
    EXPECT_EQ(run({"server", "set", "--port", "5001"}), 0) << err();
    EXPECT_NE(out().find("the server listens on port 5000 until its module is loaded anew: "
                         "modprobe -r causeway_target && causeway restore\n"),
              std::string::npos)
        << out();
}

TEST_F(ServerVerbs, keep_the_comments_of_an_edited_file) {
    write_file(file(), "# ours\n[server]\nport = 5000 # the old one\n# many hosts\n"
                       "max-sessions = 300\n");
    EXPECT_EQ(run({"server", "set", "--max-sessions", "310", "--max-waiting", "80"}), 0) << err();
    EXPECT_EQ(read_file(file()), "# ours\n[server]\nport = 5000 # the old one\n# many hosts\n"
                                 "max-sessions = 310\nmax-waiting = 80\n");
}

} // namespace
} // namespace causeway
