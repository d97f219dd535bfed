// SPDX-License-Identifier: GPL-2.0-or-later
#include "change/journal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <ctime>
#include <fmt/format.h>
#include <system_error>
#include <thread>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr int schema = 1;
constexpr unsigned int entry_mode = 0600;
constexpr std::chrono::seconds longest_wait(2); // for the lock of the numbers
constexpr std::chrono::milliseconds pause_between(10);

std::string time_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    const std::size_t length =
        std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return {text.data(), length};
}

constexpr std::string_view entry_suffix = ".json";
constexpr std::string_view claim_suffix = ".busy";

// The number in "000012.json"; none for a file with another suffix.
std::optional<unsigned int> number_of(const std::string &name, std::string_view suffix) {
    unsigned int number = 0;
    const auto end = std::from_chars(name.data(), name.data() + name.size(), number);
    if (end.ec != std::errc() || std::string_view(end.ptr) != suffix) {
        return std::nullopt;
    }
    return number;
}

Result<std::vector<unsigned int>> numbers_in(const fs::path &folder,
                                             std::string_view suffix = entry_suffix) {
    std::vector<unsigned int> numbers;
    std::error_code failure;
    fs::directory_iterator entry(folder, failure);
    if (failure == std::errc::no_such_file_or_directory) {
        return numbers;
    }
    for (; !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
        if (const auto number = number_of(entry->path().filename().string(), suffix)) {
            numbers.push_back(*number);
        }
    }
    if (failure) {
        return Error{failure == std::errc::permission_denied ? ExitCode::no_permission
                                                             : ExitCode::failed,
                     fmt::format("cannot read {}: {}", folder.string(), failure.message()),
                     failure == std::errc::permission_denied ? "run the command as root" : "",
                     failure.value()};
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

Error damaged(const fs::path &place, const std::string &how) {
    return Error{ExitCode::bad_config,
                 fmt::format("the journal's {} is damaged: {}", place.string(), how),
                 "move it away; its changes cannot be undone then"};
}

Result<JournalEntry> parse(const fs::path &place, unsigned int number, const std::string &content) {
    JournalEntry entry;
    entry.number = number;
    try {
        const Json json = Json::parse(content);
        if (json.at("schema").get<int>() != schema) {
            return damaged(place, "another version of causeway has written it");
        }
        entry.time = json.at("time").get<std::string>();
        entry.title = json.at("title").get<std::string>();
        entry.state = json.at("state").get<std::string>();
        entry.scope = json.value("scope", "host") == "disks" ? Scope::disks : Scope::host;
        for (const Json &each : json.at("changes")) {
            auto change = change_from_json(each);
            if (!change) {
                return damaged(place, change.error().what);
            }
            entry.changes.push_back(std::move(*change));
        }
    } catch (const Json::exception &wrong) {
        return damaged(place, wrong.what());
    }
    return entry;
}

} // namespace

fs::path Journal::place(unsigned int number) const {
    return folder_ / fmt::format("{:06}{}", number, entry_suffix);
}

fs::path Journal::claim_place(unsigned int number) const {
    return folder_ / fmt::format("{:06}{}", number, claim_suffix);
}

Result<std::optional<FileLock>> Journal::lock_unless(bool dry_run) const {
    if (dry_run) {
        return std::optional<FileLock>();
    }
    auto held = lock();
    return held ? Result<std::optional<FileLock>>(std::optional(*std::move(held)))
                : Result<std::optional<FileLock>>(held.error());
}

Result<std::vector<JournalEntry>> Journal::entries(std::map<unsigned int, Error> &unread) const {
    auto numbers = TRY(numbers_in(folder_));
    std::vector<JournalEntry> entries;
    for (const unsigned int number : numbers) {
        auto one = entry(number);
        if (!one) {
            unread.insert_or_assign(number, one.error());
        } else if (*one) {
            entries.push_back(**std::move(one));
        }
    }
    return entries;
}

Result<std::optional<JournalEntry>> Journal::entry(unsigned int number) const {
    auto content = TRY(read_small_file(place(number)));
    if (!content) {
        return std::optional<JournalEntry>();
    }
    auto parsed = TRY(parse(place(number), number, *content));
    return std::optional<JournalEntry>(std::move(parsed));
}

Result<void> Journal::store(unsigned int number, const std::string &time, const std::string &title,
                            const std::string &state, Scope scope,
                            const std::vector<ChangePointer> &changes) const {
    Json json = {{"schema", schema}, {"time", time}, {"title", title}, {"state", state}};
    json["scope"] = scope == Scope::disks ? "disks" : "host";
    json["changes"] = Json::array();
    for (const ChangePointer &change : changes) {
        json["changes"].push_back(change->json());
    }
    return write_durably(
        place(number), json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n", entry_mode);
}

Result<FileLock> Journal::lock_numbers(Scope scope) const {
    const fs::path lock = folder_ / "numbers.lock";
    if (scope == Scope::host) {
        return FileLock::take(lock);
    }
    const auto limit = std::chrono::steady_clock::now() + longest_wait;
    for (;;) {
        auto taken = TRY(FileLock::take_now(lock));
        if (taken) {
            return *std::move(taken);
        }
        if (std::chrono::steady_clock::now() >= limit) {
            return Error{ExitCode::try_again,
                         fmt::format("another command keeps {} locked", lock.string())};
        }
        std::this_thread::sleep_for(pause_between);
    }
}

Result<unsigned int> Journal::begin(const ChangeSet &set, std::unique_ptr<Claim> &claim) const {
    const auto lock = TRY(lock_numbers(set.scope()));
    // An entry that was dropped may still be claimed.
    unsigned int number = 1;
    for (const std::string_view suffix : {entry_suffix, claim_suffix}) {
        auto numbers = TRY(numbers_in(folder_, suffix));
        number = numbers.empty() ? number : std::max(number, numbers.back() + 1);
    }
    if (set.scope() == Scope::disks) {
        // Claim before the entry is written, so that no undo sees the entry without its claim.
        claim = TRY(take_claim(number));
        if (!claim) {
            return Error{ExitCode::try_again, fmt::format("another command claims {}", number)};
        }
    }
    if (auto stored = store(number, time_now(), set.title(), "begun", set.scope(), set.changes());
        !stored) {
        std::error_code failure;
        fs::remove(place(number), failure); // the folder alone may not be synced
        claim.reset();
        return stored.error();
    }
    return number;
}

Result<std::unique_ptr<Claim>> Journal::claim(unsigned int number) const {
    const auto lock = TRY(lock_numbers());
    return take_claim(number);
}

// The caller holds numbers.lock, so no other command makes the file meanwhile. The command that had
// the claim may remove the file after this function has opened it. The lock is then on a file
// without a name, so this function tries again.
Result<std::unique_ptr<Claim>> Journal::take_claim(unsigned int number) const {
    for (;;) {
        auto taken = TRY(FileLock::take_now(claim_place(number)));
        if (!taken) {
            return std::unique_ptr<Claim>();
        }
        std::error_code failure;
        if (fs::exists(claim_place(number), failure)) {
            return std::make_unique<Claim>(*this, number, *std::move(taken));
        }
    }
}

Claim::~Claim() {
    const auto entry = journal_.entry(number_);
    if (!entry || (*entry && (*entry)->state == "begun")) {
        return;
    }
    std::error_code failure;
    fs::remove(journal_.claim_place(number_), failure);
}

Result<std::vector<unsigned int>> Journal::claimed() const {
    return numbers_in(folder_, claim_suffix);
}

bool Journal::busy(unsigned int number) const {
    std::error_code failure;
    if (!fs::exists(claim_place(number), failure)) {
        return false;
    }
    const auto lock = lock_numbers();
    if (lock && !fs::exists(claim_place(number), failure)) {
        return false;
    }
    const auto taken = lock ? FileLock::take_now(claim_place(number))
                            : Result<std::optional<FileLock>>(lock.error());
    return !taken || !*taken;
}

Result<void> Journal::trim(std::optional<unsigned int> waiting) const {
    const auto lock = TRY(lock_numbers());
    auto numbers = TRY(numbers_in(folder_));
    for (const bool first_group : {true, false}) {
        for (std::size_t i = 0; i < numbers.size() && numbers.size() > most_entries;) {
            // An entry that is damaged stays: an administrator has to look at it.
            const auto read = entry(numbers[i]);
            const bool stays =
                !read || !*read || (*read)->state == "begun" || waiting == numbers[i];
            if (stays ||
                (first_group && (*read)->scope != Scope::disks && (*read)->state != "undone")) {
                i++;
                continue;
            }
            TRY(drop(numbers[i]));
            numbers.erase(numbers.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    return {};
}

Result<void> Journal::finish(unsigned int number, const ChangeSet &set) const {
    return store(number, time_now(), set.title(), "done", set.scope(), set.changes());
}

Result<void> Journal::mark_undone(const JournalEntry &entry) const {
    return store(entry.number, entry.time, entry.title, "undone", entry.scope, entry.changes);
}

Result<void> Journal::mark_done(const JournalEntry &entry) const {
    return store(entry.number, entry.time, entry.title, "done", entry.scope, entry.changes);
}

Result<void> Journal::drop(unsigned int number) const {
    TRY(remove_durably(place(number)));
    return {};
}

} // namespace causeway
