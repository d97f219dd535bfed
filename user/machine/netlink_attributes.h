// SPDX-License-Identifier: GPL-2.0-or-later
// Reads netlink attributes from bytes, with checks, and writes them.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <netlink/attr.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// Reads a row of attributes. The row must outlive the object. fault() describes the first malformed
// attribute or value of a wrong length; the caller checks it once, after it has read all values.
class Attributes {
  public:
    explicit Attributes(std::span<const std::uint8_t> row);

    bool has(int type) const { return find(type) != nullptr; }
    template <std::integral Number> std::optional<Number> number(int type) const {
        const auto value = bytes(type);
        if (value && value->size() != sizeof(Number)) {
            report(type, fmt::format("has {} bytes, not {}", value->size(), sizeof(Number)));
        }
        if (!value || value->size() != sizeof(Number)) {
            return std::nullopt;
        }
        Number number{};
        std::memcpy(&number, value->data(), sizeof(number));
        return number;
    }
    std::optional<std::uint8_t> u8(int type) const { return number<std::uint8_t>(type); }
    std::optional<std::uint16_t> u16(int type) const { return number<std::uint16_t>(type); }
    std::optional<std::uint32_t> u32(int type) const { return number<std::uint32_t>(type); }
    std::optional<std::int32_t> s32(int type) const { return number<std::int32_t>(type); }
    std::optional<std::uint64_t> u64(int type) const { return number<std::uint64_t>(type); }
    // Returns "" if the attribute is missing. Replaces control characters by '?'.
    std::string text(int type) const;
    std::optional<std::span<const std::uint8_t>> bytes(int type) const;
    // Returns the values of all attributes of this type, for a nest that is repeated.
    std::vector<std::span<const std::uint8_t>> all(int type) const;

    void report(int type, std::string_view what) const;
    const std::string &fault() const { return fault_; }

  private:
    const nlattr *first() const { return reinterpret_cast<const nlattr *>(row_.data()); }
    int size() const { return static_cast<int>(row_.size()); }
    const nlattr *find(int type) const { return nla_find(first(), size(), type); }

    std::span<const std::uint8_t> row_;
    mutable std::string fault_;
};

// Writes a row of attributes. libnl's own writer needs to know the size of the message in advance.
class AttributeWriter {
  public:
    template <std::integral Number> void number(int type, Number value) {
        raw(type, &value, sizeof(value));
    }
    void u8(int type, std::uint8_t value) { number(type, value); }
    void u16(int type, std::uint16_t value) { number(type, value); }
    void u32(int type, std::uint32_t value) { number(type, value); }
    void s32(int type, std::int32_t value) { number(type, value); }
    void u64(int type, std::uint64_t value) { number(type, value); }
    void flag(int type) { raw(type, nullptr, 0); }
    void text(int type, const std::string &value) { raw(type, value.c_str(), value.size() + 1); }
    void bytes(int type, std::span<const std::uint8_t> value) {
        raw(type, value.data(), value.size());
    }
    void nest(int type, const AttributeWriter &inner);

    std::span<const std::uint8_t> content() const { return content_; }

  private:
    // Throws std::length_error if the value is too long for an attribute (64 KiB).
    void raw(int type, const void *value, std::size_t size);

    std::vector<std::uint8_t> content_;
};

} // namespace causeway
