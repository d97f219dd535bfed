// SPDX-License-Identifier: GPL-2.0-or-later
#include <iostream>

#include "host_cases.h"

namespace peer
{

namespace
{

using namespace std::chrono_literals;

class Host
{
      public:
	explicit Host(const Bytes &key) : key_(key), listener_(CW_WIRE_PORT), all_(host_login_cases())
	{
		const Conducts more = host_data_cases();
		all_.insert(more.begin(), more.end());
	}

	void serve_one()
	{
		Request request = listener_.next(1h);
		cw_req parsed;
		if (cw_parse_req(request.words.data(), request.words.size(), &parsed) ||
		    parsed.kind != CW_KIND_CONTROL)
			return; // a data link of a connection that is over
		Visit visit(listener_, std::move(request), key_);
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
	Bytes key_;
	Listener listener_;
	Conducts all_;
	const Conduct honest_;
	std::map<std::string, unsigned> visits_;
};

} // namespace

int host_main(const Bytes &key)
{
	Host host(key);
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
