"""PyTorch modules that are exported as inputs for the compiler."""

from fuse_mlir.models import bert
from fuse_mlir.models.spec import Model

SIZES: tuple[str, ...] = ("full", "small")

MODELS: tuple[Model, ...] = (
    Model("bert_like_layer", bert.build, dtypes=("f32", "f16")),
)
