// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/retrying.h"

#include "base/durable_file.h"
#include "nfs/attempt.h"

#include <algorithm>
#include <causeway.h>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace causeway {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds first_pause{1};
constexpr seconds longest_pause{10};
constexpr seconds probe_limit{2};
constexpr const char *mount_helper_path = "/usr/sbin/mount.nfs-causeway";

// The process is in a cgroup such as "0::/system.slice/mnt-home.mount".
bool in_mount_unit(World &world) {
    const auto group = world.files.read("/proc/self/cgroup");
    return group && *group && (*group)->find(".mount\n") != std::string::npos;
}

// The time at which the last wait for RDMA on this machine began, by the clock that all processes
// share.
class SharedGrace {
  public:
    explicit SharedGrace(World &world)
        : world_(world), place_(world.places.nfs_mounts() / "waits-for-rdma") {}

    // Returns the end of a wait that other mounts began a short while ago, or of one that begins
    // now.
    milliseconds end() const {
        const milliseconds now = world_.clock.now();
        const milliseconds start = last_start().value_or(milliseconds::min());
        if (start <= now && now < start + grace_shared) {
            return start + rdma_grace;
        }
        // If the start cannot be written, only this mount waits.
        static_cast<void>(write_durably(place_, fmt::format("{}\n", now.count()), 0644));
        return now + rdma_grace;
    }

  private:
    std::optional<milliseconds> last_start() const {
        const auto text = read_small_file(place_);
        milliseconds::rep count = 0;
        if (!text || !*text ||
            std::from_chars((*text)->data(), (*text)->data() + (*text)->size(), count).ec !=
                std::errc()) {
            return std::nullopt;
        }
        return milliseconds(count);
    }

    World &world_;
    std::filesystem::path place_;
};

class Trying {
  public:
    Trying(World &world, const MountRequest &request)
        : world_(world), request_(request), start_(world.clock.now()),
          end_(start_ + request.patience) {}

    Result<Tried> run() {
        for (milliseconds pause = first_pause;;
             pause = std::min<milliseconds>(pause * 2, longest_pause)) {
            auto done = round();
            if (!done || *done) {
                return done ? Result<Tried>(**std::move(done)) : done.error();
            }
            // The wait for RDMA is short, and TCP works, so the background would gain nothing.
            if (auto child = by_grace_ ? Result<bool>(true) : leave_foreground();
                !child || !*child) {
                return child ? Result<Tried>(Tried{CW_TRANSPORT_NONE, reason_, true})
                             : child.error();
            }
            report();
            sleep(pause);
        }
    }

  private:
    // Reports only a new reason: a report of each attempt would fill a log in a night.
    void report() {
        if (request_.progress != nullptr && !by_grace_ && failed_ != reported_) {
            reported_ = failed_;
            request_.progress->retries(failed_);
        }
    }

    bool time_left() const { return world_.clock.now() < end_; }

    // Returns none if the mount may succeed later.
    Result<std::optional<Tried>> round() {
        auto found = find_nfs_server(world_, request_);
        if (!found) {
            // A failed lookup of the name is retried with bg, as mount.nfs does, and if a time is
            // given. The service that continues bg in a mount unit has a time.
            reason_ = failed_ = found.error().what;
            const bool patient = request_.may_leave || request_.options.retry;
            by_grace_ = false;
            return found.error().code == ExitCode::try_again && patient && time_left()
                       ? Result<std::optional<Tried>>(std::optional<Tried>())
                       : found.error();
        }
        server_ = *std::move(found);
        auto rdma = TRY(attempt_rdma(world_, request_, server_.family, limit_of_attempt()));
        if (rdma.good) {
            return std::optional(Tried{CW_TRANSPORT_RDMA, "", false});
        }
        reason_ = failed_ = rdma.error.what;
        const bool hopeless =
            rdma.outlook == Outlook::final ||
            (request_.options.require_rdma && (rdma.outlook == Outlook::none || !time_left()));
        if (hopeless) {
            return cannot_mount(request_, " by RDMA", rdma.error);
        }
        by_grace_ = false;
        if (request_.options.require_rdma) {
            return std::optional<Tried>();
        }
        switch (after(rdma)) {
        case Next::rdma:
            by_grace_ = true;
            return std::optional<Tried>();
        case Next::both:
            failed_ = fmt::format("nothing answers on TCP port {}; and by RDMA: {}",
                                  server_.by_tcp.port(), reason_);
            return std::optional<Tried>();
        case Next::tcp:
            break;
        }
        return by_tcp();
    }

    // systemd kills a mount of fstab after 90 seconds.
    bool is_early() const { return world_.clock.now() < start_ + seconds(90); }

