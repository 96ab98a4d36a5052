#include "../attack.h"

int main(void) {
  take_job();
  outcome(ftruncate(files[output], 0) == 0, "cut an output");
}
