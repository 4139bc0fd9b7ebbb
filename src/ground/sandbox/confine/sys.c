/* System calls and helpers: see sys.h. */
#include "sys.h"
#include <linux/futex.h>

#if defined(__x86_64__)

__asm__(".globl _start\n"
        "_start:\n"
        "  xor %ebp, %ebp\n"
        "  mov %rsp, %rdi\n"
        "  and $-16, %rsp\n"
        "  call start\n");

long sys6(long number, long a, long b, long c, long d, long e, long f) {
  register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

long start_beside(unsigned long flags, void *stack, int *cleared, void (*run)(void)) {
  register long r10 __asm__("r10") = (long)cleared, r8 __asm__("r8") = 0;
  register void (*r12)(void) __asm__("r12") = run;
  long result = __NR_clone, first = (long)flags;
  __asm__ volatile("syscall\n"
                   "  test %%rax, %%rax\n"
                   "  jnz 1f\n"
                   "  xor %%ebp, %%ebp\n"
                   "  call *%%r12\n"
                   "  ud2\n"
                   "1:\n"
                   : "+a"(result), "+D"(first)
                   : "S"(stack), "d"(0l), "r"(r10), "r"(r8), "r"(r12)
                   : "rcx", "r11", "memory", "cc");
  return result;
}

long start_sleeper(unsigned long flags) {
  register long r10 __asm__("r10") = 0, r8 __asm__("r8") = 0;
  long result = __NR_clone, first = (long)flags;
  __asm__ volatile("syscall\n"
                   "  test %%rax, %%rax\n"
                   "  jnz 2f\n"
                   "1: mov %[pause], %%eax\n"
                   "  syscall\n"
                   "  jmp 1b\n"
                   "2:\n"
                   : "+a"(result), "+D"(first)
                   : "S"(0l), "d"(0l), "r"(r10), "r"(r8), [pause] "i"(__NR_pause)
                   : "rcx", "r11", "memory", "cc");
  return result;
}

#elif defined(__aarch64__)

__asm__(".globl _start\n"
        "_start:\n"
        "  mov x29, #0\n"
        "  mov x30, #0\n"
        "  mov x0, sp\n"
        "  bl start\n");

long sys6(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c,
                x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
}

long start_beside(unsigned long flags, void *stack, int *cleared, void (*run)(void)) {
  register long x8 __asm__("x8") = __NR_clone, x0 __asm__("x0") = (long)flags, x1 __asm__("x1") = (long)stack,
                x2 __asm__("x2") = 0, x3 __asm__("x3") = 0, x4 __asm__("x4") = (long)cleared;
  register void (*x19)(void) __asm__("x19") = run;
  __asm__ volatile("svc 0\n"
                   "  cbnz x0, 1f\n"
                   "  mov x29, 0\n"
                   "  blr x19\n"
                   "  brk 0\n"
                   "1:\n"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x19)
                   : "memory", "cc");
  return x0;
}

long start_sleeper(unsigned long flags) {
  register long x8 __asm__("x8") = __NR_clone, x0 __asm__("x0") = (long)flags, x1 __asm__("x1") = 0, x2 __asm__("x2") = 0,
                x3 __asm__("x3") = 0, x4 __asm__("x4") = 0;
  __asm__ volatile("svc 0\n"
                   "  cbnz x0, 2f\n"
                   "1: mov x0, 0\n"
                   "  mov x8, %[poll]\n"
                   "  svc 0\n"
                   "  b 1b\n"
                   "2:\n"
                   : "+r"(x8), "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3), "+r"(x4)
                   : [poll] "i"(__NR_ppoll)
                   : "memory", "cc");
  return x0;
}

#else
#error "confine knows x86_64 and aarch64"
#endif

void wait_while(int *number, int value) {
  while (*(volatile int *)number == value) sys(__NR_futex, number, FUTEX_WAIT, value, 0, 0, 0);
}

void change_number(int *number, int value) {
  *(volatile int *)number = value;
  sys(__NR_futex, number, FUTEX_WAKE, 1, 0, 0, 0);
}

/* The compiler calls these two by name for copies and initialisers. */
void *memset(void *to, int byte, size_t count) {
  for (unsigned char *at = to; count--;) *at++ = (unsigned char)byte;
  return to;
}

void *memcpy(void *to, const void *from, size_t count) {
  const unsigned char *source = from;
  for (unsigned char *at = to; count--;) *at++ = *source++;
  return to;
}

size_t length_of(const char *text) {
  size_t length = 0;
  while (text[length]) length++;
  return length;
}

int same(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}

char *put_number(char *to, uint64_t number) {
  char digits[20];
  int count = 0;
  do digits[count++] = (char)('0' + number % 10);
  while (number /= 10);
  while (count) *to++ = digits[--count];
  return to;
}

char *put_text(char *to, const char *text) {
  while (*text) *to++ = *text++;
  return to;
}