    // While TCP is possible, RDMA gets the rest of the wait for it, in whole seconds.
    seconds limit_of_attempt() const {
        const seconds limit = request_.options.rdma_limit;
        if (by_grace_) {
            return std::clamp(std::chrono::ceil<seconds>(*grace_end_ - world_.clock.now()),
                              seconds(1), limit);
        }
        return unanswered_ ? std::min(limit, rdma_grace) : limit;
    }

    Result<std::optional<Tried>> by_tcp() {
        auto tcp = TRY(attempt_tcp(world_, request_, server_.family));
        if (tcp.good) {
            return std::optional(Tried{CW_TRANSPORT_TCP, reason_, false});
        }
        failed_ = fmt::format("{}; and by RDMA: {}", tcp.error.what, reason_);
        if (tcp.outlook == Outlook::later && time_left()) {
            grace_end_.reset();
            unanswered_ = unanswered_ && is_early();
            return std::optional<Tried>();
        }
        Error error = cannot_mount(request_, "", tcp.error);
        error.what += fmt::format("; and by RDMA: {}", reason_);
        return error;
    }

    // If other mounts of the server use TCP, one more by TCP changes nothing.
    bool others_go_by_tcp() {
        const auto mounts = nfs_mounts(world_.files);
        return mounts && std::any_of(mounts->begin(), mounts->end(), [&](const NfsMount &mount) {
                   return mount.transport == CW_TRANSPORT_TCP &&
                          mount.address == server_.by_tcp.host_text();
               });
    }

    enum class Next { rdma, tcp, both };

    // A server that boots may begin to answer by TCP at any time, and by RDMA a moment later. So
    // TCP is used only if RDMA failed after the server had answered by TCP.
    Next after(const Attempt &rdma) {
        if (rdma.outlook != Outlook::later || !time_left() || (!grace_end_ && others_go_by_tcp())) {
            return Next::tcp;
        }
        if (!grace_end_) {
            if (!world_.tcp_ports.listens(server_.by_tcp, probe_limit)) {
                return Next::both;
            }
            if (!rdma.timed_out) {
                grace_end_ = SharedGrace(world_).end();
            } else if (!std::exchange(unanswered_, true)) {
                // The attempt may have begun before the server was up.
                grace_end_ = world_.clock.now() + rdma_grace;
            } else {
                return Next::tcp;
            }
        }
        return world_.clock.now() < *grace_end_ ? Next::rdma : Next::tcp;
    }

    // Returns false if a child process or a service of systemd continues.
    Result<bool> leave_foreground() {
        if (!request_.may_leave || in_background_) {
            return true;
        }
        in_background_ = true;
        if (in_mount_unit(world_)) {
            return hand_over();
        }
        auto child = world_.processes.go_to_background();
        if (child && *child && request_.progress != nullptr) {
            request_.progress->left_foreground();
        }
        return child;
    }

    // Starts a service that continues: when mount(8) ends, systemd kills all other processes of the
    // mount unit.
    Result<bool> hand_over() {
        NfsOptions options = request_.options;
        options.background = false;
        options.retry = std::chrono::ceil<std::chrono::minutes>(end_ - world_.clock.now());
        std::vector<std::string> words = {"systemd-run",
                                          "--quiet",
                                          "--collect",
                                          "--no-block",
                                          "--",
                                          mount_helper_path,
                                          request_.source.text(),
                                          request_.directory};
        words.insert(words.end(), request_.switches.begin(), request_.switches.end());
        // With -v the journal also gets the outcome.
        words.insert(words.end(), {"-v", "-o", options.text()});
        auto end = TRY(world_.processes.run(words));
        if (!end.good()) {
            return cannot_mount(
                request_, " in the background",
                {ExitCode::failed, end.last_words(), "leave out bg; see: systemctl status"});
        }
        return false;
    }

    void sleep(milliseconds pause) {
        const milliseconds now = world_.clock.now();
        milliseconds until = std::min(now + pause, end_);
        if (grace_end_ && now < *grace_end_) {
            until = std::min(until, *grace_end_);
        }
        world_.clock.sleep(until - now);
    }

    World &world_;
    const MountRequest &request_;
    milliseconds start_;
    milliseconds end_;
    NfsServer server_;
    std::string reason_;   // why RDMA is not used
    std::string failed_;   // why the last round failed
    std::string reported_; // the failure that was reported last
    std::optional<milliseconds> grace_end_;
    bool unanswered_ = false; // an attempt by RDMA timed out although the server answers by TCP
    bool by_grace_ = false;   // the last attempt is repeated although TCP works
    bool in_background_ = false;
};

} // namespace

Result<Tried> try_for_a_time(World &world, const MountRequest &request) {
    return Trying(world, request).run();
}

} // namespace causeway
