// SPDX-License-Identifier: GPL-2.0-or-later
#include "boot/debug_messages.h"
#include "fixture.h"

#include <cerrno>

namespace causeway {
namespace {

constexpr const char *control = "/proc/dynamic_debug/control";

class Log : public CommandTest {
  protected:
    void SetUp() override {
        modules.there = {"causeway", "causeway_disk", "rdma_cm", "siw"};
        sites = {{"kmod/core/session/client/session.c:36", {"causeway", false}},
                 {"kmod/core/link/link.c:56", {"causeway", false}},
                 {"kmod/disk/disk.c:7", {"causeway_disk", false}},
                 {"drivers/infiniband/core/cma.c:100", {"rdma_cm", false}}};
        show();
        files.on_write[control] = [this](const std::string &text) { return query(text); };
    }

    struct Site {
        std::string module;
        bool on = false;
    };

    void show() {
        std::string text = "# filename:lineno [module]function flags format\n";
        for (const auto &[site, state] : sites) {
            text += site + " [" + state.module + "]f =" + (state.on ? "pm" : "_") +
                    " \"state [%d]: =p\\n\"\n";
        }
        files.content[control] = text;
    }

    // Acts as the kernel does for the queries that the command writes.
    Result<void> query(const std::string &text) {
        std::istringstream words(text);
        std::string word;
        std::string module;
        std::string file;
        std::string line;
        while (words >> word) {
            if (word == "module") {
                words >> module;
            } else if (word == "file") {
                words >> file;
            } else if (word == "line") {
                words >> line;
            } else if (word == "+p" || word == "-p") {
                for (auto &[site, state] : sites) {
                    if (state.module == module && (file.empty() || site == file + ":" + line)) {
                        state.on = word == "+p";
                    }
                }
            } else {
                return Error{ExitCode::failed, "cannot write: Invalid argument", "", EINVAL};
            }
        }
        show();
        return {};
    }

    std::string on() const {
        std::string all;
        for (const auto &[site, state] : sites) {
            all += state.on ? "1" : "0";
        }
        return all;
    }

    std::filesystem::path kept() const { return root / "etc/modprobe.d/causeway-log.conf"; }

