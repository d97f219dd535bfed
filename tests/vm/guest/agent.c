// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rig's hands inside a guest.
 *
 * The agent reads frames from the virtio-serial port "rig", starts a shell
 * for each command, and streams output and exit codes back. Many commands run
 * at the same time; each is known by the number its caller gave it and is a
 * process group of its own. The agent is process 1 of a quick guest, and an
 * ordinary service in a guest that runs systemd.
 *
 * A frame is a header (length, id, type; little-endian) and its payload:
 *
 *   to the guest    R  run the payload with bash
 *                   D  data for standard input; empty: end of file
 *                   K  send the signal in the first byte to the group
 *   to the rig      H  the agent is up; the payload is the boot id
 *                   O  output, standard output and error together
 *                   X  ended; the payload is the exit code (128 + signal)
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	MAX_JOBS = 64,
	MAX_PAYLOAD = 1 << 20,
};

struct header {
	uint32_t length;
	uint32_t id;
	uint8_t type;
} __attribute__((packed));

struct job {
	uint32_t id;
	pid_t pid;		/* 0: the slot is free */
	int in;			/* our end of its standard input, or -1 */
	int out;		/* our end of its output, or -1 */
};

static struct job jobs[MAX_JOBS];
static int port = -1;
static char payload[MAX_PAYLOAD + 1];

