// RUN: fuse-opt %s --pass-pipeline='builtin.module(gpu.module(fuse-expand-conversions))' | FileCheck %s --check-prefixes=CHECK,OLD,ARITH
// RUN: sed s/sm_75/sm_80/ %s > %t.80.mlir
// RUN: fuse-opt %t.80.mlir --pass-pipeline='builtin.module(gpu.module(fuse-expand-conversions))' | FileCheck %s --check-prefixes=CHECK,HALVES,ARITH
// RUN: sed s/sm_75/sm_89/ %s > %t.89.mlir
// RUN: fuse-opt %t.89.mlir --pass-pipeline='builtin.module(gpu.module(fuse-expand-conversions))' | FileCheck %s --check-prefixes=CHECK,HALVES,BYTES

gpu.module @m [#nvvm.target<chip = "sm_75">] {
  // Two bf16 of a vector lie in a word, of which either half makes an f32. An
  // addition that is rounded to bf16 at once is left to LLVM.
  // CHECK-LABEL: gpu.func @widen
  // CHECK:         %[[V:.*]] = vector.load
  // CHECK:         %[[WORDS:.*]] = vector.bitcast %[[V]] : vector<4xbf16> to vector<2xi32>
  // CHECK:         %[[LOW:.*]] = vector.extract %[[WORDS]][0]
  // CHECK:         arith.shli %[[LOW]], %{{.*}} : i32
  // CHECK:         %[[SAME:.*]] = vector.bitcast %[[V]] : vector<4xbf16> to vector<2xi32>
  // CHECK:         %[[HIGH:.*]] = vector.extract %[[SAME]][1]
  // CHECK:         arith.andi %[[HIGH]], %{{.*}} : i32
  // CHECK:         arith.extf %{{.*}} : bf16 to f32
  // CHECK-NOT:     arith.extf
  gpu.func @widen(%x: memref<4xbf16>, %out: memref<3xf32>, %half: memref<1xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = vector.load %x[%c0] : memref<4xbf16>, vector<4xbf16>
    %a = vector.extract %v[0] : bf16 from vector<4xbf16>
    %d = vector.extract %v[3] : bf16 from vector<4xbf16>
    %b = vector.extract %v[1] : bf16 from vector<4xbf16>
    %0 = arith.extf %a : bf16 to f32
    memref.store %0, %out[%c0] : memref<3xf32>
    %1 = arith.extf %d : bf16 to f32
    memref.store %1, %out[%c1] : memref<3xf32>
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.addf %2, %2 : f32
    %4 = arith.truncf %3 : f32 to bf16
    memref.store %4, %half[%c0] : memref<1xbf16>
    gpu.return
  }

  // Two neighbours that the source rounds in between: one instruction, from
  // sm_80 on. What depends on the first one moves behind it.
  // CHECK-LABEL: gpu.func @neighbours
  // OLD-COUNT-2:    arith.truncf %{{.*}} : f32 to bf16
  // HALVES:         %[[X:.*]] = arith.mulf
  // HALVES:         %[[Y:.*]] = arith.mulf
  // HALVES-NEXT:    %[[WIDE:.*]] = vector.from_elements %[[X]], %[[Y]] : vector<2xf32>
  // HALVES-NEXT:    %[[BOTH:.*]] = arith.truncf %[[WIDE]] : vector<2xf32> to vector<2xbf16>
  // HALVES-NOT:     arith.truncf
  // HALVES:         memref.store
  gpu.func @neighbours(%x: f32, %y: f32, %out: memref<2xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = arith.mulf %x, %x : f32
    %1 = arith.truncf %0 : f32 to bf16
    %2 = arith.extf %1 : bf16 to f32
    %3 = arith.addf %2, %x : f32
    %4 = arith.mulf %y, %y : f32
    %5 = arith.truncf %4 : f32 to bf16
    %6 = arith.extf %5 : bf16 to f32
    %7 = arith.addf %6, %y : f32
    memref.store %3, %out[%c0] : memref<2xf32>
    memref.store %7, %out[%c1] : memref<2xf32>
    gpu.return
  }

  // What is stored before the second one cannot move behind it, and what
  // depends on the first one is no neighbour.
  // CHECK-LABEL: gpu.func @apart
  // CHECK-COUNT-3: arith.truncf %{{.*}} : f32 to f16
  // CHECK-NOT:     arith.truncf
  gpu.func @apart(%x: f32, %y: f32, %out: memref<3xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %0 = arith.truncf %x : f32 to f16
    %1 = arith.extf %0 : f16 to f32
    memref.store %1, %out[%c0] : memref<3xf32>
    %2 = arith.truncf %y : f32 to f16
    %3 = arith.extf %2 : f16 to f32
    %4 = arith.mulf %3, %y : f32
    %5 = arith.truncf %4 : f32 to f16
    %6 = arith.extf %5 : f16 to f32
    memref.store %3, %out[%c1] : memref<3xf32>
    memref.store %6, %out[%c2] : memref<3xf32>
    gpu.return
  }

  // LLVM pairs what is stored.
  // CHECK-LABEL: gpu.func @stored
  // CHECK-COUNT-2: arith.truncf %{{.*}} : f32 to f16
  gpu.func @stored(%x: f32, %y: f32, %out: memref<2xf16>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = arith.truncf %x : f32 to f16
    %1 = arith.truncf %y : f32 to f16
    memref.store %0, %out[%c0] : memref<2xf16>
    memref.store %1, %out[%c1] : memref<2xf16>
    gpu.return
  }

  // 8-bit floats: arithmetic, and one instruction for two from sm_89 on, which
  // saturates: 1 is added where the result has to be NaN.
  // CHECK-LABEL: gpu.func @bytes
  // ARITH-NOT:      llvm.nvvm
  // ARITH:          arith.shrui
  // ARITH-NOT:      llvm.nvvm
  // BYTES:          %[[BITS:.*]] = llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"(%[[Y:.*]], %[[X:.*]]) : (f32, f32) -> i16
  // BYTES:          arith.cmpf ogt
  // BYTES:          arith.addi %[[BITS]]
  // BYTES:          arith.cmpf ogt
  // BYTES:          arith.addi
  // BYTES-NOT:      llvm.nvvm
  // CHECK:          gpu.return
  gpu.func @bytes(%x: f32, %y: f32, %out: memref<2xf8E4M3FN>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = arith.truncf %x : f32 to f8E4M3FN
    %1 = arith.truncf %y : f32 to f8E4M3FN
    memref.store %0, %out[%c0] : memref<2xf8E4M3FN>
    memref.store %1, %out[%c1] : memref<2xf8E4M3FN>
    gpu.return
  }

  // The nearest integer is one instruction. One that something else reads as a
  // float is converted by itself.
  // CHECK-LABEL: gpu.func @integers
  // CHECK:         %[[I:.*]] = llvm.call_intrinsic "llvm.nvvm.f2i.rn"(%{{.*}}) : (f32) -> i32
  // CHECK-NEXT:    arith.trunci %[[I]] : i32 to i8
  // CHECK:         math.roundeven
  // CHECK:         arith.fptosi %{{.*}} : f32 to i32
  gpu.func @integers(%x: f32, %out: memref<1xi8>, %wide: memref<1xi32>, %float: memref<1xf32>) kernel {
    %c0 = arith.constant 0 : index
    %0 = math.roundeven %x : f32
    %1 = arith.fptosi %0 : f32 to i8
    memref.store %1, %out[%c0] : memref<1xi8>
    %2 = math.roundeven %x : f32
    %3 = arith.fptosi %2 : f32 to i32
    memref.store %3, %wide[%c0] : memref<1xi32>
    memref.store %2, %float[%c0] : memref<1xf32>
    gpu.return
  }
}
