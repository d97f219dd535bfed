// SPDX-License-Identifier: GPL-2.0-or-later
// Many clients at once, or one after the other (PROTOCOL, section 4).
#include <algorithm>
#include <iostream>

#include "cases.h"
#include "clock.h"
#include "input.h"

namespace peer
{

namespace
{

using Crowd = std::vector<std::unique_ptr<Link>>;

constexpr u16 MESSAGES = 8; // of the server's that a small link takes without having given credit

std::string hold_until_input_ends()
{
	std::cin.ignore(std::numeric_limits<std::streamsize>::max());
	return "left";
}

Crowd strangers_of(const Target &target, unsigned count)
{
	Crowd crowd;
	while (crowd.size() < count)
		crowd.push_back(connect_control(target, SMALL));
	return crowd;
}

// Connects one more, which joins the crowd if the server accepts it; returns the outcome.
std::string one_more(const Target &target, Crowd &crowd)
{
	try {
		crowd.push_back(connect_control(target, SMALL));
	} catch (const Ended &ended) {
		return ended.what();
	}
	return "accepted";
}

cw_hello small_hello(const Target &target)
{
	cw_hello hello = make_hello(target);
	hello.messages = MESSAGES;
	return hello;
}

struct Client {
	Client(const Target &target) : session(target, small_hello(target), SMALL),
				       data(session.connect_data(0, SMALL))
	{
	}

	// A command that stays with the disk. The one behind it reads beyond the end of every
	// export and is answered at once, after the first was taken.
	void give_command()
	{
		data->send(commands(*data, {inline_read(0, 0)}).bytes());
		data->send(commands(*data, {inline_read(1, 1ULL << 60)}).bytes());
		const std::optional<Answer> refused = answer(*data, session);
		if (!refused || refused->done.size() != 1 || refused->done[0].slot != 1)
			throw Failure("the disk of the export answers");
	}

	// Its next login, which the server will welcome when the command is done.
	std::unique_ptr<Link> log_in_again()
	{
		const cw_hello hello = session.next_hello();
		auto control = connect_control(session.target, SMALL);
		send_hello(*control, packed(hello));
		expect(*control, CW_MSG_CHALLENGE);
		send_proof(*control);
		proved_at = Clock::now();
		session.control->wait_closed();
		return control;
	}

	Clock::time_point proved_at; // the last message of the new login
	Session session;
	std::unique_ptr<Link> data;
};

// A login that the server keeps waiting.
class Login
{
      public:
	explicit Login(std::unique_ptr<Link> control) : control_(std::move(control))
	{
	}

	// Takes what came since, without waiting, and shows now and then that the client is there.
	void go_on()
	{
		constexpr long PROBE_MS = 1500;
		while (!welcomed_ && !closed_ && control_->ready()) {
			const std::optional<Bytes> bytes = control_->receive();
			if (!bytes)
				closed_ = true;
			else
				take(frame_of(*bytes, CW_WIRE_PAGE, CW_KIND_CONTROL, false).type);
		}
		if (!welcomed_ && !closed_ && milliseconds_since(probed_) >= PROBE_MS) {
			send_probe(*control_);
			probed_ = Clock::now();
		}
	}

	bool welcomed() const
	{
		return welcomed_;
	}

      private:
	void take(u8 type)
	{
		if (type == CW_MSG_WELCOME)
			welcomed_ = true;
		else if (type != CW_MSG_WAITING && type != CW_MSG_ALIVE)
			throw Failure("message " + std::to_string(type) + " to a login that waits");
	}

	std::unique_ptr<Link> control_;
	Clock::time_point probed_ = Clock::now();
	bool welcomed_ = false, closed_ = false;
};

} // namespace

std::string strangers(const Target &target, unsigned count)
{
	Crowd crowd = strangers_of(target, count);
	const std::string end = one_more(target, crowd);
	std::cout << "held " << crowd.size() << ", then " << end << std::endl;
	return hold_until_input_ends();
}

std::string flood(const Target &target, unsigned count)
{
	Crowd crowd = strangers_of(target, count);
	std::cout << "held " << crowd.size() << std::endl;
	unsigned tries = 0, accepted = 0;
	do {
		accepted += one_more(target, crowd) == "accepted";
		if (++tries == 20)
			std::cout << "tried " << tries << " more" << std::endl;
	} while (!input_has_ended(10));
	return std::to_string(accepted) + " more got in";
}

std::string hung(const Target &target, unsigned count)
{
	std::vector<std::unique_ptr<Client>> clients;
	std::vector<Login> again;
	const auto go_on = [&] {
		for (Login &login : again)
			login.go_on();
	};
	while (clients.size() < count) {
		clients.push_back(std::make_unique<Client>(target));
		clients.back()->give_command();
	}
	for (auto &client : clients) {
		again.emplace_back(client->log_in_again());
		client.reset();
		go_on();
	}
	std::cout << again.size() << " logins wait" << std::endl;
	while (!input_has_ended(100))
		go_on();
	go_on();
	const auto welcomed = std::count_if(again.begin(), again.end(),
					    [](const Login &login) { return login.welcomed(); });
	return std::to_string(welcomed) + " were welcomed, left";
}

std::string stuck(const Target &target, unsigned count)
{
	std::vector<std::unique_ptr<Client>> clients;
	while (clients.size() < count) {
		clients.push_back(std::make_unique<Client>(target));
		clients.back()->give_command();
		if (clients.size() % 100 == 0)
			std::cout << clients.size() << " commands wait" << std::endl;
	}
	std::cout << "all " << clients.size() << " commands wait" << std::endl;
	return hold_until_input_ends();
}

std::string logins(const Target &target, unsigned count)
{
	// Each login is one of the same session, and waits until the one before has ended.
	cw_hello hello = make_hello(target);
	const auto log_in = [&] {
		const auto start = Clock::now();
		const Session session(target, hello, SMALL);
		const auto took = milliseconds_since(start);
		hello = session.next_hello();
		return took;
	};
	// A process that is new is slow, whatever the server does: on an emulated machine the
	// library of the adapter alone takes 240 to 600 ms to load.
	std::cout << "first: " << log_in() << " ms" << std::endl;
	std::vector<long> times;
	while (times.size() < count) {
		times.push_back(log_in());
		std::cout << times.back() << " ms" << std::endl;
	}
	const Session session(target, hello, SMALL);
	session.control->send(message(*session.control, CW_MSG_GOODBYE).bytes());
	expect(*session.control, CW_MSG_FAREWELL);
	std::sort(times.begin(), times.end());
	return "median " + std::to_string(times.at(times.size() / 2)) + " ms, maximum " +
	       std::to_string(times.back()) + " ms";
}

std::string silent(const Target &target, unsigned)
{
	Client client(target);
	const auto start = Clock::now();
	client.session.control->wait_closed();
	return "closed after " + std::to_string(milliseconds_since(start)) + " ms";
}

std::string vanish(const Target &target, unsigned)
{
	Client client(target);
	client.give_command();
	const auto control = client.log_in_again();
	control->wait_closed();
	return "closed after " + std::to_string(milliseconds_since(client.proved_at)) + " ms";
}

} // namespace peer
