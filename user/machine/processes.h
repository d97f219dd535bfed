// SPDX-License-Identifier: GPL-2.0-or-later
// Runs programs of other packages: mount, exportfs, systemctl, modprobe.
#pragma once

#include "base/result.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace causeway {

struct ProcessEnd {
    int status = 0; // the exit status; 128 + N if signal N ended the program
    bool timed_out = false;
    std::string out{}; // without trailing newlines
    std::string err{}; // without trailing newlines

    bool good() const { return status == 0 && !timed_out; }
    // Returns the last line of standard error, or of standard output if standard error is empty.
    std::string last_words() const;
};

class Processes {
  public:
    Processes() = default;
    Processes(const Processes &) = delete;
    Processes &operator=(const Processes &) = delete;
    virtual ~Processes() = default;

    // Returns true if the program can be executed: it is in one of the system's folders for
    // programs, or the name is an absolute path.
    virtual bool there(const std::string &program) = 0;
    // Runs a program to its end, without a shell and with messages in English. At the time limit,
    // kills it with all processes that it started, and waits for their end a few seconds more. A
    // process that the kernel does not end by then is left behind. Returns an error only if the
    // program could not be started.
    virtual Result<ProcessEnd> run(const std::vector<std::string> &words,
                                   std::optional<std::chrono::seconds> limit = std::nullopt) = 0;
    // Runs several programs at the same time, each with this limit. Returns when all have ended or
    // were left behind.
    virtual std::vector<Result<ProcessEnd>>
    run_together(const std::vector<std::vector<std::string>> &lines,
                 std::chrono::seconds limit) = 0;
    // Forks, and continues in a child without a terminal. Returns true in the child. Returns false
    // in the parent, which must exit.
    virtual Result<bool> go_to_background() = 0;
    // Replaces this process by the program, with the same terminal, and the environment plus the
    // given variables. Looks for the program in PATH, as a shell does. Returns only if that fails.
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
