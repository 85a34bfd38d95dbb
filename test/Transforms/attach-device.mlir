// RUN: fuse-opt %s --fuse-attach-device | FileCheck %s --check-prefix=H200
// RUN: fuse-opt %s --fuse-attach-device=name=a100 | FileCheck %s --check-prefix=A100
// RUN: fuse-opt %s --fuse-attach-device=name=h100 --fuse-attach-device=name=h100 | FileCheck %s --check-prefix=H100
// RUN: not fuse-opt %s --fuse-attach-device=name=h100 --fuse-attach-device=name=a100 2>&1 | FileCheck %s --check-prefix=CONFLICT
// RUN: not fuse-opt %s --fuse-attach-device=name=abacus 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// H200: dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<"fuse.device" = "h200", "fuse.chip" = "sm_90", "fuse.sm_count" = 132
// H200-SAME: "fuse.dram_gb_per_s" = 4800
// A100: "fuse.device" = "a100", "fuse.chip" = "sm_80", "fuse.sm_count" = 108
// H100: "fuse.device" = "h100"
// H100-NOT: "fuse.device"
// CONFLICT: error: expected no other device, but got 'h100' attached where 'a100' is asked for
// UNKNOWN: error: unknown device 'abacus'; known are 'a100', 'a100-40', 'a100-80', 'b200', 'h100', 'h100-pcie', 'h100-sxm', 'h200', 'l4', 'rtx4090', 't4'
module {
}
