// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctor/gather.h"

#include "base/durable_file.h"
#include "show/progress.h"

#include <algorithm>
#include <sstream>
#include <system_error>

namespace causeway {

namespace {

constexpr std::chrono::seconds patience{10};

// The head of the list of sources. Initialised before any constructor of another file runs.
constinit const FactSource *first_source = nullptr;

} // namespace

std::optional<std::string> said_by(World &world, const std::vector<std::string> &words) {
    if (!world.processes.there(words.front())) {
        return std::nullopt;
    }
    const auto end = world.processes.run(words, patience);
    return end && end->good() ? std::optional(end->out) : std::nullopt;
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    std::istringstream stream{std::string(text)};
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

std::vector<std::string> words_of_line(std::string_view line) {
    std::vector<std::string> words;
    std::istringstream stream{std::string(line)};
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    return words;
}

std::optional<std::string> text_of(const std::filesystem::path &place) {
    auto content = read_small_file(place);
    return content ? *content : std::nullopt;
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path &folder,
                                            std::string_view suffix) {
    std::vector<std::filesystem::path> found;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (name.size() >= suffix.size() &&
            name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0) {
            found.push_back(entry->path());
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

bool systemctl_says(World &world, const std::string &question, const std::string &unit,
                    std::string_view answer) {
    const auto end = world.processes.run({"systemctl", question, unit}, patience);
    return end && end->out == answer;
}

FactSource::FactSource(Gather gather, Turn turn) noexcept
    : gather_(gather), turn_(turn), next_(first_source) {
    first_source = this;
}

void FactSource::gather_all(Turn turn, World &world, Facts &facts) {
    for (const FactSource *source = first_source; source != nullptr; source = source->next_) {
        if (source->turn_ == turn) {
            source->gather_(world, facts);
        }
    }
}

Facts gather_facts(World &world) {
    const Progress progress(world, "reading the state of this machine");
    Facts facts;
    gather_devices(world, facts);
    gather_network(world, facts);
    gather_kernel(world, facts);
    FactSource::gather_all(FactSource::Turn::first, world, facts);
    FactSource::gather_all(FactSource::Turn::last, world, facts);
    std::sort(facts.unseen.begin(), facts.unseen.end());
    return facts;
}

} // namespace causeway
