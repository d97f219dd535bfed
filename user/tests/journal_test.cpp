// SPDX-License-Identifier: GPL-2.0-or-later
// The journal where several commands use it at once, where it is full, and where a command was
// killed. The disks of these tests are names in a set.
#include "change/carry_out.h"
#include "change/kinds.h"
#include "change/take_back.h"
#include "fixture.h"

#include <fmt/format.h>
#include <functional>
#include <set>
#include <thread>

namespace causeway {
namespace {

namespace fs = std::filesystem;

struct Disks {
    std::set<std::string> there;
    std::set<std::string> open;
    std::string stays;               // what_stays() of their changes
    std::function<void()> meanwhile; // while one is attached
    std::function<void()> while_back;
    bool lost = false; // the answer to forward()
    bool refused = false;
    bool stuck = false; // none goes, even by force
};
Disks fake_disks; // of the test that runs

class DiskChange final : public Change {
  public:
    explicit DiskChange(std::string name) : name_(std::move(name)) {}

    std::string subject() const override { return "disk " + name_; }
    std::string show(Direction direction) const override {
        return (direction == Direction::back ? "-" : "+") + name_ + "\n";
    }
    std::string report(Direction direction) const override {
        return (direction == Direction::back ? "detached " : "attached ") + name_;
    }
    Json json() const override { return {{"kind", "test-disk"}, {"name", name_}}; }
    Result<Standing> standing(World & /*world*/) const override {
        return fake_disks.there.count(name_) != 0 ? Standing::after : Standing::before;
    }
    Result<void> forward(World & /*world*/) const override {
        if (fake_disks.meanwhile) {
            std::exchange(fake_disks.meanwhile, nullptr)();
        }
        if (fake_disks.refused) {
            return Error{ExitCode::failed, "refused"};
        }
        fake_disks.there.insert(name_);
        warn("attached in haste");
        return fake_disks.lost ? Result<void>(Error{ExitCode::failed, "the answer was lost"})
                               : Result<void>();
    }
    Result<void> back(World & /*world*/) const override {
        if (fake_disks.open.count(name_) != 0) {
            return Error{ExitCode::try_again, name_ + " is open"};
        }
        if (fake_disks.while_back) {
            fake_disks.while_back();
        }
        fake_disks.there.erase(name_);
        return {};
    }
    Result<void> back_by_force(World & /*world*/) const override {
        if (fake_disks.stuck) {
            return Error{ExitCode::failed, "stuck"};
        }
        fake_disks.there.erase(name_);
        return {};
    }
    Result<void> may_go_back(World & /*world*/) const override {
        return fake_disks.open.count(name_) != 0
                   ? Result<void>(Error{ExitCode::try_again, name_ + " is open"})
                   : Result<void>();
    }
    bool answer_may_be_lost() const override { return true; }
    std::string what_stays() const override { return fake_disks.stays; }

  private:
    std::string name_;
};

// A change without a way back.
class LossChange final : public Change {
  public:
    std::string subject() const override { return "loss"; }
    std::string show(Direction direction) const override {
        return direction == Direction::back ? "" : "would forget the loss\n";
    }
    std::string report(Direction /*direction*/) const override { return "forgot the loss"; }
    Json json() const override { return {{"kind", "test-loss"}}; }
    Result<Standing> standing(World & /*world*/) const override { return Standing::unknown; }
    Result<void> forward(World & /*world*/) const override { return {}; }
    Result<void> back(World & /*world*/) const override { return {}; }
    std::string what_stays() const override { return "the loss stays forgotten: it was reported"; }
};

const ChangeKind kind_disk("test-disk", [](const Json &json) -> ChangePointer {
    return std::make_unique<DiskChange>(json.at("name").get<std::string>());
});
const ChangeKind kind_loss("test-loss", [](const Json & /*json*/) -> ChangePointer {
    return std::make_unique<LossChange>();
});

class JournalOfDisks : public CommandTest {
  protected:
    void SetUp() override { fake_disks = {}; }
    void TearDown() override { fake_disks = {}; }

