/* Sockets that wait at a port: see loopback.h. */
#include "loopback.h"
#include "sys.h"

static char *put_port(char *to, unsigned port) {
  *to++ = ':';
  for (int shift = 12; shift >= 0; shift -= 4) *to++ = "0123456789ABCDEF"[port >> shift & 15];
  return to;
}

static int holds(const char *text, size_t length, const char *wanted, size_t wanted_length) {
  for (size_t at = 0; at + wanted_length <= length; at++) {
    size_t same_count = 0;
    while (same_count < wanted_length && text[at + same_count] == wanted[same_count]) same_count++;
    if (same_count == wanted_length) return 1;
  }
  return 0;
}

/* Whether a list of sockets such as /proc/self/net/tcp holds one that waits at this port for whoever comes. */
static int is_listed(const char *list, unsigned port, const char *nobody, const char *state) {
  static char text[4096];
  char wanted[64];
  size_t length = (size_t)(put_text(put_text(put_port(wanted, port), nobody), state) - wanted), kept = 0;
  long fd = sys(__NR_openat, AT_FDCWD, list, O_RDONLY | O_CLOEXEC), count;
  int found = 0;
  while (fd >= 0 && !found && (count = sys(__NR_read, fd, text + kept, sizeof text - kept)) > 0) {
    const size_t filled = kept + (size_t)count;
    found = holds(text, filled, wanted, length);
    kept = filled < length ? filled : length;
    for (size_t i = 0; i < kept; i++) text[i] = text[filled - kept + i];
  }
  sys(__NR_close, fd);
  return found;
}

static int is_served(unsigned port) {
  static const char nobody[] = " 00000000:0000 ", nobody6[] = " 00000000000000000000000000000000:0000 ";
  static const char listening[] = "0A", unconnected[] = "07";
  return is_listed("/proc/self/net/tcp", port, nobody, listening) ||
         is_listed("/proc/self/net/tcp6", port, nobody6, listening) ||
         is_listed("/proc/self/net/udp", port, nobody, unconnected) ||
         is_listed("/proc/self/net/udp6", port, nobody6, unconnected);
}

int is_worth_telling(unsigned port) {
  enum { MOST_PORTS = 64 };
  static unsigned seen[MOST_PORTS];
  static int count;
  for (int i = 0; i < count; i++)
    if (seen[i] == port) return 0;
  if (count == MOST_PORTS) return 0;
  seen[count++] = port;
  return !is_served(port);
}
