// SPDX-License-Identifier: GPL-2.0-or-later
#include "config/instance.h"
#include "fixture.h"

namespace causeway {
namespace {

class InstancePlans : public testing::Test {
  protected:
    const Uuid life = Uuid::random();
    const Uuid other = Uuid::random();
    const Uuid boot = Uuid::random();
    const Uuid earlier_boot = Uuid::random();
};

TEST_F(InstancePlans, first_start_ever_is_a_new_instance) {
    const auto plan = plan_start({std::nullopt, Uuid(), false, boot});
    EXPECT_TRUE(plan.new_instance);
    EXPECT_TRUE(plan.send_to_kernel);
    EXPECT_EQ(plan.write, (InstanceRecord{Uuid(), boot, false}));
}

TEST_F(InstancePlans, start_after_a_crash_is_a_new_instance) {
    const auto plan = plan_start({InstanceRecord{life, earlier_boot, false}, Uuid(), false, boot});
    EXPECT_TRUE(plan.new_instance);
    EXPECT_TRUE(plan.send_to_kernel);
}

TEST_F(InstancePlans, module_loaded_anew_without_a_stop_is_a_new_instance) {
    EXPECT_TRUE(plan_start({InstanceRecord{life, boot, false}, Uuid(), false, boot}).new_instance);
    EXPECT_TRUE(plan_start({InstanceRecord{life, boot, false}, other, false, boot}).new_instance);
}

TEST_F(InstancePlans, start_after_an_orderly_stop_goes_on_and_takes_the_mark_away_first) {
    for (const Uuid &now : {boot, earlier_boot}) {
        const auto plan =
            plan_start({InstanceRecord{life, earlier_boot, true}, Uuid(), false, now});
        EXPECT_FALSE(plan.new_instance);
        EXPECT_TRUE(plan.send_to_kernel);
        EXPECT_EQ(plan.write, (InstanceRecord{life, now, false}));
    }
    // The module stayed loaded between stop and start.
    const auto plan = plan_start({InstanceRecord{life, boot, true}, life, false, boot});
    EXPECT_FALSE(plan.new_instance);
    EXPECT_EQ(plan.write, (InstanceRecord{life, boot, false}));
}

TEST_F(InstancePlans, life_goes_on_while_the_module_that_received_it_is_loaded) {
    const auto plan = plan_start({InstanceRecord{life, boot, false}, life, false, boot});
    EXPECT_FALSE(plan.send_to_kernel);
    EXPECT_FALSE(plan.write);
}

TEST_F(InstancePlans, record_of_another_boot_is_not_this_life) {
    EXPECT_TRUE(
        plan_start({InstanceRecord{life, earlier_boot, false}, life, false, boot}).new_instance);
    EXPECT_FALSE(plan_stop({InstanceRecord{life, earlier_boot, false}, life, true, boot}, true));
}

TEST_F(InstancePlans, further_exports_change_nothing) {
    const auto plan = plan_start({InstanceRecord{life, boot, false}, life, true, boot});
    EXPECT_FALSE(plan.send_to_kernel);
    EXPECT_FALSE(plan.write);
}

TEST_F(InstancePlans, mark_that_stands_while_exports_run_is_taken_away) {
    const auto plan = plan_start({InstanceRecord{life, boot, true}, life, true, boot});
    EXPECT_FALSE(plan.send_to_kernel);
    EXPECT_EQ(plan.write, (InstanceRecord{life, boot, false}));
}

TEST_F(InstancePlans, stop_leaves_a_mark_only_when_the_kernel_flushed_all_of_this_life) {
    const InstanceState state{InstanceRecord{life, boot, false}, life, true, boot};
    EXPECT_EQ(plan_stop(state, true), (InstanceRecord{life, boot, true}));
    EXPECT_FALSE(plan_stop(state, false));
    // Nothing was started after the crash, so a stop at shutdown must not mark it as clean.
    EXPECT_FALSE(plan_stop({InstanceRecord{life, earlier_boot, false}, Uuid(), false, boot}, true));
    EXPECT_FALSE(plan_stop({InstanceRecord{life, boot, false}, other, true, boot}, true));
    EXPECT_FALSE(plan_stop({std::nullopt, life, true, boot}, true));
}

TEST(InstanceFiles, read_back_as_they_were_written) {
    const TemporaryFolder root;
    const Places places(root.path());
    const InstanceRecord record{Uuid::random(), Uuid::random(), true};
    EXPECT_EQ(*load_instance(places), std::nullopt);
    ASSERT_TRUE(store_instance(places, record));
    EXPECT_EQ(*load_instance(places), record);
}

TEST(InstanceFiles, that_are_damaged_count_as_none) {
    const std::string good = instance_text({Uuid::random(), Uuid::random(), true});
    EXPECT_TRUE(parse_instance(good));
    for (std::size_t length = 0; length + 1 < good.size(); length += 7) {
        EXPECT_EQ(parse_instance(good.substr(0, length)), std::nullopt) << length;
    }
    EXPECT_EQ(parse_instance(std::string("\0\0\0", 3)), std::nullopt);
}

class ServerLife : public CommandTest {
  protected:
    std::string instance() {
        EXPECT_EQ(run({"export", "add", "a", "--ram", "4K", "--allow", "any"}), 0) << err();
        return kernel.instance.text();
    }
    void reboot() {
        boot = Uuid::random();
        modules.there.clear();
        kernel.reload_target();
    }
};

TEST_F(ServerLife, survives_an_orderly_stop_and_reboot) {
    const std::string before = instance();
    EXPECT_EQ(run({"stop"}), 0);
    reboot();
    EXPECT_EQ(instance(), before);
}

TEST_F(ServerLife, is_not_stopped_under_its_clients) {
    const std::string before = instance();
    kernel.running_exports.at(0).sessions = 2;
    const std::string name = kernel.running_exports.at(0).settings.name;
    for (const std::vector<std::string> &words :
         {std::vector<std::string>{"stop"}, {"stop", "--all", "--dry-run"}}) {
        EXPECT_EQ(run(words), 75);
        EXPECT_EQ(err(), "causeway: clients are connected to exports: " + name +
                             " (2 sessions)\n  detach there first; with --force their I/O "
                             "waits until the exports are back, or fails after its time-out\n");
    }
    EXPECT_EQ(kernel.running_exports.size(), 1U);
    kernel.running_exports.at(0).ending = true;
    EXPECT_EQ(run({"stop", "--dry-run"}), 0) << err();
    kernel.running_exports.at(0).ending = false;
    EXPECT_EQ(run({"stop", "--force"}), 0) << err();
}

TEST_F(ServerLife, ends_with_a_crash) {
    const std::string before = instance();
    reboot();
    const std::string after = instance();
    EXPECT_NE(after, before);
    // A second crash, after one clean stop in between, is a crash again.
    EXPECT_EQ(run({"stop"}), 0);
    reboot();
    EXPECT_EQ(instance(), after);
    reboot();
    EXPECT_NE(instance(), after);
}

TEST_F(ServerLife, ends_when_a_stop_could_not_flush) {
    const std::string before = instance();
    kernel.flushes = false;
    EXPECT_EQ(run({"stop"}), 1);
    EXPECT_NE(err().find("not everything could be flushed"), std::string::npos);
    EXPECT_NE(err().find("the export 'a': its disk failed"), std::string::npos) << err();
    reboot();
    EXPECT_NE(instance(), before);
}

TEST_F(ServerLife, ends_when_a_stop_could_not_flush_even_if_the_module_stays) {
    const std::string before = instance();
    kernel.flushes = false;
    EXPECT_EQ(run({"stop"}), 1);
    kernel.flushes = true;
    EXPECT_NE(instance(), before);
}

TEST_F(ServerLife, goes_on_when_the_last_export_is_removed_and_another_added) {
    const std::string before = instance();
    EXPECT_EQ(run({"export", "remove", "a"}), 0);
    EXPECT_EQ(instance(), before);
}

TEST_F(ServerLife, ends_when_the_module_is_reloaded_after_the_last_export_was_removed) {
    const std::string before = instance();
    EXPECT_EQ(run({"export", "remove", "a"}), 0);
    kernel.reload_target();
    EXPECT_NE(instance(), before);
}

TEST_F(ServerLife, stop_at_shutdown_of_a_machine_that_never_restored_does_not_hide_a_crash) {
    const std::string before = instance();
    reboot();
    modules.there.insert("causeway_target");
    EXPECT_EQ(run({"stop"}), 0);
    reboot();
    EXPECT_NE(instance(), before);
}

TEST_F(ServerLife, is_sent_before_the_first_export_and_the_mark_is_gone_by_then) {
    EXPECT_EQ(run({"export", "add", "a", "--ram", "4K", "--allow", "any"}), 0);
    ASSERT_EQ(kernel.log.size(), 2U);
    EXPECT_EQ(kernel.log[0], "instance " + kernel.instance.text());
    EXPECT_EQ(kernel.log[1], "add a");
    EXPECT_EQ(run({"stop"}), 0);
    kernel.refuse["add"] = Error{ExitCode::failed, "no"};
    EXPECT_EQ(run({"export", "add", "a", "--ram", "4K", "--allow", "any"}), 1);
    EXPECT_FALSE((*load_instance(Places(root.path())))->clean);
}

TEST_F(ServerLife, second_stop_keeps_the_mark) {
    const std::string before = instance();
    EXPECT_EQ(run({"stop"}), 0);
    EXPECT_EQ(run({"stop"}), 0);
    reboot();
    EXPECT_EQ(instance(), before);
}

} // namespace
} // namespace causeway
