/* The recorder: what a system call is about to change is saved first, so that it can be undone.
 *
 * A journal is a folder with a file of records and the contents that were saved, each named by a number. A content is
 * complete before its record is written, and the record is written before the call goes on. So whoever is killed at
 * whatever moment, everything that was changed has its record. docs/decisions/0147 says what is recorded. */
#pragma once

#include "sys.h"
#include <stdint.h>

struct attempt;

enum { MOST_ROOTS = 32, MOST_EXCEPTED = 32 };

struct root {
  const char *path;
  size_t length;
  int fd;
};

struct recording {
  const char *folder;
  struct root roots[MOST_ROOTS];
  const char *excepted[MOST_EXCEPTED];
  int root_count, excepted_count;
  /* Larger contents are not copied where they cannot be linked or cloned. */
  uint64_t most;
  /* Whether such a content may be lost, or its call fails instead. */
  int keeps_all;
  int journal, records;
};

/* Reads an option about the journal; 0 if it is another one. */
int take_recording(struct recording *recording, struct arguments *arguments, const char *option);

/* Opens the journal and the roots where they are outside, before anything covers them. */
void open_recording(struct recording *recording);
/* Makes its descriptors the next ones after `last`, and returns the last of them. */
int keep_recording(struct recording *recording, int last);

/* Starts with an empty journal; from now on calls can be recorded. */
void begin_recording(const struct recording *recording);

/* Saves what a call would change. An error means that the call must not be made. */
long record_call(const struct attempt *attempt);
/* A program was started whose calls cannot be read. */
void record_foreign(void);
/* Nobody is left who could change something. */
void end_recording(void);
