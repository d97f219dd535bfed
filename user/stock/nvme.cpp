// SPDX-License-Identifier: GPL-2.0-or-later
// NVMe over RDMA and over TCP. The target is nvmet (drivers/nvme/target/configfs.c), the initiator
// nvme-cli.
#include "host/rdma_devices.h"
#include "stock/dhchap.h"
#include "stock/transport.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace causeway {

namespace {

constexpr std::size_t serial_length = 20;

std::string port_value(KernelFiles &files, const std::string &port, const char *name) {
    return sysfs_text(files, fmt::format("{}/ports/{}/{}", nvmet_folder, port, name));
}

// The number of a port that listens on this address already, no matter which program made it; else
// the next free number, which is added to @taken.
std::string port_for(KernelFiles &files, const char *transport, const SocketAddress &portal,
                     std::vector<std::string> &taken) {
    auto ports = files.list(fmt::format("{}/ports", nvmet_folder));
    for (const std::string &port : ports) {
        if (port_value(files, port, "addr_trtype") == transport &&
            port_value(files, port, "addr_traddr") == portal.host_text() &&
            port_value(files, port, "addr_trsvcid") == fmt::format("{}", portal.port())) {
            return port;
        }
    }
    ports.insert(ports.end(), taken.begin(), taken.end());
    unsigned int number = 1;
    while (std::find(ports.begin(), ports.end(), fmt::format("{}", number)) != ports.end()) {
        number++;
    }
    taken.push_back(fmt::format("{}", number));
    return taken.back();
}

std::string serial_of(const Uuid &identity) {
    std::string digits = identity.text();
    digits.erase(std::remove(digits.begin(), digits.end(), '-'), digits.end());
    return digits.substr(0, serial_length);
}

constexpr const char *controllers_folder = "/sys/class/nvme";
constexpr std::chrono::seconds nvme_limit{60};

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Returns "nvme0n1" for "nvme0n1" and for "nvme0c1n1", which names one path of a multipath disk.
// Empty if the name is not that of a namespace.
std::string disk_of(const std::string &name) {
    const std::size_t space = name.rfind('n');
    if (name.rfind("nvme", 0) != 0 || space <= 4 || !is_number(name.substr(space + 1))) {
        return {};
    }
    const std::string front = name.substr(4, space - 4);
    const std::size_t path = front.find('c');
    const std::string subsystem = front.substr(0, path);
    const bool known =
        is_number(subsystem) && (path == std::string::npos || is_number(front.substr(path + 1)));
    return known ? fmt::format("nvme{}{}", subsystem, name.substr(space)) : std::string();
}

// True if the controller is connected to this address. The kernel's text has the form
// "traddr=10.0.0.1,trsvcid=4420,src_addr=10.0.0.2".
bool is_at(const std::string &text, const SocketAddress &portal) {
    std::string host;
    std::string port;
    std::size_t start = 0;
    while (start < text.size()) {
        const std::size_t end = std::min(text.find(',', start), text.size());
        const std::string part = text.substr(start, end - start);
        const std::size_t sign = std::min(part.find('='), part.size());
        if (part.substr(0, sign) == "traddr") {
            host = part.substr(sign + 1);
        } else if (part.substr(0, sign) == "trsvcid") {
            port = part.substr(sign + 1);
        }
        start = end + 1;
    }
    const auto address = SocketAddress::from_text(host);
    return address && address->host_text() == portal.host_text() &&
           port == fmt::format("{}", portal.port());
}

class NvmeTransport final : public StockTransport {
  public:
    using StockTransport::StockTransport;

    Result<std::string> parse_target(std::string_view text) const override {
        return parse_nqn(text);
    }

    Result<std::string> default_target(KernelFiles &files,
                                       const StockExport &settings) const override {
        return parse_nqn(
            fmt::format("nqn.2014-08.org.nvmexpress.{}:{}", machine_name(files), settings.name));
    }

    Result<void> check(const StockExport &settings) const override {
        if (settings.backend == StockBackend::ram || settings.backend == StockBackend::scsi) {
            return Error{ExitCode::usage,
                         fmt::format("nvmet has no {} backend",
                                     settings.backend == StockBackend::ram ? "memory" : "SCSI"),
                         "give --device or --file, or --via iser"};
        }
        if (settings.block_size != 0 || settings.unmap) {
            return Error{ExitCode::usage,
                         settings.unmap ? "nvmet lets clients discard blocks without --unmap"
                                        : "nvmet takes the block size from the device or file",
                         fmt::format("leave out --{}, or give --via iser",
                                     settings.unmap ? "unmap" : "block-size")};
        }
        if (settings.chap.is_set() && settings.initiators.empty()) {
            return Error{ExitCode::usage,
                         "nvmet has a secret for each host, by its NQN, and none is named",
                         "give --initiator with the NQN that \"causeway initiator\" shows on the "
                         "client"};
        }
        if (settings.read_only) {
            return Error{ExitCode::usage, "nvmet does not refuse writes",
                         "make the device itself read-only, blockdev --setro, or give --via iser"};
        }
        return {};
    }

