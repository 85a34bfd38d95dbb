// Groups whose outputs fall into several spaces are one kernel, with blocks of
// their own for each part. Results are those of the program without groups, on
// the emulator with all its checks; the assembler spills nothing.
// RUN: fuse-run %s --entry=siblings | FileCheck %s
// RUN: fuse-run %s --entry=qkv | FileCheck %s
// RUN: fuse-run %s --entry=rows_and_elements | FileCheck %s
// RUN: fuse-run %s --entry=staged_and_long_rows | FileCheck %s
// RUN: fuse-run %s --entry=both_axes | FileCheck %s
// RUN: fuse-run %s --entry=nothing_in_common | FileCheck %s
// CHECK: siblings_k {{ *}}packed {{ *[0-9]+ x [0-9]+ +[0-9]+ +0 }}
// CHECK: qkv_k {{ *}}packed {{ *[0-9]+ x [0-9]+ +[0-9]+ +0 }}
// CHECK: rows_and_elements_k {{ *}}packed {{ *[0-9]+ x [0-9]+ +[0-9]+ +0 }}
// CHECK: staged_and_long_rows_k {{ *}}packed {{ *[0-9]+ x [0-9]+ +[0-9]+ +0 }}
// CHECK: both_axes_k {{ *}}mixed {{ *[0-9]+ x [0-9]+ +[0-9]+ +0 }}
// CHECK: nothing_in_common_k {{ *}}packed {{ *[0-9]+ x [0-9]+ +[0-9]+ +0 }}
// CHECK: kernels{{ +}}6 -> 6
// CHECK: verified{{ +}}yes

#id1 = affine_map<(i) -> (i)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#col = affine_map<(i, j) -> (j)>

