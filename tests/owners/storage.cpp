// SPDX-License-Identifier: GPL-2.0-or-later
// The two copies of the server's ledger.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tests/unit/crc32c.h"
#include "world.h"

namespace owners
{

std::array<u8, 16> Server::receipt(u64 generation, const Uuid &host, const Uuid &session) const
{
	// No one tries to forge a receipt here, so a checksum with the secret stands for the HMAC.
	std::vector<u8> text(secret_.begin(), secret_.end());
	text.insert(text.end(), reinterpret_cast<const u8 *>(&generation),
		    reinterpret_cast<const u8 *>(&generation + 1));
	text.insert(text.end(), host.begin(), host.end());
	text.insert(text.end(), session.begin(), session.end());
	std::array<u8, 16> out{};
	u32 crc = crc32c(text.data(), text.size());
	std::memcpy(out.data(), &crc, sizeof(crc));
	return out;
}

// A write that was interrupted leaves the old bytes, the new bytes, or a part of each.
void Server::tear(unsigned copy)
{
	std::size_t kept = world_.chance(0.3)	? 0
			   : world_.chance(0.4) ? image_.size()
						: world_.below(image_.size());
	std::copy_n(image_.begin(), kept, copies_[copy].begin());
}

int Server::write(const cw_ledger *ledger)
{
	image_.resize(cw_ledger_image_size(ledger->count));
	cw_ledger_encode(image_.data(), ledger, crc32c);
	std::size_t errors_at = 0;
	if (world_.settings.write_errors && world_.faults() && world_.chance(0.15))
		errors_at = 1 + world_.below(2);
	write_copy(first_, false, errors_at);
	return -EINPROGRESS;
}

void Server::write_copy(unsigned copy, bool second, std::size_t errors_at)
{
	writing_ = static_cast<int>(copy);
	Milliseconds takes = 1 + world_.below(world_.faults() && world_.chance(0.1) ? 3000 : 10);
	world_.in(takes, [this, life = life_, copy, second, errors_at] {
		if (life != life_)
			return;
		writing_ = -1;
		if (errors_at == (second ? 2U : 1U)) {
			// This copy may be unreadable now, so the next write must not begin with
			// the other one.
			first_ = copy;
			tear(copy);
			write_failed_ = true;
			cw_owners_written(&owners_, -EIO, world_.now);
			arm();
			return;
		}
		std::ranges::copy(image_, copies_[copy].begin());
		if (!second) {
			write_copy(1 - copy, true, errors_at);
			return;
		}
		first_ = 1 - first_;
		write_failed_ = false;
		cw_owners_written(&owners_, 0, world_.now);
		arm();
	});
}

} // namespace owners
