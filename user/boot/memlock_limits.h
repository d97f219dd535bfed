// SPDX-License-Identifier: GPL-2.0-or-later
// The limits of locked memory: in Causeway's file of limits(5), in other files there, and in
// drop-ins of services.
#pragma once

#include "base/places.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

// The lines of Causeway's file of limits(5). Lines that an administrator added stay.
class MemlockLimits {
  public:
    explicit MemlockLimits(std::vector<std::string> lines) : lines_(std::move(lines)) {}

    // Replaces the limit of this name, or adds it. @value is a number of KiB, or "unlimited".
    void set(const std::string &who, const std::string &value);
    // Returns false if the name has no limit.
    bool remove(const std::string &who);
    std::vector<std::string> names() const;
    std::string text() const;

  private:
    std::vector<std::string> lines_;
};

// Returns no lines if there is no such file, or if Causeway did not write the file.
Result<MemlockLimits> load_memlock_limits(const Places &places);

std::filesystem::path memlock_dropin(const Places &places, const std::string &service);
// Returns the services, without ".service", that have a drop-in of "limits set".
std::vector<std::string> services_with_memlock(const Places &places);

struct ListedLimit {
    std::string who; // a name of limits(5), or a service without ".service"
    bool is_service = false;
    std::string type;  // "-", "soft", "hard"
    std::string value; // "unlimited", a number of KiB; of a service: "infinity", "1048576K"
    std::filesystem::path file;
    bool by_causeway = false;

    bool is_unlimited() const;
    // Returns none if there is no limit, or if the value is not understood.
    std::optional<std::uint64_t> bytes() const;
};

// Returns the limits in the order in which they apply: a later one of the same name wins. Files
// that cannot be read are left out.
std::vector<ListedLimit> listed_limits(const Places &places);

} // namespace causeway
