// SPDX-License-Identifier: GPL-2.0-or-later
// The server around the state machine: its logins and its disk.
#include <algorithm>

#include "tests/unit/crc32c.h"
#include "world.h"

namespace owners
{
namespace
{

constexpr u32 room = 3; // hosts in a ledger: fewer than there may be
constexpr Milliseconds dead_ms = 5000;

Server *current; // the server of the state machine's calls, which name no server
World *current_world;

const cw_owners_ops ops = {
	.heard = [](const cw_login *m) { return current->heard(Login::of(m)); },
	.cookie = [] { return static_cast<u64>(current_world->draw() | 1); },
	.probe = [](cw_login *m, u64 cookie) { return current->send_probe(Login::of(m), cookie); },
	.end = [](cw_login *m, const char *why) { current->end(Login::of(m), why); },
	.hasten = [](cw_login *) {},
	.refuse = [](cw_login *m, cw_owners_refusal refusal, u64,
		     const cw_ledger_host *) { current->refuse(Login::of(m), refusal); },
	.limited = [](cw_login *) { return false; },
	.welcome = [](cw_login *m) { current->welcome(Login::of(m)); },
	.fenced = [](cw_login *m, u8 path,
		     u64 epoch) { current->fenced(Login::of(m), path, epoch); },
	.farewell = [](cw_login *m) { current->farewell(Login::of(m)); },
	.write = [](cw_owners *, const cw_ledger *ledger) { return current->write(ledger); },
	.completed = [](cw_owners_request *request,
			int error) { current->completed(request, error); },
	.release = [](cw_login *m) { Login::of(m).released = true; },
	.seconds = [] { return static_cast<u64>(current_world->now / 1000); },
};

Uuid take(const u8 *bytes)
{
	Uuid uuid;
	std::copy_n(bytes, uuid.size(), uuid.begin());
	return uuid;
}

} // namespace

Server::Server(World &world) : world_(world)
{
	current = this;
	current_world = &world;
	cw_ledger fresh{};
	std::ranges::generate(fresh.uuid, [&] { return static_cast<u8>(world_.draw()); });
	std::ranges::generate(fresh.identity, [&] { return static_cast<u8>(world_.draw()); });
	std::ranges::generate(fresh.secret, [&] { return static_cast<u8>(world_.draw()); });
	fresh.generation = 1;
	for (std::vector<u8> &copy : copies_) {
		copy.resize(cw_ledger_image_size(room));
		cw_ledger_encode(copy.data(), &fresh, crc32c);
	}
	start();
}

void Server::start()
{
	life_++;
	logins_.clear();
	owners_ = {};
	owners_.ops = &ops;
	owners_.exclusive = world_.settings.exclusive;
	owners_.takeover_after = world_.settings.takeover_after;
	owners_.dead_ms = dead_ms;
	in_effect_.assign(room, {});
	next_.assign(room, {});

	std::array<cw_ledger, 2> read{};
	std::array<std::vector<cw_ledger_host>, 2> hosts;
	std::array<cw_ledger_fault, 2> faults{};
	for (unsigned i = 0; i < 2; i++) {
		hosts[i].resize(room);
		read[i].hosts = hosts[i].data();
		read[i].room = room;
		faults[i] =
			cw_ledger_decode(&read[i], copies_[i].data(), copies_[i].size(), crc32c);
	}
	std::array good = {faults[0] == CW_LEDGER_GOOD, faults[1] == CW_LEDGER_GOOD};
	if (!good[0] && !good[1])
		throw Broken(std::string("no copy of the ledger can be read: ") +
			     cw_ledger_fault_text(faults[0]) + "; " +
			     cw_ledger_fault_text(faults[1]));
	unsigned newer = good[0] && (!good[1] || read[0].generation >= read[1].generation) ? 0 : 1;
	copies_[1 - newer] = copies_[newer];
	owners_.ledger.hosts = in_effect_.data();
	owners_.ledger.room = room;
	owners_.next.hosts = next_.data();
	owners_.next.room = room;
	cw_ledger_copy(&owners_.ledger, &read[newer]);
	std::copy_n(owners_.ledger.secret, secret_.size(), secret_.begin());
	first_ = 1 - newer;
	writing_ = -1;
	write_failed_ = false;
	up = true;
	armed_ = CW_OWNERS_NEVER;
	if (!cw_owners_start(&owners_, world_.now))
		throw Broken("an exclusive disk has two owners in the ledger");
	if (!undecided_)
		return;
	undecided_ = false;
	// A change that was being written has taken effect, or not. No answer was sent.
	for (u32 i = 0; i < owners_.ledger.count; i++) {
		const cw_ledger_host &entry = owners_.ledger.hosts[i];
		world_.judge.ledger_says(take(entry.host), take(entry.session), entry.evicted);
	}
}

// Runs after each event. Calls the state machine again at the time for which it asked.
void Server::arm()
{
	for (const std::shared_ptr<Login> &login : logins_) {
		const cw_ledger_host *entry =
			cw_ledger_find(&owners_.ledger, login->m().owner.host);
		if (login->said_goodbye && !commands_of(login->secret) &&
		    !(entry && cw_ledger_owns(entry, &login->m().owner)))
			world_.judge.left(take(login->m().owner.host),
					  take(login->m().owner.session));
	}
	logins_.remove_if([](const std::shared_ptr<Login> &login) {
		return login->released && login->drained;
	});
	if (owners_.wake >= armed_)
		return;
	armed_ = owners_.wake;
	world_.at(std::max(armed_, world_.now), [this, life = life_, at = armed_] {
		auto look = [this, life, at] {
			if (life != life_ || at != armed_)
				return;
			armed_ = CW_OWNERS_NEVER;
			cw_owners_step(&owners_, world_.now);
			arm();
		};
		if (!world_.stalled(look))
			look();
	});
}

// Ends a connection that is silent for too long, and sends WAITING while a login waits.
void Server::watch(Login &login)
{
	world_.in(1000, [this, life = life_, self = login.shared_from_this()] {
		if (life != life_ || self->killed)
			return;
		bool waits = self->m().state == CW_LOGIN_JUDGED;
		Milliseconds patience = waits ? 10000 : dead_ms;
		if (world_.now - self->heard >= patience && world_.now >= stalled_until) {
			connection_lost(*self, "silence");
			return;
		}
		if (waits)
			send(*self, [](Machine &, const auto &) {});
		watch(*self);
	});
}

// ---- messages ----

Login &Server::add(Machine &machine, const std::shared_ptr<Connection> &connection)
{
	static unsigned ids;
	auto made = std::make_shared<Login>();
	made->view.login = made.get();
	made->id = made->secret = ++ids;
	made->machine = &machine;
	made->connection = connection;
	made->heard = world_.now;
	logins_.push_back(made);
	watch(*made);
	return *made;
}

void Server::proof(Machine &machine, const std::shared_ptr<Connection> &connection,
		   const Machine &hello, Milliseconds came)
{
	Login &login = add(machine, connection);
	cw_login &m = login.view.m;
	std::ranges::copy(hello.host, m.owner.host);
	std::ranges::copy(hello.boot, m.owner.boot);
	std::ranges::copy(hello.session, m.owner.session);
	m.owner.serial = hello.serial;
	m.path = static_cast<u8>(hello.login_path);
	m.epoch = m.login_epoch = hello.epoch;
	m.returning = hello.ever_live;
	m.last = hello.last;
	m.generation = hello.generation;
	m.has_receipt = hello.ever_live &&
			hello.receipt == receipt(hello.generation, hello.host, hello.session);
	m.dead_ms = dead_ms;
	m.hello_at = came;
	cw_owners_enter(&owners_, &m, world_.now);
	arm();
}

Login *Server::login_of(const Connection *connection)
{
	for (const std::shared_ptr<Login> &login : logins_)
		if (login->connection.get() == connection && !login->killed)
			return login.get();
	return nullptr;
}

void Server::probe(Login &login)
{
	login.heard = world_.now;
	send(login, [](Machine &, const auto &) {});
}

void Server::alive(Login &login, u64 cookie)
{
	login.heard = world_.now;
	cw_owners_alive(&owners_, &login.view.m, cookie);
	cw_owners_step(&owners_, world_.now);
	arm();
}

void Server::data_link(Login &login)
{
	login.heard = world_.now;
	if (login.view.m.state != CW_LOGIN_LIVE)
		return;
	login.proved = true;
	world_.judge.confirmed(login);
	cw_owners_confirm(&owners_, &login.view.m, world_.now);
	cw_owners_step(&owners_, world_.now);
	arm();
}

void Server::command(Login &login, const Write &write)
{
	login.heard = world_.now;
	if (!login.proved || login.view.m.state != CW_LOGIN_LIVE)
		return;
	login.commands.push_back(write);
	Milliseconds takes = 1 + world_.below(20);
	if (world_.faults() && world_.chance(0.02))
		takes = world_.below(40000);
	world_.in(takes, [this, life = life_, self = login.shared_from_this(), write] {
		if (life != life_)
			return;
		world_.judge.apply(*self, write);
		std::erase_if(self->commands,
			      [&](const Write &each) { return each.id == write.id; });
		if (!self->killed)
			send(*self, [this, write](Machine &machine, const auto &connection) {
				world_.got_answer(machine, connection, write.id);
			});
		look_for_end(*self);
	});
}

void Server::goodbye(Login &login)
{
	login.heard = world_.now;
	if (login.view.m.state != CW_LOGIN_LIVE)
		return;
	login.said_goodbye = true;
	world_.judge.goodbye(login);
	cw_owners_goodbye(&owners_, &login.view.m, world_.now);
	look_for_end(login);
}

// Acts when the last command of a login has ended, if the login ends or has sent GOODBYE.
void Server::look_for_end(Login &login)
{
	if (!login.commands.empty() || !up)
		return;
	if (login.drained && login.view.m.state != CW_LOGIN_ENDED) {
		cw_owners_ended(&owners_, &login.view.m, world_.now);
	} else if (login.view.m.state == CW_LOGIN_LEAVING && !login.reported_idle) {
		login.reported_idle = true;
		cw_owners_idle(&owners_, &login.view.m, world_.now);
	}
	arm();
}

// The links of a login are drained some time after they are killed.
void Server::kill(Login &login)
{
	login.killed = true;
	login.connection->server_open = false;
	world_.server_closed(*login.machine, login.connection);
	world_.in(1 + world_.below(30), [this, life = life_, self = login.shared_from_this()] {
		if (life != life_)
			return;
		self->drained = true;
		look_for_end(*self);
	});
}

// Sends a message. @arrive is its effect at the client.
void Server::send(Login &login,
		  std::function<void(Machine &, const std::shared_ptr<Connection> &)> arrive)
{
	Machine &machine = *login.machine;
	world_.to_client(machine, login.connection,
			 [&machine, connection = login.connection, arrive = std::move(arrive)] {
				 arrive(machine, connection);
			 });
}

void Server::connection_lost(Login &login, const std::string &why)
{
	if (login.killed)
		return;
	world_.note("server: login " + std::to_string(login.id) + " lost: " + why);
	kill(login);
	cw_owners_ending(&owners_, &login.view.m, world_.now);
	arm();
}

// ---- calls of the state machine ----

bool Server::send_probe(Login &login, u64 cookie)
{
	// Sometimes there is no memory for the message.
	if (world_.faults() && world_.chance(0.1))
		return false;
	send(login, [this, cookie](Machine &machine, const auto &connection) {
		world_.got_probe(machine, connection, cookie);
	});
	return true;
}

void Server::end(Login &login, const std::string &why)
{
	world_.judge.ended_by_server(login, why);
	if (login.killed)
		return;
	world_.note("server: ends login " + std::to_string(login.id) + ": " + why);
	kill(login);
}

void Server::refuse(Login &login, cw_owners_refusal refusal)
{
	world_.note("server: refuses login " + std::to_string(login.id) + " with " +
		    std::to_string(refusal));
	send(login, [this, refusal](Machine &machine, const auto &connection) {
		world_.got_refused(machine, connection, refusal);
	});
	world_.in(1000, [this, life = life_, self = login.shared_from_this()] {
		if (life == life_ && !self->killed)
			kill(*self);
	});
}

void Server::welcome(Login &login)
{
	const cw_login &m = login.view.m;
	world_.note(std::string("server: welcomes ") + (m.join ? "path " : "login ") +
		    std::to_string(login.id) + " of machine " + std::to_string(login.machine->id) +
		    " path " + std::to_string(m.path) + " epoch " + std::to_string(m.epoch));
	if (m.join) {
		world_.judge.joined(login);
		send(login, [this](Machine &machine, const auto &connection) {
			world_.got_joined(machine, connection);
		});
		return;
	}
	world_.judge.welcome(login);
	if (m.state != CW_LOGIN_LIVE)
		return;
	u64 generation = owners_.ledger.generation;
	send(login, [this, generation, secret = login.id,
		     proof = receipt(generation, take(m.owner.host), take(m.owner.session))](
			    Machine &machine, const auto &connection) {
		world_.got_welcome(machine, connection, secret, generation, proof);
	});
}

void Server::farewell(Login &login)
{
	world_.judge.farewell(login, cw_login_is_own(&owners_, &login.m()));
	send(login, [this](Machine &machine, const auto &connection) {
		world_.got_farewell(machine, connection);
	});
	kill(login);
}

void Server::completed(cw_owners_request *request, int error)
{
	Uuid host = take(request->host);
	if (!error && request->readmit)
		world_.judge.readmitted(host);
	else if (!error)
		world_.judge.evicted(host);
	std::erase_if(requests_, [&](const auto &each) { return each.get() == request; });
}

void Server::ask(const Uuid &host, bool readmit)
{
	auto request = std::make_unique<cw_owners_request>();
	std::ranges::copy(host, request->host);
	request->readmit = readmit;
	requests_.push_back(std::move(request));
	cw_owners_submit(&owners_, requests_.back().get(), world_.now);
	arm();
}

unsigned Server::commands_of(const Uuid *host, const Login *except) const
{
	unsigned n = 0;
	for (const std::shared_ptr<Login> &login : logins_)
		if (login.get() != except && (!host || take(login->view.m.owner.host) == *host))
			n += login->commands.size();
	return n;
}

void Server::crash()
{
	if (writing_ >= 0)
		tear(static_cast<unsigned>(writing_));
	world_.judge.crash();
	undecided_ = writing_ >= 0 || write_failed_ || !requests_.empty();
	if (write_failed_)
		world_.judge.limit_of_promise = true;
	// The disk may still execute a command that it had, but not after the crash.
	for (const std::shared_ptr<Login> &login : logins_) {
		for (const Write &write : login->commands)
			if (world_.chance(0.5))
				world_.judge.apply(*login, write);
		if (!login->killed) {
			login->connection->server_open = false;
			world_.server_closed(*login->machine, login->connection);
		}
	}
	requests_.clear();
	up = false;
	life_++;
	logins_.clear();
	world_.note("server: crash");
	world_.in(world_.below(20000), [this] {
		start();
		world_.note("server: start");
	});
}

} // namespace owners
