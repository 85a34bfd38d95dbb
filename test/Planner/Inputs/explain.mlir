// Pairs of operators for fuse-explain.

func.func @soft(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %e = tensor.empty() : tensor<4x32xf32>
  // A softmax becomes five operators.
  %q = linalg.softmax dimension(1) ins(%x : tensor<4x32xf32>) outs(%e : tensor<4x32xf32>) -> tensor<4x32xf32>
  %b = linalg.abs ins(%q : tensor<4x32xf32>) outs(%e : tensor<4x32xf32>) -> tensor<4x32xf32>
  return %b : tensor<4x32xf32>
}

func.func @between(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %a = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = linalg.abs ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %c = linalg.negf ins(%b : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %c : tensor<64xf32>
}

func.func @marked(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %a = linalg.exp {fuse.never_fuse} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = linalg.abs ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %g = fuse.group "mine" -> (tensor<64xf32>) {
    %c = linalg.negf ins(%b : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    fuse.yield %c : tensor<64xf32>
  }
  return %g : tensor<64xf32>
}

func.func @blocks(%x: tensor<64xf32>, %p: i1) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %a = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %r = scf.if %p -> tensor<64xf32> {
    %b = linalg.abs ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    scf.yield %b : tensor<64xf32>
  } else {
    scf.yield %a : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

func.func private @host(tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
func.func @again(%x: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
  %m = tensor.empty() : tensor<4096x1024xf32>
  %a = linalg.exp ins(%x : tensor<4096x1024xf32>) outs(%m : tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  %b = linalg.abs ins(%a : tensor<4096x1024xf32>) outs(%m : tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  %c = linalg.negf {fuse.never_fuse} ins(%b : tensor<4096x1024xf32>) outs(%m : tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  %h = func.call @host(%c) : (tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  %d = linalg.add ins(%a, %h : tensor<4096x1024xf32>, tensor<4096x1024xf32>) outs(%m : tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  return %d : tensor<4096x1024xf32>
}
