/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's synchronous hashes as far as kmod/core/session/auth.c uses them, made with libgcrypt.
 */
#pragma once

#include <assert.h>
#include <asm/byteorder.h>
#include <errno.h>
#include <gcrypt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <linux/err.h>
#include <linux/string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define __packed __attribute__((packed))
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define cpu_to_le16 __cpu_to_le16
#define cpu_to_le32 __cpu_to_le32
#define cpu_to_le64 __cpu_to_le64

struct crypto_shash {
	gcry_md_hd_t md;
	bool has_key;
};

struct shash_desc {
	struct crypto_shash *tfm;
};

#define SHASH_DESC_ON_STACK(desc, tfm_) struct shash_desc desc##_here, *desc = &desc##_here

static inline struct crypto_shash *crypto_alloc_shash(const char *algorithm, u32 type, u32 mask)
{
	struct crypto_shash *tfm = calloc(1, sizeof(*tfm));

	(void)type;
	(void)mask;
	assert(tfm);
	assert(!strcmp(algorithm, "sha256") || !strcmp(algorithm, "hmac(sha256)"));
	tfm->has_key = *algorithm == 'h';
	if (gcry_md_open(&tfm->md, GCRY_MD_SHA256, tfm->has_key ? GCRY_MD_FLAG_HMAC : 0)) {
		free(tfm);
		return ERR_PTR(-ENOENT);
	}
	return tfm;
}

static inline void crypto_free_shash(struct crypto_shash *tfm)
{
	gcry_md_close(tfm->md);
	free(tfm);
}

static inline int crypto_shash_setkey(struct crypto_shash *tfm, const u8 *key, unsigned int len)
{
	return gcry_md_setkey(tfm->md, key, len) ? -EINVAL : 0;
}

static inline int crypto_shash_init(struct shash_desc *desc)
{
	gcry_md_reset(desc->tfm->md);
	return 0;
}

static inline int crypto_shash_update(struct shash_desc *desc, const u8 *data, unsigned int len)
{
	gcry_md_write(desc->tfm->md, data, len);
	return 0;
}

static inline int crypto_shash_final(struct shash_desc *desc, u8 *out)
{
	memcpy(out, gcry_md_read(desc->tfm->md, GCRY_MD_SHA256), 32);
	return 0;
}

static inline void shash_desc_zero(struct shash_desc *desc)
{
	desc->tfm = NULL;
}
