// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/roce_default.h"

#include "host/rdma_devices.h"

#include <fmt/format.h>

namespace causeway {

std::string roce_folder(const std::string &device) {
    return "/sys/kernel/config/rdma_cm/" + device;
}

std::string roce_mode_place(const std::string &device, unsigned int port) {
    return fmt::format("{}/ports/{}/default_roce_mode", roce_folder(device), port);
}

std::string roce_mode_now(KernelFiles &files, const std::string &device, unsigned int port) {
    return sysfs_text(files, roce_mode_place(device, port));
}

} // namespace causeway
