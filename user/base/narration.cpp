// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/narration.h"

#include "base/units.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <fmt/format.h>
#include <mutex>
#include <string_view>

namespace causeway {

namespace {

std::atomic<std::ostream *> narrated_to{nullptr};
std::mutex narrated_lock;

constexpr const char *hidden = "(hidden)";
constexpr std::size_t longest_narrated_text = 120;

// True for "password", "node.session.auth.password_in", "--dhchap-secret", "psk", "key".
bool names_secret(std::string_view word) {
    std::string lower(word);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::array parts = {"password",   "passwd",          "passphrase", "secret",
                                  "dhchap_key", "dhchap_ctrl_key", "token"};
    const auto in = [&](const char *part) { return lower.find(part) != std::string::npos; };
    lower.erase(0, lower.find_first_not_of('-'));
    return std::any_of(parts.begin(), parts.end(), in) || lower == "key" || lower == "psk";
}

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n';
}

bool is_separator(char c) {
    return is_blank(c) || c == ',' || c == ';';
}

// True for "dhchap_secret", "key", "chap-password". The key of a partition is no secret.
bool holds_secret(std::string_view key) {
    std::string lower(key);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return names_secret(lower) ||
           (lower.find("key") != std::string::npos && lower != "pkey" && lower != "p_key");
}

// Returns where the value that starts at @start ends: behind its quotes, at a blank, or at a
// separator before another KEY=.
std::size_t end_of_value(const std::string &text, std::size_t start) {
    if (start < text.size() && (text[start] == '"' || text[start] == '\'')) {
        const std::size_t close = text.find(text[start], start + 1);
        return close == std::string::npos ? text.size() : close + 1;
    }
    for (std::size_t at = start; at < text.size(); at++) {
        if (is_blank(text[at])) {
            return at;
        }
        if (is_separator(text[at])) {
            const std::size_t stop = text.find_first_of("=,; \t\n", at + 1);
            if (stop != std::string::npos && stop > at + 1 && text[stop] == '=') {
                return at;
            }
        }
    }
    return text.size();
}

// Returns the text with "(hidden)" as the value of each KEY=VALUE whose key is that of a secret.
std::string without_secrets(const std::string &text) {
    std::string shown;
    std::size_t at = 0;
    for (std::size_t equals = text.find('='); equals != std::string::npos;
         equals = text.find('=', at)) {
        std::size_t key_end = equals;
        while (key_end > at && is_blank(text[key_end - 1])) {
            key_end--;
        }
        std::size_t key_start = key_end;
        while (key_start > at && !is_separator(text[key_start - 1])) {
            key_start--;
        }
        std::size_t next = equals + 1;
        if (holds_secret(std::string_view(text).substr(key_start, key_end - key_start))) {
            while (next < text.size() && (text[next] == ' ' || text[next] == '\t')) {
                next++;
            }
            shown += text.substr(at, next - at) + hidden;
            next = end_of_value(text, next);
        } else {
            shown += text.substr(at, next - at);
        }
        at = next;
    }
    return shown + text.substr(at);
}

bool is_plain(const std::string &word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
        return std::isgraph(c) != 0 && c != '\'' && c != '"' && c != '\\';
    });
}

std::string one_line(const std::string &text) {
    std::string line;
    for (const char c : text) {
        line += c == '\n' ? std::string("\\n")
                : std::iscntrl(static_cast<unsigned char>(c)) != 0
                    ? fmt::format("\\x{:02x}", static_cast<unsigned char>(c))
                    : std::string(1, c);
    }
    return line;
}

} // namespace

Narration::Narration(std::ostream *to) : before_(narrated_to.exchange(to)) {}

Narration::~Narration() {
    narrated_to = before_;
}

bool is_narrating() {
    return narrated_to != nullptr;
}

void narrate(const std::string &line) {
    const std::lock_guard lock(narrated_lock);
    if (std::ostream *to = narrated_to) {
        *to << "- " << line << '\n' << std::flush;
    }
}

std::string narrated_words(const std::vector<std::string> &words) {
    std::string line;
    bool hides_next = false;
    for (const std::string &word : words) {
        const std::size_t equals = word.find('=');
        const bool assigns =
            equals != std::string::npos && names_secret(std::string_view(word).substr(0, equals));
        const std::string shown = assigns          ? word.substr(0, equals + 1) + hidden
                                  : hides_next     ? hidden
                                  : is_plain(word) ? word
                                                   : "'" + one_line(word) + "'";
        line += (line.empty() ? "" : " ") + shown;
        // "-n node.session.auth.password -v X": the value may stand behind another option.
        const bool is_option_of_value = hides_next && (word == "-v" || word == "--value");
        if (is_option_of_value) {
            line.replace(line.size() - std::string_view(hidden).size(), std::string::npos, word);
        }
        hides_next = is_option_of_value || (equals == std::string::npos && names_secret(word));
    }
    return line;
}

std::string narrated_text(const std::string &path, const std::string &text) {
    if (names_secret(path.substr(path.rfind('/') + 1))) {
        return hidden;
    }
    std::string shown = without_secrets(text);
    shown.erase(shown.find_last_not_of('\n') + 1);
    if (shown.size() > longest_narrated_text) {
        return fmt::format("\"{}...\" ({})", one_line(shown.substr(0, longest_narrated_text)),
                           size_text(text.size()));
    }
    return fmt::format("\"{}\"", one_line(shown));
}

std::string narrated_time(std::chrono::steady_clock::time_point begin) {
    const auto passed = std::chrono::steady_clock::now() - begin;
    return latency_text(
        static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count()));
}

} // namespace causeway
