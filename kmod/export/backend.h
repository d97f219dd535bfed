/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an export stores its data in.
 */
#ifndef CWT_BACKEND_H
#define CWT_BACKEND_H

#include "export.h"

struct cwt_backend {
	u8 kind; /* enum cw_backend */
	/*
	 * submit() and flush() do not sleep and need nothing: inline commands run where they
	 * arrive, in softirq.
	 */
	bool atomic;
	/*
	 * submit() does not block for long: answers that come meanwhile may wait for those of the
	 * whole batch.
	 */
	bool gathers;

	/* Process context; refusals are in @extack. Makes e->disk. */
	int (*open)(struct cwt_export *e, struct netlink_ext_ack *extack);
	/* Nobody uses it any more. */
	void (*close)(struct cwt_export *e);
	/* The geometry of now, all but what the administrator's options change. Under e->lock. */
	void (*describe)(struct cwt_export *e, struct cw_geometry *geo);

	/*
	 * Reads or writes cmd.len bytes at cmd.offset with c->vecs, durably when c->fua; the range
	 * was checked. Ends in cwt_command_done(), now or later. May be called again for the rest
	 * of a command after cwt_link_queue(). The worker, or softirq.
	 */
	void (*submit)(struct cwt_command *c);
	/*
	 * Makes everything durable that was done before. Ends in cwt_command_done(). The worker, or
	 * softirq.
	 */
	void (*flush)(struct cwt_command *c);

	/* Sleep as long as they need. 0 or -errno. */
	int (*sync)(struct cwt_export *e);
	/* For command @c; they look at cwt_command_is_over() now and then. */
	int (*discard)(struct cwt_command *c, const struct cw_range *ranges, u32 count);
	/* A part of @c, at most CWT_ZEROES_STEP bytes. */
	int (*zero)(struct cwt_command *c, u64 offset, u32 len, bool keep_allocated);

	/*
	 * The memory that holds @len bytes at @offset, to be read or written by the adapter itself.
	 * Fills at most @room @vecs, returns how many. NULL: there is no such memory.
	 */
	u32 (*lend)(struct cwt_export *e, u64 offset, u32 len, struct bio_vec *vecs, u32 room);
};

extern const struct cwt_backend cwt_backend_device;
extern const struct cwt_backend cwt_backend_file;
extern const struct cwt_backend cwt_backend_ram;

/*
 * Finds e->path as the caller may: the folders on the way are checked. The path is held until
 * path_put(). Process context; a refusal is in @extack.
 */
int cwt_path_find(const struct cwt_export *e, struct path *path, struct netlink_ext_ack *extack);
/*
 * Whether the caller may read what @path leads to and, unless the export is read-only, write it. 0
 * or -errno, with the refusal in @extack. Process context.
 */
int cwt_path_may(const struct cwt_export *e, const struct path *path,
		 struct netlink_ext_ack *extack);

/* @bytes when it is whole blocks of @block (a power of two), else 0: limits of strange devices. */
static inline u32 cwt_whole_blocks(u64 bytes, u32 block)
{
	return bytes > U32_MAX || bytes & (block - 1) ? 0 : bytes;
}

#endif
