// SPDX-License-Identifier: GPL-2.0-or-later
#include "command/suggestion.h"

#include "base/nearest.h"
#include "command/verb.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace causeway {

namespace {

using Words = std::vector<std::string>;

struct Opposites {
    std::string_view one;
    std::string_view other;
};

constexpr std::array opposites = {
    Opposites{"enable", "disable"}, Opposites{"open", "close"},    Opposites{"set", "unset"},
    Opposites{"add", "remove"},     Opposites{"serve", "unserve"}, Opposites{"mount", "umount"},
    Opposites{"attach", "detach"},  Opposites{"evict", "readmit"}, Opposites{"confirm", "undo"},
};

// Words that mean an end, and the verbs that end something.
constexpr std::array<std::string_view, 25> ending = {
    "del",    "delete",  "rm",       "erase",      "end",  "stop",   "drop",  "shut",  "close",
    "off",    "destroy", "kill",     "disallow",   "deny", "down",   "unset", "clear", "disable",
    "remove", "unload",  "withdraw", "disconnect", "quit", "forget", "reset"};
constexpr std::array<std::string_view, 6> ending_verbs = {"remove",  "unserve", "umount",
                                                          "disable", "close",   "unset"};

constexpr std::array<std::string_view, 13> beginning = {
    "add", "create", "new",  "make",    "insert", "start",  "begin",
    "on",  "enable", "load", "connect", "share",  "publish"};
constexpr std::array<std::string_view, 5> beginning_verbs = {"add", "serve", "enable", "open",
                                                             "set"};

// Words, and the verb that replaces each.
constexpr std::array synonyms = {
    Opposites{"unmount", "umount"}, Opposites{"disconnect", "detach"},
    Opposites{"connect", "attach"}, Opposites{"ban", "evict"},
    Opposites{"block", "evict"},    Opposites{"kick", "evict"},
    Opposites{"deny", "evict"},     Opposites{"admit", "readmit"},
    Opposites{"unban", "readmit"},  Opposites{"unblock", "readmit"},
    Opposites{"allow", "readmit"},  Opposites{"allow", "open"},
};

template <typename List> bool has(const List &list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

std::string_view opposite_of(std::string_view word) {
    for (const Opposites &pair : opposites) {
        if (word == pair.one || word == pair.other) {
            return word == pair.one ? pair.other : pair.one;
        }
    }
    return {};
}

// Returns the words that may follow @start in the name of a verb.
Words words_after(const Words &start) {
    Words found;
    for (const Verb &verb : all_verbs()) {
        const auto words = words_of(verb);
        if (!verb.hidden && words.size() > start.size() &&
            std::equal(start.begin(), start.end(), words.begin()) &&
            !has(found, words[start.size()])) {
            found.push_back(words[start.size()]);
        }
    }
    return found;
}

// Returns true if the words are the name of a verb. Longer names may begin with them.
bool is_verb(const Words &words) {
    return std::any_of(all_verbs().begin(), all_verbs().end(),
                       [&](const Verb &verb) { return !verb.hidden && words_of(verb) == words; });
}

// The words that one typed word may mean, out of those that are possible there.
struct Meant {
    Words words;
    std::string undone; // the verb whose effect only "causeway undo" reverses
};

Meant only(std::string_view word, const Words &known) {
    return has(known, word) ? Meant{{std::string(word)}, {}} : Meant{};
}

template <typename List> Words of_those(const List &verbs, const Words &known) {
    Words found;
    for (const std::string_view verb : verbs) {
        if (has(known, verb)) {
            found.emplace_back(verb);
        }
    }
    return found;
}

// Returns the opposite of a word. If there is none, and the word begins something, the result
// states that only undo reverses it.
Meant against(const std::string &word, const Words &known) {
    Meant meant = only(opposite_of(word), known);
    if (meant.words.empty() && has(beginning_verbs, word)) {
        meant.undone = word;
    }
    return meant;
}

Meant to_end(const Words &known) {
    Meant meant{of_those(ending_verbs, known), {}};
    const auto begun = of_those(beginning_verbs, known);
    if (meant.words.empty() && !begun.empty()) {
        meant.undone = begun.front();
    }
    return meant;
}

// Returns none if the word is no synonym.
std::optional<Meant> by_synonym(const std::string &typed, const Words &known) {
    for (const Opposites &pair : synonyms) {
        if (typed == pair.one && has(known, pair.other)) {
            return only(pair.other, known);
        }
    }
    if (has(ending, typed)) {
        return to_end(known);
    }
    if (has(beginning, typed)) {
        auto verbs = of_those(beginning_verbs, known);
        verbs.erase(std::remove(verbs.begin(), verbs.end(), "set"), verbs.end());
        if (!verbs.empty()) {
            return Meant{{verbs.front()}, {}};
        }
    }
    return std::nullopt;
}

// Handles "unattach", "deattach", "disattach". @slips is the number of letters that may be wrong
// after the prefix. Returns none if there is no such prefix.
std::optional<Meant> by_prefix(const std::string &typed, const Words &known, std::size_t slips) {
    for (const std::string_view prefix : {"un", "de", "dis", "non"}) {
        if (typed.substr(0, prefix.size()) != prefix) {
            continue;
        }
        const std::string rest = typed.substr(prefix.size());
        const auto base = std::find_if(known.begin(), known.end(), [&](const std::string &word) {
            return edit_distance(rest, word) <= slips;
        });
        if (base != known.end()) {
            return against(*base, known);
        }
    }
    return std::nullopt;
}

// Returns the nearest word. A word that has an opposite must be very near. If the opposite is as
// near, or has the first letter that was typed, returns both.
Meant by_letters(const std::string &typed, const Words &known, bool slip_only) {
    const auto close = nearest(typed, known);
    if (!close) {
        return {};
    }
    const std::size_t distance = edit_distance(typed, *close);
    const std::string opposite(opposite_of(*close));
    if (distance > 1 && (slip_only || !opposite.empty())) {
        return {};
    }
    Meant meant{{*close}, {}};
    if (has(known, opposite)) {
        const std::size_t other = edit_distance(typed, opposite);
        const bool starts_so = typed[0] == opposite[0] && typed[0] != (*close)[0];
        if (other == distance || (other == distance + 1 && starts_so)) {
            meant.words.push_back(opposite);
        }
    }
    return meant;
}

Meant meant_by(const std::string &typed, const Words &known) {
    if (const auto meant = by_synonym(typed, known)) {
        return *meant;
    }
    if (const auto meant = by_prefix(typed, known, 0)) {
        return *meant;
    }
    if (Meant meant = by_letters(typed, known, true); !meant.words.empty()) {
        return meant;
    }
    if (const auto meant = by_prefix(typed, known, 1)) {
        return *meant;
    }
    const auto end = std::find_if(ending.begin(), ending.end(), [&](std::string_view word) {
        return word.size() >= 5 && edit_distance(typed, word) == 1;
    });
    if (end != ending.end()) {
        return to_end(known);
    }
    return by_letters(typed, known, false);
}

std::string joined(const Words &words) {
    std::string text;
    for (const std::string &word : words) {
        text += (text.empty() ? "" : " ") + word;
    }
    return text;
}

std::string with(const Words &start, const std::string &last) {
    return start.empty() ? last : joined(start) + " " + last;
}

// Returns @next with those words first that complete a verb after @start. Of two words that are
// equally near to a typed one, the first is meant.
Words complete_first(Words next, const Words &start) {
    std::stable_partition(next.begin(), next.end(), [&](const std::string &word) {
        Words verb = start;
        verb.push_back(word);
        return words_after(verb).empty();
    });
    return next;
}

} // namespace

Suggestion suggest_verb(const Words &typed) {
    Suggestion suggestion;
    Words start; // with typing errors corrected
    for (std::size_t i = 0; i < typed.size(); i++) {
        const std::string &word = typed[i];
        suggestion.next = words_after(start);
        if (suggestion.next.empty() || (is_verb(start) && !has(suggestion.next, word))) {
            break; // a complete verb; its operands follow
        }
        suggestion.unknown += (suggestion.unknown.empty() ? "" : " ") + word;
        const Words known =
            i + 1 == typed.size() ? complete_first(suggestion.next, start) : suggestion.next;
        const Meant meant = has(known, word) ? Meant{{word}, {}} : meant_by(word, known);
        if (meant.words.size() != 1) {
            for (const std::string &each : meant.words) {
                suggestion.meant.push_back(with(start, each));
            }
            suggestion.undone = meant.undone.empty() ? "" : with(start, meant.undone);
            suggestion.start = joined(start);
            return suggestion;
        }
        start.push_back(meant.words.front());
    }
    suggestion.start = joined(start);
    suggestion.next = words_after(start);
    if (suggestion.next.empty() || is_verb(start)) {
        suggestion.meant.push_back(suggestion.start);
    }
    return suggestion;
}

} // namespace causeway
