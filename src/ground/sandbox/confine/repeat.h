/* Watched calls that a signal cut short are made again.
 *
 * A call that waits for the watcher can be interrupted until the watcher has taken it up. Where the handler of the
 * signal was installed without SA_RESTART, the call then fails with EINTR, which programs do not expect of fork, unlink
 * and the like: by themselves these calls never wait. The kernel has no way to close that gap, but a tracer can have
 * the call made again when the handler returns. So programs with such handlers are traced, and only those. */
#pragma once

#include <stdint.h>

/* Whether the kernel lets us trace. */
int can_repeat(void);

/* To be called when a task installs a handler or sets a timer, before that takes effect. */
void consider_handler(int task, int signal, uint64_t action);
void consider_timer(int task);
/* To be called with every status that is not the end of a task. */
void let_go_on(int task, int status);
/* To be called when a task has ended. */
void forget_task(int task);
