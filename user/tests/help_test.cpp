// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of help, completion and the manual page, which are made from the table of verbs.
#include "command/completion.h"
#include "command/manual.h"
#include "command/section.h"
#include "fixture.h"
#include "show/columns.h"

#include <set>

namespace causeway {
namespace {

TEST(Columns, fit_a_terminal) {
    EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
    EXPECT_EQ(wrap("", 7), std::vector<std::string>());
    EXPECT_EQ(wrap("incomprehensible is", 4), (std::vector<std::string>{"incomprehensible", "is"}));
    EXPECT_EQ(two_columns({{"a", "first"}, {"longer than left", "second"}, {"bcd", ""}}, 4),
              "  a    first\n"
              "  longer than left\n"
              "       second\n"
              "  bcd\n");
}

TEST(Sections, hold_every_verb_once) {
    std::set<const Verb *> seen;
    for (const SectionTitle &section : section_titles) {
        for (const Verb *verb : verbs_in(section.section)) {
            EXPECT_TRUE(seen.insert(verb).second) << verb->words;
        }
    }
    for (const Verb &verb : all_verbs()) {
        EXPECT_EQ(seen.count(&verb), verb.hidden ? 0U : 1U) << verb.words;
    }
}

class Helping : public CommandTest {
  protected:
    std::vector<std::string> offered(const std::vector<std::string> &words) {
        std::vector<std::string> asked = {"complete", "--"};
        asked.insert(asked.end(), words.begin(), words.end());
        EXPECT_EQ(run(asked), 0) << err();
        std::istringstream lines(out());
        std::vector<std::string> found;
        for (std::string line; std::getline(lines, line);) {
            found.push_back(line.substr(0, line.find('\t')));
        }
        return found;
    }

