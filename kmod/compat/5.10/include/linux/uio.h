/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_5_10_UIO_H
#define CAUSEWAY_5_10_UIO_H

#include_next <linux/uio.h>
#include "causeway_answers.h"

/* Linux before 6.2 lacks these names of the directions of an iterator. */
#if !CAUSEWAY_HAS_ITER_SOURCE
#define ITER_SOURCE 1 /* WRITE */
#define ITER_DEST 0 /* READ */
#endif

#endif /* CAUSEWAY_5_10_UIO_H */
