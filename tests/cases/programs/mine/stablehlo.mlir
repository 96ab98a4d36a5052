func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = stablehlo.add %x, %x : tensor<8xf32>
  return %y : tensor<8xf32>
}
