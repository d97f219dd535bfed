// SPDX-License-Identifier: GPL-2.0-or-later
#include "fixture.h"
#include "measure/qperf.h"

namespace causeway {
namespace {

ProcessEnd says(const std::string &text) {
    ProcessEnd end;
    end.out = text;
    return end;
}

TEST(Qperf, is_read) {
    const std::string output = "rc_bw:\n"
                               "    bw              =  2254503936 bytes/sec\n"
                               "    msg_rate        =       34401 /sec\n";
    EXPECT_DOUBLE_EQ(qperf_point(BenchKind::one_way, 65536, output)->value, 2254503936);
    EXPECT_DOUBLE_EQ(qperf_point(BenchKind::messages, 8, output)->value, 34401);
    EXPECT_FALSE(qperf_point(BenchKind::latency, 8, output));
    EXPECT_FALSE(qperf_point(BenchKind::one_way, 8, "bw = 2.25 GB/sec"));
    EXPECT_FALSE(qperf_point(BenchKind::one_way, 8, "bw = 225"));
    EXPECT_FALSE(qperf_point(BenchKind::one_way, 8, "bw = -1 bytes/sec"));
    EXPECT_FALSE(qperf_point(BenchKind::one_way, 8, ""));
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
        processes.acts["qperf storage1 -cm1"] = [this] {
            const std::string &line = processes.log.back();
            return line.find("rc_lat") != std::string::npos
                       ? says("rc_lat:\n    latency = 1900 ns")
                       : says("rc_bw:\n    bw = 6248750000 bytes/sec\n    msg_rate = 5000 /sec");
        };
    }
};

TEST_F(Benching, reports_the_used_part_of_the_link) {
    EXPECT_EQ(run({"bench", "storage1", "--time", "1"}), 0) << err();
    EXPECT_TRUE(processes.ran("qperf storage1 -cm1 -uu -v -t 1 -m 1048576 rc_bi_bw"));
    EXPECT_NE(out().find("one-way bandwidth    1 MiB  49.99 Gb/s\n"), std::string::npos) << out();
    EXPECT_NE(out().find("latency                8 B      1.9 us\n"), std::string::npos) << out();
    EXPECT_NE(out().find("message rate           8 B    5,000 /s\n"), std::string::npos) << out();
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
    EXPECT_NEAR(told["one_way_share"].get<double>(), 0.5, 0.001);
    EXPECT_EQ(told["machines"]["rem_cpu"], "2 Cores");
}

TEST_F(Benching, shows_where_it_is_to_who_looks) {
    on_terminal = {80, false};
    EXPECT_EQ(run({"bench", "storage1"}), 0);
    EXPECT_NE(err().find("[13/13] message rate, messages of 8 bytes"), std::string::npos) << err();
}

TEST_F(Benching, writes_a_page_that_needs_nothing_else) {
    const auto place = root / "report.html";
    EXPECT_EQ(run({"bench", "storage1", "--report", place.string()}), 0) << err();
    const std::string page = read_file(place);
    EXPECT_EQ(page.substr(0, 15), "<!DOCTYPE html>");
    EXPECT_NE(page.find("<polyline"), std::string::npos);
    EXPECT_NE(page.find("&lt;fast> &amp; cool"), std::string::npos);
    for (const char *other : {"<script", "http:", "https:", "src=", "nan", "inf"}) {
        EXPECT_EQ(page.find(other), std::string::npos) << other;
    }
}

TEST_F(Benching, says_nothing_of_a_rate_that_is_not_known) {
    ASSERT_TRUE(rdma.add("rxe", "rxe0", "eth0"));
    EXPECT_EQ(json({"bench", "storage1"})["device"], nullptr); // two devices are active
    EXPECT_EQ(json({"bench", "storage1", "--device", "mlx5_0"})["device"], "mlx5_0/1");
    const auto soft = json({"bench", "storage1", "--device", "rxe0"});
    EXPECT_EQ(soft["device"], "rxe0/1");
    EXPECT_EQ(soft["usable_bytes_per_s"], nullptr);
    EXPECT_EQ(run({"bench", "storage1", "--device", "rxe7"}), 69);
}

TEST_F(Benching, serves) {
    EXPECT_EQ(run({"bench", "--serve"}), 0) << err();
    EXPECT_TRUE(processes.ran("become qperf"));
    EXPECT_EQ(run({"bench"}), 64);
    EXPECT_EQ(run({"bench", "storage1", "--serve"}), 64);
}

TEST_F(Benching, measures_again_what_came_to_nothing) {
    int calls = 0;
    const auto good = processes.acts["qperf storage1 -cm1"];
    processes.acts["qperf storage1 -cm1"] = [&calls, good] {
        calls++;
        return calls % 3 != 0 ? says("rc_bw:") : good();
    };
    EXPECT_EQ(run({"bench", "storage1"}), 0) << err();
    EXPECT_EQ(calls, 3 * 13);
}

TEST_F(Benching, says_why_it_cannot) {
    processes.acts["qperf storage1 -cm1"] = [] {
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
