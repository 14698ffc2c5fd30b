#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* A daemon that says nothing for so long is wedged: it says once a second that it is at work. */
#define SILENCE_MS 4000
/* So often it is looked whether a silent daemon can say anything at all. */
#define LOOK_MS 250
/* So long a daemon may take to start, before the call is answered without it. */
#define START_MS 3000

/* WEDGED: it takes calls and says nothing. USELESS: it cannot answer this one. */
enum outcome { ANSWERED, NONE, OTHER_ENGINE, WEDGED, USELESS };

static int is_own(int connection) {
#ifdef SO_PEERCRED
  struct ucred peer;
  socklen_t length = sizeof peer;
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
#else
  uid_t user;
  gid_t group;
  return getpeereid(connection, &user, &group) == 0 && user == geteuid();
#endif
}

/* Whether the process at the other end is stopped, where the system shows it: such a daemon says nothing until somebody lets it go on. */
static int is_stopped(int connection) {
#ifdef SO_PEERCRED
  struct ucred peer;
  socklen_t length = sizeof peer;
  char path[32], text[512];
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return 0;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)peer.pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t got = read(file, text, sizeof text - 1);
  close(file);
  if (got <= 0) return 0;
  text[got] = 0;
  /* `<pid> (<name>) <state>`, and a name may hold anything. */
  const char *name_ends = strrchr(text, ')');
  return name_ends && name_ends[1] == ' ' && (name_ends[2] == 'T' || name_ends[2] == 't');
#else
  (void)connection;
  return 0;
#endif
}

/* Never waits: a daemon whose queue is full is wedged. */
static int open_connection(const char *path, enum outcome *why) {
  struct sockaddr_un address;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  *why = USELESS;
  if (strlen(path) >= sizeof address.sun_path) return -1;
  strcpy(address.sun_path, path);
  int connection = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connection < 0) return -1;
  fcntl(connection, F_SETFD, FD_CLOEXEC);
  fcntl(connection, F_SETFL, O_NONBLOCK);
  if (connect(connection, (struct sockaddr *)&address, sizeof address) == 0) {
    if (is_own(connection)) return connection;
  } else if (errno == EAGAIN) {
    *why = WEDGED;
  } else if (errno == ENOENT || errno == ECONNREFUSED || errno == ENOTSOCK) {
    *why = NONE;
  }
  close(connection);
  return -1;
}

static int call_body(const struct call *call, struct bytes *body) {
  char deadline[16], mode[16], place[64];
  struct stat here;
  if (stat(".", &here) != 0) return -1;
  mode_t mask = umask(077);
  umask(mask);
  snprintf(deadline, sizeof deadline, "%d", left_ms(call->until, 999999999));
  snprintf(mode, sizeof mode, "%o", (unsigned)mask);
  snprintf(place, sizeof place, "%llu:%llu", (unsigned long long)here.st_dev, (unsigned long long)here.st_ino);
  struct bytes variables = {0};
  for (char **each = environ; *each; each++)
    if (bytes_add(&variables, *each, strlen(*each) + 1)) return -1;
  const char *texts[] = {call->table.engine, call->host, call->event, deadline, call->cwd, place, mode};
  for (size_t at = 0; at < sizeof texts / sizeof *texts; at++)
    if (bytes_field(body, texts[at], strlen(texts[at]))) return -1;
  return bytes_field(body, variables.data, variables.length) ||
                 bytes_field(body, call->payload.data, call->payload.length)
             ? -1
             : 0;
}

/* Exactly so many bytes; -1 when they do not come, -2 when nothing comes for too long. */
static int receive(int connection, unsigned char *into, size_t length, int64_t until) {
  int64_t silent = now_ms() + SILENCE_MS;
  while (length > 0) {
    struct pollfd ready = {.fd = connection, .events = POLLIN};
    int64_t most = until < silent ? until : silent;
    int found = poll(&ready, 1, left_ms(most, LOOK_MS));
    if (found < 0 && errno == EINTR) continue;
    if (found < 0) return -1;
    if (found == 0 && (now_ms() >= most || is_stopped(connection))) return -2;
    if (found == 0) continue;
    ssize_t got = read(connection, into, length);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return -1;
    silent = now_ms() + SILENCE_MS;
    into += got;
    length -= (size_t)got;
  }
  return 0;
}

