// SPDX-License-Identifier: GPL-2.0-or-later
// Those that configure network interfaces at boot: NetworkManager, systemd-networkd, ifupdown. Each
// turns what is wanted into files of its own kind; netconf/apply.h puts them in place.
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
    std::string interface; // that it is of
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

    virtual std::string_view name() const = 0;  // as --backend takes it
    virtual std::string_view title() const = 0; // as people call it

    // Of all these interfaces together: a parent's file may name its children.
    virtual std::vector<NetworkFile> files(const Places &places,
                                           const std::vector<InterfaceSettings> &all) const = 0;

    // Programs, in order. After its files were written, to read them:
    virtual std::vector<Words> reread(const Places &places,
                                      const InterfaceSettings &settings) const = 0;
    // and to bring the interface into that state;
    virtual std::vector<Words> start(const Places &places,
                                     const InterfaceSettings &settings) const = 0;
    // before its files go;
    virtual std::vector<Words> stop(const InterfaceSettings &settings) const = 0;
    // after they are gone.
    virtual std::vector<Words> forget(const InterfaceSettings &settings) const = 0;
    // Whether a change of its files needs a stop before it.
    virtual bool stops_for_a_change() const { return false; }

    // Refuses where it could not do this. That no other profile configures the interface is
    // checked by refuse_other_profiles() (netconf/other_profiles.h).
    virtual Result<void> check(World &world, const InterfaceSettings &settings) const = 0;
};

const std::vector<const NetworkBackend *> &network_backends();

// By the name that --backend takes; an error that names them where it is none.
Result<const NetworkBackend *> find_backend(const std::string &name);

// The one that manages this interface (of a child: its parent): a NetworkManager that runs and does
// not call it unmanaged, else a networkd that runs, else ifupdown where it has its file. Null where
// there is none of them.
const NetworkBackend *backend_here(World &world, const std::string &interface);

bool network_manager_runs(World &world);
bool networkd_runs(World &world);

// The interface whose .network file of networkd this is; empty for any other file.
std::string interface_of_networkd_file(const Places &places, const std::filesystem::path &file);

// Each lives in a file of its own.
const NetworkBackend &network_manager();
const NetworkBackend &networkd();
const NetworkBackend &ifupdown();

// Whether a line of the text, without the blanks around it, is this.
bool has_line(const std::string &content, std::string_view wanted);

} // namespace causeway
