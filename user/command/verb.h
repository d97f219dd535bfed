// SPDX-License-Identifier: GPL-2.0-or-later
// A verb of the command line: its words, its options and its function.
#pragma once

#include "base/answer.h"
#include "base/result.h"
#include "command/arguments.h"
#include "machine/world.h"

#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// The sections of verbs in help and the manual page, in their order.
enum class Section { disks, nfs, host, seeing, repairing };

struct Verb {
    std::string_view words{};    // "export add"
    std::string_view operands{}; // "NAME", for the synopsis
    std::string_view summary{};  // one line
    std::vector<OptionSpec> options{};
    std::size_t least_operands = 0;
    std::size_t most_operands = 0;
    bool changes = false; // accepts --dry-run
    Result<Answer> (*run)(World &world, const Arguments &arguments) = nullptr;
    bool hidden = false;   // called by programs: not in help or completion
    bool verbatim = false; // everything from the first operand on belongs to another command
    Section section = Section::host; // set by the VerbRows
};

// Registers the verbs that a file implements. It is a static object at the end of that file.
class VerbRows {
  public:
    using Make = std::vector<Verb> (*)();

    // @place orders the rows of different files within their section.
    VerbRows(Section section, int place, Make make) noexcept;
    VerbRows(const VerbRows &) = delete;
    VerbRows &operator=(const VerbRows &) = delete;
    ~VerbRows() = default;

    // Returns all registered rows, by section and place.
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

// Returns all verbs in the order of the help.
const std::vector<Verb> &all_verbs();

// Returns the words of a verb: "export", "add".
std::vector<std::string> words_of(const Verb &verb);

// Returns the verb's options and those that every verb has, including hidden ones.
std::vector<OptionSpec> options_of(const Verb &verb);

// Returns an option in the form of the help: "-o, --options OPTIONS".
std::string option_text(const OptionSpec &option);

// Returns the words of all verbs that are not hidden, for suggestions: "export add", "list".
std::vector<std::string> verb_words();

} // namespace causeway
