/* SPDX-License-Identifier: GPL-2.0-only */
/* The interface between an export and its storage: a block device, a file, or memory. */
#ifndef CWT_BACKEND_H
#define CWT_BACKEND_H

#include "export.h"

struct cwt_backend {
	u8 kind; /* enum cw_backend */
	/*
	 * submit() and flush() neither sleep nor allocate: inline commands run in softirq, in the
	 * receive context.
	 */
	bool atomic;
	/*
	 * submit() does not block for long: completions that arrive meanwhile may wait for the rest
	 * of the batch.
	 */
	bool gathers;

	/* Opens the storage and sets e->disk. Refusals are in @extack. Process context. */
	int (*open)(struct cwt_export *e, struct netlink_ext_ack *extack);
	/* Closes it. No command and no session is left. */
	void (*close)(struct cwt_export *e);
	/* Reads the present geometry, before the options of the administrator. Under e->lock. */
	void (*describe)(struct cwt_export *e, struct cw_geometry *geo);

	/*
	 * Reads or writes cmd.len bytes at cmd.offset with c->vecs, durably if c->fua is set; the
	 * range was checked. Calls cwt_command_done(), now or later. May be called again for the
	 * rest of a command after cwt_link_queue(). The worker, or softirq.
	 */
	void (*submit)(struct cwt_command *c);
	/*
	 * Makes all writes durable that were completed before. Calls cwt_command_done(). The
	 * worker, or softirq.
	 */
	void (*flush)(struct cwt_command *c);

	/* The next three sleep as long as they need. 0 or -errno. */
	int (*sync)(struct cwt_export *e);
	/* For command @c. This and zero() check cwt_command_is_over() at intervals. */
	int (*discard)(struct cwt_command *c, const struct cw_range *ranges, u32 count);
	/* Zeroes a part of @c, at most CWT_ZEROES_STEP bytes. */
	int (*zero)(struct cwt_command *c, u64 offset, u32 len, bool keep_allocated);

	/*
	 * Finds the memory that holds @len bytes at @offset, for the adapter to read or write.
	 * Fills at most @room @vecs and returns their number. NULL if the backend has no such
	 * memory.
	 */
	u32 (*find_pages)(struct cwt_export *e, u64 offset, u32 len, struct bio_vec *vecs,
			  u32 room);
};

extern const struct cwt_backend cwt_backend_device;
extern const struct cwt_backend cwt_backend_file;
extern const struct cwt_backend cwt_backend_ram;

/**
 * cwt_path_find() - looks up e->path with the permissions of the caller
 * @e: the export to be opened
 * @path: set on success; the caller calls path_put()
 * @extack: for a refusal
 *
 * The permissions of the folders on the way are checked.
 * Context: Process context, of the sender of the netlink command. May sleep.
 * Return: 0 or -errno.
 */
int cwt_path_find(const struct cwt_export *e, struct path *path, struct netlink_ext_ack *extack);
/**
 * cwt_path_may() - checks that the caller may use the object of a path
 * @e: the export to be opened; if it is read-only, permission to read is enough
 * @path: from cwt_path_find()
 * @extack: for a refusal
 *
 * Context: Process context, of the sender of the netlink command. May sleep.
 * Return: 0 or -errno.
 */
int cwt_path_may(const struct cwt_export *e, const struct path *path,
		 struct netlink_ext_ack *extack);

/**
 * cwt_whole_blocks() - keeps a limit of a device only if it is a multiple of the block
 * @bytes: the limit
 * @block: a power of two
 *
 * Some devices report odd limits.
 * Context: Any context.
 * Return: @bytes, or 0.
 */
static inline u32 cwt_whole_blocks(u64 bytes, u32 block)
{
	return bytes > U32_MAX || bytes & (block - 1) ? 0 : bytes;
}

#endif
