// SPDX-License-Identifier: GPL-2.0-or-later
#include "fixture.h"
#include "measure/qperf.h"

#include <algorithm>

namespace causeway {
namespace {

ProcessEnd says(const std::string &text) {
    ProcessEnd end;
    end.out = text;
    return end;
}

constexpr Measurement rc_one_way{BenchTest::rc, BenchKind::one_way, 65536};

// Recorded with qperf 0.4.11, -uu -un -v.
constexpr const char *udp_output = "udp_bw:\n"
                                   "    send_bw        =    129547264 bytes/sec\n"
                                   "    recv_bw        =     69062656 bytes/sec\n"
                                   "    msg_rate       =        67444 /sec\n"
                                   "    msg_size       =         1024 bytes\n"
                                   "    time           =   1000000000 ns\n"
                                   "    send_cost      =  15361189022 ns/GB\n"
                                   "    recv_cost      =  28814414689 ns/GB\n"
                                   "    loc_cpus_used  =         1.98 % cpus\n"
                                   "    rem_cpus_used  =          199 % cpus\n";

TEST(Qperf, is_read) {
    const std::string output = "rc_bw:\n"
                               "    bw              =  2254503936 bytes/sec\n"
                               "    msg_rate        =       34401 /sec\n";
    EXPECT_DOUBLE_EQ(qperf_point(rc_one_way, output)->value, 2254503936);
    EXPECT_DOUBLE_EQ(qperf_point({BenchTest::rc, BenchKind::messages, 8}, output)->value, 34401);
    // The latency, and another test.
    EXPECT_FALSE(qperf_point({BenchTest::rc, BenchKind::latency, 8}, output));
    EXPECT_FALSE(qperf_point({BenchTest::tcp, BenchKind::one_way, 65536}, output));
    for (const std::string wrong :
         {"2.25 GB/sec", "225", "-1 bytes/sec", "1.2.3 bytes/sec", ". bytes/sec", "1. bytes/sec",
          ".5 bytes/sec", "1e9 bytes/sec", "18446744073709551616 bytes/sec", " bytes/sec", ""}) {
        EXPECT_FALSE(qperf_point(rc_one_way, "rc_bw:\n bw = " + wrong)) << wrong;
        EXPECT_FALSE(
            qperf_point(rc_one_way, "rc_bw:\n bw = 5 bytes/sec\n loc_cpus_used = " + wrong))
            << wrong;
    }
    EXPECT_FALSE(qperf_point(rc_one_way, "bw = 225 bytes/sec"));
    EXPECT_FALSE(qperf_point(rc_one_way, ""));
}

TEST(Qperf, reports_what_a_measurement_costs_the_processors) {
    const auto point = qperf_point({BenchTest::udp, BenchKind::one_way, 1024}, udp_output);
    ASSERT_TRUE(point) << point.error().what;
    EXPECT_DOUBLE_EQ(point->value, 69062656);
    EXPECT_DOUBLE_EQ(point->sent.value_or(0), 129547264);
    EXPECT_DOUBLE_EQ(point->cost.local.value_or(0), 1.98);
    EXPECT_DOUBLE_EQ(point->cost.remote.value_or(0), 199);
    EXPECT_DOUBLE_EQ(point->cost.sending.value_or(0), 15361189022);
    EXPECT_DOUBLE_EQ(point->cost.receiving.value_or(0), 28814414689);
    EXPECT_FALSE(qperf_point(rc_one_way, "rc_bw:\n bw = 5 bytes/sec")->cost.local);
}

TEST(Qperf, gets_a_device_only_where_it_can_choose) {
    using QperfWords = std::vector<std::string>;
    const QperfWay way{false, "mlx5_1:2", "mlx5_0:1"};
    EXPECT_EQ(qperf_words("s", rc_one_way, way, 3),
              (QperfWords{"qperf", "s", "-li", "mlx5_1:2", "-ri", "mlx5_0:1", "-uu", "-un", "-v",
                          "-t", "3", "-m", "65536", "rc_bw"}));
    EXPECT_EQ(qperf_words("s", rc_one_way, {true, "mlx5_1:2", ""}, 3)[2], "-cm1");
    EXPECT_EQ(qperf_words("s", {BenchTest::ud, BenchKind::latency, 8}, {true, "mlx5_1:2", ""}, 3),
              (QperfWords{"qperf", "s", "-li", "mlx5_1:2", "-uu", "-un", "-v", "-t", "3", "-m", "8",
                          "ud_lat"}));
    EXPECT_EQ(qperf_words("s", {BenchTest::tcp, BenchKind::one_way, 8}, way, 3),
              (QperfWords{"qperf", "s", "-uu", "-un", "-v", "-t", "3", "-m", "8", "tcp_bw"}));
}

class Benching : public CommandTest {
  protected:
    void SetUp() override {
        rdma.put("mlx5_0", "node_type", "1: CA");
        rdma.put("mlx5_0", "ports/1/state", "4: ACTIVE");
        rdma.put("mlx5_0", "ports/1/rate", "100 Gb/sec (4X EDR)");
        rdma.put("mlx5_0", "ports/1/link_layer", "InfiniBand");
        processes.acts["qperf storage1 conf"] = [] {
            return says("conf:\n    loc_cpu = 48 Cores: <fast> & cool\n    rem_cpu = 2 Cores");
        };
        processes.acts["qperf storage1 -"] = [this] { return result_of(processes.log.back()); };
    }

