// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/durable_file.h"
#include "config/dropins.h"
#include "config/host_id.h"
#include "config/ini.h"
#include "config/key_file.h"
#include "fixture.h"
#include "machine/device_link.h"

#include <cerrno>
#include <future>
#include <unistd.h>

namespace causeway {
namespace {

namespace fs = std::filesystem;

TEST(DurableFiles, appear_only_when_they_are_committed) {
    const TemporaryFolder folder;
    const fs::path place = folder / "a/b/file";
    {
        auto staged = StagedFile::write(place, "one", 0600);
        ASSERT_TRUE(staged);
        EXPECT_FALSE(fs::exists(place));
    }
    EXPECT_TRUE(fs::is_empty(place.parent_path()));
    auto staged = StagedFile::write(place, "two", 0600);
    ASSERT_TRUE(staged);
    ASSERT_TRUE(staged->commit());
    EXPECT_EQ(read_file(place), "two");
    EXPECT_EQ(mode_of(place), 0600U);
    EXPECT_EQ(std::distance(fs::directory_iterator(place.parent_path()), {}), 1);
    EXPECT_TRUE(*remove_durably(place));
    EXPECT_FALSE(*remove_durably(place));
}

TEST(DurableFiles, replace_nothing_where_they_have_to_be_new) {
    const TemporaryFolder folder;
    const fs::path place = folder / "file";
    auto staged = StagedFile::write(place, "one", 0600, StagedFile::Space::reserved);
    ASSERT_TRUE(staged);
    ASSERT_TRUE(staged->commit_new());
    EXPECT_EQ(read_file(place), "one");
    {
        auto second = StagedFile::write(place, "two", 0600);
        ASSERT_TRUE(second);
        const auto committed = second->commit_new();
        ASSERT_FALSE(committed);
        EXPECT_EQ(committed.error().system_error, EEXIST);
    }
    EXPECT_EQ(read_file(place), "one");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
    ASSERT_TRUE(reserve_durably(place, 5));
    EXPECT_EQ(read_file(place), std::string("one\0\0", 5));
    EXPECT_FALSE(reserve_durably(folder / "nothing", 5));
}

TEST(DurableFiles, say_which_folder_cannot_be_written) {
    const TemporaryFolder folder;
    write_file(folder / "file", "");
    const auto written = write_durably(folder / "file/x", "", 0644);
    ASSERT_FALSE(written);
    EXPECT_NE(written.error().what.find((folder / "file").string()), std::string::npos);
}

const IniSchema schema{"thing", {{"one"}, {"many", true}, {"flag"}}};

TEST(DurableFiles, without_a_folder_are_in_the_working_one) {
    const auto synced = sync_folder("");
    EXPECT_TRUE(synced) << synced.error().what;
}

TEST(Ini, reads_keys_of_its_section) {
    const auto file = IniFile::parse(
        "t.conf", "# comment\n\n[thing]\none = 1 # why\nmany=a\n  many = b\r\nflag = yes\n",
        schema);
    ASSERT_TRUE(file) << file.error().what;
    EXPECT_EQ(file->value("one"), "1");
    EXPECT_EQ(file->values("many"), (std::vector<std::string>{"a", "b"}));
    EXPECT_TRUE(*file->flag("flag"));
    EXPECT_EQ(file->error_at("many", "bad").what, "t.conf:5: bad");
}

TEST(Ini, names_file_and_line_of_what_is_wrong) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"", "t.conf:0: the section [thing] is missing"},
        {"one = 1\n", "t.conf:1: 'one' stands before the section [thing]"},
        {"[thing]\nones = 1\n", "t.conf:2: 'ones' is unknown here"},
        {"[thing]\none\n", "t.conf:2: 'one' is not of the form key = value"},
        {"[thing]\none =\n", "t.conf:2: 'one' has no value"},
        {"[thing]\none = 1\none = 2\n", "t.conf:3: 'one' stands in line 2 already"},
        {"[other]\n", "t.conf:1: the section is [thing], not [other]"},
        // The kernel and the C library would cut the value off at the zero byte.
        {std::string("[thing]\none = 1\0\n", 17), "t.conf:2: there is a zero byte in the line"},
    };
    for (const auto &[content, what] : cases) {
        const auto file = IniFile::parse("t.conf", content, schema);
        ASSERT_FALSE(file) << content;
        EXPECT_EQ(file.error().what, what);
        EXPECT_EQ(file.error().code, ExitCode::bad_config);
    }
    EXPECT_EQ(IniFile::parse("t", "[thing]\nflg = 1\n", schema).error().fix,
              "did you mean 'flag'?");
    const auto flag = IniFile::parse("t.conf", "[thing]\nflag = maybe\n", schema);
    EXPECT_EQ(flag->flag("flag").error().what, "t.conf:2: 'maybe' is neither yes nor no");
}

