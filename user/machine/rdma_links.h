// SPDX-License-Identifier: GPL-2.0-or-later
// Makes, removes and renames RDMA devices, by RDMA_NL_NLDEV of NETLINK_RDMA.
#pragma once

#include "base/result.h"

#include <string>

namespace causeway {

class RdmaLinks {
  public:
    RdmaLinks() = default;
    RdmaLinks(const RdmaLinks &) = delete;
    RdmaLinks &operator=(const RdmaLinks &) = delete;
    virtual ~RdmaLinks() = default;

    // An error of these functions contains the kernel's errno.

    // Makes a software device of type "rxe" or "siw" on a network device. The module of that type
    // must be loaded.
    virtual Result<void> add(const std::string &type, const std::string &device,
                             const std::string &netdev) = 0;
    // Removes a software device. The kernel refuses to remove any other device.
    virtual Result<void> remove(const std::string &device) = 0;
    virtual Result<void> rename(const std::string &device, const std::string &name) = 0;
};

class SystemRdmaLinks final : public RdmaLinks {
  public:
    Result<void> add(const std::string &type, const std::string &device,
                     const std::string &netdev) override;
    Result<void> remove(const std::string &device) override;
    Result<void> rename(const std::string &device, const std::string &name) override;
};

} // namespace causeway
