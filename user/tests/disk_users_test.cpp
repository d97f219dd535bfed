// SPDX-License-Identifier: GPL-2.0-or-later
// A disk or file in use is not exported, and an attached disk in use is not detached.
#include "base/descriptor.h"
#include "fixture.h"
#include "stock/disk_users.h"

#include <fcntl.h>
#include <unistd.h>

namespace causeway {
namespace {

namespace fs = std::filesystem;

const std::string nvmet = "/sys/kernel/config/nvmet/subsystems/nqn.x/namespaces/1/";
const std::string backstore = "/sys/kernel/config/target/core/iblock_0/theirs/";

class DiskUsers : public CommandTest {
  protected:
    void SetUp() override {
        files.content["/proc/self/mountinfo"] =
            "30 25 0:26 / /sys/kernel/config rw - configfs configfs rw\n";
        device("sdb", "8:16", {true, 8, 16, 0});
        device("sdb1", "8:17", {true, 8, 17, 0});
        files.content["/sys/class/block/sdb/sdb1/dev"] = "8:17\n";
        device("sdc", "8:32", {true, 8, 32, 0});
        disk_use.devices["/dev/disk/by-id/x"] = {true, 8, 16, 0};
        write_file(root / "disk.img", std::string(8192, 'x'));
        fs::create_symlink(root / "disk.img", root / "link.img");
    }

    void device(const std::string &name, const std::string &number, const Backing &backing) {
        files.content["/sys/class/block/" + name + "/dev"] = number + "\n";
        disk_use.devices["/dev/" + name] = backing;
    }

    std::string user(const std::string &path) {
        World around = world(false);
        return user_of_path(around, path);
    }

    std::string image() const { return (root / "disk.img").string(); }

