// SPDX-License-Identifier: GPL-2.0-or-later
// A kernel in memory. It records requests, and refuses those that a test selects.
#pragma once

#include "kernel/message_attributes.h"
#include "machine/kernel.h"
#include "machine/module_loader.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <netinet/in.h>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

namespace causeway {

// Returns the numbers of @request that are set, by the types of their attributes.
inline std::map<int, std::uint32_t> numbers_of(const AttachRequest &request) {
    std::map<int, std::uint32_t> numbers;
    each_attribute(request, [&](int attribute, const auto &member) {
        using Member = std::decay_t<decltype(member)>;
        if constexpr (std::is_assignable_v<Member &, std::optional<std::uint32_t>>) {
            if (member) {
                numbers[attribute] = *member;
            }
        }
    });
    return numbers;
}

// "10.0.0.1:4793, 10.1.0.1:4793 from 10.1.0.5"
inline std::string text_of(const std::vector<DiskPathAddresses> &paths) {
    std::string text;
    for (const DiskPathAddresses &path : paths) {
        text += (text.empty() ? "" : ", ") + path.address.text() +
                (path.local.empty() ? "" : " from " + path.local.host_text()) +
                (path.transport == CW_TRANSPORT_TCP ? " over TCP" : "");
    }
    return text;
}

// Sets those members of @message to @numbers that are numbers.
template <typename Message>
void set_numbers(Message &message, const std::map<int, std::uint32_t> &numbers) {
    each_attribute(message, [&](int attribute, auto &member) {
        const auto number = numbers.find(attribute);
        if constexpr (std::is_integral_v<std::decay_t<decltype(member)>>) {
            if (number != numbers.end()) {
                member = static_cast<std::decay_t<decltype(member)>>(number->second);
            }
        } else if constexpr (std::is_assignable_v<decltype(member), std::optional<std::uint32_t>>) {
            if (number != numbers.end()) {
                member = number->second;
            }
        }
    });
}

class FakeModules final : public Modules {
  public:
    bool loaded(const std::string &module) override { return there.count(module) != 0; }

    Result<void> need(const std::string &module) override {
        if (missing.count(module) != 0) {
            return Error{ExitCode::unavailable,
                         "the kernel module " + module + " cannot be loaded"};
        }
        const auto alias = aliases.find(module);
        there.insert(alias == aliases.end() ? module : alias->second);
        return {};
    }

    Result<void> unload(const std::string &module) override {
        if (busy.count(module) != 0) {
            return Error{ExitCode::try_again,
                         "the kernel module " + module + " cannot be unloaded: in use", "", EBUSY};
        }
        there.erase(module);
        return {};
    }

    std::set<std::string> there;
    std::set<std::string> missing;
    std::set<std::string> busy;
    std::map<std::string, std::string> aliases;
};

class FakeEvents final : public EventStream {
  public:
    explicit FakeEvents(std::deque<Event> events) : events_(std::move(events)) {}

    Result<std::optional<Event>> next(std::optional<std::chrono::milliseconds> /*limit*/) override {
        if (events_.empty()) {
            return std::optional<Event>();
        }
        Event first = events_.front();
        events_.pop_front();
        return std::optional(first);
    }

  private:
    std::deque<Event> events_;
};

// The rule of the module for the addresses of an export (kmod/core/wire/address.c).
inline bool is_of_one_host(const SocketAddress &address) {
    const auto all = address.bytes();
    const auto *at = all.data() + (address.family() == AF_INET ? offsetof(sockaddr_in, sin_addr)
                                                               : offsetof(sockaddr_in6, sin6_addr));
    if (address.port() != 0) {
        return false;
    }
    if (address.family() == AF_INET) {
        return at[0] != 0 && at[0] < 224 && !(at[0] == 169 && at[1] == 254);
    }
    const bool zeroes = std::all_of(at, at + 10, [](std::uint8_t byte) { return byte == 0; });
    const bool none = std::all_of(at, at + 16, [](std::uint8_t byte) { return byte == 0; });
    const bool mapped = zeroes && at[10] == 0xff && at[11] == 0xff;
    return !none && !mapped && at[0] != 0xff && !(at[0] == 0xfe && (at[1] & 0xc0) == 0x80);
}

class FakeKernel final : public Kernel {
  public:
    explicit FakeKernel(FakeModules &modules) : modules_(modules) {}

