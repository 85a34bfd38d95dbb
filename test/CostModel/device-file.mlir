// A device of the user's own, in a JSON file: what is attached, where it may be
// named, and the place of every error.
// RUN: split-file %s %t
// RUN: fuse-opt %t/in.mlir --fuse-attach-device=file=%t/mine.json | FileCheck %s --check-prefix=MINE
// RUN: fuse-opt %t/in.mlir --fuse-plan="device=%t/mine.json report=%t/report.json" -o /dev/null
// RUN: FileCheck %s --check-prefix=REPORT --input-file %t/report.json
// RUN: fuse-opt %t/in.mlir --fuse-to-ptx=device=%t/mine.json | FileCheck %s --check-prefix=CHIP
// RUN: not fuse-opt %t/in.mlir --fuse-attach-device=file=%t/absent.json 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not fuse-opt %t/in.mlir --fuse-attach-device=file=%t/syntax.json 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not fuse-opt %t/in.mlir --fuse-attach-device=file=%t/list.json 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: not fuse-opt %t/in.mlir --fuse-attach-device=file=%t/nameless.json 2>&1 | FileCheck %s --check-prefix=NAMELESS
// RUN: not fuse-opt %t/in.mlir --fuse-attach-device=file=%t/key.json 2>&1 | FileCheck %s --check-prefix=KEY
// RUN: not fuse-opt %t/in.mlir --fuse-attach-device=file=%t/twice.json 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not fuse-opt %t/in.mlir --fuse-attach-device=file=%t/value.json 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not fuse-opt %t/in.mlir --fuse-attach-device=file=%t/type.json 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not fuse-opt %t/in.mlir --fuse-attach-device=file=%t/zero.json 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not fuse-opt %t/in.mlir --fuse-attach-device=file=%t/negative.json 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not fuse-opt %t/in.mlir --fuse-attach-device=file=%t/threads.json 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not fuse-opt %t/in.mlir --fuse-attach-device=file=%t/contradiction.json 2>&1 | FileCheck %s --check-prefix=CONTRADICTION
// RUN: not fuse-opt %t/in.mlir --fuse-attach-device=file=%t/like.json 2>&1 | FileCheck %s --check-prefix=LIKE
// RUN: not fuse-opt %t/in.mlir --fuse-attach-device=file=%t/chip.json 2>&1 | FileCheck %s --check-prefix=NOCHIP
// RUN: not fuse-opt %t/spec.mlir --fuse-print-groups -o /dev/null 2>&1 | FileCheck %s --check-prefix=SPEC

// Keys that are left out are those of the device that it is like.
// MINE: "fuse.device" = "half-h100", "fuse.chip" = "sm_90", "fuse.sm_count" = 66 : i64
// MINE-SAME: "fuse.dram_gb_per_s" = 1000
// MINE-SAME: "fuse.tensor_gflops" = 989000
// REPORT: "device": "half-h100"
// CHIP: #nvvm.target<O = 3, chip = "sm_90"

// ABSENT: absent.json:0:0: error: cannot open input file
// SYNTAX: syntax.json:1:1: error: not a device file: {{.*}}2:{{.*}}
// LIST: list.json:1:1: error: expected an object that describes a device
// NAMELESS: nameless.json:1:1: error: expected device key 'device', the device's name
// KEY: key.json:3:3: error: unknown device key 'sms'; known are 'device', 'like', 'chip', 'sm_count',
// TWICE: twice.json:3:3: error: device key 'sm_count' stands twice
// VALUE: value.json:1:20: error: expected device key 'like' to be one of
// TYPE: type.json:2:3: error: expected device key 'sm_count' to be an integer from 1 to 65536, but got "many"
// ZERO: zero.json:2:3: error: expected device key 'sm_count' to be an integer from 1 to 65536, but got 0
// NEGATIVE: negative.json:1:17: error: expected device key 'launch_ns' to be an integer from 0 to 1073741824, but got -1
// THREADS: threads.json:1:17: error: expected device key 'max_threads_per_block' to be an integer from 32 to 1024, but got 2048
// CONTRADICTION: contradiction.json:2:3: error: expected device key 'shared_bytes_per_block' to be at most 'fuse.shared_bytes_per_sm', which is 65536, but got 99000
// LIKE: like.json:1:17: error: expected device key 'like' to be one of 'a100', {{.*}}, but got "abacus"
// NOCHIP: chip.json:1:17: error: expected device key 'chip' to be a chip such as 'sm_90', but got 'hopper'
// SPEC: spec.mlir:1:1: error: expected device key 'fuse.max_threads_per_block' to be at most 'fuse.max_threads_per_sm', which is 512, but got 1024

//--- mine.json
{
  "device": "half-h100",
  "like": "h100",
  "sm_count": 66,
  "dram_gb_per_s": 1000
}
//--- syntax.json
{"device": "x",
 "sm_count" 3}
//--- list.json
[1, 2]
//--- nameless.json
{"sm_count": 3}
//--- key.json
{
  "device": "x",
  "sms": 3
}
//--- twice.json
{
  "device": "x", "sm_count": 66,
  "sm\u005fcount": 132
}
//--- value.json
{"device": "like", "like": "abacus"}
//--- type.json
{
  "sm_count": "many",
  "device": "x"
}
//--- zero.json
{
  "sm_count": 0,
  "device": "x"
}
//--- negative.json
{"device": "x", "launch_ns": -1}
//--- threads.json
{"device": "x", "max_threads_per_block": 2048}
//--- contradiction.json
{"device": "x", "shared_bytes_per_sm": 65536,
  "shared_bytes_per_block": 99000}
//--- like.json
{"device": "x", "like": "abacus"}
//--- chip.json
{"device": "x", "chip": "hopper"}
//--- spec.mlir
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<"fuse.max_threads_per_sm" = 512 : i64>>} {
}
//--- in.mlir
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}
