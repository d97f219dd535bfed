// SPDX-License-Identifier: GPL-2.0-or-later
// A server, its disk, the storage of its ledger, clients and a network, in one thread and in
// virtual time. The server decides by kmod/core/owners, the same code as in the kernel. Everything
// else is a model of what docs/PROTOCOL.md allows.
//
// A Judge watches and knows more than the server. It ends the simulation if a write of an earlier
// owner or of a fenced path changes the disk, if a session returns that was replaced, or if an
// owner or a path is locked out without a reason.
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

constexpr unsigned paths_most = 3;

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
	unsigned paths = 1; // of a machine, at most paths_most
	bool careless = false; // clients break the rules of JOIN and FENCE
	bool forges = false; // a peer that knows S and the epochs sends JOINs
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

// A command. A client sends it again when it gets no answer.
struct Write {
	unsigned id = 0;
	unsigned copy = 0; // how often it was sent
	unsigned path = 0; // the path and the incarnation on which it was sent last
	u64 epoch = 0;
	bool held = true; // it may not be sent before its path is fenced, or a login
};

// The state machine's part of a login.
struct View {
	cw_login m{};
	Login *login = nullptr;
};

// A login, or a path that joined, at the server.
struct Login : std::enable_shared_from_this<Login> {
	View view;
	unsigned id = 0;
	unsigned secret = 0; // the id of the login whose secret it proved; for a login, its id
	std::shared_ptr<Connection> connection;
	Machine *machine = nullptr;
	Milliseconds heard = 0;
	std::vector<Write> commands; // that the disk has
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

// A path of a client. Its number is its place in the machine.
struct Path {
	enum class State { down, connecting, live };
	State state = State::down;
	std::shared_ptr<Connection> connection;
	u64 epoch = 0; // of the newest incarnation
	u64 tag = 0; // of its JOIN
	unsigned attempt = 0; // events of earlier attempts do nothing
	u64 fence = 0; // the highest epoch that has to be fenced; 0: none
	std::shared_ptr<Connection> fenced_on; // the FENCE of this epoch was sent there
	bool network = true;
	Milliseconds well_since = 0; // the time of its last fault
};

// A JOIN as it was sent.
struct Join {
	Uuid host{}, boot{}, session{};
	unsigned path = 0;
	u64 epoch = 0, tag = 0;
	unsigned secret = 0;
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

	unsigned secret = 0; // the id of the login whose WELCOME the session accepted last
	std::array<Path, paths_most> paths;
	unsigned path_count = 1;
	unsigned login_path = 0; // the path of the last HELLO
	unsigned goodbye_path = 0; // the path of GOODBYE
	unsigned attempt = 0; // events of earlier attempts do nothing
	bool on = true;
	Milliseconds paused_until = 0;
	Milliseconds well_since = 0; // the time of its last fault
};

// A place has one owner: it is the disk of an exclusive export, or a host of a shared one. For each
// place, the judge records the login that may write.
struct Place {
	Uuid host{}, session{};
	u64 epoch = 0;
	unsigned login = 0; // the login whose paths may change the disk; 0: none
};

// The fences of the paths of one login, as the judge counts them.
struct Fences {
	std::map<unsigned, u64> named; // by path: the highest epoch that a FENCE named
	// By path and epoch: the tag of the JOIN that a FENCE of that epoch announced.
	std::map<std::pair<unsigned, u64>, u64> announced;
	std::set<std::pair<unsigned, u64>> joined; // paths, and floors on which a JOIN was admitted
	std::map<unsigned, u64> answered; // by path: the highest epoch whose FENCED the client has
	bool said_goodbye = false;
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

	std::map<unsigned, Fences> fences_; // by the login
	std::map<std::pair<unsigned, unsigned>, unsigned>
		sent_; // by machine and write: the copies that were sent

	Uuid place_of(const Uuid &host) const;
	void replace(Place &place);

      public:
	explicit Judge(World &world) : world_(world)
	{
	}

