/* `confine keep`: the only way out of a network namespace that has nothing but loopback.
 *
 * Each port is a pair of listeners, one for IPv4 and one for IPv6. Each connection to it becomes a connection to the
 * unix socket behind it, and bytes pass both ways until both ends are done. One loop over poll does all of it: nothing
 * here ever waits for a single connection. */
#include "sys.h"
#include <asm/poll.h>
#include <asm/socket.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/mman.h>
#include <linux/resource.h>
#include <linux/un.h>

enum { UNIX = 1, INET = 2, INET6 = 10 };
enum { STREAM = 1, CLOSE_ON_EXEC = O_CLOEXEC, NO_WAIT = O_NONBLOCK };
enum { STOP_WRITING = 1, NO_SIGNAL = 0x4000 };
enum { GET_FLAGS = 0x8913 /* SIOCGIFFLAGS */, SET_FLAGS = 0x8914 /* SIOCSIFFLAGS */, UP = 1 /* IFF_UP */ };

enum { MOST_DOORS = 32, MOST_LINKS = 512, HELD = 65536, MOST_ROUNDS = 4, RETRY_MS = 20 };

/* A port and the unix socket it leads to. */
struct door {
  int listeners[2];
  struct sockaddr_un target;
};

/* One direction of a connection: read from one end and not yet written to the other. */
struct stream {
  unsigned from, to;
  char finished, passed_on;
  char bytes[HELD];
};

/* A connection: end 0 is the program inside, end 1 the unix socket. Stream 0 flows from end 0 to end 1. */
struct link {
  char used, connected;
  const struct door *door;
  int ends[2];
  struct stream streams[2];
};

static struct door doors[MOST_DOORS];
static struct link *links;
static int door_count;
/* No more connections are accepted until one ends; they wait in the queue of the listener. */
static int is_full;

static int socket_of(int family) {
  return (int)sys(__NR_socket, family, STREAM | CLOSE_ON_EXEC | NO_WAIT, 0);
}

static void bring_loopback_up(void) {
  struct {
    char name[16];
    short flags;
    char rest[22];
  } request = {.name = "lo"};
  long fd = socket_of(INET);
  if (fd < 0) die("cannot make a socket", 0, fd);
  long result = sys(__NR_ioctl, fd, GET_FLAGS, &request);
  if (result == 0 && !(request.flags & UP)) {
    request.flags |= UP;
    result = sys(__NR_ioctl, fd, SET_FLAGS, &request);
  }
  if (result < 0) die("cannot bring the loopback interface up", 0, result);
  sys(__NR_close, fd);
}

