// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proofs of a shared key: HMAC-SHA256 over a digest of the hello and the challenge as they were
 * sent, so that each proof is bound to both nonces, both identities and everything negotiated.
 */
#include <crypto/algapi.h>
#include <crypto/hash.h>
#include <linux/err.h>
#include <linux/string.h>

#include "auth.h"

/* Digest of @a, @b and @c (keyed when @key is not NULL) into 32 bytes. */
static int digest(const char *algorithm, const u8 *key, size_t key_len, const void *a, size_t a_len,
		  const void *b, size_t b_len, u8 out[CW_WIRE_MAC])
{
	struct crypto_shash *tfm = crypto_alloc_shash(algorithm, 0, 0);
	int ret;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	ret = key ? crypto_shash_setkey(tfm, key, key_len) : 0;
	if (!ret) {
		SHASH_DESC_ON_STACK(desc, tfm);

		desc->tfm = tfm;
		ret = crypto_shash_init(desc) ?:
		      crypto_shash_update(desc, a, a_len) ?:
		      crypto_shash_update(desc, b, b_len) ?:
		      crypto_shash_final(desc, out);
		shash_desc_zero(desc);
	}
	crypto_free_shash(tfm);
	return ret;
}

static int keyed_digest(const u8 *key, size_t key_len, const char *label, const void *data,
			size_t len, u8 out[CW_WIRE_MAC])
{
	return digest("hmac(sha256)", key, key_len, label, strlen(label), data, len, out);
}

int cw_auth_macs(const struct cw_key *key, const struct cw_wire_hello *hello,
		 const struct cw_wire_challenge *challenge, struct cw_login_macs *out)
{
	static const u8 no_key[32];
	const u8 *k = key->len ? key->bytes : no_key;
	size_t k_len = key->len ?: sizeof(no_key);
	u8 t[CW_WIRE_MAC];
	int ret;

	memset(out, 0, sizeof(*out));
	ret = digest("sha256", NULL, 0, hello, sizeof(*hello), challenge, sizeof(*challenge), t);
	if (!ret)
		ret = keyed_digest(k, k_len, "session", t, sizeof(t), out->secret);
	if (!ret && key->len)
		ret = keyed_digest(k, k_len, "client", t, sizeof(t), out->client) ?:
		      keyed_digest(k, k_len, "server", t, sizeof(t), out->server);
	return ret;
}

int cw_auth_token(const u8 secret[CW_WIRE_MAC], u32 session, u8 kind, u16 index,
		  u8 token[CW_WIRE_TOKEN])
{
	u8 mac[CW_WIRE_MAC];
	struct {
		__le32 session;
		u8 kind;
		__le16 index;
	} __packed link = { cpu_to_le32(session), kind, cpu_to_le16(index) };
	int ret;

	ret = keyed_digest(secret, CW_WIRE_MAC, "link", &link, sizeof(link), mac);
	memcpy(token, mac, CW_WIRE_TOKEN);
	memzero_explicit(mac, sizeof(mac));
	return ret;
}

bool cw_auth_equal(const u8 *a, const u8 *b, size_t len)
{
	return !crypto_memneq(a, b, len);
}
