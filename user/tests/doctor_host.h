// SPDX-License-Identifier: GPL-2.0-or-later
// A host in memory without any problem, although it has everything: InfiniBand, RoCE by hardware
// and by software, exports, a disk, NFS as client and server.
#pragma once

#include "fixture.h"

#include <string>

namespace causeway {

class SoundHost : public CommandTest {
  protected:
    void SetUp() override;

    void value(const std::string &path, const std::string &text) {
        files.content[path] = text + "\n";
    }
    void says(const std::string &words, const std::string &out, int code = 0) {
        processes.acts[words] = [=] {
            ProcessEnd end;
            end.status = code;
            end.out = out;
            return end;
        };
    }
    void log(const std::string &line) { says("dmesg", "[   12.345678] " + line); }
    void modinfo(const std::string &release, const std::string &signer) {
        says("modinfo causeway", "filename:       /lib/modules/x/updates/dkms/causeway.ko\n"
                                 "vermagic:       " +
                                     release + " SMP preempt mod_unload modversions" +
                                     (signer.empty() ? "" : "\nsigner:         " + signer));
    }
    void secure_boot() {
        files.content["/sys/firmware/efi/efivars/"
                      "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"] =
            std::string("\x06\0\0\0\x01", 5);
    }
    void addresses(const std::string &eth0, const std::string &eth1, unsigned int mtu = 9000);
    // Sets one port of a device in sysfs.
    void port(const std::string &device, const std::string &state, const std::string &phys,
              const std::string &rate, const std::string &layer);
    std::string infiniband(const std::string &file) {
        return "/sys/class/infiniband/mlx4_0/" + file;
    }
    void ib0(const std::string &mode, const std::string &mtu, const std::string &first = "80");
    void ib1(const std::string &mode, const std::string &mtu);
    SessionInfo &session() { return kernel.running_sessions.front(); }
    NfsConnection nfs_client(std::uint8_t state);

  private:
    void modules_and_log();
    void devices();
    void services();
    void disks();
    void nfs();
};

} // namespace causeway
