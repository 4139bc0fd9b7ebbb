/* Looking at the open files of processes outside, in a sandbox that shows the processes of the machine.
 *
 * A process in a user namespace of its own may list the descriptors of a process outside, but not ask what they are. So
 * `lsof -i` and `ss -p` would find every port unowned. A process of ours stays outside, and the watcher asks it what
 * such a link leads to and what its status is: what the user could see there, and nothing else. */
#pragma once

#include <linux/seccomp.h>
#include <stdint.h>

struct attempt;

/* The descriptor to ask it by, which is also how it is handed on to `confine run`. */
enum { INSPECTOR = 10 };

/* Starts the process outside and returns its number. It ends when nobody is left to ask it. */
long start_inspector(void);

/* Gives a descriptor of ours to whoever waits for an answer; its number there, or an error. */
long hand_over(long listener, uint64_t id, int descriptor);

/* Answers a call about the descriptors of a process outside; 0 if the kernel is to decide. `inspector` is the descriptor
 * to ask by, `listener` the one the call came from. */
int answer_inspection(int inspector, long listener, const struct attempt *attempt, struct seccomp_notif_resp *response);