    // The error with which the next request of this kind is refused.
    std::map<std::string, Error> refuse;
    // Every request, in words.
    std::vector<std::string> log;
    std::function<void()> while_paths_change; // called by add_path() and remove_path()

    std::vector<ExportInfo> running_exports;
    std::vector<AttachmentInfo> running_attachments;
    std::vector<SessionInfo> running_sessions;
    std::vector<StatInfo> running_stats;
    std::vector<DiscoveredExport> offered;
    std::deque<Event> events;
    Uuid instance;
    bool flushes = true;
    std::string hangs; // the reason why a removed export does not end
    std::vector<AttachRequest> attach_requests;
    std::string still_kept; // the answer of a detach
    std::vector<std::vector<std::uint8_t>> export_keys;
    std::vector<std::string> ledger_folders; // of the exports that were added
    std::vector<OwnerInfo> known_owners;
    std::function<void()> before_add;
    std::function<void()> after_add;
    std::function<void()> after_remove; // of an export
    std::function<void()> when_evicted; // a host, whether its commands are done or not
    // the number of eviction requests that still find commands
    int commands_left = 0;
    std::map<std::string, Error> unreachable; // by address

    // Loads the target module anew, which loses everything that it held.
    void reload_target() {
        running_exports.clear();
        instance = Uuid();
    }

    Result<void> add_export(const ExportRequest &request) override {
        log.push_back("add " + request.settings.name);
        if (before_add) {
            before_add();
        }
        if (auto refused = refused_now("add"); !refused) {
            return refused;
        }
        if (instance.is_nil()) {
            return Error{ExitCode::failed, "no instance was told", "", EINVAL};
        }
        for (const SocketAddress &address : request.settings.addresses) {
            if (!is_of_one_host(address)) {
                return Error{ExitCode::failed,
                             address.host_text() + " does not name one host for all clients", "",
                             EINVAL};
            }
        }
        ExportInfo info;
        info.settings = request.settings;
        info.settings.key_file.clear();
        info.settings.state_folder = request.ledger_folder;
        ledger_folders.push_back(request.ledger_folder);
        info.has_key = !request.key.empty();
        info.read_only_set = request.settings.read_only ? 1 : 0;
        info.settings.read_only |= write_protected.count(info.settings.name) != 0;
        info.block_size = 512;
        const auto key = request.key.bytes();
        export_keys.emplace_back(key.begin(), key.end());
        running_exports.push_back(info);
        if (after_add) {
            after_add();
        }
        return {};
    }

    std::vector<ExportUpdate> export_updates;
    std::vector<std::vector<std::uint8_t>> new_keys; // of export_updates and attachment_changes
    std::uint32_t excluded = 0; // connections that new settings of an export do not admit
    std::set<std::string> write_protected; // exports whose disk takes no writes
    std::function<void()> when_set;        // called while settings of a disk or export change
    std::function<void()> when_attached;
    std::function<void()> when_detached;

