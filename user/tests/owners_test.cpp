// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the owners of a disk while it is exported: list, evict, readmit.
#include "fixture.h"
#include "kernel/codec.h"
#include "show/words.h"

#include <cerrno>
#include <ctime>

namespace causeway {
namespace {

class Owners : public CommandTest {
  protected:
    Owners() {
        ExportInfo info;
        info.settings.name = "scratch";
        info.settings.backend = Backend::device;
        info.settings.path = "/dev/vg0/scratch";
        info.settings.exclusive = true;
        info.settings.takeover_after = 60;
        info.settings.ledger = ledger;
        info.settings.state_folder = "/var/lib/causeway/owners";
        info.block_size = 512;
        info.hosts = 3;
        info.hosts_max = 1024;
        kernel.running_exports.push_back(info);
        OwnerInfo owner;
        owner.name = "scratch";
        owner.host = one;
        owner.host_name = "node7";
        owner.address = address_of("10.0.0.7", 0);
        owner.owner = true;
        owner.state = CW_STATE_LIVE;
        owner.serial = 4;
        owner.epoch = 9;
        owner.seen = 1700000000;
        kernel.known_owners.push_back(owner);
        OwnerInfo other;
        other.name = "scratch";
        other.host = two;
        other.evicted = true;
        kernel.known_owners.push_back(other);
        OwnerInfo elsewhere = owner;
        elsewhere.name = "elsewhere";
        elsewhere.host_name = "node9";
        kernel.known_owners.push_back(elsewhere);
    }

    int evict(const std::string &host, std::vector<std::string> more = {}) {
        std::vector<std::string> words = {"export", "evict", "scratch", "--host", host};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    }

