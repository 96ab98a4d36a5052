#!/bin/sh
# What IREE's own tools are called with for each attempt. Inputs are ones: nothing is
# verified here, and no time is checked. IREE's tools have to be on PATH.
set -e

# tour/level1/cascadelake/product
iree-compile runs/tour/tour/level1/cascadelake/product/kernel.mlir --iree-opt-level=O3 -o runs/tour/tour/level1/cascadelake/product/artifact.vmfb
iree-run-module --module=runs/tour/tour/level1/cascadelake/product/artifact.vmfb --function=main --input=4x8xf32=1
iree-benchmark-module --module=runs/tour/tour/level1/cascadelake/product/artifact.vmfb --function=main --input=4x8xf32=1

# tour/level1/local/product
iree-compile runs/tour/tour/level1/local/product/kernel.mlir --iree-opt-level=O3 -o runs/tour/tour/level1/local/product/artifact.vmfb
iree-run-module --module=runs/tour/tour/level1/local/product/artifact.vmfb --function=main --input=4x8xf32=1
iree-benchmark-module --module=runs/tour/tour/level1/local/product/artifact.vmfb --function=main --input=4x8xf32=1

# tour/level1/local/softmax
iree-compile runs/tour/tour/level1/local/softmax/kernel.mlir --iree-opt-level=O3 -o runs/tour/tour/level1/local/softmax/artifact.vmfb
iree-run-module --module=runs/tour/tour/level1/local/softmax/artifact.vmfb --function=main --input=4x8xf32=1
iree-benchmark-module --module=runs/tour/tour/level1/local/softmax/artifact.vmfb --function=main --input=4x8xf32=1

# tour/level1/a72/softmax
iree-compile runs/tour/tour/level1/a72/softmax/kernel.mlir --iree-opt-level=O3 -o runs/tour/tour/level1/a72/softmax/artifact.vmfb
iree-run-module --module=runs/tour/tour/level1/a72/softmax/artifact.vmfb --function=main --input=4x8xf32=1
iree-benchmark-module --module=runs/tour/tour/level1/a72/softmax/artifact.vmfb --function=main --input=4x8xf32=1
