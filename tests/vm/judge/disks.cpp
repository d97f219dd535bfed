// SPDX-License-Identifier: GPL-2.0-or-later
// A disk keeps what was written to it by vectors: pieces of any number of blocks, each anywhere in
// memory that direct I/O takes, so that one request has gaps between its pages.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "judge.h"

namespace judge
{

namespace
{

constexpr size_t PAGE = 4096;
constexpr size_t SECTOR = 512; // where memory for direct I/O may begin
constexpr size_t REGION = 2 << 20; // of the disk
constexpr size_t ROOM = 4 << 20; // of memory that the pieces lie in
constexpr size_t LONGEST = 512 << 10; // of one piece
constexpr size_t PIECES = 32;

struct Free {
	void operator()(void *memory) const
	{
		std::free(memory);
	}
};

class Vectors
{
      public:
	Vectors(const std::string &path, uint64_t seed)
	    : random_(seed), disk_(path, O_RDWR | O_DIRECT), image_(REGION),
	      room_(static_cast<uint8_t *>(std::aligned_alloc(PAGE, ROOM)))
	{
		int block = 0;
		must(ioctl(disk_, BLKSSZGET, &block), "BLKSSZGET");
		block_ = size_t(block);
		for (uint8_t &byte : image_)
			byte = uint8_t(random_.next());
		// The first content, in one piece.
		std::copy(image_.begin(), image_.end(), room_.get());
		transfer(true, 0, {{room_.get(), REGION}});
	}

	void one()
	{
		size_t len = 0;
		const std::vector<iovec> pieces = choose(&len);
		const size_t at = random_.below((REGION - len) / block_ + 1) * block_;
		const bool write = random_.below(2) != 0;
		size_t done = 0;
		for (const iovec &piece : pieces) {
			auto *memory = static_cast<uint8_t *>(piece.iov_base);
			for (size_t i = 0; write && i < piece.iov_len; i++)
				memory[i] = image_[at + done + i] = uint8_t(random_.next());
			if (!write)
				memset(memory, 0xa5, piece.iov_len);
			done += piece.iov_len;
		}
		transfer(write, at, pieces);
		if (!write)
			compare(at, pieces);
		moved_ += len;
	}

	// All of it once more, in one piece.
	std::string finish()
	{
		transfer(false, 0, {{room_.get(), REGION}});
		compare(0, {{room_.get(), REGION}});
		must(fsync(disk_), "fsync");
		return std::to_string(moved_) + " bytes in blocks of " + std::to_string(block_);
	}

      private:
	// Pieces of whole blocks that lie behind each other in memory, with gaps between them.
	std::vector<iovec> choose(size_t *len)
	{
		std::vector<iovec> pieces;
		const size_t count = 1 + random_.below(PIECES);
		const size_t longest = random_.below(4) ? 4 * PAGE : LONGEST;
		size_t place = 0;
		*len = 0;
		while (pieces.size() < count) {
			const size_t piece = block_ * (1 + random_.below(longest / block_));
			place += SECTOR * random_.below(2 * PAGE / SECTOR);
			if (*len + piece > REGION || place + piece > ROOM)
				break;
			pieces.push_back({room_.get() + place, piece});
			place += piece;
			*len += piece;
		}
		if (pieces.empty()) {
			pieces.push_back({room_.get(), block_});
			*len = block_;
		}
		return pieces;
	}

	void transfer(bool write, size_t at, const std::vector<iovec> &pieces)
	{
		size_t len = 0;
		for (const iovec &piece : pieces)
			len += piece.iov_len;
		const std::string what = std::string(write ? "write" : "read") + " of " +
					 std::to_string(len) + " bytes in " +
					 std::to_string(pieces.size()) + " pieces at " +
					 std::to_string(at);
		const ssize_t n =
			write ? pwritev(disk_, pieces.data(), int(pieces.size()), off_t(at))
			      : preadv(disk_, pieces.data(), int(pieces.size()), off_t(at));
		if (size_t(must(n, what)) != len)
			throw Broken(what + " moved " + std::to_string(n));
	}

	void compare(size_t at, const std::vector<iovec> &pieces) const
	{
		for (const iovec &piece : pieces) {
			const auto *memory = static_cast<const uint8_t *>(piece.iov_base);
			for (size_t i = 0; i < piece.iov_len; i++, at++)
				if (memory[i] != image_[at])
					throw Broken("byte " + std::to_string(at) +
						     " is another one than was written");
		}
	}

	Random random_;
	File disk_;
	Bytes image_;
	std::unique_ptr<uint8_t[], Free> room_;
	size_t block_ = 0;
	uint64_t moved_ = 0;
};

// vectors DISK SEED COUNT
std::string vectors(const Words &words)
{
	const uint64_t seed = std::stoull(words.at(1));
	const unsigned count = unsigned(std::stoul(words.at(2)));
	Vectors run(words.at(0), seed);
	unsigned number = 0;
	try {
		for (; number < count; number++)
			run.one();
		return run.finish();
	} catch (const Broken &failure) {
		throw Broken(std::string(failure.what()) + "; operation " + std::to_string(number) +
			     " of seed " + std::to_string(seed));
	}
}

} // namespace

Judgements disk_judgements()
{
	return {{"vectors", vectors}};
}

} // namespace judge