void each_number(const char *folder, void (*visit)(const char *name)) {
  struct entry {
    uint64_t inode, offset;
    uint16_t length;
    uint8_t kind;
    char name[];
  };
  static _Alignas(8) char entries[16384];
  long fd = sys(__NR_openat, AT_FDCWD, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), length;
  while (fd >= 0 && (length = sys(__NR_getdents64, fd, entries, sizeof entries)) > 0)
    for (char *at = entries; at < entries + length; at += ((struct entry *)at)->length) {
      const char *name = ((struct entry *)at)->name;
      if (name[0] >= '1' && name[0] <= '9') visit(name);
    }
  sys(__NR_close, fd);
}

static void say(const char *text) { sys(__NR_write, 2, text, length_of(text)); }

static const char *meaning_of(long error) {
  switch (error) {
    case EPERM: return "operation not permitted";
    case ENOENT: return "no such file or directory";
    case ESRCH: return "no such process";
    case E2BIG: return "argument list too long";
    case ENOEXEC: return "exec format error";
    case EAGAIN: return "resource temporarily unavailable";
    case ENOMEM: return "out of memory";
    case EACCES: return "permission denied";
    case EBUSY: return "device or resource busy";
    case ENOTDIR: return "not a directory";
    case EINVAL: return "invalid argument";
    case EMFILE: return "too many open files";
    case ENOSPC: return "no space left";
    case EROFS: return "read-only file system";
    case ENOSYS: return "this kernel does not have it";
    case EADDRINUSE: return "address already in use";
    default: return 0;
  }
}

_Noreturn void leave(int code) {
  for (;;) sys(__NR_exit_group, code);
}

_Noreturn void die(const char *what, const char *subject, long error) { die_with(FAILED, what, subject, error); }

_Noreturn void die_with(int code, const char *what, const char *subject, long error) {
  say("confine: ");
  say(what);
  if (subject) say(" "), say(subject);
  if (error < 0) error = -error;
  if (error) {
    char number[24];
    *put_number(put_text(number, "error "), (uint64_t)error) = 0;
    say(": "), say(meaning_of(error) ? meaning_of(error) : number);
  }
  say("\n");
  leave(code);
}

static _Noreturn void complain(const char *purpose, const char *what, const char *value) {
  say("confine: "), say(purpose), say(": "), say(what), say(": "), say(value), say("\n");
  leave(FAILED);
}

long execute(char **argv, char **environment) { return sys(__NR_execve, argv[0], argv, environment); }

_Noreturn void start_program(char **argv, char **environment) {
  long result = execute(argv, environment);
  die_with(result == -ENOENT ? NOT_FOUND : CANNOT_EXECUTE, "cannot execute", argv[0], result);
}

void set_signal(int signal, enum disposition disposition) {
  /* The kernel's sigaction: handler, flags, restorer, mask. arm64 has no restorer; the zeros at its end do no harm. */
  uint64_t action[4] = {disposition, 0, 0, 0};
  sys(__NR_rt_sigaction, signal, action, 0, sizeof(uint64_t));
}

void set_signal_mask(uint64_t blocked) {
  enum { SET_MASK = 2 };
  sys(__NR_rt_sigprocmask, SET_MASK, &blocked, 0, sizeof blocked);
}

const char *next_option(struct arguments *arguments, const char *mode) {
  const char *option = *arguments->next;
  if (!option) die("a program is missing: confine", mode, 0);
  arguments->next++;
  return same(option, "--") ? 0 : option;
}

char *value_of(struct arguments *arguments, const char *option) {
  char *value = *arguments->next;
  if (!value) die("a value is missing after", option, 0);
  arguments->next++;
  return value;
}

uint64_t number_of(struct arguments *arguments, const char *option, uint64_t most) {
  return number_from(value_of(arguments, option), option, most);
}

uint64_t number_from(const char *text, const char *purpose, uint64_t most) {
  uint64_t number = 0;
  for (const char *at = text; *at; at++) {
    if (*at < '0' || *at > '9') complain(purpose, "not a number", text);
    uint64_t digit = (uint64_t)(*at - '0');
    if (number > (most - digit) / 10) complain(purpose, "the number is too large", text);
    number = number * 10 + digit;
  }
  if (!*text) complain(purpose, "not a number", text);
  return number;
}

static char **all_arguments;

void keep_arguments(char **argv) { all_arguments = argv; }

void forget_arguments(void) {
  char **last = all_arguments;
  if (!last || !last[0] || !last[1]) return;
  while (last[1]) last++;
  /* They lie one behind the other, and the first two are our name and the mode. */
  char *from = all_arguments[1] + length_of(all_arguments[1]), *to = *last + length_of(*last);
  if (from < to) memset(from, 0, (size_t)(to - from));
}

char **program_of(struct arguments *arguments) {
  char **program = arguments->next;
  if (!*program) die("a program is missing after --", 0, 0);
  /* Looking through PATH would let a folder of the project decide what runs. */
  for (const char *at = *program; *at; at++)
    if (*at == '/') return program;
  die("the program must be named by its path:", *program, 0);
}
