// SPDX-License-Identifier: GPL-2.0-or-later
// A change does not touch interfaces that it does not name, or it waits for "causeway confirm" if a
// session runs over an interface that it touches.
#include "fixture.h"

namespace causeway {
namespace {

namespace fs = std::filesystem;

// Two interfaces under systemd-networkd. The session runs over ib0.
class SessionGuard : public CommandTest {
  protected:
    void SetUp() override {
        fs::create_directories(root / "run/systemd/system");
        processes.acts["systemctl is-active --quiet NetworkManager.service"] = [] {
            return FakeProcesses::failure("", 3);
        };
        for (const auto &[name, address] :
             {std::pair("ib0", "10.0.0.1"), std::pair("ib1", "10.1.0.1")}) {
            files.add_ipoib(name, "0xffff");
            has(name, address);
        }
        session_over("10.0.0.1");
    }

    void has(const std::string &interface, const std::string &address) {
        processes.acts["ip -json address show dev " + interface] = [address] {
            ProcessEnd end;
            end.out = R"([{"addr_info":[{"family":"inet","local":")" + address +
                      R"(","prefixlen":24,"scope":"global"}]}])";
            return end;
        };
    }
    void has_none(const std::string &interface) {
        processes.acts["ip -json address show dev " + interface] = [] { return ProcessEnd{}; };
    }
    void add_child(const std::string &name) {
        files.add_ipoib(name, "0x8001");
        files.content["/sys/class/net/" + name + "/parent"] = "ib0\n";
        has_none(name);
    }
    void session_over(const std::string &address) {
        std::string text = "SSH_CONNECTION=192.0.2.9 51000 " + address + " 22";
        text += '\0';
        write_file(root / "proc/self/environ", text);
    }

    fs::path network(const std::string &name) const {
        return root / ("etc/systemd/network/10-causeway-" + name + ".network");
    }
};

TEST_F(SessionGuard, a_change_writes_no_file_of_another_interface) {
    ASSERT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500", "--confirmed"}), 0) << err();
    ASSERT_EQ(run({"ipoib", "set", "ib1", "--mtu", "1500"}), 0) << err();
    // An older version may have written this, or an administrator.
    const std::string older = read_file(network("ib0")) + "IPv6PrivacyExtensions=yes\n";
    write_file(network("ib0"), older);
    const fs::path record = root / "etc/causeway/interfaces.d/ib0.conf";
    const std::string record_then = read_file(record) + "# by hand\n";
    write_file(record, record_then);

    const auto told = json({"ipoib", "set", "ib1", "--mtu", "1400"});
    EXPECT_EQ(status, 0) << err();
    EXPECT_FALSE(told.contains("confirm")) << told;
    EXPECT_NE(read_file(network("ib1")).find("MTUBytes=1400\n"), std::string::npos);
    EXPECT_EQ(read_file(network("ib0")), older);
    EXPECT_EQ(read_file(record), record_then);
    // The change writes its own interface's files anew.
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500", "--confirmed"}), 0) << err();
    EXPECT_EQ(read_file(network("ib0")).find("IPv6PrivacyExtensions"), std::string::npos);
}

TEST_F(SessionGuard, a_new_name_writes_no_file_of_another_interface) {
    ASSERT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500", "--confirmed"}), 0) << err();
    ASSERT_EQ(run({"ipoib", "set", "ib1", "--mtu", "1500"}), 0) << err();
    const std::string older = read_file(network("ib0")) + "IPv6PrivacyExtensions=yes\n";
    write_file(network("ib0"), older);
    files.content["/sys/class/net/ib1/flags"] = "0x1002\n";
    ASSERT_EQ(run({"name", "set", "ib1", "store1"}), 0) << err();
    EXPECT_TRUE(fs::exists(network("store1")));
    EXPECT_FALSE(fs::exists(network("ib1")));
    EXPECT_EQ(read_file(network("ib0")), older);
}

TEST_F(SessionGuard, a_childs_parent_counts_where_its_profile_changes_too) {
    add_child("ib0.8001");
    const auto waits = [&](std::vector<std::string> words) {
        words.emplace_back("--dry-run");
        const auto told = json(std::move(words));
        EXPECT_EQ(status, 0) << err();
        return told.contains("confirm") ? told["confirm"]["interface"].get<std::string>() : "";
    };
    for (const std::vector<std::string> &words :
         {std::vector<std::string>{"ipoib", "addr", "ib0.8001", "10.2.0.1/24"},
          {"ipoib", "set", "ib0.8001", "--mtu", "1500"}}) {
        session_over("10.0.0.1");
        EXPECT_EQ(waits(words), "ib0");
        auto others = words;
        others.insert(others.end(), {"--backend", "nm"});
        EXPECT_EQ(waits(others), "") << "the parent has no part in it";
        session_over("10.1.0.1");
        EXPECT_EQ(waits(words), "");
        ASSERT_EQ(run(words), 0) << err();
        session_over("10.0.0.1");
        EXPECT_EQ(waits({"undo", "--last"}), "ib0");
        ASSERT_EQ(run({"undo", "--last", "--confirmed"}), 0) << err();
    }
    ASSERT_EQ(run({"ipoib", "set", "ib0.8001", "--mtu", "1500", "--confirmed"}), 0) << err();
    EXPECT_EQ(waits({"ipoib", "set", "ib0.8001", "--mtu", "1400"}), "");
}

