// SPDX-License-Identifier: GPL-2.0-or-later
// A host in memory: the kernel's files, and programs that change them as the real programs would.
#pragma once

#include "machine/clock.h"
#include "machine/disk_use.h"
#include "machine/kernel_files.h"
#include "machine/mount_use.h"
#include "machine/processes.h"
#include "machine/rdma_links.h"
#include "machine/rdma_paths.h"
#include "machine/tcp_ports.h"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace causeway {

class FakeKernelFiles final : public KernelFiles {
  public:
    Result<std::optional<std::string>> read(const std::string &path) override {
        const auto found = content.find(path);
        return found == content.end() ? std::optional<std::string>() : std::optional(found->second);
    }

    // Text is appended, because a listener is appended to portlist. A value of /sys and /proc/sys
    // is replaced; on_write has the further effects of the kernel.
    Result<void> write(const std::string &path, const std::string &text) override {
        if (const auto refused = refuse.find(path); refused != refuse.end()) {
            return refused->second;
        }
        writes.push_back(path + " " + text);
        if (path.substr(0, 9) == "/proc/fs/") {
            content[path] += text;
            return {};
        }
        if (const auto act = on_write.find(path); act != on_write.end()) {
            return act->second(text);
        }
        content[path] = text;
        return {};
    }

    // Adds an IPoIB interface that is up, in datagram mode.
    void add_ipoib(const std::string &name, const std::string &pkey) {
        const std::string folder = "/sys/class/net/" + name + "/";
        content[folder + "type"] = "32\n";
        content[folder + "address"] =
            "80:00:02:08:fe:80:00:00:00:00:00:00:00:02:c9:03:00:10:12:34\n";
        content[folder + "flags"] = "0x1003\n";
        content[folder + "mode"] = "datagram\n";
        content[folder + "mtu"] = "2044\n";
        content[folder + "pkey"] = pkey + "\n";
    }

    std::vector<std::string> list(const std::string &path) override {
        std::set<std::string> names;
        for (const auto &[place, text] : content) {
            add_child(place, path, names);
        }
        for (const std::string &place : folders) {
            add_child(place, path, names);
        }
        for (const auto &[place, target] : symlinks) {
            add_child(place, path, names);
        }
        return {names.begin(), names.end()};
    }

    bool has_folder(const std::string &path) override {
        return folders.count(path) != 0 || !list(path).empty();
    }

    Result<void> make_folder(const std::string &path) override {
        if (const auto refused = refuse.find(path); refused != refuse.end()) {
            return refused->second;
        }
        if (folders.count(path) != 0) {
            return Error{ExitCode::failed, "cannot make " + path + ": File exists", "", EEXIST};
        }
        writes.push_back("mkdir " + path);
        folders.insert(path);
        return {};
    }

    // Behaves like configfs: content that users made inside, or a link to the folder, prevents its
    // removal.
    Result<void> remove_folder(const std::string &path) override {
        if (folders.count(path) == 0) {
            return Error{ExitCode::failed, "cannot remove " + path + ": No such file or directory",
                         "", ENOENT};
        }
        std::set<std::string> inside;
        for (const std::string &place : folders) {
            add_child(place, path, inside);
        }
        for (const auto &[place, target] : symlinks) {
            add_child(place, path, inside);
            if (target == path) {
                return Error{ExitCode::failed,
                             "cannot remove " + path + ": Device or resource busy", "", EBUSY};
            }
        }
        if (!inside.empty()) {
            return Error{ExitCode::failed, "cannot remove " + path + ": Directory not empty", "",
                         ENOTEMPTY};
        }
        writes.push_back("rmdir " + path);
        folders.erase(path);
        for (auto file = content.begin(); file != content.end();) {
            const bool below = file->first.substr(0, path.size() + 1) == path + "/";
            file = below ? content.erase(file) : std::next(file);
        }
        return {};
    }

    Result<void> make_link(const std::string &path, const std::string &target) override {
        if (const auto refused = refuse.find(path); refused != refuse.end()) {
            return refused->second;
        }
        writes.push_back("link " + path);
        symlinks[path] = target;
        return {};
    }

    Result<void> remove_link(const std::string &path) override {
        if (symlinks.erase(path) == 0) {
            return Error{ExitCode::failed, "cannot remove " + path + ": No such file or directory",
                         "", ENOENT};
        }
        writes.push_back("unlink " + path);
        return {};
    }

