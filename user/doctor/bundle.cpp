// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctor/bundle.h"

#include "base/descriptor.h"
#include "base/durable_file.h"
#include "command/dispatch.h"
#include "doctor/gather.h"
#include "show/progress.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr const char *folder_name = "causeway-report";
// The report contains the lines of the kernel's log that have one of these words.
constexpr std::array<std::string_view, 12> log_words = {
    "causeway", "rdma", "mlx",  "infiniband", "ib_",      "rxe",
    "siw",      "nfsd", "hfi1", "bnxt_re",    "iw_cxgb4", "qedr"};

// A folder in the system's temporary folder. The destructor removes it.
class WorkFolder {
  public:
    WorkFolder() {
        std::string pattern = (fs::temp_directory_path() / "causeway-report-XXXXXX").string();
        if (const char *made = ::mkdtemp(pattern.data()); made != nullptr) {
            path_ = made;
        }
    }
    WorkFolder(const WorkFolder &) = delete;
    WorkFolder &operator=(const WorkFolder &) = delete;
    ~WorkFolder() {
        std::error_code error;
        if (!path_.empty()) {
            fs::remove_all(path_, error);
        }
    }

    const fs::path &path() const { return path_; }

  private:
    fs::path path_;
};

struct Part {
    std::string name;
    std::string text;
};

// Removes the values of keys, which also hides where the key files are.
std::string without_keys(std::string_view text) {
    std::string out;
    for (const std::string &line : lines_of(text)) {
        const auto words = words_of_line(line.substr(0, line.find('=')));
        const bool names_key = !words.empty() && words.front().find("key") != std::string::npos &&
                               line.find('=') != std::string::npos;
        out += (names_key ? words.front() + " = (left out)" : line) + "\n";
    }
    return out;
}

void add_verb(World &world, const std::string &name, const std::vector<std::string> &words,
              std::vector<Part> &parts) {
    const auto answer = answer_command(world, words);
    parts.push_back(
        {name + ".json", (answer ? answer->json.dump(2, ' ', false, Json::error_handler_t::replace)
                                 : answer.error().what) +
                             "\n"});
}

void add_program(World &world, const std::string &name, const std::vector<std::string> &words,
                 std::vector<Part> &parts) {
    if (const auto said = said_by(world, words)) {
        parts.push_back({name + ".txt", *said + "\n"});
    }
}

std::vector<Part> collect(World &world, const Facts &facts, const std::vector<Found> &found) {
    std::vector<Part> parts;
    parts.push_back({"doctor.txt", report(found, facts.unseen).text});
    parts.push_back(
        {"doctor.json",
         report(found, facts.unseen).json.dump(2, ' ', false, Json::error_handler_t::replace) +
             "\n"});
    add_verb(world, "version", {"version"}, parts);
    add_verb(world, "show", {"show"}, parts);
    add_verb(world, "ipoib", {"ipoib", "show"}, parts);
    add_verb(world, "subnet-manager", {"sm", "status"}, parts);
    add_verb(world, "roce", {"roce", "mode"}, parts);
    add_verb(world, "roce-tos", {"roce", "tos"}, parts);
    add_verb(world, "roce-ecn", {"roce", "ecn"}, parts);
    add_verb(world, "flow-control", {"pfc", "show"}, parts);
    add_verb(world, "modules", {"modules", "list"}, parts);
    add_verb(world, "exports", {"export", "list"}, parts);
    add_verb(world, "disks", {"list"}, parts);
    add_verb(world, "connections", {"net"}, parts);
    add_verb(world, "counters", {"stat"}, parts);
    add_verb(world, "nfs-transport", {"nfs", "transport"}, parts);
    add_verb(world, "journal", {"undo", "--list"}, parts);
    add_program(world, "addresses", {"ip", "address"}, parts);
    add_program(world, "routes", {"ip", "route", "show", "table", "all"}, parts);
    add_program(world, "kernel", {"uname", "-a"}, parts);
    add_program(world, "loaded-modules", {"lsmod"}, parts);
    add_program(world, "pci", {"lspci", "-nn"}, parts);
    std::string log;
    for (const std::string &line : facts.log) {
        const bool ours =
            std::any_of(log_words.begin(), log_words.end(), [&](std::string_view word) {
                return line.find(word) != std::string::npos;
            });
        log += ours ? line + "\n" : "";
    }
    parts.push_back({"kernel-log.txt", log});
    for (const auto &folder :
         {world.places.exports(), world.places.attachments(), world.places.stock_exports(),
          world.places.stock_attachments(), world.places.nfs_rules()}) {
        for (const fs::path &file : files_in(folder, ".conf")) {
            parts.push_back(
                {fmt::format("{}-{}", folder.filename().string(), file.filename().string()),
                 without_keys(text_of(file).value_or(""))});
        }
    }
    return parts;
}

Error cannot(std::string_view action, const fs::path &place, int number) {
    Error error{ExitCode::failed,
                fmt::format("cannot {} {}: {}", action, place.string(), std::strerror(number)), "",
                number};
    if (number == EEXIST) {
        error.fix = "give the name of a file that is not there yet";
    }
    return error;
}

} // namespace

Result<std::vector<std::string>> write_bundle(World &world, const Facts &facts,
                                              const std::vector<Found> &found,
                                              const fs::path &file) {
    if (!world.processes.there("tar")) {
        return Error{ExitCode::unavailable, "the program tar is not installed",
                     "apt install tar, or: dnf install tar"};
    }
    const Progress progress(world, "collecting the parts");
    const WorkFolder work;
    if (work.path().empty()) {
        return cannot("make a folder below", fs::temp_directory_path(), errno);
    }
    std::vector<std::string> names;
    for (const Part &part : collect(world, facts, found)) {
        std::string name = part.name;
        std::replace(name.begin(), name.end(), '/', '_');
        TRY(write_durably(work.path() / folder_name / name, part.text, 0600));
        names.push_back(name);
    }
    // The file is created here with mode 0600 and must be new, so that it belongs to this user and
    // no other user can read it.
    const Descriptor made(::open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
    if (!made) {
        return cannot("make", file, errno);
    }
    auto end =
        world.processes.run({"tar", "--create", "--gzip", "--file", fs::absolute(file).string(),
                             "--directory", work.path().string(), folder_name});
    if (!end || !end->good()) {
        ::unlink(file.c_str());
        return end ? Error{ExitCode::failed, "tar failed: " + end->last_words()} : end.error();
    }
    return names;
}

} // namespace causeway
