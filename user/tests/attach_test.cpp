// SPDX-License-Identifier: GPL-2.0-or-later
#include "fixture.h"

#include <cerrno>

namespace causeway {
namespace {

namespace fs = std::filesystem;

class Attaching : public CommandTest {};

TEST_F(Attaching, prints_the_path_and_keeps_the_attachment) {
    EXPECT_EQ(run({"attach", "storage1/scratch", "--queues", "4"}), 0) << err();
    EXPECT_EQ(out(), "/dev/causeway/storage1/scratch\n");
    EXPECT_TRUE(logged("attach storage1/scratch at 10.0.0.1:4793"));
    ASSERT_EQ(kernel.attach_requests.size(), 1U);
    EXPECT_EQ(kernel.attach_requests[0].queues, 4);
    EXPECT_EQ(kernel.attach_requests[0].depth, std::nullopt);
    EXPECT_FALSE(kernel.attach_requests[0].host.is_nil());
    const std::string text = read_file(attachment_file("storage1:scratch"));
    EXPECT_NE(text.find("server = storage1\nname = scratch\nqueues = 4\n"), std::string::npos)
        << text;
}

TEST_F(Attaching, without_udev_prints_the_node_and_warns) {
    links.udev = false;
    EXPECT_EQ(run({"attach", "storage1/scratch"}), 0);
    EXPECT_EQ(out(), "/dev/causeway0\n");
    EXPECT_NE(err().find("udev has not made /dev/causeway/storage1/scratch"), std::string::npos);
    const auto told = json({"attach", "storage1/scratch"});
    EXPECT_EQ(told["link"], nullptr);
    EXPECT_EQ(told["device"], "/dev/causeway0");
    EXPECT_EQ(told["warnings"].size(), 1U);
}

TEST_F(Attaching, again_is_fine_with_the_same_settings_only) {
    EXPECT_EQ(run({"attach", "storage1/scratch", "--queues", "4"}), 0);
    EXPECT_EQ(run({"attach", "storage1/scratch", "--queues", "4"}), 0);
    EXPECT_EQ(out(), "/dev/causeway/storage1/scratch\n");
    EXPECT_EQ(run({"attach", "storage1/scratch"}), 0);
    EXPECT_EQ(kernel.attach_requests.size(), 1U);
    EXPECT_EQ(run({"attach", "storage1/scratch", "--queues", "2"}), 1);
    EXPECT_NE(err().find("queues is 4, not 2"), std::string::npos) << err();
    EXPECT_NE(err().find("causeway detach storage1/scratch"), std::string::npos) << err();
}

TEST_F(Attaching, what_the_server_granted_less_is_no_difference) {
    EXPECT_EQ(run({"attach", "storage1/scratch", "--queues", "8", "--no-persist"}), 0);
    kernel.running_attachments[0].queues = 2;
    EXPECT_EQ(run({"attach", "storage1/scratch", "--queues", "8", "--no-persist"}), 0) << err();
    EXPECT_EQ(run({"attach", "storage1/scratch", "--queues", "1", "--no-persist"}), 1);
}

TEST_F(Attaching, tries_every_address_of_the_server) {
    resolver.names["storage1"] = {"fd00::1", "10.0.0.1"};
    kernel.unreachable["fd00::1"] = Error{ExitCode::try_again, "no route", "", EHOSTUNREACH};
    EXPECT_EQ(run({"attach", "storage1:5000/scratch"}), 0) << err();
    EXPECT_TRUE(logged("attach storage1:5000/scratch at [fd00::1]:5000"));
    EXPECT_TRUE(logged("attach storage1:5000/scratch at 10.0.0.1:5000"));
    EXPECT_TRUE(fs::exists(attachment_file("storage1:5000:scratch")));
}

TEST_F(Attaching, does_not_ask_elsewhere_when_the_server_has_refused) {
    resolver.names["storage1"] = {"fd00::1", "10.0.0.1"};
    kernel.unreachable["fd00::1"] = Error{ExitCode::no_permission, "the key is wrong", "", EACCES};
    EXPECT_EQ(run({"attach", "storage1/scratch"}), 77);
    EXPECT_EQ(err(),
              "causeway: cannot attach storage1/scratch at [fd00::1]:4793: the key is wrong\n");
    EXPECT_FALSE(fs::exists(attachment_file("storage1:scratch")));
    EXPECT_TRUE(fs::is_empty(attachment_file("x").parent_path()));
}

TEST_F(Attaching, in_the_background_does_not_wait) {
    EXPECT_EQ(run({"attach", "storage1/scratch", "--background"}), 0);
    EXPECT_TRUE(logged("attach storage1/scratch at 10.0.0.1:4793 in the background"));
    EXPECT_NE(out().find("in the background"), std::string::npos);
    kernel.running_attachments[0].reason = "no answer";
    EXPECT_EQ(run({"attach", "storage1/scratch"}), 75);
    EXPECT_NE(err().find("not connected yet: no answer"), std::string::npos) << err();
    EXPECT_EQ(run({"attach", "storage1/scratch", "--background"}), 0);
}

TEST_F(Attaching, with_bad_arguments_says_what_is_wrong_and_changes_nothing) {
    const std::vector<std::tuple<std::vector<std::string>, int, std::string>> cases = {
        {{"attach"}, 64, "needs SERVER[:PORT]/NAME"},
        {{"attach", "storage1"}, 64, "SERVER/NAME with one slash"},
        {{"attach", "storage1:0/x"}, 64, "port 0 is out of range"},
        {{"attach", "storage1/x", "--queues", "0"}, 64, "give a number from 1 to 256"},
        {{"attach", "storage1/x", "--depth", "1025"}, 64, "give a number from 1 to 1024"},
        {{"attach", "storage1/x", "--io-timeout", "soon"},
         64,
         "--io-timeout 'soon' is not a whole number"},
        {{"attach", "storage1/x", "--fast-fail", "soon"},
         64,
         "give seconds from 0 to 86400, or off"},
        {{"attach", "storage1/x", "--poll-queue", "1"}, 64, "did you mean --poll-queues?"},
        {{"attach", "storage1/x", "-f"}, 64, "the option -f is unknown"},
        {{"attach", "storage1/x", "--depth", "-1"},
         64,
         "the option --depth needs a value, and -1 starts like an option\n  write --depth N\n"},
        {{"attach", "storage1/x", "--depth", "--dry-run"},
         64,
         "the option --depth needs a value, and --dry-run starts like an option\n  write --depth "
         "N\n"},
        {{"nfs", "serve", "/srv", "-o", "--dry-run", "--allow", "any"},
         64,
         "the option --options needs a value, and --dry-run starts like an option"},
        {{"sm", "partition", "add", "2", "--name", "--dry-run"},
         64,
         "the option --name needs a value, and --dry-run starts like an option"},
        {{"attach", "storage1/x", "--background", "-1"}, 64, "the option -1 is unknown here"},
        {{"attach", "storage1/x", "--key-file", "/nowhere/k"}, 78, "key file /nowhere/k"},
    };
    for (const auto &[words, code, saying] : cases) {
        EXPECT_EQ(run(words), code) << saying;
        EXPECT_NE(err().find(saying), std::string::npos) << err();
    }
    EXPECT_TRUE(modules.there.empty());
    EXPECT_FALSE(fs::exists(root / "etc"));
    EXPECT_EQ(run({"attach", "nowhere/x"}), 69);
    EXPECT_TRUE(kernel.log.empty());
    EXPECT_FALSE(fs::exists(attachment_file("nowhere:x")));
}

TEST_F(Attaching, shown_before_it_is_done_changes_nothing) {
    EXPECT_EQ(run({"attach", "storage1/scratch", "--dry-run"}), 0);
    EXPECT_NE(out().find("would attach storage1/scratch as /dev/causeway/storage1/scratch"),
              std::string::npos);
    EXPECT_FALSE(fs::exists(root / "etc"));
    EXPECT_TRUE(modules.there.empty());
}

TEST_F(Attaching, ends_with_detach_now_and_at_boot) {
    EXPECT_EQ(run({"attach", "storage1/scratch"}), 0);
    EXPECT_EQ(run({"detach", "storage1/scratch", "--dry-run"}), 0);
    EXPECT_NE(out().find("would detach storage1/scratch"), std::string::npos);
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 0);
    EXPECT_TRUE(kernel.running_attachments.empty());
    EXPECT_FALSE(fs::exists(attachment_file("storage1:scratch")));
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 0);
    EXPECT_EQ(out(), "storage1/scratch is not attached, nothing to detach\n");
}

