// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin of QEMU's TCG that counts how often each block of the guest kernel's instructions is
 * executed.
 *
 *     -plugin instructions.so,ask=FIFO
 *
 * The plugin makes the FIFO. For each line that a program writes to the FIFO, the plugin writes the
 * counts up to then to the file of that name: for each block its address, the number of its
 * instructions, and how often it was executed. The file is complete when it has its name. Counting
 * changes nothing in the guest, which executes the same instructions at the same virtual time.
 *
 * Debian's qemu packages do not contain the header of the interface, so the few declarations that
 * are used here are stated below (version 1, QEMU 6.2 to 8.0; all later ones still accept it).
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define EXPORT __attribute__((visibility("default")))

struct qemu_info;
struct qemu_plugin_tb;
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
					   void (*call)(uint64_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, enum qemu_plugin_op op,
					      void *counter, uint64_t add);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);

EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv);

#define BUCKETS (1U << 16)
#define KERNEL 0xffff800000000000ULL /* x86-64: from here on */

struct block {
	struct block *next;
	uint64_t address;
	uint64_t instructions;
	uint64_t executed; /* written by the emulated processor, without a lock */
};

static struct block *blocks[BUCKETS];
/* Guards the lists. No block is removed from a list. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *ask = "instructions.ask";

static struct block *find(uint64_t address, uint64_t instructions)
{
	struct block **bucket = &blocks[(address ^ address >> 16) % BUCKETS];
	struct block *block;

	for (block = *bucket; block; block = block->next)
		if (block->address == address && block->instructions == instructions)
			return block;
	block = calloc(1, sizeof(*block));
	if (!block)
		abort();
	block->address = address;
	block->instructions = instructions;
	block->next = *bucket;
	*bucket = block;
	return block;
}

static void translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	uint64_t address = qemu_plugin_tb_vaddr(tb);
	struct block *block;

	(void)id;
	if (address < KERNEL)
		return;
	pthread_mutex_lock(&lock);
	block = find(address, qemu_plugin_tb_n_insns(tb));
	pthread_mutex_unlock(&lock);
	qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &block->executed,
						 1);
}

static void write_counts(const char *name)
{
	char part[512];
	FILE *file;
	unsigned int i;

	snprintf(part, sizeof(part), "%s.part", name);
	file = fopen(part, "w");
	if (!file) {
		perror(part);
		return;
	}
	pthread_mutex_lock(&lock);
	for (i = 0; i < BUCKETS; i++)
		for (const struct block *block = blocks[i]; block; block = block->next)
			if (block->executed)
				fprintf(file, "%" PRIx64 " %" PRIu64 " %" PRIu64 "\n",
					block->address, block->instructions, block->executed);
	pthread_mutex_unlock(&lock);
	if (fclose(file) || rename(part, name))
		perror(name);
}

static void *answer(void *unused)
{
	char name[500];
	FILE *asked;

	(void)unused;
	while ((asked = fopen(ask, "r"))) {
		while (fgets(name, sizeof(name), asked)) {
			name[strcspn(name, "\n")] = 0;
			write_counts(name);
		}
		fclose(asked);
	}
	perror(ask);
	return NULL;
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
	pthread_t thread;
	int i;

	(void)info;
	for (i = 0; i < argc; i++)
		if (!strncmp(argv[i], "ask=", 4))
			ask = strdup(argv[i] + 4);
	if (!ask || mkfifo(ask, 0600) || pthread_create(&thread, NULL, answer, NULL)) {
		perror("instructions");
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
