/* What a process does in new namespaces of its own. */
#pragma once

#include <stdint.h>

/* In a new user namespace: the user stays who they are, and nobody else exists. */
void map_user(uint64_t user, uint64_t group);
/* In a new network: its loopback, the only thing in it, starts to work. */
void raise_loopback(void);