    std::map<std::string, Site> sites; // sorted: rdma_cm, link.c, session.c, disk.c
};

TEST_F(Log, set_turns_messages_on_now_and_at_loading) {
    EXPECT_EQ(run({"log", "set", "debug", "--dry-run"}), 0) << err();
    EXPECT_NE(out().find("debug messages of causeway\n-0 of 2 printed\n+2 of 2 printed\n"),
              std::string::npos)
        << out();
    EXPECT_EQ(on(), "0000");
    EXPECT_FALSE(std::filesystem::exists(kept()));

    EXPECT_EQ(run({"log", "set", "debug"}), 0) << err();
    EXPECT_EQ(on(), "0111");
    const std::string text = read_file(kept());
    EXPECT_EQ(text.substr(text.find('\n') + 1), "options causeway dyndbg=+p\n"
                                                "options causeway_disk dyndbg=+p\n"
                                                "options causeway_rpcrdma dyndbg=+p\n"
                                                "options causeway_target dyndbg=+p\n");
    EXPECT_EQ(run({"log", "set", "debug"}), 0);
    EXPECT_NE(out().find("nothing to do"), std::string::npos) << out();
    const auto told = json({"log", "list"});
    EXPECT_EQ(told["modules"].size(), 4U);
    EXPECT_EQ(told["modules"][0], (nlohmann::json{{"name", "causeway"},
                                                  {"loaded", true},
                                                  {"level", "debug"},
                                                  {"messages", 2},
                                                  {"printed", 2},
                                                  {"at_loading", "debug"}}));
    EXPECT_EQ(told["modules"][3]["level"], nullptr);

    EXPECT_EQ(run({"log", "unset"}), 0) << err();
    EXPECT_EQ(on(), "0000");
    EXPECT_FALSE(std::filesystem::exists(kept()));
    EXPECT_EQ(run({"log", "unset"}), 0);
    EXPECT_NE(out().find("nothing to do"), std::string::npos) << out();
}

TEST_F(Log, undo_restores_each_message) {
    sites["kmod/core/link/link.c:56"].on = true;
    show();
    EXPECT_EQ(run({"log", "set", "debug", "--no-persist"}), 0) << err();
    EXPECT_EQ(on(), "0111");
    EXPECT_FALSE(std::filesystem::exists(kept()));
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(on(), "0100");
    EXPECT_EQ(run({"log", "unset"}), 0) << err();
    EXPECT_EQ(on(), "0000");
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(on(), "0100");
}

// A module that was unloaded has forgotten what was turned on.
TEST_F(Log, undo_leaves_a_module_that_is_gone) {
    EXPECT_EQ(run({"log", "set", "debug", "--no-persist"}), 0) << err();
    sites.erase("kmod/disk/disk.c:7");
    modules.there.erase("causeway_disk");
    show();
    EXPECT_EQ(run({"undo"}), 0) << err();
    EXPECT_EQ(on(), "000");
}

TEST_F(Log, takes_other_modules) {
    EXPECT_EQ(run({"log", "set", "debug", "--module", "rdma-cm"}), 0) << err();
    EXPECT_EQ(on(), "1000");
    EXPECT_NE(read_file(kept()).find("\noptions rdma_cm dyndbg=+p\n"), std::string::npos);
    EXPECT_EQ(run({"log", "set", "debug"}), 0) << err();
    EXPECT_EQ(run({"log", "unset", "--module", "causeway"}), 0) << err();
    EXPECT_EQ(on(), "1001");
    EXPECT_EQ(read_file(kept()).find("options causeway dyndbg"), std::string::npos);
    EXPECT_EQ(run({"log", "unset"}), 0) << err();
    EXPECT_EQ(on(), "0000");
    EXPECT_FALSE(std::filesystem::exists(kept()));
}

TEST_F(Log, refuses_what_would_have_no_effect) {
    for (const std::string level : {"info", "", "DEBUG", "7"}) {
        EXPECT_EQ(run({"log", "set", level}), 64) << level;
        EXPECT_NE(err().find("give debug; causeway log unset ends it"), std::string::npos) << err();
    }
    EXPECT_EQ(run({"log", "set", "debug", "--module", "a/b"}), 64);
    EXPECT_EQ(run({"log", "set", "debug", "--module", ""}), 64);
    EXPECT_EQ(run({"log", "set", "debug", "--module", "siw"}), 69);
    EXPECT_NE(err().find("the module siw has no messages for debugging"), std::string::npos)
        << err();
    EXPECT_EQ(run({"log", "set", "debug", "--no-persist", "--module", "ib_cm"}), 69);
    EXPECT_NE(err().find("the module ib_cm is not loaded"), std::string::npos) << err();
    processes.acts["modprobe --dry-run"] = [] { return FakeProcesses::failure("", 1); };
    EXPECT_EQ(run({"log", "set", "debug", "--module", "rdma_cn"}), 69);
    EXPECT_NE(err().find("this kernel has no module rdma_cn"), std::string::npos) << err();
    EXPECT_EQ(on(), "0000");
    EXPECT_FALSE(std::filesystem::exists(kept()));
    write_file(kept(), "options causeway dyndbg=+p # by hand\n");
    EXPECT_EQ(run({"log", "set", "debug"}), 78);
    EXPECT_EQ(on(), "0000");
}

TEST_F(Log, says_so_on_a_kernel_without_dynamic_debug) {
    files.content.erase(control);
    EXPECT_EQ(run({"log", "set", "debug"}), 69);
    EXPECT_NE(err().find("this kernel has no dynamic debug"), std::string::npos) << err();
    EXPECT_EQ(run({"log", "unset"}), 0) << err();
    files.content["/sys/kernel/debug/dynamic_debug/control"] =
        "kmod/core/link/link.c:56 [causeway]f =_ \"x\"\n";
    EXPECT_EQ(json({"log", "list"})["modules"][0]["messages"], 1);
}

} // namespace
} // namespace causeway
