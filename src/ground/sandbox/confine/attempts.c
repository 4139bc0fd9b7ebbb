/* Which system calls would write, and whether it is the sandbox alone that keeps them from it.
 *
 * Nothing is opened here but with O_PATH, which waits for nobody and changes nothing. */
#include "place.h"
#include "sys.h"
#include "watch.h"
#include <asm/statfs.h>
#include <linux/openat2.h>
#include <linux/stat.h>

enum { WRITE = 2 /* W_OK */, READ_ONLY = 1 /* ST_RDONLY */ };

static long look_up(const struct place *place, int flags) {
  return sys(__NR_openat, place->base, place->path, O_PATH | O_CLOEXEC | flags);
}

static void close_found(long fd) {
  if (fd >= 0) sys(__NR_close, fd);
}

/* ---- what is found ---- */

static long write_access(long fd) { return sys(__NR_faccessat2, fd, "", WRITE, AT_EMPTY_PATH | AT_EACCESS); }

static int is_read_only(long fd) {
  struct statfs found;
  return sys(__NR_fstatfs, fd, &found) == 0 && found.f_flags & READ_ONLY;
}

static int is_root(void) { return sys(__NR_geteuid) == 0; }

/* Whether it could be written outside. The kernel asks for permissions first and for the mount afterwards, so what the
 * user may not write anyway is another error. Only root may write what belongs to others, and it has lost that inside. */
static int is_withheld(long fd) {
  long access = write_access(fd);
  return access == -EROFS || (access == -EACCES && is_root() && is_read_only(fd));
}

static struct statx status_of(long fd) {
  struct statx found;
  memset(&found, 0, sizeof found);
  sys(__NR_statx, fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_UID, &found);
  return found;
}

typedef void teller(const char *path);

/* Tells the path of what is found, and of an entry in it if there is a name. */
static void tell_path(long fd, const char *name, teller *tell) {
  static char path[MOST_PATH + MOST_NAME + 1];
  char link[32];
  *put_number(put_text(link, "/proc/self/fd/"), (uint64_t)fd) = 0;
  long length = sys(__NR_readlinkat, AT_FDCWD, link, path, MOST_PATH);
  if (length <= 0) return;
  char *end = path + length;
  if (name && end[-1] != '/') *end++ = '/';
  *(name ? put_text(end, name) : end) = 0;
  tell(path);
}

/* ---- folders and their entries ---- */

long parent_of(const struct place *place, char *name) {
  struct place parent;
  parent.base = place->base;
  size_t end = length_of(place->path);
  while (end > 1 && place->path[end - 1] == '/') end--;
  size_t start = end;
  while (start && place->path[start - 1] != '/') start--;
  size_t length = end - start;
  if (length == 0 || length >= MOST_NAME) return -ENOENT;
  memcpy(name, place->path + start, length);
  name[length] = 0;
  if (same(name, ".") || same(name, "..")) return -ENOENT;
  if (start) memcpy(parent.path, place->path, start);
  else parent.path[start++] = '.';
  parent.path[start] = 0;
  return look_up(&parent, O_DIRECTORY);
}

/* An entry that is to be made. If the last part is a link that leads nowhere, the file is made where it leads. */
static void make_entry(const struct place *place, int follow, teller *tell) {
  char name[MOST_NAME];
  struct place next;
  next.base = place->base;
  *put_text(next.path, place->path) = 0;
  for (int links = 0; links <= MOST_LINKS; links++) {
    long parent = parent_of(&next, name);
    if (links) sys(__NR_close, next.base);
    if (parent < 0) return;
    long length = follow ? sys(__NR_readlinkat, parent, name, next.path, MOST_PATH - 1) : 0;
    if (length <= 0) {
      if (is_withheld(parent)) tell_path(parent, name, tell);
      sys(__NR_close, parent);
      return;
    }
    next.path[length] = 0;
    next.base = parent;
  }
  sys(__NR_close, next.base);
}

/* An entry that is to be removed or replaced. If it is a mount of its own, the kernel refuses that, too, even where the
 * folder around it can be written: so are files protected that lie in the workspace. */
