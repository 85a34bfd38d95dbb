// Bad input gives one diagnostic, a non-zero exit code and no output.
// RUN: split-file %s %t

// RUN: not fuse-run %t/syntax.mlir --report=%t/r.json 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: syntax.mlir:2:{{[0-9]+}}: error:
// SYNTAX-NOT: error:
// RUN: not test -e %t/r.json

// RUN: not fuse-run %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: none.mlir{{.*}}error:{{.*}}o such file
// NOFILE-NOT: error:

// RUN: not fuse-run %t 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error:{{.*}}directory
// FOLDER-NOT: error:

// RUN: not fuse-run %t/good.mlir --device=h900 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: error: --device: expected a file or one of {{.*}}h200{{.*}}, but got 'h900'
// DEVICE-NOT: error:

// RUN: not fuse-run %t/good.mlir --strategy=best 2>&1 | FileCheck %s --check-prefix=STRATEGY
// STRATEGY: error: --strategy: expected greedy, optimal, max, none, policy-xla, policy-tvm, policy-inductor, policy-nvfuser or policy-iree, but got 'best'
// STRATEGY-NOT: error:

// RUN: not fuse-run %t/good.mlir --cost-model=cheap 2>&1 | FileCheck %s --check-prefix=MODEL
// MODEL: error: {{.*}}'cheap'
// MODEL-NOT: error:

// RUN: not fuse-run %t/good.mlir --report=%t/none/r.json 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT: error: cannot write report
// REPORT-NOT: error:
// REPORT-NOT: kernels

// What is no regular file is written to, never replaced, and a full one is an
// error.
// RUN: rm -f %t/full && ln -s /dev/full %t/full
// RUN: not fuse-run %t/good.mlir --report=%t/full 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: error: cannot write report '{{.*}}full': No space left on device
// RUN: test -c %t/full
// RUN: rm -f %t/null && ln -s /dev/null %t/null
// RUN: fuse-run %t/good.mlir --report=%t/null
// RUN: test -c %t/null
// RUN: env FUSE_RUNTIME_REPORT=%t/null fuse-run %t/good.mlir
// RUN: test -c %t/null

// Sizes beyond all bounds.
// RUN: not fuse-run %t/dynamic.mlir --size=0.0=2305843009213693952 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not fuse-run %t/dynamic.mlir --size=0.0=1099511627776 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: dynamic.mlir{{.*}}error: expected arguments and results that fit into the {{[0-9]+}} bytes of memory, but they have {{more than 2.63|4398046511108}}
// RUN: not fuse-run %t/huge.mlir --no-run 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: huge.mlir:2:{{[0-9]+}}: error: expected tensors of less than 2^63 bytes, but got 'tensor<4294967296x4294967296xf32>'
// HUGE-NOT: error:

// RUN: not fuse-run %t/negative.mlir --size=0.0=2 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: negative.mlir{{.*}}error: result 0 has sizes that no tensor has: -1
// NEGATIVE-NOT: error:

// RUN: not fuse-run %t/dynamic.mlir 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: dynamic.mlir:{{.*}}error: expected a size '0.0' of 'argument 0': give --size=0.0=SIZE
// DYNAMIC-NOT: error:
// RUN: fuse-run %t/dynamic.mlir --size=0.0=7 | FileCheck %s --check-prefix=SIZED
// SIZED: {{^}}kernels{{ +}}1 -> 1
// SIZED: verified{{ +}}yes

// RUN: not fuse-run %t/type.mlir 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: type.mlir:1:{{[0-9]+}}: error: unsupported type
// TYPE-NOT: error:
// RUN: not fuse-run --no-run %t/type.mlir 2>&1 | FileCheck %s --check-prefix=TYPE2
// TYPE2: type.mlir:{{[0-9]+}}:{{[0-9]+}}: error:
// TYPE2-NOT: error:

// RUN: not fuse-run %t/good.mlir --entry=other 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: good.mlir{{.*}}error: expected a function 'other' with a body, but there is none
// ENTRY-NOT: error:

// RUN: not fuse-run %t/good.mlir --inputs=%t/inputs.json 2>&1 | FileCheck %s --check-prefix=INPUTS
// INPUTS: inputs.json{{.*}}error: input 0: expected kind 'uniform', 'ints' or 'choice', but got 'gauss'
// INPUTS-NOT: error:

