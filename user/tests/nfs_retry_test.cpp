// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of retry, bg and remount of mount.nfs-causeway, with a clock in memory.
#include "base/descriptor.h"
#include "fixture.h"
#include "machine/tcp_ports.h"
#include "nfs/record.h"
#include "nfs/retrying.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace causeway {
namespace {

namespace fs = std::filesystem;

using std::chrono::minutes;
using std::chrono::seconds;

class NfsRetry : public CommandTest {
  protected:
    void SetUp() override {
        files.content["/sys/class/infiniband/rxe0/node_type"] = "1: CA\n";
        fs::create_directories(at("a"));
        fs::create_directories(at("b"));
        processes.rdma_fails = "Connection refused";
        processes.tcp_fails = "Connection refused";
    }

    std::string at(const std::string &name) const { return (root / name).string(); }

    int mount(const std::string &name, const std::string &options) {
        processes.log.clear();
        clock.slept = {};
        return help_mount({"storage1:/" + name, at(name), "-o", options});
    }

    // The messages in the system's log, in the form "LEVEL WHAT".
    std::vector<std::string> logged() const {
        const std::string start = "logger -t mount.nfs-causeway -p daemon.";
        std::vector<std::string> lines;
        for (const std::string &line : processes.log) {
            if (line.substr(0, start.size()) == start) {
                lines.push_back(line.substr(start.size()));
            }
        }
        return lines;
    }

    void later(std::chrono::milliseconds time, std::function<void()> act) {
        clock.events.emplace(clock.time + time, std::move(act));
    }

    void answers_by_tcp() {
        processes.tcp_fails.clear();
        tcp_ports.open.insert("10.0.0.1:2049");
    }

