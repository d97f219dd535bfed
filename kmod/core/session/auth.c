// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proofs of a shared key: HMAC-SHA256 over a digest of the connection's set-up, the hello and the
 * challenge as they were sent. So each proof is bound to all nonces, all identities and everything
 * negotiated, the version of the protocol included. The server's answers are proved whole: nothing
 * in a WELCOME or a REFUSED can be changed on the way. JOIN and JOINED of a further path are proved
 * by the secret of the login, together with the set-up of their own connection.
 *
 * This file also compiles in user space, for tests/unit/auth_test.cpp.
 */
#include <crypto/algapi.h>
#include <crypto/hash.h>
#include <linux/err.h>
#include <linux/string.h>

#include "auth.h"

#define CW_AUTH_TEXT "causeway disk 2"

struct cw_auth_part {
	const void *data;
	size_t len;
};

/* Computes the digest of @parts, with @key unless it is NULL. 0 or -errno. May sleep. */
static int cw_auth_digest(const char *algorithm, const u8 *key, size_t key_len,
			  const struct cw_auth_part *parts, unsigned int count, u8 out[CW_WIRE_MAC])
{
	struct crypto_shash *tfm = crypto_alloc_shash(algorithm, 0, 0);
	unsigned int i;
	int ret;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	ret = key ? crypto_shash_setkey(tfm, key, key_len) : 0;
	if (!ret) {
		SHASH_DESC_ON_STACK(desc, tfm);

		desc->tfm = tfm;
		ret = crypto_shash_init(desc);
		for (i = 0; !ret && i < count; i++)
			ret = crypto_shash_update(desc, parts[i].data, parts[i].len);
		if (!ret)
			ret = crypto_shash_final(desc, out);
		shash_desc_zero(desc);
	}
	crypto_free_shash(tfm);
	return ret;
}

/* Computes an HMAC with the key of the export, or with a key of zeroes if the export has none. */
static int cw_auth_keyed(const struct cw_key *key, const struct cw_auth_part *parts,
			 unsigned int count, u8 out[CW_WIRE_MAC])
{
	static const u8 no_key[32];

	return cw_auth_digest("hmac(sha256)", key->len ? key->bytes : no_key,
			      key->len ?: sizeof(no_key), parts, count, out);
}

static int cw_auth_labelled(const struct cw_auth *auth, const char *label, u8 out[CW_WIRE_MAC])
{
	const struct cw_auth_part parts[] = {
		{ label, strlen(label) },
		{ auth->transcript, sizeof(auth->transcript) },
	};

	return cw_auth_keyed(&auth->key, parts, ARRAY_SIZE(parts), out);
}

int cw_auth_begin(struct cw_auth *auth, const struct cw_key *key, const struct cw_wire_req *req,
		  const struct cw_wire_rep *rep, const struct cw_wire_hello *hello,
		  const struct cw_wire_challenge *challenge)
{
	const struct cw_auth_part parts[] = {
		{ CW_AUTH_TEXT, strlen(CW_AUTH_TEXT) },
		{ req, sizeof(*req) },
		{ rep, sizeof(*rep) },
		{ hello, sizeof(*hello) },
		{ challenge, sizeof(*challenge) },
	};
	int ret;

	memset(auth, 0, sizeof(*auth));
	auth->key = *key;
	ret = cw_auth_digest("sha256", NULL, 0, parts, ARRAY_SIZE(parts), auth->transcript) ?:
	      cw_auth_labelled(auth, "session", auth->secret);
	if (!ret && key->len)
		ret = cw_auth_labelled(auth, "client", auth->client);
	return ret;
}

/* @rec, of @len bytes, begins with its own MAC, which counts as zero. */
static int cw_auth_answer_mac(const struct cw_auth *auth, const char *label,
			      const struct cw_wire_proof *proof, const void *rec, size_t len,
			      u8 mac[CW_WIRE_MAC])
{
	static const u8 no_mac[CW_WIRE_MAC];
	const struct cw_auth_part parts[] = {
		{ label, strlen(label) },
		{ auth->transcript, sizeof(auth->transcript) },
		{ proof, sizeof(*proof) },
		{ no_mac, sizeof(no_mac) },
		{ rec + CW_WIRE_MAC, len - CW_WIRE_MAC },
	};

	memset(mac, 0, CW_WIRE_MAC);
	return auth->key.len ? cw_auth_keyed(&auth->key, parts, ARRAY_SIZE(parts), mac) : 0;
}

