// SPDX-License-Identifier: GPL-2.0-or-later
// Tests which verb is suggested for words that name no verb.
#include "base/nearest.h"
#include "command/suggestion.h"
#include "command/verb.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace causeway {
namespace {

using Words = std::vector<std::string>;
// the typed words, and the verbs that they mean
using Advice = std::pair<Words, std::vector<std::string>>;

TEST(Suggestions, know_the_words_that_administrators_type) {
    const std::vector<Advice> expected = {
        {{"export", "del", "d"}, {"export remove"}},
        {{"export", "rm", "d"}, {"export remove"}},
        {{"exprot", "end", "d"}, {"export remove"}},
        {{"export", "delte", "d"}, {"export remove"}},
        {{"export", "unevict", "d"}, {"export readmit"}},
        {{"export", "new", "d"}, {"export add"}},
        {{"sm", "partition", "del", "0x8001"}, {"sm partition remove"}},
        {{"nfs", "rule", "rm", "10.0.0.0/8"}, {"nfs rule remove"}},
        {{"ipoib", "child", "del", "ib0.8001"}, {"ipoib child remove"}},
        {{"nfs", "remove", "/x"}, {"nfs unserve", "nfs umount"}},
        {{"nfs", "unmount", "/x"}, {"nfs umount"}},
        {{"nfs", "demount", "/x"}, {"nfs umount"}},
        {{"nfs", "nserve", "/x"}, {"nfs serve", "nfs unserve"}},
        {{"unattach", "a/b"}, {"detach"}},
        {{"deattach", "a/b"}, {"detach"}},
        {{"unatach", "a/b"}, {"detach"}},
        {{"dettach", "a/b"}, {"detach"}},
        {{"dattach", "a/b"}, {"attach", "detach"}},
        {{"atach", "a/b"}, {"attach"}},
        {{"discver", "a"}, {"discover"}},
        {{"pth", "list"}, {"path list"}},
        {{"modules", "off", "x"}, {"modules disable"}},
        {{"port", "off", "x"}, {"port disable", "port unset"}},
        {{"port", "unenable", "x"}, {"port disable"}},
        {{"roce", "reset", "x"}, {"roce unset"}},
        {{"name", "remove", "x"}, {"name unset"}},
        {{"limits", "clear"}, {"limits unset"}},
        {{"soft", "lst"}, {"soft list"}},
    };
    for (const auto &[typed, meant] : expected) {
        EXPECT_EQ(suggest_verb(typed).meant, meant) << fmt::format("{}", fmt::join(typed, " "));
    }
    EXPECT_EQ(suggest_verb({"firewall", "shut"}).meant, std::vector<std::string>{"firewall close"});
    EXPECT_EQ(suggest_verb({"ipoib", "forget"}).meant, std::vector<std::string>{"ipoib unset"});
    for (const Words &typed : {Words{"unconfirm"}, {"unstop"}, {"delist"}, {"rm", "x"}, {"end"}}) {
        const auto meant = suggest_verb(typed).meant;
        EXPECT_TRUE(meant.empty() || meant.front() == "undo") << typed[0] << " " << meant.front();
    }
    EXPECT_EQ(suggest_verb({"exprot"}).start, "export");
}

std::vector<Words> groups_of_verbs() {
    std::set<Words> groups;
    for (const Verb &verb : all_verbs()) {
        Words words = words_of(verb);
        words.pop_back();
        // A word after a verb is its operand: "attach", and there is "attach set" too.
        const bool is_verb =
            std::any_of(all_verbs().begin(), all_verbs().end(),
                        [&](const Verb &other) { return words_of(other) == words; });
        if (!verb.hidden && !is_verb) {
            groups.insert(words);
        }
    }
    return {groups.begin(), groups.end()};
}

TEST(Suggestions, for_an_end_never_name_a_beginning) {
    const std::set<std::string> begin = {"add",  "serve", "mount", "attach", "enable",
                                         "open", "set",   "stop",  "remount"};
    for (const Words &group : groups_of_verbs()) {
        Words ends = {"del",  "delete", "rm",  "end",  "erase", "stop",
                      "shut", "close",  "off", "drop", "unset", "disable"};
        for (const std::string &word : begin) {
            for (const char *prefix : {"un", "de", "dis"}) {
                ends.push_back(prefix + word);
            }
        }
        for (const std::string &end : ends) {
            Words typed = group;
            typed.push_back(end);
            const std::string whole = fmt::format("{}", fmt::join(typed, " "));
            const auto verbs = verb_words();
            if (std::find(verbs.begin(), verbs.end(), whole) != verbs.end()) {
                continue;
            }
            for (const std::string &meant : suggest_verb(typed).meant) {
                EXPECT_EQ(begin.count(meant.substr(meant.rfind(' ') + 1)), 0U)
                    << whole << " -> " << meant;
            }
        }
    }
}

TEST(Suggestions, for_a_slip_of_any_verb_name_that_verb) {
    const auto verbs = verb_words();
    std::size_t slips = 0;
    for (const std::string &verb : verbs) {
        const std::size_t last = verb.rfind(' ') + 1;
        for (std::size_t i = last; i < verb.size() && verb.size() - last > 3; i++) {
            std::string typed = verb;
            typed.erase(i, 1);
            if (std::find(verbs.begin(), verbs.end(), typed) != verbs.end()) {
                continue;
            }
            std::istringstream stream(typed);
            Words words;
            for (std::string word; stream >> word;) {
                words.push_back(word);
            }
            const auto meant = suggest_verb(words).meant;
            // Another verb may be equally near: "sop" is near to "top" and "stop".
            EXPECT_TRUE(std::find(meant.begin(), meant.end(), verb) != meant.end() ||
                        (!meant.empty() && edit_distance(typed, meant.front()) == 1))
                << typed << " -> " << fmt::format("{}", fmt::join(meant, ", "));
            slips++;
        }
    }
    EXPECT_GT(slips, 200U);
}

} // namespace
} // namespace causeway
