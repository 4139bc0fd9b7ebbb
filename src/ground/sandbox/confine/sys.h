/* The ground confine stands on: system calls without a libc, and the few helpers that C programs usually get from one.
 *
 * Only the kernel's own headers are used. That keeps the program at a few kilobytes, makes it start in a fraction of a
 * millisecond, and lets it run on every Linux, whichever libc the system has or lacks. */
#pragma once

#include <asm/unistd.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <stddef.h>
#include <stdint.h>

/* System calls that the headers of an older system do not name yet. From 424 on, numbers are the same everywhere. */
#ifndef __NR_fchmodat2
#define __NR_fchmodat2 452
#endif
#ifndef __NR_open_tree_attr
#define __NR_open_tree_attr 467
#endif

/* The highest system call of Linux 6.18 (file_setattr). What comes later is answered as an older kernel would. */
#define HIGHEST_SYSCALL 469

long sys6(long number, long a, long b, long c, long d, long e, long f);
#define SYS_PADDED(n, a, b, c, d, e, f, ...) sys6(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
/* sys(__NR_name, arguments...): the result, or a negative error number. */
#define sys(...) SYS_PADDED(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

void *memset(void *to, int byte, size_t count);
void *memcpy(void *to, const void *from, size_t count);
size_t length_of(const char *text);
int same(const char *a, const char *b);

/* Writes the digits and returns where they end; there is no terminating zero. */
char *put_number(char *to, uint64_t number);
char *put_text(char *to, const char *text);

/* Calls `visit` with each name in a folder that is a number. */
void each_number(const char *folder, void (*visit)(const char *name));

/* `confine: what subject: why` on standard error, then exit with 125. Subject may be null; an error of 0 names no cause. */
_Noreturn void die(const char *what, const char *subject, long error);
_Noreturn void leave(int code);

/* The same with another exit code; shells know these for a program that cannot be started. */
_Noreturn void die_with(int code, const char *what, const char *subject, long error);
enum { FAILED = 125, CANNOT_EXECUTE = 126, NOT_FOUND = 127 };

/* Replaces this process. Returns the error if that does not work. */
long execute(char **argv, char **environment);
/* The same for the program that is confined; dies as a shell would if it cannot be started. */
_Noreturn void start_program(char **argv, char **environment);

/* Starts a process that shares our memory and runs a function that never returns, on a stack of its own, which ends
 * where the pointer leads. Copying the memory would take longer than most of what such a process does. With
 * CLONE_CHILD_CLEARTID a number is set to 0, and whoever waits for that woken, when the process has ended or executes
 * another program. Returns its number or an error. */
long start_beside(unsigned long flags, void *stack, int *cleared, void (*run)(void));
enum { STACK_SIZE = 1 << 16 };
/* Waits while a number that is shared has a value; the number must be changed by the kernel or by the second one. */
void wait_while(int *number, int value);
void change_number(int *number, int value);

/* Starts a process that sleeps until it is killed. It touches no memory, so it can share ours. */
long start_sleeper(unsigned long flags);

/* Signals: the numbers are the same on both architectures. */
enum { SIG_HUP = 1, SIG_INT = 2, SIG_TERM = 15, SIG_CHLD = 17, HIGHEST_SIGNAL = 64 };
enum disposition { DEFAULT = 0, IGNORED = 1 };
void set_signal(int signal, enum disposition disposition);
void set_signal_mask(uint64_t blocked);

/* Says where the arguments are, before anything else. */
void keep_arguments(char **argv);

/* The arguments that are still to be read. */
struct arguments {
  char **next;
  char **environment;
};
/* The next option, or null after `--`. Dies when there is no `--`. */
const char *next_option(struct arguments *arguments, const char *mode);
/* The value of an option; dies if there is none. */
char *value_of(struct arguments *arguments, const char *option);
/* A value that must be a decimal number. */
uint64_t number_of(struct arguments *arguments, const char *option, uint64_t most);
/* The number a whole text stands for; dies if it is none. What it is for goes into the message. */
uint64_t number_from(const char *text, const char *purpose, uint64_t most);
/* The program after `--`; dies if there is none, or if it is not named by a path. */
char **program_of(struct arguments *arguments);

/* Clears the command line of this process, as far as others see it: `pgrep -f` would find us by the words of the program
 * that we start. Nothing that was an argument can be used afterwards. */
void forget_arguments(void);

/* The modes; none of them returns. */
_Noreturn void box(struct arguments arguments);
_Noreturn void enter(struct arguments arguments);
_Noreturn void run(struct arguments arguments);
_Noreturn void record(struct arguments arguments);
_Noreturn void keep(struct arguments arguments);
_Noreturn void hold(struct arguments arguments);
_Noreturn void join(struct arguments arguments);