    // Returns what qperf prints for its last word, the test.
    static ProcessEnd result_of(const std::string &line) {
        const std::string test = line.substr(line.rfind(' ') + 1);
        const bool latency = test.find("_lat") != std::string::npos;
        return says(test + ":\n" +
                    (latency ? "    latency = 1900 ns\n"
                             : "    bw = 6248750000 bytes/sec\n    msg_rate = 5000 /sec\n"
                               "    send_bw = 8000000000 bytes/sec\n"
                               "    recv_bw = 6000000000 bytes/sec\n"
                               "    send_cost = 120000000 ns/GB\n"
                               "    recv_cost = 2500000000 ns/GB\n") +
                    "    loc_cpus_used = 99.5 % cpus\n    rem_cpus_used = 120 % cpus\n");
    }

    void second_device(const std::string &link_layer) {
        rdma.put("mlx5_1", "node_type", "1: CA");
        rdma.put("mlx5_1", "ports/2/state", "4: ACTIVE");
        rdma.put("mlx5_1", "ports/2/rate", "100 Gb/sec (4X EDR)");
        rdma.put("mlx5_1", "ports/2/link_layer", link_layer);
    }
};

TEST_F(Benching, reports_the_used_part_of_the_link) {
    EXPECT_EQ(run({"bench", "storage1", "--time", "1"}), 0) << err();
    EXPECT_TRUE(processes.ran("qperf storage1 -cm1 -uu -un -v -t 1 -m 1048576 rc_bi_bw"));
    for (const std::string line :
         {"TEST  WHAT               MESSAGE    MEASURED  CPU HERE  CPU THERE      SENDING  "
          "RECEIVING\n",
          "rc    one-way bandwidth    1 MiB  49.99 Gb/s    99.5 %      120 %  120.0 ms/GB   "
          "2.5 s/GB\n",
          "rc    latency                8 B      1.9 us    99.5 %      120 %            -          "
          "-\n",
          "rc    message rate           8 B    5,000 /s    99.5 %      120 %  120.0 ms/GB   "
          "2.5 s/GB\n"}) {
        EXPECT_NE(out().find(line), std::string::npos) << line << out();
    }
    EXPECT_NE(out().find("mlx5_0/1 leaves 100 Gb/s for data, each way\n"
                         "one-way bandwidth reaches 50 % of it\n"
                         "two-way bandwidth reaches 25 % of both ways\n"),
              std::string::npos)
        << out();
    EXPECT_EQ(err(), "");
    const auto told = json({"bench", "storage1"});
    EXPECT_EQ(told["points"].size(), 13U);
    EXPECT_EQ(told["points"][0]["kind"], "one_way");
    EXPECT_EQ(told["points"][0]["message_bytes"], 4096);
    EXPECT_EQ(told["points"][0]["test"], "rc");
    EXPECT_EQ(told["points"][0]["local_cpu_percent"], 99.5);
    EXPECT_EQ(told["points"][0]["remote_cpu_percent"], 120);
    EXPECT_EQ(told["points"][0]["send_cost_ns_per_gb"], 120000000);
    EXPECT_EQ(told["points"][8]["receive_cost_ns_per_gb"], nullptr);
    EXPECT_FALSE(told["points"][0].contains("sent_bytes_per_s"));
    EXPECT_NEAR(told["one_way_share"].get<double>(), 0.5, 0.001);
    EXPECT_EQ(told["machines"]["rem_cpu"], "2 Cores");
}

TEST_F(Benching, writes_a_page_that_needs_nothing_else) {
    const auto place = root / "report.html";
    EXPECT_EQ(run({"bench", "storage1", "--report", place.string()}), 0) << err();
    const std::string page = read_file(place);
    EXPECT_EQ(page.substr(0, 15), "<!DOCTYPE html>");
    EXPECT_NE(page.find("<polyline"), std::string::npos);
    EXPECT_NE(page.find("&lt;fast> &amp; cool"), std::string::npos);
    EXPECT_NE(page.find("<td>49.99 Gb/s</td><td>99.5 %</td><td>120 %</td><td>120.0 ms/GB</td>"
                        "<td>2.5 s/GB</td>"),
              std::string::npos)
        << page;
    for (const char *other : {"<script", "http:", "https:", "src=", "nan", "inf"}) {
        EXPECT_EQ(page.find(other), std::string::npos) << other;
    }
}

TEST_F(Benching, says_nothing_of_a_rate_that_is_not_known) {
    ASSERT_TRUE(rdma.add("rxe", "rxe0", "eth0"));
    EXPECT_EQ(json({"bench", "storage1"})["device"], nullptr); // two devices are active
    EXPECT_EQ(json({"bench", "storage1", "--device", "mlx5_0"})["device"], "mlx5_0/1");
    PathTry attempt;
    attempt.device = "rxe0";
    attempt.port = 1;
    paths.answers["10.0.0.1:4793"] = attempt;
    const auto soft = json({"bench", "storage1", "--device", "rxe0"});
    EXPECT_EQ(soft["device"], "rxe0/1");
    EXPECT_EQ(soft["usable_bytes_per_s"], nullptr);
    EXPECT_EQ(run({"bench", "storage1", "--device", "rxe7"}), 69);
}

TEST_F(Benching, measures_the_device_that_is_named) {
    second_device("InfiniBand");
    EXPECT_EQ(json({"bench", "storage1", "--device", "mlx5_1/2"})["device"], "mlx5_1/2");
    EXPECT_EQ(processes.count("qperf storage1 -li mlx5_1:2 -uu"), 13U);
    EXPECT_EQ(run({"bench", "storage1", "--device", "mlx5_1", "--remote-device", "mlx4_0/2"}), 0)
        << err();
    EXPECT_EQ(processes.count("qperf storage1 -li mlx5_1:2 -ri mlx4_0:2 -uu"), 13U);
    // qperf would take the first device.
    EXPECT_EQ(run({"bench", "storage1", "--tests", "ud"}), 64);
    EXPECT_NE(err().find("choose one: --device mlx5_0/1"), std::string::npos) << err();
    EXPECT_EQ(run({"bench", "storage1", "--remote-device", "mlx4_0/2"}), 64);
    EXPECT_EQ(run({"bench", "storage1", "--device", "mlx5_1/1"}), 69);
    EXPECT_EQ(run({"bench", "storage1", "--remote-device", "mlx4 0"}), 64);
}

// Over Ethernet the route chooses the device. A measurement of another one is refused.
TEST_F(Benching, measures_no_other_device_than_the_named_one) {
    second_device("Ethernet");
    PathTry attempt;
    attempt.device = "mlx5_1";
    attempt.port = 2;
    paths.answers["10.0.0.1:4793"] = attempt;
    EXPECT_EQ(run({"bench", "storage1", "--device", "mlx5_1"}), 0) << err();
    EXPECT_EQ(processes.count("qperf storage1 -cm1"), 13U);
    paths.answers["10.0.0.1:4793"].device = "mlx5_2";
    EXPECT_EQ(run({"bench", "storage1", "--device", "mlx5_1"}), 69);
    EXPECT_NE(err().find("the route to storage1 goes by mlx5_2/2, not by mlx5_1/2"),
              std::string::npos)
        << err();
    EXPECT_EQ(run({"bench", "storage1", "--device", "mlx5_1", "--tests", "uc"}), 69);
    EXPECT_NE(err().find("qperf needs LIDs for uc and ud"), std::string::npos) << err();
    EXPECT_EQ(processes.count("qperf storage1 -"), 13U);
}

TEST_F(Benching, measures_the_transports_that_are_named) {
    const auto told = json({"bench", "storage1", "--tests", "uc,ud", "--tests", "tcp,udp,tcp"});
    EXPECT_EQ(status, 0);
    for (const std::string test : {"uc_bw", "uc_lat", "ud_bw", "ud_lat"}) {
        EXPECT_TRUE(std::any_of(processes.log.begin(), processes.log.end(),
                                [&](const std::string &line) {
                                    return line.find("-li mlx5_0:1 ") != std::string::npos &&
                                           line.find(" " + test) != std::string::npos;
                                }))
            << test;
    }
    EXPECT_TRUE(processes.ran("qperf storage1 -uu -un -v -t 2 -m 1048576 tcp_bw"));
    EXPECT_TRUE(processes.ran("qperf storage1 -uu -un -v -t 2 -m 1024 udp_lat"));
    EXPECT_EQ(told["points"].size(), 6U + 5U + 7U + 6U);
    EXPECT_EQ(told["points"][0]["test"], "uc");
    EXPECT_EQ(told["points"][0]["bytes_per_s"], 6000000000);
    EXPECT_EQ(told["points"][0]["sent_bytes_per_s"], 8000000000);
    EXPECT_FALSE(told["points"][11].contains("sent_bytes_per_s")); // TCP loses nothing
    EXPECT_EQ(run({"bench", "storage1", "--tests", "ud"}), 0) << err();
    EXPECT_NE(out().find("25.0 % of 64 Gb/s were lost\n"), std::string::npos) << out();
}

// Neither needs an RDMA device.
TEST_F(Benching, measures_tcp_without_a_device) {
    rdma.put("mlx5_0", "ports/1/state", "1: DOWN");
    const auto place = root / "report.html";
    const auto told = json({"bench", "storage1", "--tests", "tcp", "--report", place.string()});
    EXPECT_EQ(status, 0);
    EXPECT_EQ(told["device"], nullptr);
    EXPECT_EQ(told["one_way_share"], nullptr);
    EXPECT_NE(read_file(place).find("<h1>TCP and UDP to storage1</h1>"), std::string::npos);
    EXPECT_EQ(run({"bench", "storage1"}), 69);
    EXPECT_EQ(run({"bench", "storage1", "--tests", "tcp", "--device", "mlx5_0"}), 64);
    EXPECT_EQ(run({"bench", "storage1", "--tests", "tcp,sdp"}), 64);
    EXPECT_NE(err().find("there is no test 'sdp'"), std::string::npos) << err();
    EXPECT_EQ(run({"bench", "storage1", "--tests", ""}), 64);
}

TEST_F(Benching, serves) {
    EXPECT_EQ(run({"bench", "--serve"}), 0) << err();
    EXPECT_TRUE(processes.ran("become qperf"));
    EXPECT_EQ(run({"bench"}), 64);
    EXPECT_EQ(run({"bench", "storage1", "--serve"}), 64);
}

TEST_F(Benching, measures_again_what_came_to_nothing) {
    int calls = 0;
    const auto good = processes.acts["qperf storage1 -"];
    processes.acts["qperf storage1 -"] = [&calls, good] {
        calls++;
        return calls % 3 != 0 ? says("rc_bw:") : good();
    };
    EXPECT_EQ(run({"bench", "storage1"}), 0) << err();
    EXPECT_EQ(calls, 3 * 13);
}

TEST_F(Benching, says_why_it_cannot) {
    processes.acts["qperf storage1 -"] = [] {
        ProcessEnd end;
        end.out = "rc_bw:";
        end.err = "unexpected event from RDMA CM: Rejected\n    expecting: Event established\n";
        return end; // although the exit status is 0
    };
    EXPECT_EQ(run({"bench", "storage1"}), 1);
    EXPECT_NE(err().find("failed: unexpected event from RDMA CM: Rejected; expecting: Event "
                         "established\n  run this there"),
              std::string::npos)
        << err();
    processes.acts["qperf storage1 conf"] = [] {
        ProcessEnd end;
        end.status = 137;
        end.timed_out = true;
        return end;
    };
    EXPECT_EQ(run({"bench", "storage1"}), 75);
    processes.missing = {"qperf"};
    EXPECT_EQ(run({"bench", "storage1"}), 69);
    EXPECT_NE(err().find("apt install qperf"), std::string::npos);
}

} // namespace
} // namespace causeway