static void die(const char *what)
{
	fprintf(stderr, "rig agent: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* The rig that started this machine is dead, so the machine ends itself. */
static void wait_alone(void)
{
	static int tenths;

	poll(NULL, 0, 100);
	if (++tenths == 50)
		reboot(RB_POWER_OFF);
}

static void put(const void *data, size_t length)
{
	const char *at = data;

	while (length) {
		ssize_t n = write(port, at, length);

		if (n < 0 && errno == EAGAIN) {
			struct pollfd writable = { .fd = port, .events = POLLOUT };

			poll(&writable, 1, -1);
			if (writable.revents & POLLHUP)
				wait_alone();
		} else if (n < 0 && errno != EINTR && errno != ENOMEM) {
			/* A scenario lets some allocations fail: ENOMEM passes. */
			die("write to the rig");
		} else if (n > 0) {
			at += n;
			length -= n;
		}
	}
}

static void send_frame(uint32_t id, char type, const void *data, uint32_t length)
{
	struct header header = { .length = length, .id = id, .type = type };

	put(&header, sizeof(header));
	put(data, length);
}

static void get(void *data, size_t length)
{
	char *at = data;

	while (length) {
		ssize_t n = read(port, at, length);

		if (n == 0) {
			wait_alone();
		} else if (n < 0 && errno == EAGAIN) {
			struct pollfd readable = { .fd = port, .events = POLLIN };

			poll(&readable, 1, 1000);
		} else if (n < 0 && errno != EINTR) {
			die("read from the rig");
		} else if (n > 0) {
			at += n;
			length -= n;
		}
	}
}

static struct job *find_job(uint32_t id)
{
	for (int i = 0; i < MAX_JOBS; i++)
		if (jobs[i].pid && jobs[i].id == id)
			return &jobs[i];
	return NULL;
}

static struct job *free_slot(void)
{
	for (int i = 0; i < MAX_JOBS; i++)
		if (!jobs[i].pid)
			return &jobs[i];
	return NULL;
}

static void send_exit(uint32_t id, int32_t code)
{
	send_frame(id, 'X', &code, sizeof(code));
}

static void become(const char *command, int in, int out)
{
	sigset_t none;

	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(in, 0);
	dup2(out, 1);
	dup2(out, 2);
	execl("/bin/bash", "bash", "-c", command, NULL);
	_exit(127);
}

static void run(uint32_t id, const char *command)
{
	struct job *job = free_slot();
	int in[2], out[2];
	pid_t pid;

	if (!job || pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) {
		send_exit(id, 126);
		return;
	}
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0)
		become(command, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	*job = (struct job){ .id = id, .pid = pid, .in = in[1], .out = out[0] };
}

static void feed(struct job *job, const char *data, uint32_t length)
{
	bool end = length == 0;

	while (length && job->in >= 0) {
		ssize_t n = write(job->in, data, length);

		if (n > 0) {
			data += n;
			length -= n;
		} else if (errno != EINTR) {
			end = true;
			break;
		}
	}
	if (end && job->in >= 0) {
		close(job->in);
		job->in = -1;
	}
}

static void take_frame(void)
{
	struct header header;
	struct job *job;

	get(&header, sizeof(header));
	if (header.length > MAX_PAYLOAD) {
		errno = EMSGSIZE;
		die("frame");
	}
	get(payload, header.length);
	payload[header.length] = 0;
	if (header.type == 'R') {
		run(header.id, payload);
		return;
	}
	job = find_job(header.id);
	if (!job)
		return;
	if (header.type == 'D')
		feed(job, payload, header.length);
	else if (header.type == 'K')
		kill(-job->pid, payload[0]);
}

static void pass_output(struct job *job)
{
	static char buffer[16384];
	ssize_t n;

	while ((n = read(job->out, buffer, sizeof(buffer))) > 0)
		send_frame(job->id, 'O', buffer, n);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	close(job->out);
	job->out = -1;
}

static void reap(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (int i = 0; i < MAX_JOBS; i++) {
			struct job *job = &jobs[i];

			if (job->pid != pid)
				continue;
			if (job->out >= 0)
				pass_output(job);
			if (job->out >= 0)
				close(job->out);
			if (job->in >= 0)
				close(job->in);
			job->pid = 0;
			send_exit(job->id, WIFSIGNALED(status) ?
				  128 + WTERMSIG(status) : WEXITSTATUS(status));
			break;
		}
	}
}

/* Only udev would make /dev/virtio-ports. sysfs has the names. */
static int open_port(void)
{
	const char *root = "/sys/class/virtio-ports";
	char path[PATH_MAX], name[16];
	struct dirent *entry;
	DIR *dir = opendir(root);

	if (!dir)
		return -1;
	while ((entry = readdir(dir))) {
		FILE *file;
		int match;

		snprintf(path, sizeof(path), "%s/%s/name", root, entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		match = fgets(name, sizeof(name), file) && !strcmp(name, "rig\n");
		fclose(file);
		if (match) {
			snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
			closedir(dir);
			return open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
		}
	}
	closedir(dir);
	return -1;
}

static void say_hello(void)
{
	char boot_id[64];
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
	size_t n = file ? fread(boot_id, 1, sizeof(boot_id), file) : 0;

	if (file)
		fclose(file);
	send_frame(0, 'H', boot_id, n);
}

int main(void)
{
	struct pollfd fds[MAX_JOBS + 2];
	sigset_t child;
	int signals;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("HOME", "/root", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	/* systemctl's own 25 s are too few for systemd on a debug kernel; the rig bounds each command. */
	setenv("SYSTEMD_BUS_TIMEOUT", "600", 1);
	if (chdir("/"))
		die("chdir");
	port = open_port();
	if (signals < 0 || port < 0)
		die("virtio port \"rig\"");
	say_hello();

	for (;;) {
		struct signalfd_siginfo seen;

		fds[0] = (struct pollfd){ .fd = port, .events = POLLIN };
		fds[1] = (struct pollfd){ .fd = signals, .events = POLLIN };
		for (int i = 0; i < MAX_JOBS; i++)
			fds[i + 2] = (struct pollfd){
				.fd = jobs[i].pid ? jobs[i].out : -1,
				.events = POLLIN,
			};
		if (poll(fds, MAX_JOBS + 2, -1) < 0)
			continue;
		for (int i = 0; i < MAX_JOBS; i++)
			if (fds[i + 2].revents)
				pass_output(&jobs[i]);
		if (fds[1].revents) {
			while (read(signals, &seen, sizeof(seen)) > 0)
				;
			reap();
		}
		if (fds[0].revents & POLLHUP)
			wait_alone();
		else if (fds[0].revents & POLLIN)
			take_frame();
	}
}