// Traps of the program are its errors.
// RUN: not fuse-run %t/zero.mlir 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: the program stopped: an integer division by zero, or one whose result is too large
// ZERO-NOT: Stack dump
// RUN: not fuse-run %t/endless.mlir --reference-only 2>&1 | FileCheck %s --check-prefix=ENDLESS
// ENDLESS: error: the program stopped: memory that is not there, as in endless recursion
// ENDLESS-NOT: Stack dump
// RUN: not fuse-run %t/calls-itself.mlir 2>&1 | FileCheck %s --check-prefix=ITSELF
// ITSELF: calls-itself.mlir:5:{{[0-9]+}}: error: expected a function that returns, but 'again' calls itself in any case

// What the reference's passes leave behind is verified.
// RUN: not fuse-run %t/crop.mlir 2>&1 | FileCheck %s --check-prefix=CROP
// CROP: crop.mlir:3:{{[0-9]+}}: error: expected offsets to be non-negative, but got -1

// Elements that no kernel takes can be planned with, and are refused by name.
// RUN: fuse-opt %t/element.mlir --fuse-form-groups --fuse-print-groups -o /dev/null
// RUN: not fuse-run %t/element.mlir --no-run 2>&1 | FileCheck %s --check-prefix=ELEMENT
// ELEMENT: element.mlir:2:{{[0-9]+}}: error: expected an element type of {{.*}}, but got 'vector<4xf32>' in 'tensor.empty'

//--- syntax.mlir
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp % : tensor<8xf32>
  return %0 : tensor<8xf32>
}

//--- good.mlir
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

//--- dynamic.mlir
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = math.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

//--- huge.mlir
func.func @main(%x: tensor<4294967296x4294967296xf32>) -> tensor<4294967296x4294967296xf32> {
  %0 = math.exp %x : tensor<4294967296x4294967296xf32>
  return %0 : tensor<4294967296x4294967296xf32>
}

//--- negative.mlir
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.subi %n, %c3 : index
  %e = tensor.empty(%m) : tensor<?xf32>
  %one = arith.constant 1.0 : f32
  %0 = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

//--- type.mlir
func.func @main(%x: tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>> {
  %e = tensor.empty() : tensor<8xcomplex<f32>>
  %0 = linalg.copy ins(%x : tensor<8xcomplex<f32>>)
      outs(%e : tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return %0 : tensor<8xcomplex<f32>>
}

//--- zero.mlir
func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %zero = arith.constant dense<0> : tensor<4xi32>
  %0 = arith.divsi %x, %zero : tensor<4xi32>
  return %0 : tensor<4xi32>
}

//--- endless.mlir
func.func @main(%x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %zero = arith.constant 0 : i32
  %more = arith.cmpi sge, %n, %zero : i32
  %no = arith.ori %n, %zero : i32
  %not = arith.cmpi slt, %no, %zero : i32
  %ever = arith.ori %more, %not : i1
  %0 = scf.if %ever -> tensor<4xf32> {
    %y = func.call @main(%x, %n) : (tensor<4xf32>, i32) -> tensor<4xf32>
    scf.yield %y : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  %1 = math.exp %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

//--- calls-itself.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @again(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @again(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<4xf32>
  %1 = func.call @again(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

//--- crop.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
  %c = arith.constant 0.0 : f32
  %0 = tensor.pad %x low[-1] high[-1] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<4xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}

//--- element.mlir
func.func @main(%x: tensor<8xvector<4xf32>>) -> tensor<8xvector<4xf32>> {
  %e = tensor.empty() : tensor<8xvector<4xf32>>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<8xvector<4xf32>>) outs(%e : tensor<8xvector<4xf32>>) {
  ^bb0(%in: vector<4xf32>, %out: vector<4xf32>):
    %sum = arith.addf %in, %in : vector<4xf32>
    linalg.yield %sum : vector<4xf32>
  } -> tensor<8xvector<4xf32>>
  return %0 : tensor<8xvector<4xf32>>
}

//--- inputs.json
{"inputs": [{"index": 0, "kind": "gauss"}]}
