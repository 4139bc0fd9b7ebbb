/* The mounts of a sandbox: see view.h.
 *
 * The process is in a mount namespace of its own, a copy of the one outside. What is placed somewhere is taken as a
 * tree before anything changes, so that every source is meant as it is outside, whatever covers it later. */
#include "view.h"
#include <linux/mount.h>
#include <linux/openat2.h>
#include <linux/stat.h>

/* From sys/mount.h, which is not used here. */
enum { NO_SUID = 2, NO_DEVICES = 4, NO_EXECUTE = 8, READ_ONLY = 1, PRIVATE = 1 << 18 };
enum { WHOLE = 0x8000 /* AT_RECURSIVE */ };

int take_mount(struct view *view, struct arguments *arguments, const char *option) {
  struct mount mount = {.tree = -1};
  if (same(option, "--writable")) mount.kind = WRITABLE;
  else if (same(option, "--readable")) mount.kind = READABLE;
  else if (same(option, "--sealed")) mount.kind = SEALED;
  else if (same(option, "--empty")) mount.kind = EMPTY;
  else return 0;
  if (view->count == MOST_MOUNTS) die("more mounts than confine can keep", 0, 0);
  if (mount.kind != EMPTY) mount.from = value_of(arguments, option);
  mount.path = value_of(arguments, option);
  view->mounts[view->count++] = mount;
  return 1;
}

static void set_attributes(const char *path, uint64_t set, uint64_t propagation, int flags) {
  struct mount_attr attributes = {.attr_set = set, .propagation = propagation};
  long result = sys(__NR_mount_setattr, AT_FDCWD, path, flags, &attributes, sizeof attributes);
  if (result < 0) die("cannot change the mount at", path, result);
}

/* ---- trees ---- */

static long tree_at(const char *path) {
  return sys(__NR_open_tree, AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | WHOLE);
}

static void take_tree(struct mount *mount) {
  mount->tree = tree_at(mount->from);
  /* What is gone meanwhile must not keep a program from running that does not need it. */
  if (mount->tree == -ENOENT && mount->kind != SEALED) return;
  if (mount->tree < 0) die("cannot take", mount->from, mount->tree);
}

static int is_folder(long fd) {
  struct statx found;
  return sys(__NR_statx, fd, "", AT_EMPTY_PATH, STATX_TYPE, &found) == 0 && (found.stx_mode & S_IFMT) == S_IFDIR;
}

/* ---- places ---- */

static long look(long folder, const char *name) {
  /* A link could lead elsewhere with the next look. */
  struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
  return sys(__NR_openat2, folder, name, &how, sizeof how);
}

static long made(long folder, const char *name, int as_folder) {
  long result = as_folder ? sys(__NR_mkdirat, folder, name, 0755)
                          : sys(__NR_openat, folder, name, O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);
  if (!as_folder && result >= 0) sys(__NR_close, result);
  return result < 0 && result != -EEXIST ? result : look(folder, name);
}

/* Opens what a tree is to be placed on, and makes it where it is missing, as in a folder that is empty inside. */
static long place_at(const char *path, long tree) {
  long found = look(AT_FDCWD, path);
  if (found != -ENOENT) return found;
  const int as_folder = is_folder(tree);
  char name[256];
  long folder = look(AT_FDCWD, "/");
  for (const char *at = path; folder >= 0;) {
    while (*at == '/') at++;
    size_t length = 0;
    while (at[length] && at[length] != '/' && length < sizeof name - 1) name[length] = at[length], length++;
    name[length] = 0;
    at += length;
    long next = look(folder, name);
    if (next == -ENOENT) next = made(folder, name, *at == '/' || as_folder);
    sys(__NR_close, folder);
    if (!*at) return next;
    folder = next;
  }
  return folder;
}

