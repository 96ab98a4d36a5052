#include "../attack.h"

int main(void) {
  take_job();
  outcome(chmod(job_text("secret_file"), 0666) == 0, "change the mode of the secret file");
}
