/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls of the server to the client. */
#ifndef CWRS_BACKCHANNEL_H
#define CWRS_BACKCHANNEL_H

#define CWRS_BACK_CALLS 16 /* calls of the server to the client in flight */

struct cwrs_receive;

int cwrs_back_register(void);
void cwrs_back_unregister(void);
/* Passes a reply of the client in @rx to the server's call. In a thread of nfsd. */
void cwrs_back_reply(struct cwrs_receive *rx);

#endif
