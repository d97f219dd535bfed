// SPDX-License-Identifier: GPL-2.0-or-later
#include "fixture.h"

#include <cerrno>

namespace causeway {
namespace {

class Ping : public CommandTest {
  protected:
    static PathTry answered(bool listens) {
        PathTry attempt;
        attempt.device = "rxe0";
        attempt.port = 1;
        attempt.local = address_of("10.0.0.2", 0);
        attempt.address = 120000;
        attempt.route = 30000;
        attempt.answer = 850000;
        attempt.nobody_listens = !listens;
        attempt.reason = listens ? "the service there refused, which shows that it is there"
                                 : "no service listens on this port";
        return attempt;
    }

    void infiniband() {
        files.content["/sys/class/infiniband/mlx4_0/ports/1/link_layer"] = "InfiniBand\n";
        files.content["/sys/class/infiniband/mlx4_0/ports/1/state"] = "4: ACTIVE\n";
    }

    void says(const std::string &words, const std::string &text, int code = 0) {
        processes.acts[words] = [=] {
            ProcessEnd end;
            end.status = code;
            (code == 0 ? end.out : end.err) = text;
            return end;
        };
    }
};

TEST_F(Ping, reports_the_way_and_the_times) {
    paths.answers["10.0.0.1:4793"] = answered(true);
    EXPECT_EQ(run({"ping", "--ip", "storage1", "--count", "2"}), 0) << err();
    EXPECT_EQ(out(), "10.0.0.1 from 10.0.0.2 by rxe0/1, address 120.0 us, route 30.0 us\n"
                     "answer from 10.0.0.1:4793 in 850.0 us: the service there refused, which "
                     "shows that it is there\n"
                     "answer from 10.0.0.1:4793 in 850.0 us: the service there refused, which "
                     "shows that it is there\n"
                     "10.0.0.1 can be reached by RDMA\n");
    const auto told = json({"ping", "--ip", "storage1"});
    EXPECT_EQ(told["reachable"], true);
    EXPECT_EQ(told["attempts"].size(), 3U);
    EXPECT_EQ(told["attempts"][0]["listens"], true);
    EXPECT_EQ(told["attempts"][0]["answer_ns"], 850000);
}

TEST_F(Ping, without_a_listener_looks_for_nfs) {
    paths.answers["10.0.0.1:4793"] = answered(false);
    paths.answers["10.0.0.1:20049"] = answered(true);
    EXPECT_EQ(run({"ping", "--ip", "storage1", "--count", "1"}), 0) << err();
    EXPECT_EQ(paths.log, (std::vector<std::string>{"10.0.0.1:4793", "10.0.0.1:20049"}));
    paths.log.clear();
    EXPECT_EQ(run({"ping", "--ip", "storage1", "--count", "1", "--port", "4793"}), 0);
    EXPECT_EQ(paths.log, (std::vector<std::string>{"10.0.0.1:4793"}));
}

TEST_F(Ping, says_at_which_step_it_failed) {
    PathTry attempt;
    attempt.reason = "no RDMA device is on the way to it";
    paths.answers["10.0.0.1:4793"] = attempt;
    EXPECT_EQ(run({"ping", "--ip", "storage1", "--count", "1"}), 75);
    EXPECT_EQ(out(), "finding the way to 10.0.0.1:4793 failed: no RDMA device is on the way to it\n"
                     "10.0.0.1 cannot be reached by RDMA: no RDMA device is on the way to it\n");
    attempt = answered(true);
    attempt.answer.reset();
    attempt.reason = "no answer";
    paths.answers["10.0.0.1:4793"] = attempt;
    EXPECT_EQ(run({"ping", "--ip", "storage1", "--count", "1"}), 75);
    EXPECT_NE(out().find("connecting to 10.0.0.1:4793 failed: no answer\n"), std::string::npos);
}

TEST_F(Ping, where_this_machine_cannot_ask_says_what_is_missing) {
    paths.refuse = Error{ExitCode::unavailable, "cannot ask the RDMA connection manager",
                         "causeway modules enable rdma_ucm", ENODEV};
    EXPECT_EQ(run({"ping", "--ip", "storage1"}), 69);
    EXPECT_NE(err().find("rdma_ucm"), std::string::npos);
    EXPECT_EQ(run({"ping", "--ip", "nowhere"}), 69);
    EXPECT_EQ(paths.log.size(), 1U);
}

TEST_F(Ping, of_infiniband_goes_by_lid_or_guid) {
    infiniband();
    says("smpquery nodedesc 4", "Node Description:........host1 mlx4_0");
    says("ibping -c 3 -L 4", "--- host1 (Lid 4) ibping statistics ---\n"
                             "3 packets transmitted, 3 received, 0% packet loss, time 2000 ms");
    EXPECT_EQ(run({"ping", "--ib", "0x4"}), 0) << err();
    EXPECT_EQ(out().rfind("0x4 answers: host1 mlx4_0\n", 0), 0U) << out();
    EXPECT_NE(out().find("3 received"), std::string::npos);
    says("smpquery -G nodedesc 0x0002c90300101234", "Node Description:........host1 mlx4_0");
    says("ibping -c 1 -G 0x0002c90300101234",
         "1 packets transmitted, 0 received, 100% packet loss, time 1000 ms");
    EXPECT_EQ(run({"ping", "--ib", "0002:c903:0010:1234", "--count", "1"}), 0) << err();
    EXPECT_NE(out().find("there: causeway ping --serve"), std::string::npos) << out();
    says("smpquery nodedesc 5", "smpquery: iberror: failed: operation NodeDesc", 1);
    EXPECT_EQ(run({"ping", "--ib", "5"}), 75);
    EXPECT_NE(err().find("operation NodeDesc"), std::string::npos) << err();
    processes.missing.insert("ibping");
    EXPECT_EQ(run({"ping", "--ib", "4"}), 69);
}

// HOST is taken by its form: a number of 16 bits is a LID, a GUID is a GUID, the rest is a name or
// an IP address.
TEST_F(Ping, takes_a_host_of_every_kind) {
    infiniband();
    paths.answers["10.0.0.1:4793"] = answered(true);
    EXPECT_EQ(run({"ping", "storage1", "--count", "1"}), 0) << err();
    EXPECT_EQ(run({"ping", "10.0.0.1", "--count", "1"}), 0) << err();
    EXPECT_EQ(paths.log, (std::vector<std::string>{"10.0.0.1:4793", "10.0.0.1:4793"}));
    says("smpquery nodedesc 4", "Node Description:........host1 mlx4_0");
    says("smpquery -G nodedesc 0x0002c90300101234", "Node Description:........host1 mlx4_0");
    EXPECT_EQ(run({"ping", "4"}), 0) << err();
    EXPECT_EQ(out().rfind("4 answers: host1 mlx4_0\n", 0), 0U) << out();
    for (const std::string guid :
         {"0x0002c90300101234", "0002:c903:0010:1234", "00:02:c9:03:00:10:12:34"}) {
        EXPECT_EQ(run({"ping", guid}), 0) << guid << err();
    }
    EXPECT_EQ(processes.count("smpquery -G nodedesc 0x0002c90300101234"), 3U);
    // The option says what the form does not.
    resolver.names["4"] = {"10.0.0.1"};
    EXPECT_EQ(run({"ping", "--ip", "4", "--count", "1"}), 0) << err();
    EXPECT_EQ(paths.log.size(), 3U);
}

TEST_F(Ping, asks_from_the_port_that_is_given) {
    infiniband();
    for (const std::string file : {"link_layer", "state"}) {
        const std::string folder = "/sys/class/infiniband/mlx4_1/ports/";
        files.content[folder + "1/" + file] = file == "state" ? "1: DOWN\n" : "InfiniBand\n";
        files.content[folder + "2/" + file] = file == "state" ? "4: ACTIVE\n" : "InfiniBand\n";
    }
    says("smpquery -C mlx4_1 -P 2 nodedesc 4", "Node Description:........host1 mlx4_0");
    says("ibping -C mlx4_1 -P 2 -c 3 -L 4", "3 packets transmitted, 3 received");
    EXPECT_EQ(run({"ping", "4", "--device", "mlx4_1/2"}), 0) << err();
    EXPECT_EQ(out(), "4 answers from mlx4_1/2: host1 mlx4_0\n3 packets transmitted, 3 received\n");
    EXPECT_EQ(json({"ping", "--ib", "4", "--device", "mlx4_1/2"})["device"], "mlx4_1/2");
    says("smpquery -C mlx4_1 nodedesc 5", "smpquery: iberror: failed", 1);
    EXPECT_EQ(run({"ping", "5", "--device", "mlx4_1"}), 75);
    EXPECT_NE(err().find("no answer from 5 from mlx4_1"), std::string::npos) << err();
    EXPECT_NE(err().find("causeway fabric --device mlx4_1"), std::string::npos) << err();
    EXPECT_EQ(run({"ping", "4", "--device", "mlx4_1/3"}), 69);
    EXPECT_EQ(run({"ping", "4", "--device", "mlx4_2"}), 69);
    EXPECT_EQ(run({"ping", "storage1", "--device", "mlx4_1"}), 64);
    EXPECT_NE(err().find("the route to an IP address chooses the device"), std::string::npos);

    EXPECT_EQ(run({"ping", "--serve", "mlx4_1"}), 0) << err();
    EXPECT_EQ(processes.log.back(), "become ibping -C mlx4_1 -P 2 -S");
    EXPECT_EQ(run({"ping", "--serve", "mlx4_1/1"}), 69);
    EXPECT_NE(err().find("mlx4_1/1 has no active port"), std::string::npos) << err();
}

TEST_F(Ping, serves_until_it_is_interrupted) {
    EXPECT_EQ(run({"ping", "--serve"}), 69); // no device
    infiniband();
    files.content["/sys/class/infiniband/mlx4_0/ports/1/lid"] = "0x4\n";
    EXPECT_EQ(run({"ping", "--serve"}), 0) << err();
    EXPECT_EQ(err(), "waiting for ibping at mlx4_0/1, until Ctrl-C; on the other host: causeway "
                     "ping 4\n"
                     "a ping by IP address needs nothing at this end: the kernel answers\n");
    EXPECT_EQ(out(), "");
    EXPECT_EQ(processes.log.back(), "become ibping -C mlx4_0 -P 1 -S");
    EXPECT_EQ(run({"ping", "--serve", "--device", "mlx4_0/1"}), 0) << err();
    EXPECT_EQ(run({"ping", "--serve", "mlx4_0/1", "--device", "mlx4_0/1"}), 64);
    EXPECT_EQ(run({"ping", "--serve", "--count", "2"}), 64);
    EXPECT_EQ(run({"ping", "--serve", "--ip", "storage1"}), 64);
    EXPECT_EQ(processes.count("become"), 2U);
    files.content["/sys/class/infiniband/mlx4_0/ports/1/state"] = "2: INIT\n";
    EXPECT_EQ(run({"ping", "--serve"}), 69);
    processes.missing.insert("ibping");
    files.content["/sys/class/infiniband/mlx4_0/ports/1/state"] = "4: ACTIVE\n";
    EXPECT_EQ(run({"ping", "--serve"}), 69);
    EXPECT_NE(err().find("apt install infiniband-diags"), std::string::npos) << err();
}

TEST_F(Ping, refuses_what_makes_no_sense) {
    EXPECT_EQ(run({"ping"}), 64);
    EXPECT_EQ(run({"ping", "--ip", "a", "--ib", "4"}), 64);
    EXPECT_EQ(run({"ping", "a", "--ip", "b"}), 64);
    EXPECT_EQ(run({"ping", "--ip", "storage1", "--count", "0"}), 64);
    EXPECT_EQ(run({"ping", "--ip", "storage1", "--port", "65536"}), 64);
    EXPECT_EQ(run({"ping", "--ib", "4"}), 69);
    EXPECT_TRUE(rdma.add("rxe", "rxe0", "eth0"));
    EXPECT_EQ(run({"ping", "--ib", "4"}), 69);
    EXPECT_NE(err().find("RoCE and iWARP have no LIDs"), std::string::npos) << err();
    infiniband();
    for (const std::string wrong : {"0", "0xc000", "0xffff", "x", "0002:c903"}) {
        EXPECT_EQ(run({"ping", "--ib", wrong}), 64) << wrong;
    }
    EXPECT_EQ(run({"ping", "--ib", "4", "--port", "1"}), 64);
    EXPECT_TRUE(processes.log.empty());
}

} // namespace
} // namespace causeway
