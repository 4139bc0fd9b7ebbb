/* The process outside and the questions to it: see inspect.h. */
#include "inspect.h"
#include "sys.h"
#include "watch.h"
#include <linux/ioctl.h>
#include <linux/prctl.h>

enum { UNIX = 1, SEQPACKET = 5, RIGHTS = 1 /* SCM_RIGHTS */, SOCKET_LEVEL = 1 /* SOL_SOCKET */, KILL_SIGNAL = 9 };
enum { MOST_TEXT = 4096, MOST_PATH = 64 };
/* The kernel's struct stat and struct statx. */
#if defined(__x86_64__)
enum { STATUS_SIZE = 144, EXTENDED_SIZE = 256 };
#else
enum { STATUS_SIZE = 128, EXTENDED_SIZE = 256 };
#endif

enum what { LINK, STATUS, EXTENDED_STATUS, OPENED };
struct question {
  enum what what;
  /* As in the call. */
  int flags;
  unsigned mask;
  char path[MOST_PATH];
};
struct reply {
  int64_t result;
  char bytes[MOST_TEXT];
};

/* ---- a message, perhaps with a descriptor ---- */

struct part {
  void *base;
  size_t length;
};
/* struct msghdr and struct cmsghdr, which are not among the kernel's headers. */
struct message {
  void *name;
  int name_length;
  struct part *parts;
  size_t part_count;
  void *control;
  size_t control_length;
  unsigned flags;
};
struct control {
  size_t length;
  int level, kind, descriptor, padding;
};
enum { CONTROL_LENGTH = sizeof(size_t) + 3 * sizeof(int) };

/* ---- outside ---- */

