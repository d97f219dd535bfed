// SPDX-License-Identifier: GPL-2.0-or-later
// Shows that no wake-up is lost: runs the two sides of a wait on two processors that have store
// buffers, in every possible order. The buffers are ordered, like those of x86. atomic_inc() is
// buffered here too, because some processors do not order it: on x86 it would hide a missing
// barrier after it.
#include "store_buffers.h"

#include "kmod/core/wire/integers.h"

struct atomic_t {
	int counter;
};
struct list_head {
	const list_head *next;
};

namespace
{

using namespace store_buffers;

int atomic_read(const atomic_t *v)
{
	return load(v->counter);
}

void atomic_inc(atomic_t *v)
{
	access({Access::ADD, &v->counter, 1});
}

bool list_empty_careful(const list_head *head)
{
	return access({Access::LOAD, &head->next, 0}) == number_of(head);
}

#define READ_ONCE(place) load(place)
#define WRITE_ONCE(place, value) store(&(place), static_cast<long>(value))
#define likely(condition) (condition)
#define smp_mb() barrier()
#define smp_mb__after_atomic() barrier()
#include "kmod/core/link/wakeup.h"

// A wake-up is lost if neither side sees the other.
bool is_lost(bool first, bool second)
{
	return !first && !second;
}

TEST(Wakeup, CreditIsFoundOrItsWaiterIs)
{
	u32 credited = 0;
	const u32 sent = 8;
	bool waits = false;
	Race wait{{[&] { return cw_wakeup_has_credit(&credited, &sent, 8, &waits); },
		   [&] { return cw_wakeup_give_credit(&credited, 4, &waits); }},
		  {{&credited, 0}, {&waits, 0}}};
	wait.is_wrong = is_lost;

	EXPECT_EQ(wait.wrong_orders(), 0U);
	EXPECT_GT(wait.wrong_orders(false, true), 0U) << "without the waiter's barrier";
	EXPECT_GT(wait.wrong_orders(true, false), 0U) << "without the giver's barrier";
}

TEST(Wakeup, AKickIsFoundOrWhatIsParkedIs)
{
	atomic_t kicks{};
	list_head parked{&parked}, command{};
	int room = 0;
	Race wait{{[&] {
			   const int before = atomic_read(&kicks);
			   if (load(room))
				   return true;
			   store(&parked.next, number_of(&command));
			   return cw_wakeup_was_kicked(&kicks, before);
		   },
		   [&] {
			   store(&room, 1);
			   return cw_wakeup_kick(&kicks, &parked);
		   }},
		  {{&kicks.counter, 0}, {&parked.next, number_of(&parked)}, {&room, 0}}};
	wait.is_wrong = is_lost;

	EXPECT_EQ(wait.wrong_orders(), 0U);
	EXPECT_GT(wait.wrong_orders(false, true), 0U) << "without the barrier of what is parked";
	EXPECT_GT(wait.wrong_orders(true, false), 0U) << "without the kick's barrier";
}

} // namespace