    std::string transport(const std::string &name) {
        const auto on = mounted_on(files, at(name));
        return on && on->nfs ? option_value(on->nfs->options, "proto") : "";
    }
};

TEST_F(NfsRetry, is_two_minutes_where_nothing_is_said) {
    EXPECT_EQ(mount("a", "require=rdma"), 32);
    EXPECT_EQ(clock.slept, minutes(2));
    EXPECT_FALSE(processes.ran("mount -t nfs -o proto=tcp"));
    EXPECT_EQ(mount("a", "rw"), 32);
    EXPECT_EQ(clock.slept, minutes(2));
    EXPECT_NE(err().find("Connection refused; and by RDMA: Connection refused"), std::string::npos)
        << err();
    EXPECT_EQ(mount("a", "retry=5"), 32);
    EXPECT_EQ(clock.slept, minutes(5));
    EXPECT_EQ(mount("a", "retry=0"), 32);
    EXPECT_EQ(clock.slept, seconds(0));
    EXPECT_EQ(processes.log.size(), 2U);
}

TEST_F(NfsRetry, ends_with_the_server_that_comes_up_and_never_with_mount_nfs_own) {
    later(seconds(40), [&] { processes.rdma_fails.clear(); });
    EXPECT_EQ(mount("a", "require=rdma,bg,fg,retry=3"), 0) << err();
    EXPECT_EQ(transport("a"), "rdma");
    EXPECT_LE(clock.slept, seconds(50));
    for (const std::string &line : processes.log) {
        EXPECT_EQ(line.find("bg"), std::string::npos) << line;
        EXPECT_NE(line.find("retry=0"), std::string::npos) << line;
    }
}

TEST_F(NfsRetry, waits_for_a_device_only_where_rdma_is_required) {
    const auto device = files.content.extract("/sys/class/infiniband/rxe0/node_type");
    answers_by_tcp();
    EXPECT_EQ(mount("a", "rw"), 0) << err();
    EXPECT_EQ(clock.slept, seconds(0));
    EXPECT_EQ(transport("a"), "tcp");
    later(seconds(20), [&] {
        files.content[device.key()] = device.mapped();
        processes.rdma_fails.clear();
    });
    EXPECT_EQ(mount("b", "require=rdma"), 0) << err();
    EXPECT_EQ(transport("b"), "rdma");
}

TEST_F(NfsRetry, ends_at_what_the_server_has_answered) {
    processes.rdma_fails = "access denied by server while mounting";
    EXPECT_EQ(mount("a", "require=rdma"), 32);
    EXPECT_EQ(clock.slept, seconds(0));
    processes.rdma_fails = "Connection refused";
    processes.tcp_fails = "access denied by server while mounting";
    tcp_ports.open.insert("10.0.0.1:2049");
    EXPECT_EQ(mount("a", "rw"), 32);
    EXPECT_EQ(clock.slept, rdma_grace);
    processes.rdma_fails = "an incorrect mount option was specified";
    EXPECT_EQ(mount("a", "nonsense"), 32);
    EXPECT_EQ(clock.slept, seconds(0));
    // mount(8) also exits with 1 for a user who may not mount.
    processes.rdma_fails = "must be superuser to use mount";
    EXPECT_EQ(mount("a", "rw"), 1);
}

TEST_F(NfsRetry, gives_a_server_that_boots_ten_seconds_to_listen_by_rdma) {
    answers_by_tcp();
    later(seconds(5), [&] { processes.rdma_fails.clear(); });
    EXPECT_EQ(mount("a", "rw"), 0) << err();
    EXPECT_EQ(transport("a"), "rdma");
    EXPECT_FALSE(processes.ran("mount -t nfs -o rw,proto=tcp"));
}

// An attempt by TCP would succeed as soon as nfsd runs, which may be just after nfsd refused RDMA.
TEST_F(NfsRetry, makes_no_attempt_by_tcp_before_a_server_that_boots_listens) {
    processes.tcp_fails.clear();
    later(seconds(20), [&] { tcp_ports.open.insert("10.0.0.1:2049"); });
    later(seconds(25), [&] { processes.rdma_fails.clear(); });
    EXPECT_EQ(mount("a", "rw"), 0) << err();
    EXPECT_EQ(transport("a"), "rdma");
    EXPECT_FALSE(processes.ran("mount -t nfs -o rw,proto=tcp"));
}

TEST_F(NfsRetry, waits_ten_seconds_in_all_before_it_goes_by_tcp) {
    resolver.names["storage2"] = {"10.0.0.2"};
    tcp_ports.open.insert("10.0.0.2:2049");
    answers_by_tcp();
    EXPECT_EQ(mount("a", "rw"), 0) << err();
    EXPECT_EQ(clock.slept, rdma_grace);
    EXPECT_EQ(transport("a"), "tcp");
    // There is no wait for another server that boots at the same time, or for another folder of
    // this server.
    clock.slept = {};
    EXPECT_EQ(help_mount({"storage2:/b", at("b")}), 0) << err();
    EXPECT_EQ(clock.slept, seconds(0));
    EXPECT_EQ(run({"nfs", "umount", at("b")}), 0);
    clock.pass(minutes(10));
    EXPECT_EQ(mount("b", "rw"), 0) << err();
    EXPECT_EQ(clock.slept, seconds(0));
    EXPECT_EQ(run({"nfs", "umount", at("b")}), 0);
    // A long time later there is a wait again.
    clock.slept = {};
    files.content.erase("/proc/self/mountinfo");
    EXPECT_EQ(help_mount({"storage2:/b", at("b")}), 0) << err();
    EXPECT_EQ(clock.slept, rdma_grace);
}

TEST_F(NfsRetry, asks_once_more_by_rdma_after_an_attempt_without_an_answer) {
    answers_by_tcp();
    processes.rdma_hangs = true;
    const auto start = clock.time;
    EXPECT_EQ(mount("a", "rw"), 0) << err();
    EXPECT_EQ(processes.count("mount -t nfs -o rw,proto=rdma"), 2U);
    EXPECT_EQ(clock.time - start, seconds(60) + rdma_grace);
    EXPECT_EQ(transport("a"), "tcp");
    // Another mount of this server uses TCP already.
    clock.slept = {};
    EXPECT_EQ(mount("b", "rw"), 0) << err();
    EXPECT_EQ(clock.slept, seconds(0));
}

// systemd kills a mount of fstab after 90 seconds.
TEST_F(NfsRetry, goes_by_tcp_before_systemd_ends_the_mount) {
    tcp_ports.open.insert("10.0.0.1:2049");
    processes.rdma_hangs = true;
    const auto start = clock.time;
    // The first attempt by TCP fails.
    later(seconds(71), [this] { answers_by_tcp(); });
    EXPECT_EQ(mount("a", "rw"), 0) << err();
    EXPECT_EQ(transport("a"), "tcp");
    EXPECT_GE(clock.time - start, seconds(71));
    EXPECT_LE(clock.time - start, seconds(85));
}

TEST_F(NfsRetry, has_the_whole_limit_again_when_it_has_time) {
    tcp_ports.open.insert("10.0.0.1:2049");
    processes.rdma_hangs = true;
    EXPECT_EQ(mount("a", "rw,retry=10,rdma-timeout=30"), 32);
    // With ten seconds for each attempt, there would be time for 40 attempts.
    const auto attempts = processes.count("mount -t nfs -o rw,proto=rdma");
    EXPECT_GE(attempts, 20U);
    EXPECT_LE(attempts, 30U);
}

TEST_F(NfsRetry, in_the_foreground_waits_for_no_name_when_the_wait_for_rdma_is_over) {
    answers_by_tcp();
    const auto names = resolver.names;
    later(seconds(1), [this] {
        resolver.names.clear();
        resolver.unknown = ExitCode::try_again;
    });
    later(seconds(60), [this, names] { resolver.names = names; });
    EXPECT_EQ(mount("a", "bg"), 0) << err();
    EXPECT_EQ(processes.count("background"), 1U);
}

TEST_F(NfsRetry, goes_by_rdma_to_a_server_that_boots_during_an_attempt) {
    processes.rdma_hangs = true;
    later(seconds(30), [this] {
        answers_by_tcp();
        processes.rdma_hangs = false;
        processes.rdma_fails.clear();
    });
    EXPECT_EQ(mount("a", "rw"), 0) << err();
    EXPECT_EQ(transport("a"), "rdma");
    EXPECT_EQ(processes.count("mount -t nfs -o rw,proto=tcp"), 0U);
}

TEST_F(NfsRetry, of_the_verb_is_what_its_options_say) {
    EXPECT_EQ(run({"nfs", "mount", "storage1:/a", at("a")}), 75);
    EXPECT_EQ(clock.slept, seconds(0));
    EXPECT_EQ(run({"nfs", "mount", "storage1:/a", at("a"), "-o", "bg"}), 75);
    EXPECT_EQ(clock.slept, seconds(0));
    EXPECT_EQ(run({"nfs", "mount", "storage1:/a", at("a"), "-o", "retry=1"}), 75);
    EXPECT_EQ(clock.slept, minutes(1));
    EXPECT_EQ(run({"nfs", "mount", "storage1:/a", at("a"), "-o", "remount,ro"}), 64);
}

TEST_F(NfsRetry, stays_in_the_foreground_for_rdma_while_tcp_works) {
    answers_by_tcp();
    EXPECT_EQ(mount("a", "bg"), 0) << err();
    EXPECT_EQ(processes.count("background"), 0U);
    EXPECT_EQ(transport("a"), "tcp");
    EXPECT_LE(clock.slept, seconds(10));
}

TEST_F(NfsRetry, with_a_time_looks_a_name_up_again) {
    processes.rdma_fails.clear();
    const auto names = resolver.names;
    resolver.names.clear();
    resolver.unknown = ExitCode::try_again;
    later(seconds(5), [this, names] { resolver.names = names; });
    EXPECT_EQ(mount("a", "retry=1"), 0) << err();
    EXPECT_EQ(transport("a"), "rdma");
}

TEST_F(NfsRetry, goes_to_the_background_after_the_first_attempt) {
    EXPECT_EQ(mount("a", "bg,require=rdma"), 0);
    EXPECT_EQ(processes.log.back(), "background");
    EXPECT_EQ(processes.log.size(), 2U);
    EXPECT_FALSE(processes.ran("logger"));
    EXPECT_EQ(clock.slept, seconds(0));
    EXPECT_NE(err().find("is not mounted yet: Connection refused; it is tried in the background "
                         "for 10000 minutes"),
              std::string::npos)
        << err();
    EXPECT_FALSE(find_record(Places(root.path()), "storage1:/a", at("a")));

    processes.is_child = true;
    later(std::chrono::hours(30), [&] { processes.rdma_fails.clear(); });
    EXPECT_EQ(mount("a", "bg,require=rdma"), 0) << err();
    EXPECT_EQ(transport("a"), "rdma");
    EXPECT_EQ(processes.count("background"), 1U);
    // Each reason is logged once, and then the result.
    EXPECT_EQ(logged(), (std::vector<std::string>{
                            "warning " + at("a") +
                                " is not mounted yet: Connection refused; it is tried again for up "
                                "to 10000 minutes",
                            "info storage1:/a is mounted on " + at("a") + " by RDMA"}));
    EXPECT_EQ(err(), "");

    processes.rdma_fails = "Connection refused";
    EXPECT_EQ(mount("b", "bg,require=rdma,retry=2"), 32);
    EXPECT_EQ(clock.slept, minutes(2));
    EXPECT_EQ(logged().back(),
              "err cannot mount storage1:/b on " + at("b") + " by RDMA: Connection refused");
}

TEST_F(NfsRetry, in_the_background_logs_each_reason_and_the_transport) {
    processes.is_child = true;
    later(seconds(30), [&] { processes.rdma_fails = "No route to host"; });
    later(seconds(60), [&] { answers_by_tcp(); });
    EXPECT_EQ(mount("a", "bg"), 0);
    EXPECT_EQ(transport("a"), "tcp");
    const auto lines = logged();
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_NE(lines[0].find("not mounted yet: nothing answers on TCP port 2049; and by RDMA: "
                            "Connection refused"),
              std::string::npos)
        << lines[0];
    EXPECT_NE(lines[1].find("and by RDMA: No route to host"), std::string::npos) << lines[1];
    EXPECT_EQ(lines[2].find("warning " + at("a") + " goes by TCP, RDMA failed: "), 0U) << lines[2];
}

TEST_F(NfsRetry, in_the_foreground_says_each_reason_once) {
    later(seconds(40), [&] { processes.rdma_fails.clear(); });
    EXPECT_EQ(mount("a", "require=rdma"), 0);
    EXPECT_EQ(err(), "mount.nfs-causeway: " + at("a") +
                         " is not mounted yet: Connection refused; it is tried again for up to 2 "
                         "minutes\n");
}

TEST_F(NfsRetry, in_a_unit_of_systemd_goes_on_in_another) {
    files.content["/proc/self/cgroup"] = "0::/system.slice/mnt-a.mount\n";
    EXPECT_EQ(mount("a", "ro,bg"), 0) << err();
    EXPECT_EQ(processes.log.back(), "systemd-run --quiet --collect --no-block -- "
                                    "/usr/sbin/mount.nfs-causeway storage1:/a " +
                                        at("a") + " -v -o ro,retry=10000");
    EXPECT_FALSE(processes.ran("background"));
    processes.acts["systemd-run"] = [] {
        return FakeProcesses::failure("Failed to connect to bus", 1);
    };
    EXPECT_EQ(mount("a", "ro,bg"), 32);
    EXPECT_NE(err().find("Failed to connect to bus"), std::string::npos) << err();
}

TEST(TcpPorts, listen_or_do_not) {
    const Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(own);
    auto *const address = reinterpret_cast<sockaddr *>(&own);
    ASSERT_EQ(::bind(listener.get(), address, size), 0);
    ASSERT_EQ(::getsockname(listener.get(), address, &size), 0);
    const SocketAddress peer = address_of("127.0.0.1", ntohs(own.sin_port));
    SystemTcpPorts ports;
    EXPECT_FALSE(ports.listens(peer, seconds(5)));
    ASSERT_EQ(::listen(listener.get(), 1), 0);
    EXPECT_TRUE(ports.listens(peer, seconds(5)));
}

TEST_F(NfsRetry, remount_keeps_the_transport_and_makes_no_other_attempt) {
    processes.add_mount("storage1:/a", at("a"), "rw,vers=4.2,proto=rdma,port=20050,addr=10.0.0.1");
    processes.add_mount("storage1:/b", at("b"), "rw,vers=4.2,proto=tcp,addr=10.0.0.1");
    ASSERT_TRUE(keep_record(Places(root.path()), {"storage1:/a", at("a"), "vers=4.2,rw", ""}));
    processes.rdma_fails.clear();
    processes.tcp_fails.clear();
    EXPECT_EQ(mount("a", "remount,ro,vers=4.2,port=20050,require=rdma"), 0) << err();
    EXPECT_EQ(processes.log,
              (std::vector<std::string>{"mount -t nfs -o ro,vers=4.2,remount,proto=rdma,port=20050 "
                                        "storage1:/a " +
                                        at("a")}));
    EXPECT_EQ(find_record(Places(root.path()), "storage1:/a", at("a"))->options, "vers=4.2,ro");
    EXPECT_EQ(mount("b", "ro,remount,require=rdma"), 0) << err();
    EXPECT_EQ(processes.log, (std::vector<std::string>{
                                 "mount -t nfs -o ro,remount,proto=tcp storage1:/b " + at("b")}));

    processes.rdma_fails = "mount point not mounted or bad option";
    EXPECT_EQ(mount("a", "remount,ro"), 32);
    EXPECT_EQ(processes.log.size(), 1U);
    fs::create_directories(at("c"));
    EXPECT_EQ(mount("c", "remount,ro"), 32);
    EXPECT_NE(err().find("no NFS is mounted on"), std::string::npos) << err();
    EXPECT_TRUE(processes.log.empty());
}

} // namespace
} // namespace causeway
