// SPDX-License-Identifier: GPL-2.0-or-later
// The server's part of JOIN, FENCE and PATH_BYE.
#include <algorithm>

#include "world.h"

namespace owners
{
namespace
{

constexpr u32 dead_ms = 5000;

} // namespace

unsigned Server::commands_of(unsigned secret) const
{
	unsigned n = 0;
	for (const std::shared_ptr<Login> &login : logins_)
		if (login->secret == secret)
			n += static_cast<unsigned>(login->commands.size());
	return n;
}

// The member whose secret the MAC of the JOIN proves, or NULL.
const Login *Server::live_path(const Join &join) const
{
	for (const std::shared_ptr<Login> &login : logins_) {
		const cw_owner &owner = login->m().owner;
		if (login->m().state == CW_LOGIN_LIVE && login->secret == join.secret &&
		    std::ranges::equal(join.host, owner.host) &&
		    std::ranges::equal(join.boot, owner.boot) &&
		    std::ranges::equal(join.session, owner.session))
			return login.get();
	}
	return nullptr;
}

void Server::join(Machine &machine, const std::shared_ptr<Connection> &connection, const Join &join)
{
	const Login *found = live_path(join);
	if (!found) {
		world_.to_client(machine, connection, [this, &machine, connection] {
			world_.got_refused(machine, connection, CW_OWNERS_NOT_LIVE);
		});
		return;
	}
	// The server computes the MAC without the lock, so the session may end meanwhile.
	auto keep = found->view.login->shared_from_this();
	world_.in(world_.below(3),
		  [this, life = life_, &machine, connection, join, keep, came = world_.now] {
			  if (life == life_ && connection->server_open)
				  enter_join(machine, connection, join, *keep, came);
		  });
}

void Server::enter_join(Machine &machine, const std::shared_ptr<Connection> &connection,
			const Join &join, const Login &found, Milliseconds came)
{
	Login &login = add(machine, connection);
	cw_login &m = login.view.m;
	login.secret = found.secret;
	m.owner = found.m().owner;
	m.join = true;
	m.path = static_cast<u8>(join.path);
	m.epoch = join.epoch;
	m.tag = join.tag;
	m.login_epoch = found.m().login_epoch;
	m.dead_ms = dead_ms;
	m.hello_at = came;
	cw_owners_join(&owners_, &m, world_.now);
	arm();
}

void Server::fence(Login &login, unsigned path, u64 epoch, u64 tag)
{
	login.heard = world_.now;
	world_.judge.fence(login, path, epoch, tag);
	if (cw_owners_fence(&owners_, &login.view.m, static_cast<u8>(path), epoch, tag, world_.now))
		throw Broken("the FENCE of an honest client was malformed");
	arm();
}

void Server::fenced(Login &login, unsigned path, u64 epoch)
{
	send(login, [this, path, epoch](Machine &machine, const auto &connection) {
		world_.got_fenced(machine, connection, path, epoch);
	});
}

void Server::path_bye(Login &login, unsigned path, u64 epoch)
{
	login.heard = world_.now;
	if (cw_owners_path_bye(&owners_, &login.view.m, static_cast<u8>(path), epoch, world_.now))
		throw Broken("the PATH_BYE of an honest client was malformed");
	arm();
}

} // namespace owners
