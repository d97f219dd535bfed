// SPDX-License-Identifier: GPL-2.0-or-later
// Parses the command line of one verb, with Boost.Program_options.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct OptionSpec {
    std::string_view name;
    std::string_view value; // placeholder of the value in the help; empty: a switch
    std::string_view help;
    bool repeats = false; // may take several values
    bool hidden = false;
    char letter = 0; // short form, if users know it from other programs: -o
};

class Arguments {
  public:
    bool has(std::string_view option) const { return values_.find(option) != values_.end(); }
    std::optional<std::string> text(std::string_view option) const;
    // Returns every value of a repeated option, including those between commas.
    std::vector<std::string> list(std::string_view option) const;
    Result<std::optional<std::uint64_t>> number(std::string_view option, std::uint64_t least,
                                                std::uint64_t most) const;

    const std::vector<std::string> &operands() const { return operands_; }
    bool dry_run() const { return has("dry-run"); }

  private:
    friend Result<Arguments> parse_arguments(const std::vector<OptionSpec> &options,
                                             const std::vector<std::string> &words,
                                             std::string_view help,
                                             std::vector<std::string> verbatim);

    std::map<std::string, std::vector<std::string>, std::less<>> values_;
    std::vector<std::string> operands_;
};

// Returns an error (usage) for unknown options and missing values. @help is the command that lists
// what is allowed, for errors. @verbatim are operands that are taken without parsing.
Result<Arguments> parse_arguments(const std::vector<OptionSpec> &options,
                                  const std::vector<std::string> &words, std::string_view help,
                                  std::vector<std::string> verbatim = {});

} // namespace causeway
