/* Saving what calls are about to change: see record.h. */
#include "record.h"
#include "place.h"
#include "sys.h"
#include "watch.h"
#include <linux/fs.h>
#include <linux/mman.h>
#include <linux/openat2.h>
#include <linux/stat.h>

enum { HIGH = 200, MOST_DEPTH = 128, MOST_RECORD = 2 * MOST_PATH + 512 };

static const struct recording *recording;

/* ---- options and descriptors ---- */

/* Arguments are forgotten later. */
static char *copied(const char *text) {
  static char texts[1 << 16];
  static size_t used;
  char *start = texts + used;
  if (length_of(text) + 1 > sizeof texts - used) die("the paths are longer than confine can keep", 0, 0);
  *put_text(start, text) = 0;
  used += length_of(text) + 1;
  return start;
}

int take_recording(struct recording *to, struct arguments *arguments, const char *option) {
  if (same(option, "--journal")) to->folder = value_of(arguments, option);
  else if (same(option, "--most")) to->most = number_of(arguments, option, INT64_MAX);
  else if (same(option, "--keep-all")) to->keeps_all = 1;
  else if (same(option, "--root")) {
    if (to->root_count == MOST_ROOTS) die("more roots than confine can keep", 0, 0);
    struct root *root = &to->roots[to->root_count++];
    root->path = copied(value_of(arguments, option)), root->length = length_of(root->path);
  } else if (same(option, "--except")) {
    if (to->excepted_count == MOST_EXCEPTED) die("more exceptions than confine can keep", 0, 0);
    to->excepted[to->excepted_count++] = copied(value_of(arguments, option));
  } else return 0;
  return 1;
}

/* Above the numbers that are given out anew later. */
static int opened_high(const char *path, int flags) {
  enum { DUPLICATE = 1030 /* F_DUPFD_CLOEXEC */ };
  long fd = sys(__NR_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0600);
  if (fd < 0) return (int)fd;
  long high = sys(__NR_fcntl, fd, DUPLICATE, HIGH);
  sys(__NR_close, fd);
  return (int)high;
}

void open_recording(struct recording *to) {
  if (!to->folder) return;
  to->journal = opened_high(to->folder, O_PATH | O_DIRECTORY);
  if (to->journal < 0) die("cannot open the journal", to->folder, to->journal);
  for (int i = 0; i < to->root_count; i++) {
    struct root *root = &to->roots[i];
    root->fd = opened_high(root->path, O_PATH | O_DIRECTORY);
    /* What is not there cannot be changed. */
    if (root->fd < 0 && root->fd != -ENOENT) die("cannot open", root->path, root->fd);
  }
}

static int moved_down(int fd, int *last) {
  if (fd < 0) return fd;
  long result = sys(__NR_dup3, fd, ++*last, O_CLOEXEC);
  if (result < 0) die("cannot keep the journal", 0, result);
  return *last;
}

