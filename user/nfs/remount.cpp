// SPDX-License-Identifier: GPL-2.0-or-later
// nfs remount: mounts go back to RDMA, or to the transport that is chosen now. All mounts of one
// server are remounted together, since one that stays by TCP would keep the others there
// (nfs/same_server.h).
//
// Before anything is unmounted, a mount on another folder shows that the server answers by RDMA,
// and whether the kernel joins it to a client by TCP that would stay; and the kernel is asked
// whether any of the mounts is in use. What cannot be mounted by RDMA afterwards is mounted by TCP
// again.
#include "base/durable_file.h"
#include "command/plan.h"
#include "command/verb.h"
#include "host/mount_table.h"
#include "nfs/answer.h"
#include "nfs/holders.h"
#include "nfs/mounting.h"
#include "nfs/record.h"
#include "nfs/same_server.h"
#include "nfs/transport.h"
#include "nfs/trial.h"

#include <algorithm>
#include <causeway.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace causeway {

namespace {

// One folder to bring back.
struct Returning {
    NfsMount mount;
    MountRequest request;
    std::string reason;   // why it goes by TCP
    bool by_rdma = false; // and by the other module
};

Result<Returning> returning(World &world, const NfsMount &mount) {
    Returning one;
    one.mount = mount;
    one.by_rdma = mount.transport == CW_TRANSPORT_RDMA;
    one.request.directory = mount.directory;
    const auto record = record_of(world.places, mount, world.clock.now());
    auto source = TRY(parse_nfs_source(record ? record->source : mount.source));
    one.request.source = std::move(source);
    one.request.options = options_of_mount(mount);
    if (record) {
        auto options = TRY(parse_nfs_options(record->options));
        one.request.options = std::move(options);
        one.reason = record->reason;
    }
    return one;
}

// The set of mounts that are remounted together, by folder: one inside another comes behind it.
class Set {
  public:
    Set(World &world, std::vector<NfsMount> mounts, const TransportSight &sight)
        : world_(world), mounts_(std::move(mounts)), sight_(sight) {}

    Result<void> name(const std::string &typed, std::string &said) {
        const std::string directory = real_directory(typed);
        const auto mount = std::find_if(mounts_.begin(), mounts_.end(), [&](const NfsMount &each) {
            return each.directory == directory;
        });
        if (mount == mounts_.end()) {
            return Error{ExitCode::unavailable, fmt::format("no NFS is mounted on {}", directory),
                         "see what is: causeway net"};
        }
        if (mount->transport == CW_TRANSPORT_RDMA && !wrong_one(sight_)) {
            said += fmt::format("{} goes by RDMA already\n", typed);
            return {};
        }
        return add(*mount);
    }

    // Those by TCP of the same servers.
    Result<void> widen(std::string &said) {
        const std::vector<Returning> named = all_;
        for (const NfsMount &mount : mounts_) {
            const auto with = std::find_if(named.begin(), named.end(), [&](const Returning &each) {
                return !each.by_rdma && belongs(mount, each.mount);
            });
            if (with == named.end() || has(mount.directory)) {
                continue;
            }
            if (auto added = add(mount); !added) {
                return added;
            }
            said += fmt::format("{} is a mount of {} too and is remounted with {}\n",
                                mount.directory, server_text(mount), with->mount.directory);
        }
        std::sort(all_.begin(), all_.end(), [](const Returning &one, const Returning &other) {
            return one.mount.directory < other.mount.directory;
        });
        return {};
    }

    const std::vector<Returning> &all() const { return all_; }
    const std::vector<NfsMount> &mounts() const { return mounts_; }
    std::vector<std::string> folders() const {
        std::vector<std::string> names;
        for (const Returning &each : all_) {
            names.push_back(each.mount.directory);
        }
        return names;
    }

  private:
    Result<void> add(const NfsMount &mount) {
        if (has(mount.directory)) {
            return {};
        }
        auto one = TRY(returning(world_, mount));
        all_.push_back(std::move(one));
        return {};
    }

    bool has(const std::string &directory) const {
        return std::any_of(all_.begin(), all_.end(), [&](const Returning &each) {
            return each.mount.directory == directory;
        });
    }

    // RDMA was asked for, or it would keep the other by TCP.
    bool belongs(const NfsMount &mount, const NfsMount &other) const {
        if (mount.transport != CW_TRANSPORT_TCP || !same_server(mount, other)) {
            return false;
        }
        // With a record it is none that the kernel made, though it may look like one.
        return record_of(world_.places, mount, world_.clock.now()) ||
               (share_client(mount, other) && !is_submount(mounts_, mount));
    }

