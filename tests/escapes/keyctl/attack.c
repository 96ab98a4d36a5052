#include "../attack.h"

int main(void) {
  take_job();
  outcome(syscall(SYS_add_key, "user", "assay-escape", "x", 1, -2) >= 0, "add a key to its process keyring");
}
