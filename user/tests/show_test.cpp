// SPDX-License-Identifier: GPL-2.0-or-later
#include "fixture.h"
#include "show/histogram.h"
#include "show/table.h"
#include "show/words.h"

#include <cerrno>

namespace causeway {
namespace {

TEST(Percentiles, lie_within_their_bucket) {
    Histogram histogram{};
    EXPECT_EQ(percentile(histogram, 0.5), std::nullopt);
    histogram[10] = 100; // 1024 to 2048 ns
    EXPECT_DOUBLE_EQ(*percentile(histogram, 0.5), 1536);
    EXPECT_DOUBLE_EQ(*percentile(histogram, 1.0), 2048);
    histogram[20] = 100;
    EXPECT_DOUBLE_EQ(*percentile(histogram, 0.5), 2048);
    EXPECT_DOUBLE_EQ(*percentile(histogram, 0.75), 1.5 * (1U << 20U));
    EXPECT_EQ(sample_count(histogram), 200U);
}

TEST(Percentiles, of_one_sample_stay_in_its_bucket) {
    Histogram histogram{};
    histogram[39] = 1;
    for (const double share : {0.5, 0.95, 0.999}) {
        EXPECT_GE(*percentile(histogram, share), static_cast<double>(std::uint64_t{1} << 39U));
        EXPECT_LE(*percentile(histogram, share), static_cast<double>(std::uint64_t{1} << 40U));
    }
}

TEST(Percentiles, grow_with_the_share) {
    Histogram histogram{};
    for (std::size_t i = 0; i < histogram.size(); i++) {
        histogram[i] = (i * 7919) % 13;
    }
    double before = 0;
    for (int i = 1; i <= 1000; i++) {
        const double now = *percentile(histogram, i / 1000.0);
        EXPECT_GE(now, before);
        before = now;
    }
}

TEST(Tables, are_aligned) {
    Table table({{"NAME"}, {"SIZE", Table::Align::right}, {"NOTE"}});
    EXPECT_EQ(table.text(), "");
    table.row({"a", "4 KiB", "x"});
    table.row({"longer", "512 MiB", ""});
    table.note("why");
    EXPECT_EQ(table.text(), "NAME       SIZE  NOTE\n"
                            "a         4 KiB  x\n"
                            "longer  512 MiB  -\n"
                            "    why\n");
}

TEST(States, are_described_in_sentences) {
    SessionInfo session;
    session.since = 12000000000;
    session.state = CW_STATE_LIVE;
    EXPECT_EQ(state_sentence(session), "live for 12 s");
    session.state = CW_STATE_HELD;
    EXPECT_EQ(state_sentence(session), "held: no path since 12 s");
    session.retry_in = 3000;
    EXPECT_EQ(state_sentence(session), "held: next attempt in 3 s, no path since 12 s");
    session.state = CW_STATE_FAILING;
    EXPECT_EQ(state_sentence(session), "failing I/O: next attempt in 3 s, no path since 12 s");
    session.state = CW_STATE_REFUSED;
    EXPECT_EQ(state_sentence(session),
              "refused since 12 s: the name leads to another disk or to less of it, I/O fails");
    session.state = CW_STATE_CONNECTING;
    session.attempts = 3;
    EXPECT_EQ(state_sentence(session), "connecting, attempt 3");
    session.state = CW_STATE_REVOKED;
    EXPECT_EQ(state_sentence(session),
              "revoked since 12 s: the server refused it for good, I/O fails");
    session.state = 77;
    EXPECT_EQ(state_sentence(session), "77");
}

class Shown : public CommandTest {};

TEST_F(Shown, connections_of_both_roles) {
    SessionInfo client;
    client.role = CW_ROLE_CLIENT;
    client.server = "storage1";
    client.name = "scratch";
    client.peer = address_of("10.0.0.1");
    client.state = CW_STATE_HELD;
    client.since = 12000000000;
    client.attempts = 4;
    client.retry_in = 3000;
    client.reason = "no answer";
    client.error = -ETIMEDOUT;
    SessionInfo server;
    server.role = CW_ROLE_SERVER;
    server.name = "fast";
    server.host_name = "client7";
    server.peer = address_of("10.0.0.7", 40000);
    server.state = CW_STATE_LIVE;
    server.transport = CW_TRANSPORT_RDMA;
    server.device = "rxe0";
    server.device_port = 1;
    server.queues = 2;
    kernel.running_sessions = {client, server};
    EXPECT_EQ(run({"net"}), 0);
    EXPECT_NE(out().find("client  storage1 (10.0.0.1:4793)  scratch  -     -"), std::string::npos)
        << out();
    EXPECT_NE(out().find("held: next attempt in 3 s, no path since 12 s\n"
                         "    last failure: no answer (Connection timed out)\n"),
              std::string::npos)
        << out();
    EXPECT_NE(out().find("server  client7 (10.0.0.7)        fast     RDMA  rxe0/1"),
              std::string::npos)
        << out();

    const auto told = json({"net"});
    EXPECT_EQ(told["schema"], 2);
    EXPECT_EQ(told["connections"][0]["state"], "held");
    EXPECT_EQ(told["connections"][0]["retry_in_ms"], 3000);
    EXPECT_EQ(told["connections"][0]["errno"], ETIMEDOUT);
    EXPECT_EQ(told["connections"][0]["device"], nullptr);
    EXPECT_EQ(told["connections"][1]["transport"], "rdma");
    EXPECT_EQ(told["connections"][1]["retry_in_ms"], nullptr);
}

TEST_F(Shown, counters_and_latencies) {
    StatInfo stat;
    stat.role = CW_ROLE_CLIENT;
    stat.server = "storage1";
    stat.name = "scratch";
    stat.disk = "causeway0";
    stat.counters[CW_N_READS] = 1234;
    stat.counters[CW_N_READ_BYTES] = 1234 * 4096;
    stat.read_latency = Histogram{};
    stat.read_latency->at(10) = 1000;
    kernel.running_stats = {stat};
    EXPECT_EQ(run({"stat"}), 0);
    EXPECT_NE(out().find("storage1/scratch as causeway0\n"), std::string::npos) << out();
    EXPECT_NE(out().find("1,234"), std::string::npos) << out();
    EXPECT_NE(out().find("4.8 MiB"), std::string::npos) << out();
    EXPECT_NE(out().find("interpolated within power-of-two buckets"), std::string::npos) << out();
    EXPECT_EQ(out().find("write "), std::string::npos) << out();

    const auto told = json({"stat", "storage1/scratch"});
    EXPECT_EQ(told["stats"][0]["counters"]["reads"], 1234);
    EXPECT_EQ(told["stats"][0]["counters"]["remote_invalidations"], 0);
    EXPECT_EQ(told["stats"][0]["latency"]["read"]["interpolated_ns"]["p50"], 1536);
    EXPECT_EQ(told["stats"][0]["latency"]["read"]["samples"], 1000);
    EXPECT_FALSE(told["stats"][0]["latency"].contains("write"));
    EXPECT_EQ(run({"stat", "storage1/other"}), 69);
}

TEST_F(Shown, nothing_where_no_module_is_loaded) {
    const std::map<std::vector<std::string>, std::string> sentences = {
        {{"list"}, "no disk is attached\n"},
        {{"net"}, "there is no connection\n"},
        {{"stat"}, "no disk is attached, no client is connected, and NFS has no connection\n"},
        {{"export", "list"}, "this machine exports no disk\n"}};
    for (const auto &[words, sentence] : sentences) {
        EXPECT_EQ(run(words), 0);
        EXPECT_EQ(out(), sentence);
        EXPECT_EQ(err(), "");
    }
    EXPECT_TRUE(modules.there.empty());
}

TEST_F(Shown, what_a_server_offers) {
    DiscoveredExport offered;
    offered.name = "scratch";
    offered.size = 512U << 20U;
    offered.block_size = 512;
    offered.has_key = true;
    kernel.offered = {offered};
    EXPECT_EQ(run({"discover", "storage1"}), 0);
    EXPECT_NE(out().find("storage1/scratch  512 MiB    512  key"), std::string::npos) << out();
    EXPECT_TRUE(logged("discover storage1 at 10.0.0.1:4793"));
    EXPECT_EQ(json({"discover", "storage1"})["exports"][0]["name"], "scratch");
}

class Watching : public CommandTest {
  protected:
    void happen(std::uint8_t kind) {
        Event event;
        event.kind = kind;
        event.time = 1700000000123456789;
        event.server = "storage1";
        event.name = "scratch";
        event.text = "in words";
        kernel.events.push_back(event);
    }
};

TEST_F(Watching, prints_a_line_for_each_event) {
    happen(CW_EVENT_ATTACHED);
    happen(CW_EVENT_UP);
    EXPECT_EQ(run({"watch", "--count", "2"}), 0);
    EXPECT_EQ(err(), "watching\n");
    EXPECT_EQ(out(), "2023-11-14T22:13:20.123Z attached storage1/scratch: in words\n"
                     "2023-11-14T22:13:20.123Z up storage1/scratch: in words\n");
}

TEST_F(Watching, ends_with_the_event_that_is_waited_for) {
    happen(CW_EVENT_DOWN);
    happen(CW_EVENT_UP);
    happen(CW_EVENT_DOWN);
    EXPECT_EQ(run({"watch", "--until", "up", "--json"}), 0);
    std::istringstream lines(out());
    std::string line;
    std::vector<std::string> kinds;
    while (std::getline(lines, line)) {
        const auto event = nlohmann::json::parse(line);
        EXPECT_EQ(event["schema"], 2);
        kinds.push_back(event["event"]);
    }
    EXPECT_EQ(kinds, (std::vector<std::string>{"down", "up"}));
}

TEST_F(Watching, gives_up_when_the_time_is_over) {
    EXPECT_EQ(run({"watch", "--until", "up", "--timeout", "1"}), 75);
    EXPECT_NE(err().find("no event 'up' came in time"), std::string::npos);
}

TEST_F(Watching, knows_what_may_be_waited_for) {
    EXPECT_EQ(run({"watch", "--until", "upp"}), 64);
    EXPECT_NE(err().find("did you mean up?"), std::string::npos);
    EXPECT_EQ(run({"watch", "--count", "0"}), 64);
}

} // namespace
} // namespace causeway
