// SPDX-License-Identifier: GPL-2.0-or-later
// Random operations on a file and on its picture in memory. Both must agree, whatever way the bytes
// went: through the page cache, beside it (O_DIRECT, of any length and at any place, as NFS
// allows), by a mapping, in pieces.
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>

#include "judge.h"

namespace judge
{

namespace
{

constexpr size_t LIMIT = 1536 << 10; // of the file
constexpr size_t REMEMBERED = 16; // operations that a failure lists

std::string range(size_t at, size_t len)
{
	return std::to_string(at) + "+" + std::to_string(len);
}

class Run
{
      public:
	Run(std::string path, uint64_t seed)
	    : path_(std::move(path)), random_(seed), file_(path_, O_RDWR | O_CREAT | O_TRUNC),
	      direct_(path_, O_RDWR | O_DIRECT)
	{
	}

	void one()
	{
		struct Choice {
			unsigned weight;
			void (Run::*what)();
		};
		static constexpr Choice choices[] = {
			{14, &Run::write_some},	 {14, &Run::read_some},	  {14, &Run::write_direct},
			{14, &Run::read_direct}, {6, &Run::write_pieces}, {6, &Run::read_pieces},
			{6, &Run::map_write},	 {6, &Run::map_read},	  {5, &Run::truncate},
			{4, &Run::punch},	 {3, &Run::holes},	  {5, &Run::settle},
			{3, &Run::reopen},
		};
		unsigned total = 0;
		for (const Choice &choice : choices)
			total += choice.weight;
		unsigned at = unsigned(random_.below(total));
		for (const Choice &choice : choices) {
			if (at < choice.weight) {
				(this->*choice.what)();
				break;
			}
			at -= choice.weight;
		}
		check_size();
	}

	// Everything once more from the server, and what it is.
	std::string finish()
	{
		settle();
		note("last look");
		Bytes got(image_.size() + 1);
		got.resize(size_t(must(all(direct_, got, 0, false), "read")));
		compare(0, image_.size(), got);
		file_.close();
		direct_.close();
		return std::to_string(image_.size()) + " bytes, " + hex(sum(image_));
	}

	std::string story() const
	{
		std::string told;
		for (const std::string &line : done_)
			told += "\n  " + line;
		return told;
	}

      private:
	void note(const std::string &line)
	{
		done_.push_back(line);
		if (done_.size() > REMEMBERED)
			done_.pop_front();
	}

	// Small ones, some of about a page, some of many: each of its own way through a transport.
	size_t length()
	{
		switch (random_.below(8)) {
		case 0:
		case 1:
			return 1 + random_.below(64);
		case 2:
		case 3:
			return 1 + random_.below(5000);
		case 4:
			return 4096 * (1 + random_.below(8));
		case 5:
		case 6:
			return 1 + random_.below(70000);
		default:
			return 1 + random_.below(400000);
		}
	}

	size_t place()
	{
		const size_t at = random_.below(image_.size() + 20000);
		return std::min(random_.below(3) ? at : at & ~size_t(4095), LIMIT - 1);
	}

	Bytes fresh(size_t len)
	{
		Bytes bytes(len);
		uint64_t word = 0;
		for (size_t i = 0; i < len; i++) {
			if (i % 8 == 0)
				word = random_.next();
			bytes[i] = uint8_t(word >> (8 * (i % 8)));
		}
		return bytes;
	}

	void remember(size_t at, const Bytes &bytes)
	{
		if (image_.size() < at + bytes.size())
			image_.resize(at + bytes.size());
		std::copy(bytes.begin(), bytes.end(), image_.begin() + ptrdiff_t(at));
	}

	// A call may do less than asked; in the end all of it, or up to the end of the file.
	static ssize_t all(int fd, Bytes &bytes, size_t at, bool writes)
	{
		size_t done = 0;
		while (done < bytes.size()) {
			uint8_t *from = bytes.data() + done;
			const size_t left = bytes.size() - done;
			const ssize_t n = writes ? pwrite(fd, from, left, off_t(at + done))
						 : pread(fd, from, left, off_t(at + done));
			if (n < 0)
				return n;
			if (n == 0)
				break;
			done += size_t(n);
		}
		return ssize_t(done);
	}

	void compare(size_t at, size_t len, const Bytes &got) const
	{
		const size_t end = std::min(at + len, image_.size());
		const size_t expected = end > at ? end - at : 0;
		if (got.size() != expected)
			throw Broken("read " + range(at, len) + " gave " +
				     std::to_string(got.size()) + " bytes instead of " +
				     std::to_string(expected));
		const auto wrong =
			std::mismatch(got.begin(), got.end(), image_.begin() + ptrdiff_t(at));
		if (wrong.first == got.end())
			return;
		const size_t first = size_t(wrong.first - got.begin());
		size_t count = 0;
		for (size_t i = first; i < got.size(); i++)
			count += got[i] != image_[at + i];
		throw Broken("byte " + std::to_string(at + first) + " is " +
			     std::to_string(*wrong.first) + " instead of " +
			     std::to_string(*wrong.second) + ", " + std::to_string(count) +
			     " wrong ones in " + range(at, len));
	}