    std::map<std::string, std::string> content;
    std::set<std::string> folders;               // the folders that were made
    std::map<std::string, std::string> symlinks; // with their targets
    std::map<std::string, Error> refuse;
    std::map<std::string, std::function<Result<void>(const std::string &)>> on_write;
    std::vector<std::string> writes;

  private:
    static void add_child(const std::string &place, const std::string &folder,
                          std::set<std::string> &names) {
        if (place.substr(0, folder.size() + 1) == folder + "/") {
            const std::string rest = place.substr(folder.size() + 1);
            names.insert(rest.substr(0, rest.find('/')));
        }
    }
};

// Time passes only during a sleep, or while a program runs that takes time.
class FakeClock final : public HostClock {
  public:
    std::chrono::milliseconds now() override { return time; }

    void sleep(std::chrono::milliseconds much) override {
        slept += much;
        pass(much);
    }

    // Advances the time, and runs each event at its time.
    void pass(std::chrono::milliseconds much) {
        const auto end = time + much;
        while (!events.empty() && events.begin()->first <= end) {
            const auto next = events.begin();
            time = std::max(time, next->first);
            const auto act = next->second;
            events.erase(next);
            act();
        }
        time = end;
    }

    std::chrono::milliseconds time = std::chrono::hours(1);
    std::chrono::milliseconds slept{};
    std::multimap<std::chrono::milliseconds, std::function<void()>> events;
};

class FakeProcesses final : public Processes {
  public:
    FakeProcesses(FakeKernelFiles &files, FakeClock &clock) : files_(files), clock_(clock) {}

    bool there(const std::string &program) override { return missing.count(program) == 0; }

    Result<ProcessEnd> run(const std::vector<std::string> &words,
                           std::optional<std::chrono::seconds> limit) override {
        std::string line;
        for (const std::string &word : words) {
            line += (line.empty() ? "" : " ") + word;
        }
        log.push_back(line);
        limit_of[line] = limit;
        if (words.front() == "mount") {
            return mount(words, limit);
        }
        if (words.front() == "umount") {
            return unmount(words.back(),
                           std::find(words.begin(), words.end(), "-l") != words.end());
        }
        // From the last to the first, which finds the longest matching start.
        for (auto act = acts.rbegin(); act != acts.rend(); ++act) {
            if (line.substr(0, act->first.size()) == act->first) {
                return act->second();
            }
        }
        return ProcessEnd{};
    }

    std::vector<Result<ProcessEnd>> run_together(const std::vector<std::vector<std::string>> &lines,
                                                 std::chrono::seconds limit) override {
        std::vector<Result<ProcessEnd>> ends;
        limits.push_back(limit);
        for (const auto &words : lines) {
            ends.push_back(run(words, limit));
        }
        return ends;
    }

    // Returns which of the two processes continues.
    Result<bool> go_to_background() override {
        log.emplace_back("background");
        return is_child;
    }

    // The real function does not return. This one returns, and its arguments are in the log.
    Result<void>
    become(const std::vector<std::string> &words,
           const std::vector<std::pair<std::string, std::string>> &variables) override {
        std::string line = "become";
        for (const auto &[name, value] : variables) {
            line += " " + name + "=" + value;
        }
        for (const std::string &word : words) {
            line += " " + word;
        }
        log.push_back(line);
        return {};
    }

    static ProcessEnd failure(const std::string &said, int status = 32) {
        ProcessEnd end;
        end.status = status;
        end.err = said;
        return end;
    }

    // Returns true if a program was run whose words start with this text.
    bool ran(const std::string &start) const { return count(start) != 0; }
    std::size_t count(const std::string &start) const {
        std::size_t number = 0;
        for (const std::string &line : log) {
            number += line.substr(0, start.size()) == start ? 1U : 0U;
        }
        return number;
    }

    void add_mount(const std::string &source, const std::string &directory,
                   const std::string &options) {
        const std::string number = std::to_string(mounts_made++);
        files_.content["/proc/self/mountinfo"] += "3" + number + " 25 0:4" + number + " / " +
                                                  directory + " rw,relatime shared:1 - nfs4 " +
                                                  source + " " + options + "\n";
    }

