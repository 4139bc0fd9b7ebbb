/* What the program may ask of the kernel. */
#pragma once

enum unix_sockets { UNIX_REFUSED, UNIX_WATCHED, UNIX_ALLOWED };

enum tracing { MAY_NOT_TRACE, MAY_TRACE };

/* Where the processes of the machine are seen, there is no network and nobody can be touched. */
enum sight { SEES_OWN, SEES_ALL };

/* Forbids system calls for this process and all it starts, for good. Needs no_new_privs. */
void install_denials(enum unix_sockets unix_sockets, enum tracing tracing, enum sight sight);

struct watched {
  enum unix_sockets unix_sockets;
  /* Whether calls that change or connect something are watched. */
  int changes;
  /* Whether new processes and threads are. */
  int forks;
  /* Where all are seen, so are questions about the open files of others. */
  enum sight sight;
  /* Whether calls that only change permissions and times are watched, too. */
  int recorded;
};

/* The same, with calls that may write or connect reported to a listener, whose descriptor is returned, or an error.
 * Tracing is forbidden. */
long install_watch(const struct watched *watched);
/* Nothing is forbidden: calls that change files are reported, and so is the start of a program of another architecture,
 * whose calls have other numbers. */
long install_recording(void);
int is_foreign(unsigned architecture);
/* Whether that may be so for a call with this number. */
int is_watched(long number);
