// SPDX-License-Identifier: GPL-2.0-or-later
// How the kinds of changes are called in the journal, and how bytes are put into JSON.
#pragma once

#include "change/change.h"

#include <optional>
#include <string>

namespace causeway {

inline constexpr const char *kind_file = "file";
inline constexpr const char *kind_symlink = "symlink";
inline constexpr const char *kind_value = "value";
inline constexpr const char *kind_soft_device = "soft-device";
inline constexpr const char *kind_device_name = "device-name";
inline constexpr const char *kind_module = "module";
inline constexpr const char *kind_firewall_rule = "firewall-rule";
inline constexpr const char *kind_program = "program";
inline constexpr const char *kind_attempts = "attempts";
inline constexpr const char *kind_ipoib_child = "ipoib-child";
inline constexpr const char *kind_roce_mode = "roce-mode";
inline constexpr const char *kind_refresh = "refresh";
inline constexpr const char *kind_configfs = "configfs";
inline constexpr const char *kind_addresses = "addresses";
inline constexpr const char *kind_stock_attachment = "stock-attachment";

// Text as it is; what is no UTF-8 as hexadecimal digits under the key with "_hex" behind it; null
// where there is nothing.
void put_bytes(Json &json, const std::string &key, const std::optional<std::string> &bytes);
// Throws what nlohmann-json throws where the key is missing or of another type.
std::optional<std::string> get_bytes(const Json &json, const std::string &key);

} // namespace causeway
