// SPDX-License-Identifier: GPL-2.0-or-later
// RDMA devices made, removed and renamed: RDMA_NL_NLDEV of NETLINK_RDMA.
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

    // Each may fail with what the kernel said; the errno is the error's number.

    // A software device (type "rxe" or "siw", whose module is loaded) on a network device.
    virtual Result<void> add(const std::string &type, const std::string &device,
                             const std::string &netdev) = 0;
    // A software device; the kernel removes no other.
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