    std::vector<std::string> log;
    std::map<std::string, std::optional<std::chrono::seconds>> limit_of; // by the whole line
    std::vector<std::chrono::seconds> limits; // of the programs that were run at the same time
    std::set<std::string> missing;
    std::map<std::string, std::function<ProcessEnd()>> acts; // by the start of the line
    std::string rdma_fails = "";                             // error of mount.nfs; empty: it works
    std::string tcp_fails = "";
    bool rdma_hangs = false;
    bool mounts_and_hangs = false; // by RDMA: the mount exists, but mount.nfs has run out of time
    bool is_child = false;         // after it went to the background
    bool joins_rdma = false;       // a mount by TCP shares a connection by RDMA
    // as in NFS 4, a mount shares the connection of an earlier mount of the server
    bool joins = false;
    std::map<std::string, std::string> addresses; // of servers; default: 10.0.0.1
    std::map<std::string, std::string> shows;     // sources; default: the source itself
    unsigned int mounts_made = 0;                 // the mount 3N has the device 0:4N
    std::set<std::string> busy;                   // cannot be unmounted
    std::function<std::string(const std::string &, bool)> refuses; // by folder; default: as above

  private:
    ProcessEnd mount(const std::vector<std::string> &words,
                     std::optional<std::chrono::seconds> limit) {
        const std::string &options = words[words.size() - 3];
        const std::string padded = "," + options + ",";
        const bool rdma = padded.find(",proto=rdma") != std::string::npos;
        if (rdma && rdma_hangs) {
            ProcessEnd end;
            end.status = 137;
            end.timed_out = true;
            clock_.pass(limit.value_or(std::chrono::hours(1)));
            return end;
        }
        if (rdma && mounts_and_hangs) {
            add_mount(words[words.size() - 2], words.back(), "rw,vers=4.2," + options);
            ProcessEnd end;
            end.status = 137;
            end.timed_out = true;
            return end;
        }
        std::string fails = rdma ? rdma_fails : tcp_fails;
        if (refuses && fails.empty()) {
            fails = refuses(words.back(), rdma);
        }
        if (!fails.empty()) {
            return failure("mount.nfs: " + fails);
        }
        const std::string &source = words[words.size() - 2];
        const auto address = addresses.find(source.substr(0, source.find(":/")));
        const std::string own =
            options + ",addr=" + (address == addresses.end() ? "10.0.0.1" : address->second);
        const auto shown = shows.find(source);
        add_mount(shown == shows.end() ? source : shown->second, words.back(),
                  "rw,vers=4.2," + (joins        ? joined(own)
                                    : joins_rdma ? "proto=rdma,addr=10.0.0.1"
                                                 : own));
        return {};
    }

    // The first mount determines the transport and the address of the others: the kernel identifies
    // a server with several addresses by what the server reports of itself.
    std::string joined(const std::string &own) const {
        const auto table = files_.content.find("/proc/self/mountinfo");
        const std::size_t proto =
            table == files_.content.end() ? std::string::npos : table->second.find("proto=");
        if (proto == std::string::npos) {
            return own;
        }
        return table->second.substr(proto, table->second.find('\n', proto) - proto);
    }

    ProcessEnd unmount(const std::string &directory, bool lazily) {
        if (busy.count(directory) != 0 && !lazily) {
            return failure("umount.nfs4: " + directory + ": device is busy", 16);
        }
        std::string &table = files_.content["/proc/self/mountinfo"];
        std::size_t start = 0;
        while (start < table.size()) {
            const std::size_t end = table.find('\n', start) + 1;
            if (table.substr(start, end - start).find(" / " + directory + " ") !=
                std::string::npos) {
                table.erase(start, end - start);
                return {};
            }
            start = end;
        }
        return failure("umount: " + directory + ": not mounted.");
    }

    FakeKernelFiles &files_;
    FakeClock &clock_;
};

class FakeMountUse final : public MountUse {
  public:
    explicit FakeMountUse(FakeProcesses &processes) : processes_(processes) {}

    bool is_busy(const std::string &directory) override {
        asked.push_back(directory);
        return knows && processes_.busy.count(directory) != 0;
    }

    std::vector<MountUser> users(const std::string &directory) override {
        const auto found = open.find(directory);
        return found == open.end() ? std::vector<MountUser>() : found->second;
    }

    bool knows = true; // false: a use shows only during unmount
    std::vector<std::string> asked;
    std::map<std::string, std::vector<MountUser>> open;

  private:
    FakeProcesses &processes_;
};

