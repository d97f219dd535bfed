// SPDX-License-Identifier: GPL-2.0-or-later
#include "command/readiness.h"

#include "base/descriptor.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>

namespace causeway {

namespace {

// The socket is a path, or an abstract name after '@'. Errors are ignored, for example if the
// socket no longer exists.
void notify(const std::string &socket, std::string_view message) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socket.size() >= sizeof(address.sun_path)) {
        return;
    }
    std::copy(socket.begin(), socket.end(), std::begin(address.sun_path));
    if (address.sun_path[0] == '@') {
        address.sun_path[0] = '\0';
    }
    const Descriptor sender(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    static_cast<void>(::sendto(
        sender.get(), message.data(), message.size(), MSG_NOSIGNAL,
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): as the call wants it
        reinterpret_cast<const sockaddr *>(&address),
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket.size())));
}

} // namespace

Readiness::Readiness(std::chrono::milliseconds limit) {
    const char *socket = std::getenv("NOTIFY_SOCKET"); // NOLINT(concurrency-mt-unsafe)
    if (socket != nullptr && *socket != '\0') {
        socket_ = socket;
        waiting_ = std::thread([this, limit] { wait(limit); });
    }
}

Readiness::~Readiness() {
    if (!waiting_.joinable()) {
        return;
    }
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        over_ = true;
    }
    changed_.notify_all();
    waiting_.join();
}

void Readiness::tell() {
    const std::lock_guard<std::mutex> lock(mutex_);
    report_locked();
}

void Readiness::wait(std::chrono::milliseconds limit) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!changed_.wait_for(lock, limit, [this] { return over_; })) {
        report_locked();
    }
}

void Readiness::report_locked() {
    if (!told_ && !socket_.empty()) {
        notify(socket_, "READY=1");
        told_ = true;
    }
}

} // namespace causeway
