// RUN: fuse-opt %s --fuse-print-group-shapes -o /dev/null | FileCheck %s

// Which updates of reductions threads can share (path row), and which ones look
// like it but depend on the order of the elements (path general).

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = affine_map<(i, j, k) -> (i)>
#all = affine_map<(i, j, k) -> (i, j, k)>

// The place of the largest element: the comparison may be written either way
// round, and choose either way.
// CHECK: fuse.group: row 64 x 1000
func.func @argmax(%x: tensor<64x1000xf32>, %v: tensor<64xf32>, %p: tensor<64xi32>) -> tensor<64xi32> {
  %r = fuse.group -> (tensor<64xi32>) {
    %0:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<64x1000xf32>) outs(%v, %p : tensor<64xf32>, tensor<64xi32>) {
    ^bb0(%a: f32, %best: f32, %where: i32):
      %j = linalg.index 1 : index
      %n = arith.index_cast %j : index to i32
      %keep = arith.cmpf oge, %best, %a : f32
      %m = arith.select %keep, %best, %a : f32
      %w = arith.select %keep, %where, %n : i32
      linalg.yield %m, %w : f32, i32
    } -> (tensor<64xf32>, tensor<64xi32>)
    fuse.yield %0#1 : tensor<64xi32>
  }
  return %r : tensor<64xi32>
}

