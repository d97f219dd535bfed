// SPDX-License-Identifier: GPL-2.0-or-later
// A server, its disk, the storage of its ledger, clients and a network, in one thread and in
// virtual time. The server decides by kmod/core/owners, the same code as in the kernel. Everything
// else is a model of what docs/PROTOCOL.md allows.
//
// A Judge watches and knows more than the server. It ends the simulation if a write of an earlier
// owner changes the disk, if a session returns that was replaced, or if an owner is locked out
// without a reason.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "kmod/core/owners/ledger_image.h"
#include "kmod/core/owners/owners.h"

namespace owners
{

using Uuid = std::array<u8, CW_WIRE_UUID>;
using Milliseconds = std::uint64_t;

// A promise of the protocol was broken.
struct Broken : std::runtime_error {
	using std::runtime_error::runtime_error;
};

// The settings of one round.
struct Settings {
	bool exclusive = false;
	unsigned takeover_after = 0; // seconds
	unsigned machines = 3;
	bool clones = false; // two machines have the same host UUID
	bool copies = false; // machines are copied with their memory
	bool write_errors = false; // the storage of the ledger fails
	bool crashes = true; // the server crashes
	bool stalls = true; // the server stalls
	bool evictions = true;
};

class World;
class Server;
struct Machine;

// Both directions keep their order. A message that was sent before a cut may still arrive, at any
// later time.
struct Connection {
	bool client_open = true, server_open = true;
	bool cut = false; // no message that is sent from now on arrives
	Milliseconds to_server = 0, to_client = 0; // the arrival of the last message
	Milliseconds heard_by_client = 0;
	Milliseconds late_until = 0; // until then a message takes longer than is usual
};

struct Login;

// The state machine's part of a login.
struct View {
	cw_login m{};
	Login *login = nullptr;
};

// A login at the server.
struct Login : std::enable_shared_from_this<Login> {
	View view;
	unsigned id = 0;
	std::shared_ptr<Connection> connection;
	Machine *machine = nullptr;
	Milliseconds heard = 0;
	unsigned commands = 0; // commands that the disk has
	bool proved = false; // a data link showed that the client has WELCOME
	bool killed = false, drained = false;
	bool reported_idle = false;
	bool said_goodbye = false;
	bool released = false;

	const cw_login &m() const
	{
		return view.m;
	}
	static Login &of(cw_login *m)
	{
		return *reinterpret_cast<View *>(m)->login;
	}
	static const Login &of(const cw_login *m)
	{
		return *reinterpret_cast<const View *>(m)->login;
	}
};

struct Write {
	unsigned id = 0;
};

// A client machine with at most one attachment.
struct Machine {
	unsigned id = 0;
	Uuid host{}, boot{};
	u64 serial = 0;

	enum class State { detached, held, connecting, live, leaving };
	State state = State::detached;
	Uuid session{};
	u64 epoch = 0, last = 0, generation = 0;
	std::array<u8, 16> receipt{};
	bool ever_live = false;
	bool superseded = false; // refused for good: only detach ends this
	bool copied = false; // another machine has, or had, the same memory
	std::vector<Write> unanswered;

	std::shared_ptr<Connection> connection;
	unsigned attempt = 0; // events of earlier attempts do nothing
	bool on = true;
	bool network = true;
	Milliseconds paused_until = 0;
	Milliseconds well_since = 0; // the time of its last fault
};

// A place has one owner: it is the disk of an exclusive export, or a host of a shared one. For each
// place, the judge records the login that may write.
struct Place {
	Uuid host{}, session{};
	u64 epoch = 0;
	unsigned login = 0; // the login whose commands may change the disk; 0: none
};

class Judge
{
	World &world_;
	std::map<Uuid, Place> places_;
	std::map<Uuid, u64>
		replaced_; // sessions that were replaced, with their newest epoch at that time
	std::set<Uuid> evicted_; // hosts
	std::map<Uuid, std::pair<u64, Milliseconds>>
		confirmed_; // newest epoch that a client of the session is known to have,
			    // and since when

	Uuid place_of(const Uuid &host) const;
	void replace(Place &place);

      public:
	explicit Judge(World &world) : world_(world)
	{
	}

	bool limit_of_promise = false; // the server crashed before a failed write was repaired
	unsigned welcomes = 0, takeovers = 0, refusals = 0, farewells = 0, evictions = 0,
		 writes = 0;

	void welcome(const Login &login);
	void confirmed(const Login &login);
	void farewell(const Login &login);
	// Epochs that were not written yet are lost.
	void crash();
	// The ledger no longer has an owner at the place of this session.
	void left(const Uuid &host, const Uuid &session);
	void apply(const Login &login);
	// Called after a crash during a change, which has taken effect or not.
	void ledger_says(const Uuid &host, const Uuid &session, bool evicted);
	void ended_by_server(const Login &login, const std::string &why) const;
	void final_refusal(const Machine &machine, cw_owners_refusal refusal);
	void evicted(const Uuid &host);
	void readmitted(const Uuid &host);
	bool is_replaced(const Uuid &session) const
	{
		return replaced_.count(session);
	}
	bool is_evicted(const Uuid &host) const
	{
		return evicted_.count(host);
	}
	bool owns(const Machine &machine) const;
};

class Server
{
	World &world_;
	cw_owners owners_{};
	std::vector<cw_ledger_host> in_effect_, next_;
	std::list<std::shared_ptr<Login>> logins_;
	std::vector<std::unique_ptr<cw_owners_request>> requests_;
	Milliseconds armed_ = CW_OWNERS_NEVER;
	unsigned life_ = 0; // events of earlier lives are ignored
	bool write_failed_ = false;
	bool undecided_ = false; // the server crashed during a change

