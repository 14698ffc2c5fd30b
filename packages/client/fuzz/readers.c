/* Random bytes for everything that reads what others wrote: frames, answers, the table. `npm run client:fuzz`. */
#include "client.h"

#include <stdlib.h>
#include <string.h>

static void read_answer(const uint8_t *data, size_t size) {
  struct answer answer;
  uint32_t length;
  if (size >= FRAME_HEADER && frame_begins(data, &length) >= 0 && length > FRAME_LONGEST) abort();
  if (answer_in(data, size, &answer) != 0) return;
  if (answer.exit < 0 || answer.exit > 255) abort();
  if (answer.out < data || answer.out + answer.out_length > data + size) abort();
  if (answer.errors < data || answer.errors + answer.errors_length > data + size) abort();
  if (answer.exit == 0 && !is_object(answer.out, answer.out_length)) abort();
}

static void read_table(const uint8_t *data, size_t size) {
  static const char start[] = "hookline-client 1\n";
  struct table table;
  char *text = malloc(sizeof start + size);
  if (!text) return;
  memcpy(text, start, sizeof start - 1);
  memcpy(text + sizeof start - 1, data, size);
  text[sizeof start - 1 + size] = 0;
  if (table_read(text, "claude", "pre_tool_use", &table) == 0 && table.wait_ms <= 0) abort();
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  read_answer(data, size);
  read_table(data, size);
  return 0;
}
