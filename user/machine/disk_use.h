// SPDX-License-Identifier: GPL-2.0-or-later
// Asks the kernel whether a disk or a file is in use, and by which program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace causeway {

// What a path leads to. Two paths lead to the same disk or file if these are equal.
struct Backing {
    bool is_device = false;
    unsigned int major = 0; // of a device its own, of a file those of its file system
    unsigned int minor = 0;
    std::uint64_t inode = 0; // of a file

    bool operator==(const Backing &) const = default;
};

class DiskUse {
  public:
    DiskUse() = default;
    DiskUse(const DiskUse &) = delete;
    DiskUse &operator=(const DiskUse &) = delete;
    virtual ~DiskUse() = default;

    // None: the path leads to neither a block device nor a regular file.
    virtual std::optional<Backing> find(const std::string &path) = 0;
    // Whether a file system, another device or a kernel module has the block device for itself, in
    // whatever namespace. Of a disk that has partitions, a claim of one counts. May wait for a disk
    // that does not answer.
    virtual bool is_claimed(const std::string &device) = 0;
    // Whether a program or the kernel has the file open for writing. False also where its file
    // system cannot tell.
    virtual bool is_being_written(const std::string &file) = 0;
    // A program that has one of these open for writing, as in "qemu (process 812) has /dev/sdb
    // open". Empty: there is none, as far as could be seen in a bounded time.
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