ExportSettings full_export() {
    ExportSettings settings;
    settings.name = "scratch";
    settings.backend = Backend::file;
    settings.path = "/srv/with space/x=y.img";
    settings.read_only = true;
    settings.exclusive = true;
    settings.write_through = true;
    settings.allow = {*parse_prefix("10.0.0.0/24"), *parse_prefix("fd00::/64")};
    settings.key_file = "/etc/causeway/keys/k";
    settings.identity = Uuid::random();
    return settings;
}

TEST(DropIns, of_exports_read_back_as_they_were_written) {
    const ExportSettings settings = full_export();
    const auto text = dropin_text(settings);
    ASSERT_TRUE(text);
    const auto back = parse_export_dropin("f", "scratch", *text);
    ASSERT_TRUE(back) << back.error().what;
    EXPECT_TRUE(differences(*back, settings).empty());
    EXPECT_EQ(back->identity, settings.identity);

    ExportSettings memory;
    memory.name = "m";
    memory.backend = Backend::ram;
    memory.size = 512U << 20U;
    memory.identity = Uuid::random();
    const auto back_memory = parse_export_dropin("f", "m", *dropin_text(memory));
    ASSERT_TRUE(back_memory);
    EXPECT_TRUE(differences(*back_memory, memory).empty());
    EXPECT_FALSE(back_memory->identity);
}

TEST(DropIns, of_exports_name_their_ledger) {
    ExportSettings settings = full_export();
    settings.read_only = false;
    settings.ledger = Uuid::random();
    settings.state_folder = "/srv/state";
    settings.takeover_after = 90;
    const auto back = parse_export_dropin("f", "scratch", *dropin_text(settings));
    ASSERT_TRUE(back) << back.error().what;
    EXPECT_TRUE(differences(*back, settings).empty());
    EXPECT_EQ(back->ledger, settings.ledger);
    EXPECT_EQ(back->state_folder, settings.state_folder);
    EXPECT_EQ(back->takeover_after, 90U);

    // A read-only export keeps the settings for the time after "export set --read-write".
    const std::string read_only = "[export]\nfile = /f\nread-only = yes\nexclusive = yes\n"
                                  "takeover-after = 5\nstate-folder = /srv\n";
    const auto kept = parse_export_dropin("f", "scratch", read_only);
    ASSERT_TRUE(kept) << kept.error().what;
    EXPECT_EQ(dropin_text(*kept)->substr(dropin_text(*kept)->find('[')), read_only);

    const std::vector<std::pair<std::string, std::string>> cases = {
        {"file = /f\nledger = x\n", "f:3: this is not a UUID"},
        {"file = /f\nledger = 00000000-0000-0000-0000-000000000000\n", "f:3: this is not a UUID"},
        {"ram = 4K\nledger = " + settings.ledger->text() + "\n",
         "f:3: a memory export keeps no ledger of owners in files"},
        {"ram = 4K\nstate-folder = /srv\n",
         "f:3: a memory export keeps no ledger of owners in files"},
        {"file = /f\nstate-folder = srv\n", "f:3: 'srv' is not an absolute path"},
        {"file = /f\ntakeover-after = 5\n",
         "f:3: takeover-after goes with an exclusive export only: on a shared export no host waits "
         "for another one"},
    };
    for (const auto &[content, what] : cases) {
        const auto wrong = parse_export_dropin("f", "scratch", "[export]\n" + content);
        ASSERT_FALSE(wrong) << content;
        EXPECT_EQ(wrong.error().what, what);
    }
}

TEST(DropIns, of_attachments_read_back_as_they_were_written) {
    AttachmentSettings settings;
    settings.disk = *parse_disk("[fd00::1]:99/scratch");
    settings.queues = 4;
    settings.poll_queues = 1;
    settings.depth = 64;
    settings.io_timeout = 30;
    settings.fast_fail = 5;
    settings.key_file = "/k";
    const auto back = parse_attachment_dropin("f", *dropin_text(settings));
    ASSERT_TRUE(back) << back.error().what;
    EXPECT_TRUE(differences(*back, settings).empty());
    EXPECT_EQ(back->disk, settings.disk);
    EXPECT_EQ(back->fast_fail, 5U);
    settings.fast_fail = CW_FAST_FAIL_OFF;
    EXPECT_NE(dropin_text(settings)->find("fast-fail = off\n"), std::string::npos);
    EXPECT_EQ(parse_attachment_dropin("f", *dropin_text(settings))->fast_fail, CW_FAST_FAIL_OFF);
}

