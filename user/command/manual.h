// SPDX-License-Identifier: GPL-2.0-or-later
// The verbs as the manual page explains them, in the language of scdoc(5).
#pragma once

#include "base/result.h"

#include <string>

namespace causeway {

// The template with each line "@SECTION@" replaced by the verbs of that section. An error where it
// names a section that is not there, or leaves one out.
Result<std::string> fill_manual(const std::string &page);

} // namespace causeway