    World &world_;
    std::vector<NfsMount> mounts_;
    const TransportSight &sight_;
    std::vector<Returning> all_;
};

// RDMA works, and a mount by it goes by TCP all the same.
std::optional<Error> stays_by_tcp(World &world, const Set &set, const std::string &trial) {
    const auto mounts = TRY(nfs_mounts(world.files));
    const auto own = std::find_if(mounts.begin(), mounts.end(),
                                  [&](const NfsMount &mount) { return mount.directory == trial; });
    if (own == mounts.end() || own->transport != CW_TRANSPORT_TCP) {
        return std::nullopt;
    }
    std::vector<std::string> folders = set.folders();
    const auto staying = staying_by_tcp(mounts, *own, folders);
    if (!staying.empty()) {
        const auto names = directories_of(staying);
        folders.insert(folders.end(), names.begin(), names.end());
        return Error{ExitCode::try_again,
                     fmt::format("RDMA works, but the kernel joins it to its client of {}, which "
                                 "goes by TCP for {}",
                                 server_text(staying.front()), fmt::join(names, ", ")),
                     fmt::format("remount all of them together: causeway nfs remount {}",
                                 fmt::join(folders, " "))};
    }
    const auto volumes = world.files.read(nfs_volumes);
    if (volumes && *volumes && held_unseen(**volumes, mounts, *own)) {
        return Error{ExitCode::try_again,
                     fmt::format("RDMA works, but the kernel joins it to its client of {}, which "
                                 "goes by TCP and is held by a mount that is not seen here too",
                                 server_text(*own)),
                     unseen_holders_mend};
    }
    return std::nullopt;
}

// A mount elsewhere shows whether there is a way by RDMA before anything is taken away.
Result<void> try_elsewhere(World &world, const Set &set, MountRequest request) {
    auto folder = TRY(TrialFolder::make(world));
    request.directory = folder.path();
    if (auto mounted = mount_by_rdma(world, request); !mounted) {
        return mounted;
    }
    if (const auto why = stays_by_tcp(world, set, folder.path())) {
        return *why;
    }
    return folder.end();
}

Error stays(const std::vector<Returning> &all, const Error &why) {
    std::vector<std::string> folders;
    for (const Returning &each : all) {
        folders.push_back(each.mount.directory);
    }
    Error error = why;
    error.what =
        fmt::format("{} {} as {}: {}", fmt::join(folders, ", "), all.size() == 1 ? "stays" : "stay",
                    all.size() == 1 ? "it is" : "they are", why.what);
    return error;
}

// Why a mount cannot be unmounted; empty: nothing is known. The kernel counts a mount inside as
// use, so of a mount that holds others it can be asked only through those: the ones of the set are
// unmounted first, the ones that the kernel made itself go with it, and any other one stays.
class Use {
  public:
    Use(World &world, const Set &set, std::vector<MountLine> table)
        : world_(world), set_(set), table_(std::move(table)) {}

    std::string of(const std::string &directory) {
        auto users = world_.mount_use.users(directory);
        const auto more = kernel_users(world_.files, directory);
        users.insert(users.end(), more.begin(), more.end());
        if (!users.empty()) {
            return fmt::format("{} is busy{}", directory, users_text(users));
        }
        if (inside(directory).empty()) {
            return world_.mount_use.is_busy(directory) ? fmt::format("{} is busy", directory) : "";
        }
        for (const std::string &folder : inside(directory)) {
            if (const std::string why = of_inner(folder); !why.empty()) {
                return fmt::format("{} is busy: {}", directory, why);
            }
        }
        return "";
    }

  private:
    std::string of_inner(const std::string &folder) {
        const auto folders = set_.folders();
        if (std::find(folders.begin(), folders.end(), folder) != folders.end()) {
            return ""; // asked on its own
        }
        const auto mount =
            std::find_if(set_.mounts().begin(), set_.mounts().end(),
                         [&](const NfsMount &each) { return each.directory == folder; });
        if (mount == set_.mounts().end() || !is_submount(set_.mounts(), *mount)) {
            return fmt::format("{} is mounted inside", folder);
        }
        return inside(folder).empty() && world_.mount_use.is_busy(folder)
                   ? fmt::format("{} inside is busy", folder)
                   : "";
    }

    std::vector<std::string> inside(const std::string &directory) const {
        std::vector<std::string> folders;
        for (const MountLine &line : table_) {
            if (lies_below(line.directory, directory)) {
                folders.push_back(line.directory);
            }
        }
        return folders;
    }

