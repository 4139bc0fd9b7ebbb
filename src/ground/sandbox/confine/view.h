/* What a program sees of the disk. */
#pragma once

#include "sys.h"

enum { MOST_MOUNTS = 512 };

enum mount_kind { WRITABLE, READABLE, SEALED, EMPTY };
struct mount {
  enum mount_kind kind;
  const char *from, *path;
  long tree;
};
struct view {
  struct mount mounts[MOST_MOUNTS];
  int count;
  /* Whether /proc stays that of the machine. */
  int shows_processes;
};

/* Reads an option that places something; 0 if it is another one. */
int take_mount(struct view *view, struct arguments *arguments, const char *option);

/* Turns the mounts of this process, which must be its own, into the view: everything as it was but read-only, then the
 * mounts in their order. */
void make_view(struct view *view);
