// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of metrics and top.
#include "fixture.h"
#include "nfs/record.h"
#include "show/live.h"

#include <cstdlib>
#include <unistd.h>

namespace causeway {
namespace {

// A disk by RDMA, a disk that is held, the client of an export, and an NFS mount.
Figures sample_figures() {
    Figures figures;
    SessionInfo session;
    session.role = CW_ROLE_CLIENT;
    session.server = "storage1";
    session.name = "scratch";
    session.state = CW_STATE_LIVE;
    session.transport = CW_TRANSPORT_RDMA;
    session.device = "rxe0";
    session.device_port = 1;
    session.since = 12000000000;
    session.reconnects = 3;
    SessionInfo held = session;
    held.name = "q\"b\\c";
    held.state = CW_STATE_HELD;
    held.transport = CW_TRANSPORT_NONE;
    held.device.clear();
    SessionInfo server;
    server.role = CW_ROLE_SERVER;
    server.id = 7;
    server.name = "fast";
    server.host_name = "client7";
    server.peer = address_of("10.0.0.7", 40000);
    server.state = CW_STATE_LIVE;
    server.transport = CW_TRANSPORT_TCP;
    figures.sessions = {session, held, server};
    StatInfo stat;
    stat.role = CW_ROLE_CLIENT;
    stat.server = "storage1";
    stat.name = "scratch";
    stat.counters[CW_N_READS] = 1234;
    stat.counters[CW_N_READ_BYTES] = 1234 * 4096;
    stat.read_latency = Histogram{};
    stat.read_latency->at(10) = 1000;
    figures.stats = {stat};
    ExportInfo offered;
    offered.settings.name = "fast";
    offered.sessions = 1;
    figures.exports = {offered};
    AttachmentInfo attached;
    attached.server = "storage1";
    attached.name = "scratch";
    attached.disk = "causeway0";
    attached.size = 512U << 20U;
    figures.attachments = {attached};
    NfsConnection mount;
    mount.role = CW_ROLE_CLIENT;
    mount.id = 2;
    mount.server = "storage1";
    mount.peer = address_of("10.0.0.1", 20049);
    mount.state = CW_STATE_LIVE;
    mount.transport = CW_TRANSPORT_RDMA;
    mount.counters[CW_NFS_INLINE_READS] = 10;
    mount.counters[CW_NFS_RECEIVED_BYTES] = 4096;
    figures.nfs = {mount};
    return figures;
}

class Figured : public CommandTest {
  protected:
    void give(const Figures &figures) {
        kernel.running_exports = figures.exports;
        kernel.running_attachments = figures.attachments;
        kernel.running_sessions = figures.sessions;
        kernel.running_stats = figures.stats;
        kernel.running_nfs = figures.nfs;
    }
};

TEST_F(Figured, metrics_name_everything) {
    give(sample_figures());
    modules.there.insert("causeway_target");
    kernel.limits_met[CW_LIMIT_HOST_LINKS] = 3;
    EXPECT_EQ(run({"metrics"}), 0) << err();
    const std::string text = out();
    for (const char *line : {
             "# TYPE causeway_session_reads counter\n",
             "causeway_session_reads_total{role=\"client\",server=\"storage1\",name="
             "\"scratch\"} 1234\n",
             "causeway_disk_size_bytes{server=\"storage1\",name=\"scratch\",disk=\"causeway0\"} "
             "536870912\n",
             "causeway_export_sessions{name=\"fast\"} 1\n",
             "causeway_limit_met_total{limit=\"host-links\"} 3\n",
             "causeway_limit_met_total{limit=\"memory\"} 0\n",
             "causeway_limit_met_total{limit=\"waiting\"} 0\n",
             "name=\"q\\\"b\\\\c\"",
             "le=\"1.024e-06\"} 0\n",
             "le=\"2.048e-06\"} 1000\n",
             "le=\"+Inf\"} 1000\n",
             "causeway_nfs_inline_reads_total{role=\"client\",id=\"2\",server=\"storage1\",peer="
             "\"10.0.0.1:20049\"} 10\n",
         }) {
        EXPECT_NE(text.find(line), std::string::npos) << line << text;
    }
    EXPECT_EQ(text.substr(text.size() - 6), "# EOF\n");
    EXPECT_EQ(run({"metrics", "--format", "prometheus"}), 0) << err();
    EXPECT_NE(out().find("# TYPE causeway_session_reads_total counter\n"), std::string::npos);
    EXPECT_EQ(out().find("# EOF"), std::string::npos);
    EXPECT_EQ(run({"metrics", "--format", "xml"}), 64);

    // Writes files for user/tests/metrics_format.py.
    if (const char *folder = std::getenv("CAUSEWAY_WRITE")) {
        for (const std::string format : {"openmetrics", "prometheus"}) {
            const auto place = std::filesystem::path(folder) / "metrics" / (format + ".txt");
            EXPECT_EQ(run({"metrics", "--format", format, "--output", place.string()}), 0) << err();
            EXPECT_EQ(out(), "");
        }
    }
}

TEST_F(Figured, metrics_of_paths_mounts_and_broken_messages) {
    Figures figures = sample_figures();
    DiskPath lost;
    lost.peer = address_of("10.0.0.1");
    lost.transport = CW_TRANSPORT_RDMA;
    lost.state = CW_DISK_PATH_DOWN;
    lost.fencing = true;
    lost.fence_commands = 4;
    DiskPath live;
    live.number = 1;
    live.peer = address_of("10.1.0.1", 4794);
    live.transport = CW_TRANSPORT_TCP;
    live.state = CW_DISK_PATH_LIVE;
    live.carries_io = true;
    figures.sessions[0].paths = {lost, live};
    figures.sessions[0].fallbacks = 1;
    StatInfo served = figures.stats[0];
    served.role = CW_ROLE_SERVER;
    served.peer = address_of("10.0.0.7", 40000);
    figures.stats.push_back(served);
    give(figures);
    modules.there.insert("causeway_target");
    files.content["/sys/module/causeway/parameters/malformed"] = "12\n";
    processes.add_mount("storage1:/srv", "/mnt/a",
                        "rw,vers=4.2,proto=rdma,port=20049,addr=10.0.0.1");
    processes.add_mount("storage2:/srv", "/mnt/b", "rw,vers=4.2,proto=tcp,addr=10.0.0.3");
    processes.add_mount("storage3:/srv", "/mnt/c", "rw,vers=4.2,proto=tcp,addr=10.0.0.4");
    ASSERT_TRUE(
        keep_record(Places(root.path()), {"storage2:/srv", "/mnt/b", "", "Connection refused"}));
    EXPECT_EQ(run({"metrics"}), 0) << err();
    const std::string disk = "{server=\"storage1\",name=\"scratch\"";
    const std::string first = disk + ",path=\"0\",address=\"10.0.0.1\"} ";
    const std::string second = disk + ",path=\"1\",address=\"10.1.0.1\"} ";
    for (const std::string &line : {
             "causeway_disk_path_fencing" + first + "1\n",
             "causeway_disk_path_fencing" + second + "0\n",
             "causeway_disk_path_fence_commands" + first + "4\n",
             std::string("causeway_malformed_total 12\n"),
             std::string(
                 "causeway_nfs_mount_rdma{source=\"storage1:/srv\",directory=\"/mnt/a\"} 1\n"),
             std::string(
                 "causeway_nfs_mount_rdma{source=\"storage2:/srv\",directory=\"/mnt/b\"} 0\n"),
             std::string(
                 "causeway_nfs_mount_fallback{source=\"storage1:/srv\",directory=\"/mnt/a\"} 0\n"),
             std::string(
                 "causeway_nfs_mount_fallback{source=\"storage2:/srv\",directory=\"/mnt/b\"} 1\n"),
             std::string(
                 "causeway_nfs_mount_fallback{source=\"storage3:/srv\",directory=\"/mnt/c\"} 0\n"),
         }) {
        EXPECT_NE(out().find(line), std::string::npos) << line << out();
    }
    // Writes the file for user/tests/monitoring.py: it has every metric.
    if (const char *folder = std::getenv("CAUSEWAY_WRITE")) {
        const auto place = std::filesystem::path(folder) / "metrics/everything.txt";
        EXPECT_EQ(run({"metrics", "--format", "prometheus", "--output", place.string()}), 0)
            << err();
    }
    files.content["/sys/module/causeway/parameters/malformed"] = "many\n";
    EXPECT_EQ(run({"metrics"}), 0) << err();
    EXPECT_EQ(out().find("causeway_malformed"), std::string::npos) << out();
}

TEST_F(Figured, metrics_of_nothing_are_none) {
    const auto place = root / "metrics/causeway.prom";
    EXPECT_EQ(run({"metrics", "--output", place.string()}), 0) << err();
    EXPECT_EQ(out(), "");
    EXPECT_EQ(read_file(place).find('{'), std::string::npos);
    EXPECT_EQ(mode_of(place), 0644U);
}

TEST(Live, rates_lie_between_two_looks) {
    const Figures before = sample_figures();
    Figures now = before;
    now.stats[0].counters[CW_N_READS] += 100;
    now.stats[0].counters[CW_N_READ_BYTES] += 409600;
    now.stats[0].read_latency->at(20) = 100;
    now.nfs[0].counters[CW_NFS_INLINE_READS] += 6;
    now.nfs[0].counters[CW_NFS_CHUNKED_READS] += 4;
    now.nfs[0].counters[CW_NFS_RECEIVED_BYTES] += 8192;
    const auto rows = live_rows(before, now, 2);
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[0].name, "storage1/scratch");
    EXPECT_DOUBLE_EQ(*rows[0].reads, 50);
    EXPECT_DOUBLE_EQ(*rows[0].read_bytes, 204800);
    EXPECT_DOUBLE_EQ(*rows[0].writes, 0);
    // the thousand earlier commands no longer count
    EXPECT_DOUBLE_EQ(*rows[0].median, 1.5 * (1U << 20U));
    EXPECT_EQ(rows[1].reads, std::nullopt); // the session has no counters
    EXPECT_EQ(rows[2].name, "fast to client7");
    EXPECT_EQ(rows[2].transport, "TCP");
    EXPECT_EQ(rows[3].kind, "mount");
    EXPECT_DOUBLE_EQ(*rows[3].reads, 5);
    EXPECT_DOUBLE_EQ(*rows[3].read_bytes, 4096);
}

TEST(Live, a_disk_with_several_paths_shows_how_many_are_live) {
    Figures now = sample_figures();
    DiskPath live;
    live.state = CW_DISK_PATH_LIVE;
    now.sessions[0].state = CW_STATE_LIVE;
    now.sessions[0].paths = {live, DiskPath()};
    const auto rows = live_rows(now, now, 1);
    EXPECT_EQ(rows[0].paths, "1/2");
    std::string shown;
    for (const ScreenLine &line : live_screen(rows, LiveOrder::name, 100, 20)) {
        for (const ScreenLine::Part &part : line.parts) {
            shown += part.text;
        }
    }
    EXPECT_NE(shown.find("live 1/2"), std::string::npos) << shown;
    now.sessions[0].paths = {live};
    EXPECT_EQ(live_rows(now, now, 1)[0].paths, "");
}

TEST(Live, what_is_new_or_counted_anew_has_no_rate) {
    const Figures now = sample_figures();
    EXPECT_EQ(live_rows({}, now, 1)[0].reads, std::nullopt);
    Figures before = now;
    before.stats[0].counters[CW_N_READS] = 5000;
    EXPECT_EQ(live_rows(before, now, 1)[0].reads, std::nullopt);
    EXPECT_EQ(live_rows(before, now, 1)[0].median, std::nullopt);
    EXPECT_TRUE(live_rows(now, {}, 1).empty());
}

TEST(Live, rows_are_sorted_as_asked) {
    std::vector<LiveRow> rows(3);
    rows[0].name = "b";
    rows[0].read_bytes = 1;
    rows[0].median = 9;
    rows[1].name = "a";
    rows[1].written_bytes = 2;
    rows[2].name = "c";
    const auto names = [&] { return rows[0].name + rows[1].name + rows[2].name; };
    sort_rows(rows, LiveOrder::throughput);
    EXPECT_EQ(names(), "abc");
    sort_rows(rows, LiveOrder::latency);
    EXPECT_EQ(names(), "bac");
    sort_rows(rows, LiveOrder::name);
    EXPECT_EQ(names(), "abc");
}

std::string text_of(const ScreenLine &line) {
    std::string text;
    for (const ScreenLine::Part &part : line.parts) {
        text += part.text;
    }
    return text;
}

TEST(Live, the_screen_is_filled_and_never_left) {
    auto rows = live_rows(sample_figures(), sample_figures(), 1);
    rows.resize(40, rows.front());
    rows[1].name = std::string(300, 'x');
    for (const auto &[columns, lines] : std::vector<std::pair<std::size_t, std::size_t>>{
             {80, 24}, {200, 50}, {40, 10}, {10, 3}, {1, 1}}) {
        const auto screen = live_screen(rows, LiveOrder::throughput, columns, lines);
        EXPECT_EQ(screen.size(), lines);
        for (const ScreenLine &line : screen) {
            EXPECT_LE(text_of(line).size(), columns);
        }
    }
    const auto screen = live_screen(rows, LiveOrder::throughput, 80, 24);
    EXPECT_NE(text_of(screen[22]).find("... and 21 more"), std::string::npos);
    EXPECT_TRUE(screen[2].reversed);
    EXPECT_EQ(screen[3].parts.back().tone, Tone::good);
    EXPECT_EQ(text_of(live_screen({}, LiveOrder::name, 80, 24)[3]), "no connections");
}

TEST_F(Figured, top_prints_without_a_terminal) {
    give(sample_figures());
    EXPECT_EQ(run({"top"}), 0) << err();
    EXPECT_NE(out().find("3 of 4 connections live, 0 B/s read, 0 B/s written"), std::string::npos)
        << out();
    EXPECT_NE(out().find("disk   storage1/scratch"), std::string::npos) << out();
    EXPECT_EQ(out().find("q quit"), std::string::npos);
    const auto told = json({"top"});
    EXPECT_EQ(told["connections"].size(), 4U);
    EXPECT_EQ(told["connections"][0]["p50_ns"], nullptr);
    EXPECT_EQ(run({"top", "--interval", "0"}), 64);
}

// Runs only from user/tests/live_terminal.py, which provides a terminal.
TEST_F(Figured, DISABLED_shows_itself_in_a_terminal) {
    give(sample_figures());
    on_terminal = find_terminal(STDOUT_FILENO);
    EXPECT_EQ(run({"top"}), 0) << err();
}

} // namespace
} // namespace causeway