    Result<std::uint32_t> set_export(const ExportUpdate &update) override {
        const ExportSettings &to = update.settings;
        log.push_back("set " + to.name + " " + std::to_string(update.change) +
                      (update.force ? " by force" : ""));
        if (when_set) {
            when_set();
        }
        if (auto refused = refused_now("set"); !refused) {
            return refused.error();
        }
        if (excluded > 0 && !update.force) {
            return Error{ExitCode::try_again, "in use by connections", "", EBUSY};
        }
        const auto found =
            std::find_if(running_exports.begin(), running_exports.end(),
                         [&](const ExportInfo &info) { return info.settings.name == to.name; });
        if (found == running_exports.end()) {
            return Error{ExitCode::unavailable, "there is no export", "", ENOENT};
        }
        ExportUpdate copy;
        copy.change = update.change;
        copy.settings = to;
        copy.over_tcp = update.over_tcp;
        copy.force = update.force;
        export_updates.push_back(std::move(copy));
        keep_key(update.key);
        ExportSettings &there = found->settings;
        if ((update.change & CW_CHANGE_ALLOW) != 0) {
            there.allow = to.allow;
        }
        if ((update.change & CW_CHANGE_KEY) != 0) {
            found->has_key = !update.key.empty();
        }
        if ((update.change & CW_CHANGE_ADDRESSES) != 0) {
            there.addresses = to.addresses;
        }
        if ((update.change & CW_CHANGE_TCP) != 0) {
            there.tcp = to.tcp;
        }
        if ((update.change & CW_CHANGE_READ_ONLY) != 0) {
            there.read_only = to.read_only || write_protected.count(to.name) != 0;
            found->read_only_set = to.read_only ? 1 : 0;
        }
        if ((update.change & CW_CHANGE_TAKEOVER_AFTER) != 0) {
            there.takeover_after = to.takeover_after;
        }
        return std::exchange(excluded, 0);
    }

    Result<void> set_attachment(const AttachmentUpdate &change) override {
        log.push_back("set " + change.server + "/" + change.name + " " +
                      std::to_string(change.change.value_or(0)));
        if (when_set) {
            when_set();
        }
        if (auto refused = refused_now("set"); !refused) {
            return refused;
        }
        keep_key(change.key);
        AttachmentInfo &info = attachment_of(change.server, change.name);
        if ((*change.change & CW_CHANGE_KEY) != 0) {
            info.has_key = !change.key.empty();
        }
        if ((*change.change & CW_CHANGE_IO_TIMEOUT) != 0) {
            info.io_timeout = change.io_timeout.value_or(0);
        }
        if ((*change.change & CW_CHANGE_FAST_FAIL) != 0) {
            info.fast_fail = change.fast_fail.value_or(CW_FAST_FAIL_DEFAULT);
        }
        if ((*change.change & CW_CHANGE_PATH_POLICY) != 0) {
            info.path_policy = change.path_policy.value_or(CW_PATH_POLICY_AUTO);
        }
        return {};
    }

    Result<std::string> remove_export(const std::string &name, bool force) override {
        log.push_back("remove " + name + (force ? " by force" : ""));
        if (auto refused = refused_now("remove"); !refused) {
            return refused.error();
        }
        if (!hangs.empty()) {
            for (ExportInfo &info : running_exports) {
                info.ending |= info.settings.name == name;
            }
            return hangs;
        }
        running_exports.erase(
            std::remove_if(running_exports.begin(), running_exports.end(),
                           [&](const ExportInfo &info) { return info.settings.name == name; }),
            running_exports.end());
        if (after_remove) {
            after_remove();
        }
        return std::string();
    }

    Result<std::vector<ExportInfo>> exports() override { return running_exports; }

    Result<std::optional<Uuid>> evict_host(const std::string &name, const Uuid &host) override {
        log.push_back("evict " + host.text() + " from " + name);
        if (auto refused = refused_now("evict"); !refused) {
            return refused.error();
        }
        if (when_evicted) {
            when_evicted();
        }
        if (commands_left > 0) {
            commands_left--;
            return std::optional<Uuid>();
        }
        return std::optional(host);
    }

    Result<Uuid> readmit_host(const std::string &name, const Uuid &host) override {
        log.push_back("readmit " + host.text() + " to " + name);
        if (auto refused = refused_now("readmit"); !refused) {
            return refused.error();
        }
        return host;
    }

