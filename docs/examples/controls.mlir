// What a user can say about fusion (docs/Controls.md).

func.func @nothing(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %a = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = linalg.abs ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %c = linalg.negf ins(%b : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %c : tensor<64xf32>
}

func.func @never(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %a = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = linalg.abs {fuse.never_fuse} ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %c = linalg.negf ins(%b : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %c : tensor<64xf32>
}

func.func @boundary(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %a = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = linalg.abs ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %m = fuse.boundary %b : tensor<64xf32>
  %c = linalg.negf ins(%m : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %c : tensor<64xf32>
}

func.func @by_hand(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %a = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %g = fuse.group "mine" -> (tensor<64xf32>) {
    %b = linalg.abs ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    %c = linalg.negf ins(%b : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    fuse.yield %c : tensor<64xf32>
  }
  return %g : tensor<64xf32>
}

// A softmax is several operators: all of them bear the mark.
func.func @must(%x: tensor<4x1x32xf32>, %y: tensor<4x1x32xf32>) -> (tensor<4x1x32xf32>, tensor<4x1x32xf32>) {
  %e = tensor.empty() : tensor<4x1x32xf32>
  %s = linalg.softmax {fuse.must_fuse = "t"} dimension(2) ins(%x : tensor<4x1x32xf32>) outs(%e : tensor<4x1x32xf32>) -> tensor<4x1x32xf32>
  %a = linalg.exp {fuse.must_fuse = "t"} ins(%y : tensor<4x1x32xf32>) outs(%e : tensor<4x1x32xf32>) -> tensor<4x1x32xf32>
  return %s, %a : tensor<4x1x32xf32>, tensor<4x1x32xf32>
}
