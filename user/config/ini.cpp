// SPDX-License-Identifier: GPL-2.0-or-later
#include "config/ini.h"

#include "base/nearest.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <fmt/format.h>
#include <sstream>

namespace causeway {

namespace po = boost::program_options;

namespace {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blank = " \t\r";
    const std::size_t first = text.find_first_not_of(blank);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

Error complaint(const std::string &source, std::size_t line, std::string_view what,
                std::string_view fix = {}) {
    return Error{ExitCode::bad_config, fmt::format("{}:{}: {}", source, line, what),
                 std::string(fix)};
}

std::string known_keys(const IniSchema &schema) {
    std::string list;
    for (const IniKey &key : schema.keys) {
        list += list.empty() ? "" : ", ";
        list += key.name;
    }
    return list;
}

// Checks the lines before the parser reads them, because the parser's own errors do not name the
// line. Remembers the line of every key.
class Scan {
  public:
    Scan(const std::string &source, const IniSchema &schema) : source_(source), schema_(schema) {}

    Result<void> run(std::string_view content) {
        std::size_t number = 0;
        while (!content.empty()) {
            const std::size_t end = content.find('\n');
            number++;
            TRY(line(number, content.substr(0, end)));
            content = end == std::string_view::npos ? std::string_view() : content.substr(end + 1);
        }
        if (!in_section_) {
            return complaint(source_, number,
                             fmt::format("the section [{}] is missing", schema_.section));
        }
        return {};
    }

    std::map<std::string, std::size_t, std::less<>> lines;

  private:
    Result<void> line(std::size_t number, std::string_view whole) {
        // The kernel and the C library would read a value only up to the zero byte.
        if (whole.find('\0') != std::string_view::npos) {
            return complaint(source_, number, "there is a zero byte in the line");
        }
        const std::string_view text = trimmed(whole.substr(0, whole.find('#')));
        if (text.empty()) {
            return {};
        }
        if (text.front() == '[') {
            return section(number, text);
        }
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos) {
            return complaint(source_, number,
                             fmt::format("'{}' is not of the form key = value", text));
        }
        return key(number, trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 1)));
    }

    Result<void> section(std::size_t number, std::string_view text) {
        if (text != fmt::format("[{}]", schema_.section)) {
            return complaint(source_, number,
                             fmt::format("the section is [{}], not {}", schema_.section, text));
        }
        in_section_ = true;
        return {};
    }

    Result<void> key(std::size_t number, std::string_view name, std::string_view value) {
        if (!in_section_) {
            return complaint(
                source_, number,
                fmt::format("'{}' stands before the section [{}]", name, schema_.section));
        }
        const auto known = std::find_if(schema_.keys.begin(), schema_.keys.end(),
                                        [&](const IniKey &entry) { return entry.name == name; });
        if (known == schema_.keys.end()) {
            return unknown_key(number, name);
        }
        if (value.empty()) {
            return complaint(source_, number, fmt::format("'{}' has no value", name));
        }
        const auto [earlier, fresh] = lines.emplace(std::string(name), number);
        if (!fresh && !known->repeats) {
            return complaint(source_, number,
                             fmt::format("'{}' stands in line {} already", name, earlier->second));
        }
        return {};
    }

    Error unknown_key(std::size_t number, std::string_view name) const {
        std::vector<std::string> words;
        for (const IniKey &entry : schema_.keys) {
            words.emplace_back(entry.name);
        }
        const auto close = nearest(name, words);
        return complaint(source_, number, fmt::format("'{}' is unknown here", name),
                         close ? fmt::format("did you mean '{}'?", *close)
                               : fmt::format("known are: {}", known_keys(schema_)));
    }

    const std::string &source_;
    const IniSchema &schema_;
    bool in_section_ = false;
};

} // namespace

