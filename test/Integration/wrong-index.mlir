// A wrong index in host code ends with an error that says where, in the compiled
// program and in the reference; a right one does not.
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import json; f = lambda lo: {'inputs': [{'name': 'x', 'shape': [8], 'dtype': 'float32', 'kind': 'uniform', 'lo': 0, 'hi': 1}, {'name': 'i', 'shape': [1], 'dtype': 'int64', 'kind': 'ints', 'lo': lo, 'hi': lo + 1}]}; [json.dump(f(lo), open(r'%t/%%d.json' %% lo, 'w')) for lo in (7, 8, 1000000000, -1)]"
// RUN: fuse-run %s --inputs=%t/7.json | FileCheck %s --check-prefix=RIGHT
// RUN: not fuse-run %s --inputs=%t/8.json 2>&1 | FileCheck %s
// RUN: not fuse-run %s --inputs=%t/1000000000.json 2>&1 | FileCheck %s
// RUN: not fuse-run %s --inputs=%t/-1.json 2>&1 | FileCheck %s
// RUN: not fuse-run %s --inputs=%t/-1.json --reference-only 2>&1 | FileCheck %s
// RIGHT: verified        yes
// CHECK: error: the program stopped: {{.*}}wrong-index.mlir:[[#@LINE+5]]:8: index 0 of 'tensor.extract' is outside of the tensor
func.func @main(%x: tensor<8xf32>, %i: tensor<1xi64>) -> f32 {
  %c0 = arith.constant 0 : index
  %k = tensor.extract %i[%c0] : tensor<1xi64>
  %n = arith.index_cast %k : i64 to index
  %v = tensor.extract %x[%n] : tensor<8xf32>
  return %v : f32
}