int cw_auth_welcome(const struct cw_auth *auth, const struct cw_wire_proof *proof,
		    const struct cw_wire_welcome *rec, u8 mac[CW_WIRE_MAC])
{
	static_assert(offsetof(struct cw_wire_welcome, mac) == 0);
	return cw_auth_answer_mac(auth, "welcome", proof, rec, sizeof(*rec), mac);
}

int cw_auth_refused(const struct cw_auth *auth, const struct cw_wire_proof *proof,
		    const struct cw_wire_refused *rec, u8 mac[CW_WIRE_MAC])
{
	static_assert(offsetof(struct cw_wire_refused, mac) == 0);
	return cw_auth_answer_mac(auth, "refused", proof, rec, sizeof(*rec), mac);
}

int cw_auth_join(const u8 secret[CW_WIRE_MAC], const struct cw_wire_req *req,
		 const struct cw_wire_rep *rep, const struct cw_wire_join *rec, u8 mac[CW_WIRE_MAC])
{
	static const u8 no_mac[CW_WIRE_MAC];
	const struct cw_auth_part parts[] = {
		{ "join", strlen("join") },
		{ req, sizeof(*req) },
		{ rep, sizeof(*rep) },
		{ no_mac, sizeof(no_mac) },
		{ (const u8 *)rec + CW_WIRE_MAC, sizeof(*rec) - CW_WIRE_MAC },
	};

	static_assert(offsetof(struct cw_wire_join, mac) == 0);
	return cw_auth_digest("hmac(sha256)", secret, CW_WIRE_MAC, parts, ARRAY_SIZE(parts), mac);
}

int cw_auth_joined(const u8 secret[CW_WIRE_MAC], const struct cw_wire_req *req,
		   const struct cw_wire_rep *rep, const struct cw_wire_join *join,
		   const struct cw_wire_joined *rec, u8 mac[CW_WIRE_MAC])
{
	static const u8 no_mac[CW_WIRE_MAC];
	const struct cw_auth_part parts[] = {
		{ "joined", strlen("joined") },
		{ req, sizeof(*req) },
		{ rep, sizeof(*rep) },
		{ join, sizeof(*join) },
		{ no_mac, sizeof(no_mac) },
		{ (const u8 *)rec + CW_WIRE_MAC, sizeof(*rec) - CW_WIRE_MAC },
	};

	static_assert(offsetof(struct cw_wire_joined, mac) == 0);
	return cw_auth_digest("hmac(sha256)", secret, CW_WIRE_MAC, parts, ARRAY_SIZE(parts), mac);
}

int cw_auth_token(const u8 secret[CW_WIRE_MAC], u32 number, u64 epoch, u8 kind, u16 index,
		  u8 token[CW_WIRE_TOKEN])
{
	struct {
		__le32 number;
		__le64 epoch;
		u8 kind;
		__le16 index;
	} __packed link = {
		cpu_to_le32(number), cpu_to_le64(epoch), kind, cpu_to_le16(index)
	};
	const struct cw_auth_part parts[] = {
		{ "link", strlen("link") },
		{ &link, sizeof(link) },
	};
	u8 mac[CW_WIRE_MAC];
	int ret;

	ret = cw_auth_digest("hmac(sha256)", secret, CW_WIRE_MAC, parts, ARRAY_SIZE(parts), mac);
	memcpy(token, mac, CW_WIRE_TOKEN);
	memzero_explicit(mac, sizeof(mac));
	return ret;
}

int cw_auth_receipt(const u8 secret[32], const u8 ledger[CW_WIRE_UUID], u64 generation,
		    const u8 host[CW_WIRE_UUID], const u8 session[CW_WIRE_UUID],
		    u8 receipt[CW_WIRE_RECEIPT])
{
	__le64 number = cpu_to_le64(generation);
	const struct cw_auth_part parts[] = {
		{ "receipt", strlen("receipt") },
		{ ledger, CW_WIRE_UUID },
		{ &number, sizeof(number) },
		{ host, CW_WIRE_UUID },
		{ session, CW_WIRE_UUID },
	};
	u8 mac[CW_WIRE_MAC];
	int ret;

	ret = cw_auth_digest("hmac(sha256)", secret, 32, parts, ARRAY_SIZE(parts), mac);
	memcpy(receipt, mac, CW_WIRE_RECEIPT);
	memzero_explicit(mac, sizeof(mac));
	return ret;
}

bool cw_auth_equal(const u8 *a, const u8 *b, size_t len)
{
	return !crypto_memneq(a, b, len);
}