    Result<Answer> attach(const std::string &name, const fs::path &dropin = {}) {
        World here = world(false);
        ChangeSet set("attach " + name, Scope::disks);
        set.add(std::make_unique<DiskChange>(name));
        if (!dropin.empty()) {
            EXPECT_TRUE(set.describe(dropin, {"of " + name + "\n"}));
        }
        return carry_out(here, {}, set, "it is there");
    }
    fs::path folder() const { return root / "var/lib/causeway/journal"; }
    fs::path entry(unsigned int number) const {
        return folder() / fmt::format("{:06}.json", number);
    }
    std::string state(unsigned int number) const {
        return Json::parse(read_file(entry(number))).at("state").get<std::string>();
    }
    void write_entry(unsigned int number, const std::string &state, const std::string &scope) {
        const Json json = {{"schema", 1},    {"time", "2026-01-01T00:00:00Z"},
                           {"title", "old"}, {"state", state},
                           {"scope", scope}, {"changes", Json::array()}};
        write_file(entry(number), json.dump());
    }
    void wait_for_confirmation_of(unsigned int number) {
        write_file(
            folder() / "unconfirmed",
            Json({{"id", "1"}, {"number", number}, {"title", "ipoib set"}, {"boot", boot.text()}})
                .dump());
    }
};

/* ---- several at once ---- */

TEST_F(JournalOfDisks, two_sets_are_applied_at_once_under_two_numbers) {
    fake_disks.meanwhile = [&] {
        const auto other = attach("b");
        ASSERT_TRUE(other);
        EXPECT_EQ(other->json["journal"], 2);
        const auto lock = Journal(folder()).lock_now();
        EXPECT_TRUE(lock && *lock); // a change of the host could be made too
    };
    const auto answer = attach("a");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->json["journal"], 1);
    EXPECT_EQ(answer->text, "attached a\ncauseway undo 1 takes this back\n");
    EXPECT_EQ(answer->warnings, std::vector<std::string>{"attached in haste"});
    EXPECT_EQ(state(1), "done");
    EXPECT_EQ(state(2), "done");
    EXPECT_TRUE(Journal(folder()).claimed()->empty());
}

TEST_F(JournalOfDisks, an_entry_that_is_being_applied_is_not_undone) {
    fake_disks.meanwhile = [&] {
        EXPECT_EQ(run({"undo", "--last"}), 75);
        EXPECT_EQ(err(), "causeway: another command applies 1 (causeway attach a) now, or takes it "
                         "back; nothing is undone\n  wait for its end, then run this again\n");
        EXPECT_EQ(state(1), "begun");
    };
    ASSERT_TRUE(attach("a"));
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(out(), "detached a\n1 is undone (attach a)\n");
    EXPECT_TRUE(fake_disks.there.empty());
    EXPECT_EQ(state(1), "undone");
    EXPECT_TRUE(Journal(folder()).claimed()->empty());
}

TEST_F(JournalOfDisks, an_entry_of_the_same_disk_is_not_undone_meanwhile) {
    ASSERT_TRUE(attach("a"));
    ASSERT_TRUE(attach("c"));
    fake_disks.there.erase("a");
    fake_disks.meanwhile = [&] {
        EXPECT_EQ(run({"undo", "1"}), 75);
        EXPECT_EQ(run({"undo", "2"}), 0) << err();
    };
    ASSERT_TRUE(attach("a"));
    EXPECT_EQ(fake_disks.there, std::set<std::string>{"a"});
}

TEST_F(JournalOfDisks, an_unconfirmed_change_of_the_host_hinders_no_disk) {
    EXPECT_EQ(run({"limits", "set"}), 0) << err();
    wait_for_confirmation_of(1);
    EXPECT_EQ(run({"limits", "set", "4G"}), 75);
    ASSERT_TRUE(attach("a"));
    EXPECT_EQ(run({"undo", "2"}), 0) << err();
    ASSERT_TRUE(attach("b"));
    EXPECT_TRUE(fs::exists(folder() / "unconfirmed"));
    // The last change that waits is meant, though a disk was attached since.
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(state(1), "undone");
    EXPECT_EQ(state(3), "done");
    EXPECT_FALSE(fs::exists(folder() / "unconfirmed"));
}

TEST_F(JournalOfDisks, the_number_of_a_dropped_entry_is_not_given_while_it_is_claimed) {
    const Journal journal(folder());
    const ChangeSet set("attach a", Scope::disks);
    std::unique_ptr<Claim> one;
    std::unique_ptr<Claim> other;
    ASSERT_EQ(*journal.begin(set, one), 1U);
    ASSERT_TRUE(journal.drop(1)); // the attachment failed
    EXPECT_EQ(*journal.begin(set, other), 2U);
    // A claim ends although another command gives a number now.
    const auto numbers = FileLock::take(folder() / "numbers.lock");
    ASSERT_TRUE(numbers);
    one.reset();
    EXPECT_EQ(*journal.claimed(), std::vector<unsigned int>{2});
}

/* ---- the way back ---- */

TEST_F(JournalOfDisks, what_a_later_entry_made_again_is_taken_back_by_that_one_first) {
    ASSERT_TRUE(attach("a"));
    fake_disks.there.clear();
    ASSERT_TRUE(attach("a"));
    EXPECT_EQ(run({"undo", "1"}), 1);
    EXPECT_EQ(err(), "causeway: disk a was changed again by 2; nothing is undone\n"
                     "  undo what came later first: causeway undo 2\n");
    EXPECT_EQ(fake_disks.there, std::set<std::string>{"a"});
    EXPECT_EQ(run({"undo", "2"}), 0) << err();
    fake_disks.there.insert("a"); // not by an entry
    EXPECT_EQ(run({"undo", "1"}), 0) << err();
    EXPECT_TRUE(fake_disks.there.empty());
}

TEST_F(JournalOfDisks, no_disk_is_taken_back_under_the_lock_of_the_host) {
    EXPECT_EQ(run({"limits", "set"}), 0) << err();
    const Journal journal(folder());
    auto turn = journal.lock_unless(false);
    ASSERT_TRUE(turn && *turn);
    fake_disks.while_back = [&] {
        const auto lock = journal.lock_now();
        EXPECT_TRUE(lock && *lock);
    };
    std::thread other([&] { EXPECT_EQ(run({"undo", "--last"}), 0) << err(); });
    // It waits for the turn, and a disk becomes the last change meanwhile.
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    EXPECT_TRUE(attach("a"));
    turn->reset();
    other.join();
    EXPECT_TRUE(fake_disks.there.empty());
    EXPECT_EQ(state(1), "done");
}

TEST_F(JournalOfDisks, what_is_open_is_taken_back_by_force_alone) {
    ASSERT_TRUE(attach("a"));
    fake_disks.open.insert("a");
    EXPECT_EQ(run({"undo", "1"}), 75);
    EXPECT_EQ(err(), "causeway: a is open; nothing is undone\n"
                     "  end that first, or: causeway undo 1 --force\n");
    EXPECT_EQ(run({"undo", "1", "--force"}), 0) << err();
    EXPECT_TRUE(fake_disks.there.empty());
}

TEST_F(JournalOfDisks, the_file_of_a_disk_comes_and_goes_after_it) {
    const fs::path dropin = root / "etc/a.conf";
    write_file(dropin, "by hand\n");
    fake_disks.meanwhile = [&] { EXPECT_EQ(read_file(dropin), "by hand\n"); };
    ASSERT_TRUE(attach("a", dropin));
    EXPECT_EQ(read_file(dropin), "of a\n");
    fake_disks.open.insert("a");
    World here = world(false);
    const auto entry = Journal(folder()).entry(1);
    ASSERT_TRUE(entry && *entry);
    EXPECT_FALSE(take_back(here, (*entry)->changes, 2, false));
    EXPECT_EQ(read_file(dropin), "of a\n");
    fake_disks.open.clear();
    EXPECT_EQ(run({"undo", "1"}), 0) << err();
    EXPECT_EQ(read_file(dropin), "by hand\n");
}

TEST_F(JournalOfDisks, a_full_disk_is_found_before_anything_is_attached) {
    fake_disks.meanwhile = [] { ADD_FAILURE(); };
    // The name is long enough that there is none for a file beside it.
    EXPECT_FALSE(attach("a", root / ("etc/" + std::string(252, 'a'))));
    EXPECT_TRUE(fake_disks.there.empty());
    EXPECT_FALSE(fs::exists(entry(1)));
    EXPECT_TRUE(Journal(folder()).claimed()->empty());
}

TEST_F(JournalOfDisks, nothing_is_taken_back_where_the_answer_was_lost) {
    fake_disks.lost = true;
    const auto answer = attach("a", root / "etc/a.conf");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().what, "the answer was lost; attached in haste");
    EXPECT_EQ(fake_disks.there, std::set<std::string>{"a"});
    EXPECT_EQ(state(1), "begun");
    EXPECT_EQ(run({"undo", "1"}), 0) << err();
    EXPECT_TRUE(fake_disks.there.empty());
    fake_disks.refused = true;
    EXPECT_FALSE(attach("a"));
    EXPECT_FALSE(fs::exists(entry(2)));
}

