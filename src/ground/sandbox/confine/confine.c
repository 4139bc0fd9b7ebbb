/* confine: makes sandboxes, and does for those of bubblewrap what bubblewrap cannot. docs/decisions/0053-the-sandbox.md
 * and 0061 say what each mode is for.
 *
 *   confine box [--report FILE] [--join PID] [--writable|--readable|--sealed FROM PATH]... [--empty PATH]...
 *     [--chdir FOLDER] [--processes N] [--memory BYTES] [--unix] [--machine] [--write PATH]... [JOURNAL] -- program args
 *   confine enter [--report FILE] [--join PID] [--machine] -- program args
 *   confine run [--report FILE] [--processes N] [--memory BYTES] [--unix] [--machine] [--write PATH]... -- program args
 *   confine record JOURNAL -- program args
 *   confine keep SOCKET PORT [PORT:SOCKET]...
 *   confine hold
 *   confine join --group FILE -- program args
 *   JOURNAL: --journal FOLDER --most BYTES [--keep-all] [--root PATH]... [--except PATH]...
 *
 * What goes wrong in confine itself is one line on standard error and exit code 125. */
#include "sys.h"

/* Called by _start with the stack as the kernel left it: the count, the arguments, a null, the environment. */
_Noreturn __attribute__((used)) void start(long *stack) {
  long count = stack[0];
  char **argv = (char **)(stack + 1);
  struct arguments rest = {argv + 2, argv + count + 1};
  keep_arguments(argv);
  if (count < 2) die("a mode is missing: box, enter, run, record, keep, hold or join", 0, 0);
  if (same(argv[1], "box")) box(rest);
  if (same(argv[1], "enter")) enter(rest);
  if (same(argv[1], "run")) run(rest);
  if (same(argv[1], "record")) record(rest);
  if (same(argv[1], "keep")) keep(rest);
  if (same(argv[1], "hold")) hold(rest);
  if (same(argv[1], "join")) join(rest);
  die("unknown mode", argv[1], 0);
}
