/* Preloaded into a process, makes its clock jump by days, forwards and backwards, every 300 ms. Time since the start of the machine goes on as it does. */

#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long jump(void) {
  struct timespec since;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &since);
  long count = (since.tv_sec * 10 + since.tv_nsec / 100000000) / 3;
  return (count % 2 ? 1 : -1) * (count % 7) * 86400;
}

int clock_gettime(clockid_t which, struct timespec *now) {
  int result = syscall(SYS_clock_gettime, which, now);
  if (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE) now->tv_sec += jump();
  return result;
}

int gettimeofday(struct timeval *now, void *zone) {
  struct timespec exact;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *now) {
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  if (now) *now = exact.tv_sec;
  return exact.tv_sec;
}
