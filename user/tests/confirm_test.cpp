// SPDX-License-Identifier: GPL-2.0-or-later
// A change of the interface that carries the caller's own session waits for "causeway confirm", and
// is reversed without it.
#include "change/unconfirmed.h"
#include "fixture.h"
#include "host/caller_session.h"

#include <algorithm>
#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <utmpx.h>

namespace causeway {
namespace {

namespace fs = std::filesystem;

// A line of /proc/net/tcp. An address depends on the byte order (0100000A is 10.0.0.1 on a
// little-endian machine), so tests use hex_of().
std::string tcp_line(const std::string &local, const std::string &peer, const std::string &inode,
                     const std::string &state = "01") {
    return "   0: " + local + ":0016 " + peer + ":C738 " + state +
           " 00000000:00000000 02:000A7214 00000000     0        0 " + inode + " 2 0 20 4 30\n";
}

std::string hex_of(const std::string &address) {
    const SocketAddress parsed = *SocketAddress::from_text(address);
    const bool v6 = parsed.family() == AF_INET6;
    const auto bytes = parsed.bytes().subspan(v6 ? 8 : 4, v6 ? 16 : 4);
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 4) {
        std::uint32_t word = 0;
        std::memcpy(&word, &bytes[i], sizeof(word));
        std::array<char, 9> digits{};
        std::snprintf(digits.data(), digits.size(), "%08X", word);
        text += digits.data();
    }
    return text;
}

class Confirm : public CommandTest {
  protected:
    void SetUp() override {
        for (const char *name : {"ib0", "ib1"}) {
            files.add_ipoib(name, "0xffff");
        }
        fs::create_directories(root / "run/systemd/system");
        processes.acts["systemctl is-active --quiet NetworkManager.service"] = [] {
            return FakeProcesses::failure("", 3);
        };
        says("ip -json address show dev ib0",
             R"([{"addr_info":[{"family":"inet","local":"10.0.0.1","prefixlen":24,"scope":"global"},
                 {"family":"inet6","local":"fd00::1","prefixlen":64,"scope":"global"},
                 {"family":"inet6","local":"fe80::1","prefixlen":64,"scope":"link"}]}])");
        says("ip -json address show dev ib1",
             R"([{"addr_info":[{"family":"inet","local":"10.1.0.1","prefixlen":24}]}])");
        // The processes: the command, a shell below sudo, sshd, the first process.
        process("self", "600");
        process("600", "500");
        process("500", "400");
        process("400", "1");
        process("1", "0");
    }

    void says(const std::string &program, const std::string &text) {
        processes.acts[program] = [text] {
            ProcessEnd end;
            end.out = text;
            return end;
        };
    }
    fs::path proc(const std::string &file) const { return root / ("proc/" + file); }
    void process(const std::string &number, const std::string &parent) {
        write_file(proc(number + "/status"),
                   "Name:\tx\nTgid:\t9\nPid:\t9\nPPid:\t" + parent + "\n");
    }
    void environment(const std::string &number, const std::string &connection) {
        std::string text("PATH=/bin");
        text += '\0';
        text += "SSH_CONNECTION=" + connection;
        text += '\0';
        text += "HOME=/root";
        text += '\0';
        write_file(proc(number + "/environ"), text);
    }
    void socket(const std::string &number, const std::string &inode) {
        fs::create_directories(proc(number + "/fd"));
        fs::create_symlink("socket:[" + inode + "]", proc(number + "/fd/4"));
        fs::create_symlink("/dev/null", proc(number + "/fd/0"));
    }

    // Returns true if a change of the interface would wait.
    bool waits(const std::string &interface = "ib0") {
        const auto told = json({"ipoib", "set", interface, "--mtu", "1500", "--dry-run"});
        EXPECT_EQ(status, 0) << err();
        return told.contains("confirm");
    }
    void refuse_mtu() {
        files.on_write["/sys/class/net/ib0/mtu"] = [](const std::string &) -> Result<void> {
            return Error{ExitCode::failed, "cannot write: busy", "", EBUSY};
        };
    }
    std::string mtu() { return files.content["/sys/class/net/ib0/mtu"]; }
    std::string id() const {
        auto wait = load_unconfirmed(Places(root.path()));
        return wait && *wait ? (*wait)->id : "";
    }
    fs::path record() const { return root / "etc/causeway/interfaces.d/ib0.conf"; }
    void login(const std::string &name, const std::string &text) {
        write_file(root / ("run/systemd/sessions/" + name), text);
    }
    // Runs with a limit on the size of files, as on a full file system. The output of the test is a
    // file too.
    int run_with_room(rlim_t room, const std::vector<std::string> &words) {
        rlimit before{};
        EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
        const auto handler = ::signal(SIGXFSZ, SIG_IGN);
        rlimit less = before;
        less.rlim_cur = room;
        EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &less), 0);
        const int ended = run(words);
        EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
        ::signal(SIGXFSZ, handler);
        return ended;
    }
    bool told(const std::string &text) const {
        return out().find(text) != std::string::npos || err().find(text) != std::string::npos;
    }
};

