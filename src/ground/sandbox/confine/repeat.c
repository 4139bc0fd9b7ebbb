/* Tracing programs that a signal can get an EINTR from: see repeat.h.
 *
 * A traced task stops before each signal. If it was in a watched call, it is let go on by a single step, which ends
 * where the handler begins. By then the kernel has put on the stack what the task continues with after the handler: the
 * result EINTR, and the instruction behind the call. Both are replaced by what makes the call again. If they are not
 * found there, nothing is changed. */
#include "repeat.h"
#include "filter.h"
#include "sys.h"
#include "watch.h"
#include <asm/sigcontext.h>
#include <asm/siginfo.h>
#include <asm/signal.h>
#include <asm/ucontext.h>
#include <linux/elf.h>
#include <linux/ptrace.h>
#include <linux/stat.h>

enum { STOP = 19, TERMINAL_STOP = 20, INPUT_STOP = 21, OUTPUT_STOP = 22, TRAP = 5 };
enum { INTERRUPTED = 512 /* ERESTARTSYS */, MOST_STEPS = 64 };
/* Not to vfork: whoever uses that only wants to start a program. */
enum { FOLLOWED = PTRACE_O_TRACEFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL };

/* Where a task was when it stopped. */
struct registers {
  uint64_t values[64];
};
/* A task on its way to a handler: where it would continue, and what has to be in the first register for the call. */
struct step {
  int task;
  uint64_t next, first;
};

#if defined(__x86_64__)

enum { CALL_LENGTH = 2, STACK = 19, NEXT = 16, RESULT = 10, NUMBER = 15 };
#define IN_FRAME(name) (8 + offsetof(struct ucontext, uc_mcontext) + offsetof(struct sigcontext, name))
#define RESULT_IN_FRAME IN_FRAME(rax)
#define NEXT_IN_FRAME IN_FRAME(rip)
static const char argument_registers[6] = {14, 13, 12, 7, 9, 8};

/* The number of the call that was interrupted, or -1. */
static long interrupted_call(int task, const struct registers *at, struct step *step) {
  if (at->values[RESULT] != (uint64_t)-INTERRUPTED) return -1;
  *step = (struct step){task, at->values[NEXT], at->values[NUMBER]};
  return (long)at->values[NUMBER];
}

#else

enum { CALL_LENGTH = 4, STACK = 31, NEXT = 32, NUMBER = 8, CALL_INSTRUCTION = 0xd4000001 };
#define IN_FRAME(name) (sizeof(siginfo_t) + offsetof(struct ucontext, uc_mcontext) + offsetof(struct sigcontext, name))
#define RESULT_IN_FRAME IN_FRAME(regs)
#define NEXT_IN_FRAME IN_FRAME(pc)
static const char argument_registers[6] = {0, 1, 2, 3, 4, 5};

/* Here the kernel has prepared the repetition already, and takes it back when it finds the handler. */
static long interrupted_call(int task, const struct registers *at, struct step *step) {
  uint32_t instruction = 0;
  if (read_memory(task, at->values[NEXT], &instruction, sizeof instruction) != sizeof instruction) return -1;
  if (instruction != (uint32_t)CALL_INSTRUCTION) return -1;
  *step = (struct step){task, at->values[NEXT] + CALL_LENGTH, at->values[0]};
  return (long)at->values[NUMBER];
}

#endif

int can_repeat(void) {
  enum { NOBODY = INT32_MAX };
  char scope = '0';
  /* Where only the administrator may trace, or nobody at all. */
  long fd = sys(__NR_openat, AT_FDCWD, "/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    sys(__NR_read, fd, &scope, 1);
    sys(__NR_close, fd);
  }
  /* A filter around us, as containers have it, answers before it is known that there is no such task. */
  return scope < '2' && sys(__NR_ptrace, PTRACE_CONT, NOBODY, 0, 0) == -ESRCH;
}

static struct step steps[MOST_STEPS];

static struct step *step_of(int task) {
  for (struct step *step = steps; step < steps + MOST_STEPS; step++)
    if (step->task == task) return step;
  return 0;
}

static int read_registers(int task, struct registers *registers) {
  struct {
    void *base;
    size_t length;
  } room = {registers, sizeof *registers};
  return sys(__NR_ptrace, PTRACE_GETREGSET, task, NT_PRSTATUS, &room) == 0;
}

/* Whether the task goes on to a handler that a watched call has to be made again after. */
static int takes_step(int task) {
  struct registers at;
  struct step found, *free = step_of(0);
  uint64_t arguments[6];
  if (!free || !read_registers(task, &at)) return 0;
  long number = interrupted_call(task, &at, &found);
  if (number < 0 || !is_watched(number)) return 0;
  for (int i = 0; i < 6; i++) arguments[i] = at.values[(int)argument_registers[i]];
  /* A program may use a signal to end its own waiting. */
  if (may_wait(&(struct attempt){task, number, arguments})) return 0;
  *free = found;
  return 1;
}

