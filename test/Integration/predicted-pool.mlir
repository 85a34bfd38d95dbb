// Predicted sectors where each part of a concatenation is read in a few of the rows
// only, which a sample of blocks meets more or less often: within 5 % of what the
// emulator counts, of all parts together and of the distinct ones.
// RUN: fuse-run %s --assemble=false --report=%t.json
// RUN: %python %S/Inputs/check_predicted.py %t.json row

func.func @main(%a: tensor<1x16x64x64xf32>, %b: tensor<1x16x64x64xf32>, %c: tensor<1x16x64x64xf32>, %d: tensor<1x16x64x64xf32>, %e: tensor<1x16x64x64xf32>, %f: tensor<1x16x64x64xf32>, %g: tensor<1x16x64x64xf32>, %h: tensor<1x16x64x64xf32>, %i: tensor<1x16x64x64xf32>) -> tensor<1x144x32x32xf32> {
  %all = tensor.concat dim(1) %a, %b, %c, %d, %e, %f, %g, %h, %i : (tensor<1x16x64x64xf32>, tensor<1x16x64x64xf32>, tensor<1x16x64x64xf32>, tensor<1x16x64x64xf32>, tensor<1x16x64x64xf32>, tensor<1x16x64x64xf32>, tensor<1x16x64x64xf32>, tensor<1x16x64x64xf32>, tensor<1x16x64x64xf32>) -> tensor<1x144x64x64xf32>
  %low = arith.constant 0xFF800000 : f32
  %empty = tensor.empty() : tensor<1x144x32x32xf32>
  %init = linalg.fill ins(%low : f32) outs(%empty : tensor<1x144x32x32xf32>) -> tensor<1x144x32x32xf32>
  %window = tensor.empty() : tensor<2x2xf32>
  %max = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%all, %window : tensor<1x144x64x64xf32>, tensor<2x2xf32>) outs(%init : tensor<1x144x32x32xf32>) -> tensor<1x144x32x32xf32>
  return %max : tensor<1x144x32x32xf32>
}
