# The googletest programs (`*Tests` under build/test/unit) as a lit suite.
import os

import lit.formats
import lit.util

if getattr(config, "fuse_obj_root", None) is None:
    lit_config.fatal("expected build/test/unit, but got the source directory")

config.name = "FUSE-Unit"
config.suffixes = []
config.test_source_root = os.path.join(config.fuse_obj_root, "test", "unit")
config.test_exec_root = config.test_source_root
config.test_format = lit.formats.GoogleTest(".", "Tests")
for name in ["FUSE_RUNTIME", "CUDA_HOME", "CUDA_PATH"]:
    if name in os.environ:
        config.environment[name] = os.environ[name]
if config.fuse_sanitize:
    # As in ../lit.cfg.py: MLIR's libraries are not instrumented.
    config.environment["ASAN_OPTIONS"] = (
        "allow_user_poisoning=0:detect_leaks=0"
    )
# Without psutil lit cannot stop a test's children, so it has no limit.
# Sanitizers make code several times slower.
supported, _ = lit.util.killProcessAndChildrenIsSupported()
if supported and not lit_config.maxIndividualTestTime:
    lit_config.maxIndividualTestTime = (
        3600 if config.fuse_sanitize else 600
    )
