// SPDX-License-Identifier: GPL-2.0-or-later
// The table of verbs in its parts, each in a file of its own: verbs/table_*.cpp.
#pragma once

#include "command/verb.h"

namespace causeway {

// Of the verbs that move data: verbs/soft_device.h.
inline constexpr OptionSpec soft_option{
    "soft", "NETDEV", "make an RDMA device by software (rxe) on it first, now and at boot"};

inline constexpr OptionSpec no_persist{"no-persist", "",
                                       "until the next reboot only: write nothing under /etc"};

std::vector<Verb> export_verbs();
std::vector<Verb> attach_verbs();
std::vector<Verb> nfs_verbs();
std::vector<Verb> host_verbs();
std::vector<Verb> seeing_verbs();
std::vector<Verb> access_verbs();
std::vector<Verb> hidden_verbs();
std::vector<Verb> ipoib_verbs();
std::vector<Verb> sm_verbs();
std::vector<Verb> port_verbs();
std::vector<Verb> diagnosis_verbs();

} // namespace causeway