TEST_F(Attaching, that_is_in_use_stays_configured) {
    EXPECT_EQ(run({"attach", "storage1/scratch"}), 0);
    kernel.refuse["detach"] = Error{ExitCode::try_again, "causeway0 is open", "umount", EBUSY};
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 75);
    EXPECT_NE(err().find("cannot detach storage1/scratch: causeway0 is open"), std::string::npos);
    EXPECT_TRUE(fs::exists(attachment_file("storage1:scratch")));
    EXPECT_EQ(run({"detach", "storage1/scratch", "--force"}), 0);
    EXPECT_TRUE(logged("detach storage1/scratch by force"));
}

TEST_F(Attaching, that_is_in_use_says_by_what) {
    EXPECT_EQ(run({"attach", "storage1/scratch"}), 0);
    const std::string block = "/sys/class/block/";
    files.content[block + "causeway0/dev"] = "259:0\n";
    files.content[block + "causeway0/holders/dm-3/x"] = "";
    files.content[block + "dm-3/dm/name"] = "data-home\n";
    files.content[block + "dm-3/dm/uuid"] = "LVM-x\n";
    const Error open{ExitCode::try_again, "causeway0 is open", "umount", EBUSY};
    kernel.refuse["detach"] = open;
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 75);
    EXPECT_EQ(err(), "causeway: cannot detach storage1/scratch: /dev/causeway0 is used by the "
                     "logical volume data/home (dm-3)\n"
                     "  vgchange -an data; then detach it, or give up its I/O with --force\n");
    kernel.refuse["detach"] = open;
    EXPECT_EQ(run({"detach-running", "storage1/scratch"}), 75);
    EXPECT_NE(err().find("is used by the logical volume data/home"), std::string::npos) << err();
    kernel.running_attachments[0].openers = 1;
    EXPECT_EQ(run({"undo", "--last"}), 75);
    EXPECT_NE(err().find("data/home (dm-3); nothing is undone"), std::string::npos) << err();
    // Another reason is no question of users.
    kernel.refuse["detach"] = Error{ExitCode::try_again, "interrupted", "again", EINTR};
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 75);
    EXPECT_NE(err().find("scratch: interrupted\n"), std::string::npos) << err();
}

