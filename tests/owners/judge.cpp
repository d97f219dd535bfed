// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "world.h"

namespace owners
{
namespace
{

constexpr Milliseconds return_ms = 5000;
constexpr Milliseconds writes_epochs_ms = 20000; // 10 s, and the time that a slow write takes

Uuid host_of(const Login &login)
{
	Uuid uuid;
	std::ranges::copy(login.view.m.owner.host, uuid.begin());
	return uuid;
}

Uuid session_of(const Login &login)
{
	Uuid uuid;
	std::ranges::copy(login.view.m.owner.session, uuid.begin());
	return uuid;
}

} // namespace

std::string to_text(const Uuid &uuid)
{
	static const char *digits = "0123456789abcdef";
	std::string text;
	for (unsigned i = 0; i < 4; i++)
		text += {digits[uuid[i] >> 4], digits[uuid[i] & 15]};
	return text;
}

Uuid Judge::place_of(const Uuid &host) const
{
	return world_.settings.exclusive ? Uuid{} : host;
}

void Judge::replace(Place &place)
{
	if (place.session != Uuid{})
		replaced_[place.session] = place.epoch;
}

void Judge::welcome(const Login &login)
{
	Uuid session = session_of(login), host = host_of(login);
	welcomes++;
	// A login that is not RETURNING has no commands to send again, so it may be welcomed even
	// if its session was replaced.
	auto replaced = replaced_.find(session);
	if (replaced != replaced_.end() && login.m().returning &&
	    login.m().last <= replaced->second)
		throw Broken("session " + to_text(session) + " of host " + to_text(host) +
			     " was welcomed, which another one had replaced");
	if (evicted_.count(host))
		throw Broken("an evicted host was welcomed");
	auto confirmed = confirmed_.find(session);
	if (confirmed != confirmed_.end() && login.m().returning &&
	    login.m().last < confirmed->second.first)
		throw Broken("a copy was welcomed although the original had logged in since");
	if (world_.server->commands_of(world_.settings.exclusive ? nullptr : &host, &login))
		throw Broken("a login was welcomed while earlier commands were with the disk");
	Place &place = places_[place_of(host)];
	if (place.session != Uuid{} && place.session != session) {
		if (place.host != host && !world_.settings.takeover_after)
			throw Broken("a host took over an exclusive disk without takeover-after");
		replace(place);
		world_.note("judge: session " + to_text(place.session) + " is replaced by " +
			    to_text(session));
		takeovers++;
	}
	place = {host, session, login.m().epoch, login.id};
}

// A path may join only behind its FENCE, and only while its login may change the disk.
void Judge::joined(const Login &login)
{
	joins++;
	unsigned path = login.m().path;
	u64 floor = login.m().epoch - 1;
	Fences &seen = fences_[login.secret];
	if (evicted_.count(host_of(login)))
		throw Broken("a path of an evicted host joined");
	if (seen.said_goodbye)
		throw Broken("a path joined after GOODBYE");
	if (places_[place_of(host_of(login))].login != login.secret)
		throw Broken("a path of an earlier login joined");
	if (!seen.named.count(path) || seen.named[path] != floor)
		throw Broken("a path joined without its FENCE");
	if (!login.m().tag || seen.announced[{path, floor}] != login.m().tag)
		throw Broken("a JOIN was admitted that the client did not announce");
	if (!seen.joined.emplace(path, floor).second)
		throw Broken("two JOINs were admitted on one floor");
}

void Judge::goodbye(const Login &login)
{
	fences_[login.secret].said_goodbye = true;
}

void Judge::fence(const Login &login, unsigned path, u64 epoch, u64 tag)
{
	Fences &seen = fences_[login.secret];
	if (login.m().state != CW_LOGIN_LIVE)
		return;
	seen.named[path] = std::max(seen.named[path], epoch);
	if (tag)
		seen.announced[{path, epoch}] = tag;
}

void Judge::fenced(unsigned secret, unsigned path, u64 epoch)
{
	fences++;
	u64 &answered = fences_[secret].answered[path];
	answered = std::max(answered, epoch);
}

void Judge::sent(const Machine &machine, const Write &write)
{
	sent_[{machine.id, write.id}] = write.copy;
}

void Judge::confirmed(const Login &login)
{
	auto &[epoch, when] = confirmed_[session_of(login)];
	if (login.m().login_epoch > epoch) {
		epoch = login.m().login_epoch;
		when = world_.now;
	}
}

void Judge::crash()
{
	std::erase_if(confirmed_, [this](const auto &each) {
		return each.second.second + writes_epochs_ms >= world_.now;
	});
}

void Judge::farewell(const Login &login, bool owns)
{
	farewells++;
	if (owns && places_[place_of(host_of(login))].login == login.secret)
		throw Broken("FAREWELL was sent, and the session is still an owner");
	if (world_.server->commands_of(login.secret))
		throw Broken("FAREWELL was sent while commands were with the disk");
}

void Judge::left(const Uuid &host, const Uuid &session)
{
	Place &place = places_[place_of(host)];
	if (place.session == session)
		place = {};
}

void Judge::apply(const Login &login, const Write &write)
{
	writes++;
	if (places_[place_of(host_of(login))].login != login.secret)
		throw Broken("a write of an earlier login changed the disk");
	if (login.m().epoch <= fences_[login.secret].answered[login.m().path])
		throw Broken("a write of a fenced path changed the disk");
	if (sent_[{login.machine->id, write.id}] != write.copy)
		throw Broken("a write changed the disk after it was sent again");
}

void Judge::ledger_says(const Uuid &host, const Uuid &session, bool is_evicted)
{
	Place &place = places_[place_of(host)];
	if (is_evicted)
		evicted_.insert(host);
	else
		evicted_.erase(host);
	bool vacated = session == Uuid{} && place.host == host;
	bool replaced = session != Uuid{} && session != place.session;
	if (place.session == Uuid{} || (!vacated && !replaced))
		return;
	replace(place);
	place = {};
}

// A session may be replaced only if its machine is gone or has not answered for long.
void Judge::ended_by_server(const Login &login, const std::string &why) const
{
	Machine &machine = *login.machine;
	const Path *path = path_of(machine, login.connection);
	if (why != "a newer login took its place" || !path || path->state != Path::State::live ||
	    login.connection->cut || !login.connection->client_open || !world_.is_well(machine))
		return;
	if (std::max({machine.well_since, path->well_since, login.connection->late_until}) +
		    return_ms + 2000 <
	    world_.now)
		throw Broken("an owner was replaced that was there");
}

void Judge::final_refusal(const Machine &machine, cw_owners_refusal refusal)
{
	refusals++;
	if (machine.copied || limit_of_promise || replaced_.count(machine.session) ||
	    evicted_.count(machine.host) || refusal == CW_OWNERS_EVICTED)
		return;
	throw Broken("an owner was locked out for good, with refusal " + std::to_string(refusal));
}

void Judge::evicted(const Uuid &host)
{
	evictions++;
	evicted_.insert(host);
	if (world_.server->commands_of(&host, nullptr))
		throw Broken(
			"an eviction was reported while commands of the host were with the disk");
	Place &place = places_[place_of(host)];
	if (place.host != host)
		return;
	replace(place);
	place = {};
}

void Judge::readmitted(const Uuid &host)
{
	evicted_.erase(host);
}

bool Judge::owns(const Machine &machine) const
{
	auto place = places_.find(place_of(machine.host));
	return machine.session != Uuid{} && place != places_.end() &&
	       place->second.session == machine.session;
}

} // namespace owners
