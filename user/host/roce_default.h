// SPDX-License-Identifier: GPL-2.0-or-later
// The RoCE version that rdma_cm uses on a port unless a program chooses one, in configfs.
#pragma once

#include "machine/kernel_files.h"

#include <string>

namespace causeway {

std::string roce_folder(const std::string &device);
std::string roce_mode_place(const std::string &device, unsigned int port);
// Returns the version of the port, or "" if configfs does not show the device.
std::string roce_mode_now(KernelFiles &files, const std::string &device, unsigned int port);

} // namespace causeway
