// SPDX-License-Identifier: GPL-2.0-or-later
// "bench --disk": measures reads of one block device, by fio.
#pragma once

#include "base/answer.h"
#include "base/result.h"
#include "command/arguments.h"
#include "machine/world.h"

#include <cstdint>

namespace causeway {

// Returns the answer of "bench --disk". @seconds is the time of each measurement.
Result<Answer> bench_disk(World &world, const Arguments &arguments, std::uint64_t seconds);

// Returns the answer of a dry run: the commands that would run.
Answer commands_answer(const std::vector<std::vector<std::string>> &commands);

} // namespace causeway
