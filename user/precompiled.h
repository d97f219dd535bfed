// SPDX-License-Identifier: GPL-2.0-or-later
// The headers of other projects that most files read, compiled once for all of them: they cost more
// than the files' own lines. Every file still includes what it uses; without this one it compiles
// just the same, only slower. It has no guard: it is never included, but given to the compiler.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
