# The lit suite of the example compiler; run it by `ninja check-tiny`.
import os

import lit.formats

config.name = "TINY"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = os.path.join(config.tiny_src_root, "test")
config.test_exec_root = os.path.join(config.tiny_obj_root, "test")
config.environment["PATH"] = os.pathsep.join(
    [
        os.path.join(config.tiny_obj_root, "bin"),
        config.fuse_tools_dir,
        config.llvm_tools_dir,
        config.environment["PATH"],
    ]
)