TEST_F(Attaching, all_are_detached_even_if_one_is_in_use) {
    EXPECT_EQ(run({"attach", "storage1/a"}), 0);
    EXPECT_EQ(run({"attach", "storage1/b"}), 0);
    kernel.refuse["detach"] = Error{ExitCode::try_again, "open", "", EBUSY};
    EXPECT_EQ(run({"detach", "--all"}), 75);
    EXPECT_EQ(kernel.running_attachments.size(), 1U);
    EXPECT_EQ(run({"detach", "--all"}), 0);
    EXPECT_TRUE(kernel.running_attachments.empty());
    EXPECT_TRUE(fs::is_empty(attachment_file("x").parent_path()));
    EXPECT_EQ(run({"detach"}), 64);
    EXPECT_EQ(run({"detach", "a/b", "--all"}), 64);
}

TEST_F(Attaching, shows_in_the_list) {
    EXPECT_EQ(run({"attach", "storage1/scratch"}), 0);
    kernel.running_attachments[0].size = 512U << 20U;
    kernel.running_attachments[0].block_size = 512;
    kernel.running_attachments[0].loss = true;
    EXPECT_EQ(run({"list"}), 0);
    EXPECT_NE(out().find("storage1/scratch  512 MiB    512       2  live   LOSS   /dev/causeway0  "
                         "/dev/causeway/storage1/scratch"),
              std::string::npos)
        << out();
    EXPECT_NE(out().find("causeway acknowledge storage1/scratch"), std::string::npos);
    const auto told = json({"list"});
    EXPECT_EQ(told["attachments"][0]["link"], "/dev/causeway/storage1/scratch");
    EXPECT_EQ(told["attachments"][0]["loss"], true);
}

