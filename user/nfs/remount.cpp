// SPDX-License-Identifier: GPL-2.0-or-later
// nfs remount: mounts return to RDMA, or move to the module that "nfs transport" chose. All mounts
// of one server by TCP are remounted together, because one that stays by TCP would keep the others
// by TCP (nfs/same_server.h).
//
// Before anything is unmounted, a trial mount on another folder shows that the server answers by
// RDMA, and whether the kernel joins the trial to a client by TCP that would stay. There is no
// trial for a mount that uses RDMA, by the other module. The kernel also reports whether any of the
// mounts is in use. A folder that cannot be mounted by RDMA afterwards is mounted by TCP again.
#include "base/durable_file.h"
#include "change/carry_out.h"
#include "command/verb.h"
#include "nfs/answer.h"
#include "nfs/holders.h"
#include "nfs/mount_change.h"
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

// One folder to remount.
struct Returning {
    NfsMount mount;
    MountRecord words;
    bool by_rdma = false; // now, by the other module
};

Returning returning(World &world, const NfsMount &mount) {
    return {mount, words_of(world, mount), mount.transport == CW_TRANSPORT_RDMA};
}

// The mounts that are remounted together, sorted by folder: an inner one follows the outer one.
class Set {
  public:
    Set(World &world, std::vector<NfsMount> mounts, const TransportState &state)
        : world_(world), mounts_(std::move(mounts)), state_(state) {}

    Result<void> name(const std::string &typed, std::string &said) {
        const std::string directory = real_directory(typed);
        const auto mount = std::find_if(mounts_.begin(), mounts_.end(), [&](const NfsMount &each) {
            return each.directory == directory;
        });
        if (mount == mounts_.end()) {
            return Error{ExitCode::unavailable, fmt::format("no NFS is mounted on {}", directory),
                         "see what is: causeway net"};
        }
        if (mount->transport == CW_TRANSPORT_RDMA && !wrong_one(state_)) {
            said += fmt::format("{} goes by RDMA already\n", typed);
            return {};
        }
        return add(*mount);
    }

    // Adds the mounts by TCP of the same servers.
    Result<void> widen(std::string &said) {
        const std::vector<Returning> named = all_;
        for (const NfsMount &mount : mounts_) {
            const auto with = std::find_if(named.begin(), named.end(), [&](const Returning &each) {
                return !each.by_rdma && belongs(mount, each.mount);
            });
            if (with == named.end() || has(mount.directory)) {
                continue;
            }
            TRY(add(mount));
            said += fmt::format("{} is a mount of {} too and is remounted with {}\n",
                                mount.directory, server_text(mount), with->mount.directory);
        }
        std::sort(all_.begin(), all_.end(), [](const Returning &one, const Returning &other) {
            return one.mount.directory < other.mount.directory;
        });
        return {};
    }

    const std::vector<Returning> &all() const { return all_; }
    std::vector<std::string> folders() const {
        std::vector<std::string> names;
        for (const Returning &each : all_) {
            names.push_back(each.mount.directory);
        }
        return names;
    }

  private:
    // Returns an error for a mount that could not be mounted again, so that it is not unmounted.
    Result<void> add(const NfsMount &mount) {
        if (!has(mount.directory)) {
            Returning one = returning(world_, mount);
            TRY(request_of_words(one.words));
            all_.push_back(std::move(one));
        }
        return {};
    }

    bool has(const std::string &directory) const {
        return std::any_of(all_.begin(), all_.end(), [&](const Returning &each) {
            return each.mount.directory == directory;
        });
    }

    // Returns true for a mount by TCP for which RDMA was requested, or which would keep the other
    // by TCP.
    bool belongs(const NfsMount &mount, const NfsMount &other) const {
        if (mount.transport != CW_TRANSPORT_TCP || !same_server(mount, other)) {
            return false;
        }
        // The kernel did not make a mount with a record, although is_submount() may be true.
        return record_of(world_.places, mount, world_.clock.now()) ||
               (share_client(mount, other) && !is_submount(mounts_, mount));
    }

    World &world_;
    std::vector<NfsMount> mounts_;
    const TransportState &state_;
    std::vector<Returning> all_;
};

// Returns an error if RDMA works, but the trial mount uses TCP because the kernel joined it to a
// client.
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
                     hidden_mounts_fix};
    }
    return std::nullopt;
}

// Tests by a mount on another folder whether RDMA works, before anything is unmounted.
Result<void> try_elsewhere(World &world, const Set &set, MountRequest request) {
    auto folder = TRY(TrialFolder::make(world));
    request.directory = folder.path();
    TRY(mount_by_rdma(world, request));
    if (const auto why = stays_by_tcp(world, set, folder.path())) {
        return *why;
    }
    return folder.end();
}