int keep_recording(struct recording *to, int last) {
  if (!to->folder) return last;
  long records = sys(__NR_openat, to->journal, "records", O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (records < 0) die("cannot make a journal in", to->folder, records);
  long high = sys(__NR_fcntl, records, 1030 /* F_DUPFD_CLOEXEC */, HIGH);
  sys(__NR_close, records);
  to->records = moved_down((int)high, &last);
  to->journal = moved_down(to->journal, &last);
  for (int i = 0; i < to->root_count; i++) to->roots[i].fd = moved_down(to->roots[i].fd, &last);
  return last;
}

/* ---- what is known already ---- */

static uint64_t seed;

static uint64_t hash_of(const char *text) {
  uint64_t hash = 0xcbf29ce484222325u ^ seed;
  for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
  hash ^= hash >> 32, hash *= 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
  return hash ? hash : 1;
}

/* An entry of a table; the key 0 stands for none. */
struct known {
  uint64_t key, inode, device, number;
};
struct table {
  struct known *entries;
  uint64_t size, count;
};
/* The paths whose state is in the journal, and the files of which the journal has a link. */
static struct table paths, links;

static struct known *slot_of(const struct table *table, uint64_t key, uint64_t inode, uint64_t device) {
  for (uint64_t at = key & (table->size - 1);; at = (at + 1) & (table->size - 1)) {
    struct known *entry = &table->entries[at];
    if (!entry->key || (entry->key == key && entry->inode == inode && entry->device == device)) return entry;
  }
}

static struct known *find(const struct table *table, uint64_t key, uint64_t inode, uint64_t device) {
  struct known *found = table->size ? slot_of(table, key, inode, device) : 0;
  return found && found->key ? found : 0;
}

static long grow(struct table *table) {
  struct table larger = {0, table->size ? table->size * 2 : 1024, table->count};
  long memory = sys(__NR_mmap, 0, larger.size * sizeof(struct known), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory < 0 && memory > -4096) return memory;
  larger.entries = (struct known *)memory;
  for (uint64_t i = 0; i < table->size; i++) {
    const struct known *old = &table->entries[i];
    if (old->key) *slot_of(&larger, old->key, old->inode, old->device) = *old;
  }
  if (table->size) sys(__NR_munmap, table->entries, table->size * sizeof(struct known));
  *table = larger;
  return 0;
}

static long remember(struct table *table, struct known entry) {
  if (table->count * 2 >= table->size) {
    long result = grow(table);
    if (result < 0) return result;
  }
  struct known *slot = slot_of(table, entry.key, entry.inode, entry.device);
  if (!slot->key) table->count++;
  *slot = entry;
  return 0;
}

static uint64_t device_of(const struct statx *found) {
  return (uint64_t)found->stx_dev_major << 32 | found->stx_dev_minor;
}

/* ---- contents ---- */

static uint64_t last_number;

static void name_of(char *name, uint64_t number, const char *suffix) {
  *put_text(put_number(name, number), suffix) = 0;
}

static long copy_bytes(long from, long to) {
  static char bytes[1 << 16];
  for (;;) {
    long count = sys(__NR_read, from, bytes, sizeof bytes);
    if (count <= 0) return count;
    for (long done = 0; done < count;) {
      long written = sys(__NR_write, to, bytes + done, count - done);
      if (written <= 0) return written ? written : -EIO;
      done += written;
    }
  }
}

/* Errors that are about the file itself, and not about the journal. */
static int is_of_file(long error) { return error == -EACCES || error == -EPERM || error == -ENOENT || error == -ELOOP; }

/* A copy as a file of the journal. It shares its blocks with the original where the file system can do that. */
static long copy_from(long from, uint64_t size, const char *name) {
  long to = sys(__NR_openat, recording->journal, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (to < 0) return to == -EACCES || to == -EPERM ? -EIO : to;
  long result = sys(__NR_ioctl, to, FICLONE, from);
  if (result < 0) result = size > recording->most ? -EFBIG : copy_bytes(from, to);
  sys(__NR_close, to);
  if (result < 0) sys(__NR_unlinkat, recording->journal, name, 0);
  return result < 0 && is_of_file(result) ? -EIO : result;
}

static long copy_file(long folder, const char *entry, uint64_t size, const char *name) {
  long from = sys(__NR_openat, folder, entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (from < 0) return from;
  long result = copy_from(from, size, name);
  sys(__NR_close, from);
  return result;
}

/* A file that is about to be written must not be one of the journal: its link there becomes a copy. */
static long part_from_journal(const struct statx *found) {
  const uint64_t device = device_of(found);
  struct known *link = find(&links, found->stx_ino | 1ull << 63, found->stx_ino, device);
  if (!link || !link->number) return 0;
  char name[32], copy[32];
  name_of(name, link->number, ""), name_of(copy, link->number, ".copy");
  long from = sys(__NR_openat, recording->journal, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (from < 0) return from == -ENOENT ? 0 : -EIO;
  long result = copy_from(from, found->stx_size, copy);
  sys(__NR_close, from);
  /* What is lost now must not be taken for the content. */
  if (result == -EFBIG && !recording->keeps_all) result = sys(__NR_unlinkat, recording->journal, name, 0);
  else if (result >= 0) result = sys(__NR_renameat2, recording->journal, copy, recording->journal, name, 0);
  if (result >= 0) link->number = 0;
  return result;
}

/* What becomes of a path: it may also arrive with a folder that is moved, and that folder is not there yet. */
enum change { TAKEN_AWAY, WRITTEN, ARRIVING };

/* Saves the content of a file, and returns its number in the journal, or an error. */
static long save_content(long folder, const char *entry, const struct statx *found, enum change change) {
  char name[32];
  name_of(name, ++last_number, "");
  long result = -EXDEV;
  if (change != WRITTEN) {
    result = sys(__NR_linkat, folder, entry, recording->journal, name, 0);
    if (result == 0)
      result = remember(&links, (struct known){found->stx_ino | 1ull << 63, found->stx_ino, device_of(found), last_number});
    else if (result == -EEXIST) return -EIO;
    else result = -EXDEV;
  }
  if (result == -EXDEV) result = copy_file(folder, entry, found->stx_size, name);
  return result < 0 ? result : (long)last_number;
}

/* ---- records ---- */

/* Fields end with a zero byte, and a record with a line feed after the last. It is written at once. */
static long write_record(char *record, char *end) {
  *end++ = '\n';
  long written = sys(__NR_write, recording->records, record, end - record);
  return written == end - record ? 0 : written < 0 ? written : -ENOSPC;
}

static char *put_field(char *to, const char *text) {
  to = put_text(to, text);
  *to++ = 0;
  return to;
}

static char *put_number_field(char *to, uint64_t number) {
  to = put_number(to, number);
  *to++ = 0;
  return to;
}

static char *put_time_field(char *to, const struct statx_timestamp *time) {
  int64_t seconds = time->tv_sec;
  if (seconds < 0) *to++ = '-', seconds = -seconds;
  to = put_number_field(to, (uint64_t)seconds);
  return put_number_field(to, time->tv_nsec);
}

struct state {
  char kind;
  const struct statx *found;
  /* Of the content in the journal; 0 where there is none. */
  uint64_t number;
  /* Where a link leads, or why the content is not kept. */
  const char *text;
};

static long record_state(const char *path, const struct state *state) {
  static char record[MOST_RECORD];
  static const struct statx nothing;
  const struct statx *found = state->found ? state->found : &nothing;
  char *to = record;
  *to++ = state->kind, *to++ = 0;
  to = put_field(to, path);
  to = put_number_field(to, found->stx_mode & 07777);
  to = put_number_field(to, found->stx_size);
  to = put_time_field(to, &found->stx_mtime);
  to = put_time_field(to, &found->stx_ctime);
  to = put_number_field(to, found->stx_ino);
  to = put_number_field(to, found->stx_dev_major);
  to = put_number_field(to, found->stx_dev_minor);
  to = put_number_field(to, state->number);
  to = put_field(to, state->text ? state->text : "");
  return write_record(record, to);
}

/* ---- one path ---- */

static const struct root *root_of(const char *path) {
  for (const struct root *root = recording->roots; root < recording->roots + recording->root_count; root++) {
    size_t i = 0;
    while (i < root->length && path[i] == root->path[i]) i++;
    if (i == root->length && path[i] == '/' && path[i + 1] && root->fd >= 0) return root;
  }
  return 0;
}

static int lies_in(const char *path, const char *folder) {
  while (*folder && *path == *folder) path++, folder++;
  return !*folder && (!*path || *path == '/');
}

/* The data of git, and files of ours that are about to be moved into place. */
static int is_part_left_out(const char *at) {
  static const char git[] = ".git", ours[] = ".codewright-";
  size_t i = 0;
  while (git[i] && at[i] == git[i]) i++;
  if (!git[i] && (!at[i] || at[i] == '/')) return 1;
  for (i = 0; ours[i] && at[i] == ours[i];) i++;
  if (ours[i]) return 0;
  while (at[i] && at[i] != '/') i++;
  return at[i - 1] == 'p' && at[i - 2] == 'm' && at[i - 3] == 't' && at[i - 4] == '.';
}

static int is_left_out(const char *path, const struct root *root) {
  for (const char *at = path + root->length; *at; at++)
    if (*at == '/' && is_part_left_out(at + 1)) return 1;
  for (int i = 0; i < recording->excepted_count; i++)
    if (lies_in(path, recording->excepted[i])) return 1;
  return 0;
}

/* Opens the folder of a path below a root, outside, and only if no link is on the way. */
static long folder_of(const char *path, const struct root *root, const char **entry) {
  static char folder[MOST_PATH];
  const char *start = path + root->length + 1, *end = start;
  for (const char *at = start; *at; at++)
    if (*at == '/') end = at;
  *entry = end == start ? start : end + 1;
  size_t length = (size_t)(end - start);
  if (length == 0) folder[length++] = '.';
  else memcpy(folder, start, length);
  folder[length] = 0;
  struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH};
  return sys(__NR_openat2, root->fd, folder, &how, sizeof how);
}

static const char too_large[] = "large", unreadable[] = "unreadable", special[] = "special", too_deep[] = "deep";

/* Finds the state at an entry of a folder, with its content saved. */
static long find_state(long folder, const char *entry, enum change change, struct statx *found, struct state *state) {
  static char target[MOST_PATH];
  const unsigned mask = STATX_BASIC_STATS;
  long result = sys(__NR_statx, folder, entry, AT_SYMLINK_NOFOLLOW, mask, found);
  *state = (struct state){'a', 0, 0, 0};
  if (result == -ENOENT) return 0;
  if (result < 0) return is_of_file(result) ? 0 : result;
  state->found = found;
  switch (found->stx_mode & S_IFMT) {
    case S_IFDIR: state->kind = 'd'; return 0;
    case S_IFLNK:
      result = sys(__NR_readlinkat, folder, entry, target, sizeof target - 1);
      if (result < 0) return is_of_file(result) ? 0 : result;
      target[result] = 0;
      state->kind = 'l', state->text = target;
      return 0;
    case S_IFREG: break;
    default: state->kind = 'u', state->text = special; return 0;
  }
  state->kind = 'f';
  if (change == WRITTEN && (result = part_from_journal(found)) < 0) return result;
  if (found->stx_size == 0) return 0;
  result = save_content(folder, entry, found, change);
  if (result < 0 && (result != -EFBIG || recording->keeps_all) && !is_of_file(result)) return result;
  if (result < 0) state->kind = 'u', state->text = result == -EFBIG ? too_large : unreadable;
  else state->number = (uint64_t)result;
  return 0;
}

/* The call fails, and whoever reads the journal learns which file was too large; once for each. */
static long refuse(const char *path, uint64_t key, const struct statx *found) {
  enum { REFUSED = 1 };
  if (find(&paths, key, REFUSED, 0)) return -EFBIG;
  long result = record_state(path, &(struct state){'r', found, 0, too_large});
  if (result >= 0) result = remember(&paths, (struct known){key, REFUSED, 0, 0});
  return result < 0 ? result : -EFBIG;
}

/* A file that was recorded before may have been moved or linked since, and so be one that the journal has a link of. */
static long part_again(const char *path, uint64_t key, const struct root *root) {
  struct statx found;
  const char *entry;
  if (!links.count) return 0;
  long folder = folder_of(path, root, &entry);
  if (folder < 0) return 0;
  long result = sys(__NR_statx, folder, entry, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &found);
  result = result == 0 && (found.stx_mode & S_IFMT) == S_IFREG ? part_from_journal(&found) : 0;
  sys(__NR_close, folder);
  return result == -EFBIG ? refuse(path, key, &found) : result;
}

/* Puts the state of a path into the journal, unless it is there already. */
static long touch(const char *path, enum change change) {
  const struct root *root = root_of(path);
  if (!root || is_left_out(path, root)) return 0;
  const uint64_t key = hash_of(path);
  if (find(&paths, key, 0, 0)) return change == WRITTEN ? part_again(path, key, root) : 0;
  const char *entry;
  struct statx found;
  struct state state;
  long folder = folder_of(path, root, &entry);
  /* Where the folder is missing, the call changes nothing. */
  if ((folder == -ENOENT || folder == -ENOTDIR) && change != ARRIVING) return 0;
  if (folder < 0 && change != ARRIVING) return record_state(path, &(struct state){'u', 0, 0, unreadable});
  state = (struct state){'a', 0, 0, 0};
  long result = folder < 0 ? 0 : find_state(folder, entry, change, &found, &state);
  if (folder >= 0) sys(__NR_close, folder);
  if (result < 0) return result == -EFBIG ? refuse(path, key, &found) : result;
  result = record_state(path, &state);
  return result < 0 ? result : remember(&paths, (struct known){key, 0, 0, 0});
}

/* ---- folders that are moved ---- */

struct entry {
  uint64_t inode, offset;
  uint16_t length;
  uint8_t kind;
  char name[];
};

static int is_dots(const char *name) { return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2])); }

