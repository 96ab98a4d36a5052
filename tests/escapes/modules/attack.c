#include "../attack.h"

int main(void) {
  take_job();
  outcome(syscall(SYS_delete_module, "assay_no_such_module", O_NONBLOCK) == 0 || errno == ENOENT, "ask for a module to be unloaded");
}