    Result<std::vector<OwnerInfo>> owners() override {
        if (auto refused = refused_now("owners"); !refused) {
            return refused.error();
        }
        return known_owners;
    }

    decltype(ServerInfo::limits) limits_met{};

    Result<std::optional<ServerInfo>> server() override {
        if (!modules_.loaded("causeway_target")) {
            return std::optional<ServerInfo>();
        }
        return std::optional(ServerInfo{instance, port, limits_met});
    }

    std::uint16_t port = 4793;
    bool listens = false; // the port cannot change

    Result<void> set_port(std::uint16_t wanted) override {
        log.push_back("port " + std::to_string(wanted));
        if (listens || !running_exports.empty()) {
            return Error{ExitCode::try_again, "the server listens already", "", EBUSY};
        }
        port = wanted;
        return {};
    }

    Result<void> set_instance(const Uuid &told) override {
        log.push_back("instance " + told.text());
        instance = told;
        return {};
    }

    Result<StopReport> stop_server() override {
        log.emplace_back("stop");
        if (auto refused = refused_now("stop"); !refused) {
            return refused.error();
        }
        StopReport report{flushes, {}};
        if (!flushes) {
            for (const ExportInfo &info : running_exports) {
                report.unflushed.push_back({info.settings.name, "its disk failed"});
            }
        }
        running_exports.clear();
        return report;
    }

    Result<std::string> attach(const AttachRequest &request) override {
        std::vector<DiskPathAddresses> paths = request.paths;
        if (paths.empty()) {
            paths = {{request.address, {}, {}, {}}};
        }
        log.push_back("attach " + request.server + "/" + request.name + " at " + text_of(paths) +
                      (request.background ? " in the background" : ""));
        AttachRequest copy;
        copy.server = request.server;
        copy.name = request.name;
        copy.address = request.address;
        copy.paths = request.paths;
        set_numbers(copy, numbers_of(request));
        copy.host = request.host;
        copy.background = request.background;
        copy.identity = request.identity;
        attach_requests.push_back(std::move(copy));
        if (when_attached) {
            when_attached();
        }
        if (auto refused = refused_now("attach"); !refused) {
            return refused.error();
        }
        // A disk with several paths is attached by any of them.
        const auto error_of = [&](const DiskPathAddresses &path) {
            return unreachable.find(path.address.host_text());
        };
        if (std::all_of(paths.begin(), paths.end(), [&](const DiskPathAddresses &path) {
                return error_of(path) != unreachable.end();
            })) {
            return error_of(paths.back())->second;
        }
        AttachmentInfo info;
        info.server = request.server;
        info.name = request.name;
        info.address = paths.front().address;
        for (DiskPathAddresses path : paths) {
            path.number = static_cast<std::uint32_t>(info.paths.size());
            info.paths.push_back(path);
        }
        info.state = request.background ? CW_STATE_CONNECTING : CW_STATE_LIVE;
        info.disk =
            request.background ? "" : "causeway" + std::to_string(running_attachments.size());
        info.queues = 2;
        info.depth = 128;
        info.fast_fail = CW_FAST_FAIL_DEFAULT;
        set_numbers(info, numbers_of(request));
        info.queues = static_cast<std::uint16_t>(info.queues + info.poll_queues);
        info.has_key = !request.key.empty();
        info.host = request.host;
        running_attachments.push_back(info);
        return info.disk;
    }

    Result<std::string> detach(const std::string &server, const std::string &name,
                               bool force) override {
        log.push_back("detach " + server + "/" + name + (force ? " by force" : ""));
        if (when_detached) {
            when_detached();
        }
        if (auto refused = refused_now("detach"); !refused) {
            return refused.error();
        }
        running_attachments.erase(
            std::remove_if(running_attachments.begin(), running_attachments.end(),
                           [&](const AttachmentInfo &info) {
                               return info.server == server && info.name == name;
                           }),
            running_attachments.end());
        return still_kept;
    }

