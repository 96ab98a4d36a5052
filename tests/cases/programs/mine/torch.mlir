func.func @main(%x: !torch.vtensor<[8],f32>) -> !torch.vtensor<[8],f32> {
  %one = torch.constant.int 1
  %y = torch.aten.add.Tensor %x, %x, %one : !torch.vtensor<[8],f32>, !torch.vtensor<[8],f32>, !torch.int -> !torch.vtensor<[8],f32>
  return %y : !torch.vtensor<[8],f32>
}
