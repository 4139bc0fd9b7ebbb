/* Counting processes and memory in /proc: see bounds.h. */
#include "bounds.h"
#include "sys.h"

enum { KILL_SIGNAL = 9, SHM_INFO = 14, PER_PROCESSOR = 1 << 20 /* bytes in a millisecond */ };
enum { SHORTEST_LOOK = 20, LONGEST_LOOK = 1000, REST = 10 };

static struct bounds kept = {~0ull, ~0ull};
static uint64_t fill_rate = PER_PROCESSOR;

/* ---- small readings ---- */

static uint64_t milliseconds(void) {
  struct {
    int64_t seconds, nanoseconds;
  } now;
  sys(__NR_clock_gettime, 1 /* CLOCK_MONOTONIC */, &now);
  return (uint64_t)(now.seconds * 1000 + now.nanoseconds / 1000000);
}

static uint64_t processors(void) {
  uint64_t mask[16] = {0}, count = 0;
  long size = sys(__NR_sched_getaffinity, 0, sizeof mask, mask);
  for (long i = 0; i < size / 8; i++)
    for (uint64_t bits = mask[i]; bits; bits &= bits - 1) count++;
  return count ? count : 1;
}

static uint64_t number_in(const char *text) {
  uint64_t number = 0;
  while (*text == ' ' || *text == '\t') text++;
  while (*text >= '0' && *text <= '9') number = number * 10 + (uint64_t)(*text++ - '0');
  return number;
}

static char text[8192];

static int read_text(const char *path) {
  long fd = sys(__NR_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  long length = sys(__NR_read, fd, text, sizeof text - 1);
  sys(__NR_close, fd);
  text[length > 0 ? length : 0] = 0;
  return length > 0;
}

/* The bytes that a line such as `RssAnon:   123 kB` of the text speaks of; 0 if there is none. */
static uint64_t bytes_named(const char *name) {
  for (const char *at = text; *at;) {
    const char *letter = name;
    while (*letter && *at == *letter) at++, letter++;
    if (!*letter) return number_in(at) * 1024;
    while (*at && *at++ != '\n') {}
  }
  return 0;
}

/* ---- the processes of the namespace ---- */

static void (*visitor)(char *path, char *end);

static void visit_process(const char *name) {
  char path[64];
  /* The first two are confine itself. */
  if (!same(name, "1") && !same(name, "2")) visitor(path, put_text(put_text(put_text(path, "/proc/"), name), "/"));
}

/* Calls `visit` for each process of the program; the path ends with a slash, and there is room behind it. */
static void each_process(void (*visit)(char *path, char *end)) {
  visitor = visit;
  each_number("/proc", visit_process);
}

/* ---- how many ---- */

static uint64_t estimate, counted, refused_at;

/* A folder has a link from each folder in it, and two more. */
static void count_threads(char *path, char *end) {
  struct {
    uint32_t mask, block_size;
    uint64_t attributes;
    uint32_t links;
    char rest[236];
  } found = {.links = 3};
  *put_text(end, "task") = 0;
  sys(__NR_statx, AT_FDCWD, path, 0, 4 /* STATX_NLINK */, &found);
  counted += found.links > 3 ? found.links - 2 : 1;
}

int may_fork(void) {
  if (kept.processes == unlimited) return 1;
  if (estimate >= kept.processes) {
    /* A program that keeps trying must not keep us counting. */
    if (refused_at && milliseconds() - refused_at < REST) return 0;
    counted = 0;
    each_process(count_threads);
    estimate = counted;
    refused_at = estimate >= kept.processes ? milliseconds() : 0;
    if (refused_at) return 0;
  }
  /* More than there are: those that ended are only noticed when it matters. */
  estimate++;
  return 1;
}

/* ---- how much ---- */

struct memory {
  uint64_t own, shared;
};
static struct memory used;
static uint64_t room;

/* What is shared by several processes is counted for each of them: more than there is, but quickly read. */
static void add_resident(char *path, char *end) {
  *put_text(end, "status") = 0;
  if (!read_text(path)) return;
  used.own += bytes_named("RssAnon:"), used.shared += bytes_named("RssShmem:");
}

/* Shared parts are divided by those who share them. The kernel has to look at every page for it. */
static void add_proportional(char *path, char *end) {
  *put_text(end, "smaps_rollup") = 0;
  /* A program may forbid others to look; then it is counted in full. */
  if (!read_text(path)) return add_resident(path, end);
  used.own += bytes_named("Pss_Anon:"), used.shared += bytes_named("Pss_Shmem:");
}

/* Files in memory and segments that nobody has mapped. */
static uint64_t unmapped(void) {
  struct {
    long kind, block_size, blocks, free, rest[32];
  } disk = {0};
  struct {
    int ids;
    unsigned long total, resident, swapped, attempts, successes;
  } segments = {0};
  uint64_t files = 0;
  if (sys(__NR_statfs, "/dev/shm", &disk) == 0 && disk.blocks > disk.free)
    files = (uint64_t)(disk.blocks - disk.free) * (uint64_t)disk.block_size;
  sys(__NR_shmctl, 0, SHM_INFO, &segments);
  /* A block of a file in memory is a page. */
  return files + segments.resident * (uint64_t)disk.block_size;
}

static uint64_t measured(void (*add)(char *path, char *end)) {
  used = (struct memory){0, 0};
  each_process(add);
  uint64_t elsewhere = unmapped();
  /* What is mapped of those files and segments has been counted already. */
  return used.own + (used.shared > elsewhere ? used.shared : elsewhere);
}

static uint64_t look_at;

/* After as long as it takes to fill what is left. */
static void plan_look(void) {
  uint64_t wait = room / fill_rate;
  look_at = milliseconds() + (wait < SHORTEST_LOOK ? SHORTEST_LOOK : wait > LONGEST_LOOK ? LONGEST_LOOK : wait);
}

int time_to_look(void) {
  if (kept.memory == unlimited) return NEVER;
  uint64_t now = milliseconds();
  return now < look_at ? (int)(look_at - now) : 0;
}

int end_if_too_large(void) {
  uint64_t now = measured(add_resident);
  if (now > kept.memory) now = measured(add_proportional);
  room = now < kept.memory ? kept.memory - now : 0;
  plan_look();
  if (now <= kept.memory) return 0;
  sys(__NR_kill, -1, KILL_SIGNAL);
  return 1;
}

void keep_bounds(const struct bounds *bounds) {
  if (sys(__NR_getpid) != 1) return;
  kept = *bounds;
  estimate = 1;
  room = kept.memory;
  fill_rate = PER_PROCESSOR * processors();
  plan_look();
}
