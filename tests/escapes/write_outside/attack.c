#include "../attack.h"

int main(void) {
  take_job();
  char path[4200];
  snprintf(path, sizeof path, "%s/planted", job_text("outside"));
  outcome(open(path, O_WRONLY | O_CREAT, 0666) >= 0, "write outside");
}
