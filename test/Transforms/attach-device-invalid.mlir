// What a hand-written device may say.
// RUN: fuse-opt %s --split-input-file --fuse-form-groups --verify-diagnostics

// expected-error @below {{unknown device key 'fuse.wings'; known are 'fuse.device', 'fuse.chip', 'fuse.sm_count'}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<"fuse.wings" = 2 : i64>>} {
}

// -----

// expected-error @below {{expected device key 'fuse.sm_count' to be an integer from 1 to 65536, but got 0 : i64}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<"fuse.sm_count" = 0 : i64>>} {
}

// -----

// expected-error @below {{expected device key 'fuse.chip' to be a string, but got 90 : i64}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<"fuse.chip" = 90 : i64>>} {
}

// -----

// Keys of others are not ours to judge.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<"other.key" = 1 : i64>, "CPU" = #dlti.target_device_spec<"L1" = 1 : i64>>} {
}