TEST(DropIns, refuse_paths_that_ini_cannot_hold) {
    ExportSettings settings = full_export();
    for (const char *path : {"/a#b", "/a\nb", "/a "}) {
        settings.path = path;
        const auto text = dropin_text(settings);
        ASSERT_FALSE(text) << path;
        EXPECT_NE(text.error().fix.find("--no-persist"), std::string::npos);
    }
}

TEST(DropIns, that_are_wrong_name_file_and_line) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"[export]\nread-only = yes\n", "f: exactly one of device, file and ram is needed"},
        {"[export]\nram = 1G\nfile = /x\n", "f:3: exactly one of device, file and ram is needed"},
        {"[export]\nram = 1.5G\n", "f:2: ram '1.5G' is not a size"},
        {"[export]\ndevice = sda\n", "f:2: 'sda' is not an absolute path"},
        {"[export]\ndevice = /d\nuuid = 1\n", "f:3: this is not a UUID"},
        {"[export]\nram = 4K\nuuid = 0d3f0c5a-6f1b-4c57-9f0a-2b9c2a2b1e11\n",
         "f:3: a memory disk gets a new UUID each time it is made"},
        {"[export]\ndevice = /d\nallow = 10.0.0.1/8\n",
         "f:3: allow '10.0.0.1/8' has bits set behind its prefix"},
        {"[export]\ndevice = /d\nkey-file = k\n", "f:3: 'k' is not an absolute path"},
        {"[export]\ndevice = /d\nexclusive = perhaps\n", "f:3: 'perhaps' is neither yes nor no"},
    };
    for (const auto &[content, what] : cases) {
        const auto settings = parse_export_dropin("f", "x", content);
        ASSERT_FALSE(settings) << content;
        EXPECT_EQ(settings.error().what.substr(0, what.size()), what);
        EXPECT_EQ(settings.error().code, ExitCode::bad_config);
    }
    EXPECT_FALSE(parse_export_dropin("f", "a b", "[export]\nram = 4K\n"));
    EXPECT_EQ(parse_attachment_dropin("f", "[attachment]\nname = x\n").error().what,
              "f: 'server' is missing");
    EXPECT_EQ(parse_attachment_dropin("f", "[attachment]\nname = x\nserver = a\nqueues = 0\n")
                  .error()
                  .what,
              "f:4: queues 0 is out of range");
    EXPECT_EQ(parse_attachment_dropin("f", "[attachment]\nname = x\nserver = a\nhost-uuid = me\n")
                  .error()
                  .what,
              "f:4: host-uuid 'me' is not a UUID");
}

TEST(DropIns, that_are_broken_do_not_hide_the_others) {
    const TemporaryFolder root;
    const Places places(root.path());
    write_file(places.exports() / "a.conf", "[export]\nram = 4K\n");
    write_file(places.exports() / "b.conf", "nonsense\n");
    write_file(places.exports() / ".c.conf.Xy", "[export]\nram = 4K\n");
    write_file(places.exports() / "d.conf~", "[export]\nram = 4K\n");
    const auto folder = load_exports(places);
    ASSERT_TRUE(folder);
    ASSERT_EQ(folder->good.size(), 1U);
    EXPECT_EQ(folder->good.front().settings.name, "a");
    ASSERT_EQ(folder->broken.size(), 1U);
    EXPECT_TRUE(load_attachments(places)->good.empty());
}

std::vector<std::uint8_t> key_in(const fs::path &place) {
    const auto key = read_key(place);
    EXPECT_TRUE(key) << key.error().what;
    const auto bytes = key->bytes();
    return {bytes.begin(), bytes.end()};
}

TEST(Keys, have_16_to_64_bytes_that_are_not_all_zero) {
    const TemporaryFolder folder;
    const fs::path place = folder / "key";
    write_file(place, "sixteen letters.\n", 0600);
    EXPECT_EQ(key_in(place).size(), 16U);
    EXPECT_EQ(key_in(place).back(), '.');
    write_file(place, "fifteen letters\n\n", 0400);
    EXPECT_EQ(key_in(place).size(), 16U);
    write_file(place, std::string(64, 'x') + "\n", 0600);
    EXPECT_EQ(key_in(place).size(), 64U);
    write_file(place, std::string(15, '\0') + "x", 0600);
    EXPECT_EQ(key_in(place).size(), 16U);
    const std::vector<std::pair<std::string, std::string>> refused = {
        {"", "is empty"},
        {"\n", "is empty"},
        {"x", "has 1 bytes, too few"},
        {std::string(15, 'x') + "\n", "has 15 bytes, too few"},
        {std::string(65, 'x'), "is longer than 64 bytes"},
        {std::string(66, 'x'), "is longer than 64 bytes"},
        {std::string(16, '\0'), "has only zero bytes"},
        {std::string(64, '\0') + "\n", "has only zero bytes"},
    };
    for (const auto &[content, why] : refused) {
        write_file(place, content, 0600);
        const auto key = read_key(place);
        ASSERT_FALSE(key) << why;
        EXPECT_EQ(key.error().code, ExitCode::bad_config);
        EXPECT_NE(key.error().what.find(why), std::string::npos) << key.error().what;
        EXPECT_NE(key.error().fix.find("16 to 64 bytes"), std::string::npos);
    }
}

