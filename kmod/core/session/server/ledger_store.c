// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads and writes the two copies of a ledger.
 *
 * A write goes to one file, is made stable there, and only then goes to the other file. So a crash
 * leaves at least one good copy. The next write begins with the copy whose write failed, because
 * that one may be torn; after a success it begins with the other one (docs/PROTOCOL.md, section 6,
 * rules 3 and 4).
 *
 * Writes run on an ordered work queue of the export, and no lock is held meanwhile.
 */
#include <linux/crc32c.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "../../netlink/netlink.h"
#include "ledger_store.h"

struct cw_ledger_store {
	struct file *files[CW_LEDGER_COPIES];
	struct workqueue_struct *wq;
	struct work_struct work;
	void (*written)(void *arg, int error);
	void *arg;
	char name[CW_WIRE_NAME]; /* of the export */
	u8 first; /* the copy that the next write begins with */
	/* From cw_ledger_store_write() until the call of written(). */
	size_t len;
	u8 *image; /* CW_LEDGER_FILE bytes */
};

static u32 cw_ledger_crc32c(const void *data, size_t len)
{
	return ~crc32c(~0U, data, len);
}

/* ---- write ---- */

static int cw_ledger_store_copy(struct cw_ledger_store *store, u8 copy)
{
	struct file *file = store->files[copy];
	loff_t at = 0;
	ssize_t wrote;
	int ret;

	wrote = kernel_write(file, store->image, store->len, &at);
	if (wrote < 0)
		ret = wrote;
	else if (wrote != store->len)
		ret = -ENOSPC;
	else
		ret = vfs_fsync(file, 0);
	if (ret) {
		store->first = copy;
		pr_err_ratelimited("causeway: export %s: writing copy %u of its ledger failed (%d); no owner changes until it succeeds\n",
				   store->name, copy, ret);
	}
	return ret;
}

static int cw_ledger_store_both(struct cw_ledger_store *store)
{
	u8 first = store->first;
	int ret;

	ret = cw_ledger_store_copy(store, first) ?: cw_ledger_store_copy(store, !first);
	if (!ret)
		store->first = !first;
	return ret;
}

/*
 * A client on this machine may wait for this write, and its disk may have dirty pages: the write
 * neither waits for I/O of other file systems to get memory, nor for dirty pages of other disks.
 */
static void cw_ledger_store_work(struct work_struct *work)
{
	struct cw_ledger_store *store = container_of(work, struct cw_ledger_store, work);
	unsigned int throttle = current->flags & PF_LOCAL_THROTTLE;
	unsigned int noio = memalloc_noio_save();
	int ret;

	current->flags |= PF_LOCAL_THROTTLE;
	ret = cw_ledger_store_both(store);
	current_restore_flags(throttle, PF_LOCAL_THROTTLE);
	memalloc_noio_restore(noio);
	store->written(store->arg, ret);
}

void cw_ledger_store_write(struct cw_ledger_store *store, const struct cw_ledger *ledger)
{
	store->len = cw_ledger_image_size(ledger->count);
	cw_ledger_encode(store->image, ledger, cw_ledger_crc32c);
	queue_work(store->wq, &store->work);
}

/* ---- open ---- */

static int cw_ledger_store_open_file(struct cw_ledger_store *store,
				     const struct cw_ledger_place *place, u8 copy,
				     struct netlink_ext_ack *extack)
{
	struct file *file;
	char *path;
	int ret = 0;

	path = kasprintf(GFP_KERNEL, "%s/%pUb.%u", place->folder, place->identity, copy);
	if (!path)
		return -ENOMEM;
	file = filp_open(path, O_RDWR | O_LARGEFILE | O_NOFOLLOW, 0);
	if (IS_ERR(file)) {
		ret = PTR_ERR(file);
		cw_refuse(extack, "the ledger of export \"%s\" cannot be opened: %s (error %d)",
			  place->export_name, path, -ret);
	} else if (!S_ISREG(file_inode(file)->i_mode)) {
		fput(file);
		ret = -EINVAL;
		cw_refuse(extack, "the ledger of export \"%s\" is not a regular file: %s",
			  place->export_name, path);
	} else {
		store->files[copy] = file;
	}
	kfree(path);
	return ret;
}

/* Reads a copy into @memory of CW_LEDGER_FILE bytes. A copy that cannot be read has no bytes. */
static void cw_ledger_store_read(struct cw_ledger_store *store, u8 copy, u8 *memory,
				 struct cw_ledger_file *out)
{
	loff_t at = 0;
	ssize_t got = 0;
	size_t len = 0;