static char moved_from[MOST_PATH + MOST_NAME + 1], moved_to[MOST_PATH + MOST_NAME + 1];

/* Everything below a folder, at both paths. The folder is read again after each folder in it: there is one buffer. */
static long touch_below(long parent, const char *name, char *from_end, char *to_end, int depth) {
  static _Alignas(8) char entries[16384];
  enum { FOLDER = 4 /* DT_DIR */, UNKNOWN = 0 };
  if (from_end - moved_from > MOST_PATH - MOST_NAME || to_end - moved_to > MOST_PATH - MOST_NAME) return 0;
  if (depth == MOST_DEPTH) return record_state(moved_from, &(struct state){'u', 0, 0, too_deep});
  long fd = sys(__NR_openat, parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), length, result = 0;
  if (fd < 0) return fd == -ENOENT || fd == -ENOTDIR ? 0 : record_state(moved_from, &(struct state){'u', 0, 0, unreadable});
  while (result >= 0 && (length = sys(__NR_getdents64, fd, entries, sizeof entries)) > 0)
    for (char *at = entries; result >= 0 && at < entries + length; at += ((struct entry *)at)->length) {
      const struct entry *entry = (struct entry *)at;
      if (is_dots(entry->name)) continue;
      *from_end = *to_end = '/';
      char *from = put_text(from_end + 1, entry->name), *to = put_text(to_end + 1, entry->name);
      *from = *to = 0;
      result = touch(moved_from, TAKEN_AWAY);
      if (result >= 0) result = touch(moved_to, ARRIVING);
      if (result >= 0 && (entry->kind == FOLDER || entry->kind == UNKNOWN)) {
        const uint64_t next = entry->offset;
        result = touch_below(fd, from_end + 1, from, to, depth + 1);
        *from_end = *to_end = 0;
        sys(__NR_lseek, fd, next, 0);
        break;
      }
      *from_end = *to_end = 0;
    }
  sys(__NR_close, fd);
  return result;
}

