// RUN: fuse-opt %s --split-input-file --fuse-annotate-kernels | FileCheck %s

// Fresh allocations are apart from all else: both arguments are `noalias`.
// CHECK-LABEL: gpu.func @f(
// CHECK-SAME:      memref<8xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}
// CHECK-SAME:      f32,
// CHECK-SAME:      memref<8xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.writeonly}
// A view of an argument is followed; one that is read and written is neither.
// CHECK-LABEL: gpu.func @update(
// CHECK-SAME:      memref<2x4xf32> {llvm.align = 16 : i64, llvm.noalias})
// Bits that are stored as bytes are stored.
// CHECK-LABEL: gpu.func @bits(
// CHECK-SAME:      memref<8xi1> {llvm.align = 8 : i64, llvm.noalias, llvm.writeonly})
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @f(%a: memref<8xf32>, %s: f32, %b: memref<8xf32>) kernel {
      %t = gpu.thread_id x
      %v = memref.load %a[%t] : memref<8xf32>
      memref.store %v, %b[%t] : memref<8xf32>
      gpu.return
    }
    gpu.func @update(%a: memref<2x4xf32>) kernel {
      %t = gpu.thread_id x
      %c = memref.collapse_shape %a [[0, 1]] : memref<2x4xf32> into memref<8xf32>
      %v = memref.load %c[%t] : memref<8xf32>
      memref.store %v, %c[%t] : memref<8xf32>
      gpu.return
    }
    gpu.func @bits(%a: memref<8xi1>) kernel {
      %t = gpu.thread_id x
      %one = arith.constant 1 : i8
      %c = builtin.unrealized_conversion_cast %a : memref<8xi1> to memref<8xi8>
      memref.store %one, %c[%t] : memref<8xi8>
      gpu.return
    }
  }
  func.func @launch(%x: memref<8xf32>, %s: f32, %g: index) {
    %a = gpu.alloc () : memref<8xf32>
    gpu.launch_func @k::@f blocks in (%g, %g, %g) threads in (%g, %g, %g) args(%x : memref<8xf32>, %s : f32, %a : memref<8xf32>)
    %b = gpu.alloc () : memref<2x4xf32>
    gpu.launch_func @k::@update blocks in (%g, %g, %g) threads in (%g, %g, %g) args(%b : memref<2x4xf32>)
    %c = gpu.alloc () : memref<8xi1>
    gpu.launch_func @k::@bits blocks in (%g, %g, %g) threads in (%g, %g, %g) args(%c : memref<8xi1>)
    return
  }
}

// -----

// Not proven: two arguments of the function, or one launch of several in which
// the written buffer is also read.
// CHECK-LABEL: gpu.func @f(
// CHECK-NOT:     noalias
// CHECK-LABEL: gpu.func @g(
// CHECK-NOT:     noalias
// Only what is written has to be apart.
// CHECK-LABEL: gpu.func @h(
// CHECK-SAME:      llvm.noalias
// CHECK-SAME:      llvm.noalias
// CHECK-SAME:      llvm.noalias
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @f(%a: memref<8xf32>, %b: memref<8xf32>) kernel {
      %t = gpu.thread_id x
      %v = memref.load %a[%t] : memref<8xf32>
      memref.store %v, %b[%t] : memref<8xf32>
      gpu.return
    }
    gpu.func @g(%a: memref<8xf32>, %b: memref<8xf32>) kernel {
      %t = gpu.thread_id x
      %v = memref.load %a[%t] : memref<8xf32>
      memref.store %v, %b[%t] : memref<8xf32>
      gpu.return
    }
    gpu.func @h(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>) kernel {
      %t = gpu.thread_id x
      %v = memref.load %a[%t] : memref<8xf32>
      %w = memref.load %b[%t] : memref<8xf32>
      %s = arith.addf %v, %w : f32
      memref.store %s, %c[%t] : memref<8xf32>
      gpu.return
    }
  }
  func.func @launch(%x: memref<8xf32>, %y: memref<8xf32>, %g: index) {
    gpu.launch_func @k::@f blocks in (%g, %g, %g) threads in (%g, %g, %g) args(%x : memref<8xf32>, %y : memref<8xf32>)
    %a = gpu.alloc () : memref<8xf32>
    gpu.launch_func @k::@g blocks in (%g, %g, %g) threads in (%g, %g, %g) args(%x : memref<8xf32>, %a : memref<8xf32>)
    gpu.launch_func @k::@g blocks in (%g, %g, %g) threads in (%g, %g, %g) args(%a : memref<8xf32>, %a : memref<8xf32>)
    gpu.launch_func @k::@h blocks in (%g, %g, %g) threads in (%g, %g, %g) args(%x : memref<8xf32>, %x : memref<8xf32>, %a : memref<8xf32>)
    return
  }
}

// -----

// Twelve bytes: a load of three aligned elements must not become one of four.
// CHECK-LABEL: gpu.func @ragged(
// CHECK-SAME:      memref<3xf32> {llvm.align = 4 : i64
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @ragged(%a: memref<3xf32>) kernel {
      %t = gpu.thread_id x
      %v = memref.load %a[%t] : memref<3xf32>
      memref.store %v, %a[%t] : memref<3xf32>
      gpu.return
    }
  }
  func.func @launch(%x: memref<3xf32>, %g: index) {
    gpu.launch_func @k::@ragged blocks in (%g, %g, %g) threads in (%g, %g, %g) args(%x : memref<3xf32>)
    return
  }
}
