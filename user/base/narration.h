// SPDX-License-Identifier: GPL-2.0-or-later
// Lines that state what the command does while it does it, for --verbose. Whatever runs a program,
// reads or changes a file, or asks the kernel, narrates it.
#pragma once

#include <chrono>
#include <ostream>
#include <string>
#include <vector>

namespace causeway {

// While an object with a stream exists, narrate() writes to the stream. Without a stream, narrate()
// does nothing. Objects of different threads must not exist at the same time.
class Narration {
  public:
    explicit Narration(std::ostream *to);
    Narration(const Narration &) = delete;
    Narration &operator=(const Narration &) = delete;
    ~Narration();

  private:
    std::ostream *before_;
};

bool is_narrating();
// Writes one line. Any thread may call it.
void narrate(const std::string &line);

// Returns the words of a command line. A word with blanks is quoted. The value of a word that is
// called a password, a secret or a key, such as "--key=X" or "password X", is "(hidden)".
std::string narrated_words(const std::vector<std::string> &words);

// Returns a text that was written to a file of the kernel: short, in one line, and "(hidden)" if
// the name of the file is that of a password or of a secret. The value of each KEY=VALUE in the
// text is "(hidden)" if the key is that of a secret.
std::string narrated_text(const std::string &path, const std::string &text);

// "12 ms", of the time since @begin.
std::string narrated_time(std::chrono::steady_clock::time_point begin);

} // namespace causeway