	// The storage of the ledger, which outlives the server.
	std::array<std::vector<u8>, 2> copies_;
	std::array<u8, CW_LEDGER_SECRET> secret_{};
	unsigned first_ = 0; // the copy that the next write changes first
	int writing_ = -1; // the copy that is being written; -1: none
	std::vector<u8> image_;

	void start();
	void arm();
	void watch(Login &login);
	void kill(Login &login);
	void send(Login &login,
		  std::function<void(Machine &, const std::shared_ptr<Connection> &)> arrive);
	void look_for_end(Login &login);
	void write_copy(unsigned copy, bool second, std::size_t errors_at);
	void tear(unsigned copy);
	std::array<u8, 16> receipt(u64 generation, const Uuid &host, const Uuid &session) const;

      public:
	explicit Server(World &world);

	bool up = true;
	Milliseconds stalled_until = 0;

	// Messages from clients.
	void proof(Machine &machine, const std::shared_ptr<Connection> &connection,
		   const Machine &hello, Milliseconds came);
	Login *login_of(const Connection *connection);
	void probe(Login &login);
	void alive(Login &login, u64 cookie);
	void data_link(Login &login);
	void command(Login &login, const Write &write);
	void goodbye(Login &login);
	void connection_lost(Login &login, const std::string &why);

	void crash();
	void ask(const Uuid &host, bool readmit);
	unsigned commands_of(const Uuid *host, const Login *except) const;

	// The state machine calls these functions by cw_owners_ops.
	u64 heard(const Login &login) const
	{
		return login.heard;
	}
	bool send_probe(Login &login, u64 cookie);
	void end(Login &login, const std::string &why);
	void refuse(Login &login, cw_owners_refusal refusal);
	void welcome(Login &login);
	void farewell(Login &login);
	int write(const cw_ledger *ledger);
	void completed(cw_owners_request *request, int error);
};

class World
{
	struct Event {
		Milliseconds at;
		std::uint64_t order;
		std::function<void()> run;
		bool operator<(const Event &other) const
		{
			return at != other.at ? at > other.at : order > other.order;
		}
	};
	std::priority_queue<Event> events_;
	std::uint64_t order_ = 0;
	std::mt19937_64 random_;
	bool faults_ = true;

	void add_machine(std::unique_ptr<Machine> machine);
	void use(Machine &machine);
	void watch(Machine &machine, unsigned attempt);
	void lost(Machine &machine, const std::string &why);
	void log_in_later(Machine &machine);
	void log_in(Machine &machine);
	void send_write(Machine &machine, const Write &write);
	void attach(Machine &machine);
	void detach(Machine &machine);
	void forget(Machine &machine);
	void reboot(Machine &machine);
	void copy(Machine &machine);
	void fault();
	void quiesce();

      public:
	World(const Settings &settings, std::uint64_t seed);

	const Settings settings;
	Milliseconds now = 1000;
	std::uint64_t steps = 0;
	std::list<std::string> log; // the last events, printed with a failure
	Judge judge;
	std::unique_ptr<Server> server;
	std::vector<std::unique_ptr<Machine>> machines;

	// Runs this number of events, and then until every client that can return has returned.
	void run(std::uint64_t events);

	void at(Milliseconds when, std::function<void()> run);
	void in(Milliseconds delay, std::function<void()> run)
	{
		at(now + delay, std::move(run));
	}
	std::uint64_t below(std::uint64_t limit)
	{
		return random_() % limit;
	}
	std::uint64_t draw()
	{
		return random_();
	}
	bool chance(double p)
	{
		return std::uniform_real_distribution<>(0, 1)(random_) < p;
	}
	bool faults() const
	{
		return faults_;
	}
	Milliseconds delay();
	Milliseconds arrival(Connection &connection, Milliseconds last);
	Uuid uuid();
	void note(const std::string &text);
	bool stalled(std::function<void()> run);
	bool is_well(const Machine &machine) const
	{
		return machine.on && machine.network && now >= machine.paused_until;
	}

	void to_server(const std::shared_ptr<Connection> &connection, std::function<void()> run);
	// Calls @arrive with the login of the connection when the message arrives, if there is one.
	void to_login(const std::shared_ptr<Connection> &connection,
		      std::function<void(Login &)> arrive);
	void to_client(Machine &machine, const std::shared_ptr<Connection> &connection,
		       std::function<void()> run);

	// Messages from the server, which arrive at a client.
	void got_probe(Machine &machine, const std::shared_ptr<Connection> &connection, u64 cookie);
	void got_welcome(Machine &machine, const std::shared_ptr<Connection> &connection,
			 u64 generation, const std::array<u8, 16> &receipt);
	void got_refused(Machine &machine, const std::shared_ptr<Connection> &connection,
			 cw_owners_refusal refusal);
	void got_answer(Machine &machine, const std::shared_ptr<Connection> &connection,
			unsigned write);
	void got_farewell(Machine &machine, const std::shared_ptr<Connection> &connection);
	void server_closed(Machine &machine, const std::shared_ptr<Connection> &connection);
};

std::string to_text(const Uuid &uuid);

} // namespace owners
