// SPDX-License-Identifier: GPL-2.0-or-later
// Files through which the kernel tells and is told: /proc/self/mountinfo, /proc/fs/nfsd, /sys.
#pragma once

#include "base/result.h"

#include <optional>
#include <string>
#include <vector>

namespace causeway {

class KernelFiles {
  public:
    KernelFiles() = default;
    KernelFiles(const KernelFiles &) = delete;
    KernelFiles &operator=(const KernelFiles &) = delete;
    virtual ~KernelFiles() = default;

    // None where there is no such file.
    virtual Result<std::optional<std::string>> read(const std::string &path) = 0;
    // The text in one piece; the kernel's refusal is the error's number.
    virtual Result<void> write(const std::string &path, const std::string &text) = 0;
    // The names in a folder, sorted; none where there is no such folder.
    virtual std::vector<std::string> list(const std::string &path) = 0;
};

class SystemKernelFiles final : public KernelFiles {
  public:
    Result<std::optional<std::string>> read(const std::string &path) override;
    Result<void> write(const std::string &path, const std::string &text) override;
    std::vector<std::string> list(const std::string &path) override;
};

} // namespace causeway
