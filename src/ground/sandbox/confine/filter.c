/* The filters, as programs for the kernel's small virtual machine (BPF).
 *
 * A filter sees the number of a system call and the six registers of its arguments, never the memory behind pointers.
 * Where several filters are installed, the strictest answer counts, so nothing that runs later can widen this.
 *
 * Every block below answers for one system call and always returns. The kernel remembers for each number whether the
 * answer depends on arguments; calls that are always allowed do not run the filter at all. To know that, it goes through
 * the filter once for each of its 470 numbers when the filter is installed, so the blocks are the leaves of a tree: one
 * after the other they cost a tenth of a millisecond. */
#include "filter.h"
#include "sys.h"
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
/* Numbers with this bit are calls of the x32 interface, which share the architecture but not the meaning. */
#define X32_BIT 0x40000000u
#else
#define NATIVE AUDIT_ARCH_AARCH64
#endif

#define ALLOW SECCOMP_RET_ALLOW
#define KILL SECCOMP_RET_KILL_PROCESS
#define FAIL(error) (SECCOMP_RET_ERRNO | (error))

/* From libc headers, which are not used here. */
enum { UNIX = 1, INET = 2, INET6 = 10, NETLINK = 16 };
enum { STREAM = 1, SEQPACKET = 5, SOCKET_TYPES = 0xf };
enum { INSERT_INPUT = 0x5412 /* TIOCSTI */, CONSOLE = 0x541c /* TIOCLINUX */ };
enum { NO_RANDOMIZE = 0x0040000 /* ADDR_NO_RANDOMIZE */ };

enum { MOST_CODE = 512, MOST_BLOCKS = 160 };
struct block {
  unsigned number, from, to;
};
/* Blocks, in any order; or, when they are arranged, what is installed. */
struct filter {
  struct sock_filter code[MOST_CODE];
  unsigned length;
  struct block blocks[MOST_BLOCKS];
  unsigned count;
};

static void put(struct filter *filter, unsigned short code, unsigned k, unsigned char yes, unsigned char no) {
  if (filter->length == MOST_CODE) die("the filter is too long", 0, 0);
  filter->code[filter->length++] = (struct sock_filter){code, yes, no, k};
}

static void load(struct filter *filter, unsigned offset) { put(filter, BPF_LD | BPF_W | BPF_ABS, offset, 0, 0); }
static void answer(struct filter *filter, unsigned action) { put(filter, BPF_RET | BPF_K, action, 0, 0); }

/* The lower half of an argument. The kernel reads no more of the ints that are compared here, and of flags that are
 * longs all bits that matter are in it. */
static void load_argument(struct filter *filter, int index) {
  load(filter, (unsigned)(offsetof(struct seccomp_data, args) + sizeof(uint64_t) * (unsigned)index));
}

/* What follows until `otherwise` is only for this system call. */
static void on(struct filter *filter, long number) {
  if (filter->count == MOST_BLOCKS) die("the filter has too many blocks", 0, 0);
  filter->blocks[filter->count] = (struct block){(unsigned)number, filter->length, 0};
}

static void otherwise(struct filter *filter, unsigned action) {
  answer(filter, action);
  filter->blocks[filter->count++].to = filter->length;
}

static void answer_each(struct filter *filter, const short *numbers, size_t count, unsigned action) {
  for (size_t i = 0; i < count; i++) on(filter, numbers[i]), otherwise(filter, action);
}

