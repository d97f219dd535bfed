// SPDX-License-Identifier: GPL-2.0-or-later
// The verbs for the manual page, in the format of scdoc(5).
#pragma once

#include "base/result.h"

#include <string>

namespace causeway {

// Returns the template with each line "@SECTION@" replaced by the verbs of that section. Returns an
// error if the template names an unknown section or leaves one out.
Result<std::string> fill_manual(const std::string &page);

} // namespace causeway