    Result<void> check_kernel(KernelFiles &files, const Chap &chap, bool target) const override {
        return chap.is_set()
                   ? check_dhchap_kernel(files, target ? NvmeSide::target : NvmeSide::host)
                   : Result<void>();
    }

    std::vector<std::string> target_modules() const override {
        return {"nvmet", fmt::format("nvmet_{}", transport())};
    }

    bool has_backstore() const override { return false; }

    // The exports of one target share its subsystem, ports and hosts. Each has its namespace.
    Result<TargetPlan> plan_target(KernelFiles &files, const StockExport &settings,
                                   const TargetPlan & /*store*/) const override {
        const std::string subsystem = target_folder(settings);
        const std::string space =
            fmt::format("{}/namespaces/{}", subsystem, settings.lun.value_or(row().first_lun));
        TargetPlan plan{space, {}};
        auto &steps = plan.steps;
        const bool is_new = !files.has_folder(subsystem);
        steps.push_back(config_shared_folder(subsystem));
        if (is_new) {
            // The serial number stays the same after a reboot, so that device names made from it
            // stay valid.
            steps.push_back(
                config_value(subsystem + "/attr_serial", serial_of(*settings.identity)));
        }
        steps.push_back(*openness(settings, space));
        for (const std::string &initiator : settings.initiators) {
            for (ConfigStep &step : admit(settings, space, initiator)) {
                steps.push_back(std::move(step));
            }
        }
        steps.push_back(config_folder(space));
        steps.push_back(config_value(space + "/device_path", settings.path));
        steps.push_back(config_value(space + "/device_uuid", settings.identity->text()));
        if (settings.buffered) {
            steps.push_back(config_value(space + "/buffered_io", "1"));
        }
        steps.push_back(config_value(space + "/enable", "1", "0"));
        std::vector<std::string> taken;
        for (const SocketAddress &portal : portals_of(settings)) {
            const std::string port = fmt::format("{}/ports/{}", nvmet_folder,
                                                 port_for(files, transport(), portal, taken));
            const bool listens = files.has_folder(port);
            steps.push_back(config_shared_folder(port));
            if (!listens) {
                const bool v4 = portal.family() == AF_INET;
                steps.push_back(config_value(port + "/addr_adrfam", v4 ? "ipv4" : "ipv6"));
                steps.push_back(config_value(port + "/addr_trtype", transport()));
                steps.push_back(config_value(port + "/addr_traddr", portal.host_text()));
                steps.push_back(
                    config_value(port + "/addr_trsvcid", fmt::format("{}", portal.port())));
            }
            steps.push_back(shared_step(
                config_link(fmt::format("{}/subsystems/{}", port, settings.target), subsystem)));
        }
        return plan;
    }

    std::string target_folder(const StockExport &settings) const override {
        return fmt::format("{}/subsystems/{}", nvmet_folder, settings.target);
    }

    std::vector<ConfigStep> admit(const StockExport &settings, const std::string & /*probe*/,
                                  const std::string &initiator) const override {
        const std::string host = fmt::format("{}/hosts/{}", nvmet_folder, initiator);
        std::vector<ConfigStep> steps = {config_shared_folder(host)};
        for (ConfigStep &step : dhchap_steps(host, settings.chap)) {
            steps.push_back(std::move(step));
        }
        steps.push_back(shared_step(config_link(
            fmt::format("{}/allowed_hosts/{}", target_folder(settings), initiator), host)));
        return steps;
    }

    std::optional<ConfigStep> openness(const StockExport &settings,
                                       const std::string & /*probe*/) const override {
        return shared_step(config_value(target_folder(settings) + "/attr_allow_any_host",
                                        settings.initiators.empty() ? "1" : "0"));
    }

    // nvmet ends the connections of a subsystem when its link at a port is removed.
    std::vector<ConfigStep> cutting(const std::vector<ConfigStep> &steps) const override {
        std::vector<ConfigStep> found;
        std::copy_if(steps.begin(), steps.end(), std::back_inserter(found),
                     [](const ConfigStep &step) {
                         return step.kind == ConfigStep::Kind::link &&
                                step.path.find("/ports/") != std::string::npos;
                     });
        return found;
    }

    bool outlives_admission() const override { return true; }

