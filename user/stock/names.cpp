// SPDX-License-Identifier: GPL-2.0-or-later
// The grammar of the names of targets and initiators: IQN (RFC 7143, 4.2.7), EUI
// and NAA names; NQN (NVM Express base specification, 4.5); port identifiers of SRP.
#include "stock/transport.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr std::size_t longest_world_wide_name = 223; // the limit of both iSCSI and NVMe
constexpr std::size_t guid_digits = 16;
constexpr std::size_t gid_digits = 32;

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

} // namespace

Result<std::string> parse_nqn(std::string_view text) {
    return is_nvme_name(text)
               ? Result<std::string>(std::string(text))
               : malformed(text, "NQN",
                           "give one such as nqn.2026-01.org.example:disk1; a host's stands in its "
                           "/etc/nvme/hostnqn");
}

Result<std::string> parse_iscsi_name(std::string_view text) {
    return is_iscsi_name(text)
               ? Result<std::string>(std::string(text))
               : malformed(text, "iSCSI name",
                           "give one such as iqn.2026-01.org.example:disk1, in lower case; an "
                           "initiator's stands in its /etc/iscsi/initiatorname.iscsi");
}

Result<std::string> parse_srp_target(std::string_view text) {
    const std::string digits = digits_of(text);
    if (digits.size() != guid_digits && digits.size() != gid_digits) {
        return malformed(text, "GUID of an SRP target",
                         "give the 16 digits that \"causeway export list\" shows on its server, "
                         "such as 0x0002c90300101234");
    }
    return "0x" + digits;
}

Result<std::string> parse_srp_initiator(std::string_view text) {
    const std::string digits = digits_of(text);
    if (digits.size() != guid_digits) {
        return malformed(text, "GUID of an SRP initiator",
                         "give the GUID of the port it comes by, the last 16 digits of the GID 0 "
                         "that \"causeway show\" reports on that machine, such as "
                         "0x0002c90300101235");
    }
    return "0x" + digits;
}

} // namespace causeway
