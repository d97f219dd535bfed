// SPDX-License-Identifier: GPL-2.0-or-later
// SRP. The target is ib_srpt (drivers/infiniband/ulp/srpt/ib_srpt.c). It listens by rdma_cm, which
// works on InfiniBand and RoCE alike, and on InfiniBand by its connection manager too. A port has
// one target, whose one portal group has the name of the port. All exports are LUNs of it, and each
// ACL shows one of them. The initiator is ib_srp (Documentation/ABI/stable/sysfs-driver-ib_srp). It
// connects by rdma_cm to an IP address, and by the connection manager of InfiniBand to the GID of a
// port.
#include "base/append_once.h"
#include "host/rdma_devices.h"
#include "stock/transport.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr const char *service_parameter = "/sys/module/ib_srpt/parameters/srpt_service_guid";

unsigned int free_lun(KernelFiles &files, const std::string &group) {
    const auto luns = files.list(group + "/lun");
    unsigned int number = 0;
    while (std::find(luns.begin(), luns.end(), fmt::format("lun_{}", number)) != luns.end()) {
        number++;
    }
    return number;
}

// Returns "0000:...:ffff:0a00:0001" for 10.0.0.1: the address as a GID of RoCE.
std::string gid_of(const SocketAddress &address) {
    const auto bytes = address.bytes();
    std::string digits;
    if (address.family() == AF_INET) {
        digits = "00000000000000000000ffff";
        for (std::size_t i = 4; i < 8; i++) {
            digits += fmt::format("{:02x}", bytes[i]);
        }
        return digits;
    }
    for (std::size_t i = 8; i < 24; i++) {
        digits += fmt::format("{:02x}", bytes[i]);
    }
    return digits;
}

std::string without_colons(std::string text) {
    text.erase(std::remove(text.begin(), text.end(), ':'), text.end());
    return text;
}

bool has_address(const RdmaPort &port, const SocketAddress &address) {
    return std::any_of(port.gids.begin(), port.gids.end(), [&](const RdmaGid &gid) {
        return without_colons(gid.gid) == gid_of(address);
    });
}

bool is_any(const SocketAddress &address) {
    const std::string text = address.host_text();
    return text == "0.0.0.0" || text == "::";
}

Error no_device(const std::string &what = "there is no RDMA device that SRP could use") {
    return Error{ExitCode::unavailable, what,
                 "see which there are with \"causeway show\", or make one with --soft NETDEV"};
}

// The WWN of the first active port. If no port is active, that of the first port, which may become
// active later.
Result<std::string> port_wwn(KernelFiles &files, const SocketAddress &portal) {
    std::string idle;
    for (const RdmaDevice &device : rdma_devices(files)) {
        for (const RdmaPort &port : device.ports) {
            if (!is_any(portal) && !has_address(port, portal)) {
                continue;
            }
            const std::string gid =
                sysfs_text(files, fmt::format("/sys/class/infiniband/{}/ports/{}/gids/0",
                                              device.name, port.number));
            if (!gid.empty() && port.state == "ACTIVE") {
                return "0x" + without_colons(gid);
            }
            if (idle.empty()) {
                idle = gid;
            }
        }
    }
    if (!idle.empty()) {
        return "0x" + without_colons(idle);
    }
    return is_any(portal)
               ? no_device()
               : no_device(fmt::format("no RDMA device has the address {}", portal.host_text()));
}

constexpr const char *discovery_program = "ibsrpdm";
constexpr std::chrono::seconds discovery_limit{60};

// An active InfiniBand port of this machine.
struct FabricPort {
    std::string umad; // its device for management datagrams, "umad0"
    std::string srp;  // "srp-mlx4_0-1", as ib_srp names it
};