    std::vector<std::string> initiator_modules() const override {
        return {fmt::format("nvme_{}", transport())};
    }

    std::string_view offered_by() const override { return transport(); }

    Result<Offer> discover(World &world, const SocketAddress &portal) const override {
        TRY(world.modules.need(initiator_modules().front()));
        auto end = TRY(nvme(world, "discover", portal, {"-o", "json"}));
        return parse_nvme_discovery(end.out);
    }

    Result<void> connect(World &world, StockAttachment &settings,
                         const SocketAddress &portal) const override {
        if (settings.chap.is_set()) {
            return connect_by_secret(world, settings, portal);
        }
        auto end = nvme(world, "connect", portal, {"-n", settings.target});
        return end ? Result<void>() : end.error();
    }

    // Ends the path of this attachment only: an administrator may have connected the subsystem by
    // other addresses too.
    Result<void> disconnect(World &world, const StockAttachment &settings) const override {
        const auto connection = find(world.files, settings);
        if (!connection) {
            return {};
        }
        auto end =
            TRY(world.processes.run({"nvme", "disconnect", "-d", connection->handle}, nvme_limit));
        if (!end.good()) {
            return Error{ExitCode::failed, fmt::format("nvme disconnect: {}", end.last_words())};
        }
        return {};
    }

    std::optional<StockConnection> find(KernelFiles &files,
                                        const StockAttachment &settings) const override {
        for (const std::string &controller : files.list(controllers_folder)) {
            const std::string folder = fmt::format("{}/{}", controllers_folder, controller);
            if (sysfs_text(files, folder + "/subsysnqn") != settings.target ||
                sysfs_text(files, folder + "/transport") != transport()) {
                continue;
            }
            const std::string address = sysfs_text(files, folder + "/address");
            if (settings.portal && !address.empty() && !is_at(address, *settings.portal)) {
                continue;
            }
            StockConnection found{controller, sysfs_text(files, folder + "/state")};
            for (const std::string &name : files.list(folder)) {
                if (const std::string disk = disk_of(name); !disk.empty()) {
                    found.disks.push_back(disk);
                }
            }
            return found;
        }
        return std::nullopt;
    }

  private:
    Result<void> connect_by_secret(World &world, StockAttachment &settings,
                                   const SocketAddress &portal) const {
        const std::string mark = TRY(mark_log(world, settings.chap));
        TRY(connect_with_secret(world, settings, transport(), portal, mark));
        const auto connection = find(world.files, settings);
        auto checked = connection
                           ? check_controller(world, settings, connection->handle, mark)
                           : Result<void>(Error{ExitCode::failed, "the controller has ended"});
        if (!checked) {
            (void)disconnect(world, settings);
        }
        return checked;
    }

    // As the kernel and nvme-cli name it.
    const char *transport() const { return row().uses_rdma ? "rdma" : "tcp"; }

    Result<ProcessEnd> nvme(World &world, const std::string &verb, const SocketAddress &portal,
                            std::vector<std::string> more) const {
        std::vector<std::string> words = {"nvme", verb,
                                          "-t",   transport(),
                                          "-a",   portal.host_text(),
                                          "-s",   fmt::format("{}", portal.port())};
        words.insert(words.end(), more.begin(), more.end());
        auto end = world.processes.run(words, nvme_limit);
        if (!end || end->good()) {
            return end;
        }
        return Error{ExitCode::try_again,
                     fmt::format("nvme {} at {}: {}", verb, portal.text(),
                                 end->timed_out ? "no answer" : end->last_words()),
                     "the kernel's log says more: dmesg | tail"};
    }
};

} // namespace

const StockTransport &nvme_transport() {
    static const NvmeTransport transport({.word = "nvme",
                                          .title = "NVMe/RDMA",
                                          .port = 4420,
                                          .uses_rdma = true,
                                          .uses_tcp = false,
                                          .any = StockTransport::Row::Any::two,
                                          .first_lun = 1,
                                          .chap = ChapForm::nvme,
                                          .admits_to_target = true,
                                          .program = "nvme",
                                          .package = "nvme-cli"});
    return transport;
}

const StockTransport &nvme_tcp_transport() {
    static const NvmeTransport transport({.word = "nvme-tcp",
                                          .title = "NVMe/TCP",
                                          .port = 4420,
                                          .uses_rdma = false,
                                          .uses_tcp = true,
                                          .any = StockTransport::Row::Any::one,
                                          .first_lun = 1,
                                          .chap = ChapForm::nvme,
                                          .admits_to_target = true,
                                          .program = "nvme",
                                          .package = "nvme-cli"});
    return transport;
}

} // namespace causeway
