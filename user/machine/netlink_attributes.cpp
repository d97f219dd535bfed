// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/netlink_attributes.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace causeway {

namespace {

std::span<const std::uint8_t> value_of(const nlattr *attribute) {
    return {static_cast<const std::uint8_t *>(nla_data(attribute)),
            static_cast<std::size_t>(nla_len(attribute))};
}

} // namespace

Attributes::Attributes(std::span<const std::uint8_t> row) : row_(row) {
    const nlattr *at = first();
    int left = size();
    while (nla_ok(at, left) != 0) {
        at = nla_next(at, &left);
    }
    if (left >= static_cast<int>(sizeof(nlattr))) {
        fault_ = fmt::format("an attribute claims {} bytes where {} are left", +at->nla_len, left);
    } else if (left > 0) {
        fault_ = fmt::format("{} bytes follow the last attribute", left);
    }
}

std::optional<std::span<const std::uint8_t>> Attributes::bytes(int type) const {
    const nlattr *found = find(type);
    return found == nullptr ? std::nullopt : std::optional(value_of(found));
}

std::string Attributes::text(int type) const {
    const auto value = bytes(type);
    if (!value) {
        return {};
    }
    const auto end = std::find(value->begin(), value->end(), 0);
    if (end == value->end()) {
        report(type, "is a string without an end");
        return {};
    }
    // The text may come from a peer, and its control characters must not reach a terminal.
    std::string text(value->begin(), end);
    std::replace_if(
        text.begin(), text.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
    return text;
}

std::vector<std::span<const std::uint8_t>> Attributes::all(int type) const {
    std::vector<std::span<const std::uint8_t>> values;
    int left = size();
    for (const nlattr *at = first(); nla_ok(at, left) != 0; at = nla_next(at, &left)) {
        if (nla_type(at) == type) {
            values.push_back(value_of(at));
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
    if (size > std::numeric_limits<std::uint16_t>::max() - sizeof(nlattr)) {
        throw std::length_error(fmt::format("attribute {} is too long: {} bytes", type, size));
    }
    const auto length = static_cast<int>(size);
    const nlattr header{static_cast<std::uint16_t>(nla_attr_size(length)),
                        static_cast<std::uint16_t>(type)};
    const std::size_t start = content_.size();
    content_.resize(start + static_cast<std::size_t>(nla_total_size(length)));
    std::memcpy(content_.data() + start, &header, sizeof(header));
    if (size > 0) {
        std::memcpy(content_.data() + start + sizeof(header), value, size);
    }
}

void AttributeWriter::nest(int type, const AttributeWriter &inner) {
    raw(type | NLA_F_NESTED, inner.content_.data(), inner.content_.size());
}

} // namespace causeway
