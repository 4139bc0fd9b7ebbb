/* `confine join`: a program in a control group from its first instruction on, so that nothing it starts is outside. */
#include "sys.h"

_Noreturn void join(struct arguments arguments) {
  const char *group = 0;
  for (const char *option; (option = next_option(&arguments, "join --group FILE -- program"));) {
    if (same(option, "--group")) group = value_of(&arguments, option);
    else die("unknown option", option, 0);
  }
  char **program = program_of(&arguments);
  if (!group) die("a group is missing", 0, 0);
  long fd = sys(__NR_openat, AT_FDCWD, group, O_WRONLY | O_CLOEXEC);
  if (fd < 0) die("cannot open", group, fd);
  /* 0 stands for whoever writes it. */
  long result = sys(__NR_write, fd, "0", 1);
  if (result < 0) die("cannot join", group, result);
  sys(__NR_close, fd);
  start_program(program, arguments.environment);
}