static _Noreturn void inspect(long socket) {
  static struct question question;
  static struct reply reply;
  for (;;) {
    long length = sys(__NR_recvfrom, socket, &question, sizeof question, 0, 0, 0);
    if (length == -EINTR) continue;
    if (length != sizeof question) leave(0);
    const char *path = question.path;
    size_t filled = 0;
    long opened = -1;
    switch (question.what) {
      case LINK:
        reply.result = sys(__NR_readlinkat, AT_FDCWD, path, reply.bytes, sizeof reply.bytes);
        if (reply.result > 0) filled = (size_t)reply.result;
        break;
      case STATUS:
        reply.result = sys(__NR_newfstatat, AT_FDCWD, path, reply.bytes, question.flags);
        filled = STATUS_SIZE;
        break;
      case EXTENDED_STATUS:
        reply.result = sys(__NR_statx, AT_FDCWD, path, question.flags, question.mask, reply.bytes);
        filled = EXTENDED_SIZE;
        break;
      case OPENED: reply.result = opened = sys(__NR_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    }
    struct part part = {&reply, sizeof reply.result + filled};
    struct control control = {CONTROL_LENGTH, SOCKET_LEVEL, RIGHTS, (int)opened, 0};
    struct message message = {0, 0, &part, 1, opened < 0 ? 0 : &control, opened < 0 ? 0 : sizeof control, 0};
    sys(__NR_sendmsg, socket, &message, 0);
    if (opened >= 0) sys(__NR_close, opened);
  }
}

long start_inspector(void) {
  int pair[2];
  long result = sys(__NR_socketpair, UNIX, SEQPACKET | O_CLOEXEC, 0, pair);
  if (result < 0) die("cannot make a pair of sockets", 0, result);
  long process = sys(__NR_clone, SIG_CHLD, 0, 0, 0, 0);
  if (process < 0) die("cannot start a process", 0, process);
  if (process == 0) {
    /* Not something that the command left behind. */
    sys(__NR_setpgid, 0, 0);
    sys(__NR_prctl, PR_SET_PDEATHSIG, KILL_SIGNAL, 0, 0, 0);
    long own = sys(__NR_dup3, pair[1], 0, 0);
    /* Whoever reads what the program writes must see its end. */
    sys(__NR_close_range, 1, ~0u, 0);
    forget_arguments();
    inspect(own);
  }
  result = sys(__NR_dup3, pair[0], INSPECTOR, 0);
  if (result < 0) die("cannot hand on a socket", 0, result);
  sys(__NR_close, pair[0]), sys(__NR_close, pair[1]);
  return process;
}

/* ---- inside ---- */

static const char *after(const char *text, const char *start) {
  while (*start)
    if (*text++ != *start++) return 0;
  return text;
}

static const char *after_number(const char *text) {
  if (*text < '1' || *text > '9') return *text == '0' ? text + 1 : 0;
  while (*text >= '0' && *text <= '9') text++;
  return text;
}

enum subject { NOTHING, A_LIST, A_LINK };

/* Lists that can be opened: the mounts of the machine, the descriptors of a process and where they are in a file. Links:
 * what a descriptor is, and what the process runs and where. */
static enum subject subject_of(const char *path) {
  static const char *const links[] = {"/cwd", "/root", "/exe"};
  static const char *const mounts[] = {"/proc/self/mountinfo", "/proc/self/mounts", "/proc/mounts", "/etc/mtab"};
  for (size_t i = 0; i < sizeof mounts / sizeof *mounts; i++)
    if (same(path, mounts[i])) return A_LIST;
  const char *process = after(path, "/proc/");
  const char *at = process ? after_number(process) : 0;
  if (!at) return NOTHING;
  for (size_t i = 0; i < sizeof links / sizeof *links; i++)
    if (same(at, links[i])) return A_LINK;
  const char *more = after(at, "/fdinfo/");
  if (more) return (more = after_number(more)) && !*more ? A_LIST : NOTHING;
  at = after(at, "/fd");
  if (!at) return NOTHING;
  if (!*at || same(at, "/")) return A_LIST;
  at = *at == '/' ? after_number(at + 1) : 0;
  return at && !*at ? A_LINK : NOTHING;
}

static int read_path(int pid, uint64_t from, char *path) {
  long length = read_memory(pid, from, path, MOST_PATH);
  for (long i = 0; i < length; i++)
    if (!path[i]) return 1;
  return 0;
}

/* Asks, and returns a descriptor that came with the answer, or -1. */
static int ask(int inspector, const struct question *question, struct reply *reply) {
  struct part part = {reply, sizeof *reply};
  struct control control = {.descriptor = -1};
  struct message message = {0, 0, &part, 1, &control, sizeof control, 0};
  const int by_exec = 0x40000000 /* MSG_CMSG_CLOEXEC */;
  reply->result = -EIO;
  if (sys(__NR_sendto, inspector, question, sizeof *question, 0, 0, 0) < 0) return -1;
  long length;
  do length = sys(__NR_recvmsg, inspector, &message, by_exec);
  while (length == -EINTR);
  if (length < (long)sizeof reply->result) reply->result = -EIO;
  return message.control_length >= CONTROL_LENGTH && control.kind == RIGHTS ? control.descriptor : -1;
}

static int write_memory(int pid, uint64_t to, const void *from, size_t count) {
  const struct {
    uint64_t base;
    size_t length;
  } here = {(uint64_t)from, count}, there = {to, count};
  return sys(__NR_process_vm_writev, pid, &here, 1, &there, 1, 0) == (long)count;
}

/* What the call asks, and where its answer goes. */
static int understand(const struct attempt *attempt, struct question *question, uint64_t *to, uint64_t *room) {
  const uint64_t *a = attempt->arguments;
  uint64_t path = a[1];
  *question = (struct question){.what = STATUS};
  *to = a[2], *room = STATUS_SIZE;
  switch (attempt->number) {
    case __NR_readlinkat: question->what = LINK, *room = a[3]; break;
    case __NR_newfstatat: question->flags = (int)a[3]; break;
    case __NR_statx:
      question->what = EXTENDED_STATUS, question->flags = (int)a[2], question->mask = (unsigned)a[3];
      *to = a[4], *room = EXTENDED_SIZE;
      break;
    case __NR_openat: question->what = OPENED, question->flags = (int)a[2]; break;
#ifdef __NR_readlink
    case __NR_readlink: question->what = LINK, path = a[0], *to = a[1], *room = a[2]; break;
    case __NR_lstat: question->flags = AT_SYMLINK_NOFOLLOW, path = a[0], *to = a[1]; break;
    case __NR_stat: path = a[0], *to = a[1]; break;
    case __NR_open: question->what = OPENED, question->flags = (int)a[1], path = a[0]; break;
#endif
    default: return 0;
  }
  if (question->what == OPENED && question->flags & (O_ACCMODE | O_CREAT | O_TRUNC)) return 0;
  if (!read_path(attempt->pid, path, question->path)) return 0;
  enum subject subject = subject_of(question->path);
  return question->what == OPENED ? subject == A_LIST : subject != NOTHING;
}

long hand_over(long listener, uint64_t id, int descriptor) {
  struct seccomp_notif_addfd added = {.id = id, .srcfd = (unsigned)descriptor, .newfd_flags = O_CLOEXEC};
  long result = sys(__NR_ioctl, listener, SECCOMP_IOCTL_NOTIF_ADDFD, &added);
  sys(__NR_close, descriptor);
  return result;
}

int answer_inspection(int inspector, long listener, const struct attempt *attempt,
                      struct seccomp_notif_resp *response) {
  static struct question question;
  static struct reply reply;
  uint64_t to, room;
  if (!understand(attempt, &question, &to, &room)) return 0;
  int descriptor = ask(inspector, &question, &reply);
  long result = (long)reply.result;
  if (descriptor >= 0) result = hand_over(listener, response->id, descriptor);
  else if (result >= 0 && question.what == LINK) {
    if ((uint64_t)result > room) result = (long)room;
    if (!write_memory(attempt->pid, to, reply.bytes, (size_t)result)) return 0;
  } else if (result >= 0 && !write_memory(attempt->pid, to, reply.bytes, room)) return 0;
  response->flags = 0;
  response->val = result < 0 ? 0 : result;
  response->error = result < 0 ? (int)result : 0;
  return 1;
}
