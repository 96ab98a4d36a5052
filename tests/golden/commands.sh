#!/bin/sh
# What IREE's own tools are called with for each attempt. Inputs are ones: nothing is
# verified here, and no time is checked. IREE's tools have to be on PATH. What fails does
# not end it, and is counted.
failed=0
run() { echo "+ $*"; "$@" || failed=$((failed + 1)); }

# tour/level1/cascadelake/product
run iree-compile runs/tour/tour/level1/cascadelake/product/kernel.mlir --iree-opt-level=O3 -o runs/tour/tour/level1/cascadelake/product/artifact.vmfb
run iree-run-module --module=runs/tour/tour/level1/cascadelake/product/artifact.vmfb --function=main --input=4x8xf32=1
run iree-benchmark-module --module=runs/tour/tour/level1/cascadelake/product/artifact.vmfb --function=main --input=4x8xf32=1

# tour/level1/local/product
run iree-compile runs/tour/tour/level1/local/product/kernel.mlir --iree-opt-level=O3 -o runs/tour/tour/level1/local/product/artifact.vmfb
run iree-run-module --module=runs/tour/tour/level1/local/product/artifact.vmfb --function=main --input=4x8xf32=1
run iree-benchmark-module --module=runs/tour/tour/level1/local/product/artifact.vmfb --function=main --input=4x8xf32=1

# tour/level1/local/softmax
run iree-compile runs/tour/tour/level1/local/softmax/kernel.mlir --iree-opt-level=O3 -o runs/tour/tour/level1/local/softmax/artifact.vmfb
run iree-run-module --module=runs/tour/tour/level1/local/softmax/artifact.vmfb --function=main --input=4x8xf32=1
run iree-benchmark-module --module=runs/tour/tour/level1/local/softmax/artifact.vmfb --function=main --input=4x8xf32=1

# tour/level1/a72/softmax
run iree-compile runs/tour/tour/level1/a72/softmax/kernel.mlir --iree-opt-level=O3 -o runs/tour/tour/level1/a72/softmax/artifact.vmfb
run iree-run-module --module=runs/tour/tour/level1/a72/softmax/artifact.vmfb --function=main --input=4x8xf32=1
run iree-benchmark-module --module=runs/tour/tour/level1/a72/softmax/artifact.vmfb --function=main --input=4x8xf32=1

echo "$failed failed"
[ "$failed" = 0 ]
