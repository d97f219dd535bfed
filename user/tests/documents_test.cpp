// SPDX-License-Identifier: GPL-2.0-or-later
// Every command line of the documents and of doctor's findings must be known to the tables of
// verbs.
#include "command/dispatch.h"
#include "doctor/finding.h"
#include "fixture.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace causeway {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view own_command = "causeway ";

std::string trimmed(std::string text) {
    text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
    text.erase(text.find_last_not_of(" .,") + 1);
    return text;
}

// The Causeway commands in a line of a shell, without the comments after them.
std::vector<std::string> commands_in(std::string line, const std::vector<std::string> &ends) {
    std::vector<std::string> found;
    for (std::size_t at = line.find(own_command); at != std::string::npos;
         at = line.find(own_command)) {
        // "dkms remove causeway --all" is not a Causeway command.
        const std::string before = trimmed(line.substr(0, at));
        const bool begins = before.empty() || before.back() == '"' || line[at - 1] == '"' ||
                            std::string(";:&|").find(before.back()) != std::string::npos ||
                            line.substr(0, at).find_last_of(',') + 2 == at ||
                            (before.size() > 2 && before.substr(before.size() - 3) == " or");
        line.erase(0, at);
        std::size_t end = line.size();
        for (const std::string &mark : ends) {
            end = std::min(end, line.find(mark));
        }
        if (begins) {
            found.push_back(trimmed(line.substr(0, end)));
        }
        line.erase(0, own_command.size());
    }
    return found;
}

std::vector<std::string> words_of_line(const std::string &command) {
    std::istringstream stream(command.substr(std::min(own_command.size(), command.size())));
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    return words;
}

// A placeholder is a word such as "VERB" in "causeway VERB --help".
bool is_placeholder(const std::string &word) {
    return std::all_of(word.begin(), word.end(),
                       [](unsigned char c) { return std::isupper(c) != 0; });
}

// If @whole is false, the text only mentions a verb and may leave out its operands.
void expect_known(const std::string &command, bool whole, const std::string &where) {
    std::vector<std::string> words = words_of_line(command);
    take_global_options(words);
    if (words.empty() || is_placeholder(words.front())) {
        return;
    }
    const auto parsed = parse_command(words);
    ASSERT_TRUE(parsed) << where << ": " << command << ": " << parsed.error().what;
    if (whole && !parsed->arguments.has("help")) {
        const auto good = check_operands(*parsed);
        EXPECT_TRUE(good) << where << ": " << command << ": " << good.error().what;
    }
}

// The command that is typed at a prompt ("server# ", "# ") or is alone in a line of a block. Empty
// for a line of output.
std::string typed_in(const std::string &block_line) {
    const std::string line = trimmed(block_line);
    const std::size_t prompt = line.find("# ");
    const bool prompted = prompt != std::string::npos && prompt < line.find(' ');
    const std::string typed = prompted ? trimmed(line.substr(prompt + 2)) : line;
    return prompted || line.rfind(own_command, 0) == 0 ? typed : "";
}

// A fenced block is the output of a recorded run. The other blocks are indented.
std::size_t check_page(const fs::path &page) {
    std::size_t count = 0;
    bool fenced = false;
    std::istringstream stream(read_file(page));
    for (std::string line; std::getline(stream, line);) {
        const std::string where = page.filename().string();
        if (line.rfind("```", 0) == 0) {
            fenced = !fenced;
        }
        if (fenced) {
            continue;
        }
        if (line.rfind("    ", 0) == 0) {
            for (const std::string &command :
                 commands_in(typed_in(line), {"   ", " #", " && ", "; ", " | ", ", "})) {
                expect_known(command, true, where);
                count++;
            }
            continue;
        }
        for (std::size_t at = line.find('`'); at != std::string::npos;) {
            const std::size_t end = line.find('`', at + 1);
            if (end == std::string::npos) {
                break;
            }
            const std::string span = line.substr(at + 1, end - at - 1);
            if (span.rfind(own_command, 0) == 0) {
                for (const std::string &command : commands_in(span, {" && ", "; ", " | "})) {
                    expect_known(command, false, where);
                    count++;
                }
            }
            at = line.find('`', end + 1);
        }
    }
    return count;
}

TEST(Documents, have_only_commands_that_exist) {
    std::size_t count = check_page(source_tree() / "README.md");
    for (const auto &page : fs::directory_iterator(source_tree() / "docs")) {
        if (page.path().extension() == ".md") {
            count += check_page(page.path());
        }
    }
    EXPECT_GT(count, 100U);
}

TEST(Documents, name_fixes_whose_commands_exist) {
    for (const Finding &finding : all_findings()) {
        for (const std::string &command :
             commands_in(std::string(finding.fix), {", ", "; ", " or ", "\""})) {
            expect_known(command, true, std::string(finding.id));
        }
    }
}

} // namespace
} // namespace causeway