// Siblings of different sizes over one input; one needs what another stores.
func.func @siblings(%x: tensor<40x50xf32>)
    -> (tensor<40x50xf32>, tensor<10x50xf32>, tensor<40xf32>) {
  %r:3 = fuse.group "siblings_k" -> (tensor<40x50xf32>, tensor<10x50xf32>,
                                 tensor<40xf32>) {
    %e = math.exp %x : tensor<40x50xf32>
    %s = tensor.extract_slice %e[7, 0] [10, 50] [3, 1]
        : tensor<40x50xf32> to tensor<10x50xf32>
    %n = arith.negf %s : tensor<10x50xf32>
    %c = tensor.extract_slice %x[0, 3] [40, 1] [1, 1]
        : tensor<40x50xf32> to tensor<40xf32>
    %a = math.absf %c : tensor<40xf32>
    fuse.yield %e, %n, %a
        : tensor<40x50xf32>, tensor<10x50xf32>, tensor<40xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<40x50xf32>, tensor<10x50xf32>, tensor<40xf32>
}

// Contractions of one input with weights of unequal widths.
func.func @qkv(%x: tensor<6x32xf32>, %wq: tensor<32x48xf32>,
               %wk: tensor<32x16xf32>, %wv: tensor<32x16xf32>)
    -> (tensor<6x48xf32>, tensor<6x16xf32>, tensor<6x16xf32>) {
  %r:3 = fuse.group "qkv_k" -> (tensor<6x48xf32>, tensor<6x16xf32>,
                                 tensor<6x16xf32>) {
    %zero = arith.constant 0.0 : f32
    %eq = tensor.empty() : tensor<6x48xf32>
    %ek = tensor.empty() : tensor<6x16xf32>
    %fq = linalg.fill ins(%zero : f32) outs(%eq : tensor<6x48xf32>) -> tensor<6x48xf32>
    %fk = linalg.fill ins(%zero : f32) outs(%ek : tensor<6x16xf32>) -> tensor<6x16xf32>
    %q = linalg.matmul ins(%x, %wq : tensor<6x32xf32>, tensor<32x48xf32>)
        outs(%fq : tensor<6x48xf32>) -> tensor<6x48xf32>
    %k = linalg.matmul ins(%x, %wk : tensor<6x32xf32>, tensor<32x16xf32>)
        outs(%fk : tensor<6x16xf32>) -> tensor<6x16xf32>
    %v = linalg.matmul ins(%x, %wv : tensor<6x32xf32>, tensor<32x16xf32>)
        outs(%fk : tensor<6x16xf32>) -> tensor<6x16xf32>
    fuse.yield %q, %k, %v : tensor<6x48xf32>, tensor<6x16xf32>, tensor<6x16xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<6x48xf32>, tensor<6x16xf32>, tensor<6x16xf32>
}

// Rows of one width, a warp each, beside rows of another, a block each, beside
// elements of other types.
func.func @rows_and_elements(%x: tensor<9x64xf32>, %y: tensor<5x3000xf32>,
                             %h: tensor<100xf16>, %i: tensor<33xi64>)
    -> (tensor<9x64xf32>, tensor<5xf32>, tensor<100xf16>, tensor<33xi64>) {
  %r:4 = fuse.group "rows_and_elements_k" -> (tensor<9x64xf32>, tensor<5xf32>,
                                 tensor<100xf16>, tensor<33xi64>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<9x64xf32>
    %s = linalg.softmax dimension(1) ins(%x : tensor<9x64xf32>)
        outs(%e : tensor<9x64xf32>) -> tensor<9x64xf32>
    %e5 = tensor.empty() : tensor<5xf32>
    %f5 = linalg.fill ins(%zero : f32) outs(%e5 : tensor<5xf32>) -> tensor<5xf32>
    %t = linalg.generic {indexing_maps = [#id, #row],
        iterator_types = ["parallel", "reduction"]}
        ins(%y : tensor<5x3000xf32>) outs(%f5 : tensor<5xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %a, %o : f32
      linalg.yield %0 : f32
    } -> tensor<5xf32>
    %g = arith.addf %h, %h : tensor<100xf16>
    %j = arith.muli %i, %i : tensor<33xi64>
    fuse.yield %s, %t, %g, %j
        : tensor<9x64xf32>, tensor<5xf32>, tensor<100xf16>, tensor<33xi64>
  }
  return %r#0, %r#1, %r#2, %r#3
      : tensor<9x64xf32>, tensor<5xf32>, tensor<100xf16>, tensor<33xi64>
}

// Short rows that are staged in shared memory beside rows that are kept there.
func.func @staged_and_long_rows(%x: tensor<100x33xf32>, %y: tensor<2x40000xf32>)
    -> (tensor<100x33xf32>, tensor<2x40000xf32>) {
  %r:2 = fuse.group "staged_and_long_rows_k" -> (tensor<100x33xf32>, tensor<2x40000xf32>) {
    %e = tensor.empty() : tensor<100x33xf32>
    %s = linalg.softmax dimension(1) ins(%x : tensor<100x33xf32>)
        outs(%e : tensor<100x33xf32>) -> tensor<100x33xf32>
    %el = tensor.empty() : tensor<2x40000xf32>
    %l = linalg.softmax dimension(1) ins(%y : tensor<2x40000xf32>)
        outs(%el : tensor<2x40000xf32>) -> tensor<2x40000xf32>
    fuse.yield %s, %l : tensor<100x33xf32>, tensor<2x40000xf32>
  }
  return %r#0, %r#1 : tensor<100x33xf32>, tensor<2x40000xf32>
}

// Two reductions over different axes of one input.
func.func @both_axes(%x: tensor<48x80xf32>)
    -> (tensor<48xf32>, tensor<80xf32>) {
  %r:2 = fuse.group "both_axes_k" -> (tensor<48xf32>, tensor<80xf32>) {
    %zero = arith.constant 0.0 : f32
    %er = tensor.empty() : tensor<48xf32>
    %fr = linalg.fill ins(%zero : f32) outs(%er : tensor<48xf32>) -> tensor<48xf32>
    %ec = tensor.empty() : tensor<80xf32>
    %fc = linalg.fill ins(%zero : f32) outs(%ec : tensor<80xf32>) -> tensor<80xf32>
    %sr = linalg.generic {indexing_maps = [#id, #row],
        iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<48x80xf32>) outs(%fr : tensor<48xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %a, %o : f32
      linalg.yield %0 : f32
    } -> tensor<48xf32>
    %sc = linalg.generic {indexing_maps = [#id, #col],
        iterator_types = ["reduction", "parallel"]}
        ins(%x : tensor<48x80xf32>) outs(%fc : tensor<80xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %a, %o : f32
      linalg.yield %0 : f32
    } -> tensor<80xf32>
    fuse.yield %sr, %sc : tensor<48xf32>, tensor<80xf32>
  }
  return %r#0, %r#1 : tensor<48xf32>, tensor<80xf32>
}

// Equal sizes, but nothing in common other than a scalar: threads of their own.
func.func @nothing_in_common(%a: tensor<1000xf32>, %b: tensor<1000xf32>,
                             %lr: tensor<f32>)
    -> (tensor<1000xf32>, tensor<1000xf32>) {
  %r:2 = fuse.group "nothing_in_common_k" -> (tensor<1000xf32>, tensor<1000xf32>) {
    %e = tensor.empty() : tensor<1000xf32>
    %p = linalg.generic {indexing_maps = [#id1, affine_map<(i) -> ()>, #id1],
        iterator_types = ["parallel"]}
        ins(%a, %lr : tensor<1000xf32>, tensor<f32>)
        outs(%e : tensor<1000xf32>) {
    ^bb0(%v: f32, %l: f32, %o: f32):
      %0 = arith.mulf %v, %l : f32
      linalg.yield %0 : f32
    } -> tensor<1000xf32>
    %q = linalg.generic {indexing_maps = [#id1, affine_map<(i) -> ()>, #id1],
        iterator_types = ["parallel"]}
        ins(%b, %lr : tensor<1000xf32>, tensor<f32>)
        outs(%e : tensor<1000xf32>) {
    ^bb0(%v: f32, %l: f32, %o: f32):
      %0 = arith.subf %v, %l : f32
      linalg.yield %0 : f32
    } -> tensor<1000xf32>
    fuse.yield %p, %q : tensor<1000xf32>, tensor<1000xf32>
  }
  return %r#0, %r#1 : tensor<1000xf32>, tensor<1000xf32>
}