	void write_by(int fd, const char *how)
	{
		const size_t at = place();
		Bytes bytes = fresh(std::min(length(), LIMIT - at));
		note(how + range(at, bytes.size()));
		if (must(all(fd, bytes, at, true), "write") != ssize_t(bytes.size()))
			throw Broken("a write stopped at nothing");
		remember(at, bytes);
	}

	void read_by(int fd, const char *how)
	{
		const size_t at = place(), len = length();
		note(how + range(at, len));
		Bytes got(len);
		got.resize(size_t(must(all(fd, got, at, false), "read")));
		compare(at, len, got);
	}

	void write_some()
	{
		write_by(file_, "write ");
	}
	void read_some()
	{
		read_by(file_, "read ");
	}
	void write_direct()
	{
		write_by(direct_, "write direct ");
	}
	void read_direct()
	{
		read_by(direct_, "read direct ");
	}

	// Pieces that begin and end anywhere in memory.
	std::vector<iovec> pieces(Bytes &bytes)
	{
		std::vector<iovec> found;
		for (size_t at = 0; at < bytes.size();) {
			const size_t len = std::min(bytes.size() - at, 1 + random_.below(9000));
			found.push_back({bytes.data() + at, len});
			at += len;
		}
		return found;
	}

	void write_pieces()
	{
		const size_t at = place();
		Bytes bytes = fresh(std::min(1 + random_.below(60000), LIMIT - at));
		const auto parts = pieces(bytes);
		const bool direct = random_.below(2);
		note("write pieces " + range(at, bytes.size()) + (direct ? " direct" : ""));
		const ssize_t n = must(pwritev(direct ? direct_ : file_, parts.data(),
					       int(parts.size()), off_t(at)),
				       "pwritev");
		if (size_t(n) != bytes.size())
			throw Broken("pwritev wrote " + std::to_string(n));
		remember(at, bytes);
	}

	void read_pieces()
	{
		const size_t at = place(), len = 1 + random_.below(60000);
		Bytes got(len);
		const auto parts = pieces(got);
		const bool direct = random_.below(2);
		note("read pieces " + range(at, len) + (direct ? " direct" : ""));
		got.resize(size_t(must(preadv(direct ? direct_ : file_, parts.data(),
					      int(parts.size()), off_t(at)),
				       "preadv")));
		compare(at, len, got);
	}

	// Calls @use with a mapping of a part that exists.
	template <class Use> void map(const char *how, int protection, Use use)
	{
		if (image_.empty())
			return;
		const size_t at = random_.below(image_.size());
		const size_t len = std::min(length(), image_.size() - at);
		const size_t base = at & ~size_t(4095);
		note(how + range(at, len));
		void *mapped =
			mmap(nullptr, at + len - base, protection, MAP_SHARED, file_, off_t(base));
		if (mapped == MAP_FAILED)
			broken("mmap");
		const auto unmap = [&](void *p) { munmap(p, at + len - base); };
		const std::unique_ptr<void, decltype(unmap)> guard(mapped, unmap);
		use(at, len, static_cast<uint8_t *>(mapped) + (at - base));
		must(msync(mapped, at + len - base, MS_SYNC), "msync");
	}

	void map_write()
	{
		map("map write ", PROT_READ | PROT_WRITE, [&](size_t at, size_t len, uint8_t *to) {
			const Bytes bytes = fresh(len);
			std::copy(bytes.begin(), bytes.end(), to);
			remember(at, bytes);
		});
	}

	void map_read()
	{
		map("map read ", PROT_READ, [&](size_t at, size_t len, uint8_t *from) {
			compare(at, len, Bytes(from, from + len));
		});
	}

	void truncate()
	{
		const size_t size = random_.below(3) ? random_.below(image_.size() + 30000)
						     : random_.below(LIMIT / 2);
		note("truncate " + std::to_string(size));
		must(ftruncate(file_, off_t(size)), "ftruncate");
		image_.resize(size);
	}

	// Before 4.2 NFS has no such call.
	void punch()
	{
		if (image_.empty())
			return;
		const size_t at = random_.below(image_.size());
		const size_t len = std::min(length(), image_.size() - at);
		note("punch " + range(at, len));
		if (fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off_t(at),
			      off_t(len))) {
			if (errno == EOPNOTSUPP)
				return;
			broken("fallocate");
		}
		std::fill_n(image_.begin() + ptrdiff_t(at), len, 0);
	}

