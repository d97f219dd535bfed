// SPDX-License-Identifier: GPL-2.0-or-later
// Files through which the kernel tells and is told: /proc/self/mountinfo, /proc/fs/nfsd, /sys,
// configfs.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

// /sys/block/*/size counts sectors of 512 bytes, whatever the disk's own are.
inline constexpr std::uint64_t sysfs_sector = 512;

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
    virtual bool has_folder(const std::string &path) = 0;
    // What mkdir(2), rmdir(2), symlink(2) and unlink(2) do, for configfs; the kernel's refusal is
    // the error's number.
    virtual Result<void> make_folder(const std::string &path) = 0;
    virtual Result<void> remove_folder(const std::string &path) = 0;
    virtual Result<void> make_link(const std::string &path, const std::string &target) = 0;
    virtual Result<void> remove_link(const std::string &path) = 0;
};

// The text of a file; empty if there is no such file, or if it cannot be read.
std::string text_of(KernelFiles &files, const std::string &path);

class SystemKernelFiles final : public KernelFiles {
  public:
    Result<std::optional<std::string>> read(const std::string &path) override;
    Result<void> write(const std::string &path, const std::string &text) override;
    std::vector<std::string> list(const std::string &path) override;
    bool has_folder(const std::string &path) override;
    Result<void> make_folder(const std::string &path) override;
    Result<void> remove_folder(const std::string &path) override;
    Result<void> make_link(const std::string &path, const std::string &target) override;
    Result<void> remove_link(const std::string &path) override;
};

} // namespace causeway
