/* Paths as a caller gave them to a system call, and the calls that take them. */
#pragma once

#include "watch.h"
#include <stdint.h>

enum { MOST_PATH = 4096, MOST_NAME = 256, MOST_LINKS = 8 };

#define HERE ((uint64_t)AT_FDCWD)

/* A path as the caller gave it, and the folder it starts from. */
struct place {
  long base;
  char path[MOST_PATH];
};

/* Reads only the path. Returns 0 if that does not work. */
int read_place(struct place *place, int pid, uint64_t pointer);
/* Reads a path and opens the folder it starts from. Returns 0 if either does not work. */
int take_place(struct place *place, int pid, uint64_t folder, uint64_t pointer);

void close_place(const struct place *place);

/* Opens the folder in which the last part of a path lies, and copies that part. Fails if it is not a name. */
long parent_of(const struct place *place, char *name);

/* The older calls are short for newer ones: the number of the newer one, and its arguments. */
long modern(long number, const uint64_t *given, uint64_t *arguments);
