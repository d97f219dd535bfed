// SPDX-License-Identifier: GPL-2.0-or-later
// Access control lists come back as they were set, long ones too: NFS v3 carries those of POSIX,
// v4 its own.
#include <arpa/inet.h>
#include <endian.h>
#include <fcntl.h>
#include <sys/xattr.h>

#include <cstring>
#include <optional>

#include "judge.h"

namespace judge
{

namespace
{

constexpr const char *POSIX = "system.posix_acl_access";
constexpr const char *NFS4 = "system.nfs4_acl";
constexpr unsigned FIRST_USER = 2000;

void append(Bytes &to, const void *from, size_t len)
{
	const auto *bytes = static_cast<const uint8_t *>(from);
	to.insert(to.end(), bytes, bytes + len);
}

std::optional<Bytes> attribute(const std::string &path, const char *name)
{
	Bytes got(64 << 10);
	const ssize_t n = getxattr(path.c_str(), name, got.data(), got.size());
	if (n < 0)
		return std::nullopt;
	got.resize(size_t(n));
	return got;
}

// The kernel's form: a version, and entries that are sorted (acl(5), linux/posix_acl_xattr.h).
Bytes posix_list(unsigned users)
{
	enum { USER_OBJ = 1, USER = 2, GROUP_OBJ = 4, MASK = 16, OTHER = 32 };
	Bytes list;
	const uint32_t version = htole32(2);
	append(list, &version, sizeof(version));
	const auto entry = [&](unsigned tag, unsigned permissions, uint32_t id) {
		const uint16_t words[2] = {htole16(uint16_t(tag)), htole16(uint16_t(permissions))};
		id = htole32(id);
		append(list, words, sizeof(words));
		append(list, &id, sizeof(id));
	};
	entry(USER_OBJ, 6, ~0U);
	for (unsigned i = 0; i < users; i++)
		entry(USER, i % 8, FIRST_USER + i);
	entry(GROUP_OBJ, 4, ~0U);
	entry(MASK, 7, ~0U);
	entry(OTHER, 0, ~0U);
	return list;
}

void judge_posix(const std::string &path, unsigned users)
{
	const Bytes list = posix_list(users);
	must(setxattr(path.c_str(), POSIX, list.data(), list.size(), 0),
	     "setting a list of " + std::to_string(users));
	drop_caches();
	if (attribute(path, POSIX) != list)
		throw Broken("a list of " + std::to_string(users) + " comes back changed");
}

// SETATTR carries a count, and entries of type, flags, mask and who (RFC 7530, section 6).
Bytes nfs4_list(unsigned users)
{
	constexpr uint32_t READ = 1;
	Bytes list;
	const auto word = [&](uint32_t value) {
		value = htonl(value);
		append(list, &value, sizeof(value));
	};
	const auto allow = [&](uint32_t mask, const std::string &who) {
		word(0);
		word(0);
		word(mask);
		word(uint32_t(who.size()));
		append(list, who.data(), who.size());
		list.resize((list.size() + 3) & ~size_t(3));
	};
	word(users + 3);
	allow(READ, "OWNER@");
	for (unsigned i = 0; i < users; i++)
		allow(READ, std::to_string(FIRST_USER + i));
	allow(READ, "GROUP@");
	allow(READ, "EVERYONE@");
	return list;
}

// The server keeps lists of POSIX, so another list comes back; every user has to be in it.
void judge_nfs4(const std::string &path, unsigned users)
{
	const Bytes list = nfs4_list(users);
	must(setxattr(path.c_str(), NFS4, list.data(), list.size(), 0),
	     "setting a list of " + std::to_string(users));
	drop_caches();
	const auto got = attribute(path, NFS4);
	if (!got)
		broken("reading a list of " + std::to_string(users));
	const std::string text(got->begin(), got->end());
	for (unsigned i = 0; i < users; i++)
		if (text.find(std::to_string(FIRST_USER + i)) == std::string::npos)
			throw Broken("user " + std::to_string(i) + " of " + std::to_string(users) +
				     " is lost");
}

// acls FILE: a short list and some longer than a message of an inline threshold.
std::string acls(const Words &words)
{
	const std::string &path = words.at(0);
	File(path, O_RDWR | O_CREAT | O_TRUNC).close();
	const bool nfs4 = attribute(path, NFS4).has_value();
	// More nfsd refuses, over TCP as well.
	for (const unsigned users : {1U, 20U, 90U, nfs4 ? 110U : 300U, 2U})
		nfs4 ? judge_nfs4(path, users) : judge_posix(path, users);
	return nfs4 ? "lists of NFS 4" : "lists of POSIX";
}

} // namespace

Judgements acl_judgements()
{
	return {{"acls", acls}};
}

} // namespace judge