    const Uuid ledger = Uuid::random();
    const Uuid one = *Uuid::parse("11111111-2222-4333-8444-555555555555");
    const Uuid two = *Uuid::parse("22222222-2222-4333-8444-555555555555");
};

TEST_F(Owners, are_evicted_by_uuid_address_and_name) {
    const std::string done = "host " + one.text() +
                             " (node7) is evicted from scratch: none of its writes can reach the "
                             "disk any more\n";
    EXPECT_EQ(evict(one.text()), 0) << err();
    EXPECT_EQ(out().find(done + "causeway undo "), 0U) << out();
    EXPECT_TRUE(logged("evict " + one.text() + " from scratch"));
    EXPECT_EQ(evict("node7"), 0) << err();
    EXPECT_EQ(out().find(done + "causeway undo "), 0U) << out();
    kernel.log.clear();
    EXPECT_EQ(evict("10.0.0.7"), 0) << err();
    EXPECT_EQ(out().find(done + "causeway undo "), 0U) << out();
    EXPECT_TRUE(logged("evict " + one.text() + " from scratch"));
    EXPECT_EQ(evict(two.text()), 0) << err();
    EXPECT_EQ(out(), "host " + two.text() +
                         " is evicted from scratch: none of its writes can reach the disk any "
                         "more\n");
    EXPECT_EQ(err(), "");
    const Uuid nobody = Uuid::random();
    EXPECT_EQ(evict(nobody.text()), 0);
    EXPECT_EQ(err(), "causeway: 'scratch' had not seen the host " + nobody.text() +
                         " before: see that it is the one that is meant; known: " + one.text() +
                         " (node7), " + two.text() + "\n");
    const auto told = json({"export", "evict", "scratch", "--host", "node7"});
    EXPECT_EQ(told["host"], one.text());
    EXPECT_EQ(told["name"], "scratch");
}

TEST_F(Owners, are_waited_for_until_no_command_is_left) {
    kernel.commands_left = 2;
    EXPECT_EQ(evict("node7"), 0) << err();
    EXPECT_EQ(
        std::count(kernel.log.begin(), kernel.log.end(), "evict " + one.text() + " from scratch"),
        3);
    EXPECT_EQ(err(), "");
}

TEST_F(Owners, that_still_have_commands_are_not_called_fenced) {
    kernel.commands_left = 100;
    EXPECT_EQ(evict("node7", {"--timeout", "0"}), 75);
    EXPECT_EQ(err(), "causeway: node7 is NOT fenced yet: it may not log in to 'scratch' any more, "
                     "but after 0 s commands of it are still at the disk\n  give the same command "
                     "again, until it succeeds: causeway export evict scratch --host " +
                         one.text() + "\n");
    EXPECT_EQ(out(), "");
    kernel.refuse["evict"] = Error{ExitCode::failed, "the ledger cannot be written", "", EIO};
    EXPECT_EQ(evict("node7"), 1);
    EXPECT_EQ(err(), "causeway: node7 is NOT fenced: cannot evict it from 'scratch': the ledger "
                     "cannot be written\n");
}

TEST_F(Owners, that_are_not_known_or_ambiguous_are_named) {
    const std::string known = "known: " + one.text() + " (node7), " + two.text();
    EXPECT_EQ(evict("node8"), 69);
    EXPECT_EQ(err(), "causeway: no host that is connected to the export 'scratch' has the name "
                     "'node8'\n  give its UUID; " +
                         known + "\n");
    EXPECT_EQ(evict("10.0.0.8"), 69);
    EXPECT_EQ(err(), "causeway: no host that is connected to the export 'scratch' has the address "
                     "'10.0.0.8'\n  give its UUID; " +
                         known + "\n");
    // This host is an owner of another export only.
    EXPECT_EQ(evict("node9"), 69);
    kernel.known_owners[1].host_name = "node7";
    kernel.known_owners[1].state = CW_STATE_LIVE;
    EXPECT_EQ(evict("node7"), 64);
    EXPECT_EQ(err(), "causeway: 2 hosts of the export 'scratch' have the name 'node7'\n  give the "
                     "UUID of one; " +
                         known + " (node7)\n");
    EXPECT_EQ(run({"export", "evict", "nothing", "--host", "node7"}), 69);
    EXPECT_EQ(err(), "causeway: there is no export 'nothing'\n  see: causeway export list\n");
    EXPECT_EQ(run({"export", "evict", "scratch"}), 64);
    EXPECT_EQ(err(), "causeway: no host is given\n  give --host UUID, --host ADDRESS or --host "
                     "NAME; causeway export list shows the hosts\n");
    EXPECT_EQ(evict(Uuid().text()), 64);
    EXPECT_EQ(evict("node7", {"--timeout", "x"}), 64);
    kernel.known_owners.clear();
    EXPECT_EQ(evict("node7"), 69);
    EXPECT_NE(err().find("no host is known"), std::string::npos) << err();
    EXPECT_TRUE(kernel.log.empty());
}

TEST_F(Owners, that_are_away_are_not_taken_for_a_host_that_is_connected) {
    OwnerInfo away = kernel.known_owners[0];
    away.host = *Uuid::parse("33333333-2222-4333-8444-555555555555");
    away.host_name = "";
    away.address = SocketAddress();
    away.state = 0;
    kernel.known_owners.push_back(away);
    for (const char *typed : {"node7", "10.0.0.7"}) {
        EXPECT_EQ(evict(typed), 64);
        EXPECT_NE(err().find("is away, and its name and address are not known: '" +
                             std::string(typed) + "' may mean that host\n  give the UUID"),
                  std::string::npos)
            << err();
    }
    EXPECT_TRUE(kernel.log.empty());
    EXPECT_EQ(evict(away.host.text()), 0) << err();
}

TEST_F(Owners, are_readmitted) {
    EXPECT_EQ(run({"export", "readmit", "scratch", "--host", two.text()}), 0) << err();
    EXPECT_EQ(out(), "host " + two.text() +
                         " may attach scratch again; a disk of scratch that it still has "
                         "attached from before must be detached and attached there\n"
                         "causeway undo 1 takes this back\n");
    EXPECT_TRUE(logged("readmit " + two.text() + " to scratch"));
    EXPECT_EQ(run({"export", "readmit", "scratch", "--host", "node7"}), 0) << err();
    EXPECT_EQ(out(), "host " + one.text() +
                         " (node7) was not evicted from scratch; boots of it that others replaced "
                         "may log in again\n");
    const Uuid nobody = Uuid::random();
    EXPECT_EQ(run({"export", "readmit", "scratch", "--host", nobody.text()}), 0) << err();
    EXPECT_EQ(out(), "'scratch' knows no host " + nobody.text() + ", nothing to readmit\n");
    EXPECT_EQ(json({"export", "readmit", "scratch", "--host", nobody.text()})["changed"], false);
    kernel.refuse["readmit"] = Error{ExitCode::unavailable, "there is no such host", "", ENOENT};
    EXPECT_EQ(run({"export", "readmit", "scratch", "--host", two.text()}), 69);
    EXPECT_EQ(err(),
              "causeway: cannot readmit " + two.text() + " to 'scratch': there is no such host\n");
}

TEST_F(Owners, are_left_alone_by_a_dry_run) {
    EXPECT_EQ(evict("node7", {"--dry-run"}), 0);
    EXPECT_EQ(out(), "would evict node7 from 'scratch', and wait until no command of it is left\n");
    EXPECT_EQ(run({"export", "readmit", "scratch", "--host", "node7", "--dry-run"}), 0);
    EXPECT_EQ(out(), "would let node7 log in to 'scratch' again\n");
    EXPECT_TRUE(kernel.log.empty());
}

TEST_F(Owners, are_listed_under_their_export) {
    EXPECT_EQ(run({"export", "list"}), 0) << err();
    EXPECT_NE(out().find("OWNERS"), std::string::npos);
    EXPECT_NE(out().find("exclusive takeover-after=60"), std::string::npos) << out();
    EXPECT_NE(out().find("owner: node7 (" + one.text() + ") from 10.0.0.7, live\n"),
              std::string::npos)
        << out();
    EXPECT_NE(out().find("evicted: " + two.text() + "\n"), std::string::npos) << out();
    EXPECT_EQ(out().find("node9"), std::string::npos) << out();
    kernel.known_owners[0].state = 0;
    kernel.known_owners[0].seen = static_cast<std::uint64_t>(std::time(nullptr)) - 7300;
    kernel.running_exports[0].outdated = true;
    kernel.running_exports[0].reason = "the ledger cannot be written (error 28)";
    EXPECT_EQ(run({"export", "list"}), 0);
    EXPECT_NE(out().find("from 10.0.0.7, away, seen 2 h 1 min ago\n"), std::string::npos) << out();
    EXPECT_NE(out().find("an older copy of the ledger was put back: no host may log in until the "
                         "owners are discarded (export add --forget-owners)\n"),
              std::string::npos)
        << out();
    EXPECT_NE(
        out().find("the ledger cannot be written (error 28): no owner changes until it can\n"),
        std::string::npos)
        << out();

    const auto told = json({"export", "list"})["exports"][0];
    EXPECT_EQ(told["ledger"], ledger.text());
    EXPECT_EQ(told["state_folder"], "/var/lib/causeway/owners");
    EXPECT_EQ(told["takeover_after"], 60);
    EXPECT_EQ(told["outdated"], true);
    EXPECT_EQ(told["hosts"], 3);
    EXPECT_EQ(told["hosts_max"], 1024);
    ASSERT_EQ(told["owners"].size(), 2U);
    const auto &owner = told["owners"][0];
    EXPECT_EQ(owner["host"], one.text());
    EXPECT_EQ(owner["host_name"], "node7");
    EXPECT_EQ(owner["address"], "10.0.0.7");
    EXPECT_EQ(owner["owner"], true);
    EXPECT_EQ(owner["live"], false);
    EXPECT_EQ(owner["serial"], 4);
    EXPECT_EQ(owner["epoch"], 9);
    EXPECT_EQ(told["owners"][1]["evicted"], true);
    EXPECT_EQ(told["owners"][1]["host_name"], nullptr);
    EXPECT_EQ(told["owners"][1]["seen"], nullptr);
}

TEST_F(Owners, of_a_large_cluster_do_not_fill_the_screen) {
    for (int i = 0; i < 40; i++) {
        kernel.known_owners.push_back(kernel.known_owners[0]);
    }
    EXPECT_EQ(run({"export", "list"}), 0);
    EXPECT_NE(out().find("and 26 hosts more: causeway export list --json\n"), std::string::npos)
        << out();
}

TEST_F(Owners, that_the_kernel_refuses_do_not_hide_the_exports) {
    for (const int number : {EPERM, EOPNOTSUPP}) {
        kernel.refuse["owners"] = Error{ExitCode::no_permission, "no", "", number};
        EXPECT_EQ(run({"export", "list"}), 0) << err();
        EXPECT_NE(out().find("scratch"), std::string::npos);
    }
    kernel.refuse["owners"] = Error{ExitCode::failed, "no", "", EIO};
    EXPECT_EQ(run({"export", "list"}), 1);
}

TEST_F(Owners, are_offered_where_a_host_is_to_be_named) {
    EXPECT_EQ(run({"complete", "--", "export", "evict", "scratch", "--host", "node"}), 0) << err();
    EXPECT_NE(out().find("node7"), std::string::npos) << out();
    EXPECT_EQ(run({"complete", "--", "export", "readmit", "scr"}), 0) << err();
    EXPECT_NE(out().find("scratch"), std::string::npos) << out();
}

class Takeover : public CommandTest {
  protected:
    Takeover() { write_file(root / "disk.img", std::string(8192, 'x')); }

