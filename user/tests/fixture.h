// SPDX-License-Identifier: GPL-2.0-or-later
// Gives each test a world of its own: a temporary root, a kernel in memory, captured output.
#pragma once

#include "command/dispatch.h"
#include "fake_host.h"
#include "fake_kernel.h"
#include "machine/world.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace causeway {

class TemporaryFolder {
  public:
    TemporaryFolder();
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;
    ~TemporaryFolder();

    std::filesystem::path operator/(const std::string &name) const { return path_ / name; }
    const std::filesystem::path &path() const { return path_; }

  private:
    std::filesystem::path path_;
};

SocketAddress address_of(const std::string &text, std::uint16_t port = default_port);
std::string read_file(const std::filesystem::path &place);
// From the environment variable CAUSEWAY_TOP. With a compiled-in path, ccache could not use an
// object for another clone.
std::filesystem::path source_tree();
void write_file(const std::filesystem::path &place, const std::string &content,
                unsigned int mode = 0644);
// The words of an "export add". Adds --allow any if they do not name the hosts that may attach.
std::vector<std::string> with_clients(std::vector<std::string> words);
unsigned int mode_of(const std::filesystem::path &place);

class FakeResolver final : public Resolver {
  public:
    Result<std::vector<SocketAddress>> resolve(const ServerName &server) override;

    std::map<std::string, std::vector<std::string>> names = {{"storage1", {"10.0.0.1"}}};
    ExitCode unknown = ExitCode::unavailable; // try_again: no name server has answered
};

class FakeLinks final : public DeviceLinks {
  public:
    std::filesystem::path link(const std::string &server, const std::string &name) const override {
        return "/dev/causeway/" + link_word(server) + "/" + name;
    }
    std::filesystem::path node(const std::string &disk) const override { return "/dev/" + disk; }
    bool ready(const std::filesystem::path & /*link*/,
               const std::filesystem::path & /*node*/) const override {
        return udev;
    }
    bool wait(const std::filesystem::path & /*link*/, const std::filesystem::path & /*node*/,
              std::chrono::milliseconds /*limit*/) override {
        return udev;
    }

    bool udev = true;
};

class CommandTest : public testing::Test {
  protected:
    // Runs "causeway" with these words. out() and err() return its output since then.
    int run(const std::vector<std::string> &words);
    // The same for mount.nfs-causeway.
    int help_mount(const std::vector<std::string> &words);
    // The same with --json. Stores the exit status in `status`.
    nlohmann::json json(std::vector<std::string> words);
    std::string out() const { return out_.str(); }
    std::string err() const { return err_.str(); }
    bool logged(const std::string &request) const;
    std::filesystem::path export_file(const std::string &name) const {
        return root / ("etc/causeway/exports.d/" + name + ".conf");
    }
    std::filesystem::path attachment_file(const std::string &name) const {
        return root / ("etc/causeway/attachments.d/" + name + ".conf");
    }

    TemporaryFolder root;
    FakeModules modules;
    FakeKernel kernel{modules};
    FakeResolver resolver;
    FakeLinks links;
    FakeKernelFiles files;
    FakeClock clock;
    FakeProcesses processes{files, clock};
    FakeRdmaLinks rdma{files};
    FakeRdmaPaths paths;
    FakeTcpPorts tcp_ports;
    FakeMountUse mount_use{processes};
    FakeDiskUse disk_use;
    Uuid boot = Uuid::random();
    int status = 0;
    Terminal on_terminal{};

    // A world for tests that call the functions behind a verb.
    World world(bool as_json);
    // Runs the last command of `processes`, which must be this program, as a process of its own.
    ProcessEnd run_as_child();

  private:
    World world_with(std::ostream &out, std::ostream &err, bool as_json);

    std::ostringstream out_;
    std::ostringstream err_;
};

} // namespace causeway
