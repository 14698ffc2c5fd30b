#include "client.h"

void frame_header(unsigned char header[FRAME_HEADER], int kind, uint32_t length) {
  header[0] = 'H';
  header[1] = 'L';
  header[2] = 1;
  header[3] = (unsigned char)kind;
  for (int at = 0; at < 4; at++) header[4 + at] = (unsigned char)(length >> (24 - 8 * at));
}

static uint32_t number_at(const unsigned char *four) {
  return (uint32_t)four[0] << 24 | (uint32_t)four[1] << 16 | (uint32_t)four[2] << 8 | (uint32_t)four[3];
}

int frame_begins(const unsigned char header[FRAME_HEADER], uint32_t *length) {
  if (header[0] != 'H' || header[1] != 'L' || header[2] != 1) return -1;
  *length = number_at(header + 4);
  return *length > FRAME_LONGEST ? -1 : header[3];
}

/* The field at the front of what is left, which is moved on. */
static int next_field(const unsigned char **rest, size_t *left, const unsigned char **field, size_t *length) {
  if (*left < 4) return -1;
  *length = number_at(*rest);
  if (*length > *left - 4) return -1;
  *field = *rest + 4;
  *rest += 4 + *length;
  *left -= 4 + *length;
  return 0;
}

int answer_in(const unsigned char *body, size_t length, struct answer *answer) {
  const unsigned char *code;
  size_t digits;
  if (next_field(&body, &length, &code, &digits) || next_field(&body, &length, &answer->out, &answer->out_length) ||
      next_field(&body, &length, &answer->errors, &answer->errors_length) || length != 0)
    return -1;
  if (digits < 1 || digits > 3) return -1;
  answer->exit = 0;
  for (size_t at = 0; at < digits; at++) {
    if (code[at] < '0' || code[at] > '9') return -1;
    answer->exit = answer->exit * 10 + (code[at] - '0');
  }
  if (answer->exit > 255) return -1;
  return answer->exit == 0 && !is_object(answer->out, answer->out_length) ? -1 : 0;
}

static int is_space(unsigned char byte) { return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t'; }

int is_object(const unsigned char *text, size_t length) {
  size_t from = 0;
  while (from < length && is_space(text[from])) from++;
  while (length > from && is_space(text[length - 1])) length--;
  return length - from >= 2 && text[from] == '{' && text[length - 1] == '}';
}
