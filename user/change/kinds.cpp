// SPDX-License-Identifier: GPL-2.0-or-later
// Changes as the journal keeps them.
#include "change/kinds.h"

#include "host/firewall.h"
#include "stock/attaching.h"
#include "stock/configfs.h"

#include <charconv>
#include <fmt/format.h>

namespace causeway {

namespace {

bool is_utf8(const std::string &text) {
    try {
        static_cast<void>(Json(text).dump());
    } catch (const Json::exception &) {
        return false;
    }
    return true;
}

std::string from_hex(const std::string &digits) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        unsigned int byte = 0;
        std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
        bytes += static_cast<char>(byte);
    }
    return bytes;
}

// Entries of earlier versions have none.
std::vector<HeldAddresses::Lease> leases_of(const Json &json) {
    std::vector<HeldAddresses::Lease> leases;
    const auto time = [](const Json &value) {
        return value.is_null() ? std::nullopt : std::optional(value.get<std::int64_t>());
    };
    for (const Json &each : json.value("leases", Json::array())) {
        leases.push_back({each.at("address").get<std::string>(), time(each.at("valid")),
                          time(each.at("preferred"))});
    }
    return leases;
}

ChangePointer make(const Json &json) {
    const auto kind = json.at("kind").get<std::string>();
    const auto text = [&](const char *key) { return json.at(key).get<std::string>(); };
    const auto words = [&](const char *key) {
        return json.at(key).get<std::vector<std::string>>();
    };
    if (kind == kind_file) {
        return change_file(text("path"),
                           {get_bytes(json, "before"), json.at("before_mode").get<unsigned int>()},
                           {get_bytes(json, "after"), json.at("after_mode").get<unsigned int>()});
    }
    if (kind == kind_symlink) {
        return change_symlink(text("path"), get_bytes(json, "before"), get_bytes(json, "after"));
    }
    if (kind == kind_value) {
        return change_value(text("path"), text("before"), get_bytes(json, "after"));
    }
    if (kind == kind_soft_device) {
        return change_soft_device({text("type"), text("name"), text("netdev")},
                                  json.at("added").get<bool>());
    }
    if (kind == kind_device_name) {
        return change_device_name(text("from"), text("to"));
    }
    if (kind == kind_module) {
        return change_module(text("module"), json.value("ours", true));
    }
    if (kind == kind_firewall_rule) {
        return change_firewall_rule(
            text("chain"),
            {text("protocol"), json.at("port").get<std::uint16_t>(), json.value("from", "")});
    }
    if (kind == kind_program) {
        return change_program(words("run"), words("undo"));
    }
    if (kind == kind_configfs) {
        auto steps = parse_steps(text("steps"));
        return steps ? change_configfs(text("subject"), text("probe"), *std::move(steps),
                                       json.at("added").get<bool>())
                     : nullptr;
    }
    if (kind == kind_stock_attachment) {
        auto settings = parse_stock_attachment("the journal", text("settings"));
        return settings
                   ? change_stock_attachment(*std::move(settings), json.at("attached").get<bool>())
                   : nullptr;
    }
    if (kind == kind_attempts) {
        using Programs = std::vector<std::vector<std::string>>;
        return change_attempts(json.at("run").get<Programs>(), json.at("undo").get<Programs>());
    }
    if (kind == kind_addresses) {
        return change_addresses({text("interface"), words("addresses"), words("brought"),
                                 json.at("routes").get<std::vector<std::vector<std::string>>>(),
                                 leases_of(json)});
    }
    if (kind == kind_ipoib_child) {
        return change_ipoib_child(
            {text("parent"), text("pkey"), text("name"), text("mode"), text("mtu")},
            json.at("added").get<bool>());
    }
    if (kind == kind_roce_mode) {
        return change_roce_mode(
            {text("device"), json.at("port").get<unsigned int>(), text("before"), text("after")});
    }
    return kind == kind_refresh ? refresh_program(words("run")) : nullptr;
}

} // namespace

void put_bytes(Json &json, const std::string &key, const std::optional<std::string> &bytes) {
    if (!bytes) {
        json[key] = nullptr;
    } else if (is_utf8(*bytes)) {
        json[key] = *bytes;
    } else {
        std::string digits;
        for (const char byte : *bytes) {
            digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
        }
        json[key + "_hex"] = digits;
    }
}

std::optional<std::string> get_bytes(const Json &json, const std::string &key) {
    if (json.contains(key + "_hex")) {
        return from_hex(json.at(key + "_hex").get<std::string>());
    }
    const Json &value = json.at(key);
    return value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
}

Result<ChangePointer> change_from_json(const Json &json) {
    try {
        if (auto change = make(json)) {
            return change;
        }
        return Error{ExitCode::bad_config, "a change of an unknown kind"};
    } catch (const Json::exception &wrong) {
        return Error{ExitCode::bad_config, wrong.what()};
    }
}

} // namespace causeway
