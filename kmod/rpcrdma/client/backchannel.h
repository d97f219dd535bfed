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

/**
 * cwrc_callback_setup() - allocates the callbacks for NFS's callback service
 * @xprt: transport
 * @requests: unused; the number of callbacks is fixed
 *
 * NFS calls this function once for each of its clients on the transport. Callbacks that exist stay.
 *
 * Context: Process context. May sleep. Takes bc_pa_lock.
 * Return: 0 or -ENOMEM.
 */
int cwrc_callback_setup(struct rpc_xprt *xprt, unsigned int requests);

/**
 * cwrc_callback_destroy() - stops passing callbacks to NFS's callback service
 * @xprt: transport. It lives on.
 * @requests: unused
 *
 * Frees the callbacks that no thread of the service has taken. Their memory is freed with the
 * transport.
 *
 * Context: Process context. May sleep. Takes bc_pa_lock.
 */
void cwrc_callback_destroy(struct rpc_xprt *xprt, unsigned int requests);

/**
 * cwrc_callback_payload() - returns the size of the largest callback or reply
 * @xprt: transport
 *
 * Context: Any context.
 * Return: Bytes without the header of the transport.
 */
size_t cwrc_callback_payload(struct rpc_xprt *xprt);

/**
 * cwrc_callback_slots() - returns the number of callbacks that a session can have in flight
 * @xprt: transport
 *
 * Context: Any context.
 * Return: CWRC_CALLBACKS.
 */
unsigned int cwrc_callback_slots(struct rpc_xprt *xprt);

/**
 * cwrc_callback_free() - frees a callback that SunRPC no longer uses
 * @rqst: callback. The adapter may still be sending its reply.
 *
 * Context: Process context. May sleep: it may put the last reference of the transport. Takes
 * bc_pa_lock.
 */
void cwrc_callback_free(struct rpc_rqst *rqst);

/**
 * cwrc_callback_received() - handles a call of the server
 * @conn: connection on which the call arrived
 * @message: RPC message; it is copied
 * @len: bytes of @message
 *
 * Drops a call that NFS cannot take. Kills @conn if the server has too many calls in flight, or if
 * there is no memory for a callback.
 *
 * Context: Process context, on the work queue of completions. Takes bc_pa_lock.
 */
void cwrc_callback_received(struct cwrc_connection *conn, const void *message, u32 len);

/**
 * cwrc_callbacks_free() - frees all callbacks
 * @t: transport, which is being destroyed. SunRPC and the adapter use none of its callbacks.
 *
 * Context: Process context. Takes calls_lock.
 */
void cwrc_callbacks_free(struct cwrc_transport *t);

/**
 * cwrc_callback_reply() - sends the reply to a callback
 * @rqst: callback
 *
 * Drops the reply if the queue pair of the call is gone.
 *
 * Context: Process context. May sleep. The transport is held.
 * Return: 0, or an error with the meaning it has for cwrc_send_request(): -EMSGSIZE if the reply is
 * too large, -ENOBUFS if there is no memory, or its mapping for the adapter failed.
 */
int cwrc_callback_reply(struct rpc_rqst *rqst);

#endif