TEST_F(Confirm, is_for_sessions_over_that_interface_alone) {
    EXPECT_FALSE(waits()) << "there is no session";
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    EXPECT_TRUE(waits());
    EXPECT_FALSE(waits("ib1"));
    environment("self", "192.0.2.9 51000 192.0.2.1 22");
    EXPECT_FALSE(waits());
    environment("self", "fd00::9 51000 fd00::1 22");
    EXPECT_TRUE(waits());
    environment("self", "fe80::9%ib0 51000 fe80::1%ib0 22");
    EXPECT_TRUE(waits());
    EXPECT_FALSE(waits("ib1"));
    for (const char *nonsense : {"", "x", "10.0.0.9", "10.0.0.9 51000 here 22", "   "}) {
        environment("self", nonsense);
        EXPECT_FALSE(waits()) << nonsense;
    }
}

TEST_F(Confirm, is_for_an_undo_that_disables_the_port_of_a_session) {
    rdma.put("mlx4_0", "node_type", "1: CA");
    rdma.put("mlx4_0", "ports/1/link_layer", "InfiniBand");
    rdma.put("mlx4_0", "ports/1/phys_state", "3: Disabled");
    rdma.put("mlx4_0", "ports/1/gids/0", "fe80:0000:0000:0000:0002:c903:0010:1234");
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    ASSERT_EQ(run({"port", "enable", "mlx4_0", "--no-persist"}), 0) << err();
    rdma.put("mlx4_0", "ports/1/phys_state", "5: LinkUp");
    EXPECT_TRUE(json({"undo", "--dry-run"}).contains("confirm")) << out();
    EXPECT_FALSE(json({"undo", "--dry-run", "--confirmed"}).contains("confirm")) << out();
    environment("self", "192.0.2.9 51000 192.0.2.1 22");
    EXPECT_FALSE(json({"undo", "--dry-run"}).contains("confirm")) << out();
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_TRUE(processes.ran("ibportstate -C mlx4_0 -P 1 -D 0 1 disable"));
    EXPECT_NE(id(), "");
    EXPECT_TRUE(told("causeway confirm")) << out() << err();
    // An undo that enables a port cuts no session off.
    EXPECT_EQ(run({"confirm"}), 0) << err();
    ASSERT_EQ(run({"port", "disable", "mlx4_0", "--no-persist", "--confirmed"}), 0) << err();
    rdma.put("mlx4_0", "ports/1/phys_state", "3: Disabled");
    EXPECT_FALSE(json({"undo", "--dry-run"}).contains("confirm")) << out();
}

TEST_F(Confirm, finds_a_session_that_sudo_hides) {
    // sudo removed SSH_CONNECTION; the login shell still has it.
    environment("500", "10.0.0.9 51000 10.0.0.1 22");
    EXPECT_TRUE(waits());
    EXPECT_FALSE(waits("ib1"));
}

TEST_F(Confirm, finds_a_session_by_the_connections_of_its_server) {
    socket("400", "4711");
    const std::string head = "  sl  local_address rem_address   st ...\n";
    write_file(proc("net/tcp"), head + tcp_line(hex_of("10.0.0.1"), hex_of("10.0.0.9"), "4711"));
    EXPECT_TRUE(waits());
    EXPECT_FALSE(waits("ib1"));
    // These are a socket of another process, and one that only listens.
    write_file(proc("net/tcp"), head + tcp_line(hex_of("10.0.0.1"), hex_of("10.0.0.9"), "4712") +
                                    tcp_line(hex_of("10.0.0.1"), hex_of("0.0.0.0"), "4711", "0A"));
    EXPECT_FALSE(waits());
    write_file(proc("net/tcp6"), head + tcp_line(hex_of("fd00::1"), hex_of("fd00::9"), "4711"));
    EXPECT_TRUE(waits());
    write_file(proc("net/tcp6"),
               head + tcp_line(hex_of("::ffff:10.0.0.1"), hex_of("::ffff:10.0.0.9"), "4711"));
    EXPECT_TRUE(waits());
    // The first process of the machine belongs to no session.
    fs::remove_all(proc("400/fd"));
    socket("1", "4711");
    EXPECT_FALSE(waits());
}

