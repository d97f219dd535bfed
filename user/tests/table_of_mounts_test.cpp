// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the lines of fstab for attached disks, and of doctor's findings about such lines.
#include "disk/fstab.h"

#include "attach_fixture.h"
#include "doctor/gather.h"
#include "doctor_host.h"
#include "host/fstab.h"

namespace causeway {
namespace {

constexpr const char *line_of_scratch = "/dev/causeway/storage1/scratch  /mnt/scratch  auto  "
                                        "_netdev,nofail,x-systemd.device-timeout=5min  0  2";

TEST_F(AttachTest, prints_the_line_of_fstab_on_a_terminal_only) {
    EXPECT_EQ(attach({}), 0) << err();
    EXPECT_EQ(out(), "/dev/causeway/storage1/scratch\n");
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
    on_terminal = {100, false};
    EXPECT_EQ(attach({}), 0) << err();
    EXPECT_EQ(out(), std::string("/dev/causeway/storage1/scratch\nto mount it at boot, add to "
                                 "/etc/fstab: ") +
                         line_of_scratch + "\n");
}

TEST_F(AttachTest, reports_the_line_of_fstab_of_a_disk_that_comes_back) {
    EXPECT_EQ(json({"attach", "storage1/scratch"})["fstab"], line_of_scratch);
    EXPECT_EQ(json({"list"})["attachments"][0]["fstab"], line_of_scratch);
    EXPECT_EQ(run({"list", "--fstab"}), 0) << err();
    EXPECT_EQ(out(), std::string(line_of_scratch) + "\n");
    EXPECT_EQ(run({"detach", "storage1/scratch"}), 0) << err();
    EXPECT_EQ(json({"attach", "storage1/scratch", "--no-persist"})["fstab"], nullptr);
    links.udev = false; // nothing has the same name after a reboot
    EXPECT_EQ(json({"list"})["attachments"][0]["fstab"], nullptr);
    EXPECT_EQ(run({"list", "--fstab"}), 0) << err();
    EXPECT_EQ(out(), "no disk is attached that has a link in /dev\n");
}

TEST(Fstab, has_lines_with_their_numbers_and_options) {
    const auto lines = parse_fstab("# a comment\n\nUUID=a / ext4 errors=remount-ro 0 1\n"
                                   "  /dev/sdb1 /mnt/with\\040blank xfs\n/dev/sdc1 /half\n"
                                   "s:/srv /srv nfs _netdev,nofail 0 0");
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0].number, 3U);
    EXPECT_EQ(lines[1].directory, "/mnt/with blank");
    EXPECT_EQ(lines[1].text, "/dev/sdb1 /mnt/with\\040blank xfs");
    EXPECT_EQ(lines[1].type, "xfs");
    EXPECT_TRUE(lines[1].options.empty());
    EXPECT_EQ(lines[2].number, 6U);
    EXPECT_TRUE(lines[2].has("nofail"));
    EXPECT_FALSE(lines[2].has("fail"));
    EXPECT_TRUE(parse_fstab("").empty());
}

TEST(Fstab, names_devices_in_many_ways) {
    EXPECT_EQ(device_of_source("UUID=\"4F2A-11\""), "/dev/disk/by-uuid/4f2a-11");
    EXPECT_EQ(device_of_source("LABEL=my disk"), "/dev/disk/by-label/my\\x20disk");
    EXPECT_EQ(device_of_source("PARTLABEL=a/b"), "/dev/disk/by-partlabel/a\\x2fb");
    EXPECT_EQ(device_of_source("ID=causeway-1"), "/dev/disk/by-id/causeway-1");
    EXPECT_EQ(device_of_source("/dev/sda1"), "/dev/sda1");
    EXPECT_FALSE(device_of_source("server:/srv"));
    EXPECT_FALSE(device_of_source("tmpfs"));
}

class FstabOfHost : public SoundHost {
  protected:
    void SetUp() override {
        SoundHost::SetUp();
        disk_use.devices["/dev/disk/by-uuid/11"] = {true, 259, 5, 0};
        value("/sys/dev/block/259:5/uevent", "MAJOR=259\nMINOR=5\nDEVNAME=causeway0p1");
        disk_use.devices["/dev/vg/lv"] = {true, 253, 3, 0};
        value("/sys/dev/block/253:3/uevent", "DEVNAME=dm-3");
        value("/sys/class/block/dm-3/slaves/dm-2/x", "");
        value("/sys/class/block/dm-2/slaves/causeway1/x", "");
        disk_use.devices["/dev/sda1"] = {true, 8, 1, 0};
        value("/sys/dev/block/8:1/uevent", "DEVNAME=sda1");
    }
    // The sentences of doctor's findings about fstab, with their identifiers.
    std::vector<std::string> sentences(const std::string &fstab) {
        write_file(root / "etc/fstab", fstab + "\n");
        std::vector<std::string> all;
        const auto told = json({"doctor"});
        for (const auto &each : told["findings"]) {
            if (each["id"].get<std::string>().substr(0, 6) == "fstab-") {
                all.push_back(each["id"].get<std::string>() + ": " +
                              each["what"].get<std::string>());
                fixes.push_back(each["fix"]);
            }
        }
        return all;
    }
    std::vector<std::string> fixes;
};

TEST_F(FstabOfHost, is_sound_with_the_printed_line_and_for_other_disks) {
    for (const std::string line :
         {line_of_scratch, "/dev/sda1 / ext4 defaults 0 1", "/dev/sdz9 /x ext4 defaults 0 1",
          "server:/srv /srv nfs defaults 0 0", "UUID=22 /y ext4 defaults 0 2",
          "/dev/causeway0 /mnt ext4 noauto 0 0", "/dev/causeways /mnt ext4 defaults 0 0"}) {
        EXPECT_EQ(sentences(line), std::vector<std::string>{}) << line;
    }
}

TEST_F(FstabOfHost, lacks_netdev_for_every_name_of_a_disk) {
    for (const std::string source : {"/dev/causeway/storage1/scratch", "/dev/causeway7p2",
                                     "/dev/disk/by-id/causeway-1-part1", "UUID=11", "/dev/vg/lv"}) {
        EXPECT_EQ(sentences(source + " /mnt ext4 defaults,nofail 0 2"),
                  std::vector<std::string>{
                      "fstab-without-netdev: line 1 of /etc/fstab mounts " + source +
                      ", which is on a Causeway disk, at /mnt without the option _netdev"});
        EXPECT_EQ(fixes.back(), "add _netdev to the options of line 1 of /etc/fstab, then: "
                                "systemctl daemon-reload");
    }
    sentences("UUID=11 /mnt ext4");
    EXPECT_EQ(fixes.back(), "add _netdev,nofail to the options of line 1 of /etc/fstab, then: "
                            "systemctl daemon-reload");
}

TEST_F(FstabOfHost, lacks_nofail) {
    EXPECT_EQ(sentences("# the disk\nUUID=11 /mnt ext4 _netdev 0 2"),
              std::vector<std::string>{
                  "fstab-without-nofail: line 2 of /etc/fstab mounts UUID=11, which is on a "
                  "Causeway disk, at /mnt without the option nofail"});
}

} // namespace
} // namespace causeway