TEST(Keys, that_others_can_read_are_refused_with_the_chmod_that_fixes_it) {
    const TemporaryFolder folder;
    const fs::path place = folder / "key";
    for (const unsigned int mode : {0640U, 0604U, 0660U, 0601U}) {
        write_file(place, "secret", mode);
        const auto key = read_key(place);
        ASSERT_FALSE(key);
        EXPECT_EQ(key.error().fix, "chmod 600 " + place.string());
    }
    EXPECT_NE(read_key(folder / "none").error().fix.find("head -c 32"), std::string::npos);
    EXPECT_FALSE(read_key(folder.path()));
}

TEST(HostIds, come_from_the_machine_id) {
    const TemporaryFolder root;
    const Places places(root.path());
    const std::string id = "0123456789abcdef0123456789abcdef";
    write_file(places.machine_id(), id + "\n");
    EXPECT_EQ(host_id(places, Uuid::random())->uuid, host_from_machine_id(id));
    EXPECT_FALSE(host_id(places, Uuid::random())->fresh);
    EXPECT_FALSE(fs::exists(places.host()));
    // This is sha256("0123456789abcdef0123456789abcdefcauseway"), marked as a UUID of version 4.
    EXPECT_EQ(host_from_machine_id(id).text(), "0d670a51-60b3-4043-8c87-9cb5254eeb82");
}

TEST(HostIds, are_made_and_kept_where_there_is_no_machine_id) {
    for (const char *content :
         {"", "uninitialized\n", "00000000000000000000000000000000\n", "short\n"}) {
        const TemporaryFolder root;
        const Places places(root.path());
        write_file(places.machine_id(), content);
        const Uuid boot = Uuid::random();
        const auto first = host_id(places, boot);
        ASSERT_TRUE(first);
        EXPECT_TRUE(first->fresh);
        EXPECT_EQ(host_id(places, boot)->uuid, first->uuid);
        EXPECT_TRUE(host_id(places, boot)->fresh);
        const Uuid next = Uuid::random();
        EXPECT_EQ(host_id(places, next)->uuid, first->uuid);
        EXPECT_FALSE(host_id(places, next)->fresh);
        // Earlier releases wrote it in this form.
        write_file(places.host(), first->uuid.text() + "\n");
        EXPECT_EQ(host_id(places, boot)->uuid, first->uuid);
        EXPECT_FALSE(host_id(places, boot)->fresh);
        write_file(places.host(), "nonsense\n");
        EXPECT_EQ(host_id(places, boot).error().code, ExitCode::bad_config);
    }
}

TEST(DeviceLinks, are_waited_for) {
    const TemporaryFolder dev;
    write_file(dev / "control", "");
    write_file(dev / "causeway0", "");
    write_file(dev / "causeway1", "");
    UdevLinks links(dev.path(), dev / "control");
    const fs::path link = links.link("storage1", "scratch");
    EXPECT_EQ(link, dev / "causeway/storage1/scratch");
    auto waiting = std::async(std::launch::async, [&] {
        return links.wait(link, links.node("causeway0"), std::chrono::seconds(60));
    });
    fs::create_directories(link.parent_path());
    fs::create_symlink("../../causeway1", link);
    fs::create_symlink("../../causeway0", dev / "new");
    fs::remove(link);
    fs::create_symlink("../../causeway0", link);
    EXPECT_TRUE(waiting.get());
    EXPECT_TRUE(links.wait(link, links.node("causeway0"), std::chrono::seconds(60)));
    EXPECT_FALSE(links.ready(link, links.node("causeway1")));
}

TEST(DeviceLinks, that_do_not_come_do_not_hold_the_command) {
    const TemporaryFolder dev;
    write_file(dev / "causeway0", "");
    UdevLinks without(dev.path(), dev / "control");
    EXPECT_FALSE(without.wait(dev / "causeway/a/b", dev / "causeway0", std::chrono::hours(1)));
    write_file(dev / "control", "");
    EXPECT_FALSE(
        without.wait(dev / "causeway/a/b", dev / "causeway0", std::chrono::milliseconds(20)));
}

} // namespace
} // namespace causeway