static int is_folder_at(long base, const char *path) {
  struct statx found;
  return sys(__NR_statx, base, path, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &found) == 0 &&
         (found.stx_mode & S_IFMT) == S_IFDIR;
}

static long touch_moved(const struct place *place, const char *from, const char *to) {
  if (!is_folder_at(place->base, place->path)) return 0;
  char *from_end = put_text(moved_from, from), *to_end = put_text(moved_to, to);
  *from_end = *to_end = 0;
  return touch_below(place->base, place->path, from_end, to_end, 0);
}

/* ---- where a path of the caller leads ---- */

static int path_of_link(const char *link, char *path) {
  long length = sys(__NR_readlinkat, AT_FDCWD, link, path, MOST_PATH - 1);
  if (length <= 0 || path[0] != '/') return 0;
  path[length] = 0;
  return 1;
}

static int path_of_own(long fd, char *path) {
  char link[32];
  *put_number(put_text(link, "/proc/self/fd/"), (uint64_t)fd) = 0;
  return path_of_link(link, path);
}

static int path_of_descriptor(int pid, uint64_t fd, char *path) {
  char link[48], *at = put_text(put_number(put_text(link, "/proc/"), (uint64_t)pid), "/");
  if ((int)fd == AT_FDCWD) at = put_text(at, "cwd");
  else if ((int)fd >= 0) at = put_number(put_text(at, "fd/"), (uint64_t)(int)fd);
  else return 0;
  *at = 0;
  return path_of_link(link, path);
}

