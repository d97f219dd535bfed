// SPDX-License-Identifier: GPL-2.0-or-later
// The names of the transports, and the names of targets and initiators: IQN (RFC 7143, 4.2.7), EUI
// and NAA names; NQN (NVM Express base specification, 4.5); port identifiers of SRP.
#include "base/nearest.h"
#include "stock/settings.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

constexpr std::size_t longest_world_wide_name = 223; // the limit of both iSCSI and NVMe
constexpr std::size_t guid_digits = 16;
constexpr std::size_t gid_digits = 32;

struct ViaWords {
    Via via;
    std::string_view word;
    std::string_view title;
    std::uint16_t port;
};
constexpr std::array vias = {
    ViaWords{Via::nvme, "nvme", "NVMe/RDMA", 4420}, ViaWords{Via::iser, "iser", "iSER", 3260},
    ViaWords{Via::iscsi, "iscsi", "iSCSI", 3260}, ViaWords{Via::srp, "srp", "SRP", 5555}};

const ViaWords &words_of(Via via) {
    return *std::find_if(vias.begin(), vias.end(),
                         [&](const ViaWords &words) { return words.via == via; });
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_hex(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

// Has the form "iqn.2026-01." or "nqn.2026-01.". The standards require a year and a month in which
// the author of the name owned the domain.
bool is_dated(std::string_view text) {
    if (text.size() < 13 || text[8] != '-' || text[11] != '.') {
        return false;
    }
    const std::string_view month = text.substr(9, 2);
    return std::all_of(text.begin() + 4, text.begin() + 8, is_digit) && is_digit(month[0]) &&
           is_digit(month[1]) && month >= "01" && month <= "12";
}

bool is_iscsi_name(std::string_view text) {
    const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
        return is_digit(c) || (c >= 'a' && c <= 'z') || c == '.' || c == ':' || c == '-';
    });
    if (!plain || text.size() > longest_world_wide_name) {
        return false;
    }
    if (text.substr(0, 4) == "eui.") {
        return text.size() == 4 + guid_digits && is_hex(text.substr(4));
    }
    if (text.substr(0, 4) == "naa.") {
        return (text.size() == 4 + guid_digits || text.size() == 4 + gid_digits) &&
               is_hex(text.substr(4));
    }
    return text.substr(0, 4) == "iqn." && is_dated(text);
}

bool is_nvme_name(std::string_view text) {
    const bool plain = std::all_of(text.begin(), text.end(),
                                   [](char c) { return c > ' ' && c <= '~' && c != '/'; });
    return plain && text.size() <= longest_world_wide_name && text.substr(0, 4) == "nqn." &&
           is_dated(text);
}

// The hexadecimal digits of "0x0002c90300101234", "0002:c903:0010:1234" or a GID written in full,
// in lower case and without separators. Empty if the text has other characters.
std::string digits_of(std::string_view text) {
    std::string digits;
    for (const char c : text.substr(text.substr(0, 2) == "0x" ? 2 : 0)) {
        if (c != ':') {
            digits += static_cast<char>(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
        }
    }
    return is_hex(digits) ? digits : std::string();
}

Error malformed(std::string_view text, std::string_view what, std::string fix) {
    return Error{ExitCode::usage, fmt::format("'{}' is no {}", text, what), std::move(fix)};
}

Result<std::string> parse_world_wide_name(Via via, std::string_view text) {
    if (via == Via::nvme) {
        return is_nvme_name(text) ? Result<std::string>(std::string(text))
                                  : malformed(text, "NQN",
                                              "give one such as nqn.2026-01.org.example:disk1; a "
                                              "host's stands in its /etc/nvme/hostnqn");
    }
    return is_iscsi_name(text)
               ? Result<std::string>(std::string(text))
               : malformed(text, "iSCSI name",
                           "give one such as iqn.2026-01.org.example:disk1, in lower case; an "
                           "initiator's stands in its /etc/iscsi/initiatorname.iscsi");
}

} // namespace

Result<Via> parse_via(std::string_view text) {
    std::vector<std::string> words;
    for (const ViaWords &each : vias) {
        if (each.word == text) {
            return each.via;
        }
        words.emplace_back(each.word);
    }
    const auto close = nearest(std::string(text), words);
    return Error{ExitCode::usage, fmt::format("there is no transport '{}'", text),
                 close ? fmt::format("did you mean {}?", *close)
                       : fmt::format("give one of {}; without --via it is Causeway's own",
                                     fmt::join(words, ", "))};
}

std::string via_text(Via via) {
    return std::string(words_of(via).word);
}

std::string via_title(Via via) {
    return std::string(words_of(via).title);
}

std::uint16_t via_port(Via via) {
    return words_of(via).port;
}

Result<std::string> parse_target(Via via, std::string_view text) {
    if (via != Via::srp) {
        return parse_world_wide_name(via, text);
    }
    const std::string digits = digits_of(text);
    if (digits.size() != guid_digits && digits.size() != gid_digits) {
        return malformed(text, "GUID of an SRP target",
                         "give the 16 digits that \"causeway export list\" shows on its server, "
                         "such as 0x0002c90300101234");
    }
    return "0x" + digits;
}

Result<std::string> parse_initiator(Via via, std::string_view text) {
    if (via != Via::srp) {
        return parse_world_wide_name(via, text);
    }
    const std::string digits = digits_of(text);
    if (digits.size() != guid_digits) {
        return malformed(text, "GUID of an SRP initiator",
                         "give the GUID of the port it comes by, the last 16 digits of the GID 0 "
                         "that \"causeway show\" tells on that machine, such as "
                         "0x0002c90300101235");
    }
    return "0x" + digits;
}

} // namespace causeway
