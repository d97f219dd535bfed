// SPDX-License-Identifier: GPL-2.0-or-later
// Machines, the network and the faults. client.cpp has the logins and paths of a machine.
#include "world.h"

#include <algorithm>

namespace owners
{
namespace
{

constexpr std::size_t log_lines = 400;
// the time in which every client that can return has returned
constexpr Milliseconds quiet = 240000;

} // namespace

World::World(const Settings &with, std::uint64_t seed) : random_(seed), settings(with), judge(*this)
{
	server = std::make_unique<Server>(*this);
	Uuid shared = uuid();
	for (unsigned i = 0; i < settings.machines; i++) {
		auto machine = std::make_unique<Machine>();
		machine->host = settings.clones && i < 2 ? shared : uuid();
		machine->boot = uuid();
		machine->path_count = settings.paths;
		add_machine(std::move(machine));
	}
}

void World::add_machine(std::unique_ptr<Machine> machine)
{
	machine->id = static_cast<unsigned>(machines.size()) + 1;
	machines.push_back(std::move(machine));
	use(*machines.back());
}

void World::note(const std::string &text)
{
	log.push_back(std::to_string(now) + " " + text);
	if (log.size() > log_lines)
		log.pop_front();
}

Uuid World::uuid()
{
	Uuid made;
	std::ranges::generate(made, [this] { return static_cast<u8>(1 + below(255)); });
	return made;
}

void World::at(Milliseconds when, std::function<void()> run)
{
	events_.push({when, order_++, std::move(run)});
}

// The time that a message takes; a few are very late.
Milliseconds World::delay()
{
	if (faults_ && chance(0.01))
		return below(8000);
	return 1 + below(4);
}

// Returns when a message that is sent now arrives: after the one before it.
Milliseconds World::arrival(Connection &connection, Milliseconds last)
{
	Milliseconds at = std::max(last, now + delay());
	if (at > now + 10)
		connection.late_until = std::max(connection.late_until, at);
	return at;
}

// While the server is stalled, its events happen later, in the same order.
bool World::stalled(std::function<void()> run)
{
	if (now >= server->stalled_until)
		return false;
	at(server->stalled_until, [this, run] {
		if (!stalled(run))
			run();
	});
	return true;
}

void World::to_server(const std::shared_ptr<Connection> &connection, std::function<void()> run)
{
	if (connection->cut || !connection->client_open)
		return;
	connection->to_server = arrival(*connection, connection->to_server);
	at(connection->to_server, [this, connection, run] {
		auto arrive = [this, connection, run] {
			if (connection->server_open && server->up)
				run();
		};
		if (!stalled(arrive))
			arrive();
	});
}

void World::to_client(Machine &machine, const std::shared_ptr<Connection> &connection,
		      std::function<void()> run)
{
	if (connection->cut || !connection->server_open)
		return;
	connection->to_client = arrival(*connection, connection->to_client);
	auto arrive = std::make_shared<std::function<void()>>();
	*arrive = [this, &machine, connection, run, again = std::weak_ptr(arrive)] {
		if (now < machine.paused_until) {
			at(machine.paused_until, [keep = again.lock()] { (*keep)(); });
			return;
		}
		if (!connection->client_open)
			return;
		connection->heard_by_client = now;
		run();
	};
	at(connection->to_client, [arrive] { (*arrive)(); });
}

void World::to_login(const std::shared_ptr<Connection> &connection,
		     std::function<void(Login &)> arrive)
{
	to_server(connection, [this, connection, arrive = std::move(arrive)] {
		if (Login *login = server->login_of(connection.get()))
			arrive(*login);
	});
}

// ---- actions of users ----

void World::attach(Machine &machine)
{
	machine.session = uuid();
	machine.serial++;
	machine.epoch = machine.last = machine.generation = 0;
	machine.ever_live = machine.superseded = false;
	machine.state = Machine::State::held;
	log_in(machine);
}

// Ends the session at the client, whatever state the server has.
void World::forget(Machine &machine)
{
	for (Path &path : machine.paths) {
		close(path);
		path.fence = 0;
	}
	machine.attempt++;
	machine.state = Machine::State::detached;
	machine.session = {};
	machine.unanswered.clear();
	machine.superseded = false;
}

void World::detach(Machine &machine)
{
	const Path &path = *live_path(machine, nullptr);
	machine.state = Machine::State::leaving;
	machine.goodbye_path = number_of(machine, path);
	to_login(path.connection, [this](Login &login) { server->goodbye(login); });
}

void World::reboot(Machine &machine)
{
	note("machine " + std::to_string(machine.id) + " reboots");
	for (Path &path : machine.paths)
		if (path.connection)
			path.connection->cut = true;
	forget(machine);
	machine.boot = uuid();
	machine.serial = 0;
	machine.copied = false;
}

// Another machine continues with the memory of this one.
void World::copy(Machine &machine)
{
	if (machines.size() >= 8 || machine.state == Machine::State::detached ||
	    machine.state == Machine::State::leaving)
		return;
	machine.copied = true;
	auto made = std::make_unique<Machine>(machine);
	for (Path &path : made->paths) {
		bool network = path.network;
		path = {};
		path.network = network;
	}
	made->attempt = 0;
	made->state = Machine::State::held;
	note("machine " + std::to_string(machine.id) + " is copied");
	add_machine(std::move(made));
	if (!machines.back()->superseded)
		log_in_later(*machines.back());
}

void World::use(Machine &machine)
{
	in(100 + below(1500), [this, &machine] {
		use(machine);
		if (!machine.on || now < machine.paused_until)
			return;
		if (machine.state == Machine::State::live) {
			// A client must not send GOODBYE with commands outstanding, but some do.
			if (faults_ && (machine.unanswered.empty() || chance(0.2)) &&
			    chance(0.05)) {
				detach(machine);
			} else if (faults_ && chance(0.01)) {
				note("the user of machine " + std::to_string(machine.id) +
				     " detaches by force");
				forget(machine);
			} else if (faults_ && chance(0.02)) {
				remove_path(machine);
			} else if (machine.unanswered.size() < 4) {
				write(machine);
			}
		} else if (machine.state == Machine::State::detached && faults_ && chance(0.3)) {
			attach(machine);
		} else if (machine.superseded && faults_ && chance(0.2)) {
			forget(machine);
		}
	});
}

// ---- faults ----

void World::cut(Machine &machine, Path &path)
{
	path.network = false;
	if (path.connection)
		path.connection->cut = true;
	in(below(chance(0.3) ? 40000 : 4000), [this, &path] {
		path.network = true;
		path.well_since = now;
	});
	note("machine " + std::to_string(machine.id) + " loses the network of path " +
	     std::to_string(number_of(machine, path)));
}

// One connection ends, and then perhaps others.
void World::flap(Machine &machine)
{
	for (Milliseconds delay = 0; delay < 3000; delay += below(chance(0.5) ? 50 : 3000))
		in(delay, [this, &machine] {
			Path &path = machine.paths[below(machine.path_count)];
			if (path.connection && is_well(machine))
				lost(machine, path, "it flaps");
		});
}

void World::fault()
{
	in(500 + below(6000), [this] {
		if (!faults_)
			return;
		fault();
		Machine &machine = *machines[below(machines.size())];
		switch (below(machine.path_count > 1 ? 11 : 9)) {
		case 0:
		case 1:
			for (unsigned i = 0; i < machine.path_count; i++)
				cut(machine, machine.paths[i]);
			break;
		case 2:
		case 3:
			machine.paused_until = std::max(machine.paused_until,
							now + below(chance(0.3) ? 40000 : 4000));
			machine.well_since = machine.paused_until;
			note("machine " + std::to_string(machine.id) + " is paused until " +
			     std::to_string(machine.paused_until));
			break;
		case 4:
			if (chance(0.4))
				reboot(machine);
			break;
		case 5:
			if (settings.crashes && server->up)
				server->crash();
			break;
		case 6:
			if (settings.stalls)
				server->stalled_until = now + below(5000);
			break;
		case 7:
			if (settings.copies && chance(0.3))
				copy(machine);
			break;
		case 8:
			if (!settings.evictions || !server->up)
				break;
			if (judge.is_evicted(machine.host))
				server->ask(machine.host, true);
			else if (chance(0.3))
				server->ask(machine.host, false);
			break;
		case 9:
			cut(machine, machine.paths[below(machine.path_count)]);
			break;
		case 10:
			flap(machine);
			break;
		}
	});
}

// All faults end. The owners that have not been replaced return.
void World::quiesce()
{
	faults_ = false;
	for (const auto &machine : machines) {
		machine->paused_until = std::min(machine->paused_until, now + 1000);
		for (Path &path : machine->paths)
			path.network = true;
	}
	note("all faults end");
	for (Milliseconds end = now + quiet; !events_.empty() && events_.top().at < end; steps++) {
		auto event = events_.top();
		events_.pop();
		now = event.at;
		event.run();
	}
	for (const auto &machine : machines) {
		if (!judge.owns(*machine) || judge.is_replaced(machine->session) ||
		    judge.is_evicted(machine->host) || machine->copied || judge.limit_of_promise)
			continue;
		if (machine->state != Machine::State::live)
			throw Broken("machine " + std::to_string(machine->id) +
				     " owns its disk and does not come back");
		check_paths(*machine);
	}
}

void World::check_paths(const Machine &machine) const
{
	for (unsigned i = 0; i < machine.path_count; i++) {
		const std::string name =
			"path " + std::to_string(i) + " of machine " + std::to_string(machine.id);
		if (machine.paths[i].state != Path::State::live)
			throw Broken(name + " does not come back");
		if (machine.paths[i].fence)
			throw Broken(name + " was not fenced");
	}
	if (std::ranges::any_of(machine.unanswered, &Write::held))
		throw Broken("a write was never sent again");
}

void World::run(std::uint64_t events)
{
	fault();
	if (settings.forges)
		forge();
	for (; steps < events; steps++) {
		auto event = events_.top();
		events_.pop();
		now = event.at;
		event.run();
	}
	quiesce();
}

} // namespace owners