    // Expects that both transports refuse it, with and without --dry-run.
    void refused(const std::string &saying) {
        for (const char *via : {"", "nvme", "iser"}) {
            for (const bool dry : {true, false}) {
                std::vector<std::string> words = {"export", "add",     "new", "--file",
                                                  image(),  "--allow", "any"};
                if (*via != '\0') {
                    words.insert(words.end(), {"--via", via});
                }
                if (dry) {
                    words.emplace_back("--dry-run");
                }
                EXPECT_EQ(run(words), 75) << via << dry << out();
                EXPECT_NE(err().find("cannot export 'new': " + image() + " is in use: " + saying),
                          std::string::npos)
                    << err();
            }
        }
        EXPECT_FALSE(fs::exists(export_file("new")));
        EXPECT_FALSE(logged("add new"));
        EXPECT_TRUE(files.folders.empty());
    }
};

TEST_F(DiskUsers, of_a_device_are_found_by_what_the_kernel_says) {
    EXPECT_EQ(user("/dev/disk/by-id/x"), "");
    EXPECT_EQ(user("/dev/none"), "");
    const auto with = [&](const std::string &place, const std::string &text) {
        const auto before = files.content;
        files.content[place] += text;
        const std::string found = user("/dev/disk/by-id/x");
        EXPECT_EQ(user("/dev/sdc"), "") << place;
        files.content = before;
        return found;
    };
    EXPECT_EQ(with("/proc/self/mountinfo", "40 25 8:17 / /mnt/x rw - ext4 /dev/sdb1 rw\n"),
              "/dev/sdb1 is mounted at /mnt/x");
    EXPECT_EQ(with("/proc/self/mountinfo", "40 25 0:50 / /mnt/b rw - btrfs /dev/sdb rw\n"),
              "/dev/sdb is mounted at /mnt/b");
    EXPECT_EQ(with("/proc/swaps", "Filename Type\n/dev/sdb1 partition 1 0 -2\n"),
              "this machine swaps to /dev/sdb1");
    EXPECT_EQ(with("/sys/class/block/sdb/holders/dm-0/x", ""), "/dev/sdb is used by dm-0");
    EXPECT_EQ(with("/sys/class/block/loop0/loop/backing_file", "/dev/sdb\n"),
              "the loop device /dev/loop0 is on /dev/sdb");
    EXPECT_EQ(with(backstore + "udev_path", "/dev/sdb1\n"),
              "the backstore iblock_0/theirs of LIO exports /dev/sdb1");
    files.content[nvmet + "enable"] = "0\n";
    EXPECT_EQ(with(nvmet + "device_path", "/dev/sdb\n"), "");
    files.content[nvmet + "enable"] = "1\n";
    EXPECT_EQ(with(nvmet + "device_path", "/dev/sdb\n"), "the NVMe target nqn.x exports /dev/sdb");
}

// The stack: an array on sdb1, on it a volume group with two volumes, on one a LUKS mapping.
TEST_F(DiskUsers, are_named_up_to_the_mount_and_released_from_the_top) {
    const std::string block = "/sys/class/block/";
    const auto on = [&](const std::string &below, const std::string &above) {
        files.content[block + below + "/holders/" + above + "/x"] = "";
    };
    const auto mapping = [&](const std::string &name, const std::string &title,
                             const std::string &kind, const std::string &number) {
        files.content[block + name + "/dm/name"] = title + "\n";
        files.content[block + name + "/dm/uuid"] = kind + "\n";
        files.content[block + name + "/dev"] = number + "\n";
    };
    const auto released = [&] {
        World around = world(false);
        return release_of_disk(around, "sdb");
    };
    EXPECT_EQ(released(), "");
    files.content[block + "md127/md/level"] = "raid1\n";
    on("sdb1", "md127");
    EXPECT_EQ(user("/dev/sdb"), "/dev/sdb1 is used by the array md127 (raid1)");
    EXPECT_EQ(released(), "mdadm --stop /dev/md127");

    mapping("dm-0", "da--ta-home--one", "LVM-x", "253:0");
    mapping("dm-1", "da--ta-secret", "LVM-y", "253:1");
    mapping("dm-2", "secret", "CRYPT-LUKS2-x", "253:2");
    on("md127", "dm-0");
    on("md127", "dm-1");
    on("dm-1", "dm-2");
    files.content["/proc/self/mountinfo"] +=
        "40 25 253:0 / /home rw - ext4 /dev/mapper/da--ta-home--one rw\n"
        "41 40 0:51 / /home/in\\040side rw - btrfs /dev/mapper/secret rw\n";
    EXPECT_EQ(user("/dev/sdb"),
              "/dev/sdb1 is used by the array md127 (raid1), which is used by the logical volume "
              "da-ta/home-one (dm-0), which is mounted at /home");
    EXPECT_EQ(released(), "umount /home; umount /dev/dm-2; cryptsetup close secret; "
                          "vgchange -an da-ta; mdadm --stop /dev/md127");

    mapping("dm-2", "o; reboot", "CRYPT-LUKS2-x", "253:2");
    EXPECT_NE(released().find("cryptsetup close /dev/dm-2; "), std::string::npos) << released();
    mapping("dm-2", "mpatha", "mpath-x", "253:2");
    EXPECT_NE(released().find("multipath -f mpatha; "), std::string::npos) << released();
    mapping("dm-2", "other", "", "253:2");
    EXPECT_NE(released().find("dmsetup remove other; "), std::string::npos) << released();
}

// Such a use is a mount in another namespace, a ZFS pool, or the second disk of btrfs.
TEST_F(DiskUsers, of_other_namespaces_are_found_by_their_claim) {
    disk_use.claimed = {"/dev/sdb1"};
    EXPECT_EQ(user("/dev/sdb"), "/dev/sdb1 is mounted elsewhere, or part of another device");
    EXPECT_EQ(user("/dev/sdb1"), "/dev/sdb1 is mounted elsewhere, or part of another device");
    disk_use.claimed.clear();
    disk_use.writers["/dev/sdb"] = "qemu (process 812)";
    EXPECT_EQ(user("/dev/sdb1"), "qemu (process 812) has /dev/sdb open");
    EXPECT_EQ(user("/dev/sdc"), "");
}

TEST_F(DiskUsers, of_a_file_keep_it_from_being_exported) {
    const std::string linked = (root / "link.img").string();
    files.content["/sys/class/block/loop0/loop/backing_file"] = linked + "\n";
    refused("the loop device /dev/loop0 is on " + linked);
    files.content["/sys/class/block/loop0/loop/backing_file"] = "/none (deleted)\n";
    files.content["/proc/swaps"] = "Filename Type\n" + image() + " file 1 0 -2\n";
    refused("this machine swaps to " + image());
    files.content.erase("/proc/swaps");
    disk_use.written = {image()};
    refused(image() + " is open for writing");
    disk_use.writers[image()] = "qemu (process 812)";
    refused("qemu (process 812) has " + image() + " open");
    disk_use.written.clear();
    disk_use.writers.clear();
    files.content[nvmet + "device_path"] = linked + "\n";
    files.content[nvmet + "enable"] = "1\n";
    refused("the NVMe target nqn.x exports " + linked);
}

TEST_F(DiskUsers, are_other_exports_by_whatever_transport) {
    ASSERT_EQ(run({"export", "add", "own", "--file", (root / "link.img").string(), "--allow", "any",
                   "--no-persist"}),
              0)
        << err();
    refused("the export 'own' has " + (root / "link.img").string());
    kernel.running_exports.front().ending = true;
    refused("the export 'own' is ending, but its disk has not answered yet: ");
    kernel.running_exports.clear();
    ASSERT_EQ(run({"export", "add", "theirs", "--file", image(), "--via", "nvme", "--allow", "any",
                   "--no-persist"}),
              0)
        << err();
    EXPECT_EQ(run({"export", "add", "own", "--file", image(), "--allow", "any"}), 75);
    EXPECT_NE(err().find("theirs exports " + image()), std::string::npos) << err();
}

// The new export would not start at the next boot.
TEST_F(DiskUsers, to_come_are_exports_that_are_configured) {
    ASSERT_EQ(
        run({"export", "add", "theirs", "--file", image(), "--via", "nvme", "--allow", "any"}), 0)
        << err();
    processes.acts["/proc/self/exe stop-stock-"] = [this] { return run_as_child(); };
    ASSERT_EQ(run({"stop"}), 0) << err();
    EXPECT_EQ(run({"export", "add", "own", "--file", image(), "--allow", "any", "--dry-run"}), 1);
    EXPECT_NE(err().find("the export 'theirs' is configured with " + image()), std::string::npos)
        << err();
    EXPECT_EQ(run({"restore"}), 0) << err();
}

TEST_F(DiskUsers, that_came_meanwhile_keep_an_export_from_its_restore) {
    for (const char *via : {"", "nvme"}) {
        std::vector<std::string> words = {"export", "add",     "x",  "--file",
                                          image(),  "--allow", "any"};
        if (*via != '\0') {
            words.insert(words.end(), {"--via", via});
        }
        ASSERT_EQ(run(words), 0) << err();
        processes.acts["/proc/self/exe stop-stock-"] = [this] { return run_as_child(); };
        ASSERT_EQ(run({"stop"}), 0) << err();
        disk_use.written = {image()};
        EXPECT_EQ(run({"restore"}), 75) << via;
        EXPECT_NE(err().find("is open for writing"), std::string::npos) << err();
        disk_use.written.clear();
        ASSERT_EQ(run({"restore"}), 0) << err();
        ASSERT_EQ(run({"export", "remove", "x"}), 0) << err();
        // Undo checks the exports that it makes again, too.
        if (*via != '\0') {
            disk_use.written = {image()};
            EXPECT_EQ(run({"undo", "--last"}), 75);
            EXPECT_NE(err().find(image() + " is in use"), std::string::npos) << err();
            disk_use.written.clear();
        }
    }
}

TEST(SystemDiskUse, sees_who_writes_to_a_file) {
    const TemporaryFolder folder;
    const std::string file = (folder / "disk.img").string();
    write_file(file, "x");
    fs::create_hard_link(file, folder / "other.img");
    SystemDiskUse use;
    ASSERT_TRUE(use.find(file));
    EXPECT_EQ(use.find(file), use.find((folder / "other.img").string()));
    EXPECT_FALSE(use.find("/dev/null"));
    EXPECT_FALSE(use.find((folder / "none").string()));
    EXPECT_FALSE(use.is_being_written(file));
    EXPECT_EQ(use.writer({file}), "");
    const Descriptor reader(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    EXPECT_FALSE(use.is_being_written(file));
    EXPECT_EQ(use.writer({file}), "");
    const Descriptor writer(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
    EXPECT_TRUE(use.is_being_written(file));
    EXPECT_NE(use.writer({file}).find("(process " + std::to_string(::getpid()) + ") has " + file),
              std::string::npos)
        << use.writer({file});
}

} // namespace
} // namespace causeway
