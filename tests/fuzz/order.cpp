// SPDX-License-Identifier: GPL-2.0-or-later
// A dialogue on a control link: each byte is a type, and its highest bit selects the sender. A type
// that is not allowed is skipped, because a link would end itself instead.
#include "include/wire/causeway_order.h"

#include "fuzz.h"
#include "samples.h"

using namespace fuzz;

namespace
{

// The messages so far, counted independently of the code under test.
struct Dialogue {
	unsigned client[256] = {}, server[256] = {};
	unsigned first = 0; // type of the client's first message

	bool logged_in() const
	{
		return server[CW_MSG_WELCOME] || server[CW_MSG_JOINED];
	}
};

bool is_sign(unsigned type)
{
	return type == CW_MSG_PROBE || type == CW_MSG_ALIVE;
}

void check_client(const Dialogue &d, unsigned type)
{
	const bool opens = type == CW_MSG_HELLO || type == CW_MSG_JOIN || type == CW_MSG_DISCOVER;
	CHECK(opens || d.first);
	CHECK(!d.client[CW_MSG_GOODBYE] || is_sign(type));
	CHECK(d.first != CW_MSG_DISCOVER || is_sign(type) || type == CW_MSG_DISCOVER);
	CHECK(d.first != CW_MSG_HELLO || !opens);
	CHECK(d.first != CW_MSG_JOIN || !opens);
	if (type == CW_MSG_PROOF)
		CHECK(d.server[CW_MSG_CHALLENGE] == 1 && !d.client[CW_MSG_PROOF]);
	if (type == CW_MSG_GOODBYE || type == CW_MSG_FENCE || type == CW_MSG_PATH_BYE)
		CHECK(d.logged_in());
	CHECK(opens || is_sign(type) || type == CW_MSG_PROOF || type == CW_MSG_GOODBYE ||
	      type == CW_MSG_FENCE || type == CW_MSG_PATH_BYE);
}

void check_server(const Dialogue &d, unsigned type)
{
	switch (type) {
	case CW_MSG_CHALLENGE:
		CHECK(d.client[CW_MSG_HELLO] && !d.server[type]);
		break;
	case CW_MSG_WELCOME:
		CHECK(d.client[CW_MSG_PROOF] && !d.server[type]);
		break;
	case CW_MSG_JOINED:
		CHECK(d.client[CW_MSG_JOIN] && !d.server[type]);
		break;
	case CW_MSG_FAREWELL:
		CHECK(d.client[CW_MSG_GOODBYE] && !d.server[type]);
		break;
	case CW_MSG_WAITING:
		CHECK(((d.client[CW_MSG_PROOF] || d.client[CW_MSG_JOIN]) && !d.logged_in()) ||
		      d.server[CW_MSG_FENCED] < d.client[CW_MSG_FENCE]);
		break;
	case CW_MSG_REFUSED:
		CHECK(d.first && !d.logged_in() && !d.server[type]);
		break;
	case CW_MSG_EXPORTS:
		CHECK(d.server[type] < d.client[CW_MSG_DISCOVER]);
		break;
	case CW_MSG_FENCED:
		CHECK(d.server[type] < d.client[CW_MSG_FENCE]);
		break;
	case CW_MSG_NOTICE:
		CHECK(d.logged_in());
		break;
	default:
		CHECK(is_sign(type));
	}
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	cw_order order{};
	Dialogue d;
	for (size_t i = 0; i < len; i++) {
		const bool from_client = data[i] & 0x80;
		const u8 type = data[i] & 0x7f;
		if (!cw_order_allows(&order, type, from_client))
			continue;
		if (from_client)
			check_client(d, type);
		else
			check_server(d, type);
		cw_order_note(&order, type, from_client);
		(from_client ? d.client : d.server)[type]++;
		if (from_client && !d.first)
			d.first = type;
	}
	return 0;
}
