// What gpu-probe can be asked. Each runs in a process of its own, and prints rows.
#pragma once

namespace assay::gpu {

// doctor.cc
void costs();
void jails();
void files();
void groups();
void forks();
void sharing();
void leaks();
void recovery();
void exhaustion();
void torch_jails();

// attacks.cc
void slices();
void ends();
void starts();
void gates();
void residue();
void stale();
void freezing();
void hogs();
void reach();

void device();
void sandwich();
void large();
void strips();

// timing.cc
void resolution();

// study.cc
void short_kernels();
void study();
void twice();

// torch.cc
void queues();
void torch_gates();

}  // namespace assay::gpu
