// SPDX-License-Identifier: GPL-2.0-or-later
// Queries of the kernel: is a disk or file in use, and by which program?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

// The disk or file at the end of a path. Two paths lead to the same one if these are equal.
struct Backing {
    bool is_device = false;
    unsigned int major = 0; // of the device itself, or of the file system that has the file
    unsigned int minor = 0;
    std::uint64_t inode = 0; // of the file; 0 for a device

    bool operator==(const Backing &) const = default;
};

class DiskUse {
  public:
    DiskUse() = default;
    DiskUse(const DiskUse &) = delete;
    DiskUse &operator=(const DiskUse &) = delete;
    virtual ~DiskUse() = default;

    // Returns none if the path leads to neither a block device nor a regular file.
    virtual std::optional<Backing> find(const std::string &path) = 0;
    // Returns true if a file system, another device or a kernel module has claimed the block device
    // exclusively, in any namespace. A claim of a partition counts as a claim of the disk. May
    // block if the disk does not respond.
    virtual bool is_claimed(const std::string &device) = 0;
    // Returns true if a program or the kernel has the file open for writing. Returns false also if
    // the file system cannot report it.
    virtual bool is_being_written(const std::string &file) = 0;
    // Returns a text about a program that has one of these files open for writing, such as "qemu
    // (process 812) has /dev/sdb open". Returns "" if no such program was found within a bounded
    // time.
    virtual std::string writer(const std::vector<std::string> &paths) = 0;
};

class SystemDiskUse final : public DiskUse {
  public:
    std::optional<Backing> find(const std::string &path) override;
    bool is_claimed(const std::string &device) override;
    bool is_being_written(const std::string &path) override;
    std::string writer(const std::vector<std::string> &paths) override;
};

} // namespace causeway
