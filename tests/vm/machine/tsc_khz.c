// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints the frequency of this processor's time stamp counter in kHz. An emulated
 * machine sees the same counter. A kernel that measures it while the host is busy
 * may be wrong by a factor of ten, and so may its clock.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

struct moment {
	uint64_t ticks;
	double seconds;
};

/* The time of the clock between two readings of the counter; takes the closest pair of many. */
static struct moment now(void)
{
	struct moment best = { 0 };
	uint64_t closest = UINT64_MAX;

	for (int i = 0; i < 1000; i++) {
		uint64_t before = __rdtsc(), after;
		struct timespec time;

		clock_gettime(CLOCK_MONOTONIC, &time);
		after = __rdtsc();
		if (after - before < closest) {
			closest = after - before;
			best.ticks = before + closest / 2;
			best.seconds = (double)time.tv_sec + (double)time.tv_nsec / 1e9;
		}
	}
	return best;
}

int main(void)
{
	struct timespec pause = { .tv_nsec = 200 * 1000 * 1000 };
	struct moment start = now(), end;

	nanosleep(&pause, NULL);
	end = now();
	printf("%.0f\n", (double)(end.ticks - start.ticks) / (end.seconds - start.seconds) / 1000);
	return 0;
}
