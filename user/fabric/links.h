// SPDX-License-Identifier: GPL-2.0-or-later
// The state, width and speed of every port of a fabric, parsed from the output of
// "iblinkinfo --line".
#pragma once

#include "fabric/program_text.h"

#include <string>
#include <string_view>
#include <vector>

namespace causeway {

struct LinkEnd {
    std::string guid; // of the port; all ports of a switch have that of its port 0
    std::string name;
    unsigned int port = 0;
    unsigned int lid = 0; // of a switch: that of its port 0

    std::string text() const; // "SW1/3"
};

struct LinkPort {
    LinkEnd near;
    LinkEnd far; // without a name if the far end is not known
    bool connected = false;
    bool silent = false;     // the link is up, and the far end did not reply
    std::string width;       // "4X"; empty while the link is down
    std::string speed;       // "25.78125 Gbps"
    std::string state;       // "Active", "Initialize", "Armed", "Down"
    std::string physical;    // "LinkUp", "Polling", "Disabled"
    std::string could_width; // that both ends support; empty: the width is that already
    std::string could_speed;
};

// Parses the output. Collects the lines that have another form in @unread.
std::vector<LinkPort> parse_links(std::string_view text, Unread &unread);

// Returns each connected link once, from the first of its ends that is listed.
std::vector<LinkPort> links_once(const std::vector<LinkPort> &ports);

// Returns "EDR" for "25.78125 Gbps", or the text itself if it is no speed of one lane.
std::string speed_name(const std::string &speed);

} // namespace causeway