// Below tmux, run0, systemd-run and cockpit, no ancestor of the command has the session.
TEST_F(Confirm, finds_a_session_that_tmux_hides) {
    process("700", "1");
    socket("700", "4711");
    write_file(proc("net/tcp"),
               "head\n" + tcp_line(hex_of("10.0.0.1"), hex_of("10.0.0.9"), "4711"));
    for (const char *server : {"sshd", "sshd-session", "cockpit-tls"}) {
        write_file(proc("700/comm"), std::string(server) + "\n");
        EXPECT_TRUE(waits()) << server;
        EXPECT_FALSE(waits("ib1")) << server;
    }
    write_file(proc("700/comm"), "nginx\n");
    EXPECT_FALSE(waits());
}

TEST_F(Confirm, finds_remote_logins_that_logind_has) {
    says("ip -json route get 10.0.0.9", R"([{"dst":"10.0.0.9","dev":"ib0"}])");
    login("5", "UID=0\nSTATE=active\nREMOTE=1\nREMOTE_HOST=10.0.0.9\n");
    // logind has a fifo in the same folder.
    ASSERT_EQ(::mkfifo((root / "run/systemd/sessions/5.ref").c_str(), 0600), 0);
    EXPECT_TRUE(waits());
    EXPECT_FALSE(waits("ib1"));
    login("5", "STATE=closing\nREMOTE=1\nREMOTE_HOST=10.0.0.9\n");
    EXPECT_FALSE(waits());
    login("5", "STATE=active\nREMOTE=0\nREMOTE_HOST=10.0.0.9\n");
    EXPECT_FALSE(waits());
    login("5", "STATE=active\nREMOTE=1\nREMOTE_HOST=fe80::9%ib0\n");
    EXPECT_TRUE(waits());
    // The route to a host name is unknown.
    login("5", "STATE=active\nREMOTE=1\nREMOTE_HOST=desk.example\n");
    EXPECT_TRUE(waits());
}

TEST_F(Confirm, finds_remote_logins_of_utmp) {
    says("ip -json route get 10.0.0.9", R"([{"dst":"10.0.0.9","dev":"ib0"}])");
    utmpx login{};
    login.ut_type = USER_PROCESS;
    login.ut_pid = 400;
    const SocketAddress peer = *SocketAddress::from_text("10.0.0.9");
    std::memcpy(&login.ut_addr_v6[0], &peer.bytes()[4], sizeof(login.ut_addr_v6[0]));
    const auto store = [&] {
        write_file(root / "run/utmp", {reinterpret_cast<const char *>(&login), sizeof(login)});
    };
    store();
    EXPECT_TRUE(waits());
    EXPECT_FALSE(waits("ib1"));
    login.ut_pid = 4000; // the process has ended
    store();
    EXPECT_FALSE(waits());
    login.ut_pid = 400;
    login.ut_addr_v6[0] = 0;
    store();
    EXPECT_FALSE(waits()) << "it is of a console";
    std::memcpy(&login.ut_host[0], "10.0.0.9", 8);
    store();
    EXPECT_TRUE(waits());
}

