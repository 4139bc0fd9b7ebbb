/* Where a program may write, besides what mounts say. */
#pragma once

enum { MOST_PLACES = 128 };
struct places {
  const char *paths[MOST_PLACES];
  int count;
};

/* For this process and all that it starts. Does nothing where there are no places, or no Landlock. */
void write_only_in(const struct places *places);
