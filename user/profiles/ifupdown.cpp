// SPDX-License-Identifier: GPL-2.0-or-later
// ifupdown: stanzas of interfaces(5) in /etc/network/interfaces and all files that it includes.
#include "config/file_header.h"
#include "profiles/profile.h"
#include "profiles/reading.h"

#include <algorithm>
#include <glob.h>
#include <set>
#include <sstream>

namespace causeway {

namespace fs = std::filesystem;

namespace {

class GlobResult {
  public:
    explicit GlobResult(const std::string &pattern) {
        ::glob(pattern.c_str(), 0, nullptr, &found_);
    }
    GlobResult(const GlobResult &) = delete;
    GlobResult &operator=(const GlobResult &) = delete;
    ~GlobResult() { ::globfree(&found_); }

    std::vector<fs::path> paths() const {
        return {found_.gl_pathv, found_.gl_pathv + found_.gl_pathc};
    }

  private:
    glob_t found_{};
};

// Searches files for a stanza of the interface, reading each file once.
class Search {
  public:
    Search(const Places &places, std::string interface)
        : places_(places), interface_(std::move(interface)) {}

    std::optional<fs::path> look_at(const fs::path &place) {
        if (!seen_.insert(place).second) {
            return std::nullopt;
        }
        const std::string content = text_of_file(place);
        if (is_ours(content)) {
            return std::nullopt;
        }
        std::istringstream stream(content);
        for (std::string line; std::getline(stream, line);) {
            const auto words = split(line, " \t\r");
            if (words.size() < 2) {
                continue;
            }
            if (words[0] == "iface" && words[1] == interface_) {
                return place;
            }
            // A script decides which stanza the mapping selects, so a mapping that matches is
            // enough.
            if (words[0] == "mapping" && maps(words)) {
                return place;
            }
            if (words[0] == "source" || is_of_folders(words[0])) {
                if (auto found = follow(place, words)) {
                    return found;
                }
            }
        }
        return std::nullopt;
    }

  private:
    static bool is_of_folders(const std::string &word) {
        return word == "source-directory" || word == "source-dir";
    }

    bool maps(const std::vector<std::string> &words) const {
        return std::any_of(words.begin() + 1, words.end(), [&](const std::string &pattern) {
            return fits_glob(pattern, interface_);
        });
    }

    std::optional<fs::path> follow(const fs::path &from, const std::vector<std::string> &words) {
        for (std::size_t i = 1; i < words.size(); i++) {
            const bool absolute = words[i].front() == '/';
            const std::string pattern = absolute ? places_.of_others(words[i].substr(1)).string()
                                                 : (from.parent_path() / words[i]).string();
            for (const fs::path &path : GlobResult(pattern).paths()) {
                std::vector<fs::path> files = {path};
                if (is_of_folders(words[0])) {
                    files = files_of_folder(path, "");
                }
                for (const fs::path &file : files) {
                    if (auto found = look_at(file)) {
                        return found;
                    }
                }
            }
        }
        return std::nullopt;
    }

    const Places &places_;
    std::string interface_;
    std::set<fs::path> seen_;
};

} // namespace

std::optional<Profile> ifupdown_profile(World &world, const InterfaceIdentity &interface) {
    Search search(world.places, interface.name);
    const fs::path main = world.places.ifupdown() / "interfaces";
    std::vector<fs::path> files = files_of_folder(main.parent_path() / "interfaces.d", "");
    files.insert(files.begin(), main);
    for (const fs::path &file : files) {
        if (const auto place = search.look_at(file)) {
            return Profile{Manager::ifupdown, *place};
        }
    }
    return std::nullopt;
}

} // namespace causeway
