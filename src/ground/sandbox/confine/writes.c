/* A second wall around writing, where the kernel has Landlock.
 *
 * A mount that can only be read does not keep anybody from opening a named pipe in it for writing: the bytes go to
 * whoever reads at the other end, outside. Landlock does, and it also shuts the memory and the descriptors of processes
 * that are not under the same rules. */
#include "sys.h"
#include "writes.h"
#include <linux/stat.h>

/* From linux/landlock.h, which older systems lack. */
enum { VERSION = 1, BENEATH = 1 };
enum { WRITE_FILE = 1 << 1, REFER = 1 << 13 };
struct ruleset {
  uint64_t files;
};
struct beneath {
  uint64_t allowed;
  int32_t descriptor;
} __attribute__((packed));

#define CREATE_RULESET 444
#define ADD_RULE 445
#define RESTRICT_SELF 446

static int is_folder(long fd) {
  enum { KIND = 0170000, FOLDER = 0040000 };
  struct statx found;
  return sys(__NR_statx, fd, "", AT_EMPTY_PATH, STATX_TYPE, &found) == 0 && (found.stx_mode & KIND) == FOLDER;
}

static void allow(long ruleset, long fd, uint64_t what) {
  struct beneath rule = {is_folder(fd) ? what : what & WRITE_FILE, (int32_t)fd};
  /* What is no file at all, such as the end of a pipe, needs no rule. */
  sys(ADD_RULE, ruleset, BENEATH, &rule, 0);
}

static void allow_path(long ruleset, const char *path, uint64_t what) {
  enum { PATH_ONLY = 010000000 /* O_PATH */ };
  long fd = sys(__NR_openat, AT_FDCWD, path, PATH_ONLY | O_CLOEXEC);
  if (fd < 0) return;
  allow(ruleset, fd, what);
  sys(__NR_close, fd);
}

void write_only_in(const struct places *places) {
  /* Before the second version nothing could be moved from one folder to another under any rules. */
  if (places->count == 0 || sys(CREATE_RULESET, 0, 0, VERSION) < 2) return;
  struct ruleset handled = {WRITE_FILE | REFER};
  long ruleset = sys(CREATE_RULESET, &handled, sizeof handled, 0);
  if (ruleset < 0) die("cannot make rules for writing", 0, ruleset);
  allow_path(ruleset, "/", REFER);
  allow_path(ruleset, "/dev", WRITE_FILE);
  allow_path(ruleset, "/proc", WRITE_FILE);
  for (int i = 0; i < places->count; i++) allow_path(ruleset, places->paths[i], WRITE_FILE | REFER);
  /* `echo > /dev/stderr` opens again what was handed to the program. */
  for (int fd = 0; fd <= 2; fd++)
    if (!is_folder(fd)) allow(ruleset, fd, WRITE_FILE);
  long result = sys(RESTRICT_SELF, ruleset, 0);
  if (result < 0) die("cannot restrict writing", 0, result);
  sys(__NR_close, ruleset);
}
