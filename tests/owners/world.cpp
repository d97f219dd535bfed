// SPDX-License-Identifier: GPL-2.0-or-later
// Clients, the network and the faults.
#include "world.h"

#include <algorithm>

namespace owners
{
namespace
{

constexpr Milliseconds dead_ms = 5000;
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

// ---- a client's connection ----

void World::lost(Machine &machine, const std::string &why)
{
	note("machine " + std::to_string(machine.id) + " lost its connection: " + why);
	machine.attempt++;
	if (machine.connection) {
		std::shared_ptr<Connection> connection = machine.connection;
		// The server may notice, unless the network is cut.
		to_login(connection, [this](Login &login) {
			server->connection_lost(login, "the client closed");
		});
		connection->client_open = false;
		machine.connection = nullptr;
	}
	if (machine.state == Machine::State::leaving) {
		forget(machine);
		return;
	}
	machine.state = Machine::State::held;
	log_in_later(machine);
}

void World::log_in_later(Machine &machine)
{
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
	machine.epoch++;
	if (!machine.network || !server->up) {
		log_in_later(machine);
		return;
	}
	machine.state = Machine::State::connecting;
	auto connection = std::make_shared<Connection>();
	connection->heard_by_client = now;
	machine.connection = connection;
	Machine hello = machine;
	hello.connection = nullptr;
	to_server(connection, [this, &machine, connection, hello] {
		Milliseconds came = now;
		to_client(machine, connection, [this, &machine, connection, hello, came] {
			to_server(connection, [this, &machine, connection, hello, came] {
				server->proof(machine, connection, hello, came);
			});
		});
	});
	watch(machine, machine.attempt);
}

// Sends PROBE each second, and gives up a connection that is silent.
void World::watch(Machine &machine, unsigned attempt)
{
	at(std::max(now + 1000, machine.paused_until), [this, &machine, attempt] {
		if (attempt != machine.attempt || !machine.connection)
			return;
		// A machine that was paused first reads the messages that arrived meanwhile.
		if (now < machine.paused_until) {
			watch(machine, attempt);
			return;
		}
		if (now - machine.connection->heard_by_client >= dead_ms) {
			lost(machine, "silence");
			return;
		}
		std::shared_ptr<Connection> connection = machine.connection;
		to_login(connection, [this](Login &login) { server->probe(login); });
		watch(machine, attempt);
	});
}

void World::server_closed(Machine &machine, const std::shared_ptr<Connection> &connection)
{
	if (connection->cut)
		return;
	at(std::max(connection->to_client, now + delay()), [this, &machine, connection] {
		auto closed = [this, &machine, connection] {
			if (connection->client_open && machine.connection == connection)
				lost(machine, "the server closed");
		};
		if (now < machine.paused_until)
			at(machine.paused_until, closed);
		else
			closed();
	});
}

void World::got_probe(Machine &machine, const std::shared_ptr<Connection> &connection, u64 cookie)
{
	if (machine.connection != connection)
		return;
	to_login(connection, [this, cookie](Login &login) { server->alive(login, cookie); });
}

void World::got_welcome(Machine &machine, const std::shared_ptr<Connection> &connection,
			u64 generation, const std::array<u8, 16> &receipt)
{
	if (machine.connection != connection || machine.state != Machine::State::connecting)
		return;
	machine.state = Machine::State::live;
	machine.ever_live = true;
	machine.last = machine.epoch;
	machine.generation = generation;
	machine.receipt = receipt;
	machine.well_since = now;
	to_login(connection, [this](Login &login) { server->data_link(login); });
	for (const Write &write : machine.unanswered)
		send_write(machine, write);
}

void World::got_refused(Machine &machine, const std::shared_ptr<Connection> &connection,
			cw_owners_refusal refusal)
{
	if (machine.connection != connection)
		return;
	bool final = refusal == CW_OWNERS_STALE || refusal == CW_OWNERS_SUPERSEDED ||
		     refusal == CW_OWNERS_EVICTED;
	if (machine.ever_live && final) {
		judge.final_refusal(machine, refusal);
		machine.superseded = true;
		note("machine " + std::to_string(machine.id) + " is superseded");
	}
	bool ends_attach = !machine.ever_live &&
			   (refusal == CW_OWNERS_STALE || refusal == CW_OWNERS_SUPERSEDED);
	lost(machine, "refused with " + std::to_string(refusal));
	if (ends_attach)
		forget(machine);
}

void World::got_answer(Machine &machine, const std::shared_ptr<Connection> &connection,
		       unsigned write)
{
	if (machine.connection == connection)
		std::erase_if(machine.unanswered,
			      [write](const Write &each) { return each.id == write; });
}

void World::got_farewell(Machine &machine, const std::shared_ptr<Connection> &connection)
{
	if (machine.connection != connection)
		return;
	connection->client_open = false;
	machine.connection = nullptr;
	forget(machine);
}

void World::send_write(Machine &machine, const Write &write)
{
	std::shared_ptr<Connection> connection = machine.connection;
	to_login(connection, [this, write](Login &login) { server->command(login, write); });
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
	machine.attempt++;
	machine.state = Machine::State::detached;
	machine.session = {};
	machine.unanswered.clear();
	machine.superseded = false;
}

void World::detach(Machine &machine)
{
	std::shared_ptr<Connection> connection = machine.connection;
	machine.state = Machine::State::leaving;
	to_login(connection, [this](Login &login) { server->goodbye(login); });
}

void World::reboot(Machine &machine)
{
	note("machine " + std::to_string(machine.id) + " reboots");
	if (machine.connection)
		machine.connection->cut = true;
	if (machine.connection)
		machine.connection->client_open = false;
	machine.connection = nullptr;
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
	made->connection = nullptr;
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
		static unsigned writes;
		if (machine.state == Machine::State::live) {
			// A client must not send GOODBYE with commands outstanding, but some do.
			if (faults_ && (machine.unanswered.empty() || chance(0.2)) &&
			    chance(0.05)) {
				detach(machine);
			} else if (faults_ && chance(0.01)) {
				lost(machine, "the user detached by force");
				forget(machine);
			} else if (machine.unanswered.size() < 4) {
				machine.unanswered.push_back({++writes});
				send_write(machine, machine.unanswered.back());
			}
		} else if (machine.state == Machine::State::detached && faults_ && chance(0.3)) {
			attach(machine);
		} else if (machine.superseded && faults_ && chance(0.2)) {
			forget(machine);
		}
	});
}

