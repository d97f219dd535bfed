// SPDX-License-Identifier: GPL-2.0-or-later
// The state folder is on a disk that this machine attached from itself, or on another disk.
#include "fixture.h"

#include <netinet/in.h>

namespace causeway {
namespace {

namespace fs = std::filesystem;

class OwnDisks : public CommandTest {
  protected:
    OwnDisks() {
        write_file(root / "disk.img", std::string(8192, 'x'));
        fs::create_directory(state);
        AttachmentInfo info;
        info.server = "storage1";
        info.name = "scratch";
        info.disk = "causeway0";
        info.address = address_of("10.0.0.1");
        info.identity = Uuid::random();
        kernel.running_attachments.push_back(info);
        processes.acts["ip -json address"] = [this] {
            ProcessEnd end;
            end.out = addresses;
            return end;
        };
        value("/sys/class/block/causeway0/uevent", "DEVNAME=causeway0\nDEVTYPE=disk\n");
    }

    void value(const std::string &path, const std::string &text) { files.content[path] = text; }

    void mount(const std::string &device, const std::string &source) {
        value("/proc/self/mountinfo", "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n36 20 " + device +
                                          " / " + state.string() + " rw,relatime shared:1 - ext4 " +
                                          source + " rw\n");
    }

    int add_there(const std::string &where = "") {
        return run({"export", "add", "scratch", "--file", (root / "disk.img").string(), "--uuid",
                    identity.text(), "--no-persist", "--forget-owners", "--state-folder",
                    state.string() + where, "--allow", "any"});
    }

    const Uuid identity = Uuid::random();
    const fs::path state = fs::canonical(root.path()) / "state";
    std::string addresses = "[{\"ifname\":\"eth0\",\"addr_info\":[{\"family\":\"inet\",\"local\":"
                            "\"10.0.0.1\",\"prefixlen\":24,\"scope\":\"global\"}]}]";
};

TEST_F(OwnDisks, keep_no_ledger) {
    mount("259:1", "/dev/causeway0p1");
    value("/sys/dev/block/259:1/uevent", "DEVNAME=causeway0p1\nDEVTYPE=partition\n");
    value("/sys/class/block/causeway0p1/partition", "1\n");
    value("/sys/class/block/causeway0p1/../uevent", "DEVNAME=causeway0\n");
    const std::string refused =
        "causeway: the state folder " + state.string() +
        " lies on /dev/causeway0, which is attached from this machine as storage1/scratch: the "
        "ledger of owners cannot be there\n  give --state-folder DIR, a folder on a disk that does "
        "not need this server\n";
    EXPECT_EQ(add_there(), 1);
    EXPECT_EQ(err(), refused);
    fs::create_directories(state / "deep/er");
    EXPECT_EQ(add_there("/deep/er"), 1);
    EXPECT_TRUE(kernel.running_exports.empty());
    EXPECT_FALSE(fs::exists(root / "var/lib/causeway/owners"));

    // The folder is on LVM on LUKS on that disk. The second mount has an anonymous device number.
    mount("253:1", "/dev/mapper/vg-state");
    value("/sys/dev/block/253:1/uevent", "DEVNAME=dm-1\n");
    value("/sys/class/block/dm-1/slaves/dm-0", "");
    value("/sys/class/block/dm-0/slaves/causeway0p1", "");
    EXPECT_EQ(add_there(), 1);
    EXPECT_EQ(err(), refused);
    mount("0:45", "/dev/dm-1");
    EXPECT_EQ(add_there(), 1);
    EXPECT_EQ(err(), refused);

    // The attachment uses an address that this machine no longer has, but the same disk is offered.
    addresses = "[]";
    kernel.running_attachments[0].identity = identity;
    EXPECT_EQ(add_there(), 1);
    EXPECT_EQ(err(), refused);
    kernel.running_attachments[0].identity = Uuid::random();
    kernel.running_attachments[0].address = address_of("127.0.0.1");
    EXPECT_EQ(add_there(), 1);
    EXPECT_EQ(err(), refused);
    sockaddr_in6 local{};
    local.sin6_family = AF_INET6;
    local.sin6_addr.s6_addr[0] = 0xfe;
    local.sin6_addr.s6_addr[1] = 0x80;
    local.sin6_addr.s6_addr[15] = 1;
    local.sin6_scope_id = 1;
    kernel.running_attachments[0].address =
        *SocketAddress::from_bytes({reinterpret_cast<const std::uint8_t *>(&local), sizeof(local)});
    addresses = "[{\"addr_info\":[{\"family\":\"inet6\",\"local\":\"fe80::1\"}]}]";
    EXPECT_EQ(add_there(), 1);
    EXPECT_EQ(err(), refused);
}

TEST_F(OwnDisks, of_other_servers_may_keep_one) {
    mount("259:1", "/dev/causeway0");
    value("/sys/dev/block/259:1/uevent", "DEVNAME=causeway0\n");
    addresses = "";
    EXPECT_EQ(add_there(), 1);
    EXPECT_NE(err().find("\"ip -json address\" does not report whether its server 10.0.0.1 is this "
                         "machine"),
              std::string::npos)
        << err();
    addresses = "[{\"addr_info\":[{\"local\":\"10.0.0.2\"}]}, 1, {\"addr_info\":[1]}]";
    EXPECT_EQ(add_there(), 0) << err();
}

TEST_F(OwnDisks, are_not_taken_for_folders_without_a_disk) {
    for (const char *source : {"tmpfs", "overlay", "pool/data", "10.0.0.9:/srv"}) {
        mount("0:45", source);
        EXPECT_EQ(add_there(), 0) << err();
        EXPECT_EQ(run({"export", "remove", "scratch"}), 0);
    }
}

} // namespace
} // namespace causeway
