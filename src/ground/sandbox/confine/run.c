/* `confine run`: the first program inside. It gives up what the sandbox withholds and starts the program. */
#include "filter.h"
#include "sys.h"
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

_Noreturn void run(struct arguments arguments) {
  const uint64_t unlimited = ~0ull;
  uint64_t processes = unlimited, memory = unlimited;
  enum unix_sockets unix_sockets = UNIX_REFUSED;
  for (const char *option; (option = next_option(&arguments, "run ... -- program"));) {
    if (same(option, "--processes")) processes = number_of(&arguments, option, INT64_MAX);
    else if (same(option, "--memory")) memory = number_of(&arguments, option, INT64_MAX);
    else if (same(option, "--unix")) unix_sockets = UNIX_ALLOWED;
    else if (same(option, "--report")) value_of(&arguments, option);
    else die("unknown option", option, 0);
  }
  char **program = program_of(&arguments);

  /* What `confine enter` and whoever started us ignored is not the program's business. */
  for (int signal = 1; signal <= HIGHEST_SIGNAL; signal++) set_signal(signal, DEFAULT);
  set_signal_mask(0);

  limit(RLIMIT_CORE, 0, "core dumps");
  if (processes != unlimited) limit(RLIMIT_NPROC, processes, "processes");
  if (memory != unlimited) limit(RLIMIT_DATA, memory, "memory");

  /* A descriptor that somebody forgot to close would be a way out. */
  long result = sys(__NR_close_range, 3, ~0u, 0);
  if (result < 0) die("cannot close descriptors (Linux 5.9 is needed)", 0, result);

  result = sys(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (result < 0) die("cannot give up new privileges", 0, result);
  install_denials(unix_sockets);

  result = execute(program, arguments.environment);
  die_with(result == -ENOENT ? NOT_FOUND : CANNOT_EXECUTE, "cannot execute", program[0], result);
}