TEST_F(Attaching, revoked_shows_in_the_list_with_the_way_out) {
    EXPECT_EQ(run({"attach", "storage1/scratch"}), 0);
    AttachmentInfo &info = kernel.running_attachments[0];
    EXPECT_EQ(json({"list"})["attachments"][0]["refusal"], nullptr);
    info.state = CW_STATE_REVOKED;
    info.refusal = CW_FINAL_SUPERSEDED;
    info.reason = "the server no longer knows this session as the owner of the disk";
    EXPECT_EQ(run({"list"}), 0);
    EXPECT_EQ(
        out(),
        "DISK              SIZE  BLOCK  QUEUES  STATE    NOTES       DEVICE          LINK\n"
        "storage1/scratch     -      -       2  revoked  superseded  /dev/causeway0  "
        "/dev/causeway/storage1/scratch\n"
        "    the server no longer knows this session as the owner of the disk\n"
        "    to get the disk again: causeway detach storage1/scratch --force; causeway attach "
        "storage1/scratch\n");
    for (const std::vector<std::string> &words :
         {std::vector<std::string>{"attach", "storage1/scratch"},
          std::vector<std::string>{"attach", "storage1/scratch", "--background"}}) {
        EXPECT_EQ(run(words), 1);
        EXPECT_EQ(err(), "causeway: storage1/scratch is attached and revoked (superseded): the "
                         "server no longer knows this session as the owner of the disk\n"
                         "  causeway detach storage1/scratch --force; causeway attach "
                         "storage1/scratch\n");
    }
    info.refusal = CW_FINAL_EVICTED;
    info.host = *Uuid::parse("0d3f0c5a-6f1b-4c57-9f0a-2b9c2a2b1e11");
    EXPECT_EQ(run({"list"}), 0);
    EXPECT_NE(out().find("  to get the disk again: on the server: causeway export readmit scratch "
                         "--host 0d3f0c5a-6f1b-4c57-9f0a-2b9c2a2b1e11; then here: causeway detach "
                         "storage1/scratch --force; causeway attach storage1/scratch\n"),
              std::string::npos)
        << out();
    const auto told = json({"list"})["attachments"][0];
    EXPECT_EQ(told["state"], "revoked");
    EXPECT_EQ(told["refusal"], "evicted");
    EXPECT_EQ(told["host"], "0d3f0c5a-6f1b-4c57-9f0a-2b9c2a2b1e11");
}

TEST_F(Attaching, a_detach_without_an_answer_says_that_the_server_may_keep_the_disk) {
    EXPECT_EQ(run({"attach", "storage1/scratch"}), 0);
    kernel.still_kept = "the server may still keep the disk for this host";
    EXPECT_EQ(run({"detach", "storage1/scratch", "--force"}), 0);
    EXPECT_EQ(out(), "storage1/scratch is detached\ncauseway undo 2 takes this back\n");
    EXPECT_EQ(err(), "causeway: storage1/scratch: the server may still keep the disk for "
                     "this host\n");
    EXPECT_EQ(run({"attach", "storage1/scratch"}), 0);
    EXPECT_EQ(run({"detach-running", "storage1/scratch"}), 0);
    EXPECT_EQ(out(), kernel.still_kept + "\n");
}

