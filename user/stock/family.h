// SPDX-License-Identifier: GPL-2.0-or-later
// The stock transports, as the verbs of disks know them. They share configuration files, records
// and lists.
#pragma once

#include "transport/family.h"

namespace causeway {

class StockFamily final : public TransportFamily {
  public:
    StockFamily() noexcept : TransportFamily(2) {}

    std::string_view label() const override { return "stock "; }
    bool takes(const Arguments &arguments) const override { return arguments.has("via"); }

    Result<ActionPointer> export_add(World &world, const Arguments &arguments) const override;
    Result<ActionPointer> export_remove(World &world, const std::string &name,
                                        const Arguments &arguments) const override;
    Result<ActionPointer> export_set(World &world, const std::string &name,
                                     const Arguments &arguments) const override;
    Result<std::optional<std::string>> exported_by(World &world,
                                                   const std::string &name) const override;
    Result<std::optional<std::string>> path_of_export(World &world,
                                                      const std::string &name) const override;
    Result<void> list_exports(World &world, Answer &answer) const override;
    Result<Restoration> restore_exports(World &world, bool dry_run,
                                        std::vector<Error> &broken) const override;
    Result<Restoration> reload_exports(World &world, bool dry_run,
                                       std::vector<Error> &broken) const override;
    Result<std::vector<std::string>> exports_in_use(World &world) const override;
    Result<void> stop_exports(World &world, Answer &answer) const override;

    Result<Answer> discover(World &world, const Arguments &arguments) const override;
    Result<ActionPointer> attach(World &world, const Arguments &arguments) const override;
    Result<ActionPointer> attach_set(World &world, const DiskName &disk,
                                     const Arguments &arguments) const override;
    Result<std::optional<std::string>> attached_by(World &world,
                                                   const DiskName &disk) const override;
    Result<std::optional<std::vector<std::string>>>
    devices_of_attachment(World &world, const DiskName &disk) const override;
    Result<std::vector<Task>> detach(World &world, bool force,
                                     std::vector<std::string> &warnings) const override;
    Result<void> list_attachments(World &world, Answer &answer) const override;
    Result<Restoration> restore_attachments(World &world, bool dry_run,
                                            std::vector<Error> &broken) const override;
    Result<Restoration> reload_attachments(World &world, bool dry_run,
                                           std::vector<Error> &broken) const override;
    void stop_attachments(World &world, bool force, Answer &answer) const override;
    Result<void> show_stop(World &world, bool all, Answer &answer) const override;
};

} // namespace causeway
