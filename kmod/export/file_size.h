/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The size of an exported file after the last change by another program of the server.
 *
 * A write of an export is admitted if the file reaches to its end. If a truncate() overtakes the
 * write, the write makes the file longer again; no kernel interface writes without that. So the
 * size that counts is not the inode's, but the size after the last change that this module did not
 * make. fsnotify reports each such change while the kernel still holds the inode's lock, before any
 * write that waits for the lock. After a write, this module checks whether the file was cut
 * meanwhile, and cuts off what the write added. Two coincidences are misjudged: if another program
 * writes at the same moment, what this module's write added stays; and if another program then
 * appends, its append is cut off.
 */
#ifndef CWT_FILE_SIZE_H
#define CWT_FILE_SIZE_H

#include <linux/types.h>

struct file;
struct cwt_file_size;

/**
 * cwt_file_size_open() - starts to watch the size of a file
 * @file: the file; from now on I/O through it causes no fsnotify events
 *
 * Context: Process context. May sleep.
 * Return: the watch, or an ERR_PTR.
 */
struct cwt_file_size *cwt_file_size_open(struct file *file);
/**
 * cwt_file_size_close() - ends the watch
 * @size: the watch
 *
 * The I/O of the export on the file has ended. Other programs may still use the file.
 * Context: Process context. May sleep.
 */
void cwt_file_size_close(struct cwt_file_size *size);

/**
 * cwt_file_size_get() - returns the size
 * @size: the watch
 *
 * Context: Any context.
 * Return: bytes.
 */
u64 cwt_file_size_get(const struct cwt_file_size *size);
/**
 * cwt_file_size_look() - reads the size, and notices changes without an event
 * @size: the watch
 *
 * To be called periodically. Such changes are a file that was cut by another host of a cluster file
 * system, and a file that stays longer, for example after asynchronous writes.
 * Context: Process context. May sleep. One caller at a time.
 * Return: bytes.
 */
u64 cwt_file_size_look(struct cwt_file_size *size);
/**
 * cwt_file_size_restore() - cuts off what writes added beyond the size
 * @size: the watch
 *
 * Context: Process context. May sleep. Takes the inode's lock.
 * Return: 0 or -errno.
 */
int cwt_file_size_restore(struct cwt_file_size *size);

/**
 * cwt_file_size_init() - makes the fsnotify group, at module init
 *
 * Context: Process context. May sleep.
 * Return: 0 or -errno.
 */
int cwt_file_size_init(void);
/**
 * cwt_file_size_exit() - waits until the marks of all closed files are freed, at module exit
 *
 * Context: Process context. Sleeps.
 */
void cwt_file_size_exit(void);

#endif
