// SPDX-License-Identifier: GPL-2.0-or-later
// The transports of disks form two families: Causeway's own transport, and the stock transports.
// The verbs of disks know a family only by this interface. A family registers itself as a static
// object.
#pragma once

#include "base/answer.h"
#include "base/disk_name.h"
#include "base/durable_file.h"
#include "base/result.h"
#include "change/change_set.h"
#include "command/arguments.h"
#include "machine/world.h"
#include "transport/task.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// The option of "export add", "attach" and "discover" that chooses a stock transport.
inline constexpr OptionSpec via_option{"via", "iser|iscsi|nvme|nvme-tcp|srp",
                                       "use a transport of the kernel, for peers without Causeway; "
                                       "refuses the options that only Causeway's transport has"};

// One verb for one export or attachment. Its arguments are parsed, and nothing is changed yet.
class DiskAction {
  public:
    DiskAction() = default;
    DiskAction(const DiskAction &) = delete;
    DiskAction &operator=(const DiskAction &) = delete;
    virtual ~DiskAction() = default;

    // Reads the state of the machine and returns the changes that are missing, or the error with
    // which the verb ends. The action holds the locks that the changes need until it is destroyed.
    virtual Result<ChangeSet> changes(World &world) = 0;
    // The sentence for an empty set, without the full stop.
    virtual std::string nothing_to_do() const { return {}; }
    // The error of the verb if a change fails with @error.
    virtual Error failure(Error error) const { return error; }
    // Makes the answer of the verb from the answer of carry_out(), which may be of a dry run.
    virtual Result<Answer> answer(World &world, Answer done) = 0;
};
using ActionPointer = std::unique_ptr<DiskAction>;

// Shows or makes the changes of the action, and returns the answer of the verb.
Result<Answer> perform(World &world, DiskAction &action, bool dry_run);

// The tasks of "restore" for a family. "restore" holds the lock, if there is one, until the tasks
// are done.
struct Restoration {
    std::vector<Task> tasks{};
    std::optional<FileLock> lock{};
    std::vector<std::string> warnings{};
};

class TransportFamily {
  public:
    TransportFamily(const TransportFamily &) = delete;
    TransportFamily &operator=(const TransportFamily &) = delete;

    // Returns all families, sorted by their place.
    static std::vector<const TransportFamily *> all();

    // The start of a subject in the answer of "restore", such as "stock " for "stock exports".
    virtual std::string_view label() const = 0;
    // True if "export add" or "attach" with these arguments is for this family.
    virtual bool takes(const Arguments &arguments) const = 0;

    /* ---- on a server ---- */

    virtual Result<ActionPointer> export_add(World &world, const Arguments &arguments) const = 0;
    // Returns null if the family has no such export. The family with the lowest place has an action
    // for every name.
    virtual Result<ActionPointer> export_remove(World &world, const std::string &name,
                                                const Arguments &arguments) const = 0;
    // Returns an action that changes settings of an export, as export_remove() returns one.
    virtual Result<ActionPointer> export_set(World &world, const std::string &name,
                                             const Arguments &arguments) const = 0;
    // Returns the title of the family's transport that has an export of this name, running or
    // configured; none if there is no such export.
    virtual Result<std::optional<std::string>> exported_by(World &world,
                                                           const std::string &name) const = 0;
    // Returns the path of the device or file that such an export reads, "" for memory; none if
    // there is no such export.
    virtual Result<std::optional<std::string>> path_of_export(World &world,
                                                              const std::string &name) const = 0;

    // Adds the exports to the table and the JSON of "export list".
    virtual Result<void> list_exports(World &world, Answer &answer) const = 0;
    // Returns the tasks that start the configured exports. May load modules and take a lock, but
    // not for a @dry_run. @broken: set to the errors of configuration files that cannot be read.
    virtual Result<Restoration> restore_exports(World &world, bool dry_run,
                                                std::vector<Error> &broken) const = 0;
    // Returns the tasks of restore_exports(), and tasks that give running exports the settings of
    // their configuration files.
    virtual Result<Restoration> reload_exports(World &world, bool dry_run,
                                               std::vector<Error> &broken) const {
        return restore_exports(world, dry_run, broken);
    }
    // Returns the names of the exports that have clients, with the number of sessions if it is
    // known.
    virtual Result<std::vector<std::string>> exports_in_use(World &world) const = 0;
    // Ends all exports until the next "restore". Returns an error only if the caller may not do
    // anything at all. Other failures are reported in the answer.
    virtual Result<void> stop_exports(World &world, Answer &answer) const = 0;

    /* ---- on a client ---- */

    // Shows what a server offers, for "discover".
    virtual Result<Answer> discover(World &world, const Arguments &arguments) const = 0;
    virtual Result<ActionPointer> attach(World &world, const Arguments &arguments) const = 0;
    // Returns an action that changes settings of an attached or configured disk, as export_remove()
    // returns one.
    virtual Result<ActionPointer> attach_set(World &world, const DiskName &disk,
                                             const Arguments &arguments) const = 0;
    // Returns the title of the family's transport that has an attachment of this disk, connected or
    // configured; none if there is no such attachment.
    virtual Result<std::optional<std::string>> attached_by(World &world,
                                                           const DiskName &disk) const = 0;
    // Returns the block devices of such an attachment: none yet if it is not connected. Returns
    // nothing if there is no such attachment.
    virtual Result<std::optional<std::vector<std::string>>>
    devices_of_attachment(World &world, const DiskName &disk) const = 0;
    // Returns a task for each attachment. The task detaches the disk and removes the configuration
    // that attaches it at boot. @force: detaches even a disk in use. Configuration files that
    // cannot be read are reported in the warnings.
    virtual Result<std::vector<Task>> detach(World &world, bool force,
                                             std::vector<std::string> &warnings) const = 0;
    // Adds the attachments to the table and the JSON of "list".
    virtual Result<void> list_attachments(World &world, Answer &answer) const = 0;
    virtual Result<Restoration> restore_attachments(World &world, bool dry_run,
                                                    std::vector<Error> &broken) const = 0;
    // Does for attachments what reload_exports() does for exports.
    virtual Result<Restoration> reload_attachments(World &world, bool dry_run,
                                                   std::vector<Error> &broken) const {
        return restore_attachments(world, dry_run, broken);
    }
    // Detaches all disks until the next "restore". @force: also an open disk that has no server.
    // Failures are reported in the answer.
    virtual void stop_attachments(World &world, bool force, Answer &answer) const = 0;

    /* ---- of both roles ---- */

    // Adds to the answer of a dry run what "stop" changes. @all: attachments too.
    virtual Result<void> show_stop(World &world, bool all, Answer &answer) const = 0;

  protected:
    // Registers the family. @place orders the families in lists.
    explicit TransportFamily(int place) noexcept;
    ~TransportFamily() = default;

  private:
    int place_;
    const TransportFamily *next_;
};

// The family for the arguments of "export add" or "attach".
const TransportFamily &family_for(const Arguments &arguments);

// Returns an error (usage) for the first of the options that the arguments have. Its text names the
// option, then gives @why.
Result<void> refuse_options(const Arguments &arguments,
                            const std::vector<std::string_view> &options, std::string_view why,
                            std::string_view fix);

// Return an error if another family than @family has an export or an attachment of this name.
Result<void> check_export_name(World &world, const TransportFamily &family,
                               const std::string &name);
Result<void> check_disk_name(World &world, const TransportFamily &family, const DiskName &disk);

} // namespace causeway
