/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ends of exports (shutdown.c), and disks whose last flush failed (loss.c).
 */
#ifndef CWT_SHUTDOWN_H
#define CWT_SHUTDOWN_H

#include <linux/types.h>

#include "../../include/wire/causeway_wire.h"

struct cwt_export;
struct work_struct;

/* The treatment of commands that arrive after the end has begun. */
enum cwt_closing {
	CWT_OPEN,
	CWT_REMOVING, /* answered with CW_STATUS_GONE */
	CWT_STOPPING, /* not answered: the client sends them again to the next server */
};

/**
 * cwt_export_begin_end() - starts the end of an export
 * @e: the export
 * @how: CWT_REMOVING or CWT_STOPPING
 *
 * No command is admitted any more. A work does the rest. Does not wait.
 * Context: Process context. cwt_admin is held.
 * Return: 0, or -EALREADY if the end has begun before.
 */
int cwt_export_begin_end(struct cwt_export *e, enum cwt_closing how);
/**
 * cwt_export_await_end() - waits until an export is gone, for a bounded time
 * @e: the export
 * @text: CWT_TEXT bytes; says what happened if the result is false
 *
 * Ends the sessions if the end takes too long. If @e is not gone even then, the module is pinned
 * until it is.
 * Context: Process context. Sleeps. cwt_admin is not held.
 * Return: true if all that clients wrote was flushed.
 */
bool cwt_export_await_end(struct cwt_export *e, char *text);
#define CWT_TEXT 256

/**
 * cwt_export_end_work() - ends an export, after its last command
 * @work: cwt_export.end
 *
 * Context: The workqueue of the export. Sleeps as long as the backend and the clients need.
 */
void cwt_export_end_work(struct work_struct *work);

/**
 * cwt_stop_all() - ends all exports at once, with CW_NOTICE_STOPPING
 * @report: called for each export that was not flushed in time; or NULL
 * @arg: for @report
 * @ret: set to 0, or to -EBUSY if another stop runs
 *
 * Waits like cwt_export_await_end(), once for all of them.
 * Context: Process context. Sleeps. cwt_admin is not held.
 * Return: true if all acknowledged writes were flushed.
 */
bool cwt_stop_all(void (*report)(void *arg, const char *name, const char *text), void *arg,
		  int *ret);
/**
 * cwt_is_stopping() - checks whether a stop runs, so that no export may be added
 *
 * Context: Process context. cwt_admin is held.
 * Return: true if a stop runs.
 */
bool cwt_is_stopping(void);
/**
 * cwt_await_all() - waits at module exit until no export is left, however long that takes
 *
 * Context: Process context. Sleeps.
 */
void cwt_await_all(void);

/* ---- disks whose last flush failed: loss.c ---- */

/**
 * cwt_loss_add() - gives the disk of an export an instance of its own, because its flush failed
 * @e: the export
 *
 * If memory is short, all disks of the server get a new instance.
 * Context: Process context. May sleep. Takes the mutex of the losses.
 */
void cwt_loss_add(struct cwt_export *e);
/**
 * cwt_loss_mask() - turns the server's instance into that of an export
 * @e: the export
 * @instance: changed if the last flush of the export's disk failed
 *
 * Context: Process context. May sleep. Takes the mutex of the losses.
 */
void cwt_loss_mask(const struct cwt_export *e, u8 instance[CW_WIRE_UUID]);
/**
 * cwt_loss_any() - checks whether the last flush of any disk failed
 *
 * Context: Process context. May sleep. Takes the mutex of the losses.
 * Return: true if one failed since the last cwt_loss_forget().
 */
bool cwt_loss_any(void);
/**
 * cwt_loss_forget() - forgets all losses, because the server has a new instance or ends
 *
 * Context: Process context. May sleep. Takes the mutex of the losses.
 */
void cwt_loss_forget(void);

#endif