TEST_F(JournalOfDisks, undo_says_what_stays) {
    fake_disks.stays = "the content of a is gone";
    ASSERT_TRUE(attach("a"));
    EXPECT_EQ(run({"undo", "1", "--dry-run"}), 0);
    EXPECT_EQ(out(), "-a\n");
    EXPECT_EQ(err(), "causeway: the content of a is gone\n");
    EXPECT_EQ(run({"undo", "1"}), 0);
    EXPECT_EQ(out(), "detached a\n1 is undone (attach a)\n");
    EXPECT_EQ(err(), "causeway: the content of a is gone\n");
}

TEST_F(JournalOfDisks, an_entry_without_a_way_back_fails_once) {
    ASSERT_TRUE(attach("a"));
    World here = world(false);
    ChangeSet set("acknowledge a", Scope::disks);
    set.add(std::make_unique<LossChange>());
    ASSERT_TRUE(carry_out(here, {}, set, ""));
    EXPECT_EQ(run({"undo", "--last", "--dry-run"}), 0);
    EXPECT_EQ(out(), "would change nothing\n");
    EXPECT_EQ(run({"undo", "--last"}), 1);
    EXPECT_EQ(out(), "nothing of 2 (acknowledge a) can be undone\n");
    EXPECT_EQ(err(), "causeway: the loss stays forgotten: it was reported\n");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_TRUE(fake_disks.there.empty());
}