Error stays(const Set &set, const Error &why) {
    const auto folders = set.folders();
    Error error = why;
    error.what = fmt::format("{} {} as {}: {}", fmt::join(folders, ", "),
                             folders.size() == 1 ? "stays" : "stay",
                             folders.size() == 1 ? "it is" : "they are", why.what);
    return error;
}

Result<void> check_idle(World &world, const Set &set) {
    std::vector<std::string> busy;
    std::vector<std::string> folders;
    for (const std::string &folder : set.folders()) {
        if (std::string why = TRY(why_busy(world, folder, set.folders())); !why.empty()) {
            folders.push_back(folder);
            busy.push_back(std::move(why));
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

Result<void> check_first(World &world, const Set &set) {
    for (const Returning &one : set.all()) {
        if (one.by_rdma) {
            continue; // the other module is in the way of a trial
        }
        const auto request = TRY(request_of_words(one.words));
        if (auto tried = try_elsewhere(world, set, request); !tried) {
            return stays(set, tried.error());
        }
    }
    if (auto idle = check_idle(world, set); !idle) {
        return stays(set, idle.error());
    }
    return {};
}

// Either all of them are unmounted or none. Afterwards each is mounted again, even if others fail.
void plan_remount(const Set &set, NfsTransport chosen, std::vector<MountResult> &results,
                  ChangeSet &changes) {
    const auto &all = set.all();
    for (std::size_t i = all.size(); i-- > 0;) {
        changes.add(
            change_nfs_umount(all[i].words, all[i].by_rdma ? MountWay::by_module : MountWay::tcp));
    }
    if (!all.empty()) {
        changes.add(change_nfs_transport(chosen, chosen));
    }
    results.resize(all.size());
    for (std::size_t i = 0; i < all.size(); i++) {
        changes.add(change_nfs_mount(all[i].words,
                                     all[i].by_rdma ? MountWay::by_module : MountWay::remount,
                                     &results[i], set.folders()));
    }
}

Result<Answer> report_remount(const Set &set, const std::vector<MountResult> &results,
                              Answer said) {
    said.json["mounts"] = Json::array();
    for (std::size_t i = 0; i < results.size(); i++) {
        if (results[i].failed) {
            said.code = results[i].failed->code;
            continue;
        }
        const auto request = TRY(request_of_words(set.all()[i].words));
        const Answer one = mount_answer(request, results[i].outcome, true);
        said.json["mounts"].push_back(one.json);
        said.text += one.text;
        said.warnings.insert(said.warnings.end(), one.warnings.begin(), one.warnings.end());
    }
    return said;
}

Result<Answer> run_nfs_remount(World &world, const Arguments &arguments) {
    // The trial of another command would keep the client that this command ends.
    std::optional<FileLock> lock;
    if (!arguments.dry_run()) {
        auto taken = TRY(FileLock::take(remount_lock(world.places)));
        lock.emplace(std::move(taken));
    }
    auto state = TRY(read_transport(world));
    auto mounts = TRY(nfs_mounts(world.files));
    Set set(world, std::move(mounts), state);
    Answer said;
    for (const std::string &typed : arguments.operands()) {
        TRY(set.name(typed, said.text));
    }
    TRY(set.widen(said.text));
    if (!arguments.dry_run()) {
        TRY(check_first(world, set));
    }
    std::vector<MountResult> results;
    ChangeSet changes(fmt::format("nfs remount {}", fmt::join(set.folders(), " ")), Scope::disks);
    plan_remount(set, state.configured, results, changes);
    // A mount that used RDMA before only moved to the module that "nfs transport" chose: undo has
    // nothing to take back.
    const bool journalled = std::any_of(set.all().begin(), set.all().end(),
                                        [](const Returning &one) { return !one.by_rdma; });
    auto answer =
        carry_out(world, {arguments.dry_run(), journalled}, changes, "all go by RDMA already");
    if (!answer) {
        return stays(set, answer.error());
    }
    if (arguments.dry_run()) {
        return answer;
    }
    const Answer outcome = TRY(report_remount(set, results, std::move(said)));
    return said_instead(*std::move(answer), outcome);
}

const VerbRows remount_rows(Section::nfs, 4, [] {
    return std::vector<Verb>{
        {
            .words = "nfs remount",
            .operands = "DIR...",
            .summary = "return a mount to RDMA, or to the module that nfs transport chose, with "
                       "all mounts of its server by TCP",
            .least_operands = 1,
            .most_operands = 64,
            .changes = true,
            .run = run_nfs_remount,
        },
    };
});

} // namespace

} // namespace causeway
