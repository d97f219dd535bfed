/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls of the server to the client. */
#ifndef CWRS_BACKCHANNEL_H
#define CWRS_BACKCHANNEL_H

#define CWRS_BACK_CALLS 16 /* calls of the server to the client in flight */

struct cwrs_receive;

/**
 * cwrs_back_register() - registers the xprt class for calls of the server, when the module is
 * loaded
 *
 * Context: Process context.
 * Return: 0, or -EEXIST if another module has registered the class.
 */
int cwrs_back_register(void);

/**
 * cwrs_back_unregister() - undoes cwrs_back_register(), when the module is unloaded
 *
 * Context: Process context.
 */
void cwrs_back_unregister(void);

/**
 * cwrs_back_reply() - passes a reply of the client to the call of the server that waits for it
 * @rx: receive with the reply. The caller posts it again.
 *
 * Context: Process context, in a thread of nfsd. Takes transport_lock and queue_lock of the
 * backchannel.
 */
void cwrs_back_reply(struct cwrs_receive *rx);

#endif
