"""Python side of fuse, an operator-fusion compiler on MLIR.

`fuse_mlir.models` holds PyTorch modules that serve as realistic inputs, and
`fuse_mlir.export` turns them into linalg on tensors. Only those two, and
`fuse_mlir.check_export`, need PyTorch; importing this package does not.
"""

__version__ = "0.1.0"
