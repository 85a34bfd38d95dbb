// Where nothing can be assembled, `ptxas` estimates, and says why.
// RUN: fuse-opt %s -o /dev/null --remarks-filter="fuse-form-groups" --pass-pipeline="builtin.module(fuse-form-groups{cost-model=ptxas{assemble=always program=/does/not/exist}})" 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: fuse-opt %s -o /dev/null --pass-pipeline="builtin.module(fuse-print-groups{cost-model=ptxas{assemble=always program=/does/not/exist}})" > %t.ptxas
// RUN: fuse-opt %s -o /dev/null --fuse-print-groups > %t.analytic
// RUN: diff %t.ptxas %t.analytic
// RUN: fuse-opt %s -o /dev/null --remarks-filter="fuse-form-groups" --pass-pipeline="builtin.module(fuse-form-groups)" 2>&1 | FileCheck %s --check-prefix=SILENT
// SILENT-NOT: PriceNote
// RUN: not fuse-opt %s --pass-pipeline="builtin.module(fuse-form-groups{cost-model=ptxas{assemble=some}})" 2>&1 | FileCheck %s --check-prefix=ASSEMBLE
// RUN: not fuse-opt %s --pass-pipeline="builtin.module(fuse-form-groups{cost-model=ptxas{speed=1}})" 2>&1 | FileCheck %s --check-prefix=KEY
// RUN: not fuse-opt %s --pass-pipeline="builtin.module(fuse-form-groups{cost-model=ptxas{cache=/dev/null/x}})" 2>&1 | FileCheck %s --check-prefix=CACHE

// ASSEMBLE: error: expected option 'assemble' of cost model 'ptxas' to be 'needed' or 'always', but got 'some'
// KEY: error: unknown option 'speed' of cost model 'ptxas'; known are 'assemble', 'cache', 'program'
// CACHE: error: cannot make folder '/dev/null/x' for option 'cache' of cost model 'ptxas':

// MISSING: remark: [Analysis] PriceNote | Category:fuse-form-groups | Function=known
// MISSING-SAME: Remark="registers, spills and code are estimated: there is no ptxas", kernel=known_0_exp
func.func @known(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %e = tensor.empty() : tensor<64x128xf32>
  %a = linalg.exp ins(%x : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %b = linalg.abs ins(%a : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %b : tensor<64x128xf32>
}

// A size that is known at run time only: the price is that of an assumed one.
// MISSING: PriceNote
// MISSING-SAME: Remark="registers, spills and code are estimated: there is no ptxas"
func.func @unknown(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %a = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %a : tensor<?xf32>
}
