// SPDX-License-Identifier: GPL-2.0-or-later
// The client of a machine: its logins, its paths and their fences.
#include <algorithm>

#include "world.h"

namespace owners
{
namespace
{

constexpr Milliseconds dead_ms = 5000;

} // namespace

unsigned number_of(const Machine &machine, const Path &path)
{
	return static_cast<unsigned>(&path - machine.paths.data());
}

Path *path_of(Machine &machine, const std::shared_ptr<Connection> &connection)
{
	for (Path &path : machine.paths)
		if (path.connection == connection)
			return &path;
	return nullptr;
}

// A live path, drawn at random, or NULL.
Path *World::live_path(Machine &machine, const Path *except)
{
	std::vector<Path *> live;
	for (Path &path : machine.paths)
		if (&path != except && path.state == Path::State::live)
			live.push_back(&path);
	return live.empty() ? nullptr : live[below(live.size())];
}

// ---- connections ----

void World::connect(Machine &machine, Path &path)
{
	path.attempt++;
	path.state = Path::State::connecting;
	path.epoch = ++machine.epoch;
	path.tag = draw() | 1;
	path.connection = std::make_shared<Connection>();
	path.connection->heard_by_client = now;
	watch(machine, path, path.connection);
}

void World::close(Path &path)
{
	path.attempt++;
	path.state = Path::State::down;
	if (!path.connection)
		return;
	// The server may notice, unless the network is cut.
	to_login(path.connection,
		 [this](Login &login) { server->connection_lost(login, "the client closed"); });
	path.connection->client_open = false;
	path.connection = nullptr;
}

void World::lost(Machine &machine, Path &path, const std::string &why)
{
	unsigned number = number_of(machine, path);
	note("machine " + std::to_string(machine.id) + " lost path " + std::to_string(number) +
	     ": " + why);
	bool was_live = path.state == Path::State::live;
	close(path);
	if (machine.state == Machine::State::leaving && number == machine.goodbye_path) {
		forget(machine);
	} else if (machine.state == Machine::State::connecting && number == machine.login_path) {
		machine.state = Machine::State::held;
		log_in_later(machine);
	} else if (machine.state == Machine::State::live) {
		if (was_live) {
			path.fence = path.epoch;
			path.fenced_on = nullptr;
		}
		for (Write &write : machine.unanswered)
			write.held |= write.path == number && write.epoch == path.epoch;
		if (live_path(machine, nullptr)) {
			send_fences(machine);
			join_later(machine, path);
			return;
		}
		std::ranges::for_each(machine.paths, [this](Path &each) { close(each); });
		machine.state = Machine::State::held;
		log_in_later(machine);
	}
}

// Sends PROBE each second, and gives up a connection that is silent.
void World::watch(Machine &machine, Path &path, const std::shared_ptr<Connection> &connection)
{
	at(std::max(now + 1000, machine.paused_until), [this, &machine, &path, connection] {
		if (path.connection != connection)
			return;
		// A machine that was paused first reads the messages that arrived meanwhile.
		if (now >= machine.paused_until) {
			if (now - connection->heard_by_client >= dead_ms) {
				lost(machine, path, "silence");
				return;
			}
			to_login(connection, [this](Login &login) { server->probe(login); });
		}
		watch(machine, path, connection);
	});
}

void World::server_closed(Machine &machine, const std::shared_ptr<Connection> &connection)
{
	if (connection->cut)
		return;
	at(std::max(connection->to_client, now + delay()), [this, &machine, connection] {
		auto closed = [this, &machine, connection] {
			Path *path = path_of(machine, connection);
			if (connection->client_open && path)
				lost(machine, *path, "the server closed");
		};
		if (now < machine.paused_until)
			at(machine.paused_until, closed);
		else
			closed();
	});
}

void World::got_probe(Machine &machine, const std::shared_ptr<Connection> &connection, u64 cookie)
{
	if (path_of(machine, connection))
		to_login(connection,
			 [this, cookie](Login &login) { server->alive(login, cookie); });
}

// ---- logins ----

void World::log_in_later(Machine &machine)
{
	machine.attempt++;
	in(100 + below(2900), [this, &machine, attempt = machine.attempt] {
		if (attempt == machine.attempt && machine.on &&
		    machine.state == Machine::State::held && !machine.superseded)
			log_in(machine);
	});
}

void World::log_in(Machine &machine)
{
	if (now < machine.paused_until) {
		at(machine.paused_until, [this, &machine, attempt = machine.attempt] {
			if (attempt == machine.attempt && machine.on &&
			    machine.state == Machine::State::held)
				log_in(machine);
		});
		return;
	}
	machine.attempt++;
	machine.login_path = (machine.login_path + 1) % machine.path_count;
	Path &path = machine.paths[machine.login_path];
	if (!path.network || !server->up) {
		log_in_later(machine);
		return;
	}
	machine.state = Machine::State::connecting;
	connect(machine, path);
	std::shared_ptr<Connection> connection = path.connection;
	Machine hello = machine;
	to_server(connection, [this, &machine, connection, hello] {
		Milliseconds came = now;
		to_client(machine, connection, [this, &machine, connection, hello, came] {
			to_server(connection, [this, &machine, connection, hello, came] {
				server->proof(machine, connection, hello, came);
			});
		});
	});
}

void World::got_welcome(Machine &machine, const std::shared_ptr<Connection> &connection,
			unsigned secret, u64 generation, const std::array<u8, 16> &receipt)
{
	Path *path = path_of(machine, connection);
	if (!path || machine.state != Machine::State::connecting)
		return;
	machine.state = Machine::State::live;
	machine.ever_live = true;
	machine.secret = secret;
	machine.last = path->epoch;
	machine.generation = generation;
	machine.receipt = receipt;
	machine.well_since = now;
	path->state = Path::State::live;
	to_login(connection, [this](Login &login) { server->data_link(login); });
	// WELCOME stands for FENCED of all paths.
	for (unsigned i = 0; i < machine.path_count; i++) {
		machine.paths[i].fence = 0;
		if (&machine.paths[i] != path)
			join_later(machine, machine.paths[i]);
	}
	for (Write &write : machine.unanswered)
		send_write(machine, write);
}

void World::got_refused(Machine &machine, const std::shared_ptr<Connection> &connection,
			cw_owners_refusal refusal)
{
	Path *path = path_of(machine, connection);
	if (!path)
		return;
	bool login = machine.state == Machine::State::connecting;
	bool final = refusal == CW_OWNERS_STALE || refusal == CW_OWNERS_SUPERSEDED ||
		     refusal == CW_OWNERS_EVICTED;
	if (login && machine.ever_live && final) {
		judge.final_refusal(machine, refusal);
		machine.superseded = true;
		note("machine " + std::to_string(machine.id) + " is superseded");
	}
	bool ends_attach = login && !machine.ever_live &&
			   (refusal == CW_OWNERS_STALE || refusal == CW_OWNERS_SUPERSEDED);
	lost(machine, *path, "refused with " + std::to_string(refusal));
	if (ends_attach)
		forget(machine);
}

void World::got_farewell(Machine &machine, const std::shared_ptr<Connection> &connection)
{
	if (path_of(machine, connection))
		forget(machine);
}

// ---- paths ----

void World::join_later(Machine &machine, Path &path)
{
	path.attempt++;
	Milliseconds when = std::max(now + 100 + below(2900), machine.paused_until);
	at(when, [this, &machine, &path, attempt = path.attempt] {
		if (attempt != path.attempt || machine.state != Machine::State::live)
			return;
		if (now < machine.paused_until || !path.network || !server->up)
			join_later(machine, path);
		else
			join(machine, path);
	});
}

void World::announce(Machine &machine, const Path &path, Path &on)
{
	unsigned number = number_of(machine, path);
	to_login(on.connection, [this, number, epoch = path.epoch - 1, tag = path.tag](
					Login &login) { server->fence(login, number, epoch, tag); });
}

void World::join(Machine &machine, Path &path)
{
	Path *on = live_path(machine, &path);
	if (!on)
		return;
	connect(machine, path);
	bool careless = settings.careless && faults_;
	if (!careless || chance(0.9))
		announce(machine, path, *on);
	const Join join = {.host = machine.host,
			   .boot = machine.boot,
			   .session = machine.session,
			   .path = number_of(machine, path),
			   .epoch = path.epoch,
			   .tag = path.tag,
			   .secret = machine.secret};
	auto send = [this, &machine, join](const std::shared_ptr<Connection> &connection) {
		to_server(connection, [this, &machine, connection, join] {
			server->join(machine, connection, join);
		});
	};
	send(path.connection);
	if (!careless)
		return;
	// A second JOIN with the same epoch, and the same FENCE again later.
	if (chance(0.1))
		send(std::make_shared<Connection>());
	if (chance(0.3))
		in(below(3000), [this, &machine, &path, attempt = path.attempt] {
			Path *later = live_path(machine, &path);
			if (attempt == path.attempt && later)
				announce(machine, path, *later);
		});
}

// A peer that cannot send on the links of a client, but knows S and the epochs, sends a JOIN before
// the client does.
void World::forge()
{
	in(below(200), [this] {
		if (!faults_)
			return;
		forge();
		Machine &machine = *machines[below(machines.size())];
		if (!server->up || machine.state != Machine::State::live)
			return;
		const Join join = {.host = machine.host,
				   .boot = machine.boot,
				   .session = machine.session,
				   .path = static_cast<unsigned>(below(machine.path_count)),
				   .epoch = machine.epoch + below(3),
				   .tag = draw() | 1,
				   .secret = machine.secret};
		auto connection = std::make_shared<Connection>();
		to_server(connection, [this, &machine, connection, join] {
			server->join(machine, connection, join);
		});
	});
}

void World::got_joined(Machine &machine, const std::shared_ptr<Connection> &connection)
{
	Path *path = path_of(machine, connection);
	if (!path || machine.state != Machine::State::live)
		return;
	path->state = Path::State::live;
	path->well_since = now;
	to_login(connection, [this](Login &login) { server->data_link(login); });
	send_fences(machine);
}

// Sends each FENCE that was not sent yet, or whose path ended before FENCED.
void World::send_fences(Machine &machine)
{
	for (Path &path : machine.paths) {
		Path *on = live_path(machine, &path);
		if (!path.fence || !on || (path.fenced_on && path_of(machine, path.fenced_on)))
			continue;
		path.fenced_on = on->connection;
		to_login(on->connection,
			 [this, number = number_of(machine, path), epoch = path.fence](
				 Login &login) { server->fence(login, number, epoch, 0); });
	}
}

void World::got_fenced(Machine &machine, const std::shared_ptr<Connection> &connection,
		       unsigned number, u64 epoch)
{
	if (!path_of(machine, connection) || machine.state != Machine::State::live)
		return;
	judge.fenced(machine.secret, number, epoch);
	Path &path = machine.paths[number];
	if (!path.fence || epoch < path.fence)
		return;
	path.fence = 0;
	for (Write &write : machine.unanswered)
		if (write.held && write.path == number)
			send_write(machine, write);
}

void World::remove_path(Machine &machine)
{
	Path *path = live_path(machine, nullptr);
	unsigned number = number_of(machine, *path);
	bool busy = std::ranges::any_of(machine.unanswered, [&](const Write &write) {
		return write.path == number && write.epoch == path->epoch;
	});
	// A client must not remove its last path, but the server may have lost the others.
	if (busy || !live_path(machine, path))
		return;
	to_login(path->connection, [this, number, epoch = path->epoch](Login &login) {
		server->path_bye(login, number, epoch);
	});
	path->connection = nullptr;
	path->state = Path::State::down;
	send_fences(machine);
	join_later(machine, *path);
}

// ---- writes ----

void World::write(Machine &machine)
{
	static unsigned writes;
	machine.unanswered.push_back({.id = ++writes});
	send_write(machine, machine.unanswered.back());
}

void World::send_write(Machine &machine, Write &write)
{
	Path *path = live_path(machine, nullptr);
	write.copy++;
	write.path = number_of(machine, *path);
	write.epoch = path->epoch;
	write.held = false;
	judge.sent(machine, write);
	to_login(path->connection, [this, write](Login &login) { server->command(login, write); });
}

void World::got_answer(Machine &machine, const std::shared_ptr<Connection> &connection,
		       unsigned write)
{
	if (path_of(machine, connection))
		std::erase_if(machine.unanswered,
			      [write](const Write &each) { return each.id == write; });
}

} // namespace owners
