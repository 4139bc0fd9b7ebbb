/* `confine record`: a program outside of any sandbox, with what it changes saved before.
 *
 * The process that was started ends as the program ends. The recorder is its child and the parent of the program, so that
 * it may read the program's memory, and it stays as long as anything is left that the program started. */
#include "joining.h"
#include "repeat.h"
#include "running.h"
#include "sys.h"
#include "watch.h"

static struct running bare_running = {.bounds = {~0ull, ~0ull}};
static struct bare bare = {1, NOT_ENDED};

static _Noreturn void become_recorder(void) {
  static const struct watched watched;
  for (int signal = 1; signal <= HIGHEST_SIGNAL; signal++) set_signal(signal, DEFAULT);
  const int last = keep_recording(&bare_running.recording, 2);
  long result = sys(__NR_close_range, last + 1, ~0u, 0);
  if (result < 0) die("cannot close descriptors (Linux 5.9 is needed)", 0, result);
  run_watched(&bare_running, &watched);
}

static _Noreturn void end_with(int status) {
  const int signal = status & 127;
  if (status == NOT_ENDED) leave(FAILED);
  if (!signal) leave(status >> 8 & 255);
  set_signal(signal, DEFAULT);
  set_signal_mask(~(1ull << (signal - 1)));
  sys(__NR_kill, sys(__NR_getpid), signal);
  leave(128 + signal);
}

_Noreturn void record(struct arguments arguments) {
  static _Alignas(16) char stack[STACK_SIZE];
  struct running *running = &bare_running;
  for (const char *option; (option = next_option(&arguments, "record ... -- program"));)
    if (!take_recording(&running->recording, &arguments, option)) die("unknown option", option, 0);
  running->program = program_of(&arguments);
  running->environment = arguments.environment;
  running->bare = &bare;
  if (!running->recording.folder) die("a journal is missing", 0, 0);
  if (!can_repeat()) die("cannot record: tracing is forbidden here", 0, 0);
  open_recording(&running->recording);
  ignore_polite_signals();
  set_signal(SIG_CHLD, DEFAULT);
  enum { SHARED_MEMORY = 0x100, CLEARS_NUMBER = 0x200000 /* CLONE_VM and CLONE_CHILD_CLEARTID */ };
  long child = start_beside(SHARED_MEMORY | CLEARS_NUMBER | SIG_CHLD, stack + sizeof stack, &bare.is_running, become_recorder);
  if (child < 0) die("cannot start a process", 0, child);
  /* Whoever reads what the program writes must see its end when the program closes it. */
  sys(__NR_close_range, 0, ~0u, 0);
  wait_while(&bare.is_running, 1);
  end_with(bare.status);
}
