// SPDX-License-Identifier: GPL-2.0-or-later
// Attributes of a request, written from words, and of an answer, read as words.
#ifndef NETLINK_ATTRIBUTES_H
#define NETLINK_ATTRIBUTES_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

using Bytes = std::vector<std::uint8_t>;

// Appends an attribute of @type.
void put_attribute(Bytes &to, int type, std::span<const std::uint8_t> value);

// Appends what a word of the command line says: NAME=VALUE, or NAME for a flag; network=CIDR is the
// three attributes of a network. Throws std::invalid_argument for a word that is none.
void put_word(Bytes &to, const std::string &word);

// The names of the attributes in @from, in their order, with a space between.
std::string names_in(std::span<const std::uint8_t> from);

// The value of the first attribute of @type, as bytes and as text; empty where there is none.
std::span<const std::uint8_t> bytes_in(std::span<const std::uint8_t> from, int type);
std::string text_in(std::span<const std::uint8_t> from, int type);

#endif