std::vector<FabricPort> fabric_ports(KernelFiles &files) {
    constexpr const char *folder = "/sys/class/infiniband_mad";
    const auto devices = rdma_devices(files);
    std::vector<FabricPort> found;
    for (const std::string &name : files.list(folder)) {
        const std::string ibdev = sysfs_text(files, fmt::format("{}/{}/ibdev", folder, name));
        const std::string number = sysfs_text(files, fmt::format("{}/{}/port", folder, name));
        for (const RdmaDevice &device : devices) {
            const bool works =
                std::any_of(device.ports.begin(), device.ports.end(), [&](const RdmaPort &port) {
                    return fmt::format("{}", port.number) == number && port.state == "ACTIVE" &&
                           port.link_layer == "InfiniBand";
                });
            if (device.name == ibdev && works && name.rfind("umad", 0) == 0) {
                found.push_back({name, fmt::format("srp-{}-{}", ibdev, number)});
            }
        }
    }
    return found;
}

constexpr const char *srp_ports_folder = "/sys/class/infiniband_srp";
constexpr const char *hosts_folder = "/sys/class/scsi_host";

std::vector<std::string> hosts_of(KernelFiles &files, const std::string &target) {
    std::vector<std::string> hosts;
    for (const std::string &host : files.list(hosts_folder)) {
        if (sysfs_text(files, fmt::format("{}/{}/ioc_guid", hosts_folder, host)) == target) {
            hosts.push_back(host);
        }
    }
    return hosts;
}

// The targets that the subnet administrator names to this port.
Result<Offer> offer_to(World &world, const FabricPort &port) {
    const auto end = TRY(world.processes.run(
        {discovery_program, "-c", "-d", "/dev/infiniband/" + port.umad}, discovery_limit));
    if (!end.good()) {
        return Error{ExitCode::try_again,
                     fmt::format("{} at {}: {}", discovery_program, port.umad,
                                 end.timed_out ? "no answer" : end.last_words())};
    }
    return parse_srp_discovery(end.out);
}

// Writes to add_target of the port. After a detach ib_srp knows the earlier connection for a moment
// longer than /sys shows it, and refuses a new one until then.
Result<void> add_target(World &world, const std::string &port, const std::string &line) {
    constexpr std::chrono::seconds time_to_forget{10};
    constexpr std::chrono::milliseconds between_looks{100};
    const auto deadline = world.clock.now() + time_to_forget;
    for (;;) {
        auto added =
            world.files.write(fmt::format("{}/{}/add_target", srp_ports_folder, port), line + "\n");
        if (added || added.error().system_error != EEXIST || world.clock.now() >= deadline) {
            return added;
        }
        world.clock.sleep(between_looks);
    }
}

// A way to log in: the port of this machine, and the parameters for ib_srp.
struct SrpLogin {
    std::string port;
    std::string line;
};

// The logins to this target at the GID by the connection manager of InfiniBand. None if the address
// is not the GID of a port with such a target.
std::vector<SrpLogin> fabric_logins(World &world, const std::string &target,
                                    const SocketAddress &portal) {
    std::vector<SrpLogin> logins;
    if (portal.family() != AF_INET6 || !world.modules.need("ib_umad")) {
        return logins;
    }
    for (const FabricPort &port : fabric_ports(world.files)) {
        const auto offer = offer_to(world, port);
        for (const OfferedTarget &each : offer ? offer->targets : std::vector<OfferedTarget>()) {
            if (each.target == target && each.portal == portal.host_text()) {
                logins.push_back({port.srp, each.login});
            }
        }
    }
    return logins;
}

std::string number_of(const std::string &host) {
    return host.substr(host.find_first_of("0123456789"));
}

std::string remote_port(const std::string &host, const char *value) {
    return fmt::format("/sys/class/srp_remote_ports/port-{}:1/{}", number_of(host), value);
}

class SrpTransport final : public StockTransport {
  public:
    SrpTransport()
        : StockTransport({.word = "srp",
                          .title = "SRP",
                          .port = 5555,
                          .uses_rdma = true,
                          .uses_tcp = false,
                          .lets_everyone_in = false,
                          .shares_targets = false}) {}

    Result<std::string> parse_target(std::string_view text) const override {
        return parse_srp_target(text);
    }
    Result<std::string> parse_initiator(std::string_view text) const override {
        return parse_srp_initiator(text);
    }

    Result<std::string> default_target(KernelFiles &files,
                                       const StockExport &settings) const override {
        return port_wwn(files, settings.portal);
    }

