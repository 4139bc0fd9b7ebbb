/* The watcher: the parent of the program, told by the kernel of each system call that the second filter names.
 *
 * While the watcher looks, the caller waits, so that what its arguments point to can be read and judged. The answer is
 * always "go on as if nobody had asked", and the kernel then decides by itself. So nothing depends on what was read,
 * which another thread may have changed meanwhile. Only unix sockets are refused here, and those by a register. */
#include "bounds.h"
#include "inspect.h"
#include "loopback.h"
#include "repeat.h"
#include "sys.h"
#include "watch.h"
#include <asm/poll.h>
#include <linux/ioctl.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>

enum { UNIX = 1, INET = 2, INET6 = 10, KILL_SIGNAL = 9 };
enum { MOST_LINES = 64, MOST_PATH = 4096 + 256 + 1, NO_HANG = 1 /* WNOHANG */ };

static const struct running *running;
static const struct watched *watched;
static long listener = -1;
static const struct seccomp_notif *current;

/* ---- one line of the report ---- */

static char line[6 * MOST_PATH + 64];
static uint64_t told[MOST_LINES];
static int told_count;

/* Each line once, and not without end: a program that tries everything must not fill the disk. */
static void tell(char *end) {
  *end++ = '\n';
  uint64_t digest = 0xcbf29ce484222325u;
  for (char *at = line; at < end; at++) digest = (digest ^ (unsigned char)*at) * 0x100000001b3u;
  for (int i = 0; i < told_count; i++)
    if (told[i] == digest) return;
  if (told_count == MOST_LINES) return;
  /* If the caller has died meanwhile, its number may be that of another process, and what was read is worth nothing. */
  if (current && sys(__NR_ioctl, listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &current->id) < 0) return;
  told[told_count++] = digest;
  sys(__NR_write, running->report, line, end - line);
}

/* How many bytes of UTF-8 begin here; 0 if none do. */
static int character_at(const unsigned char *at) {
  if (at[0] < 0x80) return 1;
  int more = at[0] >= 0xc2 && at[0] < 0xe0 ? 1 : at[0] >= 0xe0 && at[0] < 0xf0 ? 2 : at[0] >= 0xf0 && at[0] < 0xf5 ? 3 : 0;
  /* Too long for what they say, halves of pairs, and beyond the last character. */
  if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f)) return 0;
  if ((at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f)) return 0;
  for (int i = 1; i <= more; i++)
    if ((at[i] & 0xc0) != 0x80) return 0;
  return more ? more + 1 : 0;
}

/* The text as the inside of a JSON string. What is not UTF-8 becomes the replacement character. */
static char *put_json(char *to, const char *text) {
  for (const unsigned char *at = (const unsigned char *)text; *at;) {
    int length = character_at(at);
    if (length == 0) {
      to = put_text(to, "\xef\xbf\xbd");
      at++;
    } else if (*at < 0x20) {
      to = put_text(to, "\\u00");
      *to++ = "0123456789abcdef"[*at >> 4], *to++ = "0123456789abcdef"[*at & 15];
      at++;
    } else {
      if (*at == '"' || *at == '\\') *to++ = '\\';
      while (length--) *to++ = (char)*at++;
    }
  }
  return to;
}

static void tell_write(const char *path) {
  tell(put_text(put_json(put_text(line, "{\"kind\":\"write\",\"path\":\""), path), "\"}"));
}

static void tell_limit(const char *limit) {
  tell(put_text(put_text(put_text(line, "{\"kind\":\"limit\",\"of\":\""), limit), "\"}"));
}

/* ---- addresses ---- */

static char *put_inet(char *to, const unsigned char *bytes) {
  for (int i = 0; i < 4; i++) {
    if (i) *to++ = '.';
    to = put_number(to, bytes[i]);
  }
  return to;
}

/* As RFC 5952 wants it: lower case, no leading zeros, the first of the longest runs of zeros left out. */
static char *put_inet6(char *to, const unsigned char *bytes) {
  unsigned groups[8];
  int longest = 1, hole = 8;
  for (int i = 0; i < 8; i++) groups[i] = (unsigned)bytes[2 * i] << 8 | bytes[2 * i + 1];
  for (int i = 0; i < 8; i++) {
    int run = 0;
    while (i + run < 8 && !groups[i + run]) run++;
    if (run > longest) longest = run, hole = i;
  }
  for (int i = 0; i < 8; i++) {
    if (i == hole) {
      to = put_text(to, "::");
      i += longest - 1;
      continue;
    }
    if (i && to[-1] != ':') *to++ = ':';
    for (int shift = 12, begun = 0; shift >= 0; shift -= 4) {
      unsigned digit = groups[i] >> shift & 15;
      begun |= digit || !shift;
      if (begun) *to++ = "0123456789abcdef"[digit];
    }
  }
  return to;
}

