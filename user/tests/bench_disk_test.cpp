// SPDX-License-Identifier: GPL-2.0-or-later
#include "fixture.h"
#include "measure/fio.h"

namespace causeway {
namespace {

// The members that count, recorded with fio 3.33: random reads of 4 KiB at depth 1 for a second.
constexpr const char *recorded = R"({
  "fio version" : "fio-3.33",
  "time" : "Mon Nov 30 07:00:10 2026",
  "jobs" : [
    {
      "jobname" : "latency",
      "groupid" : 0,
      "error" : 0,
      "elapsed" : 2,
      "job options" : { "rw" : "randread", "bs" : "4096", "iodepth" : "1" },
      "read" : {
        "io_bytes" : 158400512,
        "bw_bytes" : 158242269,
        "bw" : 154533,
        "iops" : 38633.366633,
        "runtime" : 1001,
        "total_ios" : 38672,
        "clat_ns" : {
          "min" : 591,
          "max" : 3886602,
          "mean" : 19573.829308,
          "N" : 38672,
          "percentile" : {
            "1.000000" : 14144,
            "50.000000" : 17280,
            "99.000000" : 46848,
            "99.900000" : 230400
          }
        }
      },
      "write" : { "io_bytes" : 0, "bw_bytes" : 0, "iops" : 0.000000, "total_ios" : 0 },
      "trim" : { "io_bytes" : 0, "bw_bytes" : 0, "iops" : 0.000000, "total_ios" : 0 }
    }
  ]
})";

std::string replaced(std::string text, const std::string &what, const std::string &by) {
    const std::size_t at = text.find(what);
    return at == std::string::npos ? "" : text.replace(at, what.size(), by);
}

TEST(Fio, is_read) {
    const auto point = fio_point(recorded);
    ASSERT_TRUE(point) << point.error().what;
    EXPECT_DOUBLE_EQ(point->bandwidth, 158242269);
    EXPECT_DOUBLE_EQ(point->rate, 38633.366633);
    EXPECT_DOUBLE_EQ(point->mean, 19573.829308);
    EXPECT_DOUBLE_EQ(point->median, 17280);
    EXPECT_DOUBLE_EQ(point->slow, 46848);
    // fio may write lines for people before the JSON.
    EXPECT_TRUE(fio_point(std::string("fio: this platform does not support x\n") + recorded));
}

TEST(Fio, reports_errors_of_the_device) {
    const auto failed = fio_point(replaced(recorded, "\"error\" : 0", "\"error\" : 5"));
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().what, "Input/output error");
    EXPECT_EQ(failed.error().system_error, EIO);
}

TEST(Fio, refuses_what_it_does_not_understand) {
    using Change = std::pair<std::string, std::string>;
    for (const auto &[what, by] : {
             Change{"\"jobs\"", "\"tasks\""},
             Change{"\"bw_bytes\" : 158242269", "\"bw_bytes\" : \"158242269\""},
             Change{"\"bw_bytes\" : 158242269", "\"bw_bytes\" : -1"},
             Change{"\"iops\" : 38633.366633", "\"iops\" : null"},
             Change{"\"50.000000\"", "\"51.000000\""},
             Change{"\"percentile\" : {", "\"percentile\" : [], \"other\" : {"},
             Change{"\"total_ios\" : 38672", "\"total_ios\" : 0"},
             Change{"\"error\" : 0", "\"error\" : \"none\""},
             Change{"\"write\" : { \"io_bytes\" : 0", "\"write\" : { \"io_bytes\" : 4096"},
             Change{"\"trim\" : { \"io_bytes\" : 0", "\"trim\" : { \"io_bytes\" : 4096"},
         }) {
        const std::string output = replaced(recorded, what, by);
        ASSERT_NE(output, "") << what;
        EXPECT_FALSE(fio_point(output)) << what;
    }
    for (const char *output : {"", "{", "{}", "[]", "{\"jobs\":[]}", "{\"jobs\":[1]}",
                               "{\"jobs\":{}}", "fio: no such engine"}) {
        EXPECT_FALSE(fio_point(output)) << output;
    }
}