/* ---- room ---- */

TEST_F(JournalOfDisks, a_journal_without_room_hinders_no_disk) {
    fs::create_directories(folder() / "numbers.lock");
    const auto answer = attach("a");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->text, "attached a\n");
    EXPECT_EQ(answer->json["journal"], nullptr);
    ASSERT_EQ(answer->warnings.size(), 2U);
    EXPECT_EQ(answer->warnings[0].find("the journal cannot keep this"), 0U) << answer->warnings[0];
    EXPECT_EQ(run({"limits", "set"}), 1);
}

TEST_F(JournalOfDisks, a_journal_that_is_kept_locked_hinders_no_disk) {
    const auto numbers = FileLock::take(folder() / "numbers.lock");
    ASSERT_TRUE(numbers);
    const auto answer = attach("a");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->json["journal"], nullptr);
    EXPECT_NE(answer->warnings[0].find("numbers.lock locked"), std::string::npos)
        << answer->warnings[0];
}

TEST_F(JournalOfDisks, drops_old_disks_first_and_never_what_is_begun_or_waits) {
    constexpr unsigned int last = 1006;
    for (unsigned int i = 1; i <= last; i++) {
        write_entry(i, "done", "disks");
    }
    write_entry(1, "done", "host");
    write_entry(2, "begun", "disks");
    write_file(entry(3), "{");
    write_entry(5, "undone", "host");
    wait_for_confirmation_of(7);
    ASSERT_TRUE(attach("a"));
    const std::set<unsigned int> dropped = {4, 5, 6, 8, 9, 10, 11};
    for (unsigned int i = 1; i <= last + 1; i++) {
        EXPECT_EQ(fs::exists(entry(i)), dropped.count(i) == 0) << i;
    }
    ASSERT_TRUE(attach("b"));
    EXPECT_TRUE(fs::exists(entry(last + 2)));
    EXPECT_FALSE(fs::exists(entry(12)));
}

TEST_F(JournalOfDisks, drops_changes_of_the_host_when_there_are_no_others) {
    for (unsigned int i = 1; i <= most_entries; i++) {
        write_entry(i, "done", "host");
    }
    EXPECT_EQ(run({"limits", "set"}), 0) << err();
    EXPECT_FALSE(fs::exists(entry(1)));
    EXPECT_TRUE(fs::exists(entry(2)));
    EXPECT_TRUE(fs::exists(entry(most_entries + 1)));
}