static int is_all_zero(const unsigned char *bytes, int count) {
  while (count && !*bytes) bytes++, count--;
  return !count;
}

/* An address that cannot be reached. The loopback inside is not that of the machine: what nobody inside serves may well
 * be served outside, and whoever reads the report finds out. The unspecified address leads to loopback, too. */
static void tell_address(uint64_t pointer, uint64_t length) {
  unsigned char address[28] = {0};
  if (length < 8 || read_memory((int)current->pid, pointer, address, length < 28 ? length : 28) < 8) return;
  unsigned family = *(uint16_t *)address, port = (unsigned)address[2] << 8 | address[3];
  const unsigned char *inet = address + 4, *inet6 = address + 8;
  char *end = put_text(line, "{\"kind\":\"host\",\"host\":\"");
  /* Port 0 is how libraries ask the kernel for a route, without meaning to reach anybody. */
  if (port == 0) return;
  if (family == INET6) {
    if (is_all_zero(inet6, 15) && inet6[15] <= 1 && !is_worth_telling(port)) return;
    if (is_all_zero(inet6, 10) && inet6[10] == 0xff && inet6[11] == 0xff) family = INET, inet = inet6 + 12;
    else end = put_inet6(end, inet6);
  } else if (family != INET) return;
  if (family == INET) {
    if ((inet[0] == 127 || is_all_zero(inet, 4)) && !is_worth_telling(port)) return;
    end = put_inet(end, inet);
  }
  tell(put_text(put_number(put_text(end, "\",\"port\":"), port), "}"));
}

/* ---- the caller ---- */

