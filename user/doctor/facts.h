// SPDX-License-Identifier: GPL-2.0-or-later
// What doctor knows of this machine: gathered once through World, then only read. A finding is a
// function of these facts alone. Each feature registers the facts that it alone needs.
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

// The PCI function behind an RDMA device, from its uevent and the link's files; empty where the
// device is software.
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
    std::vector<std::string> pkeys; // "0xffff", those that are set
    std::uint64_t symbol_errors = 0;
    std::uint64_t recoveries = 0;
    std::string roce_mode; // of configfs: "IB/RoCE v1"; empty where nobody has asked

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
    std::vector<LocalAddress> addresses; // of global scope
    unsigned int rp_filter = 0;          // the stricter of "all" and its own
    unsigned int arp_ignore = 0;
    bool tso = false;             // asked of IPoIB only
    std::optional<bool> lossless; // pause frames or PFC; asked where hardware does RoCE
};

// One of Causeway's kernel modules.
struct ModuleFacts {
    bool loaded = false;
    bool installed = false; // modinfo finds it for the running kernel
    std::string kernel;     // for which it was built
    std::string signer;
};

// What every feature may need. The facts of a feature are of<DiskFacts>() and so on.
class Facts {
  public:
    std::string kernel; // release
    bool systemd = false;

    std::vector<DeviceFacts> devices;
    std::vector<IpoibInterface> ipoib;
    std::vector<NetInterface> interfaces;

    std::map<std::string, ModuleFacts> modules; // Causeway's
    std::vector<std::string> log;               // the kernel's

    std::vector<std::string> unseen; // what could not be asked, and why

    // The facts of a feature; as made by default where nobody has gathered them.
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

    // The value, or a line in unseen and the value's empty form.
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

// Registers the function that gathers a feature's facts, as a static object of that feature.
class FactSource {
  public:
    using Gather = void (*)(World &world, Facts &facts);
    enum class Turn {
        first, // needs the members of Facts alone
        last,  // reads facts of other features
    };

    explicit FactSource(Gather gather, Turn turn = Turn::first) noexcept;
    FactSource(const FactSource &) = delete;
    FactSource &operator=(const FactSource &) = delete;
    ~FactSource() = default;

    // Calls the sources of a turn, in no order.
    static void gather_all(Turn turn, World &world, Facts &facts);

  private:
    Gather gather_;
    Turn turn_;
    const FactSource *next_;
};

// Asks the machine; changes nothing. What cannot be asked is in unseen.
Facts gather_facts(World &world);

} // namespace causeway