static void if_equal(struct filter *filter, int argument, unsigned value, unsigned action) {
  load_argument(filter, argument);
  put(filter, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
  answer(filter, action);
}

static void unless_equal(struct filter *filter, int argument, unsigned value, unsigned action) {
  load_argument(filter, argument);
  put(filter, BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
  answer(filter, action);
}

static void if_masked_equal(struct filter *filter, int argument, unsigned mask, unsigned value, unsigned action) {
  load_argument(filter, argument);
  put(filter, BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
  put(filter, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
  answer(filter, action);
}

static void if_any_bit(struct filter *filter, int argument, unsigned bits, unsigned action) {
  load_argument(filter, argument);
  put(filter, BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
  answer(filter, action);
}

static void load_number(struct filter *filter) { load(filter, offsetof(struct seccomp_data, nr)); }

static void native_calls_only(struct filter *filter) {
  load(filter, offsetof(struct seccomp_data, arch));
  put(filter, BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 1, 0);
  answer(filter, KILL);
  load_number(filter);
#ifdef X32_BIT
  /* -1 has the bit too, but it is what programs use to ask for a call that does not exist. */
  put(filter, BPF_JMP | BPF_JEQ | BPF_K, 0xffffffffu, 2, 0);
  put(filter, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
  answer(filter, KILL);
#endif
  put(filter, BPF_JMP | BPF_JGT | BPF_K, HIGHEST_SYSCALL, 0, 1);
  answer(filter, FAIL(ENOSYS));
}

/* What becomes of calls that the watcher may be asked about. */
struct asking {
  unsigned unix_sockets, forks, inet;
};

static void sockets(struct filter *filter, enum unix_sockets unix_sockets, enum sight sight, struct asking asking) {
  on(filter, __NR_socket);
  /* With the network of the machine only the kernel can be asked, about interfaces and sockets. To change one takes a
   * privilege that nobody has inside. */
  if_equal(filter, 0, INET, asking.inet);
  if_equal(filter, 0, INET6, asking.inet);
  if_equal(filter, 0, UNIX, asking.unix_sockets);
  unless_equal(filter, 0, NETLINK, FAIL(EAFNOSUPPORT));
  if_equal(filter, 2, NETLINK_ROUTE, ALLOW);
  if (sight == SEES_ALL) if_equal(filter, 2, NETLINK_SOCK_DIAG, ALLOW);
  otherwise(filter, FAIL(EAFNOSUPPORT));

  /* Pairs are how programs talk to their own children. A pair of datagram sockets, though, can be connected anew to
   * any socket on the disk, so without unix sockets only kinds that stay with their peer are left. */
  on(filter, __NR_socketpair);
  unless_equal(filter, 0, UNIX, FAIL(EAFNOSUPPORT));
  if (unix_sockets != UNIX_ALLOWED) {
    if_masked_equal(filter, 1, SOCKET_TYPES, STREAM, ALLOW);
    if_masked_equal(filter, 1, SOCKET_TYPES, SEQPACKET, ALLOW);
  }
  otherwise(filter, unix_sockets == UNIX_ALLOWED ? ALLOW : FAIL(EPERM));
}

/* Signals to others, and what else one process can do to another of the same user. */
static const short touching[] = {
    __NR_kill, __NR_tkill, __NR_tgkill, __NR_rt_sigqueueinfo, __NR_rt_tgsigqueueinfo, __NR_pidfd_send_signal,
    __NR_process_mrelease, __NR_migrate_pages, __NR_move_pages,
};

/* Calls whose first argument is a process, 0 for the caller. */
static const short on_process[] = {
    __NR_prlimit64, __NR_sched_setaffinity, __NR_sched_setscheduler, __NR_sched_setparam, __NR_sched_setattr,
};

/* A descriptor can send signals to whoever it is told to: FIOSETOWN and SIOCSPGRP. */
static const unsigned naming_owner[] = {0x8901, 0x8902};

static void leave_others_alone(struct filter *filter) {
  enum { SET_OWNER = 8, SET_SIGNAL = 10, SET_OWNER_EX = 15 /* F_SETOWN and its kin */ };
  enum { READ_LOG = 3, SIZE_OF_LOG = 10 };
  enum { ONE_PROCESS = 0 /* PRIO_PROCESS */, ONE_PROCESS_IO = 1 /* IOPRIO_WHO_PROCESS */ };
  answer_each(filter, touching, sizeof touching / sizeof *touching, FAIL(EPERM));
  /* The kernel's log can be read where the system lets everybody read it. */
  on(filter, __NR_syslog);
  if_equal(filter, 0, READ_LOG, ALLOW);
  if_equal(filter, 0, SIZE_OF_LOG, ALLOW);
  otherwise(filter, FAIL(EPERM));
  for (size_t i = 0; i < sizeof on_process / sizeof *on_process; i++) {
    on(filter, on_process[i]);
    unless_equal(filter, 0, 0, FAIL(EPERM));
    otherwise(filter, ALLOW);
  }
  on(filter, __NR_setpriority);
  unless_equal(filter, 0, ONE_PROCESS, FAIL(EPERM));
  unless_equal(filter, 1, 0, FAIL(EPERM));
  otherwise(filter, ALLOW);
  on(filter, __NR_ioprio_set);
  unless_equal(filter, 0, ONE_PROCESS_IO, FAIL(EPERM));
  unless_equal(filter, 1, 0, FAIL(EPERM));
  otherwise(filter, ALLOW);
  on(filter, __NR_fcntl);
  if_equal(filter, 1, SET_OWNER, FAIL(EPERM));
  if_equal(filter, 1, SET_SIGNAL, FAIL(EPERM));
  if_equal(filter, 1, SET_OWNER_EX, FAIL(EPERM));
  otherwise(filter, ALLOW);
}

static void namespaces(struct filter *filter, unsigned asking) {
  const unsigned all = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
                       CLONE_NEWNET;
  on(filter, __NR_clone);
  if_any_bit(filter, 0, all, FAIL(EPERM));
  otherwise(filter, asking);

  /* The bit of time namespaces is part of the exit signal in clone, and a flag only here. */
  on(filter, __NR_unshare);
  if_any_bit(filter, 0, all | CLONE_NEWTIME, FAIL(EPERM));
  otherwise(filter, ALLOW);
}

static void terminals_and_personality(struct filter *filter, enum sight sight) {
  /* Text put into the terminal's input would be read by the shell outside. */
  on(filter, __NR_ioctl);
  if_equal(filter, 1, INSERT_INPUT, FAIL(EPERM));
  if_equal(filter, 1, CONSOLE, FAIL(EPERM));
  if (sight == SEES_ALL)
    for (size_t i = 0; i < sizeof naming_owner / sizeof *naming_owner; i++)
      if_equal(filter, 1, naming_owner[i], FAIL(EPERM));
  otherwise(filter, ALLOW);

  /* Asking, going back to the usual one, and the fixed addresses that sanitizers want. */
  on(filter, __NR_personality);
  if_equal(filter, 0, 0, ALLOW);
  if_equal(filter, 0, 0xffffffffu, ALLOW);
  if_equal(filter, 0, NO_RANDOMIZE, ALLOW);
  otherwise(filter, FAIL(EPERM));
}

/* As if the kernel were too old to have them: programs know how to do without. io_uring does what a filter would have
 * refused, and the flags of clone3 lie in memory, where a filter cannot look. */
static const short missing[] = {__NR_io_uring_setup, __NR_io_uring_enter, __NR_io_uring_register, __NR_clone3};

static const short forbidden[] = {
    /* namespaces and mounts */
    __NR_setns, __NR_mount, __NR_umount2, __NR_pivot_root, __NR_chroot, __NR_move_mount, __NR_open_tree,
    __NR_open_tree_attr, __NR_fsopen, __NR_fsconfig, __NR_fsmount, __NR_fspick, __NR_mount_setattr,
    /* other processes: their memory, their descriptors */
    __NR_process_madvise, __NR_pidfd_getfd, __NR_kcmp,
    /* files by number, past every folder that hides them */
    __NR_open_by_handle_at, __NR_name_to_handle_at,
    /* keyrings are not part of any namespace */
    __NR_keyctl, __NR_add_key, __NR_request_key,
    /* the parts of the kernel with the longest history of holes */
    __NR_bpf, __NR_perf_event_open, __NR_userfaultfd,
    /* the machine itself */
    __NR_init_module, __NR_finit_module, __NR_delete_module, __NR_kexec_load, __NR_reboot, __NR_swapon, __NR_swapoff,
    __NR_acct, __NR_quotactl, __NR_quotactl_fd, __NR_settimeofday, __NR_clock_settime, __NR_adjtimex,
    __NR_clock_adjtime, __NR_sethostname, __NR_setdomainname, __NR_vhangup, __NR_lookup_dcookie, __NR_nfsservctl,
#ifdef __NR_kexec_file_load
    __NR_kexec_file_load,
#endif
#ifdef __NR_iopl
    __NR_iopl, __NR_ioperm,
#endif
};

/* The watcher reads what arguments point to, and writes an answer there. */
static const short tracers[] = {__NR_ptrace, __NR_process_vm_readv, __NR_process_vm_writev};

static void sort_blocks(struct filter *filter) {
  for (unsigned i = 1; i < filter->count; i++) {
    struct block block = filter->blocks[i];
    unsigned at = i;
    for (; at && filter->blocks[at - 1].number > block.number; at--) filter->blocks[at] = filter->blocks[at - 1];
    if (at && filter->blocks[at - 1].number == block.number) die("the filter has two blocks for one call", 0, 0);
    filter->blocks[at] = block;
  }
}

static unsigned char distance(unsigned from, unsigned to) {
  if (to - from - 1 > 255) die("the filter jumps too far", 0, 0);
  return (unsigned char)(to - from - 1);
}

/* Appends the code of a block unless it is a single answer that stands there already, and returns where it is. */
static unsigned put_block(struct filter *to, unsigned since, const struct sock_filter *code, unsigned length) {
  for (unsigned at = since; length == 1 && at < to->length; at++)
    if (to->code[at].code == code->code && to->code[at].k == code->k) return at;
  unsigned at = to->length;
  for (; length--; code++) put(to, code->code, code->k, code->jt, code->jf);
  return at;
}

/* Appends the sorted blocks as a tree; the number is in the accumulator. What has no block is allowed. */
static void arrange(struct filter *to, const struct filter *from, unsigned first, unsigned end) {
  enum { LEAF = 4 };
  unsigned start = to->length;
  if (end - first > LEAF) {
    unsigned middle = (first + end) / 2;
    put(to, BPF_JMP | BPF_JGE | BPF_K, from->blocks[middle].number, 0, 0);
    arrange(to, from, first, middle);
    to->code[start].jt = distance(start, to->length);
    return arrange(to, from, middle, end);
  }
  for (unsigned i = first; i < end; i++) put(to, BPF_JMP | BPF_JEQ | BPF_K, from->blocks[i].number, 0, 0);
  unsigned answers = to->length;
  answer(to, ALLOW);
  for (unsigned i = first; i < end; i++) {
    const struct block *block = &from->blocks[i];
    unsigned at = put_block(to, answers, from->code + block->from, block->to - block->from);
    to->code[start + i - first].jt = distance(start + i - first, at);
  }
}

/* What comes first is in the filter already, and loads the number. */
static void put_blocks(struct filter *filter, struct filter *blocks) {
  sort_blocks(blocks);
  arrange(filter, blocks, 0, blocks->count);
}

static long install(struct filter *filter, unsigned flags) {
  struct sock_fprog program = {(unsigned short)filter->length, filter->code};
  return sys(__NR_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

/* Without the second flag a signal makes the caller ask again, and a program with a busy timer would never go on. */
static long install_listening(struct filter *filter) {
  long listener = install(filter, SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
  return listener == -EINVAL ? install(filter, SECCOMP_FILTER_FLAG_NEW_LISTENER) : listener;
}

static void deny(struct filter *blocks, enum unix_sockets unix_sockets, enum tracing tracing, enum sight sight,
                 struct asking asking) {
  blocks->length = blocks->count = 0;
  sockets(blocks, unix_sockets, sight, asking);
  namespaces(blocks, asking.forks);
  terminals_and_personality(blocks, sight);
  if (sight == SEES_ALL) leave_others_alone(blocks);
  else on(blocks, __NR_syslog), otherwise(blocks, FAIL(EPERM));
  answer_each(blocks, missing, sizeof missing / sizeof *missing, FAIL(ENOSYS));
  answer_each(blocks, forbidden, sizeof forbidden / sizeof *forbidden, FAIL(EPERM));
  if (tracing == MAY_NOT_TRACE) answer_each(blocks, tracers, sizeof tracers / sizeof *tracers, FAIL(EPERM));
}

void install_denials(enum unix_sockets unix_sockets, enum tracing tracing, enum sight sight) {
  struct filter filter, blocks;
  const unsigned of_unix = unix_sockets == UNIX_ALLOWED ? ALLOW : FAIL(EPERM);
  const unsigned of_inet = sight == SEES_OWN ? ALLOW : FAIL(EAFNOSUPPORT);
  deny(&blocks, unix_sockets, tracing, sight, (struct asking){of_unix, ALLOW, of_inet});
  filter.length = 0;
  native_calls_only(&filter);
  put_blocks(&filter, &blocks);
  long result = install(&filter, 0);
  if (result < 0) die("cannot forbid system calls", 0, result);
}

/* Calls that change something by a path. Whether they may is not decided here. */
static const short changing[] = {
    __NR_openat2,  __NR_mkdirat,   __NR_mknodat,  __NR_unlinkat, __NR_renameat2, __NR_linkat,
    __NR_symlinkat, __NR_fchmodat, __NR_fchmodat2, __NR_truncate, __NR_connect,
#ifdef __NR_renameat
    __NR_renameat,
#endif
#ifdef __NR_open
    __NR_creat,    __NR_mkdir,     __NR_mknod,    __NR_rmdir,    __NR_unlink,    __NR_rename,
    __NR_link,     __NR_symlink,   __NR_chmod,
#endif
};

/* Calls that change only permissions and times. */
static const short adjusting[] = {
    __NR_fchmod, __NR_fchown, __NR_fchownat, __NR_utimensat,
#ifdef __NR_chown
    __NR_chown,  __NR_lchown, __NR_utime,    __NR_utimes,    __NR_futimesat,
#endif
};

/* Calls that may be about the open files of another process, or the mounts of the machine. */
static const short inspecting[] = {
    __NR_readlinkat, __NR_newfstatat, __NR_statx, __NR_openat,
#ifdef __NR_readlink
    __NR_readlink,   __NR_stat,       __NR_lstat, __NR_open,
#endif
};

static const short forking[] = {
    __NR_clone,
#ifdef __NR_fork
    __NR_fork, __NR_vfork,
#endif
};

/* Calls of which some are watched, by their arguments. */
static const short partly_watched[] = {
    __NR_openat, __NR_faccessat, __NR_faccessat2, __NR_sendto, __NR_socket, __NR_rt_sigaction, __NR_setitimer,
    __NR_timer_create,
#ifdef __NR_open
    __NR_open,   __NR_access,    __NR_alarm,
#endif
};

static int is_in(const short *numbers, size_t count, long number) {
  while (count)
    if (numbers[--count] == number) return 1;
  return 0;
}

int is_watched(long number) {
  return is_in(changing, sizeof changing / sizeof *changing, number) ||
         is_in(adjusting, sizeof adjusting / sizeof *adjusting, number) ||
         is_in(inspecting, sizeof inspecting / sizeof *inspecting, number) ||
         is_in(forking, sizeof forking / sizeof *forking, number) ||
         is_in(partly_watched, sizeof partly_watched / sizeof *partly_watched, number);
}

/* Signals that the kernel sends a program again and again while it works. Others come rarely, and nearly every program has
 * a handler for one of them. */
static const char recurring[] = {14 /* SIGALRM */, 17 /* SIGCHLD */,  23 /* SIGURG */, 26 /* SIGVTALRM */,
                                 27 /* SIGPROF */, 28 /* SIGWINCH */, 29 /* SIGIO */};

static void watch_handlers(struct filter *filter) {
  on(filter, __NR_rt_sigaction);
  if_equal(filter, 1, 0, ALLOW);
  for (size_t i = 0; i < sizeof recurring; i++) if_equal(filter, 0, (unsigned)recurring[i], SECCOMP_RET_USER_NOTIF);
  otherwise(filter, ALLOW);

  on(filter, __NR_setitimer);
  if_equal(filter, 1, 0, ALLOW);
  otherwise(filter, SECCOMP_RET_USER_NOTIF);
  on(filter, __NR_timer_create);
  otherwise(filter, SECCOMP_RET_USER_NOTIF);
#ifdef __NR_alarm
  on(filter, __NR_alarm);
  if_equal(filter, 0, 0, ALLOW);
  otherwise(filter, SECCOMP_RET_USER_NOTIF);
#endif
}

static void watch_if_any_bit(struct filter *filter, long number, int argument, unsigned bits) {
  on(filter, number);
  if_any_bit(filter, argument, bits, SECCOMP_RET_USER_NOTIF);
  otherwise(filter, ALLOW);
}

static const unsigned writing = O_ACCMODE | O_CREAT | O_TRUNC;

static void watch_changes(struct filter *filter, enum sight sight) {
  const unsigned write_access = 2;
  if (sight == SEES_OWN) watch_if_any_bit(filter, __NR_openat, 2, writing);
  watch_if_any_bit(filter, __NR_faccessat, 2, write_access);
  watch_if_any_bit(filter, __NR_faccessat2, 2, write_access);
#ifdef __NR_open
  if (sight == SEES_OWN) watch_if_any_bit(filter, __NR_open, 1, writing);
  watch_if_any_bit(filter, __NR_access, 1, write_access);
#endif
  /* Only datagrams carry an address of their own. */
  on(filter, __NR_sendto);
  unless_equal(filter, 4, 0, SECCOMP_RET_USER_NOTIF);
  otherwise(filter, ALLOW);
  answer_each(filter, changing, sizeof changing / sizeof *changing, SECCOMP_RET_USER_NOTIF);
  watch_handlers(filter);
}

long install_watch(const struct watched *watched) {
  static const unsigned of_unix[] = {
      [UNIX_REFUSED] = FAIL(EPERM), [UNIX_WATCHED] = SECCOMP_RET_USER_NOTIF, [UNIX_ALLOWED] = ALLOW};
  struct filter filter, blocks;
  const unsigned of_forks = watched->forks ? SECCOMP_RET_USER_NOTIF : ALLOW;
  const unsigned of_inet = watched->sight == SEES_OWN ? ALLOW : SECCOMP_RET_USER_NOTIF;
  deny(&blocks, watched->unix_sockets, MAY_NOT_TRACE, watched->sight, (struct asking){of_unix[watched->unix_sockets], of_forks, of_inet});
  /* The first has its block already. */
  answer_each(&blocks, forking + 1, sizeof forking / sizeof *forking - 1, of_forks);
  if (watched->changes) watch_changes(&blocks, watched->sight);
  if (watched->recorded) answer_each(&blocks, adjusting, sizeof adjusting / sizeof *adjusting, SECCOMP_RET_USER_NOTIF);
  if (watched->sight == SEES_ALL)
    answer_each(&blocks, inspecting, sizeof inspecting / sizeof *inspecting, SECCOMP_RET_USER_NOTIF);
  filter.length = 0;
  native_calls_only(&filter);
  put_blocks(&filter, &blocks);
  return install_listening(&filter);
}

int is_foreign(unsigned architecture) { return architecture != NATIVE; }

/* Programs of the other architecture that the processor knows run, too. Each begins with a look at its memory. */
static void all_calls(struct filter *filter) {
  enum { FOREIGN_BREAK = 45 /* brk, on i386 as on arm */ };
  load(filter, offsetof(struct seccomp_data, arch));
  put(filter, BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 4, 0);
  load_number(filter);
  put(filter, BPF_JMP | BPF_JEQ | BPF_K, FOREIGN_BREAK, 0, 1);
  answer(filter, SECCOMP_RET_USER_NOTIF);
  answer(filter, ALLOW);
  load_number(filter);
  put(filter, BPF_JMP | BPF_JEQ | BPF_K, 0xffffffffu, 2, 0);
  put(filter, BPF_JMP | BPF_JGT | BPF_K, HIGHEST_SYSCALL, 0, 1);
  answer(filter, FAIL(ENOSYS));
}

long install_recording(void) {
  static const short uring[] = {__NR_io_uring_setup, __NR_io_uring_enter, __NR_io_uring_register};
  struct filter filter, blocks;
  blocks.length = blocks.count = 0;
  answer_each(&blocks, uring, sizeof uring / sizeof *uring, FAIL(ENOSYS));
  for (size_t i = 0; i < sizeof changing / sizeof *changing; i++)
    if (changing[i] != __NR_connect) answer_each(&blocks, changing + i, 1, SECCOMP_RET_USER_NOTIF);
  answer_each(&blocks, adjusting, sizeof adjusting / sizeof *adjusting, SECCOMP_RET_USER_NOTIF);
  watch_if_any_bit(&blocks, __NR_openat, 2, writing);
#ifdef __NR_open
  watch_if_any_bit(&blocks, __NR_open, 1, writing);
#endif
  watch_handlers(&blocks);
  filter.length = 0;
  all_calls(&filter);
  put_blocks(&filter, &blocks);
  return install_listening(&filter);
}
