// SPDX-License-Identifier: GPL-2.0-or-later
// The bytes of a key. The destructor wipes them.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace causeway {

class Secret {
  public:
    Secret() = default;
    explicit Secret(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {}
    Secret(Secret &&) noexcept = default;
    Secret &operator=(Secret &&other) noexcept {
        wipe();
        bytes_ = std::move(other.bytes_);
        return *this;
    }
    Secret(const Secret &) = delete;
    Secret &operator=(const Secret &) = delete;
    ~Secret() { wipe(); }

    bool empty() const { return bytes_.empty(); }
    std::span<const std::uint8_t> bytes() const { return bytes_; }

  private:
    void wipe() {
        if (!bytes_.empty()) {
            explicit_bzero(bytes_.data(), bytes_.size());
        }
    }

    std::vector<std::uint8_t> bytes_;
};

} // namespace causeway