TEST_F(JournalOfDisks, an_entry_that_cannot_be_read_hinders_no_other) {
    ASSERT_TRUE(attach("a"));
    write_file(entry(2), "{\"schema\": 9}");
    EXPECT_EQ(run({"undo", "--list"}), 0) << err();
    EXPECT_NE(out().find("attach a"), std::string::npos) << out();
    EXPECT_NE(err().find("000002.json is damaged"), std::string::npos) << err();
    EXPECT_EQ(run({"undo", "2"}), 78);
    EXPECT_EQ(run({"undo", "--last"}), 78); // it may be the last one
    EXPECT_EQ(run({"undo", "1"}), 0) << err();
    EXPECT_TRUE(fake_disks.there.empty());
    ASSERT_TRUE(attach("b"));
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(state(3), "undone");
}

/* ---- commands that were killed ---- */

TEST_F(JournalOfDisks, an_entry_of_a_killed_command_goes_where_it_left_nothing) {
    ASSERT_TRUE(attach("a"));
    ASSERT_TRUE(attach("b"));
    for (const unsigned int number : {1, 2}) {
        Json json = Json::parse(read_file(entry(number)));
        json["state"] = "begun";
        write_file(entry(number), json.dump());
        write_file(folder() / fmt::format("{:06}.busy", number), "");
    }
    fake_disks.there.erase("a"); // the kernel gave up when the command was killed
    World here = world(false);
    const Journal journal(folder());
    EXPECT_FALSE(is_cut_off(here, journal, **journal.entry(1)));
    EXPECT_TRUE(is_cut_off(here, journal, **journal.entry(2)));
    fake_disks.meanwhile = [&] { EXPECT_TRUE(fs::exists(entry(1))); }; // no disk waits for that
    ASSERT_TRUE(attach("c"));
    EXPECT_FALSE(fs::exists(entry(1)));
    EXPECT_EQ(state(2), "begun");
    EXPECT_EQ(*journal.claimed(), std::vector<unsigned int>{2});
    fake_disks.stuck = true;
    EXPECT_EQ(run({"undo", "2", "--force"}), 1);
    EXPECT_EQ(*journal.claimed(), std::vector<unsigned int>{2});
    fake_disks.stuck = false;
    EXPECT_EQ(run({"undo", "2"}), 0) << err();
    EXPECT_EQ(fake_disks.there, std::set<std::string>{"c"});
    EXPECT_TRUE(journal.claimed()->empty());
}

TEST_F(JournalOfDisks, the_last_change_is_not_one_that_was_killed_and_left_nothing) {
    ASSERT_TRUE(attach("a"));
    write_entry(2, "begun", "disks");
    write_file(folder() / "000002.busy", "");
    EXPECT_EQ(run({"undo", "--last"}), 0) << err();
    EXPECT_EQ(out(), "detached a\n1 is undone (attach a)\n");
    EXPECT_FALSE(fs::exists(entry(2)));
}

TEST_F(JournalOfDisks, an_entry_of_a_killed_command_goes_where_it_has_no_way_back) {
    write_entry(1, "begun", "disks");
    Json json = Json::parse(read_file(entry(1)));
    json["changes"].push_back({{"kind", "test-loss"}});
    write_file(entry(1), json.dump());
    write_file(folder() / "000001.busy", "");
    World here = world(false);
    const Journal journal(folder());
    EXPECT_FALSE(is_cut_off(here, journal, **journal.entry(1)));
    forget_interrupted(here, journal);
    EXPECT_FALSE(fs::exists(entry(1)));
}

TEST_F(JournalOfDisks, an_entry_whose_answer_was_lost_goes_with_what_it_left) {
    fake_disks.lost = true;
    EXPECT_FALSE(attach("a"));
    fake_disks.lost = false;
    EXPECT_EQ(*Journal(folder()).claimed(), std::vector<unsigned int>{1});
    ASSERT_TRUE(attach("b"));
    EXPECT_EQ(state(1), "begun");
    fake_disks.there.erase("a");
    ASSERT_TRUE(attach("c"));
    EXPECT_FALSE(fs::exists(entry(1)));
    EXPECT_TRUE(Journal(folder()).claimed()->empty());
}

} // namespace
} // namespace causeway
