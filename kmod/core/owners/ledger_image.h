/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * The form of a ledger in a file: a header and one record for each host, little-endian, with a
 * CRC32C. Both copies of a ledger have this form.
 */
#ifndef CW_OWNERS_LEDGER_IMAGE_H
#define CW_OWNERS_LEDGER_IMAGE_H

#include "ledger.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CW_LEDGER_MAGIC 0x52454744454c5743ULL /* "CWLEDGER" */
#define CW_LEDGER_VERSION 1
#define CW_LEDGER_HEADER 128
#define CW_LEDGER_RECORD 216
#define CW_LEDGER_HOSTS_MAX 1024 /* hosts for which a file has room */
#define CW_LEDGER_FILE (CW_LEDGER_HEADER + CW_LEDGER_HOSTS_MAX * CW_LEDGER_RECORD)

/* The reasons why an image cannot be used. */
enum cw_ledger_fault {
	CW_LEDGER_GOOD,
	CW_LEDGER_SHORT, /* fewer bytes than the header states */
	CW_LEDGER_NO_MAGIC, /* not a ledger, or the file was never written */
	CW_LEDGER_OTHER_VERSION,
	CW_LEDGER_TORN, /* the checksum is wrong */
	CW_LEDGER_INVALID, /* a value that no server writes */
	CW_LEDGER_ROOM, /* more hosts than the caller has room for */
};

/* CRC32C as in RFC 3720, from the kernel or a library. */
typedef u32 (*cw_crc32c_fn)(const void *data, size_t len);

/**
 * cw_ledger_image_size() - returns the size of the image of a ledger
 * @count: number of hosts
 *
 * Context: Any context.
 * Return: Bytes.
 */
size_t cw_ledger_image_size(u32 count);

/**
 * cw_ledger_encode() - writes the image of a ledger
 * @image: has room for cw_ledger_image_size() bytes
 * @ledger: the ledger
 * @crc32c: the checksum function
 *
 * Context: Any context. The caller serialises access to the ledger.
 */
void cw_ledger_encode(u8 *image, const struct cw_ledger *ledger, cw_crc32c_fn crc32c);

/**
 * cw_ledger_decode() - decodes the image of a ledger
 * @out: the ledger; the caller has set hosts and room
 * @image: the image
 * @len: its bytes, or more
 * @crc32c: the checksum function
 *
 * Context: Any context. The caller serialises access to the ledger.
 * Return: CW_LEDGER_GOOD; otherwise @out is unchanged except for the content of its hosts.
 */
enum cw_ledger_fault cw_ledger_decode(struct cw_ledger *out, const u8 *image, size_t len,
				      cw_crc32c_fn crc32c);

/**
 * cw_ledger_fault_text() - returns the text for a fault, for a message to administrators
 * @fault: the fault
 *
 * Context: Any context.
 * Return: The text.
 */
const char *cw_ledger_fault_text(enum cw_ledger_fault fault);

#ifdef __cplusplus
}
#endif

#endif