static int append(char *path, const char *name) {
  size_t length = length_of(path);
  if (length + length_of(name) + 2 > MOST_PATH) return 0;
  char *end = path + length;
  if (end[-1] != '/') *end++ = '/';
  *put_text(end, name) = 0;
  return 1;
}

static int is_plain_name(const char *path) {
  if (is_dots(path)) return 0;
  while (*path && *path != '/') path++;
  return !*path;
}

/* The real path of an entry: links on the way are followed, one in the last part is not. */
static int entry_path(const struct place *place, char *path) {
  char name[MOST_NAME];
  long parent = parent_of(place, name);
  if (parent < 0) return 0;
  int found = path_of_own(parent, path);
  sys(__NR_close, parent);
  return found && append(path, name);
}

/* The real path of what is opened, or made where a link leads that leads nowhere yet. */
static int opened_path(const struct place *place, int follow, char *path) {
  long found = sys(__NR_openat, place->base, place->path, O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));
  if (found >= 0) {
    int known = path_of_own(found, path);
    sys(__NR_close, found);
    return known;
  }
  static struct place next;
  next.base = place->base;
  *put_text(next.path, place->path) = 0;
  for (int count = 0; count <= MOST_LINKS; count++) {
    char name[MOST_NAME];
    long parent = parent_of(&next, name);
    if (count) sys(__NR_close, next.base);
    if (parent < 0) return 0;
    long length = follow ? sys(__NR_readlinkat, parent, name, next.path, MOST_PATH - 1) : 0;
    if (length <= 0) {
      int known = path_of_own(parent, path);
      sys(__NR_close, parent);
      return known && append(path, name);
    }
    next.path[length] = 0;
    next.base = parent;
  }
  sys(__NR_close, next.base);
  return 0;
}

