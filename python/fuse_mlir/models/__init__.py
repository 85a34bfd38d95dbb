"""PyTorch modules that are exported as inputs for the compiler."""

from fuse_mlir.models import bert, convnets, gpt, llama, primitives
from fuse_mlir.models.spec import Model

SIZES: tuple[str, ...] = ("full", "small")

MODELS: tuple[Model, ...] = (
    Model(
        "bert_like_layer",
        bert.build,
        dtypes=("f32", "f16"),
        tables=("lean", "stock"),
    ),
    Model("gpt_like_block", gpt.build),
    Model("llama_like_layer", llama.build, dtypes=("f32", "bf16")),
    Model("resnet_like_bottleneck", convnets.build_resnet),
    Model("mobilenet_like_block", convnets.build_mobilenet),
    Model(
        "layer_norm",
        primitives.build_layer_norm,
        dtypes=("f32", "f16", "bf16"),
        tables=("lean", "stock"),
    ),
    Model("softmax_cross_entropy", primitives.build_softmax_cross_entropy),
    Model("adam_step", primitives.build_adam_step),
)
