/* `confine run`: the first program inside a sandbox that bubblewrap made, and what all programs are started with. */
#include "bounds.h"
#include "filter.h"
#include "inspect.h"
#include "repeat.h"
#include "running.h"
#include "sys.h"
#include "watch.h"
#include "writes.h"
#include <linux/prctl.h>
#include <linux/resource.h>

/* Lowers a limit, or leaves a lower one as it is. */
static void limit(int resource, uint64_t most, const char *what) {
  struct rlimit64 now;
  long result = sys(__NR_prlimit64, 0, resource, 0, &now);
  if (result == 0) {
    struct rlimit64 wanted = {most < now.rlim_max ? most : now.rlim_max, most < now.rlim_max ? most : now.rlim_max};
    result = sys(__NR_prlimit64, 0, resource, &wanted, 0);
  }
  if (result < 0) die("cannot limit", what, result);
}

/* Leaves the report as the only descriptor above 2. */
static int keep_report(int fd) {
  enum { REPORT = 3 };
  long result = fd == REPORT ? REPORT : sys(__NR_dup3, fd, REPORT, O_CLOEXEC);
  if (result < 0) die("cannot keep the report", 0, result);
  /* By this line whoever reads it knows that the sandbox was made, and that whatever follows is the program's doing. */
  static const char started[] = "{\"kind\":\"started\"}\n";
  result = sys(__NR_write, REPORT, started, sizeof started - 1);
  if (result < 0) die("cannot write the report", 0, result);
  return REPORT;
}

int take_limit(struct running *running, struct arguments *arguments, const char *option) {
  struct places *places = &running->places;
  if (same(option, "--processes")) running->bounds.processes = number_of(arguments, option, INT64_MAX);
  else if (same(option, "--memory")) running->bounds.memory = number_of(arguments, option, INT64_MAX);
  else if (same(option, "--unix")) running->allows_unix = 1;
  else if (same(option, "--machine")) running->machine = 1;
  else if (same(option, "--write")) {
    if (places->count == MOST_PLACES) die("more places to write than confine can keep", 0, 0);
    places->paths[places->count++] = value_of(arguments, option);
  } else return take_recording(&running->recording, arguments, option);
  return 1;
}

static enum sight sight_of(const struct running *running) { return running->machine ? SEES_ALL : SEES_OWN; }

/* Leaves the way to the process outside as the next descriptor after the report; 0 where nobody would use it. */
static int keep_inspector(const struct running *running, int kept) {
  if (!running->machine || !running->report) return 0;
  long result = sys(__NR_dup3, INSPECTOR, kept + 1, O_CLOEXEC);
  if (result < 0) die("cannot keep the socket to the process outside", 0, result);
  return kept + 1;
}

/* Where interrupted calls cannot be made again, only what cannot be bounded otherwise is watched: the forks of root, to
 * whom the kernel's own limit does not apply. That limit refuses in silence. */
static struct watched what_to_watch(const struct running *running) {
  enum { OUR_OWN = 2 };
  const int is_recorded = running->recording.folder != 0;
  struct watched watched = {UNIX_ALLOWED, can_repeat(), running->bounds.processes != unlimited, sight_of(running),
                            is_recorded};
  if (is_recorded && !watched.changes) die("cannot record: tracing is forbidden here", 0, 0);
  /* Whoever lists processes looks up the names of their users, which is not worth telling. */
  const int tells_unix = watched.changes && !running->machine;
  if (!running->allows_unix) watched.unix_sockets = tells_unix ? UNIX_WATCHED : UNIX_REFUSED;
  if (watched.changes || !watched.forks || sys(__NR_geteuid) == 0) return watched;
  limit(RLIMIT_NPROC, running->bounds.processes + OUR_OWN, "processes");
  watched.forks = 0;
  return watched;
}

_Noreturn void start_confined(struct running *running) {
  const struct bounds *bounds = &running->bounds;
  /* What whoever started us ignored is not the program's business. */
  for (int signal = 1; signal <= HIGHEST_SIGNAL; signal++) set_signal(signal, DEFAULT);
  set_signal_mask(0);

  limit(RLIMIT_CORE, 0, "core dumps");
  if (bounds->memory != unlimited) limit(RLIMIT_DATA, bounds->memory, "memory");

  const int kept = running->report ? keep_report(running->report) : 2;
  /* A descriptor that somebody forgot to close would be a way out. */
  running->inspector = keep_inspector(running, kept);
  const int last = keep_recording(&running->recording, kept + !!running->inspector);
  long result = sys(__NR_close_range, last + 1, ~0u, 0);
  if (result < 0) die("cannot close descriptors (Linux 5.9 is needed)", 0, result);

  result = sys(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (result < 0) die("cannot give up new privileges", 0, result);
  if (running->report) {
    struct watched watched = what_to_watch(running);
    keep_bounds(bounds);
    running->report = kept;
    run_watched(running, &watched);
  }
  write_only_in(&running->places);
  install_denials(running->allows_unix ? UNIX_ALLOWED : UNIX_REFUSED, MAY_NOT_TRACE, sight_of(running));
  start_program(running->program, running->environment);
}

_Noreturn void run(struct arguments arguments) {
  struct running running = {.bounds = {unlimited, unlimited}, .environment = arguments.environment};
  const char *report = 0;
  for (const char *option; (option = next_option(&arguments, "run ... -- program"));) {
    if (same(option, "--report")) report = value_of(&arguments, option);
    else if (!take_limit(&running, &arguments, option)) die("unknown option", option, 0);
  }
  running.program = program_of(&arguments);
  if (report) {
    /* It may be named by a descriptor that was left open, such as /proc/self/fd/9: then it need not be reachable inside
     * by any path. */
    long fd = sys(__NR_openat, AT_FDCWD, report, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) die("cannot open the report", report, fd);
    running.report = (int)fd;
  }
  start_confined(&running);
}
