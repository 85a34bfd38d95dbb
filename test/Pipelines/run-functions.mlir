// RUN: fuse-opt %s --fuse-to-ptx=host=llvm -o %t.host.mlir
// RUN: env FUSE_RUNTIME_REPORT=%t.host.json mlir-runner %t.host.mlir -e main -entry-point-result=void --shared-libs=%mlir_lib_dir/libmlir_runner_utils.so,%mlir_lib_dir/libmlir_c_runner_utils.so,%fuse_lib_dir/libfuse_runtime.so | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.host.json
// RUN: fuse-opt %s --fuse-to-ptx="host=llvm memory=device" -o %t.device.mlir
// RUN: env FUSE_RUNTIME_REPORT=%t.device.json mlir-runner %t.device.mlir -e main -entry-point-result=void --shared-libs=%mlir_lib_dir/libmlir_runner_utils.so,%mlir_lib_dir/libmlir_c_runner_utils.so,%fuse_lib_dir/libfuse_runtime.so | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.device.json

// Functions of the user's own, with kernels and without, in both memory
// modes: the same values, and nothing leaks.
// CHECK: [2, {{ *}}4, {{ *}}6, {{ *}}8]
// CHECK: [1, {{ *}}2, {{ *}}3, {{ *}}4]
// CHECK: [16, {{ *}}32, {{ *}}48, {{ *}}64]
// CHECK: [5, {{ *}}2, {{ *}}3, {{ *}}4]
// CHECK: [10, {{ *}}4, {{ *}}6, {{ *}}8]
// CHECK: [1, {{ *}}2, {{ *}}3, {{ *}}4]
// CHECK: [8, {{ *}}16, {{ *}}24, {{ *}}32]
// REPORT-DAG: "leaked_bytes": 0
// REPORT-DAG: "leaked_allocations": 0
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}

// Gives its argument and one buffer twice: three results apart.
func.func private @twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %a, %x, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Doubles n times, by calling itself.
func.func private @again(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %done = arith.cmpi eq, %n, %c0 : index
  %r = scf.if %done -> tensor<4xf32> {
    scf.yield %x : tensor<4xf32>
  } else {
    %e = tensor.empty() : tensor<4xf32>
    %a = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %m = arith.subi %n, %c1 : index
    %s = func.call @again(%a, %m) : (tensor<4xf32>, index) -> tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// A caller's buffer is not written, whatever is made of it.
func.func private @replace_first(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %five = arith.constant 5.0 : f32
  %i = tensor.insert %five into %x[%c0] : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.add ins(%i, %i : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %i, %a : tensor<4xf32>, tensor<4xf32>
}

// A loop made of branches.
func.func private @branches(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^h(%c0, %x : index, tensor<4xf32>)
^h(%i: index, %y: tensor<4xf32>):
  %c = arith.cmpi slt, %i, %n : index
  cf.cond_br %c, ^b, ^e
^b:
  %e2 = tensor.empty() : tensor<4xf32>
  %s = linalg.add ins(%y, %y : tensor<4xf32>, tensor<4xf32>) outs(%e2 : tensor<4xf32>) -> tensor<4xf32>
  %j = arith.addi %i, %c1 : index
  cf.br ^h(%j, %s : index, tensor<4xf32>)
^e:
  return %y : tensor<4xf32>
}

func.func private @print(%x: tensor<4xf32>) {
  %u = tensor.cast %x : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

func.func @main() {
  %n = arith.constant 3 : index
  %x = arith.constant dense<[1., 2., 3., 4.]> : tensor<4xf32>
  %0:3 = call @twice(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  call @print(%0#0) : (tensor<4xf32>) -> ()
  call @print(%0#1) : (tensor<4xf32>) -> ()
  %1 = call @again(%0#2, %n) : (tensor<4xf32>, index) -> tensor<4xf32>
  call @print(%1) : (tensor<4xf32>) -> ()
  %2:2 = call @replace_first(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  call @print(%2#0) : (tensor<4xf32>) -> ()
  call @print(%2#1) : (tensor<4xf32>) -> ()
  call @print(%x) : (tensor<4xf32>) -> ()
  %3 = call @branches(%x, %n) : (tensor<4xf32>, index) -> tensor<4xf32>
  call @print(%3) : (tensor<4xf32>) -> ()
  return
}
