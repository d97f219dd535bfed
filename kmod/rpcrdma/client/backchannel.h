/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls of the server, and the replies to them. */
#ifndef CWRC_BACKCHANNEL_H
#define CWRC_BACKCHANNEL_H

#include "call.h"
#include "connection.h"

/* A call of the server and the reply to it. */
struct cwrc_callback {
	struct rpc_rqst rqst;
	struct cwrc_call call;
	void *request; /* the message of the call */
	bool open; /* counted in the transport's callbacks */
	u32 connection; /* number of the connection of call and reply */
};

int cwrc_callback_setup(struct rpc_xprt *xprt, unsigned int requests);
void cwrc_callback_destroy(struct rpc_xprt *xprt, unsigned int requests);
size_t cwrc_callback_payload(struct rpc_xprt *xprt);
unsigned int cwrc_callback_slots(struct rpc_xprt *xprt);
void cwrc_callback_free(struct rpc_rqst *rqst);
/* Handles a call of the server, @len bytes at @message. In the context of completions. */
void cwrc_callback_received(struct cwrc_connection *conn, const void *message, u32 len);
/* Frees all callbacks, with the transport. */
void cwrc_callbacks_free(struct cwrc_transport *t);
/* Sends the reply to a callback; same contract as send_request. */
int cwrc_callback_reply(struct rpc_rqst *rqst);

#endif
