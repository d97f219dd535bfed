// SPDX-License-Identifier: GPL-2.0-only
/* kiocb_start_write() and kiocb_end_write() of Linux 6.6. */
#include <linux/fs.h>

void probe(struct kiocb *iocb);
void probe(struct kiocb *iocb)
{
	kiocb_start_write(iocb);
	kiocb_end_write(iocb);
}
