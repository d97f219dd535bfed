// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/narration.h"
#include "fixture.h"
#include "kernel/narrated_request.h"
#include "machine/narrated.h"

#include <cerrno>

namespace causeway {
namespace {

using Words = std::vector<std::string>;

// Runs the command as main() does.
class Verbose : public CommandTest {
  protected:
    int say(Words words) {
        const GlobalOptions options = take_global_options(words);
        World plain = world(options.json);
        World told{plain.kernel,   plain.modules, plain.resolver, plain.links,     told_processes,
                   told_files,     told_rdma,     plain.paths,    plain.tcp_ports, plain.mount_use,
                   plain.disk_use, plain.clock,   plain.out,      plain.err,       plain.places,
                   plain.boot,     plain.json,    plain.terminal};
        const Narration narration(options.verbose ? &told.err : nullptr);
        return run_command(told, words);
    }

    NarratedProcesses told_processes{processes};
    NarratedKernelFiles told_files{files};
    NarratedRdmaLinks told_rdma{rdma};

    bool said(const std::string &line) const { return err().find(line) != std::string::npos; }
};

TEST(Narration, quotes_words_and_hides_secrets) {
    EXPECT_EQ(narrated_words({"mount", "-o", "vers=4.2,proto=rdma", "s:/a b", ""}),
              "mount -o vers=4.2,proto=rdma 's:/a b' ''");
    EXPECT_EQ(narrated_words({"x", "--password", "abc", "d"}), "x --password (hidden) d");
    EXPECT_EQ(narrated_words({"x", "--dhchap-secret=DHHC-1:00:abc:"}),
              "x --dhchap-secret=(hidden)");
    EXPECT_EQ(narrated_words({"iscsiadm", "-n", "node.session.auth.password", "-v", "abc"}),
              "iscsiadm -n node.session.auth.password -v (hidden)");
    EXPECT_EQ(narrated_words({"x", "--key=abc", "--key", "def", "--keys", "g"}),
              "x --key=(hidden) --key (hidden) --keys g");
    EXPECT_EQ(narrated_words({"echo", "a\nb"}), "echo 'a\\nb'");
}

TEST(Narration, shortens_what_was_written) {
    EXPECT_EQ(narrated_text("/sys/a", "1\n"), "\"1\"");
    EXPECT_EQ(narrated_text("/sys/a", "a\nb\n"), "\"a\\nb\"");
    EXPECT_EQ(narrated_text("/sys/kernel/config/target/auth/password_mutual", "abc"), "(hidden)");
    EXPECT_EQ(narrated_text("/sys/kernel/config/nvmet/hosts/x/dhchap_key", "abc"), "(hidden)");
    EXPECT_EQ(narrated_text("/sys/a", std::string(4096, 'x')),
              "\"" + std::string(120, 'x') + "...\" (4 KiB)");
}

// A text with the shortest names is shorter than what is shown of a text.
TEST_F(Verbose, hides_secrets_in_what_is_written) {
    const auto shown = [this](const std::string &text) {
        std::ostringstream lines;
        const Narration narration(&lines);
        EXPECT_TRUE(told_files.write("/dev/nvme-fabrics", text));
        return lines.str();
    };
    EXPECT_EQ(shown("nqn=a,transport=tcp,traddr=::1,trsvcid=1,hostnqn=b,dhchap_secret=DHHC-1:00:"
                    "YWJj+w==:,dhchap_ctrl_secret=DHHC-1:00:ZGVm:"),
              "- write /dev/nvme-fabrics: \"nqn=a,transport=tcp,traddr=::1,trsvcid=1,hostnqn=b,"
              "dhchap_secret=(hidden),dhchap_ctrl_secret=(hidden)\"\n");
    EXPECT_EQ(shown("a=1 Password = 'x, y' b=2"),
              "- write /dev/nvme-fabrics: \"a=1 Password = (hidden) b=2\"\n");
    EXPECT_EQ(shown("KEY=x,y;z,b=2\nkey="),
              "- write /dev/nvme-fabrics: \"KEY=(hidden),b=2\\nkey=(hidden)\"\n");
    EXPECT_EQ(shown("id_ext=1,pkey=ffff"), "- write /dev/nvme-fabrics: \"id_ext=1,pkey=ffff\"\n");
}

TEST(Narration, names_requests_and_answers) {
    EXPECT_EQ(narrated_request(CW_C_ATTACH), "netlink: attach");
    EXPECT_EQ(narrated_request(250), "netlink: 250");
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(narrated_answer(0, "", begin).substr(0, 14), "  done, after ");
    EXPECT_EQ(narrated_answer(EBUSY, "2 openers", begin).substr(0, 42),
              "  Device or resource busy: 2 openers, afte");
}

TEST_F(Verbose, shows_programs_files_and_values) {
    for (const std::string option : {"-v", "--verbose"}) {
        EXPECT_EQ(say({option, "modules", "enable", "rdma_cm"}), 0) << err();
        EXPECT_TRUE(said("- run modprobe --dry-run --quiet -- rdma_cm\n-   exit 0, after "))
            << err();
        EXPECT_TRUE(said("- write " + (root / "etc/modules-load.d/causeway.conf").string() + "\n"))
            << err();
        EXPECT_EQ(say({"undo"}), 0) << err();
        EXPECT_EQ(err(), ""); // without the option
        modules.there.clear();
    }
    ASSERT_TRUE(rdma.add("rxe", "rxe0", "eth0"));
    EXPECT_EQ(say({"show", "--json", "-v"}), 0);
    EXPECT_TRUE(said("- read /sys/class/infiniband/rxe0/ports/1/state: \"4: ACTIVE\"\n")) << err();
    EXPECT_EQ(out().substr(0, 1), "{");
}

TEST_F(Verbose, shows_how_a_program_failed) {
    processes.acts["modprobe --dry-run"] = [] { return FakeProcesses::failure("not found", 1); };
    EXPECT_EQ(say({"modules", "enable", "rdma_cm", "-v"}), 69);
    EXPECT_TRUE(said("-   exit 1: not found, after ")) << err();
    processes.acts["modprobe --dry-run"] = [] {
        ProcessEnd end;
        end.status = 137;
        end.timed_out = true;
        return end;
    };
    EXPECT_EQ(say({"modules", "enable", "rdma_cm", "-v"}), 69);
    EXPECT_TRUE(said("-   killed, because its time was over, after ")) << err();
}

// A command that "run" starts has options of its own.
TEST_F(Verbose, leaves_the_options_of_another_command) {
    ASSERT_TRUE(rdma.add("rxe", "rxe0", "eth0"));
    files.content["/usr/lib64/rsocket/librspreload.so"] = "";
    EXPECT_EQ(say({"run", "--preload", "ls", "-v"}), 0) << err();
    EXPECT_TRUE(processes.log.back().find("ls -v") != std::string::npos) << processes.log.back();
    EXPECT_EQ(err().find("- become"), std::string::npos) << err();
    EXPECT_EQ(say({"--json", "run", "--preload", "ls", "--verbose"}), 0) << err();
    EXPECT_TRUE(processes.log.back().find("ls --verbose") != std::string::npos);
    EXPECT_EQ(err(), "");
    EXPECT_EQ(say({"-v", "run", "--preload", "ls", "--json"}), 0) << err();
    EXPECT_TRUE(said("- become ls --json\n")) << err();
    EXPECT_EQ(say({"-v", "run", "--preload", "ls", "--password", "abc"}), 0) << err();
    EXPECT_TRUE(said("- become ls --password (hidden)\n")) << err();
}

} // namespace
} // namespace causeway
