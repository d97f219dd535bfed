// SPDX-License-Identifier: GPL-2.0-or-later
// Shows that one side alone ends a request: runs the submitter, a faulty peer's answer and the
// collector on two processors whose store buffers are not ordered, in every possible order.
#include "store_buffers.h"

#include "kmod/core/wire/integers.h"

namespace
{

using namespace store_buffers;

#define READ_ONCE(place) load(place)
#define WRITE_ONCE(place, value) store(&(place), number_of(value))
#define smp_load_acquire(place) load(*(place))
#define smp_store_release(place, value) store_release(place, number_of(value))
#define cmpxchg(place, before, after) \
	compare_exchange<void *>(place, before, static_cast<void *>(after))
#include "kmod/core/link/slots.h"

struct Link {
	cw_slot slot;
	u32 sent;
	int request; // the waiter; its value is a field that the submitter stores

	// Before the command: the slot has the number of an older message.
	Memory before(u32 count) const
	{
		return {{&slot.waiter, 0}, {&slot.number, count - 2}, {&sent, count},
			{&request, 0}};
	}
	// As cw_link_command() and cw_link_post() do.
	bool submit()
	{
		const u32 number = load(sent);
		store(&request, 1);
		cw_slot_set(&slot, &request, number);
		WRITE_ONCE(sent, number + 1);
		return true;
	}
	// Returns true if an answer ends the request too early, or with fields that are not stored.
	bool is_ended_wrongly(u32 count)
	{
		void *waiter = cw_slot_waiter(&slot, &sent);
		if (!waiter || !cw_slot_take(&slot, waiter))
			return false;
		return load(sent) != count + 1 || load(request) != 1;
	}
};

class Slots : public testing::TestWithParam<u32>
{
};

TEST_P(Slots, AnAnswerEndsOnlyARequestThatWasSent)
{
	Link link{};
	Race race{{[&] { return link.submit(); },
		   [&] { return link.is_ended_wrongly(GetParam()); }},
		  link.before(GetParam())};
	race.ordered = false;
	race.is_wrong = [](bool, bool wrong) { return wrong; };

	EXPECT_EQ(race.wrong_orders(), 0U);
}

TEST_P(Slots, AnAnswerAfterTheMessageFindsTheRequest)
{
	Link link{};
	Race race{{[&] { return link.submit(); },
		   [&] {
			   // The answer is to a message that was sent.
			   if (load(link.sent) == GetParam())
				   return true;
			   return cw_slot_waiter(&link.slot, &link.sent) == &link.request;
		   }},
		  link.before(GetParam())};
	race.is_wrong = [](bool, bool found) { return !found; };

	EXPECT_EQ(race.wrong_orders(), 0U);
}

TEST_P(Slots, ExactlyOneSideTakesTheRequest)
{
	Link link{};
	Race race{{[&] {
			   void *waiter = cw_slot_waiter(&link.slot, &link.sent);
			   return waiter && cw_slot_take(&link.slot, waiter);
		   },
		   [&] {
			   void *waiter = load(link.slot.waiter);
			   return waiter && cw_slot_take(&link.slot, waiter);
		   }},
		  {{&link.slot.waiter, number_of(&link.request)},
		   {&link.slot.number, GetParam()},
		   {&link.sent, static_cast<u32>(GetParam() + 1)}}};
	race.ordered = false;
	race.is_wrong = [](bool answer, bool collector) { return answer == collector; };

	EXPECT_EQ(race.wrong_orders(), 0U);
}

// The numbers of messages wrap.
INSTANTIATE_TEST_SUITE_P(Numbers, Slots, testing::Values(7U, 0U, 0xffffffffU));

} // namespace
