/* `confine enter`: the last steps outside, before bubblewrap starts. */
#include "inspect.h"
#include "joining.h"
#include "sys.h"
#include <linux/nsfs.h>
#include <linux/sched.h>
#include <linux/stat.h>

int open_report(const char *file) {
  long fd = sys(__NR_openat, AT_FDCWD, file, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0) die("cannot open the report", file, fd);
  return (int)fd;
}

/* The report stays open under a number that `confine run` is told, so that no path inside leads to it. */
static void hand_on_report(const char *file) {
  enum { HANDED_ON = 9 };
  long result = sys(__NR_dup3, open_report(file), HANDED_ON, 0);
  if (result < 0) die("cannot hand on the report", file, result);
}

static long open_namespace(const char *process, const char *name) {
  char path[64];
  *put_text(put_text(put_text(put_text(path, "/proc/"), process), "/ns/"), name) = 0;
  long fd = sys(__NR_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) die("cannot open", path, fd);
  return fd;
}

/* The number that tells namespaces apart. */
static uint64_t identity_of(long fd) {
  struct statx found;
  long result = sys(__NR_statx, fd, "", AT_EMPTY_PATH, STATX_INO, &found);
  if (result < 0) die("cannot look at a namespace", 0, result);
  return found.stx_ino;
}

void join_namespaces(const char *process) {
  number_from(process, "--join", INT32_MAX);
  long net = open_namespace(process, "net");
  /* Not simply the user namespace the process is in: bubblewrap may put a second one around its program, and only the
   * one that the network belongs to gives the right to join it. */
  long user = sys(__NR_ioctl, net, NS_GET_USERNS);
  if (user < 0) die("cannot find the user namespace of process", process, user);
  long result = sys(__NR_setns, user, CLONE_NEWUSER);
  if (result == -EINVAL) {
    /* The kernel refuses to join the user namespace one is in already. The process may be another one with that number
     * by now, and root could simply join the network of the machine. */
    long outer = open_namespace("self", "net");
    if (identity_of(net) == identity_of(outer)) die("has no network of its own: process", process, 0);
    sys(__NR_close, outer);
  } else if (result < 0) die("cannot join the user namespace of process", process, result);
  result = sys(__NR_setns, net, CLONE_NEWNET);
  if (result < 0) die("cannot join the network namespace of process", process, result);
  /* Nothing of this may stay open in the program. */
  sys(__NR_close, net), sys(__NR_close, user);
}

/* Ignored signals stay ignored across exec; what starts the program restores them. */
void ignore_polite_signals(void) {
  set_signal(SIG_HUP, IGNORED);
  set_signal(SIG_INT, IGNORED);
  set_signal(SIG_TERM, IGNORED);
}

_Noreturn void enter(struct arguments arguments) {
  const char *process = 0, *report = 0;
  int machine = 0;
  for (const char *option; (option = next_option(&arguments, "enter ... -- program"));) {
    if (same(option, "--join")) process = value_of(&arguments, option);
    else if (same(option, "--report")) report = value_of(&arguments, option);
    else if (same(option, "--machine")) machine = 1;
    else die("unknown option", option, 0);
  }
  char **program = program_of(&arguments);
  if (machine && process) die("--machine and --join exclude each other", 0, 0);

  ignore_polite_signals();
  if (report) hand_on_report(report);
  if (machine) start_inspector();
  if (process) join_namespaces(process);
  die("cannot execute", program[0], execute(program, arguments.environment));
}
