/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_6_1_FS_H
#define CAUSEWAY_6_1_FS_H

#include_next <linux/fs.h>
#include "causeway_answers.h"

/* Linux before 6.3 describes the mapping of a mount by a user namespace. */
#if !CAUSEWAY_HAS_FILE_MNT_IDMAP
#define file_mnt_idmap(file) file_mnt_user_ns(file)
#endif

#endif /* CAUSEWAY_6_1_FS_H */
