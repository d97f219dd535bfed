// SPDX-License-Identifier: GPL-2.0-or-later
// Hosts that are evicted and readmitted: what the journal keeps, and what undo takes back.
#include "change/carry_out.h"
#include "change/take_back.h"
#include "disk/eviction_change.h"
#include "fixture.h"

namespace causeway {
namespace {

namespace fs = std::filesystem;

class HostUndo : public CommandTest {
  protected:
    HostUndo() { write_file(root / "disk.img", std::string(8192, 'x')); }

    int add() {
        return run(
            with_clients({"export", "add", "scratch", "--file", (root / "disk.img").string()}));
    }
    int undo_last() { return run({"undo", "--last"}); }
    std::string last_words() const {
        const std::string text = err();
        return text.substr(0, text.find('\n'));
    }
    fs::path entry(const std::string &number) const {
        return root / ("var/lib/causeway/journal/" + number + ".json");
    }
};

TEST_F(HostUndo, an_evicted_host_is_readmitted) {
    EXPECT_EQ(add(), 0);
    OwnerInfo host;
    host.name = "scratch";
    host.host = Uuid::random();
    kernel.known_owners = {host};
    const std::string uuid = host.host.text();
    EXPECT_EQ(run({"export", "evict", "scratch", "--host", uuid}), 0) << err();
    kernel.known_owners[0].evicted = true;
    // A second time the kernel is asked again, and there is nothing to take back.
    EXPECT_EQ(json({"export", "evict", "scratch", "--host", uuid})["journal"], nullptr);
    EXPECT_EQ(undo_last(), 0) << err();
    EXPECT_TRUE(logged("readmit " + uuid + " to scratch"));
    EXPECT_EQ(run({"export", "readmit", "scratch", "--host", uuid}), 0) << err();
    kernel.known_owners[0].evicted = false;
    kernel.known_owners[0].state = CW_STATE_LIVE;
    EXPECT_EQ(undo_last(), 75);
    EXPECT_EQ(last_words(), "causeway: " + uuid + " has 'scratch' attached; nothing is undone");
    EXPECT_EQ(run({"undo", "3", "--force"}), 0) << err();
    EXPECT_EQ(kernel.log.back(), "evict " + uuid + " from scratch");
}

TEST_F(HostUndo, an_eviction_that_failed_and_stands_is_done) {
    EXPECT_EQ(add(), 0);
    OwnerInfo host;
    host.name = "scratch";
    host.host = Uuid::random();
    kernel.known_owners = {host};
    kernel.commands_left = 1000;
    kernel.when_evicted = [&] { kernel.known_owners[0].evicted = true; };
    const std::vector<std::string> words = {"export",         "evict",     "scratch", "--host",
                                            host.host.text(), "--timeout", "0"};
    EXPECT_EQ(run(words), 75);
    EXPECT_EQ(err().find("causeway undo"), std::string::npos) << err();
    const auto state = [&] {
        return nlohmann::json::parse(read_file(entry("000002"))).at("state").get<std::string>();
    };
    ASSERT_TRUE(fs::exists(entry("000002")));
    EXPECT_EQ(state(), "done");
    // The entry of an eviction that was killed is not reported, and the next command corrects it.
    auto json = nlohmann::json::parse(read_file(entry("000002")));
    json["state"] = "begun";
    write_file(entry("000002"), json.dump());
    write_file(root / "var/lib/causeway/journal/000002.busy", "");
    const Journal journal(Places(root.path()).journal());
    World here = world(false);
    EXPECT_FALSE(is_cut_off(here, journal, **journal.entry(2)));
    forget_interrupted(here, journal);
    EXPECT_EQ(state(), "done");
    // An eviction that was refused leaves nothing.
    kernel.known_owners[0].evicted = false;
    kernel.when_evicted = {};
    kernel.refuse["evict"] = Error{ExitCode::failed, "no such export"};
    EXPECT_EQ(run(words), 1);
    EXPECT_FALSE(fs::exists(entry("000003")));
}

// Two monitors fence the same host: the second one has to know that the host is fenced, too.
TEST_F(HostUndo, a_host_that_was_evicted_meanwhile_is_evicted_all_the_same) {
    OwnerInfo host;
    host.name = "scratch";
    host.host = Uuid::random();
    host.evicted = true;
    kernel.known_owners = {host};
    Eviction eviction;
    eviction.name = host.name;
    eviction.host = host.host;
    World here = world(false);
    ChangeSet set("export evict", Scope::disks);
    set.add(change_eviction(eviction));
    EXPECT_TRUE(carry_out(here, {}, set, ""));
    EXPECT_TRUE(logged("evict " + host.host.text() + " from scratch"));
}

} // namespace
} // namespace causeway
