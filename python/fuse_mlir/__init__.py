"""Python side of fuse, an operator-fusion compiler on MLIR.

`fuse_mlir.models` holds PyTorch modules that serve as realistic inputs,
`fuse_mlir.export` turns them into linalg on tensors and
`fuse_mlir.check_export` checks the result; these three need PyTorch.
`fuse_mlir.driver` makes an exported file runnable. It needs nothing but Python,
and so does importing this package.
"""

__version__ = "0.1.0"
