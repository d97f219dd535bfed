// SPDX-License-Identifier: GPL-2.0-or-later
// Files of kernel interfaces: /proc/self/mountinfo, /proc/fs/nfsd, /sys, configfs.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

// /sys/block/*/size counts sectors of 512 bytes, whatever the disk's own sector size.
inline constexpr std::uint64_t sysfs_sector = 512;

class KernelFiles {
  public:
    KernelFiles() = default;
    KernelFiles(const KernelFiles &) = delete;
    KernelFiles &operator=(const KernelFiles &) = delete;
    virtual ~KernelFiles() = default;

    // Returns none if there is no such file.
    virtual Result<std::optional<std::string>> read(const std::string &path) = 0;
    // Writes the text in one write(2). An error contains the kernel's errno.
    virtual Result<void> write(const std::string &path, const std::string &text) = 0;
    // Returns the names in a folder, sorted. Returns an empty list if there is no such folder.
    virtual std::vector<std::string> list(const std::string &path) = 0;
    virtual bool has_folder(const std::string &path) = 0;
    // mkdir(2), rmdir(2), symlink(2) and unlink(2), for configfs. An error contains the kernel's
    // errno.
    virtual Result<void> make_folder(const std::string &path) = 0;
    virtual Result<void> remove_folder(const std::string &path) = 0;
    virtual Result<void> make_link(const std::string &path, const std::string &target) = 0;
    virtual Result<void> remove_link(const std::string &path) = 0;
};

// Returns the text of a file, or "" if there is no such file or it cannot be read.
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