	// The bytes in a hole must be zero.
	void holes()
	{
		const off_t size = off_t(image_.size());
		note("holes");
		for (off_t at = 0; at < size;) {
			off_t data = lseek(file_, at, SEEK_DATA);
			if (data < 0 && errno != ENXIO)
				broken("SEEK_DATA");
			if (data < 0)
				data = size;
			for (off_t i = at; i < data; i++)
				if (image_[size_t(i)])
					throw Broken("byte " + std::to_string(i) +
						     " is in a hole and not zero");
			if (data >= size)
				break;
			at = must(lseek(file_, data, SEEK_HOLE), "SEEK_HOLE");
			if (at <= data)
				throw Broken("a hole begins where data does");
		}
	}

	// To the server, and nothing is kept here.
	void settle()
	{
		note("settle");
		must(fsync(file_), "fsync");
		must(posix_fadvise(file_, 0, 0, POSIX_FADV_DONTNEED), "fadvise");
	}

	void reopen()
	{
		note("reopen");
		file_.close();
		direct_.close();
		file_ = File(path_, O_RDWR);
		direct_ = File(path_, O_RDWR | O_DIRECT);
	}

	void check_size() const
	{
		struct stat stat {
		};
		must(fstat(file_, &stat), "fstat");
		if (size_t(stat.st_size) != image_.size())
			throw Broken("the size is " + std::to_string(stat.st_size) +
				     " instead of " + std::to_string(image_.size()));
	}

	std::string path_;
	Random random_;
	File file_, direct_;
	Bytes image_;
	std::deque<std::string> done_;
};

// random FILE SEED COUNT
std::string random_operations(const Words &words)
{
	const uint64_t seed = std::stoull(words.at(1));
	const unsigned count = unsigned(std::stoul(words.at(2)));
	Run run(words.at(0), seed);
	unsigned number = 0;
	try {
		for (; number < count; number++)
			run.one();
		return run.finish();
	} catch (const Broken &failure) {
		throw Broken(std::string(failure.what()) + "; operation " + std::to_string(number) +
			     " of seed " + std::to_string(seed) + ", after" + run.story());
	}
}

// sum FILE: the same as random said of it?
std::string sum_of(const Words &words)
{
	File file(words.at(0), O_RDONLY);
	struct stat stat {
	};
	must(fstat(file, &stat), "fstat");
	Bytes bytes(size_t(stat.st_size));
	for (size_t at = 0; at < bytes.size();) {
		const ssize_t n =
			must(pread(file, bytes.data() + at, bytes.size() - at, off_t(at)), "read");
		if (n == 0)
			throw Broken("the file is shorter than its size");
		at += size_t(n);
	}
	return std::to_string(bytes.size()) + " bytes, " + hex(sum(bytes));
}

// lengths FILE: each length from 1 to 36 and around some powers of two, alone in a file, both ways.
std::string each_length(const Words &words)
{
	std::vector<size_t> lengths;
	for (size_t len = 1; len <= 36; len++)
		lengths.push_back(len);
	for (size_t power = 256; power <= 64 << 10; power *= 4)
		for (size_t len = power - 3; len <= power + 1; len++)
			lengths.push_back(len);
	File direct(words.at(0), O_RDWR | O_CREAT | O_TRUNC | O_DIRECT);
	Random random(lengths.size());
	for (const size_t len : lengths) {
		Bytes out(len), in(len + 8, 0xa5);
		for (uint8_t &byte : out)
			byte = uint8_t(1 + random.below(255));
		must(ftruncate(direct, 0), "ftruncate");
		if (must(pwrite(direct, out.data(), len, 0), "write") != ssize_t(len))
			throw Broken("a short write of " + std::to_string(len));
		// More room than there is: what lies behind is not touched.
		if (must(pread(direct, in.data(), len + 4, 0), "read") != ssize_t(len))
			throw Broken("not " + std::to_string(len) + " bytes come back");
		if (!std::equal(out.begin(), out.end(), in.begin()))
			throw Broken("other bytes of " + std::to_string(len) + " come back");
		if (std::any_of(in.begin() + ptrdiff_t(len) + 4, in.end(),
				[](uint8_t byte) { return byte != 0xa5; }))
			throw Broken("a read of " + std::to_string(len) + " wrote behind its room");
	}
	return std::to_string(lengths.size()) + " lengths";
}

} // namespace

Judgements data_judgements()
{
	return {
		{"random", random_operations},
		{"sum", sum_of},
		{"lengths", each_length},
	};
}

} // namespace judge
