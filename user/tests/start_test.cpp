// SPDX-License-Identifier: GPL-2.0-or-later
// Tests that "restore", as units run it, notifies systemd in time that it has started.
#include "command/readiness.h"
#include "fixture.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace causeway {
namespace {

// The end of systemd: a socket to which units send.
class Starting : public CommandTest {
  protected:
    void SetUp() override {
        const std::string path = (root / "notify").string();
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        ASSERT_LT(path.size(), sizeof(address.sun_path));
        std::copy(path.begin(), path.end(), std::begin(address.sun_path));
        socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        // bind() takes any address as a sockaddr.
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
        ASSERT_EQ(::bind(socket_, reinterpret_cast<const sockaddr *>(&address), sizeof(address)),
                  0);
        ::setenv("NOTIFY_SOCKET", path.c_str(), 1); // NOLINT(concurrency-mt-unsafe)
    }
    void TearDown() override {
        ::unsetenv("NOTIFY_SOCKET"); // NOLINT(concurrency-mt-unsafe)
        ::close(socket_);
    }

    // Returns what was sent. Empty if nothing was sent and `wait` is false.
    std::string told(bool wait) const {
        std::array<char, 64> text{};
        const ssize_t got = ::recv(socket_, text.data(), text.size(), wait ? 0 : MSG_DONTWAIT);
        return got < 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(got));
    }

  private:
    int socket_ = -1;
};

TEST_F(Starting, is_reported_once_when_the_work_is_done) {
    write_file(export_file("m"), "[export]\nram = 64M\n");
    EXPECT_EQ(run({"restore", "--own"}), 0) << err();
    EXPECT_EQ(told(false), "READY=1");
    EXPECT_EQ(told(false), "");
}

TEST_F(Starting, is_not_reported_where_the_work_failed_in_time) {
    write_file(attachment_file("a"), "[attachment]\nserver = later\nname = scratch\n");
    EXPECT_EQ(run({"restore", "--own"}), 75);
    EXPECT_EQ(told(false), "");
}

TEST_F(Starting, is_reported_after_the_limit_while_the_work_goes_on) {
    Readiness readiness(std::chrono::milliseconds(1));
    EXPECT_EQ(told(true), "READY=1");
    readiness.tell();
    EXPECT_EQ(told(false), "");
}

TEST_F(Starting, brings_back_one_kind_where_that_is_asked_for) {
    write_file(export_file("m"), "[export]\nram = 64M\n");
    EXPECT_EQ(run({"restore", "--stock"}), 0) << err();
    EXPECT_TRUE(kernel.running_exports.empty());
    EXPECT_EQ(run({"restore", "--own", "--stock"}), 64);
    EXPECT_EQ(run({"restore"}), 0) << err();
    EXPECT_EQ(kernel.running_exports.size(), 1U);
}

} // namespace
} // namespace causeway
