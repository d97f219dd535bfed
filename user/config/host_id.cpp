// SPDX-License-Identifier: GPL-2.0-or-later
#include "config/host_id.h"

#include "base/durable_file.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <gcrypt.h>
#include <string>

namespace causeway {

namespace {

constexpr std::size_t machine_id_length = 32;

std::string first_line(const std::string &text) {
    return text.substr(0, text.find('\n'));
}

// systemd writes "uninitialized" at a first boot, and images contain an empty file.
bool is_machine_id(const std::string &text) {
    return text.size() == machine_id_length &&
           text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos &&
           text.find_first_not_of('0') != std::string::npos;
}

// The first line is the host's UUID. Files of earlier releases have no other line.
std::string kept_text(const Uuid &host, const Uuid &boot) {
    return fmt::format("{}\nmade in boot {}\n", host.text(), boot.text());
}

} // namespace

Uuid host_from_machine_id(std::string_view machine_id) {
    const std::string salted = std::string(machine_id) + "causeway";
    std::array<std::uint8_t, 32> digest{};
    gcry_check_version(nullptr);
    gcry_md_hash_buffer(GCRY_MD_SHA256, digest.data(), salted.data(), salted.size());
    return Uuid::stamped(std::span<const std::uint8_t>(digest).first(Uuid::size));
}

Result<HostId> host_id(const Places &places, const Uuid &boot) {
    auto machine = TRY(read_small_file(places.machine_id()));
    if (machine && is_machine_id(first_line(*machine))) {
        return HostId{host_from_machine_id(first_line(*machine))};
    }
    auto kept = TRY(read_small_file(places.host()));
    if (kept) {
        if (const auto uuid = Uuid::parse(first_line(*kept)); uuid && !uuid->is_nil()) {
            return HostId{*uuid, *kept == kept_text(*uuid, boot)};
        }
        return Error{ExitCode::bad_config,
                     fmt::format("{} does not hold a UUID", places.host().string()),
                     fmt::format("rm {}", places.host().string())};
    }
    const Uuid fresh = Uuid::random();
    TRY(write_durably(places.host(), kept_text(fresh, boot), 0644));
    return HostId{fresh, true};
}

} // namespace causeway
