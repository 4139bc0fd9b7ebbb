/* The loopback inside, which is not that of the machine. */
#pragma once

/* Whether nobody in this network waits at a port. Looked at once for each port, for it takes the kernel milliseconds:
 * a program that connects to its own server thousands of times must not wait each time. */
int is_worth_telling(unsigned port);