TEST_F(Attaching, by_another_host_uuid_is_kept_with_it) {
    const std::string host = "0d3f0c5a-6f1b-4c57-9f0a-2b9c2a2b1e11";
    EXPECT_EQ(run({"attach", "storage1/scratch", "--host-uuid", host}), 0);
    EXPECT_EQ(err(), "");
    EXPECT_EQ(kernel.attach_requests[0].host.text(), host);
    EXPECT_FALSE(fs::exists(root / "var/lib/causeway/host"));
    const std::string text = read_file(attachment_file("storage1:scratch"));
    EXPECT_NE(text.find("host-uuid = " + host + "\n"), std::string::npos) << text;
    EXPECT_EQ(run({"attach", "storage1/scratch"}), 0) << err();
    const std::string other = "1d3f0c5a-6f1b-4c57-9f0a-2b9c2a2b1e11";
    EXPECT_EQ(run({"attach", "storage1/scratch", "--host-uuid", other}), 1);
    EXPECT_NE(err().find("the host's UUID is " + host + ", not " + other), std::string::npos)
        << err();
    // The host UUID of the configuration file is used at boot.
    kernel.running_attachments.clear();
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(kernel.attach_requests.back().host.text(), host);
    EXPECT_FALSE(fs::exists(root / "var/lib/causeway/host"));
}

TEST_F(Attaching, by_a_host_uuid_that_is_none_is_refused) {
    EXPECT_EQ(run({"attach", "storage1/scratch", "--host-uuid", "me"}), 64);
    EXPECT_EQ(err(), "causeway: --host-uuid 'me' is not a UUID\n"
                     "  give 32 hexadecimal digits as 8-4-4-4-12, as uuidgen prints them\n");
    EXPECT_EQ(
        run({"attach", "storage1/scratch", "--host-uuid", "00000000-0000-0000-0000-000000000000"}),
        64);
    EXPECT_NE(err().find("--host-uuid is the nil UUID, which names no host"), std::string::npos)
        << err();
    EXPECT_TRUE(kernel.attach_requests.empty());
}

TEST_F(Attaching, by_a_host_uuid_that_was_made_in_this_boot_warns) {
    const std::string warning =
        "causeway: the UUID of this host was made in this boot and kept in " +
        (root / "var/lib/causeway/host").string() + ", because " +
        (root / "etc/machine-id").string() +
        " holds no machine ID: if that file does not outlive the next reboot, this host cannot "
        "take an exclusive disk back after it; give the same --host-uuid each time\n";
    EXPECT_EQ(run({"attach", "storage1/scratch"}), 0);
    EXPECT_EQ(err(), warning);
    EXPECT_EQ(run({"attach", "storage1/other"}), 0);
    EXPECT_EQ(err(), warning);
    EXPECT_EQ(kernel.attach_requests[0].host, kernel.attach_requests[1].host);
    boot = Uuid::random();
    EXPECT_EQ(run({"attach", "storage1/third"}), 0);
    EXPECT_EQ(err(), "");
    EXPECT_EQ(kernel.attach_requests[0].host, kernel.attach_requests[2].host);
}

TEST_F(Attaching, loss_is_acknowledged_once) {
    EXPECT_EQ(run({"acknowledge", "storage1/scratch"}), 69);
    EXPECT_EQ(run({"attach", "storage1/scratch"}), 0);
    EXPECT_EQ(json({"acknowledge", "storage1/scratch"})["changed"], false);
    EXPECT_FALSE(logged("acknowledge storage1/scratch"));
    kernel.running_attachments[0].loss = true;
    EXPECT_EQ(run({"acknowledge", "storage1/scratch", "--dry-run"}), 0);
    EXPECT_FALSE(logged("acknowledge storage1/scratch"));
    EXPECT_EQ(run({"acknowledge", "storage1/scratch"}), 0);
    EXPECT_TRUE(logged("acknowledge storage1/scratch"));
}

class Restoring : public CommandTest {};

