// SPDX-License-Identifier: GPL-2.0-or-later
#include "boot/memlock_limits.h"

#include "base/append_once.h"
#include "base/durable_file.h"
#include "base/units.h"
#include "config/file_header.h"
#include "doctor/gather.h"

#include <algorithm>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr const char *dropin_name = "causeway-memlock.conf";
constexpr std::string_view dropin_key = "LimitMEMLOCK=";

// Parses a line of limits(5) about memlock: "@rdma - memlock unlimited".
std::optional<ListedLimit> parse_limit(const std::string &line) {
    const auto words = words_of_line(line.substr(0, line.find('#')));
    if (words.size() != 4 || words[2] != "memlock") {
        return std::nullopt;
    }
    ListedLimit limit;
    limit.who = words[0];
    limit.type = words[1];
    limit.value = words[3];
    return limit;
}

void add_file(const fs::path &file, std::vector<ListedLimit> &limits) {
    const std::string text = text_of(file).value_or("");
    for (const std::string &line : lines_of(text)) {
        if (auto limit = parse_limit(line)) {
            limit->file = file;
            limit->by_causeway = is_ours(text);
            limits.push_back(*std::move(limit));
        }
    }
}

} // namespace

void MemlockLimits::set(const std::string &who, const std::string &value) {
    const std::string wanted = who + " - memlock " + value;
    bool done = false;
    for (std::string &line : lines_) {
        const auto limit = parse_limit(line);
        if (limit && limit->who == who) {
            line = done ? "" : wanted;
            done = true;
        }
    }
    lines_.erase(std::remove(lines_.begin(), lines_.end(), ""), lines_.end());
    if (!done) {
        lines_.push_back(wanted);
    }
}

bool MemlockLimits::remove(const std::string &who) {
    const auto end = std::remove_if(lines_.begin(), lines_.end(), [&](const std::string &line) {
        const auto limit = parse_limit(line);
        return limit && limit->who == who;
    });
    const bool found = end != lines_.end();
    lines_.erase(end, lines_.end());
    return found;
}

std::vector<std::string> MemlockLimits::names() const {
    std::vector<std::string> names;
    for (const std::string &line : lines_) {
        if (const auto limit = parse_limit(line)) {
            append_once(names, limit->who);
        }
    }
    return names;
}

std::string MemlockLimits::text() const {
    std::string text;
    for (const std::string &line : lines_) {
        text += line + "\n";
    }
    return text;
}

Result<MemlockLimits> load_memlock_limits(const Places &places) {
    auto content = TRY(read_small_file(places.memlock()));
    std::vector<std::string> lines;
    if (content && is_ours(*content)) {
        lines = lines_of(*content);
        lines.erase(lines.begin()); // the header
        lines.erase(std::remove(lines.begin(), lines.end(), ""), lines.end());
    }
    return MemlockLimits(std::move(lines));
}

fs::path memlock_dropin(const Places &places, const std::string &service) {
    return places.units() / (service + ".service.d") / dropin_name;
}

std::vector<std::string> services_with_memlock(const Places &places) {
    constexpr std::string_view suffix = ".service.d";
    std::vector<std::string> services;
    std::error_code failure;
    for (const fs::directory_entry &each : fs::directory_iterator(places.units(), failure)) {
        const std::string folder = each.path().filename().string();
        if (folder.size() > suffix.size() &&
            folder.compare(folder.size() - suffix.size(), suffix.size(), suffix) == 0 &&
            is_ours(text_of(each.path() / dropin_name).value_or(""))) {
            services.push_back(folder.substr(0, folder.size() - suffix.size()));
        }
    }
    std::sort(services.begin(), services.end());
    return services;
}

bool ListedLimit::is_unlimited() const {
    return value == "unlimited" || value == "infinity" || value == "-1";
}

std::optional<std::uint64_t> ListedLimit::bytes() const {
    const std::string digits = is_service && !value.empty() && value.back() == 'K'
                                   ? value.substr(0, value.size() - 1)
                                   : value;
    const auto number = parse_number("limit", digits, 0, UINT64_MAX / 1024);
    return is_unlimited() || !number ? std::nullopt : std::optional(*number * 1024);
}

std::vector<ListedLimit> listed_limits(const Places &places) {
    std::vector<ListedLimit> limits;
    add_file(places.of_others("etc/security/limits.conf"), limits);
    for (const auto &file : files_in(places.of_others("etc/security/limits.d"), ".conf")) {
        add_file(file, limits);
    }
    for (const std::string &service : services_with_memlock(places)) {
        const fs::path file = memlock_dropin(places, service);
        for (const std::string &line : lines_of(text_of(file).value_or(""))) {
            if (line.compare(0, dropin_key.size(), dropin_key) == 0) {
                limits.push_back({service, true, "-", line.substr(dropin_key.size()), file, true});
            }
        }
    }
    return limits;
}

} // namespace causeway
