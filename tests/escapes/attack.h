// What the attacks share. An attack is a small C program that tries one thing and says what came of
// it: escaped() where it worked, held() where it was refused. It finds its job on descriptor 3:
// "judge" (a process number), "secret_file", "outside" (a folder), and four files in memory.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { page, sealed, output, input, descriptor_count };  // of `files`
static int files[descriptor_count] = {-1, -1, -1, -1};
static char job[65536];

static void answer(int final, const char* word, const char* text) {
  char body[1024];
  int size = snprintf(body, sizeof body, "{\"final\":%s,\"%s\":\"%s\"}", final ? "true" : "false",
                      word, text);
  unsigned char head[4] = {size & 255, size >> 8 & 255, 0, 0};
  if (write(3, head, 4) != 4 || write(3, body, size) != size) _exit(90);
}

static void say(const char* word, const char* format, va_list list) {
  char text[512];
  vsnprintf(text, sizeof text, format, list);
  for (char* at = text; *at; ++at)
    if (*at == '"' || *at == '\\' || (unsigned char)*at < 32) *at = ' ';
  answer(1, word, text);
  _exit(0);
}

__attribute__((unused, noreturn, format(printf, 1, 2))) static void escaped(const char* format,
                                                                            ...) {
  va_list list;
  va_start(list, format);
  say("escaped", format, list);
  _exit(91);
}

__attribute__((unused, noreturn, format(printf, 1, 2))) static void held(const char* format, ...) {
  va_list list;
  va_start(list, format);
  say("held", format, list);
  _exit(91);
}

// escaped() where `worked`, else held() with errno.
__attribute__((unused, noreturn)) static void outcome(int worked, const char* what) {
  if (worked) escaped("%s", what);
  held("%s: %s", what, strerror(errno));
}

__attribute__((unused)) static void take_job(void) {
  unsigned char head[4];
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof files)];
  } control;
  struct iovec part = {head, 4};
  struct msghdr message = {0};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = &control;
  message.msg_controllen = sizeof control;
  if (recvmsg(3, &message, 0) != 4) _exit(92);
  struct cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header) memcpy(files, CMSG_DATA(header), sizeof files);
  size_t size = head[0] | head[1] << 8, got = 0;
  while (got < size) {
    ssize_t count = read(3, job + got, size - got);
    if (count <= 0) _exit(92);
    got += (size_t)count;
  }
}

__attribute__((unused)) static long job_number(const char* name) {
  char key[64];
  snprintf(key, sizeof key, "\"%s\":", name);
  const char* at = strstr(job, key);
  return at ? strtol(at + strlen(key), NULL, 10) : -1;
}

__attribute__((unused)) static const char* job_text(const char* name) {
  static char text[4096];
  char key[64];
  snprintf(key, sizeof key, "\"%s\":\"", name);
  const char* at = strstr(job, key);
  if (!at) return "";
  at += strlen(key);
  snprintf(text, sizeof text, "%.*s", (int)strcspn(at, "\""), at);
  return text;
}
