func.func @main(%edges: !torch.vtensor<[2,1000],si64>, %mask: !torch.vtensor<[1000],i1>) -> !torch.vtensor<[2,?],si64> {
  %none = torch.constant.none
  %places = torch.prim.ListConstruct %none, %mask : (!torch.none, !torch.vtensor<[1000],i1>) -> !torch.list<optional<vtensor>>
  %kept = torch.aten.index.Tensor %edges, %places : !torch.vtensor<[2,1000],si64>, !torch.list<optional<vtensor>> -> !torch.vtensor<[2,?],si64>
  return %kept : !torch.vtensor<[2,?],si64>
}