    Result<std::uint32_t> add_path(const std::string &server, const std::string &name,
                                   const DiskPathAddresses &path) override {
        log.push_back("add path " + text_of({path}) + " to " + server + "/" + name);
        if (while_paths_change) {
            while_paths_change();
        }
        if (auto refused = refused_now("add path"); !refused) {
            return refused.error();
        }
        auto &paths = attachment_of(server, name).paths;
        DiskPathAddresses added = path;
        added.number = 0;
        while (*added.number < paths.size() && paths[*added.number].number == added.number) {
            ++*added.number;
        }
        paths.insert(paths.begin() + *added.number, added);
        return *added.number;
    }

    Result<void> remove_path(const std::string &server, const std::string &name,
                             std::uint32_t number) override {
        log.push_back("remove path " + std::to_string(number) + " of " + server + "/" + name);
        if (while_paths_change) {
            while_paths_change();
        }
        if (auto refused = refused_now("remove path"); !refused) {
            return refused;
        }
        auto &paths = attachment_of(server, name).paths;
        paths.erase(std::find_if(paths.begin(), paths.end(), [&](const DiskPathAddresses &path) {
            return path.number == number;
        }));
        return {};
    }

    Result<void> acknowledge(const std::string &server, const std::string &name) override {
        log.push_back("acknowledge " + server + "/" + name);
        return refused_now("acknowledge");
    }

    Result<std::vector<AttachmentInfo>> attachments() override { return running_attachments; }
    Result<std::vector<SessionInfo>> sessions() override { return running_sessions; }
    Result<std::vector<StatInfo>> stats() override { return running_stats; }

    Result<std::vector<DiscoveredExport>> discover(const std::string &server,
                                                   const DiskPathAddresses &end,
                                                   const std::string &name) override {
        log.push_back("discover " + server + " at " + end.address.text() +
                      (end.transport ? " over TCP" : "") + (name.empty() ? "" : " for " + name));
        if (auto refused = refused_now("discover"); !refused) {
            return refused.error();
        }
        return offered;
    }

    std::vector<NfsConnection> running_nfs;
    std::vector<NfsRule> running_rules;

    Result<std::vector<NfsConnection>> nfs_connections() override { return running_nfs; }
    Result<std::vector<NfsRule>> nfs_rules() override { return running_rules; }

    Result<void> set_nfs_rule(const NfsRule &rule) override {
        log.push_back("rule " + rule.network.text());
        if (auto refused = refused_now("rule"); !refused) {
            return refused;
        }
        drop_rule(rule.network);
        running_rules.push_back(rule);
        return {};
    }

    Result<void> remove_nfs_rule(const Prefix &network) override {
        log.push_back("no rule " + network.text());
        drop_rule(network);
        return {};
    }

    Result<std::unique_ptr<EventStream>> subscribe() override {
        return std::unique_ptr<EventStream>(std::make_unique<FakeEvents>(events));
    }

  private:
    void keep_key(const Secret &key) {
        const auto bytes = key.bytes();
        new_keys.emplace_back(bytes.begin(), bytes.end());
    }

    AttachmentInfo &attachment_of(const std::string &server, const std::string &name) {
        return *std::find_if(
            running_attachments.begin(), running_attachments.end(),
            [&](const AttachmentInfo &info) { return info.server == server && info.name == name; });
    }

    void drop_rule(const Prefix &network) {
        running_rules.erase(
            std::remove_if(running_rules.begin(), running_rules.end(),
                           [&](const NfsRule &rule) { return rule.network == network; }),
            running_rules.end());
    }

    Result<void> refused_now(const std::string &request) {
        const auto found = refuse.find(request);
        if (found == refuse.end()) {
            return {};
        }
        Error error = found->second;
        refuse.erase(found);
        return error;
    }

    FakeModules &modules_;
};

} // namespace causeway