TEST_F(Confirm, is_asked_for_where_the_way_of_the_session_is_hidden) {
    files.content["/sys/class/net/lo/type"] = "772\n";
    files.content["/sys/class/net/wg0/type"] = "65534\n";
    files.content["/sys/class/net/eth0/device/vendor"] = "0x8086\n";
    files.folders.insert("/sys/class/net/bond1/lower_eth0");
    environment("self", "127.0.0.1 51000 127.0.0.1 22");
    says("ip -json route get 127.0.0.1", R"([{"type":"local","dev":"lo"}])");
    EXPECT_TRUE(waits()) << "ssh -R";
    environment("self", "10.66.0.9 51000 10.66.0.1 22");
    for (const auto &[dev, hidden] : {std::pair("wg0", true), {"eth0", false}, {"bond1", false}}) {
        says("ip -json route get 10.66.0.9", std::string(R"([{"dev":")") + dev + R"("}])");
        EXPECT_EQ(waits(), hidden) << dev;
    }
}

TEST_F(Confirm, is_asked_for_where_the_addresses_cannot_be_read) {
    processes.acts["ip -json address show dev ib0"] = [] {
        return FakeProcesses::failure("Cannot open netlink socket", 1);
    };
    const auto dry = [&] {
        return json({"ipoib", "set", "ib0", "--mtu", "1500", "--no-persist", "--dry-run"});
    };
    EXPECT_FALSE(dry().contains("confirm")) << "there is no session";
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    EXPECT_TRUE(dry().contains("confirm"));
}

TEST_F(Confirm, is_asked_for_where_the_way_to_the_peer_leads_through) {
    environment("self", "198.51.100.9 51000 192.0.2.1 22");
    says("ip -json route get 198.51.100.9", R"([{"dst":"198.51.100.9","dev":"ib0"}])");
    EXPECT_TRUE(waits());
    says("ip -json route get 198.51.100.9", R"([{"dst":"198.51.100.9","dev":"bond0"}])");
    EXPECT_FALSE(waits());
    files.folders.insert("/sys/class/net/ib0/upper_bond0");
    EXPECT_TRUE(waits());
}

TEST_F(Confirm, keeps_the_change) {
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500", "--dry-run"}), 0);
    EXPECT_TRUE(
        told("would wait for \"causeway confirm\": a session of 10.0.0.9 may run over ib0"));
    EXPECT_FALSE(processes.ran("systemd-run"));

    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    EXPECT_TRUE(
        told("a session of 10.0.0.9 may run over ib0: say \"causeway confirm\" within 60 s"))
        << out();
    const std::string waiting = id();
    ASSERT_FALSE(waiting.empty());
    const std::string start =
        "systemd-run --quiet --collect --unit=causeway-unconfirmed-" + waiting + " --on-active=60";
    ASSERT_TRUE(processes.ran(start));
    // The timer was started before anything changed.
    const auto at = [&](const std::string &line) {
        return std::find_if(
                   processes.log.begin(), processes.log.end(),
                   [&](const std::string &each) { return each.substr(0, line.size()) == line; }) -
               processes.log.begin();
    };
    EXPECT_LT(at(start), at("networkctl reload"));

    // Another session, which was opened later, may confirm too.
    environment("self", "");
    EXPECT_EQ(run({"confirm", "--dry-run"}), 0);
    EXPECT_EQ(id(), waiting);
    auto answer = json({"confirm"});
    EXPECT_EQ(status, 0) << err();
    EXPECT_EQ(answer["journal"], 1);
    EXPECT_EQ(id(), "");
    EXPECT_TRUE(processes.ran("systemctl stop causeway-unconfirmed-" + waiting + ".timer"));
    // A timer that expires all the same finds no change.
    EXPECT_EQ(run({"undo", "--unconfirmed", waiting}), 0) << err();
    EXPECT_EQ(out(), "no change waits to be confirmed\n");
    EXPECT_EQ(mtu(), "1500\n");
    EXPECT_TRUE(fs::exists(record()));
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(mtu(), "2044\n");
}

TEST_F(Confirm, that_does_not_come_takes_the_change_back) {
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    EXPECT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.99/24"}), 0) << err();
    EXPECT_EQ(run({"undo", "--unconfirmed", "another"}), 0);
    EXPECT_TRUE(fs::exists(record()));
    EXPECT_EQ(run({"undo", "--unconfirmed", "boot"}), 0);
    EXPECT_TRUE(fs::exists(record())) << "it is of this boot";
    says("ip -json address show dev ib0", "[]");
    EXPECT_EQ(run({"undo", "--unconfirmed", id()}), 0) << err();
    EXPECT_TRUE(told("1 is undone, since it was not confirmed (ipoib addr ib0)")) << out();
    EXPECT_FALSE(fs::exists(record()));
    EXPECT_TRUE(processes.ran("ip address replace 10.0.0.1/24 dev ib0"));
    EXPECT_EQ(id(), "");
    EXPECT_EQ(run({"confirm"}), 69);
    EXPECT_TRUE(told("no change waits to be confirmed")) << err();
    EXPECT_EQ(run({"undo", "--last"}), 0);
    EXPECT_TRUE(told("nothing to undo")) << out();
}

TEST_F(Confirm, other_entries_of_the_journal_do_not_hinder_the_way_back) {
    EXPECT_EQ(run({"limits", "set", "64M"}), 0) << err();
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    EXPECT_TRUE(processes.ran("systemd-run --quiet --collect --unit=causeway-unconfirmed-" + id() +
                              " --on-active=60 --timer-property=AccuracySec=100ms "
                              "--property=Restart=on-failure "
                              "--property=StartLimitIntervalSec=0 --property=RestartSec=5"));
    write_file(root / "var/lib/causeway/journal/000001.json", "{");
    EXPECT_EQ(run({"undo", "--unconfirmed", id()}), 0) << err();
    EXPECT_EQ(mtu(), "2044\n");
    EXPECT_FALSE(fs::exists(record()));
}

TEST_F(Confirm, is_asked_for_by_undo_as_well) {
    EXPECT_EQ(run({"ipoib", "addr", "ib0", "10.0.0.2/24"}), 0) << err();
    EXPECT_EQ(id(), "");
    const char *fresh =
        R"([{"addr_info":[{"family":"inet","local":"10.0.0.2","prefixlen":24,"scope":"global"}]}])";
    says("ip -json address show dev ib0", fresh);
    environment("self", "10.0.0.9 51000 10.0.0.2 22");
    EXPECT_TRUE(json({"undo", "--last", "--dry-run"}).contains("confirm"));
    EXPECT_TRUE(fs::exists(record()));
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(
        told("a session of 10.0.0.9 may run over ib0: say \"causeway confirm\" within 60 s"))
        << out();
    EXPECT_FALSE(fs::exists(record()));
    ASSERT_NE(id(), "");
    EXPECT_EQ(run({"ipoib", "set", "ib1", "--mtu", "1500"}), 75);
    // The undo is not confirmed: the entry is applied again, and the interface gets back what it
    // had.
    says("ip -json address show dev ib0", "[]");
    EXPECT_EQ(run({"undo", "--unconfirmed", id()}), 0) << err();
    EXPECT_TRUE(told("1 is done again, since its undo was not confirmed (ipoib addr ib0)"))
        << out();
    EXPECT_TRUE(fs::exists(record()));
    EXPECT_TRUE(processes.ran("ip address replace 10.0.0.2/24 dev ib0"));
    EXPECT_EQ(id(), "");
    // This time the undo is confirmed.
    says("ip -json address show dev ib0", fresh);
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    ASSERT_NE(id(), "");
    EXPECT_EQ(run({"confirm"}), 0) << err();
    EXPECT_TRUE(told("1 (ipoib addr ib0) stays undone")) << out();
    EXPECT_EQ(id(), "");
    EXPECT_FALSE(fs::exists(record()));
    EXPECT_EQ(run({"undo", "--last"}), 0);
    EXPECT_TRUE(told("nothing to undo")) << out();
}

TEST_F(Confirm, of_an_undo_that_a_reboot_prevents_gives_the_files_back) {
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_FALSE(fs::exists(record()));
    boot = Uuid::random();
    processes.log.clear();
    EXPECT_EQ(run({"undo", "--unconfirmed", "boot"}), 0) << err();
    EXPECT_TRUE(fs::exists(record()));
    EXPECT_TRUE(processes.log.empty());
}

TEST_F(Confirm, of_an_undo_is_for_what_touches_the_interface_alone) {
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    EXPECT_EQ(run({"limits", "set", "64M"}), 0) << err();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(id(), "");
    EXPECT_EQ(run({"ipoib", "set", "ib1", "--mtu", "1500"}), 0) << err();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(id(), "");
}

TEST_F(Confirm, that_does_not_come_takes_back_what_others_changed_meanwhile) {
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    // The network manager changed the MTU, and an administrator edited the file.
    files.content["/sys/class/net/ib0/mtu"] = "1400\n";
    write_file(root / "etc/systemd/network/10-causeway-ib0.network", "[Match]\nName=nothing\n");
    processes.acts["networkctl reload"] = [] { return FakeProcesses::failure("dead", 1); };
    EXPECT_EQ(run({"undo", "--unconfirmed", id()}), 0) << err();
    EXPECT_TRUE(told("dead")) << err();
    EXPECT_EQ(mtu(), "2044\n");
    EXPECT_FALSE(fs::exists(root / "etc/systemd/network/10-causeway-ib0.network"));
    EXPECT_FALSE(fs::exists(record()));
    EXPECT_EQ(id(), "");
}

TEST_F(Confirm, that_does_not_come_tries_the_way_back_for_a_minute) {
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    refuse_mtu();
    processes.log.clear();
    for (int i = 1; i < 12; i++) {
        EXPECT_EQ(run({"undo", "--unconfirmed", id()}), 75) << i;
        EXPECT_TRUE(told("1 (ipoib set ib0) is not taken back as a whole: cannot write: busy"))
            << err();
        EXPECT_TRUE(told("it is tried again in 5 s")) << err();
    }
    EXPECT_EQ(run({"confirm"}), 1);
    EXPECT_TRUE(told("its way back has begun")) << err();
    EXPECT_EQ(run({"undo", "--unconfirmed", id()}), 0) << err();
    EXPECT_TRUE(told("cannot write: busy")) << err();
    EXPECT_EQ(processes.count("networkctl reload"), 1U);
    EXPECT_EQ(id(), "");
    EXPECT_EQ(run({"ipoib", "set", "ib1", "--mtu", "1500"}), 0) << err();
}

TEST_F(Confirm, that_does_not_come_ends_its_tries_on_a_full_file_system) {
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    // Only the count can be written, in /run.
    constexpr rlim_t room = 100;
    for (const bool value_fails : {true, false}) {
        EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
        if (value_fails) {
            refuse_mtu();
        }
        for (int i = 1; i < 12; i++) {
            EXPECT_EQ(run_with_room(room, {"undo", "--unconfirmed", id()}), 75) << i << err();
            EXPECT_TRUE(told("it is tried again in 5 s")) << err();
        }
        EXPECT_EQ(run_with_room(room, {"undo", "--unconfirmed", id()}), 0) << err();
        EXPECT_TRUE(told(value_fails ? "cannot write: busy" : "the journal still has")) << err();
        EXPECT_EQ(id(), "");
        EXPECT_FALSE(fs::exists(root / "run/causeway/unconfirmed-tries"));
        files.on_write.clear();
        EXPECT_EQ(run({"undo", "--last", "--confirmed"}), 0) << err();
        EXPECT_EQ(mtu(), "2044\n");
    }
}

TEST_F(Confirm, that_does_not_come_goes_on_where_nothing_can_hold_the_count) {
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    refuse_mtu();
    processes.log.clear();
    for (int i = 1; i < 20; i++) {
        ASSERT_EQ(run_with_room(0, {"undo", "--unconfirmed", id()}), 75) << i << err();
        EXPECT_TRUE(told("it is tried again in 5 s")) << err();
    }
    EXPECT_EQ(run({"confirm"}), 1);
    EXPECT_TRUE(told("its way back has begun")) << err();
    files.on_write.clear();
    EXPECT_EQ(run({"undo", "--unconfirmed", id()}), 0) << err();
    EXPECT_EQ(mtu(), "2044\n");
    EXPECT_EQ(id(), "");
    // Another run would take down what is up.
    EXPECT_EQ(processes.count("networkctl reload"), 1U);
}

// For example, a file system is read-only until an administrator remounts it.
TEST_F(Confirm, that_does_not_come_goes_on_until_the_lock_can_be_taken) {
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    const fs::path lock = root / "var/lib/causeway/journal/lock";
    ASSERT_TRUE(fs::remove(lock));
    fs::create_directory(lock);
    const std::string waiting = id();
    processes.log.clear();
    for (int i = 1; i < 20; i++) {
        EXPECT_EQ(run({"undo", "--unconfirmed", waiting}), 1) << i;
        EXPECT_TRUE(told("cannot open the lock")) << err();
        EXPECT_TRUE(told("it is tried again in 5 s; or put that right, then: causeway undo 1"))
            << err();
    }
    fs::remove(lock);
    EXPECT_EQ(run({"undo", "--unconfirmed", waiting}), 0) << err();
    EXPECT_EQ(mtu(), "2044\n");
    EXPECT_FALSE(fs::exists(record()));
    EXPECT_EQ(processes.count("networkctl reload"), 1U);
    EXPECT_EQ(id(), "");
}

TEST_F(Confirm, that_comes_before_anything_is_taken_back_keeps_the_change) {
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    const fs::path entry = root / "var/lib/causeway/journal/000001.json";
    fs::rename(entry, root / "away");
    fs::create_directory(entry); // a folder, which cannot be read as an entry
    EXPECT_EQ(run({"undo", "--unconfirmed", id()}), 1);
    EXPECT_TRUE(told("or put that right, then: causeway undo 1")) << err();
    fs::remove(entry);
    fs::rename(root / "away", entry);
    EXPECT_EQ(run({"confirm"}), 0) << err();
    EXPECT_EQ(mtu(), "1500\n");
}

TEST_F(Confirm, that_a_removal_prevents_keeps_the_package_while_a_value_cannot_go_back) {
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    processes.acts["networkctl reload"] = [] { return FakeProcesses::failure("dead", 1); };
    refuse_mtu();
    EXPECT_EQ(run({"undo", "--unconfirmed", "now"}), 75);
    EXPECT_TRUE(told("cannot write: busy")) << err();
    EXPECT_NE(id(), "");
    files.on_write.clear();
    EXPECT_EQ(run({"undo", "--unconfirmed", "now"}), 0) << err();
    EXPECT_EQ(id(), "");
}

TEST_F(Confirm, of_an_undo_that_failed_midway_still_waits) {
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    refuse_mtu();
    EXPECT_EQ(run({"undo", "--last"}), 1);
    const std::string waiting = id();
    EXPECT_NE(waiting, "");
    EXPECT_TRUE(told("is done again, unless \"causeway confirm\" is said")) << err();
    files.on_write.clear();
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(id(), waiting);
    EXPECT_TRUE(told("it is done again, unless \"causeway confirm\" is said")) << out();
    EXPECT_EQ(run({"undo", "--unconfirmed", waiting}), 0) << err();
    EXPECT_EQ(mtu(), "1500\n");
    EXPECT_TRUE(fs::exists(record()));
}

TEST_F(Confirm, has_no_dry_run_of_the_timer) {
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    EXPECT_EQ(run({"undo", "--unconfirmed", "now", "--dry-run"}), 64);
    EXPECT_EQ(mtu(), "1500\n");
    EXPECT_NE(id(), "");
}

TEST_F(Confirm, that_a_reboot_prevents_takes_back_the_files) {
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    boot = Uuid::random();
    files.content["/sys/class/net/ib0/mtu"] = "2000\n";
    files.writes.clear();
    processes.log.clear();
    EXPECT_EQ(run({"undo", "--unconfirmed", "boot"}), 0) << err();
    EXPECT_FALSE(fs::exists(record()));
    EXPECT_FALSE(fs::exists(root / "etc/systemd/network/10-causeway-ib0.network"));
    // Early at boot, no network manager runs that could be notified.
    EXPECT_TRUE(files.writes.empty());
    EXPECT_TRUE(processes.log.empty());
    EXPECT_EQ(id(), "");
    EXPECT_EQ(run({"undo", "--unconfirmed", "boot"}), 0) << err();
}

TEST_F(Confirm, that_a_reboot_prevents_takes_back_what_udev_has_set_already) {
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    boot = Uuid::random();
    EXPECT_EQ(mtu(), "1500\n");
    EXPECT_EQ(run({"undo", "--unconfirmed", "boot"}), 0) << err();
    EXPECT_EQ(mtu(), "2044\n");
}

TEST_F(Confirm, that_a_reboot_prevents_takes_a_mode_back_before_its_mtu) {
    const std::string folder = "/sys/class/net/ib0/";
    files.content[folder + "mode"] = "connected\n";
    files.content[folder + "mtu"] = "65520\n";
    files.on_write[folder + "mode"] = [this, folder](const std::string &text) -> Result<void> {
        files.content[folder + "mode"] = text;
        files.content[folder + "mtu"] = text == "connected\n" ? "65520\n" : "2044\n";
        return {};
    };
    files.on_write[folder + "mtu"] = [this, folder](const std::string &text) -> Result<void> {
        if (text == "65520\n" && files.content[folder + "mode"] == "datagram\n") {
            return Error{ExitCode::failed, "cannot write: Invalid argument", "", EINVAL};
        }
        files.content[folder + "mtu"] = text;
        return {};
    };
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mode", "datagram"}), 0) << err();
    EXPECT_EQ(mtu(), "2044\n");
    boot = Uuid::random();
    EXPECT_EQ(run({"undo", "--unconfirmed", "boot"}), 0) << err();
    EXPECT_EQ(files.content[folder + "mode"], "connected\n");
    EXPECT_EQ(mtu(), "65520\n");
    EXPECT_EQ(id(), "");
}

TEST_F(Confirm, whose_way_back_waits_for_no_program_that_hangs) {
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    processes.acts["networkctl reload"] = [] { return ProcessEnd{137, true, "", ""}; };
    says("ip -json address show dev ib0", "[]");
    processes.limit_of.clear();
    EXPECT_EQ(run({"undo", "--unconfirmed", id()}), 0) << err();
    EXPECT_TRUE(told("\"networkctl reload\" did not end within 75 s and was killed")) << err();
    EXPECT_EQ(processes.limit_of["networkctl reload"], std::chrono::seconds(75));
    EXPECT_EQ(processes.limit_of["ip address replace 10.0.0.1/24 dev ib0"],
              std::chrono::seconds(10));
}

TEST_F(Confirm, that_a_removal_of_the_command_prevents_takes_the_change_back_at_once) {
    EXPECT_EQ(run({"undo", "--unconfirmed", "now"}), 0) << err();
    EXPECT_EQ(out(), "no change waits to be confirmed\n");
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    const std::string waiting = id();
    EXPECT_EQ(run({"undo", "--unconfirmed", "now"}), 0) << err();
    EXPECT_TRUE(told("1 is undone, since it was not confirmed (ipoib set ib0)")) << out();
    EXPECT_EQ(mtu(), "2044\n");
    EXPECT_FALSE(fs::exists(record()));
    EXPECT_EQ(id(), "");
    // The timer would find no command to run.
    EXPECT_TRUE(processes.ran("systemctl stop causeway-unconfirmed-" + waiting + ".timer"));
}

TEST_F(Confirm, lets_no_other_change_in_between) {
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    EXPECT_EQ(run({"ipoib", "set", "ib1", "--mtu", "1500"}), 75);
    EXPECT_TRUE(told("the change 1 (ipoib set ib0) waits to be confirmed"));
    EXPECT_TRUE(told("causeway confirm keeps it, causeway undo 1 takes it back")) << err();
    EXPECT_EQ(run({"limits", "set", "64M"}), 75);
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(id(), "");
    EXPECT_EQ(mtu(), "2044\n");
    EXPECT_EQ(run({"limits", "set", "64M"}), 0) << err();
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    EXPECT_EQ(run({"undo", "2"}), 75);
    EXPECT_EQ(run({"confirm"}), 0) << err();
    EXPECT_EQ(run({"undo", "2"}), 0) << err();
}

TEST_F(Confirm, is_not_waited_for_where_nothing_could_take_the_change_back) {
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    processes.acts["systemd-run"] = [] { return FakeProcesses::failure("no bus", 1); };
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 69);
    EXPECT_TRUE(told("cannot arrange that the change is taken back")) << err();
    EXPECT_EQ(mtu(), "2044\n");
    EXPECT_FALSE(fs::exists(record()));
    EXPECT_EQ(id(), "");
    EXPECT_FALSE(fs::exists(root / "var/lib/causeway/journal/000001.json"));
}

