// SPDX-License-Identifier: GPL-2.0-or-later
// Words for the kernel's numbers: short ones for JSON and tables, and the sentences of "causeway
// net".
#pragma once

#include "machine/kernel.h"
#include "show/netlink_names.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// Returns "client" or "server".
std::string role_word(std::uint8_t role);
// Returns "rdma", "tcp" or "none".
std::string transport_word(std::uint8_t transport);
// Returns "RDMA" or "TCP"; empty without a connection.
std::string transport_title(std::uint8_t transport);
// Returns "connecting", "live", "held", "failing", "refused", "revoked" or "closing".
std::string state_word(std::uint8_t state);
// Returns "down", "connecting", "live" or "ending".
std::string path_state_word(std::uint8_t state);
// Returns "auto", "round-robin" or "single". Empty if the modules do not report the policy.
std::string policy_word(std::uint8_t policy);
// Returns "stale", "superseded" or "evicted" for a value of enum cw_final_refusal.
std::string refusal_word(std::uint16_t refusal);
// Returns the commands by which this host gets a revoked disk back.
std::string way_back(const AttachmentInfo &revoked);

// Returns the sentence, with its newline, for a disk that several hosts may write at the same time.
// @way_out is the action that prevents it.
std::string several_writers_note(std::string_view way_out);

// Returns the commands that change the settings of an export, and the effect on its clients:
// "causeway export remove x, then add it with --uuid U and --allow CIDR (...)". The UUID is needed
// because without it the new export would be another disk.
std::string remove_then_add(const ExportSettings &there, std::vector<std::string> options = {},
                            bool force = false);

// Returns "live for 12 s" or "held: next attempt in 3 s, no path since 12 s".
std::string state_sentence(const SessionInfo &session);
// Returns "live for 12 s", "idle" or "not connected since 12 s: next attempt in 3 s".
std::string state_sentence(const NfsConnection &connection);
// Returns "rxe0/1".
std::string device_text(const SessionInfo &session);
std::string device_text(const std::string &device, std::uint8_t port);

// Returns "export-added", "up" and so on, or the number if the kind is unknown.
std::string event_word(std::uint8_t kind);
// Returns all known words, for --until.
std::vector<std::string> event_words();

// Returns the text of a negative or positive errno, such as "Connection timed out".
std::string errno_text(std::int32_t number);

} // namespace causeway