static long listen_on(int fd, const void *address, size_t length) {
  int yes = 1;
  sys(__NR_setsockopt, fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  long result = sys(__NR_bind, fd, address, length);
  return result < 0 ? result : sys(__NR_listen, fd, 4096);
}

static uint16_t network_order(uint16_t number) { return (uint16_t)(number << 8 | number >> 8); }

static void open_door(const char *port_text, const char *path) {
  if (door_count == MOST_DOORS) die("more ports than confine can keep", 0, 0);
  struct door *door = &doors[door_count++];
  uint16_t port = network_order((uint16_t)number_from(port_text, "port", 65535));
  if (length_of(path) >= sizeof door->target.sun_path) die("the path of the socket is too long:", path, 0);
  door->target.sun_family = UNIX;
  memcpy(door->target.sun_path, path, length_of(path) + 1);

  struct sockaddr_in inet = {.sin_family = INET, .sin_port = port, .sin_addr = {__builtin_bswap32(0x7f000001)}};
  door->listeners[0] = socket_of(INET);
  long result = door->listeners[0] < 0 ? door->listeners[0] : listen_on(door->listeners[0], &inet, sizeof inet);
  if (result < 0) die("cannot listen on port", port_text, result);

  /* There are machines without IPv6; programs on them do not miss it. */
  struct sockaddr_in6 inet6 = {.sin6_family = INET6, .sin6_port = port};
  inet6.sin6_addr.in6_u.u6_addr8[15] = 1;
  door->listeners[1] = socket_of(INET6);
  if (door->listeners[1] >= 0 && listen_on(door->listeners[1], &inet6, sizeof inet6) < 0) {
    sys(__NR_close, door->listeners[1]);
    door->listeners[1] = -1;
  }
}

static void end_link(struct link *link) {
  for (int end = 0; end < 2; end++)
    if (link->ends[end] >= 0) sys(__NR_close, link->ends[end]);
  link->used = 0;
  is_full = 0;
}

static int would_wait(long result) { return result == -EAGAIN || result == -EINTR; }

/* A connection to a unix socket is made at once, refused, or the queue behind the socket is full: then it is tried
 * again, without keeping the others waiting. */
static void connect_link(struct link *link) {
  if (link->ends[1] < 0) link->ends[1] = socket_of(UNIX);
  long result = link->ends[1] < 0 ? link->ends[1]
                                  : sys(__NR_connect, link->ends[1], &link->door->target, sizeof link->door->target);
  if (result == 0) link->connected = 1;
  else if (!would_wait(result)) end_link(link);
}

static void accept_links(const struct door *door, int listener) {
  for (;;) {
    struct link *link = links;
    while (link < links + MOST_LINKS && link->used) link++;
    is_full = link == links + MOST_LINKS;
    if (is_full) return;
    int fd = (int)sys(__NR_accept4, listener, 0, 0, CLOSE_ON_EXEC | NO_WAIT);
    if (fd == -EMFILE || fd == -ENFILE) is_full = 1;
    if (fd < 0) return;
    link->used = 1, link->connected = 0, link->door = door;
    link->ends[0] = fd, link->ends[1] = -1;
    for (int i = 0; i < 2; i++) {
      struct stream *stream = &link->streams[i];
      stream->from = stream->to = 0, stream->finished = stream->passed_on = 0;
    }
    connect_link(link);
  }
}

/* An end that no longer takes anything: what is left for it is lost, but what it said before still has to arrive. */
static void give_up(struct stream *stream) {
  stream->from = stream->to = 0;
  stream->finished = stream->passed_on = 1;
}

static void pump(struct stream *stream, int source, int sink) {
  for (int round = 0; round < MOST_ROUNDS; round++) {
    /* A buffer is written out whole before it is filled again: what one end does not take, the other cannot send. */
    while (stream->from < stream->to) {
      long written = sys(__NR_sendto, sink, stream->bytes + stream->from, stream->to - stream->from, NO_SIGNAL, 0, 0);
      if (would_wait(written)) return;
      if (written < 0) return give_up(stream);
      stream->from += (unsigned)written;
    }
    if (stream->finished) {
      if (!stream->passed_on) sys(__NR_shutdown, sink, STOP_WRITING);
      stream->passed_on = 1;
      return;
    }
    long count = sys(__NR_read, source, stream->bytes, HELD);
    if (would_wait(count)) return;
    stream->from = 0, stream->to = count > 0 ? (unsigned)count : 0;
    stream->finished = count <= 0;
  }
}

static void serve(struct link *link) {
  if (!link->connected) connect_link(link);
  if (!link->used || !link->connected) return;
  struct stream *out = &link->streams[0], *in = &link->streams[1];
  pump(out, link->ends[0], link->ends[1]);
  pump(in, link->ends[1], link->ends[0]);
  if (out->passed_on && in->passed_on) end_link(link);
}

/* What an end has to be waited for. */
static short wanted(const struct link *link, int end) {
  const struct stream *read = &link->streams[end], *write = &link->streams[1 - end];
  short events = 0;
  if (!read->finished && read->from == read->to) events |= POLLIN;
  if (write->from < write->to || write->finished != write->passed_on) events |= POLLOUT;
  return events;
}

static void wait_and_serve(void) {
  static struct pollfd polled[1 + 2 * MOST_DOORS + 2 * MOST_LINKS];
  static struct link *owners[2 * MOST_LINKS];
  unsigned count = 0;
  int is_waiting = 0;
  polled[count++] = (struct pollfd){0, POLLIN, 0};
  for (int i = 0; i < 2 * door_count; i++)
    polled[count++] = (struct pollfd){is_full ? -1 : doors[i / 2].listeners[i % 2], POLLIN, 0};
  const unsigned first = count;
  for (struct link *link = links; link < links + MOST_LINKS; link++) {
    if (link->used && !link->connected) is_waiting = 1;
    for (int end = 0; link->used && link->connected && end < 2; end++) {
      short events = wanted(link, end);
      /* An end that nothing is wanted from is left out, or poll would report again and again that it has closed. */
      if (!events) continue;
      owners[count - first] = link;
      polled[count++] = (struct pollfd){link->ends[end], events, 0};
    }
  }
  struct {
    long seconds, nanoseconds;
  } pause = {0, RETRY_MS * 1000000};
  if (sys(__NR_ppoll, polled, count, is_waiting ? &pause : 0, 0, 0) < 0) return;

  for (unsigned i = first; i < count; i++)
    if (polled[i].revents && owners[i - first]->used) serve(owners[i - first]);
  for (struct link *link = links; is_waiting && link < links + MOST_LINKS; link++)
    if (link->used && !link->connected) serve(link);
  for (int i = 0; i < 2 * door_count; i++)
    if (polled[1 + i].revents) accept_links(&doors[i / 2], doors[i / 2].listeners[i % 2]);

  char ignored[256];
  if (!polled[0].revents) return;
  long said = sys(__NR_read, 0, ignored, sizeof ignored);
  if (said <= 0 && !would_wait(said)) leave(0);
}

_Noreturn void keep(struct arguments arguments) {
  const char *path = value_of(&arguments, "keep");
  const char *port = value_of(&arguments, "keep SOCKET");
  struct rlimit64 files;
  if (sys(__NR_prlimit64, 0, RLIMIT_NOFILE, 0, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    sys(__NR_prlimit64, 0, RLIMIT_NOFILE, &files, 0);
  }
  /* Pages that no connection has used yet cost nothing. */
  long memory = sys(__NR_mmap, 0, sizeof *links * MOST_LINKS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory < 0) die("cannot get memory", 0, memory);
  links = (struct link *)memory;
  bring_loopback_up();
  open_door(port, path);
  for (char *pair; (pair = *arguments.next); arguments.next++) {
    char *colon = pair;
    while (*colon && *colon != ':') colon++;
    if (!*colon) die("PORT:SOCKET is expected instead of", pair, 0);
    *colon = 0;
    open_door(pair, colon + 1);
  }
  sys(__NR_write, 1, "ready\n", 6);
  for (;;) wait_and_serve();
}
