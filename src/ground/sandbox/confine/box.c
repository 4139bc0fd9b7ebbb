/* `confine box`: a sandbox and the program in it, without bubblewrap, which needs three times as long.
 *
 * The process that was started stays outside and ends as the program ends. Its child is the first process of the new
 * namespaces: it makes the view, gives up every privilege and goes on as `confine run` does. */
#include "apart.h"
#include "joining.h"
#include "running.h"
#include "sys.h"
#include "view.h"
#include <asm/poll.h>
#include <linux/capability.h>
#include <linux/prctl.h>
#include <linux/sched.h>

enum { KILL_SIGNAL = 9 };

static void drop_privileges(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
  /* Root would get them back with the next program. The kernel says which is the last. */
  for (long each = 0; sys(__NR_prctl, PR_CAPBSET_DROP, each, 0, 0, 0) == 0;) each++;
  sys(__NR_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  long result = sys(__NR_capset, &header, none);
  if (result < 0) die("cannot give up privileges", 0, result);
}

/* Whoever started us may have ended before we asked to end with them. */
static void end_with(long outside) {
  struct pollfd parent = {(int)outside, POLLIN, 0};
  const int64_t now[2] = {0, 0};
  sys(__NR_prctl, PR_SET_PDEATHSIG, KILL_SIGNAL, 0, 0, 0);
  if (sys(__NR_ppoll, &parent, 1, now, 0, 0) != 0) leave(FAILED);
}

static _Noreturn void end_as(long child) {
  int status;
  long ended;
  /* Whoever reads what the program writes must see its end when the program closes it. */
  sys(__NR_close_range, 0, ~0u, 0);
  do ended = sys(__NR_wait4, child, &status, 0, 0);
  while (ended == -EINTR);
  if (ended != child) leave(FAILED);
  leave(status & 127 ? 128 + (status & 127) : status >> 8 & 255);
}

_Noreturn void box(struct arguments arguments) {
  static struct view view;
  static struct running running = {.bounds = {~0ull, ~0ull}};
  const char *joined = 0, *report = 0, *folder = 0;
  for (const char *option; (option = next_option(&arguments, "box ... -- program"));) {
    if (same(option, "--join")) joined = value_of(&arguments, option);
    else if (same(option, "--report")) report = value_of(&arguments, option);
    else if (same(option, "--chdir")) folder = value_of(&arguments, option);
    else if (!take_mount(&view, &arguments, option) && !take_limit(&running, &arguments, option))
      die("unknown option", option, 0);
  }
  running.program = program_of(&arguments);
  running.environment = arguments.environment;
  if (report) running.report = open_report(report);
  uint64_t user = (uint64_t)sys(__NR_geteuid), group = (uint64_t)sys(__NR_getegid);

  ignore_polite_signals();
  /* Whoever ignores it never learns how a child ended. */
  set_signal(SIG_CHLD, DEFAULT);
  if (joined) join_namespaces(joined);
  /* Not before: whoever gains privileges, as in a namespace of users, has to ask again. */
  sys(__NR_prctl, PR_SET_PDEATHSIG, KILL_SIGNAL, 0, 0, 0);
  long outside = sys(__NR_pidfd_open, sys(__NR_getpid), 0);
  if (outside < 0) die("cannot look at this process", 0, outside);
  unsigned long apart = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  long child = sys(__NR_clone, apart | (joined ? 0 : CLONE_NEWNET) | SIG_CHLD, 0, 0, 0, 0);
  if (child == -ENOSPC) die("cannot make namespaces: there may be no more (user.max_user_namespaces)", 0, 0);
  if (child < 0) die("cannot make namespaces", 0, child);
  if (child > 0) end_as(child);

  map_user(user, group);
  if (!joined) raise_loopback();
  make_view(&view);
  if (folder) {
    long result = sys(__NR_chdir, folder);
    if (result < 0) die("cannot enter", folder, result);
  }
  drop_privileges();
  end_with(outside);
  start_confined(&running);
}
