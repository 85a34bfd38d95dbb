// Every legality rule: one function where it fires, one close to it where it
// does not. The decisions are read from the table.
// RUN: fuse-opt %s --fuse-print-groups -o /dev/null | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#flip = affine_map<(d0, d1) -> (d1, d0)>

// cycle: the first and the last operator may not join around a call ...
// CHECK-DAG: {{^}}producer-consumer{{ +}}no{{ +}}cycle{{ +}}{{.*}} cycle:{{[0-9]+}}:linalg.exp:{{.*}} -> cycle:{{[0-9]+}}:linalg.add:
func.func private @sort(tensor<64x64xf32>) -> tensor<64x64xf32>
func.func @cycle(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %a = linalg.exp ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = func.call @sort(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = linalg.add ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}
// ... but around an operator that joins as well they may.
// CHECK-DAG: {{^}}producer-consumer{{ +}}yes{{ +}}-{{ +}}{{.*}} no_cycle:{{[0-9]+}}:linalg.exp:{{.*}} -> no_cycle:{{[0-9]+}}:linalg.add:
func.func @no_cycle(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %a = linalg.exp ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = linalg.abs ins(%a : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = linalg.add ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}

// opaque: a call is no operator of a kernel; what does not depend on it fuses.
// CHECK-DAG: {{^}}producer-consumer{{ +}}no{{ +}}opaque{{ +}}{{.*}} cycle:{{[0-9]+}}:linalg.exp:{{.*}} -> cycle:{{[0-9]+}}:func.call:
// CHECK-DAG: {{^}}producer-consumer{{ +}}yes{{ +}}-{{ +}}{{.*}} not_opaque:{{[0-9]+}}:linalg.exp:{{.*}} -> not_opaque:{{[0-9]+}}:linalg.abs:
func.func @not_opaque(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %a = linalg.exp ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = func.call @sort(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = linalg.abs ins(%a : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %b, %s : tensor<64x64xf32>, tensor<64x64xf32>
}

// boundary: nothing crosses, not even as siblings ...
// CHECK-DAG: {{^}}producer-consumer{{ +}}no{{ +}}boundary{{ +}}{{.*}} boundary:{{[0-9]+}}:linalg.exp:{{.*}} -> boundary:{{[0-9]+}}:fuse.boundary:
// CHECK-DAG: {{^}}sibling{{ +}}no{{ +}}boundary{{ +}}{{.*}} boundary:{{[0-9]+}}:linalg.exp:{{.*}} -> boundary:{{[0-9]+}}:linalg.add:
func.func @boundary(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %a = linalg.exp ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = fuse.boundary %a : tensor<64x64xf32>
  %c = linalg.add ins(%b, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}
// ... but what lies on one side of it fuses.
// CHECK-DAG: {{^}}producer-consumer{{ +}}yes{{ +}}-{{ +}}{{.*}} no_boundary:{{[0-9]+}}:linalg.exp:{{.*}} -> no_boundary:{{[0-9]+}}:linalg.abs:
func.func @no_boundary(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %a = linalg.exp ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = linalg.abs ins(%a : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = fuse.boundary %c : tensor<64x64xf32>
  return %b : tensor<64x64xf32>
}

// never-fuse: the marked operator is alone, the others are not.
// CHECK-DAG: {{^}}producer-consumer{{ +}}no{{ +}}never-fuse{{ +}}{{.*}} never:{{[0-9]+}}:linalg.exp:{{.*}} -> never:{{[0-9]+}}:linalg.abs:
// CHECK-DAG: {{^}}producer-consumer{{ +}}yes{{ +}}-{{ +}}{{.*}} never:{{[0-9]+}}:linalg.abs:{{.*}} -> never:{{[0-9]+}}:linalg.negf:
func.func @never(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %a = linalg.exp {fuse.never_fuse} ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = linalg.abs ins(%a : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = linalg.negf ins(%b : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}

// user-group: a group made by hand takes nobody in; its neighbours may join.
// CHECK-DAG: {{^}}producer-consumer{{ +}}no{{ +}}user-group{{ +}}{{.*}} user:{{[0-9]+}}:fuse.group:{{.*}} -> user:{{[0-9]+}}:linalg.abs:
// CHECK-DAG: {{^}}producer-consumer{{ +}}yes{{ +}}-{{ +}}{{.*}} user:{{[0-9]+}}:linalg.abs:{{.*}} -> user:{{[0-9]+}}:linalg.negf:
func.func @user(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %g = fuse.group "mine" -> (tensor<64x64xf32>) {
    %a = linalg.exp ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
    fuse.yield %a : tensor<64x64xf32>
  }
  %b = linalg.abs ins(%g : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = linalg.negf ins(%b : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}

// class-pair: a scan shares a kernel with nobody; what is no scan does.
// CHECK-DAG: {{^}}producer-consumer{{ +}}no{{ +}}class-pair{{ +}}{{.*}} scan:{{[0-9]+}}:linalg.exp:{{.*}} -> scan:{{[0-9]+}}:linalg.abs:
// CHECK-DAG: {{^}}producer-consumer{{ +}}yes{{ +}}-{{ +}}{{.*}} scan:{{[0-9]+}}:linalg.abs:{{.*}} -> scan:{{[0-9]+}}:linalg.negf:
func.func @scan(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %a = linalg.exp {fuse.class = #fuse.class<scan, "by hand">} ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = linalg.abs ins(%a : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = linalg.negf ins(%b : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}

// nested-reduction: a matmul is not computed again for each element of another
// one, nor kept where a block has not all columns of that ...
// CHECK-DAG: {{^}}producer-consumer{{ +}}no{{ +}}{{nested-reduction|row-mismatch}}{{ +}}{{.*}} pair:{{[0-9]+}}:linalg.matmul:{{.*}} -> pair:{{[0-9]+}}:linalg.matmul:
func.func @pair(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %v: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %a = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  %f = tensor.empty() : tensor<64x1024xf32>
  %j = linalg.fill ins(%zero : f32) outs(%f : tensor<64x1024xf32>) -> tensor<64x1024xf32>
  %b = linalg.matmul ins(%a, %v : tensor<64x64xf32>, tensor<64x1024xf32>) outs(%j : tensor<64x1024xf32>) -> tensor<64x1024xf32>
  return %b : tensor<64x1024xf32>
}
// ... but the accumulator of a matmul may be another matmul: it is needed once,
// CHECK-DAG: {{^}}producer-consumer{{ +}}yes{{ +}}-{{ +}}{{.*}} accumulate:{{[0-9]+}}:linalg.matmul:{{.*}} -> accumulate:{{[0-9]+}}:linalg.matmul:
func.func @accumulate(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %a = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = linalg.matmul ins(%x, %v : tensor<64x64xf32>, tensor<64x64xf32>) outs(%a : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %b : tensor<64x64xf32>
}
// and an element-wise operator needs each of its elements once.
// CHECK-DAG: {{^}}producer-consumer{{ +}}yes{{ +}}-{{ +}}{{.*}} no_pair:{{[0-9]+}}:linalg.matmul:{{.*}} -> no_pair:{{[0-9]+}}:linalg.exp:
func.func @no_pair(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %a = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = linalg.exp ins(%a : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %b : tensor<64x64xf32>
}

// nested-reduction: the sum of one row is not computed again in all the others.
// CHECK-DAG: {{^}}producer-consumer{{ +}}no{{ +}}nested-reduction{{ +}}{{.*}} nested:{{[0-9]+}}:linalg.generic:{{.*}} -> nested:{{[0-9]+}}:linalg.generic:
func.func @nested(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %a = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x64xf32>) outs(%i : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %f = tensor.empty() : tensor<64x64xf32>
  %b = linalg.generic {indexing_maps = [#row, affine_map<(d0, d1) -> (d1)>, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %a : tensor<64xf32>, tensor<64xf32>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %0 = arith.subf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  return %b : tensor<64x64xf32>
}
// In its own row it is used freely.
// CHECK-DAG: {{^}}producer-consumer{{ +}}yes{{ +}}-{{ +}}{{.*}} own_row:{{[0-9]+}}:linalg.generic:{{.*}} -> own_row:{{[0-9]+}}:linalg.generic:
func.func @own_row(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %a = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x32xf32>) outs(%i : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %f = tensor.empty() : tensor<64x32xf32>
  %b = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %a : tensor<64x32xf32>, tensor<64xf32>) outs(%f : tensor<64x32xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %0 = arith.subf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<64x32xf32>
  return %b : tensor<64x32xf32>
}

// row-mismatch: a row sum and a column sum have different rows.
// CHECK-DAG: {{^}}producer-consumer{{ +}}no{{ +}}row-mismatch{{ +}}{{.*}} rows:{{[0-9]+}}:linalg.generic:{{.*}} -> rows:{{[0-9]+}}:linalg.generic:
func.func @rows(%x: tensor<64x32xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %a = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x32xf32>) outs(%i : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %e0 = tensor.empty() : tensor<f32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%a : tensor<64xf32>) outs(%i0 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %b : tensor<f32>
}
// Two sums over the same rows agree.
// CHECK-DAG: {{^}}sibling{{ +}}yes{{ +}}-{{ +}}{{.*}} same_rows:{{[0-9]+}}:linalg.generic:{{.*}} -> same_rows:{{[0-9]+}}:linalg.generic:
func.func @same_rows(%x: tensor<64x32xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %a = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x32xf32>) outs(%i : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %b = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x32xf32>) outs(%i : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  return %a, %b : tensor<64xf32>, tensor<64xf32>
}

// output-domain: part of a sum that is also a result has no thread of its own
// among those of the sum, and the sum is not evaluated twice.
// CHECK-DAG: {{^}}producer-consumer{{ +}}no{{ +}}output-domain{{ +}}{{.*}} domain:{{[0-9]+}}:linalg.reduce:{{.*}} -> domain:{{[0-9]+}}:tensor.extract_slice:
func.func @domain(%x: tensor<64x32xf32>) -> (tensor<64xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %a = linalg.reduce ins(%x : tensor<64x32xf32>) outs(%f : tensor<64xf32>) dimensions = [1]
    (%v: f32, %o: f32) {
      %0 = arith.addf %v, %o : f32
      linalg.yield %0 : f32
    }
  %b = tensor.extract_slice %a[8] [8] [1] : tensor<64xf32> to tensor<8xf32>
  return %a, %b : tensor<64xf32>, tensor<8xf32>
}
// What only computes elements may be done again: the small result by threads of
// its own, and by those of the large one.
// CHECK-DAG: {{^}}producer-consumer{{ +}}yes{{ +}}-{{ +}}{{.*}} no_domain:{{[0-9]+}}:linalg.exp:{{.*}} -> no_domain:{{[0-9]+}}:linalg.broadcast:
func.func @no_domain(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64x32xf32>) {
  %e = tensor.empty() : tensor<64xf32>
  %a = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %eb = tensor.empty() : tensor<64x32xf32>
  %b = linalg.broadcast ins(%a : tensor<64xf32>) outs(%eb : tensor<64x32xf32>) dimensions = [1]
  return %a, %b : tensor<64xf32>, tensor<64x32xf32>
}

// Sizes that are known at run time only are equal here, as the operators say.
// CHECK-DAG: {{^}}producer-consumer{{ +}}yes{{ +}}-{{ +}}{{.*}} dynamic:{{[0-9]+}}:linalg.exp:{{.*}} -> dynamic:{{[0-9]+}}:linalg.abs:
func.func @dynamic(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %a = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %b = linalg.abs ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %b : tensor<?xf32>
}

// A transposed read of a fused value is only index arithmetic.
// CHECK-DAG: {{^}}producer-consumer{{ +}}yes{{ +}}-{{ +}}{{.*}} flip:{{[0-9]+}}:linalg.exp:{{.*}} -> flip:{{[0-9]+}}:linalg.generic:
func.func @flip(%x: tensor<64x32xf32>) -> tensor<32x64xf32> {
  %e = tensor.empty() : tensor<64x32xf32>
  %a = linalg.exp ins(%x : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %et = tensor.empty() : tensor<32x64xf32>
  %b = linalg.generic {indexing_maps = [#flip, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<64x32xf32>) outs(%et : tensor<32x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.absf %in : f32
    linalg.yield %0 : f32
  } -> tensor<32x64xf32>
  return %b : tensor<32x64xf32>
}
