// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/narrated.h"

#include "base/narration.h"

#include <fmt/format.h>

namespace causeway {

namespace {

template <typename Value> void narrate_failure(const Result<Value> &done) {
    if (!done) {
        narrate("  " + done.error().what);
    }
}

std::string end_of(const Result<ProcessEnd> &end) {
    if (!end) {
        return end.error().what;
    }
    const std::string words = end->good() ? "" : end->last_words();
    return fmt::format("{}{}{}",
                       end->timed_out ? std::string("killed, because its time was over")
                                      : fmt::format("exit {}", end->status),
                       words.empty() ? "" : ": ", words);
}

} // namespace

Result<ProcessEnd> NarratedProcesses::run(const std::vector<std::string> &words,
                                          std::optional<std::chrono::seconds> limit) {
    if (!is_narrating()) {
        return real_.run(words, limit);
    }
    narrate("run " + narrated_words(words));
    const auto begin = std::chrono::steady_clock::now();
    auto end = real_.run(words, limit);
    narrate(fmt::format("  {}, after {}", end_of(end), narrated_time(begin)));
    return end;
}

std::vector<Result<ProcessEnd>>
NarratedProcesses::run_together(const std::vector<std::vector<std::string>> &lines,
                                std::chrono::seconds limit) {
    for (const auto &words : lines) {
        narrate("run, beside others, " + narrated_words(words));
    }
    const auto begin = std::chrono::steady_clock::now();
    auto ends = real_.run_together(lines, limit);
    for (const auto &end : ends) {
        narrate("  " + end_of(end));
    }
    if (is_narrating()) {
        narrate(fmt::format("  all ended after {}", narrated_time(begin)));
    }
    return ends;
}

Result<bool> NarratedProcesses::go_to_background() {
    narrate("go to the background");
    return real_.go_to_background();
}

Result<void>
NarratedProcesses::become(const std::vector<std::string> &words,
                          const std::vector<std::pair<std::string, std::string>> &variables) {
    for (const auto &[name, value] : variables) {
        narrate(fmt::format("set the variable {}", narrated_words({name + "=" + value})));
    }
    narrate("become " + narrated_words(words));
    auto done = real_.become(words, variables);
    narrate_failure(done);
    return done;
}

Result<std::optional<std::string>> NarratedKernelFiles::read(const std::string &path) {
    auto text = real_.read(path);
    if (is_narrating()) {
        narrate(fmt::format("read {}: {}", path,
                            !text   ? text.error().what
                            : *text ? narrated_text(path, **text)
                                    : "there is no such file"));
    }
    return text;
}

Result<void> NarratedKernelFiles::write(const std::string &path, const std::string &text) {
    narrate(fmt::format("write {}: {}", path, narrated_text(path, text)));
    auto done = real_.write(path, text);
    narrate_failure(done);
    return done;
}

std::vector<std::string> NarratedKernelFiles::list(const std::string &path) {
    auto names = real_.list(path);
    narrate(fmt::format("list {}: {}", path, narrated_words(names)));
    return names;
}

Result<void> NarratedKernelFiles::make_folder(const std::string &path) {
    narrate("make the folder " + path);
    auto done = real_.make_folder(path);
    narrate_failure(done);
    return done;
}

Result<void> NarratedKernelFiles::remove_folder(const std::string &path) {
    narrate("remove the folder " + path);
    auto done = real_.remove_folder(path);
    narrate_failure(done);
    return done;
}

Result<void> NarratedKernelFiles::make_link(const std::string &path, const std::string &target) {
    narrate(fmt::format("make the link {} to {}", path, target));
    auto done = real_.make_link(path, target);
    narrate_failure(done);
    return done;
}

Result<void> NarratedKernelFiles::remove_link(const std::string &path) {
    narrate("remove the link " + path);
    auto done = real_.remove_link(path);
    narrate_failure(done);
    return done;
}

Result<void> NarratedRdmaLinks::add(const std::string &type, const std::string &device,
                                    const std::string &netdev) {
    narrate(fmt::format("netlink: make the RDMA device {} of type {} on {}", device, type, netdev));
    auto done = real_.add(type, device, netdev);
    narrate_failure(done);
    return done;
}

Result<void> NarratedRdmaLinks::remove(const std::string &device) {
    narrate("netlink: remove the RDMA device " + device);
    auto done = real_.remove(device);
    narrate_failure(done);
    return done;
}

Result<void> NarratedRdmaLinks::rename(const std::string &device, const std::string &name) {
    narrate(fmt::format("netlink: rename the RDMA device {} to {}", device, name));
    auto done = real_.rename(device, name);
    narrate_failure(done);
    return done;
}

} // namespace causeway
