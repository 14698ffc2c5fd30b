#include "client.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int bytes_add(struct bytes *to, const void *data, size_t length) {
  if (length > MOST_BYTES || to->length > MOST_BYTES - length) return -1;
  if (to->length + length > to->room) {
    size_t room = to->room ? to->room : 16 * 1024;
    while (room < to->length + length) room *= 2;
    unsigned char *grown = realloc(to->data, room);
    if (!grown) return -1;
    to->data = grown;
    to->room = room;
  }
  if (length) memcpy(to->data + to->length, data, length);
  to->length += length;
  return 0;
}

int bytes_text(struct bytes *to, const char *text) { return bytes_add(to, text, strlen(text)); }

int bytes_field(struct bytes *to, const void *data, size_t length) {
  unsigned char size[4] = {(unsigned char)(length >> 24), (unsigned char)(length >> 16), (unsigned char)(length >> 8),
                           (unsigned char)length};
  return bytes_add(to, size, sizeof size) || bytes_add(to, data, length) ? -1 : 0;
}

int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int left_ms(int64_t until, int most) {
  int64_t left = until - now_ms();
  return left <= 0 ? 0 : left < most ? (int)left : most;
}

int read_all(int descriptor, struct bytes *into, int64_t until) {
  unsigned char chunk[64 * 1024];
  for (;;) {
    struct pollfd ready = {.fd = descriptor, .events = POLLIN};
    int found = poll(&ready, 1, left_ms(until, 60000));
    if (found < 0 && errno == EINTR) continue;
    if (found == 0 && now_ms() < until) continue;
    if (found <= 0) return -1;
    ssize_t got = read(descriptor, chunk, sizeof chunk);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return -1;
    if (got == 0) return 0;
    if (bytes_add(into, chunk, (size_t)got)) return -1;
  }
}

int write_all(int descriptor, const void *data, size_t length, int64_t until) {
  const unsigned char *from = data;
  while (length > 0) {
    ssize_t done = write(descriptor, from, length);
    if (done >= 0) {
      from += done;
      length -= (size_t)done;
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return -1;
    struct pollfd ready = {.fd = descriptor, .events = POLLOUT};
    int found = poll(&ready, 1, left_ms(until, 60000));
    if (found == 0 && now_ms() >= until) return -1;
    if (found < 0 && errno != EINTR) return -1;
  }
  return 0;
}