// Neither the medium nor the page cache changes.
TEST(Fio, only_reads) {
    for (const DiskMeasurement &one : disk_measurements()) {
        const auto words = fio_words("/dev/disk/by-path/pci-0000:00:1f", one, 3);
        const auto has = [&](const std::string &word) {
            return std::find(words.begin(), words.end(), word) != words.end();
        };
        EXPECT_TRUE(has("--readonly"));
        EXPECT_TRUE(has("--rw=read") || has("--rw=randread"));
        EXPECT_TRUE(has("--direct=1"));
        EXPECT_TRUE(has("--invalidate=0"));
        EXPECT_TRUE(has("--allow_file_create=0"));
        EXPECT_TRUE(has("--runtime=3"));
        EXPECT_TRUE(has("--filename=/dev/disk/by-path/pci-0000\\:00\\:1f"));
    }
}

class BenchingDisks : public CommandTest {
  protected:
    void SetUp() override {
        processes.acts["fio "] = [] {
            ProcessEnd end;
            end.out = recorded;
            return end;
        };
        disk_use.devices["/dev/causeway0"] = {true, 252, 0, 0};
        disk_use.devices["/dev/sdb"] = {true, 8, 16, 0};
    }

    void attach(const std::string &rate) {
        ASSERT_EQ(run({"attach", "storage1/scratch"}), 0) << err();
        rdma.put("mlx5_0", "node_type", "1: CA");
        rdma.put("mlx5_0", "ports/1/state", "4: ACTIVE");
        rdma.put("mlx5_0", "ports/1/rate", rate);
        rdma.put("mlx5_0", "ports/1/link_layer", "Ethernet");
        SessionInfo session;
        session.role = CW_ROLE_CLIENT;
        session.server = "storage1";
        session.name = "scratch";
        DiskPath path;
        path.device = "mlx5_0";
        path.device_port = 1;
        path.carries_io = true;
        session.paths = {path};
        kernel.running_sessions = {session};
    }
};

TEST_F(BenchingDisks, measures_an_attached_disk_beside_its_link) {
    attach("1.5 Gb/sec (1X SDR)");
    EXPECT_EQ(run({"bench", "--disk", "storage1/scratch", "--time", "4"}), 0) << err();
    EXPECT_EQ(processes.count("fio "), 3U);
    EXPECT_TRUE(processes.ran("fio --readonly --output-format=json --name=sequential "
                              "--filename=/dev/causeway0 "));
    EXPECT_NE(
        out().find(
            "WHAT                       BLOCK   BANDWIDTH       RATE     MEAN   MEDIAN      P99\n"
            "sequential reads           1 MiB  1.266 Gb/s  38,633 /s  19.6 us  17.3 us  46.8 us\n"),
        std::string::npos)
        << out();
    EXPECT_NE(out().find("mlx5_0/1 leaves 1.5 Gb/s for data; sequential reads reach 84 % of it, so "
                         "the link limits them\n"
                         "the disk by itself, on storage1: causeway bench --disk scratch\n"),
              std::string::npos)
        << out();
    rdma.put("mlx5_0", "ports/1/rate", "100 Gb/sec (4X EDR)");
    const auto told = json({"bench", "--disk", "storage1/scratch"});
    EXPECT_EQ(told["device"], "/dev/causeway0");
    EXPECT_EQ(told["server"], "storage1");
    EXPECT_EQ(told["name"], "scratch");
    EXPECT_EQ(told["link"], "mlx5_0/1");
    EXPECT_EQ(told["usable_bytes_per_s"], 12500000000);
    EXPECT_NEAR(told["sequential_share"].get<double>(), 0.0127, 0.0001);
    ASSERT_EQ(told["points"].size(), 3U);
    EXPECT_EQ(told["points"][1], (nlohmann::json{{"kind", "latency"},
                                                 {"block_bytes", 4096},
                                                 {"depth", 1},
                                                 {"bytes_per_s", 158242269.0},
                                                 {"reads_per_s", 38633.366633},
                                                 {"mean_ns", 19573.829308},
                                                 {"median_ns", 17280.0},
                                                 {"p99_ns", 46848.0}}));
    EXPECT_EQ(run({"bench", "--disk", "storage1/scratch"}), 0);
    EXPECT_NE(out().find("reach 1 % of it, so the link does not limit them\n"), std::string::npos)
        << out();
}

