// SPDX-License-Identifier: GPL-2.0-or-later
// Programs of other packages that the command runs: mount, exportfs, systemctl, modprobe.
#pragma once

#include "base/result.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace causeway {

struct ProcessEnd {
    int status = 0; // what the program gave to exit(); 128 + N where the signal N ended it
    bool timed_out = false;
    std::string out{}; // without newlines at the end
    std::string err{}; // the same

    bool good() const { return status == 0 && !timed_out; }
    // The last line it said on its standard error, else on its output.
    std::string last_words() const;
};

class Processes {
  public:
    Processes() = default;
    Processes(const Processes &) = delete;
    Processes &operator=(const Processes &) = delete;
    virtual ~Processes() = default;

    // Whether it lies in one of the folders of the system's programs, or has a path of its own.
    virtual bool there(const std::string &program) = 0;
    // Runs a program to its end, without a shell, speaking English. When the limit is over it is
    // killed with all that it started, and it is waited for a moment longer: one that the kernel
    // does not let go is left behind. An error: it could not be run at all.
    virtual Result<ProcessEnd> run(const std::vector<std::string> &words,
                                   std::optional<std::chrono::seconds> limit = std::nullopt) = 0;
    // Runs several at the same time, each with this limit, and returns when all have ended or were
    // given up.
    virtual std::vector<Result<ProcessEnd>>
    run_together(const std::vector<std::vector<std::string>> &lines,
                 std::chrono::seconds limit) = 0;
    // Goes on in a child without a terminal, whose parent gets false and is to end. True: this is
    // the child.
    virtual Result<bool> go_to_background() = 0;
    // Becomes the program, with this terminal, this environment and the variables given. It is
    // looked for as a shell does. Returns only where that fails.
    virtual Result<void>
    become(const std::vector<std::string> &words,
           const std::vector<std::pair<std::string, std::string>> &variables) = 0;
};

class SystemProcesses final : public Processes {
  public:
    bool there(const std::string &program) override;
    Result<ProcessEnd> run(const std::vector<std::string> &words,
                           std::optional<std::chrono::seconds> limit) override;
    std::vector<Result<ProcessEnd>> run_together(const std::vector<std::vector<std::string>> &lines,
                                                 std::chrono::seconds limit) override;
    Result<bool> go_to_background() override;
    Result<void> become(const std::vector<std::string> &words,
                        const std::vector<std::pair<std::string, std::string>> &variables) override;
};

} // namespace causeway