/* At the first instruction of a handler. */
static void repeat_after_handler(const struct step *step) {
  struct registers at;
  uint64_t next = 0, result = 0;
  if (!read_registers(step->task, &at)) return;
  uint64_t frame = at.values[STACK];
  sys(__NR_ptrace, PTRACE_PEEKDATA, step->task, frame + NEXT_IN_FRAME, &next);
  sys(__NR_ptrace, PTRACE_PEEKDATA, step->task, frame + RESULT_IN_FRAME, &result);
  if (next != step->next || result != (uint64_t)-EINTR) return;
  sys(__NR_ptrace, PTRACE_POKEDATA, step->task, frame + NEXT_IN_FRAME, step->next - CALL_LENGTH);
  sys(__NR_ptrace, PTRACE_POKEDATA, step->task, frame + RESULT_IN_FRAME, step->first);
}

void let_go_on(int task, int status) {
  const int signal = status >> 8 & 255, event = status >> 16;
  struct step *step = step_of(task), taken = {0, 0, 0};
  long how = PTRACE_CONT, passed_on = 0;
  if (step) taken = *step, step->task = 0;

  /* A new program has no handlers. */
  if (event == PTRACE_EVENT_EXEC) how = PTRACE_DETACH;
  else if (event == PTRACE_EVENT_STOP) {
    if (signal == STOP || signal == TERMINAL_STOP || signal == INPUT_STOP || signal == OUTPUT_STOP) how = PTRACE_LISTEN;
  } else if (!event && taken.task && signal == TRAP) repeat_after_handler(&taken);
  else if (!event) {
    passed_on = signal;
    if (takes_step(task)) how = PTRACE_SINGLESTEP;
  }
  sys(__NR_ptrace, how, task, 0, passed_on);
}

void forget_task(int task) {
  struct step *step = step_of(task);
  if (step) step->task = 0;
}

static int has_new;

static void follow_thread(const char *name) {
  if (sys(__NR_ptrace, PTRACE_SEIZE, number_from(name, "task", INT32_MAX), 0, FOLLOWED) == 0) has_new = 1;
}

static void follow(int task) {
  char folder[32];
  *put_text(put_number(put_text(folder, "/proc/"), (uint64_t)task), "/task") = 0;
  /* A thread that is not followed yet may start another one meanwhile. */
  do has_new = 0, each_number(folder, follow_thread);
  while (has_new);
}

/* ---- timers ----
 *
 * Shells install handlers for the signals of timers in case somebody kills them, and never set one. So a program with
 * such a handler is traced only once it has a timer, or if somebody set one before: it may be a timer of a program that
 * executed this one. Handlers are inherited by forks alone, so they belong to the executable. */

enum { ALARM = 14, VIRTUAL_ALARM = 26, PROFILE = 27, MOST_EXECUTABLES = 16 };

struct executable {
  uint64_t file;
  uint32_t major, minor;
};
static struct executable with_handlers[MOST_EXECUTABLES];
static int handler_count, is_timer_set;

static int find_executable(int task, struct executable *executable) {
  char path[32];
  struct statx found;
  *put_text(put_number(put_text(path, "/proc/"), (uint64_t)task), "/exe") = 0;
  if (sys(__NR_statx, AT_FDCWD, path, 0, STATX_INO, &found) < 0) return 0;
  *executable = (struct executable){found.stx_ino, found.stx_dev_major, found.stx_dev_minor};
  return 1;
}

static int has_handlers(const struct executable *its) {
  for (struct executable *at = with_handlers; at < with_handlers + handler_count; at++)
    if (at->file == its->file && at->major == its->major && at->minor == its->minor) return 1;
  return 0;
}

/* Keeps in mind that a program of this task has such a handler; 0 if that does not work. */
static int remember_handler(int task) {
  struct executable its;
  if (!find_executable(task, &its)) return 0;
  if (has_handlers(&its)) return 1;
  if (handler_count == MOST_EXECUTABLES) return 0;
  with_handlers[handler_count++] = its;
  return 1;
}

void consider_timer(int task) {
  struct executable its;
  is_timer_set = 1;
  if (!find_executable(task, &its) || has_handlers(&its)) follow(task);
}

void consider_handler(int task, int signal, uint64_t action) {
  enum { RESTARTS = 0x10000000 /* SA_RESTART */ };
  struct {
    uint64_t handler, flags;
  } wanted = {0, 0};
  if (read_memory(task, action, &wanted, sizeof wanted) != sizeof wanted) return;
  if (wanted.handler <= IGNORED || wanted.flags & RESTARTS) return;
  const int needs_timer = signal == ALARM || signal == VIRTUAL_ALARM || signal == PROFILE;
  if (needs_timer && remember_handler(task) && !is_timer_set) return;
  follow(task);
}
