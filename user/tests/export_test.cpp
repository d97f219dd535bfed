// SPDX-License-Identifier: GPL-2.0-or-later
#include "fixture.h"

#include <cerrno>

namespace causeway {
namespace {

namespace fs = std::filesystem;

class Exports : public CommandTest {
  protected:
    Exports() { write_file(root / "disk.img", std::string(8192, 'x')); }

    std::vector<std::string> add_file(std::vector<std::string> more = {}) {
        std::vector<std::string> words = {"export", "add", "scratch", "--file",
                                          (root / "disk.img").string()};
        words.insert(words.end(), more.begin(), more.end());
        return with_clients(words);
    }
};

TEST_F(Exports, are_added_and_kept) {
    EXPECT_EQ(run(add_file({"--read-only", "--allow", "10.0.0.0/24", "10.1.0.0/16", "--allow",
                            "fd00::/64,10.2.0.1"})),
              0)
        << err();
    ASSERT_EQ(kernel.running_exports.size(), 1U);
    const ExportSettings &settings = kernel.running_exports[0].settings;
    EXPECT_TRUE(settings.read_only);
    EXPECT_EQ(settings.allow.size(), 4U);
    ASSERT_TRUE(settings.identity);
    EXPECT_TRUE(modules.loaded("causeway_target"));
    const std::string text = read_file(export_file("scratch"));
    EXPECT_EQ(text.substr(0, 2), "# ");
    EXPECT_NE(text.find("uuid = " + settings.identity->text()), std::string::npos) << text;
    EXPECT_EQ(mode_of(export_file("scratch")), 0644U);
}

TEST_F(Exports, added_again_with_the_same_settings_are_left_alone) {
    EXPECT_EQ(run(add_file()), 0);
    const std::string before = read_file(export_file("scratch"));
    const auto again = json(add_file());
    EXPECT_EQ(status, 0);
    EXPECT_EQ(again["changed"], false);
    EXPECT_EQ(read_file(export_file("scratch")), before);
    EXPECT_EQ(std::count(kernel.log.begin(), kernel.log.end(), "add scratch"), 1);
}

TEST_F(Exports, added_again_with_other_settings_are_an_error_that_names_them) {
    EXPECT_EQ(run(add_file()), 0);
    EXPECT_EQ(run(add_file({"--read-only", "--allow", "10.0.0.0/24"})), 1);
    EXPECT_NE(err().find("read-only is off, not on, the allow list is everyone, not 10.0.0.0/24"),
              std::string::npos)
        << err();
    EXPECT_NE(err().find("causeway export set scratch"), std::string::npos);
    EXPECT_EQ(run({"export", "add", "scratch", "--ram", "4K", "--allow", "any"}), 1);
    EXPECT_NE(err().find("the backend is file, not ram"), std::string::npos) << err();
    EXPECT_NE(err().find("causeway export remove scratch"), std::string::npos);
}

TEST_F(Exports, keep_their_identity_when_they_come_back) {
    EXPECT_EQ(run(add_file()), 0);
    const auto before = kernel.running_exports[0].settings.identity;
    kernel.reload_target();
    EXPECT_EQ(run(add_file()), 0);
    EXPECT_EQ(kernel.running_exports[0].settings.identity, before);
    kernel.reload_target();
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(kernel.running_exports[0].settings.identity, before);
}

TEST_F(Exports, of_memory_are_another_disk_each_time) {
    EXPECT_EQ(run({"export", "add", "m", "--ram", "64M", "--allow", "any"}), 0);
    const auto before = kernel.running_exports[0].settings.identity;
    ASSERT_TRUE(before);
    EXPECT_EQ(read_file(export_file("m")).find("uuid"), std::string::npos);
    kernel.reload_target();
    EXPECT_EQ(run({"restore"}), 0);
    EXPECT_NE(kernel.running_exports[0].settings.identity, before);
}

TEST_F(Exports, that_the_kernel_refuses_leave_nothing_behind) {
    kernel.refuse["add"] =
        Error{ExitCode::try_again, "/dev/x is in use: it is mounted", "lsblk", EBUSY};
    EXPECT_EQ(run(add_file()), 75);
    EXPECT_EQ(err(),
              "causeway: cannot export 'scratch': /dev/x is in use: it is mounted\n  lsblk\n");
    EXPECT_FALSE(fs::exists(export_file("scratch")));
    EXPECT_TRUE(fs::is_empty(export_file("scratch").parent_path()));
    EXPECT_TRUE(kernel.running_exports.empty());
}

TEST_F(Exports, with_a_key_are_kept_for_root_only_and_name_only_the_file) {
    const fs::path key = root / "key";
    write_file(key, "topsecret, as they say\n", 0600);
    EXPECT_EQ(run(add_file({"--key-file", key.string()})), 0) << err();
    EXPECT_EQ(mode_of(export_file("scratch")), 0600U);
    EXPECT_EQ(read_file(export_file("scratch")).find("topsecret, as they say"), std::string::npos);
    ASSERT_EQ(kernel.export_keys.size(), 1U);
    EXPECT_EQ(std::string(kernel.export_keys[0].begin(), kernel.export_keys[0].end()),
              "topsecret, as they say");
    EXPECT_EQ(run(add_file()), 1);
    EXPECT_NE(err().find("the key file is " + key.string() + ", not none"), std::string::npos)
        << err();
    write_file(key, "topsecret, as they say\n", 0644);
    kernel.reload_target();
    EXPECT_EQ(run({"restore"}), 78);
    EXPECT_NE(err().find("chmod 600 " + key.string()), std::string::npos) << err();
}

TEST_F(Exports, that_need_no_reboot_write_nothing) {
    EXPECT_EQ(run(add_file({"--no-persist"})), 0);
    EXPECT_FALSE(fs::exists(root / "etc"));
    EXPECT_EQ(run(add_file()), 0);
    EXPECT_TRUE(fs::exists(export_file("scratch")));
}

TEST_F(Exports, shown_before_they_are_made_change_nothing) {
    EXPECT_EQ(run(add_file({"--dry-run"})), 0);
    EXPECT_NE(out().find("--- /dev/null\n+++ " + export_file("scratch").string() + "\n@@ -0,0 +1,"),
              std::string::npos)
        << out();
    EXPECT_NE(out().find("\n+file = "), std::string::npos);
    EXPECT_NE(out().find("would load the kernel module causeway_target"), std::string::npos);
    EXPECT_FALSE(fs::exists(root / "etc"));
    EXPECT_FALSE(fs::exists(root / "var"));
    EXPECT_TRUE(modules.there.empty());
    EXPECT_TRUE(kernel.log.empty());
    EXPECT_EQ(run(add_file()), 0);
    EXPECT_EQ(run(add_file({"--dry-run"})), 0);
    EXPECT_EQ(out(), "would change nothing\n");
    const auto told = json({"export", "remove", "scratch", "--dry-run"});
    EXPECT_EQ(told["changes"][1]["after"], nullptr);
    EXPECT_EQ(kernel.running_exports.size(), 1U);
}

TEST_F(Exports, are_removed_now_and_at_boot) {
    EXPECT_EQ(run(add_file()), 0);
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0);
    EXPECT_TRUE(kernel.running_exports.empty());
    EXPECT_FALSE(fs::exists(export_file("scratch")));
    EXPECT_EQ(run({"export", "remove", "scratch"}), 0);
    EXPECT_EQ(out(), "there is no export 'scratch', nothing to remove\n");
}

TEST_F(Exports, that_the_kernel_does_not_let_go_stay_configured) {
    EXPECT_EQ(run(add_file()), 0);
    kernel.refuse["remove"] = Error{ExitCode::try_again, "busy"};
    EXPECT_EQ(run({"export", "remove", "scratch"}), 75);
    EXPECT_TRUE(fs::exists(export_file("scratch")));
    EXPECT_EQ(run({"export", "remove", "scratch", "--force"}), 0);
    EXPECT_TRUE(logged("remove scratch by force"));
}

TEST_F(Exports, are_listed_running_or_not) {
    EXPECT_EQ(run(add_file()), 0);
    EXPECT_EQ(run({"export", "add", "m", "--ram", "64M", "--no-persist", "--exclusive", "--allow",
                   "any"}),
              0);
    EXPECT_EQ(run({"export", "list"}), 0);
    EXPECT_NE(out().find("running       -"), std::string::npos) << out();
    EXPECT_NE(out().find("until reboot  exclusive  everyone  memory"), std::string::npos) << out();
    kernel.reload_target();
    EXPECT_EQ(run({"export", "list"}), 0);
    EXPECT_NE(out().find("not running"), std::string::npos) << out();
    const auto told = json({"export", "list"});
    EXPECT_TRUE(told["exports"].empty());
    EXPECT_EQ(told["not_running"][0], "scratch");
}

TEST_F(Exports, with_bad_arguments_say_what_is_wrong_and_change_nothing) {
    const std::string folder = root.path().string();
    const std::vector<std::tuple<std::vector<std::string>, int, std::string>> cases = {
        {{"export", "add"}, 64, "needs NAME"},
        {{"export", "add", "x", "--allow", "any"},
         64,
         "no device, file or memory is given to export"},
        {{"export", "add", "x", "--ram", "4K", "--file", "/x", "--allow", "any"},
         64,
         "one backend, not several"},
        {{"export", "add", "x", "--ram", "1000", "--allow", "any"}, 64, "give --ram 4K"},
        {{"export", "add", "x", "--ram", "0", "--allow", "any"}, 64, "not a multiple of 4096"},
        {{"export", "ad", "new", "--ram", "4M"}, 64, "the verb 'export ad' is unknown"},
        {{"export", "add", "x", "--ram", "4KB", "--allow", "any"}, 64, "the unit 'KB' is unknown"},
        {{"export", "add", "x/y", "--ram", "4K", "--allow", "any"}, 64, "'/' is not allowed"},
        {{"export", "add", "x", "--ram", "4K", "--uuid", "1", "--allow", "any"},
         64,
         "--uuid '1' is not a UUID"},
        {{"export", "add", "x", "--ram", "4K", "--uuid", Uuid::random().text(), "--allow", "any"},
         64,
         "leave --uuid out"},
        {{"export", "add", "x", "--ram", "4K", "--allow", "x"}, 64, "--allow 'x' is not a network"},
        {{"export", "add", "x", "--ram", "4K", "--ram", "8K", "--allow", "any"},
         64,
         "--ram is given 2 times"},
        {{"export", "add", "x", "--ram", "--allow", "any"}, 64, "write --ram SIZE"},
        {{"export", "add", "x", "--ram", "4K", "--readonly", "--allow", "any"},
         64,
         "did you mean --read-only?"},
        {{"export", "add", "x", "--ram", "4K", "--read", "--allow", "any"},
         64,
         "the option --read is unknown"},
        {{"export", "add", "x", "--ram", "4K", "--read-only=yes", "--allow", "any"},
         64,
         "--read-only takes no value"},
        {{"export", "add", "x", "y", "--ram", "4K", "--allow", "any"},
         64,
         "'y' is one argument too many"},
        {{"export", "add", "x", "--file", "/nowhere/x", "--allow", "any"},
         69,
         "truncate -s 10G /nowhere/x"},
        {{"export", "add", "x", "--device", "/nowhere/x", "--allow", "any"}, 69, "lsblk --paths"},
        {{"export", "add", "x", "--device", folder + "/disk.img", "--allow", "any"},
         69,
         "give --file " + folder + "/disk.img"},
        {{"export", "add", "x", "--file", folder, "--allow", "any"},
         69,
         "is not a regular file\n  make one and give that, such as: truncate -s 10G FILE\n"},
        {{"export", "add", "x", "--ram", "4K", "--key-file", "/nowhere/k"},
         78,
         "key file /nowhere/k cannot be read"},
    };
    for (const auto &[words, code, saying] : cases) {
        EXPECT_EQ(run(words), code) << saying;
        EXPECT_NE(err().find(saying), std::string::npos) << err();
        EXPECT_EQ(json(words)["error"]["exit"], code);
    }
    EXPECT_TRUE(kernel.log.empty());
    EXPECT_TRUE(modules.there.empty());
    EXPECT_FALSE(fs::exists(root / "etc"));
    EXPECT_FALSE(fs::exists(root / "var"));
}

TEST_F(Exports, are_not_asked_for_where_the_module_is_missing) {
    modules.missing = {"causeway_target"};
    EXPECT_EQ(run(add_file()), 69);
    EXPECT_FALSE(fs::exists(root / "etc"));
}

TEST_F(Exports, whose_disk_hangs_are_removed_and_shown_until_it_answers) {
    EXPECT_EQ(run(add_file()), 0);
    kernel.hangs = "disk.img has not answered";
    const auto removed = json({"export", "remove", "scratch"});
    EXPECT_EQ(status, 1);
    EXPECT_EQ(removed["flushed"], false);
    EXPECT_EQ(removed["warnings"][0],
              "'scratch' is no longer exported, but disk.img has not answered; to export the same "
              "disk again, give: --uuid " +
                  removed["uuid"].get<std::string>());
    EXPECT_FALSE(fs::exists(export_file("scratch")));
    EXPECT_EQ(json({"export", "list"})["exports"][0]["ending"], true);
    EXPECT_EQ(run({"export", "list"}), 0);
    EXPECT_NE(out().find("ending for"), std::string::npos) << out();
}

} // namespace
} // namespace causeway
