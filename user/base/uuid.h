// SPDX-License-Identifier: GPL-2.0-or-later
// A UUID, such as the identity of a disk, of a host, or of an instance of the server.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace causeway {

class Uuid {
  public:
    static constexpr std::size_t size = 16;

    Uuid() = default;
    explicit Uuid(const std::array<std::uint8_t, size> &bytes) : bytes_(bytes) {}

    // Returns a random UUID (version 4). Throws std::system_error if the kernel has no random
    // bytes.
    static Uuid random();
    // Parses 36 characters with hyphens, in upper or lower case. Returns none for any other text.
    static std::optional<Uuid> parse(std::string_view text);
    // Makes a UUID from 16 bytes, such as a hash. Sets the bits of version 4 and of the variant.
    static Uuid stamped(std::span<const std::uint8_t> sixteen);

    std::string text() const;
    bool is_nil() const { return *this == Uuid{}; }
    const std::array<std::uint8_t, size> &bytes() const { return bytes_; }

    bool operator==(const Uuid &) const = default;

  private:
    std::array<std::uint8_t, size> bytes_{};
};

} // namespace causeway
