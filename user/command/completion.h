// SPDX-License-Identifier: GPL-2.0-or-later
// What may stand next on a command line that is being typed. The scripts in completions/ only ask
// for it, so that a shell knows what the command knows.
#pragma once

#include "machine/world.h"

#include <string>
#include <string_view>
#include <vector>

namespace causeway {

enum class FileKind { none, any, folders };

// Registers what may stand for a name that rows of verbs give to operands and values, such as
// NETDEV, as a static object of the feature that knows.
class CompletionSource {
  public:
    using Look = std::vector<std::string> (*)(World &world);

    // @verb: how the words of the verbs start that it is good for; empty: all. @look asks the
    // machine, and returns nothing where the machine refuses.
    CompletionSource(std::string_view verb, std::string_view name, Look look) noexcept;
    // Names of files, which the shell completes.
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
    std::vector<Candidate> candidates; // those that start as the last word does
    FileKind files = FileKind::none;   // what the shell adds from the file system
};

// words: behind the program's name, the last one is being typed and may be empty. Asks the kernel
// for names, and stays silent about what it refuses.
Completion complete(World &world, const std::vector<std::string> &words);

} // namespace causeway