/* `/proc/self` is the caller's, not ours, and so is what leads there. */
static void as_of_caller(struct place *place, int pid) {
  static const char *const leads[][2] = {{"/proc/self/", "/"},      {"/proc/thread-self/", "/"}, {"/dev/fd/", "/fd/"},
                                         {"/dev/stdin", "/fd/0"},   {"/dev/stdout", "/fd/1"},    {"/dev/stderr", "/fd/2"}};
  if (place->path[0] != '/' || (place->path[1] != 'p' && place->path[1] != 'd')) return;
  for (size_t i = 0; i < sizeof leads / sizeof *leads; i++) {
    const char *lead = leads[i][0];
    size_t length = 0;
    while (lead[length] && place->path[length] == lead[length]) length++;
    if (lead[length]) continue;
    char rest[64];
    const char *tail = place->path + length;
    if (length_of(tail) >= sizeof rest) return;
    *put_text(rest, tail) = 0;
    *put_text(put_text(put_number(put_text(place->path, "/proc/"), (uint64_t)pid), leads[i][1]), rest) = 0;
    return;
  }
}

/* ---- system calls ---- */

static struct place first, second;
static char first_path[MOST_PATH], second_path[MOST_PATH];

static int take(struct place *place, int pid, uint64_t folder, uint64_t pointer) {
  if (!take_place(place, pid, folder, pointer)) return 0;
  as_of_caller(place, pid);
  return 1;
}

static long touch_entry(int pid, uint64_t folder, uint64_t pointer) {
  /* Most often it is only a name, and the folder's path is all that is needed. */
  if (!read_place(&first, pid, pointer)) return 0;
  if (is_plain_name(first.path)) {
    if (!path_of_descriptor(pid, folder, first_path) || !append(first_path, first.path)) return 0;
  } else if (!take(&first, pid, folder, pointer) || !entry_path(&first, first_path)) return 0;
  return touch(first_path, TAKEN_AWAY);
}

