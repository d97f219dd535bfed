// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's numbers in words: the short ones of JSON and tables, and the sentences of "causeway
// net".
#pragma once

#include "machine/kernel.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// "client", "server".
std::string role_word(std::uint8_t role);
// "rdma", "tcp", "none".
std::string transport_word(std::uint8_t transport);
// "connecting", "live", "held", "failing", "refused", "revoked", "closing".
std::string state_word(std::uint8_t state);
// "stale", "superseded", "evicted" of enum cw_final_refusal.
std::string refusal_word(std::uint16_t refusal);
// The commands by which this host gets a revoked disk again.
std::string way_back(const AttachmentInfo &revoked);

// The sentence for a disk that several hosts may write at a time, with its line break; @way_out:
// what prevents it.
std::string several_writers_note(std::string_view way_out);

// The commands by which an export gets other settings, and what its clients see meanwhile:
// "causeway export remove x, then add it with --uuid U and --allow CIDR (...)". Without its UUID,
// what is added would be another disk.
std::string remove_then_add(const ExportSettings &there, std::vector<std::string> options = {},
                            bool force = false);

// "live for 12 s", "held: next attempt in 3 s, no path since 12 s".
std::string state_sentence(const SessionInfo &session);
// "live for 12 s", "idle", "not connected since 12 s: next attempt in 3 s".
std::string state_sentence(const NfsConnection &connection);
// "rxe0/1".
std::string device_text(const SessionInfo &session);
std::string device_text(const std::string &device, std::uint8_t port);

struct CounterName {
    int counter; // enum cw_counter
    std::string_view name;
};
// All of them, in the order of the kernel's numbers.
const std::vector<CounterName> &counter_names();

struct LimitName {
    int limit; // enum cw_limit
    std::string_view name;
};
const std::vector<LimitName> &limit_names();

struct NfsCounterName {
    int counter; // enum cw_nfs_counter
    std::string_view name;
};
const std::vector<NfsCounterName> &nfs_counter_names();

// "export-added", "up"; the number where it is unknown.
std::string event_word(std::uint8_t kind);
// All known words, for --until.
std::vector<std::string> event_words();

// "Connection timed out" of a negative or positive errno.
std::string errno_text(std::int32_t number);

} // namespace causeway
