// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/netlink_attributes.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <linux/netlink.h>
#include <stdexcept>

namespace causeway {

namespace {

constexpr std::size_t header_size = sizeof(nlattr);

constexpr std::size_t aligned(std::size_t size) {
    return (size + NLA_ALIGNTO - 1) / NLA_ALIGNTO * NLA_ALIGNTO;
}

} // namespace

Attributes::Attributes(std::span<const std::uint8_t> bytes) {
    while (bytes.size() >= header_size) {
        nlattr header{};
        std::memcpy(&header, bytes.data(), header_size);
        if (header.nla_len < header_size || header.nla_len > bytes.size()) {
            fault_ = fmt::format("an attribute claims {} bytes where {} are left", header.nla_len,
                                 bytes.size());
            return;
        }
        entries_.push_back({header.nla_type & NLA_TYPE_MASK,
                            bytes.subspan(header_size, header.nla_len - header_size)});
        bytes = bytes.subspan(std::min(bytes.size(), aligned(header.nla_len)));
    }
    if (!bytes.empty()) {
        fault_ = fmt::format("{} bytes follow the last attribute", bytes.size());
    }
}

std::optional<std::span<const std::uint8_t>> Attributes::find(int type) const {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry &entry) { return entry.type == type; });
    return found == entries_.end() ? std::nullopt : std::optional(found->value);
}

template <typename Number> std::optional<Number> Attributes::number(int type) const {
    const auto value = find(type);
    if (!value) {
        return std::nullopt;
    }
    if (value->size() != sizeof(Number)) {
        report(type, fmt::format("has {} bytes, not {}", value->size(), sizeof(Number)));
        return std::nullopt;
    }
    Number number{};
    std::memcpy(&number, value->data(), sizeof(number));
    return number;
}

template std::optional<std::uint8_t> Attributes::number(int) const;
template std::optional<std::uint16_t> Attributes::number(int) const;
template std::optional<std::uint32_t> Attributes::number(int) const;
template std::optional<std::int32_t> Attributes::number(int) const;
template std::optional<std::uint64_t> Attributes::number(int) const;

std::string Attributes::text(int type) const {
    const auto value = find(type);
    if (!value) {
        return {};
    }
    const auto end = std::find(value->begin(), value->end(), 0);
    if (end == value->end()) {
        report(type, "is a string without an end");
        return {};
    }
    // Text may come from a peer: what is not printable must not reach a terminal.
    std::string text(value->begin(), end);
    std::replace_if(
        text.begin(), text.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
    return text;
}

std::vector<std::span<const std::uint8_t>> Attributes::all(int type) const {
    std::vector<std::span<const std::uint8_t>> values;
    for (const Entry &entry : entries_) {
        if (entry.type == type) {
            values.push_back(entry.value);
        }
    }
    return values;
}

void Attributes::report(int type, std::string_view what) const {
    if (fault_.empty()) {
        fault_ = fmt::format("attribute {} {}", type, what);
    }
}

void AttributeWriter::raw(int type, const void *value, std::size_t size) {
    if (size > std::numeric_limits<std::uint16_t>::max() - header_size) {
        throw std::length_error(fmt::format("attribute {} is too long: {} bytes", type, size));
    }
    const nlattr header{static_cast<std::uint16_t>(header_size + size),
                        static_cast<std::uint16_t>(type)};
    const std::size_t start = content_.size();
    content_.resize(start + aligned(header_size + size));
    std::memcpy(content_.data() + start, &header, header_size);
    if (size > 0) {
        std::memcpy(content_.data() + start + header_size, value, size);
    }
}

void AttributeWriter::nest(int type, const AttributeWriter &inner) {
    raw(type | NLA_F_NESTED, inner.content_.data(), inner.content_.size());
}

} // namespace causeway
