// SPDX-License-Identifier: GPL-2.0-or-later
// A stock transport: its names, its target in configfs, and its initiator: nvme-cli, open-iscsi,
// ib_srp. nvme.cpp, iscsi.cpp and srp.cpp implement one or two each. transport.cpp has their list.
#pragma once

#include "base/result.h"
#include "machine/world.h"
#include "stock/discovery.h"
#include "stock/settings.h"
#include "stock/target.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// A connection as the kernel shows it.
struct StockConnection {
    std::string handle;               // "nvme0", "session1", "host7"
    std::string state;                // as the kernel writes it: "live", "LOGGED_IN", "running"
    std::vector<std::string> disks{}; // "nvme0n1", "sda"
};

class StockTransport {
  public:
    struct Row {
        std::string_view word;  // "nvme", as --via has it
        std::string_view title; // "NVMe/RDMA"
        // The standard port: 4420 or 3260. SRP has no standard port; Causeway uses 5555.
        std::uint16_t port;
        bool uses_rdma;
        bool uses_tcp;                // iSER too, to discover and to log in
        bool lets_everyone_in = true; // if no initiator is named
        // Of the listener on every address: for IPv4 only; one for IPv4 and IPv6; one for each.
        enum class Any : std::uint8_t { v4, one, two } any = Any::v4;
        unsigned int first_lun = 0;
        ChapForm chap = ChapForm::none;
        bool shares_targets = true; // --target may name the target of another export
        // An initiator that is admitted reaches all LUNs of the target.
        bool admits_to_target = false;
        // The program of the initiator, and the package that has it; empty: the kernel is enough.
        std::string_view program{};
        std::string_view package{};
    };

    explicit StockTransport(Row row) : row_(row) {}
    StockTransport(const StockTransport &) = delete;
    StockTransport &operator=(const StockTransport &) = delete;
    virtual ~StockTransport() = default;

    const Row &row() const { return row_; }

    // Check that the name is well-formed for the transport. The error states the correct form.
    virtual Result<std::string> parse_target(std::string_view text) const = 0;
    virtual Result<std::string> parse_initiator(std::string_view text) const {
        return parse_target(text);
    }

    /* ---- the target; these functions read the present state and change nothing ---- */

    // The name of a target for which the administrator gave none, made from the names of this
    // machine and of the export. For SRP it is the WWN of the first port; if the settings have an
    // address, of the first port with that address.
    virtual Result<std::string> default_target(KernelFiles &files,
                                               const StockExport &settings) const = 0;
    // Returns an error (usage) if the transport does not support the settings.
    virtual Result<void> check(const StockExport & /*settings*/) const { return {}; }
    // Returns an error (unavailable) if the running kernel cannot ask an initiator for a secret, or
    // cannot prove one to a target.
    virtual Result<void> check_kernel(KernelFiles & /*files*/, const Chap & /*chap*/,
                                      bool /*target*/) const {
        return {};
    }
    // The modules that the target needs, besides those of a backstore, in the order of loading.
    virtual std::vector<std::string> target_modules() const = 0;
    // True if the target exports a backstore of LIO.
    virtual bool has_backstore() const { return true; }
    // @store: the plan of the backstore; empty if the target has none.
    virtual Result<TargetPlan> plan_target(KernelFiles &files, const StockExport &settings,
                                           const TargetPlan &store) const = 0;
    // The folder of the target in configfs.
    virtual std::string target_folder(const StockExport &settings) const = 0;
    // The steps that admit one initiator. @probe: of the plan of the export.
    virtual std::vector<ConfigStep> admit(const StockExport &settings, const std::string &probe,
                                          const std::string &initiator) const = 0;
    // The value that admits every initiator, or only those that are named; none: it does not exist.
    virtual std::optional<ConfigStep> openness(const StockExport & /*settings*/,
                                               const std::string & /*probe*/) const {
        return std::nullopt;
    }
    // Among the steps of a target, those that end all its connections when they are reversed and
    // made again.
    virtual std::vector<ConfigStep> cutting(const std::vector<ConfigStep> &steps) const = 0;
    // True if the initiator stays connected after it is no longer admitted. Else Linux ends its
    // connection at once.
    virtual bool outlives_admission() const { return false; }
    // The name that clients have to give with --target; none: discovery finds it.
    virtual std::optional<std::string> service(KernelFiles & /*files*/) const {
        return std::nullopt;
    }

    /* ---- the initiator; the settings have a target, and the address has a port ---- */

    // Kernel modules in the order of loading.
    virtual std::vector<std::string> initiator_modules() const = 0;
    // Returns an error if no discovery finds the targets of this server. @where: the server, as the
    // administrator gave it. Where that is empty: an error if no server has names of exports in its
    // targets.
    virtual Result<void> check_discovery(const std::string & /*where*/) const { return {}; }
    // The word for this transport in what discover() returns; empty: everything is offered by it.
    virtual std::string_view offered_by() const { return {}; }
    // Asks the server which targets it offers.
    virtual Result<Offer> discover(World &world, const SocketAddress &portal) const = 0;
    // Returns the offered target that settings without a target mean. @portal: of the server.
    virtual Result<std::string> choose(const StockAttachment &settings, const Offer &offer,
                                       const SocketAddress &portal) const;
    // Sets the host in the settings, if it identifies the connection afterwards.
    virtual Result<void> connect(World &world, StockAttachment &settings,
                                 const SocketAddress &portal) const = 0;
    virtual Result<void> disconnect(World &world, const StockAttachment &settings) const = 0;
    // Finds the connection in /sys.
    virtual std::optional<StockConnection> find(KernelFiles &files,
                                                const StockAttachment &settings) const = 0;

  private:
    Row row_;
};

const StockTransport &stock_transport(Via via);

const StockTransport &nvme_transport();
const StockTransport &nvme_tcp_transport();
const StockTransport &iser_transport();
const StockTransport &iscsi_transport();
const StockTransport &srp_transport();

// Names by their grammar (names.cpp): NQN, iSCSI names, the GUIDs of an SRP target and initiator.
Result<std::string> parse_nqn(std::string_view text);
Result<std::string> parse_iscsi_name(std::string_view text);
Result<std::string> parse_srp_target(std::string_view text);
Result<std::string> parse_srp_initiator(std::string_view text);

// Returns the one offered target whose name ends in ":NAME", where NAME is the name of the export.
Result<std::string> choose_target(const StockAttachment &settings, const Offer &offer);
Result<void> check_initiator_tools(World &world, Via via);
// Returns an error (usage) if the arguments have options of CHAP and the transport has none.
Result<Chap> take_chap(Via via, const Arguments &arguments);
// The disks of a SCSI target. @start is the start of their SCSI addresses: "7:0:0:".
std::vector<std::string> scsi_disks(KernelFiles &files, const std::string &start);

} // namespace causeway
