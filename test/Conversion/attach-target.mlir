// RUN: fuse-opt %s --fuse-attach-target | FileCheck %s --check-prefix=DEFAULT
// RUN: fuse-opt %s --fuse-attach-device=name=a100 --fuse-attach-target | FileCheck %s --check-prefix=A100
// RUN: fuse-opt %s --fuse-attach-target=chip=sm_100 | FileCheck %s --check-prefix=SM100
// RUN: fuse-opt %s --fuse-attach-target=features=+ptx85 | FileCheck %s --check-prefix=PTX85
// RUN: fuse-opt %s --fuse-attach-target=opt-level=0 | FileCheck %s --check-prefix=LEVEL
// RUN: not fuse-opt %s --fuse-attach-target=opt-level=4 2>&1 | FileCheck %s --check-prefix=HIGH
// RUN: not fuse-opt %s --fuse-attach-target=chip=sm_13 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not fuse-opt %s --fuse-attach-target="chip=sm_100 features=+ptx78" 2>&1 | FileCheck %s --check-prefix=OLD

// The chip follows from the device; the version of PTX is never LLVM's default.
// DEFAULT: gpu.module @k [#nvvm.target<O = 3, chip = "sm_90", features = "+ptx84">]
// A100: gpu.module @k [#nvvm.target<O = 3, chip = "sm_80", features = "+ptx83">]
// SM100: gpu.module @k [#nvvm.target<O = 3, chip = "sm_100", features = "+ptx86">]
// PTX85: gpu.module @k [#nvvm.target<O = 3, chip = "sm_90", features = "+ptx85">]
// LEVEL: gpu.module @k [#nvvm.target<O = 0, chip = "sm_90", features = "+ptx84">]
gpu.module @k {
}

// A module that has targets keeps them.
// SM100: gpu.module @other [#nvvm.target<chip = "sm_75">]
gpu.module @other [#nvvm.target<chip = "sm_75">] {
}

// CHIP: error: expected option 'chip' to be one of sm_75, {{.*}}, but got 'sm_13'
// OLD: error: expected option 'features' to be '+ptx86' or a later PTX version up to '+ptx88' for sm_100, but got '+ptx78'
// HIGH: error: expected option 'opt-level' to be 0 to 3, but got 4