TEST_F(Restoring, brings_back_exports_first_and_attachments_in_the_background) {
    write_file(export_file("m"), "[export]\nram = 64M\n");
    write_file(
        attachment_file("any-name"),
        "[attachment]\nserver = storage1\nname = scratch\nio-timeout = 30\nfast-fail = off\n");
    EXPECT_EQ(run({"restore", "--dry-run"}), 0);
    EXPECT_TRUE(kernel.log.empty());
    EXPECT_EQ(run({"restore"}), 0) << err();
    ASSERT_EQ(kernel.log.size(), 3U);
    EXPECT_EQ(kernel.log[1], "add m");
    EXPECT_EQ(kernel.log[2], "attach storage1/scratch at 10.0.0.1:4793 in the background");
    EXPECT_EQ(kernel.attach_requests[0].io_timeout, 30U);
    EXPECT_EQ(kernel.attach_requests[0].fast_fail, CW_FAST_FAIL_OFF);
    const auto again = json({"restore"});
    EXPECT_EQ(again["restored"].size(), 0U);
    EXPECT_EQ(again["unchanged"].size(), 2U);
    EXPECT_EQ(kernel.log.size(), 3U);
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 0);
    EXPECT_FALSE(fs::exists(attachment_file("any-name")));
}

TEST_F(Restoring, goes_on_after_a_failure) {
    write_file(export_file("broken"), "[export]\nram = lots\n");
    write_file(export_file("gone"), "[export]\nfile = /nowhere/x\n");
    write_file(export_file("m"), "[export]\nram = 64M\n");
    const auto told = json({"restore"});
    EXPECT_EQ(status, 75);
    EXPECT_EQ(told["restored"], (nlohmann::json{"m"}));
    EXPECT_EQ(told["failed"].size(), 2U);
    fs::remove(export_file("gone"));
    EXPECT_EQ(run({"restore"}), 78);
    EXPECT_NE(err().find("broken.conf:2: ram 'lots' is not a size"), std::string::npos) << err();
}

TEST_F(Restoring, loads_only_the_modules_that_are_needed) {
    EXPECT_EQ(run({"restore"}), 0);
    EXPECT_TRUE(modules.there.empty());
    write_file(attachment_file("a"), "[attachment]\nserver = storage1\nname = scratch\n");
    EXPECT_EQ(run({"restore"}), 0);
    EXPECT_EQ(modules.there, std::set<std::string>{"causeway_disk"});
}

TEST_F(Restoring, is_asked_for_again_when_a_name_does_not_resolve_yet) {
    write_file(attachment_file("a"), "[attachment]\nserver = later\nname = scratch\n");
    EXPECT_EQ(run({"restore"}), 75);
    resolver.names["later"] = {"10.0.0.9"};
    EXPECT_EQ(run({"restore"}), 0);
}

TEST_F(Restoring, is_undone_by_stop) {
    EXPECT_EQ(run({"attach", "storage1/scratch"}), 0);
    EXPECT_EQ(run({"export", "add", "m", "--ram", "4K", "--allow", "any"}), 0);
    EXPECT_EQ(run({"stop", "--dry-run", "--all"}), 0);
    EXPECT_NE(out().find("would end the export 'm'"), std::string::npos);
    EXPECT_NE(out().find("would detach storage1/scratch"), std::string::npos);
    EXPECT_EQ(run({"stop"}), 0);
    EXPECT_TRUE(kernel.running_exports.empty());
    EXPECT_EQ(kernel.running_attachments.size(), 1U);
    processes.acts["/proc/self/exe detach-running storage1/scratch"] = [this] {
        EXPECT_TRUE(kernel.detach("storage1", "scratch", false));
        return ProcessEnd{};
    };
    EXPECT_EQ(json({"stop", "--all"})["detached"][0], "storage1/scratch");
    EXPECT_TRUE(fs::exists(attachment_file("storage1:scratch")));
    EXPECT_TRUE(fs::exists(export_file("m")));
}

class CommandLine : public CommandTest {};

TEST_F(CommandLine, suggests_the_nearest_verb) {
    EXPECT_EQ(run({"atach", "a/b"}), 64);
    EXPECT_NE(err().find("did you mean: causeway attach"), std::string::npos) << err();
    EXPECT_EQ(run({"--jsno", "list"}), 64);
    EXPECT_EQ(err(),
              "causeway: the option --jsno is unknown before a verb\n  did you mean --json?\n");
    EXPECT_EQ(run({"exprt", "ad"}), 64);
    EXPECT_NE(err().find("did you mean: causeway export add"), std::string::npos) << err();
    EXPECT_EQ(run({"export", "lst"}), 64);
    EXPECT_NE(err().find("did you mean: causeway export list"), std::string::npos) << err();
    EXPECT_EQ(run({"export"}), 64);
    EXPECT_NE(err().find("add or remove or evict or readmit or list or set"), std::string::npos)
        << err();
    EXPECT_EQ(run({"frobnicate"}), 64);
    EXPECT_NE(err().find("causeway help"), std::string::npos);
    EXPECT_EQ(run({"list", ""}), 64);
    EXPECT_EQ(run({""}), 64);
}

