// SPDX-License-Identifier: GPL-2.0-or-later
// Changes that programs of other packages make.
#include "change/kinds.h"

#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

const ChangeKind kind_program("program", [](const Json &json) -> ChangePointer {
    return change_program(json.at("run").get<std::vector<std::string>>(),
                          json.at("undo").get<std::vector<std::string>>(),
                          json.value("stays", std::string()));
});

const ChangeKind kind_attempts("attempts", [](const Json &json) -> ChangePointer {
    using Programs = std::vector<std::vector<std::string>>;
    return change_attempts(json.at("run").get<Programs>(), json.at("undo").get<Programs>());
});

const ChangeKind kind_refresh("refresh", [](const Json &json) -> ChangePointer {
    return refresh_program(json.at("run").get<std::vector<std::string>>());
});

// A program that hangs must not keep the journal locked against a process that reverses a change.
// dhclient, for which ifup waits, takes a minute if no server answers.
constexpr std::chrono::seconds program_limit(75);

std::string line_of(const std::vector<std::string> &words) {
    return fmt::format("{}", fmt::join(words, " "));
}

Result<void> run(World &world, const std::vector<std::string> &words) {
    if (words.empty()) {
        return {};
    }
    if (!world.processes.there(words.front())) {
        return Error{ExitCode::unavailable,
                     fmt::format("the program {} is not installed", words.front())};
    }
    auto end = TRY(world.processes.run(words, program_limit));
    if (end.timed_out) {
        return Error{ExitCode::failed, fmt::format("\"{}\" did not end within {} s and was killed",
                                                   line_of(words), program_limit.count())};
    }
    if (!end.good()) {
        return Error{ExitCode::failed,
                     fmt::format("\"{}\" failed: {}", line_of(words), end.last_words())};
    }
    return {};
}

class ProgramChange final : public Change {
  public:
    ProgramChange(std::vector<std::string> words, std::vector<std::string> undo, std::string stays)
        : words_(std::move(words)), undo_(std::move(undo)), stays_(std::move(stays)) {}

    std::string subject() const override { return line_of(words_); }

    std::string show(Direction direction) const override {
        const auto &words = direction == Direction::back ? undo_ : words_;
        return words.empty() ? "" : fmt::format("run {}\n", line_of(words));
    }

    std::string report(Direction direction) const override {
        return fmt::format("ran {}", line_of(direction == Direction::back ? undo_ : words_));
    }

    Json json() const override {
        Json json = {{"kind", kind_program.name()}, {"run", words_}, {"undo", undo_}};
        if (!stays_.empty()) {
            json["stays"] = stays_;
        }
        return json;
    }

    Result<Standing> standing(World & /*world*/) const override { return Standing::unknown; }
    Result<void> forward(World &world) const override { return run(world, words_); }
    Result<void> back(World &world) const override { return run(world, undo_); }
    std::string what_stays() const override { return stays_; }

  private:
    std::vector<std::string> words_;
    std::vector<std::string> undo_;
    std::string stays_;
};

class Attempts final : public Change {
  public:
    using Programs = std::vector<std::vector<std::string>>;

    Attempts(Programs programs, Programs undo)
        : programs_(std::move(programs)), undo_(std::move(undo)) {}

    std::string subject() const override { return lines_of(programs_.empty() ? undo_ : programs_); }

    std::string show(Direction direction) const override {
        std::string text;
        for (const auto &words : way(direction)) {
            text += fmt::format("run {}\n", line_of(words));
        }
        return text;
    }

    std::string report(Direction direction) const override {
        return fmt::format("ran {}", lines_of(way(direction)));
    }

    Json json() const override {
        return {{"kind", kind_attempts.name()}, {"run", programs_}, {"undo", undo_}};
    }

    Result<Standing> standing(World & /*world*/) const override { return Standing::unknown; }
    Result<void> forward(World &world) const override { return run_all(world, programs_); }
    Result<void> back(World &world) const override { return run_all(world, undo_); }
    bool may_fail() const override { return true; }
    bool may_stay() const override { return true; }

  private:
    const Programs &way(Direction direction) const {
        return direction == Direction::back ? undo_ : programs_;
    }

    static std::string lines_of(const Programs &programs) {
        std::string text;
        for (const auto &words : programs) {
            text += (text.empty() ? "" : ", then ") + line_of(words);
        }
        return text;
    }

    static Result<void> run_all(World &world, const Programs &programs) {
        for (const auto &words : programs) {
            TRY(run(world, words));
        }
        return {};
    }

    Programs programs_;
    Programs undo_;
};

class RefreshProgram final : public Change {
  public:
    explicit RefreshProgram(std::vector<std::string> words) : words_(std::move(words)) {}

    std::string subject() const override { return line_of(words_); }
    std::string show(Direction /*direction*/) const override {
        return fmt::format("run {}\n", line_of(words_));
    }
    std::string report(Direction /*direction*/) const override {
        return fmt::format("ran {}", line_of(words_));
    }
    Json json() const override { return {{"kind", kind_refresh.name()}, {"run", words_}}; }

    Result<Standing> standing(World & /*world*/) const override { return Standing::unknown; }
    Result<void> forward(World &world) const override { return run(world, words_); }
    Result<void> back(World &world) const override { return run(world, words_); }
    bool refreshes() const override { return true; }

  private:
    std::vector<std::string> words_;
};

} // namespace

ChangePointer change_program(std::vector<std::string> words, std::vector<std::string> undo,
                             std::string stays) {
    return std::make_unique<ProgramChange>(std::move(words), std::move(undo), std::move(stays));
}

ChangePointer change_attempts(std::vector<std::vector<std::string>> programs,
                              std::vector<std::vector<std::string>> undo) {
    return std::make_unique<Attempts>(std::move(programs), std::move(undo));
}

ChangePointer refresh_program(std::vector<std::string> words) {
    return std::make_unique<RefreshProgram>(std::move(words));
}

} // namespace causeway
