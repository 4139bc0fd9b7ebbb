/* `confine box`: a sandbox and the program in it, without bubblewrap, which needs three times as long.
 *
 * The process that was started stays outside and ends as the program ends. Its child is the first process of the new
 * namespaces: it makes the view, gives up every privilege and goes on as `confine run` does. */
#include "apart.h"
#include "inspect.h"
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

/* ---- both sides ---- */

enum { NOT_TOLD = -1 };

/* Shared by the process outside and the one inside. */
static struct {
  struct view view;
  struct running running;
  const char *joined, *folder;
  uint64_t user, group;
  long outside, inspector;
  /* Becomes 0 when the first process inside is about to end, and its namespaces with it. */
  int inside_lives;
  int code;
} box_of = {.running = {.bounds = {~0ull, ~0ull}}, .inside_lives = 1, .code = NOT_TOLD};

static _Noreturn void make_inside(void) {
  map_user(box_of.user, box_of.group);
  if (!box_of.joined && !box_of.running.machine) raise_loopback();
  make_view(&box_of.view);
  if (box_of.folder) {
    long result = sys(__NR_chdir, box_of.folder);
    if (result < 0) die("cannot enter", box_of.folder, result);
  }
  drop_privileges();
  end_with(box_of.outside);
  start_confined(&box_of.running);
}

/* It would end by itself, but whoever adopts it may not want to know. */
static void end_inspector(void) {
  if (!box_of.inspector) return;
  sys(__NR_kill, box_of.inspector, KILL_SIGNAL);
  sys(__NR_wait4, box_of.inspector, 0, 0, 0);
}

static _Noreturn void end_as(long child) {
  int status;
  long ended;
  /* Whoever reads what the program writes must see its end when the program closes it. */
  sys(__NR_close_range, 0, ~0u, 0);
  wait_while(&box_of.inside_lives, 1);
  end_inspector();
  /* Nobody but ourselves was left inside, and the kernel needs as long to take down the namespaces as to make them. */
  if (box_of.code != NOT_TOLD) leave(box_of.code);
  do ended = sys(__NR_wait4, child, &status, 0, 0);
  while (ended == -EINTR);
  if (ended != child) leave(FAILED);
  leave(status & 127 ? 128 + (status & 127) : status >> 8 & 255);
}

_Noreturn void box(struct arguments arguments) {
  static _Alignas(16) char stack[STACK_SIZE];
  struct running *running = &box_of.running;
  const char *report = 0;
  for (const char *option; (option = next_option(&arguments, "box ... -- program"));) {
    if (same(option, "--join")) box_of.joined = value_of(&arguments, option);
    else if (same(option, "--report")) report = value_of(&arguments, option);
    else if (same(option, "--chdir")) box_of.folder = value_of(&arguments, option);
    else if (!take_mount(&box_of.view, &arguments, option) && !take_limit(running, &arguments, option))
      die("unknown option", option, 0);
  }
  running->program = program_of(&arguments);
  running->environment = arguments.environment;
  running->code = &box_of.code;
  if (running->machine && box_of.joined) die("--machine and --join exclude each other", 0, 0);
  if (report) running->report = open_report(report);
  if (running->recording.folder && !report) die("--journal needs --report", 0, 0);
  /* Before the view is made: a link can only be made from one mount to the same. */
  open_recording(&running->recording);
  box_of.user = (uint64_t)sys(__NR_geteuid), box_of.group = (uint64_t)sys(__NR_getegid);

  ignore_polite_signals();
  /* Whoever ignores it never learns how a child ended. */
  set_signal(SIG_CHLD, DEFAULT);
  if (running->machine) box_of.inspector = start_inspector();
  if (box_of.joined) join_namespaces(box_of.joined);
  /* Not before: whoever gains privileges, as in a namespace of users, has to ask again. */
  sys(__NR_prctl, PR_SET_PDEATHSIG, KILL_SIGNAL, 0, 0, 0);
  box_of.outside = sys(__NR_pidfd_open, sys(__NR_getpid), 0);
  if (box_of.outside < 0) die("cannot look at this process", 0, box_of.outside);
  unsigned long apart = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS;
  box_of.view.shows_processes = running->machine;
  if (!running->machine) apart |= CLONE_NEWPID | CLONE_NEWCGROUP | (box_of.joined ? 0 : CLONE_NEWNET);
  long child = start_beside(apart | CLONE_VM | CLONE_CHILD_CLEARTID | SIG_CHLD, stack + sizeof stack,
                            &box_of.inside_lives, make_inside);
  if (child == -ENOSPC) die("cannot make namespaces: there may be no more (user.max_user_namespaces)", 0, 0);
  if (child < 0) die("cannot make namespaces", 0, child);
  end_as(child);
}