TEST_F(CommandLine, without_a_verb_shows_all_of_them_and_says_what_is_missing) {
    EXPECT_EQ(run({"help"}), 0);
    const std::string overview = out();
    EXPECT_EQ(run({}), 64);
    EXPECT_EQ(err(), overview + "\ncauseway: no verb is given\n"
                                "  give one of those that causeway help shows\n");
    EXPECT_EQ(out(), "");
    const auto told = json({});
    EXPECT_EQ(status, 64);
    EXPECT_EQ(told["error"]["what"], "no verb is given");
    EXPECT_EQ(err(), "");
}

TEST_F(CommandLine, explains_every_verb) {
    EXPECT_EQ(run({"help"}), 0);
    const std::string overview = out();
    const auto told = json({"help"});
    for (const nlohmann::json &verb : told["verbs"]) {
        const std::string words = verb["verb"];
        EXPECT_NE(overview.find("\n  " + words), std::string::npos);
        std::istringstream stream(words);
        std::vector<std::string> asked{std::istream_iterator<std::string>(stream), {}};
        std::vector<std::string> help = asked;
        help.insert(help.begin(), "help");
        EXPECT_EQ(run(help), 0);
        const std::string explained = out();
        asked.emplace_back("--help");
        EXPECT_EQ(run(asked), 0);
        EXPECT_EQ(out(), explained);
    }
    EXPECT_EQ(run({"help", "export"}), 0);
    EXPECT_NE(out().find("export remove"), std::string::npos);
    EXPECT_EQ(run({"help", "exprt"}), 64);
    EXPECT_EQ(run({"--version"}), 0);
    EXPECT_EQ(run({"--help"}), 0);
}

TEST_F(CommandLine, reports_errors_as_json_too) {
    const auto told = json({"attach", "nonsense"});
    EXPECT_EQ(told["schema"], 2);
    EXPECT_EQ(told["error"]["exit"], 64);
    EXPECT_NE(told["error"]["what"], "");
    EXPECT_NE(told["error"]["fix"], "");
    EXPECT_EQ(err(), "");
}

TEST_F(CommandLine, takes_global_options_anywhere) {
    EXPECT_EQ(run({"--json", "list"}), 0);
    EXPECT_EQ(out().front(), '{');
    std::vector<std::string> words = {"--root", "/x", "list", "--json"};
    const GlobalOptions options = take_global_options(words);
    EXPECT_EQ(options.root, "/x");
    EXPECT_TRUE(options.json);
    EXPECT_EQ(words, std::vector<std::string>{"list"});
}

TEST_F(CommandLine, never_takes_an_option_for_the_folder_of_root) {
    for (const std::vector<std::string> &typed :
         {std::vector<std::string>{"detach", "--all", "--root", "--dry-run"},
          {"--root", "--json", "detach", "--all"},
          {"detach", "--all", "--root"},
          {"--root", "", "detach", "--all"}}) {
        EXPECT_EQ(run(typed), 64);
        EXPECT_NE((out() + err()).find("--root needs a folder"), std::string::npos)
            << out() << err();
    }
    EXPECT_TRUE(kernel.log.empty());
    // Options of the command that "run" starts belong to that command.
    std::vector<std::string> words = {"run", "find", "--root", "--dry-run"};
    EXPECT_EQ(take_global_options(words).root, "");
    EXPECT_EQ(words.size(), 4U);
    run(words);
    EXPECT_EQ(err().find("--root needs"), std::string::npos) << err();
}

} // namespace
} // namespace causeway
