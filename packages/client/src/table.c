#include "client.h"

#include <stdlib.h>
#include <string.h>

/* What follows a word and a space at the beginning of a line; NULL: the line begins otherwise. */
static char *after(char *line, const char *word) {
  size_t length = strlen(word);
  return strncmp(line, word, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

static char *after_host(char *line, const char *word, const char *host, const char *event) {
  line = after(line, word);
  if (line) line = after(line, host);
  return line ? after(line, event) : NULL;
}

int table_read(char *text, const char *host, const char *event, struct table *table) {
  struct table empty = {0};
  *table = empty;
  table->wait_ms = 0;
  char *next;
  if (strncmp(text, "hookline-client 1\n", 18) != 0) return -1;
  for (char *line = text + 18; *line; line = next) {
    char *end = strchr(line, '\n');
    if (!end) return -1;
    *end = 0;
    next = end + 1;
    char *value;
    if ((value = after(line, "engine"))) table->engine = value;
    else if ((value = after(line, "node"))) table->node = value;
    else if ((value = after(line, "program"))) table->program = value;
    else if ((value = after(line, "socket"))) table->socket = value;
    else if ((value = after(line, "wait"))) {
      char *own = after_host(line, "wait", host, event);
      if (own) table->wait_ms = atoi(own);
      else if (!table->wait_ms && *value >= '0' && *value <= '9') table->wait_ms = atoi(value);
    } else if ((value = after_host(line, "words", host, event))) {
      char *words = strchr(value, ' ');
      if (!words) return -1;
      table->exit = atoi(value);
      table->words = words + 1;
    }
  }
  return table->engine && table->node && table->program && table->socket && table->wait_ms > 0 ? 0 : -1;
}
