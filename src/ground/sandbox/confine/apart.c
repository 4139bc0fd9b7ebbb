/* Namespaces of users and networks: see apart.h. `confine hold` keeps a network for others to join, because the kernel
 * needs as long to make one as for everything else in a sandbox. */
#include "apart.h"
#include "sys.h"
#include <linux/prctl.h>
#include <linux/sched.h>

static void write_text(long folder, const char *name, const char *text) {
  long fd = sys(__NR_openat, folder, name, O_WRONLY | O_CLOEXEC);
  long result = fd < 0 ? fd : sys(__NR_write, fd, text, length_of(text));
  if (result < 0) die("cannot write /proc/self", name, result);
  sys(__NR_close, fd);
}

void map_user(uint64_t user, uint64_t group) {
  char line[64];
  /* After joining a namespace its own files in /proc belong to root. */
  sys(__NR_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0);
  long self = sys(__NR_openat, AT_FDCWD, "/proc/self", O_PATH | O_CLOEXEC);
  write_text(self, "setgroups", "deny");
  *put_text(put_number(put_text(put_number(line, user), " "), user), " 1") = 0;
  write_text(self, "uid_map", line);
  *put_text(put_number(put_text(put_number(line, group), " "), group), " 1") = 0;
  write_text(self, "gid_map", line);
  sys(__NR_close, self);
}

void raise_loopback(void) {
  enum { INET = 2, DATAGRAM = 2, SET_FLAGS = 0x8914 /* SIOCSIFFLAGS */, UP = 1 };
  struct {
    char name[16];
    short flags;
    char rest[22];
  } interface = {"lo", UP, {0}};
  long fd = sys(__NR_socket, INET, DATAGRAM | O_CLOEXEC, 0);
  long result = fd < 0 ? fd : sys(__NR_ioctl, fd, SET_FLAGS, &interface);
  if (result < 0) die("cannot use the loopback of the network", 0, result);
  sys(__NR_close, fd);
}

_Noreturn void hold(struct arguments arguments) {
  enum { KILL_SIGNAL = 9 };
  static const char ready[] = "ready\n";
  char ignored[16];
  uint64_t user = (uint64_t)sys(__NR_geteuid), group = (uint64_t)sys(__NR_getegid);
  if (*arguments.next) die("hold takes no arguments:", *arguments.next, 0);
  long result = sys(__NR_unshare, CLONE_NEWUSER | CLONE_NEWNET);
  if (result < 0) die("cannot make namespaces", 0, result);
  map_user(user, group);
  raise_loopback();
  sys(__NR_prctl, PR_SET_PDEATHSIG, KILL_SIGNAL, 0, 0, 0);
  sys(__NR_write, 1, ready, sizeof ready - 1);
  do result = sys(__NR_read, 0, ignored, sizeof ignored);
  while (result > 0 || result == -EINTR);
  leave(0);
}
