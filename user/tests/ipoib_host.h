// SPDX-License-Identifier: GPL-2.0-or-later
// A host in memory with one port of InfiniBand and its interface ib0.
#pragma once

#include "fixture.h"

#include <filesystem>
#include <iterator>
#include <string>

namespace causeway {

class IpoibHost : public CommandTest {
  protected:
    void SetUp() override {
        files.add_ipoib("ib0", "0xffff");
        files.content["/sys/class/net/eth0/type"] = "1\n";
        rdma.put("mlx4_0", "node_type", "1: CA");
        rdma.put("mlx4_0", "ports/1/gids/0", "fe80:0000:0000:0000:0002:c903:0010:1234");
        rdma.put("mlx4_0", "ports/1/pkeys/0", "0xffff");
        rdma.put("mlx4_0", "ports/1/pkeys/1", "0x8001");
        rdma.put("mlx4_0", "ports/1/pkeys/2", "0x0002");
        rdma.put("mlx4_0", "ports/1/pkeys/3", "0x0000");
        files.on_write["/sys/class/net/ib0/create_child"] = [this](const std::string &text) {
            files.add_ipoib("ib0." + text.substr(2, 4), text.substr(0, 6));
            files.content["/sys/class/net/ib0." + text.substr(2, 4) + "/parent"] = "ib0\n";
            return Result<void>();
        };
        files.on_write["/sys/class/net/ib0/delete_child"] = [this](const std::string &text) {
            const std::string folder = "/sys/class/net/ib0." + text.substr(2, 4) + "/";
            for (auto each = files.content.begin(); each != files.content.end();) {
                each = each->first.substr(0, folder.size()) == folder ? files.content.erase(each)
                                                                      : std::next(each);
            }
            return Result<void>();
        };
    }

    // Boots with this service running and the others stopped.
    void boot(const std::string &service) {
        std::filesystem::create_directories(root / "run/systemd/system");
        for (const char *each : {"NetworkManager.service", "systemd-networkd.service"}) {
            const int ends = service == each ? 0 : 3;
            processes.acts[std::string("systemctl is-active --quiet ") + each] = [ends] {
                return FakeProcesses::failure("", ends);
            };
        }
    }
    void boot_ifupdown() {
        write_file(root / "etc/network/interfaces", "source /etc/network/interfaces.d/*\n");
    }

    bool there(const std::string &interface) {
        return files.content.count("/sys/class/net/" + interface + "/type") != 0;
    }
    std::filesystem::path record(const std::string &name) const {
        return root / ("etc/causeway/interfaces.d/" + name + ".conf");
    }
    std::filesystem::path keyfile(const std::string &name) const {
        return root / ("etc/NetworkManager/system-connections/causeway-" + name + ".nmconnection");
    }
    std::filesystem::path network(const std::string &name) const {
        return root / ("etc/systemd/network/10-causeway-" + name);
    }
    std::filesystem::path mode_rule() const {
        return root / "etc/udev/rules.d/85-causeway-ipoib-ib0.rules";
    }
    std::filesystem::path stanzas(const std::string &name) const {
        return root / ("etc/network/interfaces.d/causeway-" + name);
    }
    bool says(const std::string &text) const { return err().find(text) != std::string::npos; }
    void answers(const std::string &program, const std::string &text) {
        processes.acts[program] = [text] {
            ProcessEnd end;
            end.out = text;
            return end;
        };
    }
};

} // namespace causeway
