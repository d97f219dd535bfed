// SPDX-License-Identifier: GPL-2.0-or-later
// A UUID: identity of a disk, a host, a server's life.
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

    // Random, version 4; throws std::system_error when the kernel gives no randomness.
    static Uuid random();
    // The 36 characters with hyphens, either case.
    static std::optional<Uuid> parse(std::string_view text);
    // Sets version and variant so that hashed bytes read as a version 4 UUID.
    static Uuid stamped(std::span<const std::uint8_t> sixteen);

    std::string text() const;
    bool is_nil() const { return *this == Uuid{}; }
    const std::array<std::uint8_t, size> &bytes() const { return bytes_; }

    bool operator==(const Uuid &) const = default;

  private:
    std::array<std::uint8_t, size> bytes_{};
};

} // namespace causeway
