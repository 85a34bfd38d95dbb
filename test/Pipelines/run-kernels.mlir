// RUN: fuse-opt %s --fuse-to-ptx="host=llvm device=a100" -o %t.mlir
// RUN: env FUSE_RUNTIME_REPORT=%t.json mlir-runner %t.mlir -e main -entry-point-result=void --shared-libs=%mlir_lib_dir/libmlir_runner_utils.so,%mlir_lib_dir/libmlir_c_runner_utils.so,%fuse_lib_dir/libfuse_runtime.so | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.json

// Stock mlir-runner runs the compiled program: kernels in a row, a loop that
// carries a buffer and reads an element of it on the host, and a loop whose
// condition is a kernel's result. Nothing leaks.
// CHECK: [4, {{ *}}5, {{ *}}6, {{ *}}7]
// CHECK: [8, {{ *}}10, {{ *}}12, {{ *}}14]
// CHECK: [8, {{ *}}9, {{ *}}10, {{ *}}11]
// CHECK: [32, {{ *}}64, {{ *}}96, {{ *}}128]
// REPORT-DAG: "leaked_bytes": 0
// REPORT-DAG: "leaked_allocations": 0
#id = affine_map<(i) -> (i)>
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}

// x + 3, then twice that, in one kernel each: both are results.
func.func @chain(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = fuse.kernel "inc" ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%in: tensor<4xf32>, %out: tensor<4xf32>):
    %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%in : tensor<4xf32>) outs(%out : tensor<4xf32>) {
    ^bb0(%v: f32, %o: f32):
      %one = arith.constant 3.0 : f32
      %s = arith.addf %v, %one : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    fuse.yield %0 : tensor<4xf32>
  }
  %b = fuse.kernel "double" ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%in: tensor<4xf32>, %out: tensor<4xf32>):
    %0 = linalg.add ins(%in, %in : tensor<4xf32>, tensor<4xf32>) outs(%out : tensor<4xf32>) -> tensor<4xf32>
    fuse.yield %0 : tensor<4xf32>
  }
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// n times x + x[0].
func.func @loop(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<4xf32> {
    %first = tensor.extract %t[%c0] : tensor<4xf32>
    %a = fuse.kernel "add_first" ins(%t, %first : tensor<4xf32>, f32) outs(%e : tensor<4xf32>) -> (tensor<4xf32>) {
    ^bb0(%in: tensor<4xf32>, %f: f32, %out: tensor<4xf32>):
      %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
          ins(%in : tensor<4xf32>) outs(%out : tensor<4xf32>) {
      ^bb0(%v: f32, %o: f32):
        %s = arith.addf %v, %f : f32
        linalg.yield %s : f32
      } -> tensor<4xf32>
      fuse.yield %0 : tensor<4xf32>
    }
    scf.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// Doubles x while x[0] < 20.
func.func @while(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %limit = arith.constant 20.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %r = scf.while (%t = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %first = tensor.extract %t[%c0] : tensor<4xf32>
    %go = arith.cmpf olt, %first, %limit : f32
    scf.condition(%go) %t : tensor<4xf32>
  } do {
  ^bb0(%t: tensor<4xf32>):
    %a = fuse.kernel "double" ins(%t : tensor<4xf32>) outs(%e : tensor<4xf32>) -> (tensor<4xf32>) {
    ^bb0(%in: tensor<4xf32>, %out: tensor<4xf32>):
      %0 = linalg.add ins(%in, %in : tensor<4xf32>, tensor<4xf32>) outs(%out : tensor<4xf32>) -> tensor<4xf32>
      fuse.yield %0 : tensor<4xf32>
    }
    scf.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

func.func @main() {
  %x = arith.constant dense<[1., 2., 3., 4.]> : tensor<4xf32>
  %n = arith.constant 3 : index
  %0:2 = call @chain(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %u0 = tensor.cast %0#0 : tensor<4xf32> to tensor<*xf32>
  %u1 = tensor.cast %0#1 : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%u1) : (tensor<*xf32>) -> ()
  %1 = call @loop(%x, %n) : (tensor<4xf32>, index) -> tensor<4xf32>
  %u2 = tensor.cast %1 : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u2) : (tensor<*xf32>) -> ()
  %2 = call @while(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %u3 = tensor.cast %2 : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u3) : (tensor<*xf32>) -> ()
  return
}