    int add(std::vector<std::string> more) {
        std::vector<std::string> words = {"export", "add", "scratch", "--file",
                                          (root / "disk.img").string()};
        words.insert(words.end(), more.begin(), more.end());
        return run(with_clients(words));
    }
};

TEST_F(Takeover, is_kept_and_sent_to_the_kernel) {
    EXPECT_EQ(add({"--exclusive", "--takeover-after", "30"}), 0) << err();
    EXPECT_EQ(kernel.running_exports[0].settings.takeover_after, 30U);
    EXPECT_NE(read_file(export_file("scratch")).find("takeover-after = 30\n"), std::string::npos);
    kernel.reload_target();
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(kernel.running_exports[0].settings.takeover_after, 30U);
    EXPECT_EQ(add({"--exclusive"}), 1);
    EXPECT_NE(err().find("takeover-after is 30 s, not never"), std::string::npos) << err();
}

TEST_F(Takeover, needs_an_exclusive_export_that_may_be_written) {
    EXPECT_EQ(add({"--takeover-after", "30"}), 64);
    EXPECT_EQ(err(), "causeway: --takeover-after goes with an exclusive export only: on a shared "
                     "export no host waits for another one\n  add --exclusive, or leave it out\n");
    EXPECT_EQ(add({"--takeover-after", "30", "--exclusive", "--read-only"}), 64);
    EXPECT_EQ(err(), "causeway: --takeover-after does not go with a read-only export: no host "
                     "owns a disk that is only read\n  leave it out\n");
    EXPECT_EQ(add({"--takeover-after", "soon", "--exclusive"}), 64);
    EXPECT_EQ(run({"export", "add", "m", "--ram", "64M", "--exclusive", "--takeover-after", "5",
                   "--allow", "any"}),
              0)
        << err();
    EXPECT_EQ(kernel.running_exports.size(), 1U);
}

TEST(OwnerCodec, asks_for_a_ledger_as_the_header_says) {
    ExportRequest request;
    request.settings.name = "scratch";
    request.settings.path = "/dev/vg0/scratch";
    request.settings.identity = Uuid::random();
    request.settings.ledger = Uuid::random();
    request.settings.takeover_after = 30;
    request.ledger_folder = "/srv/state";
    const AttributeWriter to = encode(request);
    const Attributes from(to.content());
    EXPECT_EQ(from.bytes(CW_A_LEDGER)->size(), 16U);
    EXPECT_EQ(from.text(CW_A_LEDGER_FOLDER), "/srv/state");
    EXPECT_EQ(from.u32(CW_A_TAKEOVER_AFTER), 30U);
    const auto told = decode<ExportInfo>(from);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->settings.ledger, request.settings.ledger);
    EXPECT_EQ(told->settings.state_folder, "/srv/state");
    EXPECT_EQ(told->settings.takeover_after, 30U);