static enum outcome exchange(int connection, const struct call *call, struct reply *reply) {
  struct bytes frame = {0};
  unsigned char header[FRAME_HEADER] = {0};
  if (bytes_add(&frame, header, sizeof header) || call_body(call, &frame)) return USELESS;
  if (frame.length - FRAME_HEADER > FRAME_LONGEST) return USELESS;
  frame_header(frame.data, FRAME_CALL, (uint32_t)(frame.length - FRAME_HEADER));
  int64_t sent = now_ms() + SILENCE_MS;
  if (write_all(connection, frame.data, frame.length, sent < call->until ? sent : call->until)) return USELESS;
  free(frame.data);

  for (;;) {
    uint32_t length;
    int missing = receive(connection, header, sizeof header, call->until);
    if (missing) return missing == -2 ? WEDGED : USELESS;
    int kind = frame_begins(header, &length);
    if (kind != FRAME_ANSWER && kind != FRAME_DECLINE && kind != FRAME_WORKING) return USELESS;
    unsigned char *body = malloc((size_t)length + 1);
    if (!body || receive(connection, body, length, call->until)) return USELESS;
    if (kind == FRAME_DECLINE) return length == 6 && memcmp(body, "engine", 6) == 0 ? OTHER_ENGINE : USELESS;
    struct answer answer;
    if (kind == FRAME_ANSWER) {
      if (answer_in(body, length, &answer)) return USELESS;
      reply->exit = answer.exit;
      return bytes_add(&reply->out, answer.out, answer.out_length) ||
                     bytes_add(&reply->errors, answer.errors, answer.errors_length)
                 ? USELESS
                 : ANSWERED;
    }
    free(body);
  }
}

static enum outcome attempt(const struct call *call, struct reply *reply) {
  enum outcome outcome;
  int connection = open_connection(call->table.socket, &outcome);
  if (connection < 0) return outcome;
  outcome = exchange(connection, call, reply);
  close(connection);
  return outcome;
}

/* One client at a time starts a daemon: whoever holds this file. -1: another one does; -2: there can be no such file. */
static int take_turn(const char *socket) {
  char path[sizeof(struct sockaddr_un) + 16];
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (snprintf(path, sizeof path, "%s.start", socket) >= (int)sizeof path) return -2;
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return -2;
  if (fcntl(file, F_SETLK, &whole) == 0) return file;
  int is_held = errno == EACCES || errno == EAGAIN;
  close(file);
  return is_held ? -1 : -2;
}

/* In a session of its own, with nothing of ours but a pipe: a byte in it says that it listens, its end that it failed. It
   is waited for until then. */
static int start(const struct call *call, const char *node, int64_t until) {
  int ready[2];
  if (pipe(ready)) return -1;
  pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, 0);
    dup2(nothing, 1);
    dup2(nothing, 2);
    if (ready[1] != 3) dup2(ready[1], 3);
    for (int each = 4; each < 256; each++) close(each);
    if (chdir("/") != 0) _exit(127);
    drop_loaders();
    execl(node, node, call->table.program, "daemon", "--ready-fd", "3", (char *)NULL);
    _exit(127);
  }
  close(ready[1]);
  while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
  unsigned char byte = 0;
  int is_ready = child > 0 && receive(ready[0], &byte, 1, until) == 0;
  close(ready[0]);
  return is_ready ? 0 : -1;
}

int ask_daemon(struct call *call, struct reply *reply) {
  if (!*call->table.socket || !call->cwd) return 0;
  int64_t until = now_ms() + START_MS;
  if (until > call->until) until = call->until;
  for (;;) {
    enum outcome outcome = attempt(call, reply);
    if (outcome == ANSWERED || outcome == USELESS) return outcome == ANSWERED;
    const char *node = find_node(call);
    if (outcome == WEDGED) {
      /* This call has waited enough; the next ones find another daemon. */
      if (node) start(call, node, now_ms());
      return 0;
    }
    int turn = node ? take_turn(call->table.socket) : -2;
    if (turn >= 0) {
      /* Somebody may have started it before it was our turn. */
      outcome = attempt(call, reply);
      int started = (outcome == NONE || outcome == OTHER_ENGINE) && start(call, node, until) == 0;
      if (started) outcome = attempt(call, reply);
      close(turn);
      return outcome == ANSWERED;
    }
    if (turn == -2 || now_ms() >= until) return 0;
    poll(NULL, 0, 5);
  }
}
