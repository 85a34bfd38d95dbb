// RUN: fuse-run %s | FileCheck %s

// A group that the user made is one kernel, softmax and all, and the result is
// that of the program without it. What is marked stays alone.
// CHECK: mine{{ +}}row
// CHECK: [user-group]
// CHECK: kernels{{ +}}3 -> 3
// CHECK: verified{{ +}}yes
func.func @main(%x: tensor<1x8x16xf32>) -> tensor<1x8x16xf32> {
  %g = fuse.group "mine" -> (tensor<1x8x16xf32>) {
    %e = tensor.empty() : tensor<1x8x16xf32>
    %s = linalg.softmax dimension(2) ins(%x : tensor<1x8x16xf32>)
        outs(%e : tensor<1x8x16xf32>) -> tensor<1x8x16xf32>
    %t = arith.addf %s, %x : tensor<1x8x16xf32>
    fuse.yield %t : tensor<1x8x16xf32>
  }
  %r = math.exp %g : tensor<1x8x16xf32>
  %b = fuse.boundary %r : tensor<1x8x16xf32>
  %q = math.absf %b : tensor<1x8x16xf32>
  return %q : tensor<1x8x16xf32>
}
