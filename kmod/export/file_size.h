/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The size of an exported file, as its machine's other programs last left it.
 *
 * A write that was let pass because the file reached to its end, and is overtaken by a truncate()
 * on its way into the file, makes the file longer again: no kernel interface writes without that.
 * So the size that counts is not the inode's but the one of the last change that was not ours. The
 * kernel tells of each (fsnotify) while it still holds the inode's lock, before any write that
 * waits for the lock; whoever wrote looks afterwards whether the file was cut meanwhile, and cuts
 * off what it added. Two things at that very moment are taken for what they are not: another
 * program's write at the same time keeps what ours added, and its append then is cut off.
 */
#ifndef CWT_FILE_SIZE_H
#define CWT_FILE_SIZE_H

#include <linux/types.h>

struct file;
struct cwt_file_size;

/*
 * Watches @file, which tells others of nothing that is done through it from now on. An ERR_PTR
 * when it cannot be. May sleep.
 */
struct cwt_file_size *cwt_file_size_open(struct file *file);
/* No I/O on the file is under way. May sleep. */
void cwt_file_size_close(struct cwt_file_size *size);

/* Bytes. Any context. */
u64 cwt_file_size_get(const struct cwt_file_size *size);
/*
 * The same, to be called once in a while: sees a file that was cut without a word, as one of a
 * cluster's file system can be, and one that stays longer without a word, as after asynchronous
 * writes. One caller at a time; may sleep.
 */
u64 cwt_file_size_look(struct cwt_file_size *size);
/*
 * Cuts off what writes added beyond the size. 0 or -errno. May sleep; takes the inode's lock.
 */
int cwt_file_size_restore(struct cwt_file_size *size);

int cwt_file_size_init(void);
/* Waits until nothing of a file that was closed is left. */
void cwt_file_size_exit(void);

#endif