static void change_entry(const struct place *place, int must_exist, teller *tell) {
  char name[MOST_NAME];
  long parent = parent_of(place, name);
  if (parent < 0) return;
  long entry = sys(__NR_openat, parent, name, O_PATH | O_CLOEXEC | O_NOFOLLOW);
  if (entry >= 0 || !must_exist)
    if (is_withheld(parent) || (entry >= 0 && write_access(parent) == 0 && is_read_only(entry)))
      tell_path(parent, name, tell);
  close_found(entry);
  sys(__NR_close, parent);
}

static int exists(const struct place *place) {
  long found = look_up(place, O_NOFOLLOW);
  close_found(found);
  return found >= 0;
}

/* ---- files ---- */

static void open_file(const struct place *place, uint64_t flags, teller *tell) {
  const int is_new = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
  const int is_unnamed = (flags & O_TMPFILE) == O_TMPFILE;
  if (flags & O_PATH) return;
  long found = look_up(place, is_new || flags & O_NOFOLLOW ? O_NOFOLLOW : 0);
  if (found == -ENOENT && flags & O_CREAT) make_entry(place, !is_new, tell);
  if (found < 0) return;
  if (!is_new && flags & (O_ACCMODE | O_TRUNC) && is_withheld(found)) {
    /* A folder is only opened for writing to get a file without a name, a link not at all. */
    if ((status_of(found).stx_mode & S_IFMT) == (is_unnamed ? S_IFDIR : S_IFREG)) tell_path(found, 0, tell);
  }
  sys(__NR_close, found);
}

static void change_file(const struct place *place, int flags, teller *tell) {
  long found = look_up(place, flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0);
  if (found >= 0 && is_withheld(found)) tell_path(found, 0, tell);
  close_found(found);
}

/* Modes are for the owner to change, whether or not the file can be written. */
static void change_mode(const struct place *place, int flags, teller *tell) {
  long found = look_up(place, flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0);
  if (found >= 0 && is_read_only(found) && (is_root() || status_of(found).stx_uid == sys(__NR_geteuid)))
    tell_path(found, 0, tell);
  close_found(found);
}

/* ---- system calls ---- */

void close_place(const struct place *place) { close_found(place->base); }

int read_place(struct place *place, int pid, uint64_t pointer) {
  enum { USUAL = 256 };
  long end = 0;
  /* Most paths are short, and the memory behind them may have to be brought in. */
  for (long length = USUAL; length <= MOST_PATH; length += MOST_PATH - USUAL) {
    long read = read_memory(pid, pointer, place->path, (size_t)length);
    while (end < read && place->path[end]) end++;
    if (end < read) break;
    if (read < length) return 0;
  }
  return end != MOST_PATH && end != 0;
}

int take_place(struct place *place, int pid, uint64_t folder, uint64_t pointer) {
  if (!read_place(place, pid, pointer)) return 0;
  /* An absolute path does not need a folder, and what is given as one may be anything. */
  if (place->path[0] == '/') return 1;
  char link[64], *at = put_number(put_text(link, "/proc/"), (uint64_t)pid);
  if ((int)folder == AT_FDCWD) at = put_text(at, "/cwd");
  else if ((int)folder >= 0) at = put_number(put_text(at, "/fd/"), (uint64_t)(int)folder);
  else return 0;
  *at = 0;
  place->base = sys(__NR_openat, AT_FDCWD, link, O_PATH | O_CLOEXEC);
  return place->base >= 0;
}

