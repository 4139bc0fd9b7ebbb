/* Limits on what all processes of a command take together, kept by the watcher, which is the first process of its
 * namespace. RLIMIT_NPROC does not apply to root, and before Linux 5.14 it counts every process of the user on the
 * machine. Control groups need root, and to join one waits for every processor. */
#pragma once

#include <stdint.h>

enum { NEVER = -1 };
struct bounds {
  uint64_t processes;
  uint64_t memory;
};
static const uint64_t unlimited = ~0ull;

/* Starts counting. Only the first process of a namespace sees exactly the processes that count. */
void keep_bounds(const struct bounds *bounds);

/* Asked before each fork. */
int may_fork(void);

/* How long the watcher may wait before it looks at memory again, in milliseconds; NEVER where it has no limit. */
int time_to_look(void);
/* Ends all processes if they take too much memory together; whether that was so. */
int end_if_too_large(void);
