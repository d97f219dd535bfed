// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/page.h"

#include <fmt/format.h>

namespace causeway {

namespace {

constexpr const char *page_style =
    "body{font:15px/1.5 sans-serif;max-width:46em;margin:2em auto;padding:0 1em;color:#222;"
    "background:#fff}h1{font-size:1.5em}h2{font-size:1.15em;margin:1.6em 0 0}p{margin:.2em 0}"
    "svg{width:100%;height:auto}text{font:12px sans-serif;fill:#555}"
    ".grid{stroke:#ddd}.limit{stroke:#c0392b;stroke-width:2;stroke-dasharray:6 4}"
    "table{border-collapse:collapse;margin:1em 0}th,td{text-align:left;padding:.15em 1em .15em 0;"
    "border-bottom:1px solid #ddd;font-weight:normal}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}text{fill:#aaa}"
    ".grid{stroke:#444}th,td{border-color:#444}}";

} // namespace

std::string escaped_html(const std::string &text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '<':
            out += "&lt;";
            break;
        case '&':
            out += "&amp;";
            break;
        case '"':
            out += "&quot;";
            break;
        default:
            out += c;
        }
    }
    return out;
}

std::string html_page(const std::string &title, const std::string &body) {
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width\">"
        "<title>{0}</title>\n<style>{1}</style></head>\n<body>\n<h1>{0}</h1>\n{2}</body>\n"
        "</html>\n",
        escaped_html(title), page_style, body);
}

std::string html_pairs(const std::vector<std::pair<std::string, std::string>> &rows) {
    std::string html = "<table>\n";
    for (const auto &[name, value] : rows) {
        html += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", escaped_html(name),
                            escaped_html(value));
    }
    return html + "</table>\n";
}

std::string html_table(const std::vector<std::string> &titles,
                       const std::vector<std::vector<std::string>> &rows) {
    std::string html = "<table>\n<tr>";
    for (const std::string &title : titles) {
        html += fmt::format("<th>{}</th>", escaped_html(title));
    }
    html += "</tr>\n";
    for (const auto &row : rows) {
        html += "<tr>";
        for (const std::string &cell : row) {
            html += fmt::format("<td>{}</td>", cell.empty() ? "-" : escaped_html(cell));
        }
        html += "</tr>\n";
    }
    return html + "</table>\n";
}

} // namespace causeway
