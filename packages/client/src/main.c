#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The last resort, whatever waits for whatever: the host must not lose its patience first. */
static void out_of_time(int signal) {
  static const char words[] = "Hookline took too long, so this is refused.\n";
  (void)signal;
  if (write(2, words, sizeof words - 1) < 0) _exit(2);
  _exit(2);
}

static void add_escaped(struct bytes *to, const char *text) {
  for (; *text; text++) {
    char escaped[8];
    unsigned char byte = (unsigned char)*text;
    if (byte == '"' || byte == '\\') snprintf(escaped, sizeof escaped, "\\%c", byte);
    else if (byte < 0x20) snprintf(escaped, sizeof escaped, "\\u%04x", byte);
    else snprintf(escaped, sizeof escaped, "%c", byte);
    bytes_text(to, escaped);
  }
}

/* In the host's words where the table has some, else on standard error: the line that runs us makes the rest of it. */
static int fail(const struct call *call, const char *why) {
  struct bytes reason = {0}, said = {0};
  bytes_text(&reason, "Hookline cannot run: ");
  bytes_text(&reason, why);
  bytes_text(&reason, " Repair it: npx hookline install ");
  bytes_text(&reason, call->host);
  bytes_add(&reason, "", 1);
  const char *words = call->table.words;
  const char *at = words ? strstr(words, "@reason@") : NULL;
  if (!at) {
    fprintf(stderr, "%s\n", reason.data ? (char *)reason.data : why);
    return 2;
  }
  bytes_add(&said, words, (size_t)(at - words));
  add_escaped(&said, (char *)reason.data);
  bytes_text(&said, at + strlen("@reason@"));
  fprintf(stderr, "%s\n", (char *)reason.data);
  return write_all(1, said.data, said.length, call->until + 500) ? 2 : call->table.exit;
}

/* Everything is there: now, and only now, something is printed. */
static int say(const struct call *call, const struct reply *reply) {
  int64_t until = call->until + 500;
  if (write_all(1, reply->out.data, reply->out.length, until)) return 2;
  write_all(2, reply->errors.data, reply->errors.length, until);
  return reply->exit;
}

/* What `install` has written beside this program. */
static const char *open_table(const char *self, struct call *call) {
  struct bytes path = {0}, text = {0};
  if (bytes_text(&path, self) || bytes_add(&path, ".table", 7)) return "there is no memory.";
  int file = open((char *)path.data, O_RDONLY | O_CLOEXEC);
  if (file < 0) return "its table is gone.";
  int done = read_all(file, &text, now_ms() + 2000);
  close(file);
  if (done || bytes_add(&text, "", 1) || memchr(text.data, 0, text.length - 1)) return "its table cannot be read.";
  return table_read((char *)text.data, call->host, call->event, &call->table) ? "its table is damaged." : NULL;
}

int main(int count, char **words) {
  if (count == 2 && strcmp(words[1], "--protocol") == 0) return puts("hookline-client 1") < 0;
  if (count != 3) {
    fputs("Usage: hookline-hook <host> <event> < payload\n", stderr);
    return 2;
  }
  struct call call = {.host = words[1], .event = words[2], .until = now_ms() + 5000};
  struct reply reply = {0};
  signal(SIGPIPE, SIG_IGN);

  const char *problem = open_table(words[0], &call);
  if (problem) return fail(&call, problem);
  call.until = now_ms() + call.table.wait_ms;
  signal(SIGALRM, out_of_time);
  alarm((unsigned)call.table.wait_ms / 1000 + 2);
  if (read_all(0, &call.payload, call.until)) return fail(&call, "the event did not come whole.");
  call.cwd = getcwd(NULL, 0);

  if (ask_daemon(&call, &reply)) return say(&call, &reply);
  struct reply own = {0};
  problem = run_dispatch(&call, &own);
  return problem ? fail(&call, problem) : say(&call, &own);
}