long read_memory(int pid, uint64_t from, void *to, size_t count) {
  enum { PAGE = 4096 };
  const size_t on_page = PAGE - from % PAGE, first = count < on_page ? count : on_page;
  /* The layout is that of iovec. What is on the next page may not be there. */
  const struct {
    uint64_t base;
    size_t length;
  } here = {(uint64_t)to, count}, there[2] = {{from, first}, {from + first, count - first}};
  long read = sys(__NR_process_vm_readv, pid, &here, 1, there, first < count ? 2 : 1, 0);
  if (read != -ENOSYS && read != -EPERM) return read;
  /* Not every kernel has that call, and a filter around us may forbid it. */
  char path[32];
  *put_text(put_number(put_text(path, "/proc/"), (uint64_t)pid), "/mem") = 0;
  long fd = sys(__NR_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fd;
  long result = sys(__NR_pread64, fd, to, count, from);
  sys(__NR_close, fd);
  return result;
}

/* Where the network is that of the machine there are no sockets in it, and what a program gets is one that leads
 * nowhere: `fuser` only wants to know what a socket looks like. */
static void answer_with_stand_in(struct seccomp_notif_resp *response) {
  enum { STREAM = 1 };
  int pair[2];
  long result = sys(__NR_socketpair, UNIX, STREAM | O_CLOEXEC, 0, pair);
  if (result == 0) {
    result = hand_over(listener, response->id, pair[0]);
    sys(__NR_close, pair[1]);
  }
  response->flags = 0;
  response->val = result < 0 ? 0 : result;
  response->error = result < 0 ? -EAFNOSUPPORT : 0;
}

static void answer_one(void) {
  struct seccomp_notif asked;
  memset(&asked, 0, sizeof asked);
  if (sys(__NR_ioctl, listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) < 0) return;
  struct seccomp_notif_resp response = {.id = asked.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
  current = &asked;
  const uint64_t *arguments = (const uint64_t *)asked.data.args;
  const struct attempt attempt = {(int)asked.pid, asked.data.nr, arguments};
  if (running->inspector && answer_inspection(running->inspector, listener, &attempt, &response)) {
    current = 0;
    sys(__NR_ioctl, listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
    return;
  }
  if (is_foreign(asked.data.arch)) record_foreign();
  else switch (asked.data.nr) {
    case __NR_socket:
      if (arguments[0] != UNIX) {
        answer_with_stand_in(&response);
        break;
      }
      tell(put_text(line, "{\"kind\":\"socket\"}"));
      response.flags = 0, response.error = -EPERM;
      break;
    case __NR_clone:
#ifdef __NR_fork
    case __NR_fork:
    case __NR_vfork:
#endif
      if (may_fork()) break;
      tell_limit("processes");
      response.flags = 0, response.error = -EAGAIN;
      break;
    case __NR_rt_sigaction: consider_handler((int)asked.pid, (int)arguments[0], arguments[1]); break;
    case __NR_setitimer:
    case __NR_timer_create:
#ifdef __NR_alarm
    case __NR_alarm:
#endif
      consider_timer((int)asked.pid);
      break;
    case __NR_connect: tell_address(arguments[1], (uint32_t)arguments[2]); break;
    case __NR_sendto: tell_address(arguments[4], (uint32_t)arguments[5]); break;
    default: {
      if (!running->bare) find_withheld_writes(&attempt, tell_write);
      long refused = record_call(&attempt);
      if (refused < 0) response.flags = 0, response.error = (int)refused;
    }
  }
  current = 0;
  sys(__NR_ioctl, listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

/* Waits until there is something to do, such as to look at memory, which could have run out since the last look. */
static void wait_for_any(struct pollfd *polled, int count) {
  int wait = time_to_look();
  if (wait == 0 && end_if_too_large()) tell_limit("memory");
  struct {
    int64_t seconds, nanoseconds;
  } left = {wait / 1000, wait % 1000 * 1000000};
  sys(__NR_ppoll, polled, count, wait == NEVER ? 0 : &left, 0, 0);
}

/* ---- the process around it ---- */

/* Whether no process is left but the watcher and the holder, which ends without a signal and is not asked for here. All
 * others would be children of the watcher, or theirs. */
static int is_alone(void) {
  int status;
  long found;
  do found = sys(__NR_wait4, -1, &status, NO_HANG, 0);
  while (found > 0);
  return found == -ECHILD;
}

static void end_child(const char *name) {
  char path[32], text[512];
  *put_text(put_text(put_text(path, "/proc/"), name), "/stat") = 0;
  long fd = sys(__NR_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  long length = fd < 0 ? 0 : sys(__NR_read, fd, text, sizeof text - 1);
  sys(__NR_close, fd);
  /* The name in brackets may hold anything; behind it come the state and the parent. */
  while (length > 0 && text[--length] != ')') {}
  char *parent = text + length + 4;
  if (length <= 0 || length + 16 > (long)sizeof text) return;
  uint64_t number = 0;
  while (*parent >= '0' && *parent <= '9') number = number * 10 + (uint64_t)(*parent++ - '0');
  if (number == (uint64_t)sys(__NR_getpid)) sys(__NR_kill, number_from(name, "process", INT32_MAX), KILL_SIGNAL);
}

/* Without a namespace of processes nobody ends what the program left. All of it is ours: we adopt orphans. */
static void end_descendants(void) {
  int status;
  while (!is_alone()) {
    each_number("/proc", end_child);
    sys(__NR_wait4, -1, &status, 0, 0);
  }
}

/* Ends as the program ended. As the first process of a namespace one cannot die of a signal; then a number says it. */
static _Noreturn void end_like(int status) {
  int signal = status & 127, code = signal ? 128 + signal : status >> 8 & 255;
  if (running->machine) end_descendants();
  end_recording();
  if (running->code && is_alone()) *running->code = code;
  if (!signal) leave(code);
  set_signal_mask(~(1ull << (signal - 1)));
  sys(__NR_kill, sys(__NR_getpid), signal);
  leave(code);
}

/* Outside of a sandbox, what the program left goes on, and is recorded until nobody is left. */
static void tell_status(int status) {
  struct pollfd asking = {(int)listener, POLLIN, 0};
  const int64_t now[2] = {0, 0};
  /* If nobody is left, the journal is whole before anybody looks at it. */
  sys(__NR_ppoll, &asking, 1, now, 0, 0);
  if (asking.revents & POLLHUP) end_recording();
  running->bare->status = status;
  change_number(&running->bare->is_running, 0);
}

/* Others than the program are orphans that were left to us, or traced; they only have to be reaped. */
static void reap(int child, int options) {
  enum { THREADS_TOO = 0x40000000 /* __WALL */, STOPPED = 0x7f, MOST_AT_ONCE = 32 };
  for (int seen = 0; seen < MOST_AT_ONCE || !options; seen++) {
    int status;
    long found = sys(__NR_wait4, -1, &status, options | THREADS_TOO, 0);
    if (found <= 0 && found != -EINTR) return;
    if (found <= 0) continue;
    if ((status & 255) == STOPPED) {
      let_go_on((int)found, status);
      continue;
    }
    forget_task((int)found);
    if (found == child && running->bare) tell_status(status);
    else if (found == child) end_like(status);
  }
  /* There may be more, but others wait, too. */
  sys(__NR_kill, sys(__NR_getpid), SIG_CHLD);
}

static _Noreturn void watch(int child) {
  int is_used = 1;
  const uint64_t ended_children = 1ull << (SIG_CHLD - 1);
  long signals = sys(__NR_signalfd4, -1, &ended_children, sizeof ended_children, O_NONBLOCK | O_CLOEXEC);
  struct pollfd polled[2] = {{(int)listener, POLLIN, 0}, {(int)signals, POLLIN, 0}};
  for (;;) {
    wait_for_any(polled, 2);
    if (polled[0].revents & POLLIN) answer_one();
    /* Nobody is left who could ask. */
    else if (polled[0].revents) polled[0].fd = -1, polled[0].revents = 0, is_used = 0;
    if (polled[1].revents) {
      char ignored[128];
      sys(__NR_read, signals, ignored, sizeof ignored);
      reap(child, NO_HANG);
    }
    if (is_used || !running->bare || running->bare->status == NOT_ENDED) continue;
    end_recording();
    leave(0);
  }
}

static int is_protected, is_starting = 1;

/* Without a privilege the kernel asks for a promise that programs cannot gain any: then `sudo` does not work. */
static long listen_as_far_as_allowed(void) {
  long result = install_recording();
  if (result != -EACCES) return result;
  sys(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return install_recording();
}

/* Somebody around us listens already, and the kernel allows only one. Nothing is reported then. */
static _Noreturn void start_unwatched(void) {
  install_denials(watched->unix_sockets == UNIX_ALLOWED ? UNIX_ALLOWED : UNIX_REFUSED, MAY_NOT_TRACE, watched->sight);
  wait_while(&is_protected, 0);
  start_program(running->program, running->environment);
}

/* Runs in the watcher's memory and with its descriptors until the program is executed. Then only the watcher still has
 * the listener and the report. */
static _Noreturn void become_program(void) {
  set_signal_mask(0);
  if (running->machine || running->bare) sys(__NR_prctl, PR_SET_PDEATHSIG, KILL_SIGNAL, 0, 0, 0);
  /* Not for the watcher: it must be able to read what the program's arguments point to. */
  write_only_in(&running->places);
  /* Nothing may come in between that is watched: nobody would answer. */
  listener = running->bare ? listen_as_far_as_allowed() : install_watch(watched);
  if (listener == -EBUSY && !running->recording.folder && !running->bare) start_unwatched();
  if (listener < 0) die("cannot have system calls watched", 0, listener);
  wait_while(&is_protected, 0);
  start_program(running->program, running->environment);
}

/* If the watcher is killed, its descriptors are closed before the processes around it are killed. A call that waits for a
 * listener nobody holds fails as if the kernel did not know it, and programs would say so with their last breath. So
 * another process holds the listener, too, and is killed together with them. No signal to the group reaches it. */
static void start_holder(void) {
  if (sys(__NR_getpid) != 1) return;
  long holder = start_sleeper(CLONE_VM | CLONE_FILES);
  sys(__NR_setpgid, holder, holder);
}

_Noreturn void run_watched(const struct running *what, const struct watched *how) {
  static _Alignas(16) char stack[STACK_SIZE];
  running = what, watched = how;
  begin_recording(&what->recording);
  /* The program must not reach the memory and descriptors of its watcher, which runs as the same user. */
  sys(__NR_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
  /* Some systems let only ancestors read memory, so orphans have to stay our descendants. */
  sys(__NR_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  /* A signal to the whole group is for the program; the watcher ends when the program does. */
  set_signal_mask(~0ull);
  start_holder();
  const unsigned long shared = CLONE_VM | CLONE_FILES | CLONE_CHILD_CLEARTID;
  long child = start_beside(shared | SIG_CHLD, stack + sizeof stack, &is_starting, become_program);
  if (child < 0) die("cannot start a process", 0, child);
  /* The kernel needs as long for our filter as for the program's, and has more than one processor. */
  if (!running->bare) install_denials(UNIX_REFUSED, MAY_TRACE, SEES_OWN);
  change_number(&is_protected, 1);
  wait_while(&is_starting, 1);
  /* When the end is told before this process has ended, it must not count as something that the command left. */
  if (running->code || running->bare) sys(__NR_setpgid, 0, 0);
  /* Whoever reads what the program writes must see its end when the program closes it, not when we end. */
  for (int fd = 0; fd <= 2; fd++) sys(__NR_close, fd);
  if (running->machine || running->bare) forget_arguments();
  /* The child has failed and said why. */
  if (listener < 0) reap((int)child, 0);
  if (listener < 0 && running->bare) leave(FAILED);
  watch((int)child);
}
