// SPDX-License-Identifier: GPL-2.0-only
/* A socket says whether it may use the page fragment of the task, since Linux 6.2. */
#include <net/sock.h>

void probe(struct sock *sk);
void probe(struct sock *sk)
{
	sk->sk_use_task_frag = false;
}
