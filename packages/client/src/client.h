/*
 * The thin client: what an agent runs before and after what it does. It hands one event to the daemon and prints the
 * answer. POSIX only, no library beside libc, no knowledge of any host: what depends on one stands in the table that
 * `hookline install` writes beside this program.
 */
#ifndef HOOKLINE_CLIENT_H
#define HOOKLINE_CLIENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- bytes.c ---- */

/* Bytes that grow. `data` is NULL while `length` is 0. */
struct bytes {
  unsigned char *data;
  size_t length;
  size_t room;
};

/* Not more than this is read from anybody. */
#define MOST_BYTES ((size_t)256 * 1024 * 1024)

/* 0, or -1 where there is no memory or the bytes would be more than MOST_BYTES. */
int bytes_add(struct bytes *to, const void *data, size_t length);
int bytes_text(struct bytes *to, const char *text);
/* With its length in front, four bytes, the highest first. */
int bytes_field(struct bytes *to, const void *data, size_t length);

/* Milliseconds of a clock that nobody sets. */
int64_t now_ms(void);
/* Milliseconds that are left until then, at most `most`; 0 when it is over. */
int left_ms(int64_t until, int most);
/* Reads to the end. 0, or -1 on an error, when the time is over or when there is too much. */
int read_all(int descriptor, struct bytes *into, int64_t until);
/* Writes all, also to what does not block. 0 or -1. */
int write_all(int descriptor, const void *data, size_t length, int64_t until);

/* ---- frame.c: as in packages/hookline/src/daemon/frame.ts ---- */

enum { FRAME_CALL = 1, FRAME_ANSWER = 2, FRAME_DECLINE = 3, FRAME_WORKING = 4 };
#define FRAME_HEADER 8
#define FRAME_LONGEST ((uint32_t)64 * 1024 * 1024)

/* Puts a header in front of a body of that length. */
void frame_header(unsigned char header[FRAME_HEADER], int kind, uint32_t length);
/* The kind of frame that begins so, and the length of its body; -1 for what is no frame. */
int frame_begins(const unsigned char header[FRAME_HEADER], uint32_t *length);

/* What the daemon answers: pointers into the body. */
struct answer {
  int exit;
  const unsigned char *out;
  size_t out_length;
  const unsigned char *errors;
  size_t errors_length;
};
/* 0, or -1 for a body that is cut off or is no answer. */
int answer_in(const unsigned char *body, size_t length, struct answer *answer);
/* Whether it is one JSON object by its ends: hosts take anything else for consent. */
int is_object(const unsigned char *text, size_t length);

/* ---- table.c ---- */

/* What `hookline install` has written for this program. Texts point into what was read. */
struct table {
  const char *engine;  /* the name of the engine, by which the daemon knows whether it is the same */
  const char *node;    /* Node as it was when it was installed */
  const char *program; /* what Node runs */
  const char *socket;  /* of the daemon; empty: there is none to be used */
  int wait_ms;         /* after this, the call is over: below what the host waits */
  int exit;            /* how a refusal or a warning is said to this host at this event … */
  const char *words;   /* … with @reason@ in it; NULL: on standard error */
};
/* Reads the table for one host and event; changes the text. 0, or -1 when it is none. */
int table_read(char *text, const char *host, const char *event, struct table *table);

/* ---- daemon.c, dispatch.c ---- */

struct call {
  const char *host;
  const char *event;
  struct table table;
  struct bytes payload;
  char *cwd; /* NULL: it is gone */
  int64_t until;
};

/* What is to be printed. */
struct reply {
  int exit;
  struct bytes out;
  struct bytes errors;
};

/* Whether the daemon has answered. Otherwise nothing of the call has happened that may not happen again. */
int ask_daemon(struct call *call, struct reply *reply);
/* Runs `node … dispatch`. NULL when it has answered, else why not. */
const char *run_dispatch(struct call *call, struct reply *reply);
/* For a process that is about to become Node: takes away what would run code in it before ours. A project can set
   variables for its agent (.env, settings), and must not run anything in front of the guards. */
void drop_loaders(void);
/* The Node to use: that of the installation, else one in the PATH that does not lie where the agent works. NULL: none. */
const char *find_node(const struct call *call);

#endif
