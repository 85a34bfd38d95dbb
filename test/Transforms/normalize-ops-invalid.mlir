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

// -----

#rows = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @empty_table(%t: tensor<0x8xf32>, %i: tensor<4xi64>)
    -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#rows, #all],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<4xi64>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: i64, %o: f32):
    %k = arith.index_cast %a : i64 to index
    %c = linalg.index 1 : index
    // expected-error @below {{expected a tensor with elements, but got 'tensor<0x8xf32>', of which each iteration reads one}}
    %v = tensor.extract %t[%k, %c] : tensor<0x8xf32>
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Behind a condition, or in a loop of no iterations, it may be right.
#row = affine_map<(d0) -> (d0)>
func.func @guarded(%t: tensor<0xf32>, %i: tensor<4xindex>, %n: index)
    -> tensor<4xf32> {
  %f = arith.constant 2.5 : f32
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#row, #row],
                       iterator_types = ["parallel"]}
      ins(%i : tensor<4xindex>) outs(%e : tensor<4xf32>) {
  ^bb0(%k: index, %o: f32):
    %in = arith.cmpi ult, %k, %n : index
    %v = scf.if %in -> f32 {
      %w = tensor.extract %t[%k] : tensor<0xf32>
      scf.yield %w : f32
    } else {
      scf.yield %f : f32
    }
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @softmax_of_integers(%x: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %e = tensor.empty() : tensor<3x5xi32>
  // expected-error @below {{expected floating-point elements, but got 'tensor<3x5xi32>' in 'linalg.softmax'}}
  %0 = linalg.softmax dimension(1) ins(%x : tensor<3x5xi32>)
      outs(%e : tensor<3x5xi32>) -> tensor<3x5xi32>
  return %0 : tensor<3x5xi32>
}
