// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/uuid.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <sys/random.h>
#include <system_error>

namespace causeway {

namespace {

bool hyphen_before(std::size_t byte) {
    return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return -1;
}

} // namespace

Uuid Uuid::stamped(std::span<const std::uint8_t> sixteen) {
    Uuid uuid;
    std::copy_n(sixteen.begin(), std::min(sixteen.size(), size), uuid.bytes_.begin());
    uuid.bytes_[6] = static_cast<std::uint8_t>((uuid.bytes_[6] & 0x0fU) | 0x40U);
    uuid.bytes_[8] = static_cast<std::uint8_t>((uuid.bytes_[8] & 0x3fU) | 0x80U);
    return uuid;
}

Uuid Uuid::random() {
    std::array<std::uint8_t, size> bytes{};
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        throw std::system_error(errno, std::generic_category(), "getrandom");
    }
    return stamped(bytes);
}

std::optional<Uuid> Uuid::parse(std::string_view text) {
    Uuid uuid;
    std::size_t at = 0;
    for (std::size_t i = 0; i < size; i++) {
        if (hyphen_before(i)) {
            if (at >= text.size() || text[at] != '-') {
                return std::nullopt;
            }
            at++;
        }
        if (at + 2 > text.size()) {
            return std::nullopt;
        }
        const int high = hex_digit(text[at]);
        const int low = hex_digit(text[at + 1]);
        if (high < 0 || low < 0) {
            return std::nullopt;
        }
        uuid.bytes_[i] = static_cast<std::uint8_t>(high * 16 + low);
        at += 2;
    }
    if (at != text.size()) {
        return std::nullopt;
    }
    return uuid;
}

std::string Uuid::text() const {
    std::string out;
    for (std::size_t i = 0; i < size; i++) {
        if (hyphen_before(i)) {
            out += '-';
        }
        out += fmt::format("{:02x}", bytes_[i]);
    }
    return out;
}

} // namespace causeway