	while (len < CW_LEDGER_FILE) {
		got = kernel_read(store->files[copy], memory + len, CW_LEDGER_FILE - len, &at);
		if (got <= 0)
			break;
		len += got;
	}
	if (got < 0) {
		pr_err("causeway: export %s: reading copy %u of its ledger failed (%zd)\n",
		       store->name, copy, got);
		len = 0;
	}
	out->image = memory;
	out->len = len;
}

static void cw_ledger_store_say_unreadable(const struct cw_ledger_place *place,
					   const struct cw_ledger_file copies[CW_LEDGER_COPIES],
					   struct netlink_ext_ack *extack)
{
	pr_err("causeway: export %s: no copy of its ledger in %s can be used: %pUb.0: %s; %pUb.1: %s\n",
	       place->export_name, place->folder, place->identity, cw_ledger_file_text(&copies[0]),
	       place->identity, cw_ledger_file_text(&copies[1]));
	cw_refuse(extack,
		  "no copy of the ledger of export \"%s\" can be used (%pUb.0: %s); bring the right files to %s, or discard the owners with --forget-owners",
		  place->export_name, place->identity, cw_ledger_file_text(&copies[0]),
		  place->folder);
}

/* Reads both copies, and makes them equal. */
static int cw_ledger_store_load(struct cw_ledger_store *store, const struct cw_ledger_place *place,
				struct cw_ledger *ledger, struct cw_ledger *spare,
				struct netlink_ext_ack *extack)
{
	struct cw_ledger_file copies[CW_LEDGER_COPIES] = { { .ledger = ledger },
							   { .ledger = spare } };
	int newest, ret;
	u8 *second;

	second = kvmalloc(CW_LEDGER_FILE, GFP_KERNEL);
	if (!second)
		return -ENOMEM;
	cw_ledger_store_read(store, 0, store->image, &copies[0]);
	cw_ledger_store_read(store, 1, second, &copies[1]);
	newest = cw_ledger_choose(copies, place->uuid, place->identity, cw_ledger_crc32c);
	kvfree_sensitive(second, CW_LEDGER_FILE);
	if (newest < 0) {
		cw_ledger_store_say_unreadable(place, copies, extack);
		return -EUCLEAN;
	}
	if (copies[!newest].fault || copies[!newest].foreign)
		pr_warn("causeway: export %s: copy %u of its ledger is made anew: %s\n",
			store->name, !newest, cw_ledger_file_text(&copies[!newest]));
	if (newest == 1)
		cw_ledger_copy(ledger, spare);
	/*
	 * Both copies: what was read may be in the page cache alone, after a write that failed.
	 * First the one that does not count.
	 */
	store->first = !newest;
	store->len = cw_ledger_image_size(ledger->count);
	cw_ledger_encode(store->image, ledger, cw_ledger_crc32c);
	ret = cw_ledger_store_both(store);
	if (ret)
		cw_refuse(extack,
			  "the ledger of export \"%s\" cannot be written: %s/%pUb.%u (error %d)",
			  place->export_name, place->folder, place->identity, store->first, -ret);
	return ret;
}

struct cw_ledger_store *cw_ledger_store_open(const struct cw_ledger_place *place,
					     struct cw_ledger *ledger, struct cw_ledger *spare,
					     void (*written)(void *arg, int error), void *arg,
					     struct netlink_ext_ack *extack)
{
	struct cw_ledger_store *store = kzalloc(sizeof(*store), GFP_KERNEL);
	int ret = -ENOMEM;
	u8 copy;

	if (!store)
		return ERR_PTR(-ENOMEM);
	INIT_WORK(&store->work, cw_ledger_store_work);
	store->written = written;
	store->arg = arg;
	strscpy(store->name, place->export_name, sizeof(store->name));
	store->image = kvmalloc(CW_LEDGER_FILE, GFP_KERNEL);
	/*
	 * With a rescuer: the end of the export, which may run for a client on this machine, waits.
	 */
	store->wq = alloc_ordered_workqueue("cw_ledger", WQ_MEM_RECLAIM);
	if (!store->image || !store->wq)
		goto close;
	for (copy = 0; copy < CW_LEDGER_COPIES; copy++) {
		ret = cw_ledger_store_open_file(store, place, copy, extack);
		if (ret)
			goto close;
	}
	ret = cw_ledger_store_load(store, place, ledger, spare, extack);
	if (ret)
		goto close;
	return store;

close:
	cw_ledger_store_close(store);
	return ERR_PTR(ret);
}

void cw_ledger_store_close(struct cw_ledger_store *store)
{
	u8 copy;

	if (!store)
		return;
	if (store->wq)
		destroy_workqueue(store->wq); /* waits for the write */
	for (copy = 0; copy < CW_LEDGER_COPIES; copy++)
		if (store->files[copy])
			fput(store->files[copy]);
	kvfree_sensitive(store->image, CW_LEDGER_FILE);
	kfree(store);
}
