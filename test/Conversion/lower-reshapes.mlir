// RUN: fuse-opt %s --fuse-lower-reshapes | FileCheck %s

// One size that becomes two unknown ones: both are given, and the strides
// follow from them.
// CHECK-LABEL: func.func @two(
// CHECK-SAME:      %[[X:.+]]: memref<?x8xf32>, %[[A:.+]]: index, %[[B:.+]]: index
// CHECK:         %[[BASE:.+]], %{{.+}}, %{{.+}}:2, %[[S:.+]]:2 = memref.extract_strided_metadata %[[X]]
// CHECK:         %[[STEP:.+]] = arith.muli %[[S]]#0, %[[B]]
// CHECK:         memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[A]], %[[B]], 8], strides: [%[[STEP]], 8, 1] : memref<?x8xf32> to memref<?x?x8xf32>
// CHECK-NOT:     memref.expand_shape
func.func @two(%x: memref<?x8xf32>, %a: index, %b: index) -> memref<?x?x8xf32> {
  %r = memref.expand_shape %x [[0, 1], [2]] output_shape [%a, %b, 8] : memref<?x8xf32> into memref<?x?x8xf32>
  return %r : memref<?x?x8xf32>
}

// Of a view, offset and strides stay.
// CHECK-LABEL: func.func @view(
// CHECK-SAME:      %[[X:.+]]: memref<?x8xf32, strided<[?, 1], offset: ?>>, %[[A:.+]]: index, %[[B:.+]]: index
// CHECK:         %{{.+}}, %[[O:.+]], %{{.+}}:2, %[[S:.+]]:2 = memref.extract_strided_metadata %[[X]]
// CHECK:         %[[STEP:.+]] = arith.muli %[[S]]#0, %[[B]]
// CHECK:         memref.reinterpret_cast %[[X]] to offset: [%[[O]]], sizes: [%[[A]], %[[B]], 8], strides: [%[[STEP]], %[[S]]#0, 1]
func.func @view(%x: memref<?x8xf32, strided<[?, 1], offset: ?>>, %a: index, %b: index) -> memref<?x?x8xf32, strided<[?, ?, 1], offset: ?>> {
  %r = memref.expand_shape %x [[0, 1], [2]] output_shape [%a, %b, 8] : memref<?x8xf32, strided<[?, 1], offset: ?>> into memref<?x?x8xf32, strided<[?, ?, 1], offset: ?>>
  return %r : memref<?x?x8xf32, strided<[?, ?, 1], offset: ?>>
}

// What upstream finds by itself is left to it.
// CHECK-LABEL: func.func @one(
// CHECK-NEXT:    memref.expand_shape
func.func @one(%x: memref<?x?xf32>, %a: index, %b: index) -> memref<?x4x?xf32> {
  %r = memref.expand_shape %x [[0, 1], [2]] output_shape [%a, 4, %b] : memref<?x?xf32> into memref<?x4x?xf32>
  return %r : memref<?x4x?xf32>
}
