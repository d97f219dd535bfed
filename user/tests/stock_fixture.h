// SPDX-License-Identifier: GPL-2.0-or-later
// A host in memory with the targets and initiators of the kernel's own transports.
#pragma once

#include "fixture.h"

namespace causeway {

class Stock : public CommandTest {
  public:
    static inline const std::string config = "/sys/kernel/config";
    static inline const std::string iqn = "iqn.2003-01.org.linux-iscsi.store-1:scratch";
    static inline const std::string nqn = "nqn.2014-08.org.nvmexpress.store-1:scratch";
    static inline const std::string client_iqn = "iqn.1993-08.org.debian:01:abcdef";
    static constexpr const char *other_iqn = "iqn.1993-08.org.debian:01:other";
    static constexpr const char *secret = "Y2F1c2V3YXktc2VjcmV0LTE=";
    static constexpr const char *other_secret = "Y2F1c2V3YXktc2VjcmV0LTI=";
    static inline const std::string client_nqn =
        "nqn.2014-08.org.nvmexpress:uuid:5cbe11f0-0000-4000-8000-000000000001";

    // A record of a discovery log page, as nvme-cli prints it.
    static std::string nvme_record(const std::string &transport, const std::string &name,
                                   const std::string &subtype = "nvme subsystem") {
        return R"({"trtype":")" + transport + R"(","adrfam":"ipv4","subtype":")" + subtype +
               R"(","treq":"not specified","portid":1,"trsvcid":"4420","subnqn":")" + name +
               R"(","traddr":"10.0.0.1"})";
    }

  protected:
    void SetUp() override {
        files.content["/proc/self/mountinfo"] =
            "30 25 0:26 / /sys/kernel/config rw - configfs configfs rw\n";
        files.content["/proc/sys/kernel/hostname"] = "Store_1\n";
        write_file(root / "disk.img", std::string(8192, 'x'));
        processes.acts["/proc/self/exe stop-stock-"] = [this] { return run_as_child(); };
    }

    // Sets the output of rdma of iproute2 for a client that is connected to this port.
    void connect(unsigned int port, const std::string &state = "CONNECT") {
        processes.acts["rdma -j resource show cm_id"] = [port, state] {
            ProcessEnd end;
            const std::string at = std::to_string(port);
            end.out = R"([{"ifname":"rxe0","cm-idn":0,"state":"LISTEN","ps":"TCP","comm":)"
                      R"("nvmet_rdma","src-addr":"0.0.0.0:)" +
                      at + R"("},{"ifname":"rxe0","port":1,"cm-idn":2,"state":")" + state +
                      R"(","ps":"TCP","comm":"nvmet_rdma","src-addr":"10.0.0.1:)" + at +
                      R"(","dst-addr":"10.0.0.2:40000"},{"dst-addr":7,"src-addr":[]},3])";
            return end;
        };
    }

    std::vector<std::string> add(const std::string &via, std::vector<std::string> more = {}) {
        std::vector<std::string> words = {"export", "add",   "scratch", "--file",
                                          disk(),   "--via", via};
        words.insert(words.end(), more.begin(), more.end());
        return with_clients(words);
    }

    std::string disk() const { return (root / "disk.img").string(); }
    // The files of the secrets of --chap-key-file and --chap-mutual-key-file.
    std::string key() const { return (root / "key").string(); }
    std::string other_key() const { return (root / "key2").string(); }
    void write_keys(const std::string &own, const std::string &other) const {
        write_file(key(), own + "\n", 0600);
        write_file(other_key(), other + "\n", 0600);
    }
    // The options of CHAP with these files.
    std::vector<std::string> chap(bool mutual) const {
        std::vector<std::string> words = {"--chap-user", "anna", "--chap-key-file", key()};
        if (mutual) {
            words.insert(words.end(),
                         {"--chap-mutual-user", "store", "--chap-mutual-key-file", other_key()});
        }
        return words;
    }
    std::filesystem::path dropin() const {
        return root / "etc/causeway/stock-exports.d/scratch.conf";
    }
    std::filesystem::path attachment() const {
        return root / "etc/causeway/stock-attachments.d/storage1:scratch.conf";
    }
    std::string value(const std::string &path) { return files.content[config + path]; }
    std::string link(const std::string &path) { return files.symlinks[config + path]; }
    bool nothing_left() const { return files.folders.empty() && files.symlinks.empty(); }

    void put(const std::string &path, const std::string &text) {
        files.content[path] = text + "\n";
    }
    // Removes the files that exist only as long as a connection.
    void drop(const std::string &start) {
        auto &content = files.content;
        for (auto file = content.begin(); file != content.end();) {
            file = file->first.rfind(start, 0) == 0 ? content.erase(file) : std::next(file);
        }
    }
    void block(const std::string &name) {
        put("/sys/class/block/" + name + "/size", "2048");
        put("/sys/class/block/" + name + "/dev", "8:0");
    }

    void offer_nvme(const std::string &offered = nqn, const std::string &transport = "rdma") {
        processes.acts["nvme discover"] = [offered, transport] {
            ProcessEnd end;
            end.out = R"({"genctr":3,"records":[)" + nvme_record(transport, offered) + "]}";
            return end;
        };
        processes.acts["nvme connect"] = [this, offered, transport] {
            put("/sys/class/nvme/nvme0/subsysnqn", offered);
            put("/sys/class/nvme/nvme0/transport", transport);
            put("/sys/class/nvme/nvme0/address", "traddr=10.0.0.1,trsvcid=4420");
            put("/sys/class/nvme/nvme0/state", "live");
            put("/sys/class/nvme/nvme0/nvme0c0n1/size", "2048");
            block("nvme0n1");
            return ProcessEnd{};
        };
        processes.acts["nvme disconnect"] = [this] {
            drop("/sys/class/nvme/nvme0/");
            drop("/sys/class/block/nvme0n1/");
            return ProcessEnd{};
        };
    }

    void offer_iscsi() {
        processes.acts["iscsiadm -m discovery"] = [] {
            ProcessEnd end;
            end.out = "10.0.0.1:3260,1 " + iqn + "\n10.0.0.1:3260,1 iqn.2003-01.org.x:other";
            return end;
        };
        // open-iscsi has no record of the target.
        processes.acts["iscsiadm -m node -o show"] = [] {
            return FakeProcesses::failure("iscsiadm: No records found", 21);
        };
        const auto login = [this] {
            put("/sys/class/iscsi_session/session1/targetname", iqn);
            put("/sys/class/iscsi_session/session1/state", "LOGGED_IN");
            put("/sys/class/iscsi_session/session1/device/target2:0:0/x", "");
            put("/sys/class/scsi_disk/2:0:0:0/device/block/sda/size", "2048");
            block("sda");
            return ProcessEnd{};
        };
        const std::string node = "iscsiadm -m node -T " + iqn;
        processes.acts[node + " -p 10.0.0.1:3260 -I iser --login"] = login;
        processes.acts[node + " -p 10.0.0.1:3260 -I default --login"] = login;
        processes.acts[node + " -p 10.0.0.1:3260 --logout"] = [this] {
            drop("/sys/class/iscsi_session/");
            drop("/sys/class/scsi_disk/");
            drop("/sys/class/block/sda/");
            return ProcessEnd{};
        };
    }

    int srp_removed_after_s = 1;

    void have_srp() {
        const std::string port = "/sys/class/infiniband_srp/srp-rxe0-1/";
        put(port + "ibdev", "rxe0");
        files.on_write[port + "add_target"] = [this](const std::string &) -> Result<void> {
            put("/sys/class/scsi_host/host7/ioc_guid", "0x505400fffe000001");
            put("/sys/class/srp_remote_ports/port-7:1/state", "running");
            put("/sys/class/scsi_disk/7:0:0:0/device/block/sdb/size", "2048");
            block("sdb");
            return {};
        };
        files.on_write["/sys/class/srp_remote_ports/port-7:1/delete"] =
            [this](const std::string &) -> Result<void> {
            // The kernel removes the host in the background.
            clock.events.emplace(clock.now() + std::chrono::seconds(srp_removed_after_s), [this] {
                drop("/sys/class/scsi_host/host7/");
                drop("/sys/class/scsi_disk/");
            });
            return {};
        };
    }
};

} // namespace causeway
