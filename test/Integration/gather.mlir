// RUN: fuse-run %s | FileCheck %s

// tensor.gather in its forms (dimensions kept or dropped, several coordinates,
// an index per batch element) becomes part of the kernel that reads it.

// CHECK: kernels         6 -> 1
// CHECK: verified        yes, max error {{[0-9.e-]+}} (emulator)

func.func @main(%table: tensor<16x8xf32>, %rows: tensor<5x1xi32>,
                %pairs: tensor<3x4x2xi64>)
    -> (tensor<5x8xf32>, tensor<3x4x1x1xf32>, tensor<5x16xf32>) {
  %rows_of = tensor.gather %table[%rows] gather_dims([0])
      : (tensor<16x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  %a = math.exp %rows_of : tensor<5x8xf32>
  %elements = tensor.gather %table[%pairs] gather_dims([0, 1])
      : (tensor<16x8xf32>, tensor<3x4x2xi64>) -> tensor<3x4x1x1xf32>
  %b = math.tanh %elements : tensor<3x4x1x1xf32>
  %columns = tensor.gather %table[%rows] gather_dims([1])
      : (tensor<16x8xf32>, tensor<5x1xi32>) -> tensor<5x16xf32>
  %c = arith.mulf %columns, %columns : tensor<5x16xf32>
  return %a, %b, %c : tensor<5x8xf32>, tensor<3x4x1x1xf32>, tensor<5x16xf32>
}
