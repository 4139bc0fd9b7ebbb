/* What the program may ask of the kernel. */
#pragma once

enum unix_sockets { UNIX_REFUSED, UNIX_WATCHED, UNIX_ALLOWED };

/* Forbids system calls for this process and all it starts, for good. Needs no_new_privs. */
void install_denials(enum unix_sockets unix_sockets);

struct watched {
  enum unix_sockets unix_sockets;
  /* Whether new processes and threads are watched, too. */
  int forks;
};

/* Has the calls that may write or connect reported to a listener, whose descriptor is returned, or an error. */
long install_watch(const struct watched *watched);