TEST_F(SessionGuard, an_undo_that_changes_the_profile_of_the_parent_alone_waits) {
    add_child("ib0.8001");
    ASSERT_EQ(run({"ipoib", "set", "ib0.8001", "--mtu", "1500", "--confirmed"}), 0) << err();
    // The child no longer exists, but its profile does.
    for (auto each = files.content.begin(); each != files.content.end();) {
        each = each->first.find("/ib0.8001/") != std::string::npos ? files.content.erase(each)
                                                                   : std::next(each);
    }
    ASSERT_EQ(run({"ipoib", "child", "remove", "ib0.8001", "--confirmed"}), 0) << err();
    ASSERT_EQ(read_file(network("ib0")).find("IPoIB="), std::string::npos);
    EXPECT_TRUE(json({"undo", "--last", "--dry-run"}).contains("confirm")) << err();
}

TEST_F(SessionGuard, a_new_name_of_a_child_waits_for_sessions_over_its_parent) {
    add_child("ib0.8001");
    ASSERT_EQ(run({"ipoib", "set", "ib0.8001", "--mtu", "1500", "--confirmed"}), 0) << err();
    files.content["/sys/class/net/ib0.8001/flags"] = "0x1002\n";
    const std::vector<std::string> words = {"name", "set", "ib0.8001", "store0"};
    const std::string before = read_file(network("ib0"));
    ASSERT_NE(before.find("IPoIB=ib0.8001\n"), std::string::npos) << before;

    auto dry = words;
    dry.emplace_back("--dry-run");
    const auto told = json(dry);
    ASSERT_TRUE(told.contains("confirm")) << told;
    EXPECT_EQ(told["confirm"]["interface"], "ib0");
    session_over("10.1.0.1");
    EXPECT_FALSE(json(dry).contains("confirm")) << "no session runs over the parent";
    session_over("10.0.0.1");
    dry.emplace_back("--confirmed");
    EXPECT_FALSE(json(dry).contains("confirm"));

    ASSERT_EQ(run(words), 0) << err();
    EXPECT_NE(out().find("causeway confirm"), std::string::npos) << out();
    EXPECT_NE(read_file(network("ib0")).find("IPoIB=store0\n"), std::string::npos);
    // The change is not confirmed.
    ASSERT_EQ(run({"undo", "--unconfirmed", "now"}), 0) << err();
    EXPECT_EQ(read_file(network("ib0")), before);
}

// An interface that gets its new name at once is down, so no session runs over it.
TEST_F(SessionGuard, a_new_name_waits_for_no_session_where_no_file_of_another_is_written) {
    ASSERT_EQ(run({"ipoib", "set", "ib1", "--mtu", "1500"}), 0) << err();
    files.content["/sys/class/net/ib1/flags"] = "0x1002\n";
    const std::vector<std::string> words = {"name", "set", "ib1", "store1"};
    auto dry = words;
    dry.emplace_back("--dry-run");
    // The route is unknown, so any interface may carry the session.
    files.content["/sys/class/net/lo/type"] = "772\n";
    processes.acts["ip -json route get 192.0.2.9"] = [] {
        ProcessEnd end;
        end.out = R"([{"dev":"lo"}])";
        return end;
    };
    EXPECT_TRUE(json({"ipoib", "set", "ib1", "--mtu", "1400", "--dry-run"}).contains("confirm"));
    EXPECT_FALSE(json(dry).contains("confirm"));
    // The new name is written into the profile of the parent, so a session over the parent counts.
    add_child("ib0.8001");
    ASSERT_EQ(run({"ipoib", "set", "ib0.8001", "--mtu", "1500", "--confirmed"}), 0) << err();
    files.content["/sys/class/net/ib0.8001/flags"] = "0x1002\n";
    const auto told = json({"name", "set", "ib0.8001", "store0", "--dry-run"});
    ASSERT_TRUE(told.contains("confirm")) << told;
    EXPECT_EQ(told["confirm"]["interface"], "ib0");
    EXPECT_EQ(run(words), 0) << err();
    EXPECT_EQ(out().find("causeway confirm"), std::string::npos) << out();
}

TEST_F(SessionGuard, an_undo_of_a_new_name_waits) {
    files.content["/sys/class/net/ib1/flags"] = "0x1002\n";
    processes.acts["ip link set dev ib1 name store1"] = [this] {
        for (const char *file : {"type", "address", "flags", "mode", "mtu", "pkey"}) {
            files.content.erase(std::string("/sys/class/net/ib1/") + file);
        }
        files.add_ipoib("store1", "0xffff");
        has("store1", "10.1.0.1");
        return ProcessEnd{};
    };
    ASSERT_EQ(run({"name", "set", "ib1", "store1"}), 0) << err();
    EXPECT_FALSE(json({"undo", "--last", "--dry-run"}).contains("confirm"));
    session_over("10.1.0.1");
    const auto told = json({"undo", "--last", "--dry-run"});
    ASSERT_TRUE(told.contains("confirm")) << told;
    EXPECT_EQ(told["confirm"]["interface"], "store1");
}

} // namespace
} // namespace causeway
