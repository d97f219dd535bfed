// SPDX-License-Identifier: GPL-2.0-or-later
// Record locks exclude others: of POSIX and of open file descriptions, between processes, and
// between this machine and another.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "judge.h"

namespace judge
{

namespace
{

struct flock record(short type, off_t start, off_t len)
{
	struct flock lock {
	};
	lock.l_type = type;
	lock.l_whence = SEEK_SET;
	lock.l_start = start;
	lock.l_len = len;
	return lock;
}

// Returns true if the lock was granted.
bool lock(int fd, int command, short type, off_t start, off_t len)
{
	struct flock what = record(type, start, len);
	if (!fcntl(fd, command, &what))
		return true;
	if (errno != EAGAIN && errno != EACCES)
		broken("fcntl");
	return false;
}

void expect(bool got, bool wanted, const char *what)
{
	if (got != wanted)
		throw Broken(std::string(what) + (got ? ": granted" : ": refused"));
}

// Returns the type of the lock that keeps another process from a write lock, F_UNLCK if none does.
short seen_by_another(const std::string &path, off_t start, off_t len)
{
	const pid_t child = fork();
	if (child == 0) {
		struct flock what = record(F_WRLCK, start, len);
		const int fd = open(path.c_str(), O_RDWR);
		if (fd < 0 || fcntl(fd, F_GETLK, &what))
			_exit(100);
		_exit(what.l_type);
	}
	int status = 0;
	must(waitpid(child, &status, 0), "waitpid");
	if (!WIFEXITED(status) || WEXITSTATUS(status) == 100)
		throw Broken("F_GETLK fails");
	return short(WEXITSTATUS(status));
}

// locks FILE: within this machine.
std::string locks(const Words &words)
{
	const std::string &path = words.at(0);
	File file(path, O_RDWR | O_CREAT | O_TRUNC);

	expect(lock(file, F_SETLK, F_WRLCK, 0, 100), true, "a write lock");
	expect(seen_by_another(path, 50, 1) == F_WRLCK, true, "a locked byte");
	expect(lock(file, F_SETLK, F_UNLCK, 40, 20), true, "a hole in a lock");
	expect(seen_by_another(path, 40, 20) == F_UNLCK, true, "the hole");
	expect(seen_by_another(path, 39, 1) == F_WRLCK, true, "the byte before");
	expect(seen_by_another(path, 60, 1) == F_WRLCK, true, "the byte behind");
	expect(lock(file, F_SETLK, F_RDLCK, 0, 0), true, "a read lock of all");
	expect(seen_by_another(path, 1 << 20, 1) == F_RDLCK, true, "a byte beyond the end");
	expect(lock(file, F_SETLK, F_UNLCK, 0, 0), true, "unlock");

	// Locks of two open files exclude each other, even in one process.
	File second(path, O_RDWR);
	expect(lock(file, F_OFD_SETLK, F_WRLCK, 10, 10), true, "the first file's lock");
	expect(lock(second, F_OFD_SETLK, F_WRLCK, 15, 1), false, "the second file's lock");
	expect(lock(second, F_OFD_SETLK, F_WRLCK, 20, 1), true, "a lock behind it");
	second.close();
	File third(path, O_RDWR);
	expect(lock(third, F_OFD_SETLK, F_RDLCK, 20, 1), true, "what a closed file had locked");

	// A process that waits for a lock gets it when it is free.
	const pid_t child = fork();
	if (child == 0) {
		struct flock what = record(F_WRLCK, 10, 10);
		const int fd = open(path.c_str(), O_RDWR);
		_exit(fd < 0 || fcntl(fd, F_SETLKW, &what) ? 1 : 0);
	}
	int status = 0;
	expect(waitpid(child, &status, WNOHANG) == 0, true, "waiting");
	expect(lock(file, F_OFD_SETLK, F_UNLCK, 10, 10), true, "unlock");
	must(waitpid(child, &status, 0), "waitpid");
	expect(status == 0, true, "the lock waited for");
	return "kept";
}

// hold FILE: locks it until input ends.
std::string hold(const Words &words)
{
	File file(words.at(0), O_RDWR);
	expect(lock(file, F_SETLK, F_WRLCK, 0, 0), true, "the lock");
	say("held");
	wait_for_input_to_end();
	return "released";
}

// blocked FILE: another process, on another machine, has the lock; waits for it.
std::string blocked(const Words &words)
{
	File file(words.at(0), O_RDWR);
	struct flock what = record(F_WRLCK, 0, 1);
	must(fcntl(file, F_GETLK, &what), "F_GETLK");
	expect(what.l_type == F_UNLCK, false, "what another machine has locked");
	expect(lock(file, F_SETLK, F_WRLCK, 0, 1), false, "what another machine has locked");
	say("waiting");
	expect(lock(file, F_SETLKW, F_WRLCK, 0, 1), true, "the lock waited for");
	return "granted";
}

// opened FILE: reads it and keeps it open until input ends; the server may delegate it.
std::string opened(const Words &words)
{
	File file(words.at(0), O_RDONLY);
	Bytes bytes(4096);
	must(pread(file, bytes.data(), bytes.size(), 0), "read");
	say("open");
	wait_for_input_to_end();
	return "closed";
}

} // namespace

Judgements lock_judgements()
{
	return {
		{"locks", locks},
		{"hold", hold},
		{"blocked", blocked},
		{"opened", opened},
	};
}

} // namespace judge
