// SPDX-License-Identifier: GPL-2.0-or-later
// Headers of other projects that most files include, precompiled because they take longer to
// compile than the files themselves. Every file still includes what it uses, and also compiles
// without this header, only slower. No guard: the compiler gets this header as an argument, no file
// includes it.

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