/* Trees stay open until all descriptors are closed at once. */
static void put(long tree, const char *path) {
  long place = place_at(path, tree);
  if (place < 0) die("cannot find a place for", path, place);
  long result = sys(__NR_move_mount, tree, "", place, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
  if (result < 0) die("cannot place", path, result);
  sys(__NR_close, place);
}

static void mount_new(const char *kind, const char *path, unsigned flags, const char *options) {
  long result = sys(__NR_mount, kind, path, kind, flags, options);
  if (result < 0) die("cannot mount", path, result);
}

/* A folder in memory, with nothing in it. */
static long empty_tree(void) {
  long context = sys(__NR_fsopen, "tmpfs", FSOPEN_CLOEXEC);
  sys(__NR_fsconfig, context, FSCONFIG_SET_STRING, "mode", "0755", 0);
  long result = sys(__NR_fsconfig, context, FSCONFIG_CMD_CREATE, 0, 0, 0);
  if (result == 0) result = sys(__NR_fsmount, context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
  if (result < 0) die("cannot make an empty folder", 0, result);
  sys(__NR_close, context);
  return result;
}

/* ---- devices ---- */

static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"};
enum { DEVICES = sizeof devices / sizeof *devices };

/* The folder is new, and nobody else sees it: what is in it can be named without a look at it. */
static void make_devices(const long *trees) {
  static const char *const links[][2] = {{"/proc/self/fd", "fd"},       {"/proc/self/fd/0", "stdin"},
                                         {"/proc/self/fd/1", "stdout"}, {"/proc/self/fd/2", "stderr"},
                                         {"/proc/kcore", "core"},       {"pts/ptmx", "ptmx"}};
  mount_new("tmpfs", "/dev", NO_SUID | NO_DEVICES, "mode=0755");
  long folder = look(AT_FDCWD, "/dev");
  for (int i = 0; i < DEVICES; i++) {
    const char *name = devices[i] + length_of("/dev/");
    if (trees[i] < 0) continue;
    long result = sys(__NR_mknodat, folder, name, S_IFREG | 0444, 0);
    if (result == 0) result = sys(__NR_move_mount, trees[i], "", folder, name, MOVE_MOUNT_F_EMPTY_PATH);
    if (result < 0) die("cannot place", devices[i], result);
  }
  for (size_t i = 0; i < sizeof links / sizeof *links; i++) sys(__NR_symlinkat, links[i][0], folder, links[i][1]);
  sys(__NR_mkdirat, folder, "shm", 0755);
  sys(__NR_mkdirat, folder, "pts", 0755);
  mount_new("devpts", "/dev/pts", NO_SUID | NO_EXECUTE, "newinstance,ptmxmode=0666,mode=620");
}

void make_view(struct view *view) {
  long trees[DEVICES];
  /* Programs could not use them any more after the next step. */
  for (int i = 0; i < DEVICES; i++) {
    trees[i] = tree_at(devices[i]);
    if (trees[i] < 0 && trees[i] != -ENOENT) die("cannot take", devices[i], trees[i]);
  }
  /* What is mounted outside from now on must not appear inside, where it would be writable. */
  set_attributes("/", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, PRIVATE, WHOLE);
  for (int i = 0; i < view->count; i++)
    if (view->mounts[i].kind == WRITABLE) take_tree(&view->mounts[i]);
  set_attributes("/", MOUNT_ATTR_RDONLY, 0, WHOLE);
  for (int i = 0; i < view->count; i++)
    if (view->mounts[i].kind == READABLE || view->mounts[i].kind == SEALED) take_tree(&view->mounts[i]);

  make_devices(trees);
  /* Files of /proc that belong to root could be written by root although it has no privileges inside. */
  if (!view->shows_processes) mount_new("proc", "/proc", NO_SUID | NO_DEVICES | NO_EXECUTE | READ_ONLY, 0);
  for (int i = 0; i < view->count; i++) {
    const struct mount *mount = &view->mounts[i];
    if (mount->kind == EMPTY) put(empty_tree(), mount->path);
    else if (mount->tree >= 0) put(mount->tree, mount->path);
  }
  /* Only now: the places for other mounts had to be made in them. */
  for (int i = 0; i < view->count; i++)
    if (view->mounts[i].kind == EMPTY) set_attributes(view->mounts[i].path, MOUNT_ATTR_RDONLY, 0, 0);
}