    using Words = std::vector<std::string>;
};

TEST_F(Helping, stays_within_80_columns) {
    std::vector<Words> asked = {{"help"}};
    for (const Verb &verb : all_verbs()) {
        Words words = words_of(verb);
        words.insert(words.begin(), "help");
        asked.push_back(words);
    }
    for (const Words &words : asked) {
        EXPECT_EQ(run(words), 0);
        std::istringstream lines(out());
        for (std::string line; std::getline(lines, line);) {
            EXPECT_LE(line.size(), 80U) << line;
        }
    }
}

TEST_F(Helping, groups_the_verbs) {
    EXPECT_EQ(run({"--help"}), 0);
    const std::size_t disks = out().find("\nDisks\n  export add NAME ");
    const std::size_t seeing = out().find("\nSeeing\n");
    EXPECT_NE(disks, std::string::npos) << out();
    EXPECT_NE(seeing, std::string::npos) << out();
    EXPECT_LT(disks, seeing);
    EXPECT_EQ(out().find("complete"), std::string::npos);
    const auto told = json({"help"});
    for (const auto &verb : told["verbs"]) {
        EXPECT_NE(verb["verb"], "complete");
    }
}

TEST_F(Helping, hidden_verbs_are_not_suggested) {
    EXPECT_EQ(run({"completf"}), 64);
    EXPECT_EQ(err().find("did you mean: causeway complete\n"), std::string::npos) << err();
}

TEST_F(Helping, every_verb_and_option_is_offered) {
    std::size_t options = 0;
    for (const Verb &verb : all_verbs()) {
        Words typed;
        for (const std::string &word : words_of(verb)) {
            typed.emplace_back();
            const Words found = offered(typed);
            EXPECT_EQ(std::find(found.begin(), found.end(), word) == found.end(), verb.hidden)
                << verb.words;
            typed.back() = word;
        }
        if (verb.hidden) {
            continue;
        }
        typed.emplace_back("--");
        const Words found = offered(typed);
        for (const OptionSpec &option : options_of(verb)) {
            const bool there = std::find(found.begin(), found.end(),
                                         "--" + std::string(option.name)) != found.end();
            EXPECT_EQ(there, !option.hidden) << verb.words << " " << option.name;
            options++;
        }
    }
    EXPECT_GT(options, 50U);
}

TEST_F(Helping, completes_what_can_be_unset) {
    ASSERT_EQ(run({"limits", "set", "--for", "@hpc"}), 0) << err();
    EXPECT_EQ(offered({"limits", "unset", ""}), Words{"@hpc"});
    write_file(root / "etc/causeway/interfaces.d/ib7.conf",
               "[interface]\nbackend = nm\nmtu = 1500\n");
    EXPECT_EQ(offered({"ipoib", "unset", ""}), Words{"ib7"});
    rdma.put("mlx4_0", "node_guid", "0002:c903:0010:1234");
    ASSERT_EQ(run({"name", "set", "mlx4_0", "hca0", "--rdma"}), 0) << err();
    EXPECT_EQ(offered({"name", "unset", ""}), Words{"hca0"});
}

TEST_F(Helping, completes_names_that_are_known) {
    ExportInfo scratch;
    scratch.settings.name = "scratch";
    kernel.running_exports = {scratch};
    AttachmentInfo attached;
    attached.server = "storage1";
    attached.name = "fast";
    kernel.running_attachments = {attached};
    files.content["/sys/class/net/eth0/type"] = "1\n";
    files.content["/sys/class/net/ib0/type"] = "32\n";
    ASSERT_TRUE(rdma.add("rxe", "rxe0", "eth0"));

    EXPECT_EQ(offered({"export", "remove", ""}), Words{"scratch"});
    EXPECT_EQ(offered({"export", "add", ""}).front().substr(0, 2), "--");
    EXPECT_EQ(offered({"detach", "st"}), Words{"storage1/fast"});
    EXPECT_EQ(offered({"detach", "x"}), Words{});
    EXPECT_EQ(offered({"discover", ""}), Words{"storage1"});
    EXPECT_EQ(offered({"soft", "add", ""}), (Words{"rxe", "siw"}));
    EXPECT_EQ(offered({"soft", "add", "rxe", ""}), (Words{"eth0", "ib0"}));
    EXPECT_EQ(offered({"soft", "remove", ""}), Words{"rxe0"});
    EXPECT_EQ(offered({"ipoib", "set", ""}), Words{"ib0"});
    EXPECT_EQ(offered({"ipoib", "set", "ib0", "--mode", ""}), (Words{"connected", "datagram"}));
    EXPECT_EQ(offered({"ipoib", "set", "ib0", "--mode=d"}), Words{"--mode=datagram"});
    EXPECT_EQ(offered({"ipoib", "set", "--mode", "datagram", ""}), Words{"ib0"});
    EXPECT_EQ(offered({"show", ""}), Words{"rxe0"});
    EXPECT_EQ(offered({"--json", "show", ""}), Words{"rxe0"});
    EXPECT_EQ(offered({"nfs", "transport", ""}), (Words{"causeway", "in-tree"}));
    EXPECT_EQ(offered({"export", "add", "x", "--device", ""}), Words{":files"});
    EXPECT_EQ(offered({"nfs", "serve", ""}), Words{":folders"});
    EXPECT_EQ(offered({"help", "nfs", "rule", "a"}), Words{"add"});
    EXPECT_EQ(offered({"ping", "--ip", ""}), Words{"storage1"});
    EXPECT_EQ(offered({"nosuch", ""}), Words{});
    EXPECT_EQ(offered({}).size(), offered({""}).size());
}

TEST_F(Helping, completes_addresses_and_words_of_infiniband) {
    rdma.put("mlx4_0", "node_guid", "0002:c903:0010:1234");
    rdma.put("mlx4_0", "ports/1/gids/0", "fe80:0000:0000:0000:0002:c903:0010:1235");
    rdma.put("mlx4_0", "ports/1/sm_lid", "0x7");
    rdma.put("mlx4_0", "ports/2/sm_lid", "0x0");
    files.content["/sys/class/net/ib0/type"] = "32\n";
    files.content["/sys/class/net/ib0/address"] = "80:00:02:08:fe:80\n";
    write_file(root / "etc/causeway/partitions.conf",
               "Default=0x7fff, ipoib : ALL=full ;\nscratch=0x0012 : ALL=limited ;\n");

    EXPECT_EQ(offered({"explain", "mode", ""}), (Words{"connected", "datagram", "ib0"}));
    EXPECT_EQ(offered({"explain", "rate", "E"}), Words{"EDR"});
    EXPECT_EQ(offered({"explain", "address", ""}),
              (Words{"0002:c903:0010:1234", "fe80:0000:0000:0000:0002:c903:0010:1235",
                     "80:00:02:08:fe:80"}));
    EXPECT_EQ(offered({"ping", "--ib", ""}), Words{"0x7"});
    EXPECT_EQ(offered({"fabric", "--device", ""}), Words{"mlx4_0"});
    EXPECT_EQ(offered({"sm", "partition", "remove", ""}), (Words{"0x7fff", "0x0012"}));
}

TEST_F(Helping, offers_an_option_once) {
    const Words again = offered({"export", "add", "x", "--read-only", "--re"});
    EXPECT_EQ(again, Words{});
    EXPECT_EQ(offered({"export", "add", "x", "--allow", "10.0.0.0/8", "--al"}), Words{"--allow"});
}

TEST_F(Helping, a_refusing_kernel_is_no_error) {
    kernel.refuse["exports"] = Error{ExitCode::no_permission, "not root"};
    EXPECT_EQ(offered({"attach", "x", "--dry"}), Words{"--dry-run"});
}

TEST(Manual, has_each_section_once) {
    std::string page = "head\n";
    for (const SectionTitle &section : section_titles) {
        page += "@" + std::string(section.name) + "@\n";
    }
    const auto filled = fill_manual(page);
    ASSERT_TRUE(filled) << filled.error().what;
    EXPECT_NE(filled->find("*causeway export add* _NAME_\n\tOffer a device"), std::string::npos)
        << *filled;
    EXPECT_NE(filled->find("\t*\\-\\-read\\-only*\n\t\tRefuse writes.\n"), std::string::npos)
        << *filled;
    EXPECT_EQ(filled->find("at\\-boot*"), std::string::npos) << "hidden";
    EXPECT_FALSE(fill_manual(page + "@disks@\n"));
    EXPECT_FALSE(fill_manual(page + "@unknown@\n"));
    EXPECT_EQ(fill_manual("head\n").error().code, ExitCode::usage);
}

} // namespace
} // namespace causeway
