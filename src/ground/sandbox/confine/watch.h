/* Watching a program for what it tries in vain. */
#pragma once

#include "filter.h"
#include "running.h"

/* Starts the program under watch and never returns: this process ends as the program ends. */
_Noreturn void run_watched(const struct running *running, const struct watched *watched);

/* What one system call of process `pid` would change, if it may not: see attempts.c. */
struct attempt {
  int pid;
  long number;
  const uint64_t *arguments;
};
/* Calls `tell_write` with every path that only the sandbox keeps from being written. */
void find_withheld_writes(const struct attempt *attempt, void (*tell_write)(const char *path));

/* Whether the call can wait for something else than the watcher. */
int may_wait(const struct attempt *attempt);

/* Copies from the memory of a process; returns how many bytes that were. */
long read_memory(int pid, uint64_t from, void *to, size_t count);
