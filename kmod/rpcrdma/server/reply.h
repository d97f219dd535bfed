/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers of nfsd. */
#ifndef CWRS_REPLY_H
#define CWRS_REPLY_H

#include <linux/sunrpc/svc.h>

struct cwrs_receive;

int cwrs_sendto(struct svc_rqst *rqstp);
int cwrs_result_payload(struct svc_rqst *rqstp, unsigned int offset, unsigned int length);
/**
 * cwrs_send_error() - answers a malformed call, and puts its receive
 * @rx: the receive
 * @err: as from cwr_parse_call()
 */
void cwrs_send_error(struct cwrs_receive *rx, int err);

#endif
