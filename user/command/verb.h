// SPDX-License-Identifier: GPL-2.0-or-later
// A verb of the command line: its words, its options, and the function behind it.
#pragma once

#include "base/answer.h"
#include "base/result.h"
#include "command/arguments.h"
#include "machine/world.h"

#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// The parts in which help and the manual page list the verbs, in their order.
enum class Section { disks, nfs, host, seeing, repairing };

struct Verb {
    std::string_view words{};    // "export add"
    std::string_view operands{}; // "NAME", for the synopsis
    std::string_view summary{};  // one line
    std::vector<OptionSpec> options{};
    std::size_t least_operands = 0;
    std::size_t most_operands = 0;
    bool changes = false; // takes --dry-run
    Result<Answer> (*run)(World &world, const Arguments &arguments) = nullptr;
    bool hidden = false;             // for programs: no help, no completion
    bool verbatim = false;           // all from its first operand on belongs to another command
    Section section = Section::host; // as its VerbRows says
};

// Registers the verbs that a file implements, as a static object at the end of that file.
class VerbRows {
  public:
    using Make = std::vector<Verb> (*)();

    // @place orders the rows of different files within their section.
    VerbRows(Section section, int place, Make make) noexcept;
    VerbRows(const VerbRows &) = delete;
    VerbRows &operator=(const VerbRows &) = delete;
    ~VerbRows() = default;

    // All rows that are registered, by section and place.
    static std::vector<const VerbRows *> all();
    std::vector<Verb> verbs() const;

  private:
    Section section_;
    int place_;
    Make make_;
    const VerbRows *next_;
};

// An option of several verbs.
inline constexpr OptionSpec no_persist{"no-persist", "",
                                       "until the next reboot only: write nothing under /etc"};

// All verbs in the order of the help.
const std::vector<Verb> &all_verbs();

// Its words, one by one.
std::vector<std::string> words_of(const Verb &verb);

// Its own options and those that every verb has. One that is hidden is among them.
std::vector<OptionSpec> options_of(const Verb &verb);

// How an option is written: "-o, --options OPTIONS".
std::string option_text(const OptionSpec &option);

// The words that lead to verbs, for suggestions: "export add", "list". None that is hidden.
std::vector<std::string> verb_words();

} // namespace causeway
