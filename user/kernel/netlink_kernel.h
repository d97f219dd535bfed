// SPDX-License-Identifier: GPL-2.0-or-later
// The implementation of Kernel that uses generic netlink.
#pragma once

#include "machine/kernel.h"

namespace causeway {

class NetlinkKernel final : public Kernel {
  public:
    Result<void> add_export(const ExportRequest &request) override;
    Result<std::uint32_t> set_export(const ExportUpdate &update) override;
    Result<std::string> remove_export(const std::string &name, bool force) override;
    Result<std::vector<ExportInfo>> exports() override;
    Result<std::optional<Uuid>> evict_host(const std::string &name, const Uuid &host) override;
    Result<Uuid> readmit_host(const std::string &name, const Uuid &host) override;
    Result<std::vector<OwnerInfo>> owners() override;
    Result<std::optional<ServerInfo>> server() override;
    Result<void> set_instance(const Uuid &instance) override;
    Result<void> set_port(std::uint16_t port) override;
    Result<StopReport> stop_server() override;
    Result<std::string> attach(const AttachRequest &request) override;
    Result<std::string> detach(const std::string &server, const std::string &name,
                               bool force) override;
    Result<void> set_attachment(const AttachmentUpdate &change) override;
    Result<std::uint32_t> add_path(const std::string &server, const std::string &name,
                                   const DiskPathAddresses &path) override;
    Result<void> remove_path(const std::string &server, const std::string &name,
                             std::uint32_t number) override;
    Result<void> acknowledge(const std::string &server, const std::string &name) override;
    Result<std::vector<AttachmentInfo>> attachments() override;
    Result<std::vector<SessionInfo>> sessions() override;
    Result<std::vector<StatInfo>> stats() override;
    Result<std::vector<DiscoveredExport>> discover(const std::string &server,
                                                   const DiskPathAddresses &end,
                                                   const std::string &name) override;
    Result<std::vector<NfsConnection>> nfs_connections() override;
    Result<std::vector<NfsRule>> nfs_rules() override;
    Result<void> set_nfs_rule(const NfsRule &rule) override;
    Result<void> remove_nfs_rule(const Prefix &network) override;
    Result<std::unique_ptr<EventStream>> subscribe() override;
};

} // namespace causeway