TEST_F(Confirm, is_of_no_use_to_a_change_that_failed) {
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    files.refuse["/sys/class/net/ib0/mtu"] = Error{ExitCode::failed, "cannot write", "", EINVAL};
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500", "--no-persist"}), 1);
    EXPECT_EQ(id(), "");
    EXPECT_TRUE(processes.ran("systemctl stop causeway-unconfirmed-"));
}

TEST_F(Confirm, holds_without_systemd_too) {
    fs::remove_all(root / "run/systemd/system");
    write_file(root / "etc/network/interfaces", "source /etc/network/interfaces.d/*\n");
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    EXPECT_EQ(run({"ipoib", "set", "ib0", "--mtu", "1500"}), 0) << err();
    EXPECT_TRUE(processes.ran("setsid --fork sh -c exec >/dev/null 2>&1; sleep 60; until \"$0\" "
                              "undo --unconfirmed \"$1\" || [ $? = 78 ] || [ ! -x \"$0\" ]; "
                              "do sleep 5; done causeway " +
                              id()));
    EXPECT_EQ(run({"confirm"}), 0) << err();
    EXPECT_FALSE(processes.ran("systemctl stop"));
}

TEST_F(Confirm, is_asked_for_by_each_verb_that_writes_a_profile) {
    rdma.put("mlx4_0", "node_type", "1: CA");
    environment("self", "10.0.0.9 51000 10.0.0.1 22");
    for (const std::vector<std::string> &words :
         {std::vector<std::string>{"ipoib", "set", "ib0", "--mtu", "1500"},
          {"ipoib", "set", "ib0", "--mtu", "1500", "--no-persist"},
          {"ipoib", "addr", "ib0", "10.0.0.2/24"},
          {"ipoib", "child", "add", "ib0", "0x8001"}}) {
        std::vector<std::string> dry = words;
        dry.emplace_back("--dry-run");
        EXPECT_TRUE(json(dry).contains("confirm")) << words[1] << err();
    }
    files.content["/sys/class/net/ib0.8001/type"] = "32\n";
    files.content["/sys/class/net/ib0.8001/parent"] = "ib0\n";
    files.content["/sys/class/net/ib0.8001/pkey"] = "0x8001\n";
    EXPECT_TRUE(json({"ipoib", "child", "remove", "ib0.8001", "--dry-run"}).contains("confirm"));
    // Without a change there is nothing to wait for.
    EXPECT_FALSE(
        json({"ipoib", "set", "ib0", "--mtu", "2044", "--no-persist"}).contains("confirm"));
}

TEST_F(Confirm, says_what_is_wrong_with_its_file) {
    write_file(unconfirmed_place(Places(root.path())), "{");
    EXPECT_EQ(run({"confirm"}), 78);
    EXPECT_TRUE(told("is damaged")) << err();
    EXPECT_EQ(run({"limits", "set", "64M"}), 78);
}

} // namespace
} // namespace causeway