// Has the devices that a test names. Files are looked up in the real file system.
class FakeDiskUse final : public DiskUse {
  public:
    std::optional<Backing> find(const std::string &path) override {
        const auto known = devices.find(path);
        return known == devices.end() ? real.find(path) : std::optional(known->second);
    }
    bool is_claimed(const std::string &device) override { return claimed.count(device) != 0; }
    bool is_being_written(const std::string &file) override { return written.count(file) != 0; }
    std::string writer(const std::vector<std::string> &paths) override {
        for (const std::string &path : paths) {
            if (const auto known = writers.find(path); known != writers.end()) {
                return known->second + " has " + path + " open";
            }
        }
        return {};
    }

    std::map<std::string, Backing> devices;
    std::set<std::string> claimed;
    std::set<std::string> written;
    std::map<std::string, std::string> writers;

  private:
    SystemDiskUse real;
};

class FakeTcpPorts final : public TcpPorts {
  public:
    bool listens(const SocketAddress &peer, std::chrono::milliseconds /*limit*/) override {
        log.push_back(peer.text());
        return open.count(peer.text()) != 0;
    }

    std::vector<std::string> log;
    std::set<std::string> open;
};

// Makes and removes software devices in the kernel's files, as rxe and siw do.
class FakeRdmaLinks final : public RdmaLinks {
  public:
    explicit FakeRdmaLinks(FakeKernelFiles &files) : files_(files) {}

    Result<void> add(const std::string &type, const std::string &device,
                     const std::string &netdev) override {
        log.push_back("add " + type + " " + device + " " + netdev);
        if (refuse) {
            return *refuse;
        }
        put(device, "node_type", type == "siw" ? "4: RNIC" : "1: CA");
        put(device, "node_guid", "5054:00ff:fe00:0001");
        put(device, "fw_ver", "");
        if (type == "rxe") {
            put(device, "parent", netdev);
        }
        put(device, "ports/1/state", "4: ACTIVE");
        put(device, "ports/1/phys_state", "5: LinkUp");
        put(device, "ports/1/rate", "2.5 Gb/sec (1X SDR)");
        put(device, "ports/1/link_layer", "Ethernet");
        put(device, "ports/1/lid", "0x0");
        put(device, "ports/1/gids/0", "0000:0000:0000:0000:0000:ffff:0a00:0001");
        put(device, "ports/1/gids/1", "0000:0000:0000:0000:0000:0000:0000:0000");
        put(device, "ports/1/gid_attrs/types/0", "RoCE v2");
        put(device, "ports/1/gid_attrs/ndevs/0", netdev);
        return {};
    }

    Result<void> remove(const std::string &device) override {
        log.push_back("remove " + device);
        if (refuse) {
            return *refuse;
        }
        move(device, "");
        return {};
    }

    Result<void> rename(const std::string &device, const std::string &name) override {
        log.push_back("rename " + device + " " + name);
        if (refuse) {
            return *refuse;
        }
        move(device, name);
        return {};
    }

    void put(const std::string &device, const std::string &file, const std::string &text) {
        files_.content["/sys/class/infiniband/" + device + "/" + file] = text + "\n";
    }

    std::vector<std::string> log;
    std::optional<Error> refuse;

  private:
    // Renames the device, or removes it if the name is empty.
    void move(const std::string &device, const std::string &name) {
        const std::string start = "/sys/class/infiniband/" + device + "/";
        std::map<std::string, std::string> rest;
        for (const auto &[path, text] : files_.content) {
            if (path.substr(0, start.size()) != start) {
                rest.emplace(path, text);
            } else if (!name.empty()) {
                rest.emplace("/sys/class/infiniband/" + name + "/" + path.substr(start.size()),
                             text);
            }
        }
        files_.content = std::move(rest);
    }

    FakeKernelFiles &files_;
};

// Returns the answers that a test sets, by the peer's address with its port.
class FakeRdmaPaths final : public RdmaPaths {
  public:
    Result<PathTry> attempt(const SocketAddress &peer,
                            std::chrono::milliseconds /*limit*/) override {
        log.push_back(peer.text());
        if (refuse) {
            return *refuse;
        }
        const auto found = answers.find(peer.text());
        return found == answers.end() ? PathTry{} : found->second;
    }

    std::vector<std::string> log;
    std::optional<Error> refuse;
    std::map<std::string, PathTry> answers;
};

} // namespace causeway
