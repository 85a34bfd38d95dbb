// Bad options are errors that name the accepted set; nothing is written.
// RUN: not fuse-opt %s --fuse-form-groups=mode=some 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: not fuse-opt %s --fuse-form-groups=strategy=luck 2>&1 | FileCheck %s --check-prefix=STRATEGY
// RUN: not fuse-opt %s --fuse-form-groups=cost-model=oracle 2>&1 | FileCheck %s --check-prefix=MODEL
// RUN: not fuse-opt %s --pass-pipeline="builtin.module(fuse-form-groups{cost-model=analytic{speed=1}})" 2>&1 | FileCheck %s --check-prefix=KEY
// RUN: not fuse-opt %s --pass-pipeline="builtin.module(fuse-form-groups{cost-model=analytic{speed}})" 2>&1 | FileCheck %s --check-prefix=PAIR
// RUN: not fuse-opt %s --fuse-form-groups=constraints=mine 2>&1 | FileCheck %s --check-prefix=CONSTRAINT
// RUN: not fuse-opt %s --fuse-form-groups=report=%t.dir/none/r.json 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: mkdir -p %t.dir && not fuse-opt %s --fuse-form-groups=report=%t.dir 2>&1 | FileCheck %s --check-prefix=DIR
// RUN: ls %t.dir | count 0

// MODE: error: expected mode 'all', 'producer-consumer' or 'sibling', but got 'some'
// STRATEGY: error: expected strategy greedy, optimal, max, none, policy-xla, policy-tvm, policy-inductor, policy-nvfuser or policy-iree, but got 'luck'
// MODEL: error: unknown cost model 'oracle'; known are 'always', 'analytic', 'never', 'profile', 'ptxas', 'traffic'
// KEY: error: unknown option 'speed' of cost model 'analytic'; known is 'graph'
// PAIR: error: expected 'key=value' in the options of a cost model, but got 'speed'
// CONSTRAINT: error: unknown group constraint 'mine'; known are 'fuse-codegen'
// FILE: error: cannot write report '{{.*}}r.json': {{[Nn]}}o such file or directory
// DIR: error: cannot write report '{{.*}}': it is a directory
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}
