// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfs/mount_change.h"

#include "change/kinds.h"
#include "nfs/holders.h"

#include <algorithm>
#include <array>
#include <causeway.h>
#include <cerrno>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

// Indexed by MountWay.
constexpr std::array way_names = {"any", "tcp", "remount", "by-module"};

// Without a limit umount waits for a server that does not answer, to write cached data.
constexpr std::chrono::seconds undo_limit{60};

const ChangeKind kind_nfs_mount("nfs-mount", [](const Json &json) -> ChangePointer {
    const auto text = [&](const char *key) { return get_bytes(json, key).value_or(""); };
    MountRecord words{text("source"), text("directory"), text("options"), text("reason")};
    const auto found = std::find(way_names.begin(), way_names.end(), json.at("way"));
    if (found == way_names.end()) {
        return nullptr;
    }
    const auto way = static_cast<MountWay>(found - way_names.begin());
    std::vector<std::string> with;
    for (const Json &each : json.at("with")) {
        with.push_back(get_bytes(each, "directory").value_or(""));
    }
    return json.at("mounted").get<bool>()
               ? change_nfs_mount(std::move(words), way, nullptr, std::move(with))
               : change_nfs_umount(std::move(words), way,
                                   json.at("switches").get<std::vector<std::string>>());
});

class NfsMountChange final : public Change {
  public:
    NfsMountChange(MountRecord words, bool mounted, MountWay way, MountResult *result,
                   std::vector<std::string> switches, std::vector<std::string> with)
        : words_(std::move(words)), mounted_(mounted), way_(way), result_(result),
          switches_(std::move(switches)), with_(std::move(with)) {}

    std::string subject() const override { return "NFS mount on " + words_.directory; }

    std::string show(Direction direction) const override {
        const bool mounts = mounted_ == (direction == Direction::forward);
        return fmt::format("NFS mount\n{}{} on {}{}\n", mounts ? '+' : '-', words_.source,
                           words_.directory, mounts ? by_what() : "");
    }

    std::string report(Direction direction) const override {
        return mounted_ == (direction == Direction::forward)
                   ? fmt::format("mounted {} on {}", words_.source, words_.directory)
                   : fmt::format("unmounted {}", words_.directory);
    }

    Json json() const override {
        Json json = {{"kind", kind_nfs_mount.name()},
                     {"mounted", mounted_},
                     {"way", way_names.at(static_cast<std::size_t>(way_))},
                     {"switches", switches_},
                     {"with", Json::array()}};
        put_bytes(json, "source", words_.source);
        put_bytes(json, "directory", words_.directory);
        put_bytes(json, "options", words_.options);
        put_bytes(json, "reason", words_.reason);
        for (const std::string &folder : with_) {
            Json each;
            put_bytes(each, "directory", folder);
            json["with"].push_back(std::move(each));
        }
        return json;
    }

    Result<Standing> standing(World &world) const override {
        const auto on = TRY(mounted_on(world.files, words_.directory));
        const bool remounts = mounted_ && may_fail();
        if (!on.nfs) {
            return on.other.empty() ? standing_unmounted(world) : Standing::neither;
        }
        if (words_of(world, *on.nfs).source != words_.source) {
            return Standing::neither;
        }
        if (remounts) {
            return way_ == MountWay::remount && on.nfs->transport == CW_TRANSPORT_RDMA
                       ? Standing::after
                       : Standing::before;
        }
        return mounted_ ? Standing::after : Standing::before;
    }

    Result<void> forward(World &world) const override {
        return mounted_ ? mount(world, true) : end(world, switches_);
    }

    Result<void> back(World &world) const override {
        return mounted_ ? end(world, {}, undo_limit) : mount(world, false);
    }

    // If the folder is in use, unmounts as umount(8) with -f does, and if that fails, with -l:
    // programs then keep their open files.
    Result<void> back_by_force(World &world) const override {
        auto done = back(world);
        if (done || !mounted_ || done.error().code != ExitCode::try_again) {
            return done;
        }
        auto forced = end(world, {"-f"}, undo_limit);
        return forced ? forced : end(world, {"-l"}, undo_limit);
    }

    Result<void> may_go_back(World &world) const override {
        if (!mounted_) {
            return {};
        }
        const auto lock = TRY(FileLock::take_now(remount_lock(world.places)));
        if (!lock) {
            return Error{ExitCode::try_again, "causeway nfs remount runs now", "", EBUSY};
        }
        const std::string busy = TRY(why_busy(world, words_.directory, with_));
        return busy.empty() ? Result<void>() : Error{ExitCode::try_again, busy, "", EBUSY};
    }

    // If one folder of a remount fails, the others are mounted all the same.
    bool may_wait() const override { return !mounted_ && way_ != MountWay::any; }
    bool may_fail() const override {
        return mounted_ && (way_ == MountWay::remount || way_ == MountWay::by_module);
    }