TEST_F(BenchingDisks, says_so_if_the_rate_of_the_link_is_not_known) {
    attach("100 Gb/sec (4X EDR)");
    kernel.running_sessions[0].paths[0].device = ""; // by TCP
    EXPECT_EQ(run({"bench", "--disk", "storage1/scratch"}), 0) << err();
    EXPECT_NE(out().find("the rate of the link is not known; measure it: causeway bench --serve on "
                         "storage1, and here: causeway bench storage1\n"),
              std::string::npos)
        << out();
    EXPECT_EQ(json({"bench", "--disk", "storage1/scratch"})["usable_bytes_per_s"], nullptr);
    // The same disk by its node.
    EXPECT_EQ(json({"bench", "--disk", "/dev/causeway0"})["name"], "scratch");
}

TEST_F(BenchingDisks, measures_the_device_behind_an_export) {
    ASSERT_EQ(run({"export", "add", "vm1", "--ram", "1M", "--allow", "any"}), 0) << err();
    EXPECT_EQ(run({"bench", "--disk", "vm1"}), 64);
    EXPECT_NE(err().find("the export vm1 is memory, it has no disk"), std::string::npos) << err();
    kernel.running_exports[0].settings.backend = Backend::device;
    kernel.running_exports[0].settings.path = "/dev/sdb";
    EXPECT_EQ(run({"bench", "--disk", "vm1"}), 0) << err();
    EXPECT_NE(out().find("on the client: causeway bench --disk SERVER/vm1\n"), std::string::npos)
        << out();
    EXPECT_TRUE(processes.ran("fio --readonly --output-format=json --name=rate "
                              "--filename=/dev/sdb "));
    EXPECT_EQ(json({"bench", "--disk", "/dev/sdb"})["export"], "vm1");
    kernel.running_exports[0].settings.path = (root / "disk.img").string();
    write_file(root / "disk.img", "x");
    const std::size_t runs = processes.count("fio ");
    EXPECT_EQ(run({"bench", "--disk", "vm1"}), 64);
    EXPECT_NE(err().find("disk.img is a file, not a block device\n  measure the disk that has the "
                         "file: findmnt"),
              std::string::npos)
        << err();
    EXPECT_EQ(processes.count("fio "), runs);
}

TEST_F(BenchingDisks, refuses_what_is_no_block_device) {
    write_file(root / "file", "x");
    EXPECT_EQ(run({"bench", "--disk", (root / "file").string()}), 64);
    EXPECT_NE(err().find("is a file, not a block device\n  give an attached disk SERVER/NAME"),
              std::string::npos)
        << err();
    EXPECT_EQ(run({"bench", "--disk", (root / "absent").string()}), 64);
    EXPECT_NE(err().find("there is no block device "), std::string::npos) << err();
    EXPECT_EQ(run({"bench", "--disk", "vm7"}), 64);
    EXPECT_NE(err().find("this machine has no export 'vm7'"), std::string::npos) << err();
    EXPECT_NE(run({"bench", "--disk", "storage1/other"}), 0);
    EXPECT_NE(err().find("storage1/other is not attached"), std::string::npos) << err();
    for (const std::string wrong : {"", "a b", "../x", "-x"}) {
        EXPECT_EQ(run({"bench", "--disk", wrong}), 64) << wrong;
    }
    EXPECT_EQ(processes.count("fio "), 0U);
}

