/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers of nfsd. */
#ifndef CWRS_REPLY_H
#define CWRS_REPLY_H

#include <linux/sunrpc/svc.h>

struct cwrs_receive;

/**
 * cwrs_sendto() - sends an answer (xpo_sendto)
 * @rqstp: thread of nfsd. The answer is in its rq_res.
 *
 * Never waits for the client or the adapter. If the answer cannot be sent, the connection ends: the
 * client repeats the call on another one.
 *
 * Context: Process context, in the thread of @rqstp. May sleep.
 * Return: Bytes of the answer, or -ENOTCONN if the connection is dead.
 */
int cwrs_sendto(struct svc_rqst *rqstp);

/**
 * cwrs_result_payload() - notes where the data of a result is in the answer (xpo_result_payload)
 * @rqstp: thread of nfsd
 * @offset: offset in the answer, in bytes
 * @length: bytes of the data
 *
 * Context: Process context, in the thread of @rqstp.
 * Return: 0.
 */
int cwrs_result_payload(struct svc_rqst *rqstp, unsigned int offset, unsigned int length);
/**
 * cwrs_send_error() - answers a malformed call, and puts its receive
 * @rx: the receive
 * @err: as from cwr_parse_call()
 *
 * Context: Process context. May sleep. Takes rx_lock, spares_lock and tx_lock.
 */
void cwrs_send_error(struct cwrs_receive *rx, int err);

#endif