    World &world_;
    const Set &set_;
    std::vector<MountLine> table_;
};

Result<void> check_idle(World &world, const Set &set) {
    auto table = TRY(world.files.read(mountinfo_place));
    Use use(world, set, visible_mounts(table.value_or(std::string())));
    std::vector<std::string> busy;
    std::vector<std::string> folders;
    for (const Returning &each : set.all()) {
        if (const std::string why = use.of(each.mount.directory); !why.empty()) {
            folders.push_back(each.mount.directory);
            busy.push_back(why);
        }
    }
    if (busy.empty()) {
        return {};
    }
    return Error{ExitCode::try_again, fmt::format("{}", fmt::join(busy, "; ")),
                 fmt::format("end what uses it, then run this again; see: fuser -vm {}",
                             fmt::join(folders, " ")),
                 EBUSY};
}

Result<MountOutcome> as_it_was(World &world, const Returning &one) {
    return one.by_rdma ? mount_nfs(world, one.request)
                       : mount_by_tcp(world, one.request, one.reason);
}

// All of them are unmounted, or none.
Result<void> take_away(World &world, const std::vector<Returning> &all,
                       std::vector<std::string> &warnings) {
    for (auto one = all.rbegin(); one != all.rend(); ++one) {
        auto gone = unmount(world, one->request.directory);
        if (gone) {
            continue;
        }
        for (auto back = one.base(); back != all.end(); ++back) {
            if (auto again = as_it_was(world, *back); !again) {
                warnings.push_back(again.error().what);
            }
        }
        return stays(all, gone.error());
    }
    return {};
}

// With these mounts gone the chosen module may have its way.
Result<void> settle_now(World &world, std::vector<std::string> &warnings) {
    auto sight = TRY(see_transport(world));
    if (const auto other = settle_transport(world, sight)) {
        warnings.push_back(fmt::format("{} ({})", other->what, other->fix));
    }
    return {};
}

// By RDMA; a mount that went by TCP is not left unmounted where TCP still works.
Result<MountOutcome> bring_back(World &world, const Returning &one) {
    auto done = mount_nfs(world, one.request);
    if (done || one.by_rdma) {
        return done;
    }
    auto by_tcp = mount_by_tcp(world, one.request, done.error().what);
    return by_tcp ? by_tcp : done;
}

void bring_all_back(World &world, const std::vector<Returning> &all, Answer &answer) {
    for (const Returning &one : all) {
        auto done = bring_back(world, one);
        if (!done) {
            answer.warnings.push_back(
                fmt::format("{} is unmounted now: {}", one.request.directory, done.error().what));
            answer.code = done.error().code;
            continue;
        }
        const Answer told = mount_answer(one.request, *done, true);
        answer.json["mounts"].push_back(told.json);
        answer.text += told.text;
        answer.warnings.insert(answer.warnings.end(), told.warnings.begin(), told.warnings.end());
    }
}

Answer plan_of(const std::vector<Returning> &all) {
    Plan plan;
    for (const Returning &one : all) {
        plan.act(fmt::format("unmount {} and mount it by RDMA", one.request.directory));
    }
    return plan.answer();
}

Result<void> check_first(World &world, const Set &set) {
    for (const Returning &one : set.all()) {
        if (one.by_rdma) {
            continue; // the other module is in the way of a trial
        }
        if (auto tried = try_elsewhere(world, set, one.request); !tried) {
            return stays(set.all(), tried.error());
        }
    }
    if (auto idle = check_idle(world, set); !idle) {
        return stays(set.all(), idle.error());
    }
    return {};
}

Result<Answer> run_nfs_remount(World &world, const Arguments &arguments) {
    // The trial of another one would keep the client that this one takes away.
    std::optional<FileLock> lock;
    if (!arguments.dry_run()) {
        auto taken = TRY(FileLock::take(world.places.nfs_mounts() / "remount.lock"));
        lock.emplace(std::move(taken));
    }
    auto sight = TRY(see_transport(world));
    auto mounts = TRY(nfs_mounts(world.files));
    Set set(world, std::move(mounts), sight);
    Answer answer;
    answer.json["mounts"] = Json::array();
    for (const std::string &typed : arguments.operands()) {
        TRY(set.name(typed, answer.text));
    }
    TRY(set.widen(answer.text));
    if (arguments.dry_run()) {
        return plan_of(set.all());
    }
    TRY(check_first(world, set));
    TRY(take_away(world, set.all(), answer.warnings));
    // All of them are unmounted now: whatever fails, they are mounted again.
    if (auto good = settle_now(world, answer.warnings); !good) {
        answer.warnings.push_back(good.error().what);
    }
    bring_all_back(world, set.all(), answer);
    answer.json["changed"] = !set.all().empty();
    return answer;
}

const VerbRows remount_rows(Section::nfs, 3, [] {
    return std::vector<Verb>{
        {
            .words = "nfs remount",
            .operands = "DIR...",
            .summary = "back to RDMA, or to the transport that is chosen now, with all mounts of "
                       "its server",
            .least_operands = 1,
            .most_operands = 64,
            .changes = true,
            .run = run_nfs_remount,
        },
    };
});

} // namespace

} // namespace causeway