Result<IniFile> IniFile::parse(const std::string &source, std::string_view content,
                               const IniSchema &schema) {
    Scan scan(source, schema);
    TRY(scan.run(content));
    po::options_description description;
    for (const IniKey &key : schema.keys) {
        description.add_options()(fmt::format("{}.{}", schema.section, key.name).c_str(),
                                  po::value<std::vector<std::string>>()->composing());
    }
    po::variables_map found;
    std::istringstream stream{std::string(content)};
    try {
        po::store(po::parse_config_file(stream, description), found);
    } catch (const po::error &refused) {
        return complaint(source, 1, refused.what());
    }
    IniFile file;
    file.source_ = source;
    file.lines_ = std::move(scan.lines);
    for (const auto &[name, value] : found) {
        file.values_.emplace(name.substr(schema.section.size() + 1),
                             value.as<std::vector<std::string>>());
    }
    return file;
}

bool IniFile::has(std::string_view key) const {
    return values_.find(key) != values_.end();
}

std::string IniFile::value(std::string_view key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? std::string() : found->second.front();
}

std::vector<std::string> IniFile::values(std::string_view key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? std::vector<std::string>() : found->second;
}

Result<bool> IniFile::flag(std::string_view key) const {
    const std::string text = value(key);
    if (text == "yes" || text == "true" || text == "on" || text == "1") {
        return true;
    }
    if (text.empty() || text == "no" || text == "false" || text == "off" || text == "0") {
        return false;
    }
    return error_at(key, fmt::format("'{}' is neither yes nor no", text));
}

Error IniFile::error_at(std::string_view key, std::string_view what, std::string_view fix) const {
    const auto line = lines_.find(key);
    if (line == lines_.end()) {
        return Error{ExitCode::bad_config, fmt::format("{}: {}", source_, what), std::string(fix)};
    }
    return complaint(source_, line->second, what, fix);
}

IniText::IniText(std::string_view comment, std::string_view section)
    : text_(fmt::format("# {}\n[{}]\n", comment, section)) {}

void IniText::add(std::string_view key, std::string_view value) {
    text_ += fmt::format("{} = {}\n", key, value);
}

bool IniText::can_hold(std::string_view value) {
    return !value.empty() && value == trimmed(value) &&
           value.find_first_of("#\n") == std::string_view::npos;
}

namespace {

// Calls @act with each line, without its end.
template <typename Act> void each_line(std::string_view text, const Act &act) {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        act(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
}

// Returns the key of a line; empty if the line has none.
std::string_view key_of(std::string_view line) {
    const std::string_view content = line.substr(0, line.find('#'));
    const std::size_t equals = content.find('=');
    return equals == std::string_view::npos ? std::string_view()
                                            : trimmed(content.substr(0, equals));
}

// The lines of each key, in the order of the text.
struct KeyLines {
    std::string_view key;
    std::string lines;
};

std::vector<KeyLines> key_lines(std::string_view text) {
    std::vector<KeyLines> all;
    each_line(text, [&](std::string_view line) {
        const std::string_view key = key_of(line);
        if (key.empty()) {
            return;
        }
        if (all.empty() || all.back().key != key) {
            all.push_back({key, {}});
        }
        all.back().lines += fmt::format("{}\n", line);
    });
    return all;
}

std::string lines_of(const std::vector<KeyLines> &all, std::string_view key) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const KeyLines &one) { return one.key == key; });
    return found == all.end() ? std::string() : found->lines;
}

} // namespace

std::string edited_ini(std::string_view text, std::string_view before, std::string_view after) {
    const auto earlier = key_lines(before);
    const auto later = key_lines(after);
    std::vector<std::string_view> seen;
    std::string edited;
    each_line(text, [&](std::string_view line) {
        const std::string_view key = key_of(line);
        const std::string lines = lines_of(later, key);
        if (key.empty() || lines == lines_of(earlier, key)) {
            edited += fmt::format("{}\n", line);
        } else if (std::find(seen.begin(), seen.end(), key) == seen.end()) {
            edited += lines;
        }
        seen.push_back(key);
    });
    for (const KeyLines &one : later) {
        if (std::find(seen.begin(), seen.end(), one.key) == seen.end()) {
            edited += one.lines;
        }
    }
    return edited;
}

} // namespace causeway