static long touch_opened(int pid, uint64_t folder, uint64_t pointer, uint64_t flags) {
  const int is_new = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
  if (flags & O_PATH || !(flags & (O_ACCMODE | O_CREAT | O_TRUNC)) || (flags & O_TMPFILE) == O_TMPFILE) return 0;
  if (!take(&first, pid, folder, pointer)) return 0;
  if (!opened_path(&first, !is_new && !(flags & O_NOFOLLOW), first_path)) return 0;
  /* What may only be made, and is there, stays as it is. */
  return touch(first_path, flags & (O_ACCMODE | O_TRUNC) ? WRITTEN : TAKEN_AWAY);
}

/* Permissions and times, by a path, or by a descriptor where there is none. */
static long touch_status(int pid, uint64_t folder, uint64_t pointer, int follow) {
  if (pointer && take(&first, pid, folder, pointer)) {
    if (!opened_path(&first, follow, first_path)) return 0;
  } else if (!path_of_descriptor(pid, folder, first_path)) return 0;
  return touch(first_path, TAKEN_AWAY);
}

static long touch_renamed(int pid, const uint64_t *a) {
  if (!take(&first, pid, a[0], a[1]) || !entry_path(&first, first_path)) return 0;
  if (!take(&second, pid, a[2], a[3]) || !entry_path(&second, second_path)) return 0;
  long result = touch(first_path, TAKEN_AWAY);
  if (result >= 0) result = touch(second_path, TAKEN_AWAY);
  if (result >= 0) result = touch_moved(&first, first_path, second_path);
  /* Two may change places. */
  return result >= 0 ? touch_moved(&second, second_path, first_path) : result;
}

/* Both names are of one file afterwards: whoever writes by the new one changes what is at the old. */
static long touch_linked(int pid, const uint64_t *a) {
  const int follow = (a[4] & AT_SYMLINK_FOLLOW) != 0;
  long result = touch_status(pid, a[0], a[1], follow);
  close_place(&first);
  first.base = -1;
  return result < 0 ? result : touch_entry(pid, a[2], a[3]);
}

static long touch_all(const struct attempt *attempt) {
  uint64_t a[6];
  const int pid = attempt->pid;
  switch (modern(attempt->number, attempt->arguments, a)) {
    case __NR_openat: return touch_opened(pid, a[0], a[1], a[2]);
    case __NR_openat2: {
      struct open_how how = {0};
      if (read_memory(pid, a[2], &how, sizeof how) != sizeof how) return 0;
      return touch_opened(pid, a[0], a[1], how.flags);
    }
    case __NR_mkdirat:
    case __NR_mknodat:
    case __NR_unlinkat: return touch_entry(pid, a[0], a[1]);
    case __NR_symlinkat: return touch_entry(pid, a[1], a[2]);
    case __NR_linkat: return touch_linked(pid, a);
    case __NR_renameat2: return touch_renamed(pid, a);
    case __NR_truncate: return touch_opened(pid, HERE, a[0], O_WRONLY);
    case __NR_fchmodat: return touch_status(pid, a[0], a[1], 1);
    case __NR_fchmodat2:
    case __NR_utimensat: return touch_status(pid, a[0], a[1], !(a[3] & AT_SYMLINK_NOFOLLOW));
    case __NR_fchownat: return touch_status(pid, a[0], a[1], !(a[4] & AT_SYMLINK_NOFOLLOW));
    case __NR_fchmod:
    case __NR_fchown: return touch_status(pid, a[0], 0, 1);
    default: return 0;
  }
}

void begin_recording(const struct recording *how) {
  if (!how->folder) return;
  char start[32];
  recording = how;
  sys(__NR_getrandom, &seed, sizeof seed, 0);
  long result = write_record(start, put_field(start, "codewright journal 1"));
  if (result < 0) die("cannot write the journal in", how->folder, result);
}

long record_call(const struct attempt *attempt) {
  if (!recording) return 0;
  first.base = second.base = -1;
  long result = touch_all(attempt);
  close_place(&first), close_place(&second);
  return result;
}

void record_foreign(void) {
  if (recording) record_state("", &(struct state){'x', 0, 0, "foreign"});
}

void end_recording(void) {
  if (recording) record_state("", &(struct state){'e', 0, 0, 0});
  recording = 0;
}
