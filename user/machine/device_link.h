// SPDX-License-Identifier: GPL-2.0-or-later
// The device node of an attached disk, and the symbolic link that udev makes to it.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace causeway {

// Escapes a word as udev does in SYMLINK: replaces bytes other than letters, digits and #+-.:=@_ by
// '_'.
std::string link_word(const std::string &word);

class DeviceLinks {
  public:
    DeviceLinks() = default;
    DeviceLinks(const DeviceLinks &) = delete;
    DeviceLinks &operator=(const DeviceLinks &) = delete;
    virtual ~DeviceLinks() = default;

    // Returns /dev/causeway/SERVER/NAME, even if that link does not exist.
    virtual std::filesystem::path link(const std::string &server,
                                       const std::string &name) const = 0;
    // Returns /dev/causewayN.
    virtual std::filesystem::path node(const std::string &disk) const = 0;
    // Returns true if the link exists and leads to the node.
    virtual bool ready(const std::filesystem::path &link,
                       const std::filesystem::path &node) const = 0;
    // Waits until ready() is true. Returns false after the time limit, or at once if no udevd runs
    // that would make the link.
    virtual bool wait(const std::filesystem::path &link, const std::filesystem::path &node,
                      std::chrono::milliseconds limit) = 0;
};

class UdevLinks final : public DeviceLinks {
  public:
    explicit UdevLinks(std::filesystem::path dev = "/dev",
                       std::filesystem::path udev = "/run/udev/control")
        : dev_(std::move(dev)), udev_(std::move(udev)) {}

    std::filesystem::path link(const std::string &server, const std::string &name) const override;
    std::filesystem::path node(const std::string &disk) const override { return dev_ / disk; }
    bool ready(const std::filesystem::path &link, const std::filesystem::path &node) const override;
    bool wait(const std::filesystem::path &link, const std::filesystem::path &node,
              std::chrono::milliseconds limit) override;

  private:
    std::filesystem::path dev_;
    std::filesystem::path udev_; // exists while udevd runs
};

} // namespace causeway
