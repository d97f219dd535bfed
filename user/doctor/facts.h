// SPDX-License-Identifier: GPL-2.0-or-later
// The facts of this machine. doctor gathers them once through World and only reads them then. A
// finding is a function of these facts alone. Each feature registers the facts that only it needs.
#pragma once

#include "base/result.h"
#include "host/ipoib.h"
#include "host/rdma_devices.h"
#include "machine/world.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

#include <fmt/format.h>

namespace causeway {

// The PCI function of an RDMA device, from its uevent file and the files about its link. Empty for
// a software device.
struct PciFunction {
    std::string slot;     // "0000:03:00.0"
    std::string driver;   // "mlx5_core"
    std::string id;       // "15B3:1017"
    std::string revision; // "0xa0"
    std::string speed;    // "8.0 GT/s PCIe"
    std::string max_speed;
    unsigned int width = 0; // lanes
    unsigned int max_width = 0;
};

struct PortFacts {
    RdmaPort port;
    std::vector<std::string> pkeys; // "0xffff"; only entries that are set
    std::uint64_t symbol_errors = 0;
    std::uint64_t recoveries = 0;
    std::string roce_mode; // from configfs: "IB/RoCE v1"; empty: no such folder

    bool infiniband() const { return port.link_layer == "InfiniBand"; }
    bool roce() const { return port.link_layer == "Ethernet"; }
};

struct DeviceFacts {
    RdmaDevice device;
    PciFunction pci;
    std::vector<PortFacts> ports;

    bool iwarp() const { return device.node_type == "RNIC"; }
};

struct LocalAddress {
    std::string text;    // "10.0.0.1"
    std::string network; // "10.0.0.0/24"
    bool ipv4 = true;
};

struct NetInterface {
    std::string name;
    unsigned int mtu = 0;
    bool up = false;
    std::vector<LocalAddress> addresses; // only those of global scope
    unsigned int rp_filter = 0;          // the stricter of "all" and the interface's own value
    unsigned int arp_ignore = 0;
    bool tso = false;             // read for IPoIB only
    std::optional<bool> lossless; // pause frames or PFC; read for interfaces of RoCE adapters
};

// One of Causeway's kernel modules.
struct ModuleFacts {
    bool loaded = false;
    bool installed = false; // modinfo finds it for the running kernel
    std::string kernel;     // the kernel that it was built for
    std::string signer;
};

// Facts that any feature may need. The facts of one feature are of<DiskFacts>() and so on.
class Facts {
  public:
    std::string kernel; // the kernel's release
    bool systemd = false;

    std::vector<DeviceFacts> devices;
    std::vector<IpoibInterface> ipoib;
    std::vector<NetInterface> interfaces;

    std::map<std::string, ModuleFacts> modules; // of Causeway
    std::vector<std::string> log;               // lines of the kernel's log

    std::vector<std::string> unseen; // what could not be read, and why

    // Returns the facts of a feature. They are default-constructed if they were not gathered.
    template <typename Part> Part &of() {
        auto &part = parts_[typeid(Part)];
        if (!part) {
            part = std::make_shared<Part>();
        }
        return *static_cast<Part *>(part.get());
    }
    template <typename Part> const Part &of() const {
        static const Part none{};
        const auto found = parts_.find(typeid(Part));
        return found == parts_.end() ? none : *static_cast<const Part *>(found->second.get());
    }

    // Returns the value of the result. For an error, adds a line to unseen and returns an empty
    // value.
    template <typename Value> Value told_or_unseen(Result<Value> result, std::string_view subject) {
        if (result) {
            return *std::move(result);
        }
        unseen.push_back(fmt::format("{}: {}", subject, result.error().what));
        return Value();
    }

  private:
    std::map<std::type_index, std::shared_ptr<void>> parts_;
};

// Registers the function that gathers a feature's facts. It is a static object of that feature.
class FactSource {
  public:
    using Gather = void (*)(World &world, Facts &facts);
    enum class Turn {
        first, // needs only the members of Facts
        last,  // reads facts of other features
    };

    explicit FactSource(Gather gather, Turn turn = Turn::first) noexcept;
    FactSource(const FactSource &) = delete;
    FactSource &operator=(const FactSource &) = delete;
    ~FactSource() = default;

    // Calls the sources of a turn, in no defined order.
    static void gather_all(Turn turn, World &world, Facts &facts);

  private:
    Gather gather_;
    Turn turn_;
    const FactSource *next_;
};

// Reads the machine and changes nothing. Facts that cannot be read are listed in unseen.
Facts gather_facts(World &world);

} // namespace causeway