    const AttributeWriter memory = encode(ExportRequest());
    for (const int type : {CW_A_LEDGER, CW_A_LEDGER_FOLDER, CW_A_TAKEOVER_AFTER}) {
        EXPECT_FALSE(Attributes(memory.content()).has(type)) << type;
    }
}

TEST(OwnerCodec, reads_the_state_of_a_ledger_and_its_hosts) {
    AttributeWriter to;
    to.flag(CW_A_OUTDATED);
    to.u32(CW_A_HOSTS, 5);
    to.u32(CW_A_HOSTS_MAX, 1024);
    to.text(CW_A_REASON, "Input/output error");
    const auto info = decode<ExportInfo>(Attributes(to.content()));
    ASSERT_TRUE(info);
    EXPECT_TRUE(info->outdated);
    EXPECT_EQ(info->hosts, 5U);
    EXPECT_EQ(info->hosts_max, 1024U);
    EXPECT_EQ(info->reason, "Input/output error");

    AttributeWriter host;
    const Uuid uuid = Uuid::random();
    host.text(CW_A_NAME, "scratch");
    host.bytes(CW_A_HOST, uuid.bytes());
    host.text(CW_A_HOST_NAME, "node7");
    host.bytes(CW_A_ADDRESS, address_of("10.0.0.7").bytes());
    host.u64(CW_A_SERIAL, 4);
    host.u64(CW_A_EPOCH, 9);
    host.u64(CW_A_SEEN, 1700000000);
    host.flag(CW_A_OWNER);
    host.u8(CW_A_STATE, CW_STATE_LIVE);
    const auto owner = decode<OwnerInfo>(Attributes(host.content()));
    ASSERT_TRUE(owner);
    EXPECT_EQ(owner->host, uuid);
    EXPECT_EQ(owner->host_name, "node7");
    EXPECT_EQ(owner->serial, 4U);
    EXPECT_EQ(owner->epoch, 9U);
    EXPECT_EQ(owner->seen, 1700000000U);
    EXPECT_TRUE(owner->owner && owner->state == CW_STATE_LIVE && !owner->evicted);
    EXPECT_EQ(*decode_host(Attributes(host.content())), uuid);
    // An eviction without a host is invalid.
    EXPECT_FALSE(decode_host(Attributes(to.content())));
}

TEST(OwnerCodec, names_a_host_by_its_uuid) {
    const Uuid host = Uuid::random();
    const AttributeWriter to = encode("scratch", host);
    const Attributes read(to.content());
    EXPECT_EQ(read.text(CW_A_NAME), "scratch");
    EXPECT_EQ(*decode_host(read), host);
    EXPECT_FALSE(read.has(CW_A_ADDRESS));
}

TEST(OwnerWords, name_the_events) {
    EXPECT_EQ(event_word(CW_EVENT_EVICTED), "evicted");
    EXPECT_EQ(event_word(CW_EVENT_READMITTED), "readmitted");
}

} // namespace
} // namespace causeway