TEST_F(BenchingDisks, refuses_options_of_a_link) {
    EXPECT_EQ(run({"bench", "storage1", "--disk", "/dev/sdb"}), 64);
    EXPECT_EQ(run({"bench", "--serve", "--disk", "/dev/sdb"}), 64);
    EXPECT_EQ(run({"bench", "--disk", "/dev/sdb", "--tests", "rc"}), 64);
    EXPECT_EQ(run({"bench", "--disk", "/dev/sdb", "--device", "mlx5_0"}), 64);
    EXPECT_EQ(run({"bench", "--disk", "/dev/sdb", "--time", "0"}), 64);
    EXPECT_EQ(processes.count("fio "), 0U);
}

// A read would wait until the server is back.
TEST_F(BenchingDisks, refuses_a_disk_without_a_connection) {
    attach("100 Gb/sec (4X EDR)");
    kernel.running_attachments[0].state = CW_STATE_HELD;
    for (const std::string disk : {"storage1/scratch", "/dev/causeway0"}) {
        EXPECT_EQ(run({"bench", "--disk", disk}), 75) << disk;
        EXPECT_NE(err().find("storage1/scratch has no connection (held), so its reads would wait"),
                  std::string::npos)
            << err();
    }
    EXPECT_EQ(processes.count("fio "), 0U);
}

TEST_F(BenchingDisks, shows_what_would_run) {
    EXPECT_EQ(run({"bench", "--disk", "/dev/sdb", "--dry-run"}), 0) << err();
    EXPECT_EQ(out().substr(0, 50), "run fio --readonly --output-format=json --name=seq");
    EXPECT_EQ(processes.count("fio "), 0U);
    const auto told = json({"bench", "--disk", "/dev/sdb", "--dry-run"});
    EXPECT_EQ(told["commands"].size(), 3U);
    EXPECT_EQ(told["commands"][0][0], "fio");
}

TEST_F(BenchingDisks, writes_a_page) {
    const auto place = root / "disk.html";
    EXPECT_EQ(run({"bench", "--disk", "/dev/sdb", "--report", place.string()}), 0) << err();
    const std::string page = read_file(place);
    EXPECT_EQ(page.substr(0, 15), "<!DOCTYPE html>");
    EXPECT_NE(page.find("<h1>Disk /dev/sdb</h1>"), std::string::npos) << page;
    EXPECT_NE(page.find("<td>random reads, 32 at once</td><td>4 KiB</td>"), std::string::npos);
    for (const char *other : {"<script", "http:", "https:", "src=", "nan"}) {
        EXPECT_EQ(page.find(other), std::string::npos) << other;
    }
}

TEST_F(BenchingDisks, says_why_it_cannot) {
    processes.acts["fio "] = [] {
        ProcessEnd end;
        end.status = 1;
        end.out = replaced(recorded, "\"error\" : 0", "\"error\" : 13");
        end.err = "fio: pid=0, err=13/file:filesetup.c:684, func=open(/dev/sdb)";
        return end;
    };
    EXPECT_EQ(run({"bench", "--disk", "/dev/sdb"}), 77);
    EXPECT_NE(err().find("measuring /dev/sdb failed: Permission denied\n  run the command as root"),
              std::string::npos)
        << err();
    processes.acts["fio "] = [] {
        ProcessEnd end;
        end.status = 1;
        end.err = "fio: engine libaio not loadable\nfio: failed to load engine";
        return end;
    };
    EXPECT_EQ(run({"bench", "--disk", "/dev/sdb"}), 1);
    EXPECT_NE(err().find("is not understood: it is no JSON with one job; it says: fio: "
                         "failed to load engine"),
              std::string::npos)
        << err();
    processes.acts["fio "] = [] {
        ProcessEnd end;
        end.status = 137;
        end.timed_out = true;
        return end;
    };
    EXPECT_EQ(run({"bench", "--disk", "/dev/sdb"}), 75);
    EXPECT_NE(err().find("no answer within 22 s"), std::string::npos) << err();
    processes.missing = {"fio"};
    EXPECT_EQ(run({"bench", "--disk", "/dev/sdb"}), 69);
    EXPECT_NE(err().find("apt install fio, or: dnf install fio"), std::string::npos) << err();
}

} // namespace
} // namespace causeway