// StableHLO's: of equal values the one with the smaller label is kept.
// CHECK: fuse.group: row 64 x 1000
func.func @labelled(%x: tensor<64x1000xf32>, %y: tensor<64x1000xi32>, %v: tensor<64xf32>, %p: tensor<64xi32>) -> tensor<64xi32> {
  %r = fuse.group -> (tensor<64xi32>) {
    %0:2 = linalg.generic {indexing_maps = [#id, #id, #row, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x, %y : tensor<64x1000xf32>, tensor<64x1000xi32>) outs(%v, %p : tensor<64xf32>, tensor<64xi32>) {
    ^bb0(%a: f32, %n: i32, %best: f32, %where: i32):
      %better = arith.cmpf ogt, %best, %a : f32
      %nan = arith.cmpf une, %best, %best : f32
      %keep = arith.ori %better, %nan : i1
      %equal = arith.cmpf oeq, %best, %a : f32
      %before = arith.cmpi slt, %where, %n : i32
      %tie = arith.andi %equal, %before : i1
      %stay = arith.ori %keep, %tie : i1
      %m = arith.select %keep, %best, %a : f32
      %w = arith.select %stay, %where, %n : i32
      linalg.yield %m, %w : f32, i32
    } -> (tensor<64xf32>, tensor<64xi32>)
    fuse.yield %0#1 : tensor<64xi32>
  }
  return %r : tensor<64xi32>
}

// The value is the last of equal ones, the label is not: of -0 and 0 no part
// would know which one to take.
// CHECK: fuse.group: general 64 x 1
func.func @labelled_value(%x: tensor<64x1000xf32>, %y: tensor<64x1000xi32>, %v: tensor<64xf32>, %p: tensor<64xi32>) -> tensor<64xf32> {
  %r = fuse.group -> (tensor<64xf32>) {
    %0:2 = linalg.generic {indexing_maps = [#id, #id, #row, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x, %y : tensor<64x1000xf32>, tensor<64x1000xi32>) outs(%v, %p : tensor<64xf32>, tensor<64xi32>) {
    ^bb0(%a: f32, %n: i32, %best: f32, %where: i32):
      %keep = arith.cmpf ogt, %best, %a : f32
      %equal = arith.cmpf oeq, %best, %a : f32
      %before = arith.cmpi slt, %where, %n : i32
      %tie = arith.andi %equal, %before : i1
      %stay = arith.ori %keep, %tie : i1
      %m = arith.select %keep, %best, %a : f32
      %w = arith.select %stay, %where, %n : i32
      linalg.yield %m, %w : f32, i32
    } -> (tensor<64xf32>, tensor<64xi32>)
    fuse.yield %0#0 : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// What is carried along need not be an index.
// CHECK: fuse.group: row 64 x 1000
func.func @value_at_max(%x: tensor<64x1000xf32>, %y: tensor<64x1000xf16>, %v: tensor<64xf32>, %p: tensor<64xf16>) -> tensor<64xf16> {
  %r = fuse.group -> (tensor<64xf16>) {
    %0:2 = linalg.generic {indexing_maps = [#id, #id, #row, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x, %y : tensor<64x1000xf32>, tensor<64x1000xf16>) outs(%v, %p : tensor<64xf32>, tensor<64xf16>) {
    ^bb0(%a: f32, %b: f16, %best: f32, %other: f16):
      %c = arith.cmpf ogt, %a, %best : f32
      %m = arith.select %c, %a, %best : f32
      %w = arith.select %c, %b, %other : f16
      linalg.yield %m, %w : f32, f16
    } -> (tensor<64xf32>, tensor<64xf16>)
    fuse.yield %0#1 : tensor<64xf16>
  }
  return %r : tensor<64xf16>
}

// A number that is compared in another form than it is kept in may come from an
// element that is not the best one.
// CHECK: fuse.group: general 64 x 1
func.func @compares_another(%x: tensor<64x1000xf32>, %v: tensor<64xf32>, %p: tensor<64xi32>) -> tensor<64xi32> {
  %r = fuse.group -> (tensor<64xi32>) {
    %0:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<64x1000xf32>) outs(%v, %p : tensor<64xf32>, tensor<64xi32>) {
    ^bb0(%a: f32, %best: f32, %where: i32):
      %j = linalg.index 1 : index
      %n = arith.index_cast %j : index to i32
      %abs = math.absf %a : f32
      %c = arith.cmpf ogt, %abs, %best : f32
      %m = arith.select %c, %a, %best : f32
      %w = arith.select %c, %n, %where : i32
      linalg.yield %m, %w : f32, i32
    } -> (tensor<64xf32>, tensor<64xi32>)
    fuse.yield %0#1 : tensor<64xi32>
  }
  return %r : tensor<64xi32>
}

// The place depends on the earlier ones: a count of improvements.
// CHECK: fuse.group: general 64 x 1
func.func @counts_records(%x: tensor<64x1000xf32>, %v: tensor<64xf32>, %p: tensor<64xi32>) -> tensor<64xi32> {
  %r = fuse.group -> (tensor<64xi32>) {
    %0:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<64x1000xf32>) outs(%v, %p : tensor<64xf32>, tensor<64xi32>) {
    ^bb0(%a: f32, %best: f32, %count: i32):
      %one = arith.constant 1 : i32
      %n = arith.addi %count, %one : i32
      %c = arith.cmpf ogt, %a, %best : f32
      %m = arith.select %c, %a, %best : f32
      %w = arith.select %c, %n, %count : i32
      linalg.yield %m, %w : f32, i32
    } -> (tensor<64xf32>, tensor<64xi32>)
    fuse.yield %0#1 : tensor<64xi32>
  }
  return %r : tensor<64xi32>
}

// Elements left out by a condition of their own, and a sum that is subtracted.
// CHECK: fuse.group: row 64 x 1000
func.func @conditional(%x: tensor<64x1000xf32>, %v: tensor<64xf32>) -> tensor<64xf32> {
  %r = fuse.group -> (tensor<64xf32>) {
    %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<64x1000xf32>) outs(%v : tensor<64xf32>) {
    ^bb0(%a: f32, %acc: f32):
      %nan = arith.cmpf uno, %a, %a : f32
      %s = arith.subf %acc, %a : f32
      %n = arith.select %nan, %acc, %s : f32
      linalg.yield %n : f32
    } -> tensor<64xf32>
    fuse.yield %0 : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// A condition on the sum so far, and a sum that changes sides.
// CHECK: fuse.group: general 64 x 1
func.func @until(%x: tensor<64x1000xf32>, %v: tensor<64xf32>) -> tensor<64xf32> {
  %r = fuse.group -> (tensor<64xf32>) {
    %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<64x1000xf32>) outs(%v : tensor<64xf32>) {
    ^bb0(%a: f32, %acc: f32):
      %zero = arith.constant 0.0 : f32
      %enough = arith.cmpf ogt, %acc, %zero : f32
      %s = arith.addf %acc, %a : f32
      %n = arith.select %enough, %acc, %s : f32
      linalg.yield %n : f32
    } -> tensor<64xf32>
    fuse.yield %0 : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// CHECK: fuse.group: general 64 x 1
func.func @alternating(%x: tensor<64x1000xf32>, %v: tensor<64xf32>) -> tensor<64xf32> {
  %r = fuse.group -> (tensor<64xf32>) {
    %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<64x1000xf32>) outs(%v : tensor<64xf32>) {
    ^bb0(%a: f32, %acc: f32):
      %s = arith.subf %a, %acc : f32
      linalg.yield %s : f32
    } -> tensor<64xf32>
    fuse.yield %0 : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// A running mean; one that divides by another number is none.
// CHECK: fuse.group: row 64 x 1000
func.func @mean(%x: tensor<64x1000xf32>, %n0: tensor<64xf32>, %m0: tensor<64xf32>) -> tensor<64xf32> {
  %r = fuse.group -> (tensor<64xf32>) {
    %0:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<64x1000xf32>) outs(%n0, %m0 : tensor<64xf32>, tensor<64xf32>) {
    ^bb0(%a: f32, %n: f32, %m: f32):
      %one = arith.constant 1.0 : f32
      %n1 = arith.addf %n, %one : f32
      %d = arith.subf %a, %m : f32
      %q = arith.divf %d, %n1 : f32
      %m1 = arith.addf %q, %m : f32
      linalg.yield %n1, %m1 : f32, f32
    } -> (tensor<64xf32>, tensor<64xf32>)
    fuse.yield %0#1 : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// CHECK: fuse.group: general 64 x 1
func.func @decaying_mean(%x: tensor<64x1000xf32>, %n0: tensor<64xf32>, %m0: tensor<64xf32>) -> tensor<64xf32> {
  %r = fuse.group -> (tensor<64xf32>) {
    %0:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<64x1000xf32>) outs(%n0, %m0 : tensor<64xf32>, tensor<64xf32>) {
    ^bb0(%a: f32, %n: f32, %m: f32):
      %one = arith.constant 1.0 : f32
      %n1 = arith.addf %n, %one : f32
      %d = arith.subf %a, %m : f32
      %q = arith.divf %d, %n : f32
      %m1 = arith.addf %q, %m : f32
      linalg.yield %n1, %m1 : f32, f32
    } -> (tensor<64xf32>, tensor<64xf32>)
    fuse.yield %0#1 : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// Over two loops the number of the iteration is carried along.
// CHECK: fuse.group: row 64 x 1000
func.func @argmax_two_loops(%x: tensor<64x10x100xi32>, %v: tensor<64xi32>, %p: tensor<64xi32>) -> tensor<64xi32> {
  %r = fuse.group -> (tensor<64xi32>) {
    %0:2 = linalg.generic {indexing_maps = [#all, #one, #one], iterator_types = ["parallel", "reduction", "reduction"]}
        ins(%x : tensor<64x10x100xi32>) outs(%v, %p : tensor<64xi32>, tensor<64xi32>) {
    ^bb0(%a: i32, %best: i32, %where: i32):
      %k = linalg.index 2 : index
      %n = arith.index_cast %k : index to i32
      %c = arith.cmpi ugt, %a, %best : i32
      %m = arith.select %c, %a, %best : i32
      %w = arith.select %c, %n, %where : i32
      linalg.yield %m, %w : i32, i32
    } -> (tensor<64xi32>, tensor<64xi32>)
    fuse.yield %0#1 : tensor<64xi32>
  }
  return %r : tensor<64xi32>
}

// An element that is chosen without regard to what was there replaces it: of all,
// the last one counts.
// CHECK: fuse.group: row 64 x 1000
func.func @last_chosen(%x: tensor<64x1000xf32>, %c: tensor<64x1000xi1>, %v: tensor<64xf32>) -> tensor<64xf32> {
  %r = fuse.group -> (tensor<64xf32>) {
    %0 = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x, %c : tensor<64x1000xf32>, tensor<64x1000xi1>) outs(%v : tensor<64xf32>) {
    ^bb0(%a: f32, %keeps: i1, %o: f32):
      %n = arith.select %keeps, %o, %a : f32
      linalg.yield %n : f32
    } -> tensor<64xf32>
    fuse.yield %0 : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}
