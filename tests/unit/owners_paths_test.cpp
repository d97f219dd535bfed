// SPDX-License-Identifier: GPL-2.0-or-later
// Tests the rules of docs/PROTOCOL.md, section 7, on the machine of the owners, one by one.
// tests/owners combines them at random.
#include "owners_fixture.h"

using namespace owners_fixture;

namespace
{

class OwnersPaths : public Owners
{
};

// ---- the confirmed epoch ----

TEST_F(OwnersPaths, ADataLinkOfAJoinedPathConfirmsTheLogin)
{
	cw_login a = login("a", 1, 1, 1, 1);
	attach(a);
	// The path joined with epoch 2, and proves the secret of login 1.
	cw_login b = login("b", 1, 1, 1, 2);
	b.login_epoch = 1;
	b.state = CW_LOGIN_LIVE;
	b.admitted = true;
	names[&b] = "b";
	a.next = &b;
	ASSERT_TRUE(cw_owners_confirm(&owners, &b, now));
	leave(b);
	leave(a);
	cw_login c = returning("c", 1, 1, 1, 3, 1);
	enter(c);
	EXPECT_EQ(took(), Asked{"welcome c"});
}

} // namespace
