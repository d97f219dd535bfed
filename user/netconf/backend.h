// SPDX-License-Identifier: GPL-2.0-or-later
// The managers that configure network interfaces at boot: NetworkManager, systemd-networkd,
// ifupdown. Each backend converts wanted settings into files of its manager; netconf/apply.h writes
// them.
#pragma once

#include "machine/world.h"
#include "netconf/settings.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct NetworkFile {
    std::string interface; // the interface that the file belongs to
    std::filesystem::path place;
    std::string content;
    unsigned int mode = 0644;
};

using Words = std::vector<std::string>;

class NetworkBackend {
  public:
    NetworkBackend() = default;
    NetworkBackend(const NetworkBackend &) = delete;
    NetworkBackend &operator=(const NetworkBackend &) = delete;
    virtual ~NetworkBackend() = default;

    virtual std::string_view name() const = 0;  // the value of --backend
    virtual std::string_view title() const = 0; // the name for people

    // Returns the files of all these interfaces together, because a parent's file may name its
    // children.
    virtual std::vector<NetworkFile> files(const Places &places,
                                           const std::vector<InterfaceSettings> &all) const = 0;

    // Returns the programs, in order, that make the manager read its files after they were written.
    virtual std::vector<Words> reread(const Places &places,
                                      const InterfaceSettings &settings) const = 0;
    // Returns the programs that also bring the interface into the state of its files.
    virtual std::vector<Words> start(const Places &places,
                                     const InterfaceSettings &settings) const = 0;
    // Returns the programs to run before the interface's files are removed.
    virtual std::vector<Words> stop(const InterfaceSettings &settings) const = 0;
    // Returns the programs to run after the interface's files were removed.
    virtual std::vector<Words> forget(const InterfaceSettings &settings) const = 0;
    // Returns true if the interface must be stopped before its files change.
    virtual bool stops_for_a_change() const { return false; }

    // Returns an error if this manager cannot do what the settings ask for. refuse_other_profiles()
    // (netconf/other_profiles.h) checks that no other profile configures the interface.
    virtual Result<void> check(World &world, const InterfaceSettings &settings) const = 0;
};

const std::vector<const NetworkBackend *> &network_backends();

// Finds a backend by the name that --backend takes. Returns an error that lists the names if there
// is none.
Result<const NetworkBackend *> find_backend(const std::string &name);

// Returns the backend that manages this interface (for a child: pass its parent): a NetworkManager
// that runs and does not call it unmanaged, else a networkd that runs, else ifupdown if its file
// exists. Returns null if there is none of them.
const NetworkBackend *backend_here(World &world, const std::string &interface);

// These ask systemd whether the service of the manager is active.
bool network_manager_runs(World &world);
bool networkd_runs(World &world);

// Returns the interface that this .network file of networkd belongs to, or "" for any other file.
std::string interface_of_networkd_file(const Places &places, const std::filesystem::path &file);

// Each is defined in a file of its own.
const NetworkBackend &network_manager();
const NetworkBackend &networkd();
const NetworkBackend &ifupdown();

// Returns true if a line of the text, without blanks around it, equals @wanted.
bool has_line(const std::string &content, std::string_view wanted);

} // namespace causeway