  private:
    std::string by_what() const {
        if (way_ == MountWay::tcp) {
            return " by TCP";
        }
        const auto options = parse_nfs_options(words_.options);
        return options && options->require_rdma ? " by RDMA"
                                                : " by RDMA, or by TCP where there is no RDMA";
    }

    // If another program unmounted the folder since, undo does not mount it. If the remount or its
    // undo failed, the folder has a record by keep_unmounted(), and undo mounts it.
    Standing standing_unmounted(const World &world) const {
        if (!mounted_) {
            return Standing::after;
        }
        return !may_fail() || is_kept_unmounted(world.places, words_.source, words_.directory)
                   ? Standing::before
                   : Standing::neither;
    }

    // The option retry has an effect only in "nfs mount". An administrator who types that wants to
    // see an error at once, so the option bg has an effect only in the unit of --persist.
    Result<void> mount(World &world, bool forward) const {
        auto done = mount_as_words_say(world, forward);
        if (!done) {
            Error error = done.error();
            if (may_fail()) {
                error.what = fmt::format("{} is unmounted now: {}", words_.directory, error.what);
            }
            if (result_ != nullptr) {
                result_->failed = error;
            }
            return error;
        }
        if (result_ != nullptr) {
            result_->outcome = *std::move(done);
        } else {
            warn_of(*done);
        }
        return {};
    }

    Result<MountOutcome> mount_as_words_say(World &world, bool forward) const {
        auto request = TRY(request_of_words(words_));
        if (forward && way_ == MountWay::any) {
            request.patience = request.options.retry.value_or(std::chrono::minutes(0));
        }
        return by_way(world, request);
    }

    // Warns if the folder is mounted by another transport than before.
    void warn_of(const MountOutcome &outcome) const {
        for (const std::string &warning : outcome.warnings) {
            warn(warning);
        }
        if (way_ == MountWay::tcp && outcome.transport == CW_TRANSPORT_RDMA) {
            warn(fmt::format("{} goes by RDMA, and not by TCP as before", words_.directory));
        } else if (way_ != MountWay::tcp && outcome.transport == CW_TRANSPORT_TCP) {
            warn(fmt::format(
                "{} goes by TCP{}{}; when RDMA works: causeway nfs remount {}", words_.directory,
                outcome.reason.empty() ? "" : ", RDMA failed: ", outcome.reason, words_.directory));
        }
    }

    Result<MountOutcome> by_way(World &world, const MountRequest &request) const {
        if (way_ == MountWay::tcp) {
            return by_tcp_again(world, request);
        }
        auto done = mount_nfs(world, request);
        if (done || way_ != MountWay::remount) {
            return done;
        }
        auto by_tcp = mount_by_tcp(world, request, done.error().what);
        return by_tcp ? by_tcp : done;
    }

    // Mounts by TCP. If that fails, mounts by RDMA with a warning.
    Result<MountOutcome> by_tcp_again(World &world, const MountRequest &request) const {
        auto by_tcp = mount_by_tcp(world, request, words_.reason);
        if (by_tcp) {
            return by_tcp;
        }
        auto done = mount_nfs(world, request);
        if (!done) {
            return by_tcp;
        }
        done->warnings.push_back(fmt::format("{} does not go by TCP as before: {}",
                                             words_.directory, by_tcp.error().what));
        return done;
    }

    Result<void> end(World &world, const std::vector<std::string> &switches,
                     std::optional<std::chrono::seconds> limit = std::nullopt) const {
        TRY(unmount(world, words_.directory, switches, limit));
        auto kept = way_ == MountWay::any ? forget_record(world.places, words_.directory)
                                          : keep_unmounted(world.places, words_);
        if (!kept) {
            warn(kept.error().what);
        }
        return {};
    }

    MountRecord words_;
    bool mounted_;
    MountWay way_;
    MountResult *result_;
    std::vector<std::string> switches_;
    std::vector<std::string> with_;
};

} // namespace

std::filesystem::path remount_lock(const Places &places) {
    return places.nfs_mounts() / "remount.lock";
}

MountRecord words_of(World &world, const NfsMount &mount) {
    const auto record = record_of(world.places, mount, world.clock.now());
    return record ? *record
                  : MountRecord{mount.source, mount.directory, options_of_mount(mount).text(), ""};
}

Result<MountRequest> request_of_words(const MountRecord &words) {
    MountRequest request;
    request.source = TRY(parse_nfs_source(words.source));
    request.directory = words.directory;
    request.options = TRY(parse_nfs_options(words.options));
    return request;
}

ChangePointer change_nfs_mount(MountRecord words, MountWay way, MountResult *result,
                               std::vector<std::string> with) {
    return std::make_unique<NfsMountChange>(std::move(words), true, way, result,
                                            std::vector<std::string>(), std::move(with));
}

ChangePointer change_nfs_umount(MountRecord words, MountWay way,
                                std::vector<std::string> switches) {
    return std::make_unique<NfsMountChange>(std::move(words), false, way, nullptr,
                                            std::move(switches), std::vector<std::string>());
}

} // namespace causeway
