// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of parsers and texts of the NFS verbs.
#include "base/systemd_name.h"
#include "fixture.h"
#include "nfs/mounting.h"
#include "nfs/mounts.h"
#include "nfs/options.h"
#include "nfs/record.h"
#include "nfs/server.h"
#include "nfs/units.h"

#include <cerrno>
#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>

namespace causeway {
namespace {

constexpr const char *mountinfo =
    "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "40 22 0:41 / /mnt/my\\040home rw,nosuid,relatime shared:20 - nfs4 server:/srv/my\\040home "
    "rw,vers=4.2,rsize=1048576,proto=rdma,port=20049,timeo=600,sec=sys,clientaddr=10.0.0.2,"
    "local_lock=none,addr=10.0.0.1\n"
    "41 22 0:42 / /mnt/old rw - nfs server:/old rw,vers=3,proto=udp,addr=10.0.0.1\n"
    "42 41 0:43 / /mnt/old ro shared:3 master:1 - nfs [fd00::1]:/new "
    "rw,vers=3,proto=tcp6,addr=fd00::1,mountport=1\n"
    "nonsense\n";

TEST(Mounts, are_read_from_mountinfo) {
    const auto mounts = parse_mountinfo(mountinfo);
    ASSERT_EQ(mounts.size(), 2U);
    EXPECT_EQ(mounts[0].source, "server:/srv/my home");
    EXPECT_EQ(mounts[0].directory, "/mnt/my home");
    EXPECT_EQ(mounts[0].server(), "server");
    EXPECT_EQ(mounts[0].version, "4.2");
    EXPECT_EQ(mounts[0].transport, CW_TRANSPORT_RDMA);
    EXPECT_EQ(mounts[0].port, 20049);
    EXPECT_EQ(mounts[0].address, "10.0.0.1");
    EXPECT_EQ(mounts[0].id, "40");
    EXPECT_EQ(mounts[0].device, "0:41");
    // Of mounts on top of each other, only the last one is visible.
    EXPECT_EQ(mounts[1].source, "[fd00::1]:/new");
    EXPECT_EQ(mounts[1].transport, CW_TRANSPORT_TCP);
    EXPECT_EQ(mounts[1].port, 0);
}

TEST(Mounts, get_their_connections_from_mountstats) {
    auto mounts = parse_mountinfo(mountinfo);
    add_mountstats("device sysfs mounted on /sys with fstype sysfs\n"
                   "device server:/srv/my\\040home mounted on /mnt/my\\040home with fstype nfs4 "
                   "statvers=1.1\n"
                   "\topts:\trw,vers=4.2\n"
                   "\tage:\t77\n"
                   "\txprt:\trdma 0 0 3 0 12 500 499 0 0 0 1 2 3\n"
                   "\txprt:\trdma 0 0 1 0 12 100 99 0 0 0 1 2 3\n"
                   "device [fd00::1]:/new mounted on /mnt/old with fstype nfs statvers=1.1\n"
                   "\txprt:\ttcp 0 0 x 0\n",
                   mounts);
    EXPECT_EQ(mounts[0].connections, 2U);
    EXPECT_EQ(mounts[0].connects, 4U);
    EXPECT_EQ(mounts[0].sent, 600U);
    EXPECT_EQ(mounts[0].age, std::chrono::seconds(77));
    EXPECT_EQ(mounts[1].connections, 0U);
    EXPECT_EQ(mounts[1].connects, std::nullopt);
}

TEST(NfsOptions, are_ours_or_passed_on) {
    const auto options = parse_nfs_options("ro,vers=4.2,port=20050,tcp-port=2050,require=rdma,rdma,"
                                           "rdma-timeout=9,context=\"a:b:c0,c1\"");
    ASSERT_TRUE(options) << options.error().what;
    EXPECT_EQ(options->passed,
              (std::vector<std::string>{"ro", "vers=4.2", "context=\"a:b:c0,c1\""}));
    EXPECT_EQ(options->rdma_port, 20050);
    EXPECT_EQ(options->tcp_port, 2050);
    EXPECT_TRUE(options->require_rdma);
    EXPECT_EQ(options->rdma_limit.count(), 9);
    EXPECT_EQ(attempt_options(*options, "rdma"),
              "ro,vers=4.2,context=\"a:b:c0,c1\",proto=rdma,port=20050,retry=0");
    EXPECT_EQ(attempt_options(*options, "tcp6"),
              "ro,vers=4.2,context=\"a:b:c0,c1\",proto=tcp6,port=2050,retry=0");
    const auto again = parse_nfs_options(options->text());
    ASSERT_TRUE(again);
    EXPECT_EQ(again->text(), options->text());
    EXPECT_EQ(parse_nfs_options("")->text(), "");
    // mount.nfs would continue in the background and report success.
    const auto patient = parse_nfs_options("retry=3,bg");
    ASSERT_TRUE(patient);
    EXPECT_EQ(patient->retry, std::chrono::minutes(3));
    EXPECT_TRUE(patient->background);
    EXPECT_EQ(attempt_options(*patient, "rdma"), "proto=rdma,port=20049,retry=0");
    EXPECT_EQ(patient->text(), "bg,retry=3");
    EXPECT_FALSE(parse_nfs_options("bg,fg")->background);
}

TEST(NfsOptions, that_choose_a_transport_are_refused) {
    for (const char *text : {"tcp", "udp", "proto=tcp", "ro,proto=udp6"}) {
        const auto options = parse_nfs_options(text);
        ASSERT_FALSE(options) << text;
        EXPECT_EQ(options.error().code, ExitCode::usage);
        EXPECT_NE(options.error().what.find("chooses a transport"), std::string::npos);
    }
    for (const char *text : {"require=tcp", "port=0", "port=x", "tcp-port=65536",
                             "rdma-timeout=", "retry=x", "retry=-1"}) {
        EXPECT_FALSE(parse_nfs_options(text)) << text;
    }
    for (const char *text : {"proto=rdmaxyz", "proto=rdma66", "proto=", "proto=sctp", "proto"}) {
        const auto options = parse_nfs_options(text);
        ASSERT_FALSE(options) << text;
        EXPECT_EQ(options.error().code, ExitCode::usage);
        EXPECT_NE(options.error().what.find("names no transport"), std::string::npos) << text;
    }
}

TEST(NfsOptions, keep_the_family_of_addresses) {
    EXPECT_EQ(parse_nfs_options("ro,proto=rdma6")->text(), "ro,proto=rdma6");
    EXPECT_TRUE(parse_nfs_options("rdma,proto=rdma6")->ipv6_only);
    EXPECT_FALSE(parse_nfs_options("proto=rdma6,rdma")->ipv6_only);
    EXPECT_EQ(parse_nfs_options("proto=rdma")->text(), "");
}

TEST(NfsOptions, of_a_mount_leave_out_what_the_kernel_found) {
    const auto mounts = parse_mountinfo(mountinfo);
    EXPECT_EQ(options_of_mount(mounts[0]).text(), "nosuid,vers=4.2,timeo=600,sec=sys");
    EXPECT_EQ(options_of_mount(mounts[1]).text(), "ro,vers=3");
}

TEST(NfsSources, name_a_server_and_a_folder) {
    const auto plain = parse_nfs_source("storage1:/srv/home");
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->server, "storage1");
    EXPECT_EQ(plain->path, "/srv/home");
    const auto six = parse_nfs_source("[fd00::1]:/");
    ASSERT_TRUE(six);
    EXPECT_EQ(six->server, "fd00::1");
    EXPECT_EQ(six->text(), "[fd00::1]:/");
    for (const char *text :
         {"storage1", "storage1:srv", ":/srv", "fd00::1:/srv", "a b:/srv", "-o:/x"}) {
        EXPECT_FALSE(parse_nfs_source(text)) << text;
    }
}

TEST(Units, are_named_as_systemd_does) {
    EXPECT_EQ(escaped_path("/"), "-");
    EXPECT_EQ(escaped_path("/srv/home"), "srv-home");
    EXPECT_EQ(escaped_path("//srv///home/"), "srv-home");
    EXPECT_EQ(escaped_path("/srv/my-home x"), "srv-my\\x2dhome\\x20x");
    EXPECT_EQ(escaped_path("/.hidden/.x"), "\\x2ehidden-.x");
    EXPECT_EQ(mount_unit_name("/mnt/data"), "mnt-data.mount");
    const std::string text = mount_unit_text("server:/50%", "/mnt/a", "vers=3");
    EXPECT_NE(text.find("What=server:/50%%\n"), std::string::npos);
    EXPECT_NE(text.find("Type=nfs-causeway\nOptions=_netdev,vers=3\n"), std::string::npos);
    // After the package was removed, the unit does nothing and does not fail a boot.
    EXPECT_NE(text.find("ConditionFileIsExecutable=/usr/sbin/mount.nfs-causeway\n"),
              std::string::npos);
}

TEST(NfsExports, say_who_may_mount) {
    ServeSettings settings;
    settings.path = "/srv/my home";
    EXPECT_EQ(exports_line(exports_text(settings)), "/srv/my\\040home *(rw,sync,no_subtree_check)");
    settings.to = {*parse_prefix("10.0.0.0/24"), *parse_prefix("fd00::/64")};
    settings.read_only = true;
    settings.options = "sec=krb5p";
    settings.fsid = "5cbe11f0-0000-4000-8000-000000000000";
    const std::string text = exports_text(settings);
    EXPECT_NE(text.find("10.0.0.0/24(ro,sync,no_subtree_check,sec=krb5p,fsid=5cbe11f0-0000-4000-"
                        "8000-000000000000) fd00::/64(ro,"),
              std::string::npos)
        << text;
    EXPECT_EQ(fsid_of_exports(text), settings.fsid);
    EXPECT_EQ(exports_line(text).find("fsid"), std::string::npos);
    EXPECT_EQ(text.front(), '#');
    // An fsid that the administrator gave is a setting like others.
    EXPECT_EQ(fsid_of_exports("#\n/srv *(rw,fsid=0)\n"), "");
    EXPECT_EQ(exports_line("#\n/srv *(rw,fsid=0)\n"), "/srv *(rw,fsid=0)");
}

TEST(NfsConf, holds_the_port) {
    EXPECT_EQ(port_of_nfs_conf(nfs_conf_text(20050)), 20050);
    EXPECT_EQ(port_of_nfs_conf("[nfsd]\nrdma=y\n"), std::nullopt);
    EXPECT_EQ(port_of_nfs_conf("[nfsd]\nrdma-port=many\n"), std::nullopt);
}

TEST(Nfsd, reports_its_ports_once_and_its_clients) {
    FakeKernelFiles files;
    EXPECT_TRUE(nfsd_ports(files)->empty());
    EXPECT_FALSE(*nfsd_runs(files));
    files.content["/proc/fs/nfsd/portlist"] = "rdma 20049\nrdma 20049\ntcp 2049\ntcp 2049\n";
    files.content["/proc/fs/nfsd/threads"] = "8\n";
    files.content["/proc/fs/nfsd/clients/3/info"] =
        "clientid: 0x1\naddress: \"10.0.0.2:0\"\nstatus: confirmed\n"
        "name: \"Linux NFSv4.2 client\"\nminor version: 2\n";
    files.content["/proc/fs/nfsd/clients/4/info"] =
        "address: \"[fd00::2]:801\"\nname: \"Linux NFSv4.1 other\"\nminor version: 1\n";
    EXPECT_TRUE(*nfsd_runs(files));
    EXPECT_EQ(*nfsd_ports(files), (std::vector<NfsdPort>{{"rdma", 20049}, {"tcp", 2049}}));
    const auto clients = nfsd_clients(files);
    ASSERT_TRUE(clients);
    ASSERT_EQ(clients->size(), 2U);
    EXPECT_TRUE((*clients)[0].rdma);
    EXPECT_EQ((*clients)[0].address, "10.0.0.2");
    EXPECT_EQ((*clients)[0].version, "4.2");
    EXPECT_FALSE((*clients)[1].rdma);
    EXPECT_EQ((*clients)[1].address, "fd00::2");
}

TEST(Records, are_of_one_mount) {
    const TemporaryFolder root;
    const Places places(root.path());
    ASSERT_TRUE(keep_record(places, {"s:/a b", "/mnt/x", "ro", "no \"device\""}));
    const auto record = find_record(places, "s:/a b", "/mnt/x");
    ASSERT_TRUE(record);
    EXPECT_EQ(record->options, "ro");
    EXPECT_EQ(record->reason, "no \"device\"");
    EXPECT_FALSE(find_record(places, "other:/a", "/mnt/x"));
    EXPECT_FALSE(find_record(places, "s:/a b", "/mnt/y"));
    write_file(places.nfs_mounts() / "mnt-x.json", "[broken");
    EXPECT_FALSE(find_record(places, "s:/a b", "/mnt/x"));
    EXPECT_TRUE(forget_record(places, "/mnt/x"));
    EXPECT_TRUE(forget_record(places, "/mnt/x"));
}

TEST(Records, are_not_of_a_later_mount_on_the_same_folder) {
    using std::chrono::seconds;
    const TemporaryFolder root;
    const Places places(root.path());
    MountRecord record{"s:/a", "/mnt/x", "ro", ""};
    record.mount_id = "31";
    record.device = "0:41";
    record.kept = seconds(1000);
    ASSERT_TRUE(keep_record(places, record));
    NfsMount mount;
    mount.source = "s:/a";
    mount.directory = "/mnt/x";
    mount.id = "31";
    mount.device = "0:41";
    EXPECT_TRUE(record_of(places, mount, seconds(1010)));
    mount.age = seconds(9);
    EXPECT_TRUE(record_of(places, mount, seconds(1010)));
    // The kernel counts the age by a clock that is not corrected.
    mount.age = seconds(86400 - 50);
    EXPECT_TRUE(record_of(places, mount, seconds(87400)));
    mount.id = "32";
    EXPECT_FALSE(record_of(places, mount, seconds(1010)));
    mount.id = "31";
    mount.device = "0:42";
    EXPECT_FALSE(record_of(places, mount, seconds(1010)));
    // The kernel may reuse both numbers after umount.
    mount.device = "0:41";
    mount.age = seconds(3);
    EXPECT_FALSE(record_of(places, mount, seconds(1010)));
    // Earlier versions recorded neither.
    ASSERT_TRUE(keep_record(places, {"s:/a", "/mnt/x", "ro", ""}));
    EXPECT_TRUE(record_of(places, mount, seconds(1010)));
}

TEST(Programs, are_run_and_their_words_kept) {
    SystemProcesses processes;
    EXPECT_TRUE(processes.there("sh"));
    EXPECT_FALSE(processes.there("causeway-no-such-program"));
    EXPECT_FALSE(processes.run({"causeway-no-such-program"}, std::nullopt));
    const auto end =
        processes.run({"sh", "-c", "echo out; echo one >&2; echo two >&2; exit 3"}, std::nullopt);
    ASSERT_TRUE(end);
    EXPECT_EQ(end->status, 3);
    EXPECT_EQ(end->out, "out");
    EXPECT_EQ(end->err, "one\ntwo");
    EXPECT_EQ(end->last_words(), "two");
    EXPECT_FALSE(end->good());
    const auto killed = processes.run({"sh", "-c", "kill -9 $$"}, std::nullopt);
    ASSERT_TRUE(killed);
    EXPECT_EQ(killed->status, 137);
    EXPECT_FALSE(killed->timed_out);
}

TEST(Programs, are_ended_with_their_children_when_the_limit_is_over) {
    SystemProcesses processes;
    // mount(8) and mount.nfs behave like this: the parent waits for its child.
    const auto end = processes.run({"sh", "-c", "cat /dev/zero >/dev/null & echo $!; wait"},
                                   std::chrono::seconds(1));
    ASSERT_TRUE(end);
    EXPECT_TRUE(end->timed_out);
    EXPECT_FALSE(end->good());
    // A process without open files no longer executes a system call.
    std::error_code failure;
    const std::filesystem::directory_iterator open("/proc/" + end->out + "/fd", failure);
    EXPECT_TRUE(failure || open == std::filesystem::directory_iterator()) << end->out;
}

TEST(Programs, that_leave_a_daemon_with_their_output_do_not_hold_us) {
    SystemProcesses processes;
    // The child keeps the pipe open after the program itself has ended, until it is killed.
    const auto end =
        processes.run({"sh", "-c", "cat /dev/zero >/dev/null & echo $!"}, std::nullopt);
    ASSERT_TRUE(end);
    EXPECT_TRUE(end->good());
    const int child = std::stoi(end->out);
    EXPECT_EQ(::kill(child, SIGKILL), 0);
}

TEST(Programs, that_run_together_wait_for_no_other) {
    const TemporaryFolder root;
    const std::string pipe = (root / "pipe").string();
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    SystemProcesses processes;
    const auto ends = processes.run_together({{"cat", pipe},
                                              {"sh", "-c", "echo met >" + pipe},
                                              {"causeway-no-such-program"},
                                              {"sh", "-c", "kill -STOP $$"}},
                                             std::chrono::seconds(5));
    ASSERT_EQ(ends.size(), 4U);
    ASSERT_TRUE(ends[0] && ends[1]);
    EXPECT_EQ(ends[0]->out, "met");
    EXPECT_TRUE(ends[1]->good());
    EXPECT_FALSE(ends[2]);
    ASSERT_TRUE(ends[3]);
    EXPECT_TRUE(ends[3]->timed_out);
    EXPECT_TRUE(processes.run_together({}, std::chrono::seconds(1)).empty());
}

TEST(KernelFiles, are_read_and_listed) {
    const TemporaryFolder root;
    SystemKernelFiles files;
    write_file(root / "b", "text\n");
    write_file(root / "a", "");
    EXPECT_EQ(*files.read((root / "b").string()), "text\n");
    EXPECT_EQ(*files.read((root / "none").string()), std::nullopt);
    EXPECT_EQ(*files.read((root / "b/none").string()), std::nullopt);
    EXPECT_EQ(files.list(root.path().string()), (std::vector<std::string>{"a", "b"}));
    EXPECT_TRUE(files.list((root / "none").string()).empty());
    EXPECT_TRUE(files.write((root / "a").string(), "rdma 20049\n"));
    EXPECT_EQ(read_file(root / "a"), "rdma 20049\n");
    EXPECT_EQ(files.write((root / "none").string(), "x").error().system_error, ENOENT);
}

TEST(KernelFiles, short_write_is_an_error) {
    const TemporaryFolder root;
    write_file(root / "a", "");
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit small = before;
    small.rlim_cur = 4;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    SystemKernelFiles files;
    const auto done = files.write((root / "a").string(), "20049\n");
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().what.find("/a: 4 of 6 bytes were written"), std::string::npos)
        << done.error().what;
}

TEST(Directories, are_absolute) {
    EXPECT_EQ(real_directory("/"), "/");
    EXPECT_EQ(real_directory("/mnt//x/"), "/mnt/x");
    EXPECT_EQ(real_directory("/mnt/./x/../y"), "/mnt/y");
}

} // namespace
} // namespace causeway