// ---- faults ----

void World::fault()
{
	in(500 + below(6000), [this] {
		if (!faults_)
			return;
		fault();
		Machine &machine = *machines[below(machines.size())];
		switch (below(9)) {
		case 0:
		case 1:
			note("machine " + std::to_string(machine.id) + " loses its network");
			machine.network = false;
			if (machine.connection)
				machine.connection->cut = true;
			in(below(chance(0.3) ? 40000 : 4000), [this, &machine] {
				machine.network = true;
				machine.well_since = now;
			});
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
		}
	});
}

// All faults end. The owners that have not been replaced return.
void World::quiesce()
{
	faults_ = false;
	for (const auto &machine : machines) {
		machine->paused_until = std::min(machine->paused_until, now + 1000);
		machine->network = true;
	}
	note("all faults end");
	for (Milliseconds end = now + quiet; !events_.empty() && events_.top().at < end; steps++) {
		auto event = events_.top();
		events_.pop();
		now = event.at;
		event.run();
	}
	for (const auto &machine : machines)
		if (judge.owns(*machine) && !judge.is_replaced(machine->session) &&
		    !judge.is_evicted(machine->host) && !machine->copied &&
		    !judge.limit_of_promise && machine->state != Machine::State::live)
			throw Broken("machine " + std::to_string(machine->id) +
				     " owns its disk and does not come back");
}

void World::run(std::uint64_t events)
{
	fault();
	for (; steps < events; steps++) {
		auto event = events_.top();
		events_.pop();
		now = event.at;
		event.run();
	}
	quiesce();
}

} // namespace owners
