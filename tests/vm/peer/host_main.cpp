// SPDX-License-Identifier: GPL-2.0-or-later
#include <asm/byteorder.h>

#include <cstdio>
#include <iostream>

#include "host_cases.h"

namespace peer
{

namespace
{

using namespace std::chrono_literals;

// rejects-versions-A-B: what a server that speaks these versions answers.
std::optional<cw_wire_rej> rejected_versions(const std::string &acceptance)
{
	unsigned min, max;
	if (sscanf(acceptance.c_str(), "rejects-versions-%u-%u", &min, &max) != 2)
		return std::nullopt;
	cw_wire_rej rec;
	cw_pack_rej(&rec, CW_REFUSED_VERSION);
	rec.version_min = __cpu_to_le16(u16(min));
	rec.version_max = __cpu_to_le16(u16(max));
	return rec;
}

Conduct honest_conduct()
{
	Conduct conduct;
	conduct.queues = 2;
	return conduct;
}

class Host
{
      public:
	Host(const Bytes &key, const std::vector<std::string> &acceptances)
	    : key_(key), listener_(CW_WIRE_PORT),
	      acceptances_(acceptances.begin(), acceptances.end())
	{
	}

	void serve_one()
	{
		Request request = listener_.next(1h);
		cw_req parsed;
		if (cw_parse_req(request.words.data(), request.words.size(), &parsed) ||
		    parsed.kind != CW_KIND_CONTROL)
			return; // a data link of a connection that is over
		const std::string acceptance = next_acceptance();
		if (const auto versions = rejected_versions(acceptance))
			return Listener::reject(std::move(request), raw(*versions));
		Visit visit(listener_, std::move(request), key_, words_of(acceptance));
		const std::string name = visit.hello().export_name;
		const bool honest = name.rfind("honest", 0) == 0;
		const auto found = all_.find(name);
		if (found == all_.end() && !honest)
			return visit.refuse(CW_REFUSED_EXPORT, "no such export");
		const cw_hello &hello = visit.hello();
		const std::string session(hello.session, hello.session + sizeof(hello.session));
		const unsigned nr = ++visits_[session];
		std::cout << name << ": connection " << nr << std::endl;
		visit.run(honest || nr > found->second.times ? honest_ : found->second);
		std::cout << name << ": over" << std::endl;
	}

      private:
	std::string next_acceptance()
	{
		if (acceptances_.empty())
			return "right";
		const std::string name = acceptances_.front();
		acceptances_.pop_front();
		std::cout << "control link accepted: " << name << std::endl;
		return name;
	}

	Bytes words_of(const std::string &name) const
	{
		return name == "right" ? accept_words(CW_KIND_CONTROL)
				       : wrong_.at(name)(CW_KIND_CONTROL);
	}

	Bytes key_;
	Listener listener_;
	std::deque<std::string> acceptances_; // of the next control links
	const std::map<std::string, Acceptance> wrong_ = wrong_acceptances();
	const Conducts all_ = host_cases();
	const Conduct honest_ = honest_conduct();
	std::map<std::string, unsigned> visits_;
};

} // namespace

Conducts host_cases()
{
	Conducts all = host_login_cases();
	for (const Conducts &some :
	     {host_data_cases(), host_acceptance_cases(), host_refusal_cases()})
		all.insert(some.begin(), some.end());
	return all;
}

int host_main(const Bytes &key, const std::vector<std::string> &acceptances)
{
	for (const std::string &name : acceptances) {
		if (name != "right" && !rejected_versions(name) &&
		    !wrong_acceptances().count(name)) {
			std::cerr << "no acceptance is called " << name << std::endl;
			return 2;
		}
	}
	Host host(key, acceptances);
	std::cout << "listening" << std::endl;
	for (;;) {
		try {
			host.serve_one();
		} catch (const Ended &ended) {
			std::cout << "ended: " << ended.what() << std::endl;
		} catch (const Failure &failure) {
			std::cout << "failure: " << failure.what() << std::endl;
		}
	}
}

} // namespace peer