    Result<void> check(const StockExport &settings) const override {
        if (settings.initiators.empty()) {
            return Error{ExitCode::usage, "SRP admits only initiators that are named, and none is",
                         "give --initiator with the GUID of the client's port, the last 16 digits "
                         "of the GID 0 that \"causeway show\" shows there"};
        }
        return {};
    }

    std::vector<std::string> target_modules() const override { return {"ib_srpt"}; }

    Result<TargetPlan> plan_target(KernelFiles &files, const StockExport &settings,
                                   const TargetPlan &store) const override {
        const std::string fabric = fmt::format("{}/srpt", lio_folder);
        const std::string port = target_folder(settings);
        const std::string group = fmt::format("{}/{}", port, settings.target);
        const std::string lun = fmt::format("{}/lun/lun_{}", group, free_lun(files, group));
        TargetPlan plan{lun, store.steps};
        auto &steps = plan.steps;
        steps.push_back(config_shared_folder(fabric));
        // Writing a new port would close the listener of initiators that use the present port.
        const std::string listening = fabric + "/discovery_auth/rdma_cm_port";
        const std::string set = sysfs_text(files, listening);
        if (set.empty() || set == "0") {
            steps.push_back(config_value(listening, fmt::format("{}", settings.portal.port())));
        }
        steps.push_back(config_shared_folder(port));
        steps.push_back(config_shared_folder(group));
        steps.push_back(config_folder(lun));
        steps.push_back(config_link(lun + "/causeway", store.probe));
        for (const std::string &initiator : settings.initiators) {
            for (ConfigStep &step : admit(settings, lun, initiator)) {
                steps.push_back(std::move(step));
            }
        }
        steps.push_back(config_value(group + "/enable", "1"));
        return plan;
    }

    std::string target_folder(const StockExport &settings) const override {
        return fmt::format("{}/srpt/{}", lio_folder, settings.target);
    }

    std::vector<ConfigStep> admit(const StockExport &settings, const std::string &probe,
                                  const std::string &initiator) const override {
        const std::string acl =
            fmt::format("{}/{}/acls/0x{}{}", target_folder(settings), settings.target,
                        srp_extension(settings.name), initiator.substr(2));
        return {config_folder(acl), config_folder(acl + "/lun_0"),
                config_link(acl + "/lun_0/causeway", probe),
                config_value(acl + "/lun_0/write_protect", settings.read_only ? "1" : "0")};
    }

    std::vector<ConfigStep> cutting(const std::vector<ConfigStep> & /*steps*/) const override {
        return {}; // each initiator has an ACL, whose removal ends its connection
    }

    std::optional<std::string> service(KernelFiles &files) const override {
        const std::string digits = sysfs_text(files, service_parameter);
        return digits.empty() ? "" : fmt::format("0x{:0>16}", digits.substr(digits.rfind('x') + 1));
    }

    std::vector<std::string> initiator_modules() const override { return {"sd_mod", "ib_srp"}; }

    Result<void> check_discovery(const std::string &where) const override {
        const auto address = SocketAddress::from_text(where);
        if (address && address->family() == AF_INET6) {
            return {}; // it may be the GID of a port
        }
        return Error{ExitCode::usage,
                     "SRP has no discovery by rdma_cm, and by InfiniBand a server has a GID",
                     fmt::format("give --target with the GUID that \"causeway export list\" shows "
                                 "on {0}; or on InfiniBand, in place of {0}, the GID that "
                                 "\"causeway discover --via srp\" shows",
                                 where)};
    }

    Result<std::string> choose(const StockAttachment & /*settings*/, const Offer &offer,
                               const SocketAddress &portal) const override {
        for (const OfferedTarget &each : offer.targets) {
            if (each.portal == portal.host_text()) {
                return each.target; // a port has one target
            }
        }
        return Error{ExitCode::unavailable,
                     fmt::format("no SRP target of the fabric has the GID {}", portal.host_text()),
                     fmt::format("see which there are: causeway discover {} --via srp; a subnet "
                                 "manager finds a new target at its next sweep",
                                 portal.host_text())};
    }

