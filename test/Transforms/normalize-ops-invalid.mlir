// RUN: fuse-opt %s --split-input-file --fuse-normalize-ops --verify-diagnostics

func.func @f8(%x: tensor<16xf8E4M3>) -> tensor<16xf8E4M3> {
  // expected-error @below {{expected an element type of f8E4M3FN, f8E5M2, f16, bf16, f32, f64, i1, i8, i16, i32, i64 or index, but got 'f8E4M3' in 'arith.negf'}}
  %r = arith.negf %x : tensor<16xf8E4M3>
  return %r : tensor<16xf8E4M3>
}

// -----

func.func @i4(%x: tensor<16xi4>) -> tensor<16xi4> {
  // expected-error @below {{but got 'i4' in 'tensor.empty'}}
  %e = tensor.empty() : tensor<16xi4>
  %r = linalg.map { arith.addi } ins(%x, %x : tensor<16xi4>, tensor<16xi4>)
      outs(%e : tensor<16xi4>)
  return %r : tensor<16xi4>
}

// -----

func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  // expected-error @below {{but got 'complex<f32>' in 'tensor.extract_slice'}}
  %r = tensor.extract_slice %x[0] [2] [1]
      : tensor<4xcomplex<f32>> to tensor<2xcomplex<f32>>
  return %r : tensor<2xcomplex<f32>>
}

// -----

#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

func.func @sparse(%x: tensor<4x4xf32, #csr>) -> tensor<4x4xf32, #csr> {
  // expected-error @below {{expected a dense tensor without encoding}}
  %r = arith.negf %x : tensor<4x4xf32, #csr>
  return %r : tensor<4x4xf32, #csr>
}

// -----

func.func @scatter(%x: tensor<2x1x4xf32>, %t: tensor<9x4xf32>,
                   %k: tensor<2x1xindex>) -> tensor<9x4xf32> {
  // expected-error @below {{expected an operation with a linalg form, but got 'tensor.scatter'}}
  %r = tensor.scatter %x into %t[%k] scatter_dims([0]) unique
      : (tensor<2x1x4xf32>, tensor<9x4xf32>, tensor<2x1xindex>)
      -> tensor<9x4xf32>
  return %r : tensor<9x4xf32>
}

// -----

func.func @unranked(%x: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error @below {{expected ranked tensors, but got 'tensor<*xf32>' in 'math.exp'}}
  %r = math.exp %x : tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Types that only host operators touch are none of the pass's business.
func.func private @ext(tensor<4xcomplex<f32>>) -> tensor<4xf32>
func.func @host(%x: tensor<4xcomplex<f32>>) -> tensor<*xf32> {
  %r = func.call @ext(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %u = tensor.cast %r : tensor<4xf32> to tensor<*xf32>
  return %u : tensor<*xf32>
}
