// SPDX-License-Identifier: GPL-2.0-or-later
#include "secrets.h"

#include <gcrypt.h>

#include <cstring>
#include <random>
#include <string_view>

namespace peer
{

Secret sha256(const Bytes &data)
{
	Secret out;
	gcry_md_hash_buffer(GCRY_MD_SHA256, out.data(), data.data(), data.size());
	return out;
}

Secret hmac(const Bytes &given, const char *label, const Bytes &data)
{
	const Bytes key = given.empty() ? Bytes(32) : given;
	gcry_md_hd_t md;
	Secret out;
	if (gcry_md_open(&md, GCRY_MD_SHA256, GCRY_MD_FLAG_HMAC))
		throw Failure("no HMAC-SHA256");
	gcry_md_setkey(md, key.data(), key.size());
	gcry_md_write(md, label, strlen(label));
	gcry_md_write(md, data.data(), data.size());
	memcpy(out.data(), gcry_md_read(md, GCRY_MD_SHA256), out.size());
	gcry_md_close(md);
	return out;
}

Bytes transcript(const Bytes &req, const Bytes &rep, const Bytes &hello, const Bytes &challenge)
{
	constexpr std::string_view TEXT = "causeway disk 2";
	Bytes all(TEXT.begin(), TEXT.end());
	const auto add = [&all](const Bytes &bytes, size_t len) {
		if (bytes.size() < len)
			throw Failure("a struct of the login is cut");
		all.insert(all.end(), bytes.begin(), bytes.begin() + ptrdiff_t(len));
	};
	add(req, sizeof(cw_wire_req));
	add(rep, sizeof(cw_wire_rep));
	add(hello, sizeof(cw_wire_hello));
	add(challenge, sizeof(cw_wire_challenge));
	const Secret t = sha256(all);
	return {t.begin(), t.end()};
}

void fill_random(u8 *to, size_t len)
{
	static std::random_device device;
	for (size_t i = 0; i < len; i++)
		to[i] = u8(device());
}

} // namespace peer
