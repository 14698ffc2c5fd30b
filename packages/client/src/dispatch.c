#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *find_node(const struct call *call) {
  if (access(call->table.node, X_OK) == 0) return call->table.node;
  const char *path = getenv("PATH");
  size_t here = call->cwd ? strlen(call->cwd) : 0;
  while (path && *path) {
    size_t length = strcspn(path, ":");
    char *found = malloc(length + sizeof "/node");
    if (!found) return NULL;
    memcpy(found, path, length);
    strcpy(found + length, "/node");
    int is_inside = here && strncmp(found, call->cwd, here) == 0 && (here == 1 || found[here] == '/');
    if (found[0] == '/' && !is_inside && access(found, X_OK) == 0) return found;
    free(found);
    path += length + (path[length] == ':');
  }
  return NULL;
}

void drop_loaders(void) {
  static const char *const loaders[] = {
      "NODE_OPTIONS", "NODE_PATH", "NODE_COMPILE_CACHE", "NODE_V8_COVERAGE", "NODE_REDIRECT_WARNINGS",
      "NODE_REPL_EXTERNAL_MODULE", "NODE_CHANNEL_FD", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES",
      "LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH",
      "DYLD_FRAMEWORK_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "DYLD_FALLBACK_FRAMEWORK_PATH"};
  for (size_t at = 0; at < sizeof loaders / sizeof *loaders; at++) unsetenv(loaders[at]);
}

static volatile pid_t working;

static void end_with_child(int signal) {
  (void)signal;
  if (working > 0) kill(working, SIGKILL);
  _exit(2);
}

static pid_t start_node(const struct call *call, const char *node, int in, int out, int errors) {
  pid_t child = fork();
  if (child != 0) return child;
  signal(SIGPIPE, SIG_DFL);
  dup2(in, 0);
  dup2(out, 1);
  dup2(errors, 2);
  for (int each = 3; each < 64; each++) close(each);
  drop_loaders();
  execl(node, node, call->table.program, "dispatch", "--host", call->host, "--event", call->event, (char *)NULL);
  _exit(127);
}

/* Hands over the payload and takes what is printed, until it has ended. 0, or -1 when the time is over. */
static int converse(struct call *call, int in, int out, int errors, struct reply *reply) {
  struct pollfd ends[3] = {{.fd = in, .events = POLLOUT}, {.fd = out, .events = POLLIN}, {.fd = errors, .events = POLLIN}};
  struct bytes *into[3] = {NULL, &reply->out, &reply->errors};
  unsigned char chunk[16 * 1024];
  size_t sent = 0;
  while (ends[1].fd >= 0 || ends[2].fd >= 0) {
    int left = left_ms(call->until, 60000);
    if (left == 0) return -1;
    if (poll(ends, 3, left) < 0 && errno != EINTR) return -1;
    if (ends[0].fd >= 0 && ends[0].revents) {
      ssize_t done = write(in, call->payload.data + sent, call->payload.length - sent);
      if (done > 0) sent += (size_t)done;
      if (sent == call->payload.length || (done < 0 && errno != EAGAIN && errno != EINTR)) {
        close(in);
        ends[0].fd = -1;
      }
    }
    for (int each = 1; each < 3; each++) {
      if (ends[each].fd < 0 || !ends[each].revents) continue;
      ssize_t got = read(ends[each].fd, chunk, sizeof chunk);
      if (got > 0 && bytes_add(into[each], chunk, (size_t)got)) return -1;
      if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) ends[each].fd = -1;
    }
  }
  return 0;
}

const char *run_dispatch(struct call *call, struct reply *reply) {
  const char *node = find_node(call);
  if (!node) return "Node was there when Hookline was installed, and is gone.";
  if (access(call->table.program, R_OK) != 0) return "its engine is gone.";
  int in[2], out[2], errors[2], status;
  if (pipe(in) || pipe(out) || pipe(errors)) return "the system gives it no pipes.";
  fcntl(in[1], F_SETFL, O_NONBLOCK);
  signal(SIGTERM, end_with_child);
  signal(SIGINT, end_with_child);
  signal(SIGHUP, end_with_child);
  working = start_node(call, node, in[0], out[1], errors[1]);
  if (working < 0) return "the system starts no process for it.";
  close(in[0]);
  close(out[1]);
  close(errors[1]);
  int in_time = converse(call, in[1], out[0], errors[0], reply) == 0;
  if (!in_time) kill(working, SIGKILL);
  while (waitpid(working, &status, 0) < 0)
    if (errno != EINTR) return "its process is lost.";
  working = 0;
  if (!in_time) return "it took too long.";
  if (!WIFEXITED(status)) return "its process was killed.";
  reply->exit = WEXITSTATUS(status);
  if (reply->exit == 127 && reply->out.length + reply->errors.length == 0) return "Node cannot be started.";
  if (reply->exit == 0 && !is_object(reply->out.data, reply->out.length)) return "its answer is not one JSON object.";
  return NULL;
}
