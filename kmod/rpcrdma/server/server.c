// SPDX-License-Identifier: GPL-2.0-only
/*
 * The server transport.
 */
#include "server.h"

int cwrs_register(void)
{
	return 0;
}

void cwrs_unregister(void)
{
}