	bool limit_of_promise = false; // the server crashed before a failed write was repaired
	unsigned welcomes = 0, takeovers = 0, refusals = 0, farewells = 0, evictions = 0,
		 writes = 0, joins = 0, fences = 0;

	void welcome(const Login &login);
	void joined(const Login &login);
	void confirmed(const Login &login);
	void goodbye(const Login &login);
	// A FENCE has arrived at the server on the path of @login.
	void fence(const Login &login, unsigned path, u64 epoch, u64 tag);
	// FENCED has arrived at the client.
	void fenced(unsigned secret, unsigned path, u64 epoch);
	void sent(const Machine &machine, const Write &write);
	// @owns: the ledger in effect has the session as an owner.
	void farewell(const Login &login, bool owns);
	// Epochs that were not written yet are lost.
	void crash();
	// The ledger no longer has an owner at the place of this session.
	void left(const Uuid &host, const Uuid &session);
	void apply(const Login &login, const Write &write);
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
	Login &add(Machine &machine, const std::shared_ptr<Connection> &connection);
	const Login *live_path(const Join &join) const;
	void enter_join(Machine &machine, const std::shared_ptr<Connection> &connection,
			const Join &join, const Login &found, Milliseconds came);
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
	void join(Machine &machine, const std::shared_ptr<Connection> &connection,
		  const Join &join);
	void fence(Login &login, unsigned path, u64 epoch, u64 tag);
	void path_bye(Login &login, unsigned path, u64 epoch);
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
	unsigned commands_of(unsigned secret) const;

	// The state machine calls these functions by cw_owners_ops.
	u64 heard(const Login &login) const
	{
		return login.heard;
	}
	bool send_probe(Login &login, u64 cookie);
	void end(Login &login, const std::string &why);
	void refuse(Login &login, cw_owners_refusal refusal);
	void welcome(Login &login);
	void fenced(Login &login, unsigned path, u64 epoch);
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
	void connect(Machine &machine, Path &path);
	void watch(Machine &machine, Path &path, const std::shared_ptr<Connection> &connection);
	void close(Path &path);
	void lost(Machine &machine, Path &path, const std::string &why);
	void log_in_later(Machine &machine);
	void log_in(Machine &machine);
	void join_later(Machine &machine, Path &path);
	void join(Machine &machine, Path &path);
	void forge();
	void announce(Machine &machine, const Path &path, Path &on);
	void send_fences(Machine &machine);
	void remove_path(Machine &machine);
	void send_write(Machine &machine, Write &write);
	void write(Machine &machine);
	void attach(Machine &machine);
	void detach(Machine &machine);
	void forget(Machine &machine);
	void reboot(Machine &machine);
	void copy(Machine &machine);
	void fault();
	void cut(Machine &machine, Path &path);
	void flap(Machine &machine);
	void quiesce();
	void check_paths(const Machine &machine) const;
	Path *live_path(Machine &machine, const Path *except);

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
		return machine.on && now >= machine.paused_until;
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
			 unsigned secret, u64 generation, const std::array<u8, 16> &receipt);
	void got_joined(Machine &machine, const std::shared_ptr<Connection> &connection);
	void got_fenced(Machine &machine, const std::shared_ptr<Connection> &connection,
			unsigned number, u64 epoch);
	void got_refused(Machine &machine, const std::shared_ptr<Connection> &connection,
			 cw_owners_refusal refusal);
	void got_answer(Machine &machine, const std::shared_ptr<Connection> &connection,
			unsigned write);
	void got_farewell(Machine &machine, const std::shared_ptr<Connection> &connection);
	void server_closed(Machine &machine, const std::shared_ptr<Connection> &connection);
};

std::string to_text(const Uuid &uuid);
// The number of a path of the machine.
unsigned number_of(const Machine &machine, const Path &path);
// The path that has this connection, or NULL.
Path *path_of(Machine &machine, const std::shared_ptr<Connection> &connection);

} // namespace owners
