// SPDX-License-Identifier: GPL-2.0-or-later
// Completes a command line that is being typed. The scripts in completions/ only call this, so that
// the shell knows the same words as the command.
#pragma once

#include "machine/world.h"

#include <string>
#include <string_view>
#include <vector>

namespace causeway {

enum class FileKind { none, any, folders };

// Registers the completions of a name that rows of verbs use for operands and values, such as
// NETDEV. It is a static object of the feature that knows them.
class CompletionSource {
  public:
    using Look = std::vector<std::string> (*)(World &world);

    // @verb is the start of the verbs' words to which the source applies; empty: all. @look reads
    // the names from the machine, and returns none if the machine refuses.
    CompletionSource(std::string_view verb, std::string_view name, Look look) noexcept;
    // Completes names of files. The shell does it.
    CompletionSource(std::string_view name, FileKind files, std::string_view verb = "") noexcept;
    CompletionSource(const CompletionSource &) = delete;
    CompletionSource &operator=(const CompletionSource &) = delete;
    ~CompletionSource() = default;

    std::string_view verb() const { return verb_; }
    std::string_view name() const { return name_; }
    FileKind files() const { return files_; }
    std::vector<std::string> names(World &world) const {
        return look_ == nullptr ? std::vector<std::string>() : look_(world);
    }
    const CompletionSource *next() const { return next_; }

  private:
    std::string_view verb_;
    std::string_view name_;
    Look look_ = nullptr;
    FileKind files_ = FileKind::none;
    const CompletionSource *next_;
};

struct Candidate {
    std::string word;
    std::string help; // may be empty
};

struct Completion {
    std::vector<Candidate> candidates; // those that start with the last word
    FileKind files = FileKind::none;   // the kind of files that the shell adds
};

// @words are those after the program's name; the last one is being typed and may be empty. Reads
// names from the kernel, and reports no errors.
Completion complete(World &world, const std::vector<std::string> &words);

} // namespace causeway