/* The older calls are short for newer ones: theirs are the arguments that come after. arm64 has only the newer ones. */
long modern(long number, const uint64_t *given, uint64_t *a) {
  for (int i = 0; i < 6; i++) a[i] = given[i];
  switch (number) {
#ifdef __NR_open
    case __NR_open: a[0] = HERE, a[1] = given[0], a[2] = given[1]; return __NR_openat;
    case __NR_creat: a[0] = HERE, a[1] = given[0], a[2] = O_CREAT | O_WRONLY | O_TRUNC; return __NR_openat;
    case __NR_mkdir: a[0] = HERE, a[1] = given[0]; return __NR_mkdirat;
    case __NR_mknod: a[0] = HERE, a[1] = given[0]; return __NR_mknodat;
    case __NR_rmdir:
    case __NR_unlink: a[0] = HERE, a[1] = given[0]; return __NR_unlinkat;
    case __NR_rename: a[0] = a[2] = HERE, a[1] = given[0], a[3] = given[1]; return __NR_renameat2;
    case __NR_link: a[0] = a[2] = HERE, a[1] = given[0], a[3] = given[1], a[4] = 0; return __NR_linkat;
    case __NR_symlink: a[1] = HERE, a[2] = given[1]; return __NR_symlinkat;
    case __NR_chmod: a[0] = HERE, a[1] = given[0]; return __NR_fchmodat;
    case __NR_access: a[0] = HERE, a[1] = given[0]; return __NR_faccessat;
    case __NR_chown: a[0] = HERE, a[1] = given[0], a[4] = 0; return __NR_fchownat;
    case __NR_lchown: a[0] = HERE, a[1] = given[0], a[4] = AT_SYMLINK_NOFOLLOW; return __NR_fchownat;
    case __NR_utime:
    case __NR_utimes: a[0] = HERE, a[1] = given[0], a[3] = 0; return __NR_utimensat;
    case __NR_futimesat: a[3] = 0; return __NR_utimensat;
#endif
#ifdef __NR_renameat
    case __NR_renameat: return __NR_renameat2;
#endif
    default: return number;
  }
}

/* A pipe for the other end, a terminal for a line. */
int may_wait(const struct attempt *attempt) {
  static struct place place;
  uint64_t a[6];
  long number = modern(attempt->number, attempt->arguments, a), found = -1;
  if (number != __NR_openat && number != __NR_openat2) return 0;
  place.base = -1;
  if (take_place(&place, attempt->pid, a[0], a[1])) found = look_up(&place, 0);
  unsigned kind = found < 0 ? S_IFREG : status_of(found).stx_mode & S_IFMT;
  close_found(found);
  close_found(place.base);
  return kind != S_IFREG && kind != S_IFDIR;
}

void find_withheld_writes(const struct attempt *attempt, teller *tell) {
  static struct place first, second;
  uint64_t a[6];
  const int pid = attempt->pid;
  first.base = second.base = -1;
  switch (modern(attempt->number, attempt->arguments, a)) {
    case __NR_openat:
      if (take_place(&first, pid, a[0], a[1])) open_file(&first, a[2], tell);
      break;
    case __NR_openat2: {
      struct open_how how = {0};
      if (read_memory(pid, a[2], &how, sizeof how) == sizeof how && take_place(&first, pid, a[0], a[1]))
        open_file(&first, how.flags, tell);
      break;
    }
    case __NR_mkdirat:
    case __NR_mknodat:
      if (take_place(&first, pid, a[0], a[1]) && !exists(&first)) make_entry(&first, 0, tell);
      break;
    case __NR_symlinkat:
      if (take_place(&first, pid, a[1], a[2]) && !exists(&first)) make_entry(&first, 0, tell);
      break;
    case __NR_linkat:
      if (take_place(&first, pid, a[2], a[3]) && !exists(&first)) make_entry(&first, 0, tell);
      break;
    case __NR_unlinkat:
      if (take_place(&first, pid, a[0], a[1])) change_entry(&first, 1, tell);
      break;
    case __NR_renameat2:
      if (take_place(&first, pid, a[0], a[1]) && exists(&first) && take_place(&second, pid, a[2], a[3])) {
        change_entry(&first, 1, tell);
        change_entry(&second, 0, tell);
      }
      break;
    case __NR_truncate:
      if (take_place(&first, pid, HERE, a[0])) change_file(&first, 0, tell);
      break;
    case __NR_faccessat:
      if (take_place(&first, pid, a[0], a[1])) change_file(&first, 0, tell);
      break;
    case __NR_faccessat2:
      if (take_place(&first, pid, a[0], a[1])) change_file(&first, (int)a[3], tell);
      break;
    case __NR_fchmodat:
      if (take_place(&first, pid, a[0], a[1])) change_mode(&first, 0, tell);
      break;
    case __NR_fchmodat2:
      if (take_place(&first, pid, a[0], a[1])) change_mode(&first, (int)a[3], tell);
      break;
    default: break;
  }
  close_found(first.base);
  close_found(second.base);
}
