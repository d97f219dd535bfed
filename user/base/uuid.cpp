// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/uuid.h"

#include <algorithm>
#include <cerrno>
#include <sys/random.h>
#include <system_error>
#include <uuid/uuid.h>

namespace causeway {

namespace {

constexpr std::size_t text_size = UUID_STR_LEN - 1;

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
    // uuid_parse() reads only up to a NUL byte, so check the size of the whole text.
    if (text.size() != text_size ||
        uuid_parse(std::string(text).c_str(), uuid.bytes_.data()) != 0) {
        return std::nullopt;
    }
    return uuid;
}

std::string Uuid::text() const {
    std::array<char, text_size + 1> out{};
    uuid_unparse_lower(bytes_.data(), out.data());
    return out.data();
}

} // namespace causeway