    // The subnet administrator of an InfiniBand fabric names the ports with an SRP target, those of
    // all servers.
    Result<Offer> discover(World &world, const SocketAddress &portal) const override {
        TRY(world.modules.need("ib_umad"));
        const auto ports = fabric_ports(world.files);
        if (ports.empty()) {
            return Error{ExitCode::unavailable,
                         "SRP targets can be discovered on an InfiniBand fabric only, and this "
                         "machine has no active InfiniBand port",
                         fmt::format("\"causeway export list\" on {} shows the GUID for --target",
                                     portal.host_text())};
        }
        if (!world.processes.there(discovery_program)) {
            return Error{ExitCode::unavailable,
                         fmt::format("the program {} is not installed", discovery_program),
                         "apt install srptools"};
        }
        Offer offer;
        for (const FabricPort &port : ports) {
            Offer more = TRY(offer_to(world, port));
            offer.left_out += more.left_out;
            for (OfferedTarget &target : more.targets) {
                append_once(offer.targets, std::move(target));
            }
        }
        return offer;
    }

    Result<void> connect(World &world, StockAttachment &settings,
                         const SocketAddress &portal) const override {
        const auto ports = world.files.list(srp_ports_folder);
        if (ports.empty()) {
            return no_device();
        }
        const auto before = hosts_of(world.files, settings.target);
        auto logins = fabric_logins(world, settings.target, portal);
        // Only the kernel knows which RDMA device has a route to the server, so try each port.
        for (const std::string &port : logins.empty() ? ports : std::vector<std::string>()) {
            logins.push_back({port, fmt::format("id_ext={0},ioc_guid={0},dest={1}",
                                                settings.target.substr(2), portal.text())});
        }
        std::string earlier;
        for (const auto &[port, line] : logins) {
            auto added = add_target(
                world, port,
                fmt::format("{},initiator_ext={}", line, srp_extension(settings.disk.name)));
            if (!added) {
                earlier +=
                    fmt::format("{}{}: {}", earlier.empty() ? "" : "; ", port, added.error().what);
                continue;
            }
            for (const std::string &host : hosts_of(world.files, settings.target)) {
                if (std::find(before.begin(), before.end(), host) == before.end()) {
                    settings.host = host;
                    return {};
                }
            }
        }
        return Error{ExitCode::try_again,
                     fmt::format("SRP at {}: {}", portal.text(),
                                 earlier.empty() ? "no SCSI host has come" : earlier),
                     fmt::format("on the server this machine has to be named with --initiator; the "
                                 "kernel's log says more: dmesg | tail")};
    }

    // Returns once the SCSI host is removed; after 30 s an error (try_again).
    Result<void> disconnect(World &world, const StockAttachment &settings) const override {
        if (!find(world.files, settings)) {
            return {}; // another target may have the number of the host now
        }
        TRY(world.files.write(remote_port(settings.host, "delete"), "1\n"));
        // ib_srp removes the SCSI host in the background.
        constexpr std::chrono::seconds time_to_remove{30};
        constexpr std::chrono::milliseconds between_looks{100};
        const auto deadline = world.clock.now() + time_to_remove;
        for (;;) {
            const auto hosts = hosts_of(world.files, settings.target);
            if (std::find(hosts.begin(), hosts.end(), settings.host) == hosts.end()) {
                return {};
            }
            if (world.clock.now() >= deadline) {
                return Error{ExitCode::try_again,
                             fmt::format("the kernel still removes {} after {} s", settings.host,
                                         time_to_remove.count()),
                             "see with \"causeway list\" when it is gone"};
            }
            world.clock.sleep(between_looks);
        }
    }

    std::optional<StockConnection> find(KernelFiles &files,
                                        const StockAttachment &settings) const override {
        const auto hosts = hosts_of(files, settings.target);
        if (settings.host.empty() ||
            std::find(hosts.begin(), hosts.end(), settings.host) == hosts.end()) {
            return std::nullopt;
        }
        return StockConnection{settings.host,
                               sysfs_text(files, remote_port(settings.host, "state")),
                               scsi_disks(files, number_of(settings.host) + ":")};
    }
};

} // namespace

const StockTransport &srp_transport() {
    static const SrpTransport transport;
    return transport;
}

std::string srp_extension(const std::string &name) {
    // The hash is FNV-1a of 64 bits.
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : name) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
    return fmt::format("{:016x}", hash);
}

} // namespace causeway
