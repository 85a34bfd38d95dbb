# The lit suite of fuse. `lit -v FILE` on a file of the source tree works too:
# the build is then taken from --param fuse_build_dir=DIR, the environment
# variable FUSE_BUILD_DIR or, by default, `build` beside `test`.
import ctypes
import os
import shutil
import subprocess

import lit.formats
import lit.util
from lit.llvm.subst import ToolSubst


def load_site_config():
    """Finds the configuration that CMake wrote and continues with it."""
    source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    build = (
        lit_config.params.get("fuse_build_dir")
        or os.environ.get("FUSE_BUILD_DIR")
        or os.path.join(source, "build")
    )
    site = os.path.join(os.path.abspath(build), "test", "lit.site.cfg.py")
    if not os.path.exists(site):
        lit_config.fatal(
            "no build of fuse in '%s': expected --param fuse_build_dir=DIR "
            "or FUSE_BUILD_DIR to name a configured build directory" % build
        )
    lit_config.load_config(config, site)


def find_toolkit():
    """The root of the CUDA toolkit, or None."""
    ptxas = shutil.which("ptxas")
    roots = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH")]
    if ptxas:
        roots.append(os.path.dirname(os.path.dirname(os.path.realpath(ptxas))))
    roots.append("/usr/local/cuda")
    for root in roots:
        if root and os.path.isdir(root):
            return root
    return None


def has_gpu():
    """True if the CUDA driver is there and sees a device."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
        count = ctypes.c_int(0)
        return (
            driver.cuInit(0) == 0
            and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
            and count.value > 0
        )
    except (OSError, AttributeError):
        return False


def cmake_configure():
    """The command that configures a project with the tools of this build."""
    flags = [
        "-G Ninja",
        "-DCMAKE_C_COMPILER=" + config.cmake_c_compiler,
        "-DCMAKE_CXX_COMPILER=" + config.cmake_cxx_compiler,
        "-DCMAKE_EXE_LINKER_FLAGS=" + config.cmake_linker_flags,
        "-DCMAKE_SHARED_LINKER_FLAGS=" + config.cmake_linker_flags,
        "-DMLIR_DIR=" + config.mlir_cmake_dir,
        "-DLLVM_DIR=" + config.llvm_cmake_dir,
    ]
    return config.cmake + " " + " ".join(flags)


def sanitizer_runtime():
    """What has to be loaded before our libraries; empty without a sanitizer."""
    if "address" not in config.fuse_sanitize:
        return ""
    machine = os.uname().machine
    return subprocess.check_output(
        [
            config.cmake_cxx_compiler,
            "-print-file-name=libclang_rt.asan-%s.so" % machine,
        ],
        text=True,
    ).strip()


def runner_tool(name):
    """Upstream's program `name`, able to load our libraries."""
    command = os.path.join(config.llvm_tools_dir, "mlir-runner")
    runtime = sanitizer_runtime()
    if runtime:
        command = "env LD_PRELOAD=%s %s" % (runtime, command)
    return ToolSubst(name, command=command, unresolved="ignore")


def configure():
    from lit.llvm import llvm_config

    config.name = "FUSE"
    config.test_format = lit.formats.ShTest(execute_external=False)
    config.suffixes = [".mlir", ".test"]
    config.excludes = ["Inputs", "models", "unit", "Standalone"]
    config.test_source_root = os.path.join(config.fuse_src_root, "test")
    config.test_exec_root = os.path.join(config.fuse_obj_root, "test")

    # Without psutil lit cannot stop a test's children, so it has no limit.
    # Sanitizers make code several times slower.
    supported, _ = lit.util.killProcessAndChildrenIsSupported()
    if supported and not lit_config.maxIndividualTestTime:
        lit_config.maxIndividualTestTime = (
            3600 if config.fuse_sanitize else 600
        )

    models = lit_config.params.get("fuse_models_dir", config.fuse_models_dir)
    if models and os.path.isdir(models):
        config.available_features.add("shared-models")
    if config.fuse_dylib.upper() in ("ON", "1", "TRUE", "YES"):
        config.available_features.add("dylib")
    static_dir = lit_config.params.get("fuse_static_dir")
    if static_dir:
        config.available_features.add("static-build")
    if lit_config.params.get("fuse_long"):
        config.available_features.add("long")
    if config.fuse_sanitize:
        config.available_features.add("sanitizer")
        # MLIR's libraries are not instrumented: their allocators do not
        # unpoison what those in our headers poison. The reference's compiled
        # code never frees its buffers.
        config.environment["ASAN_OPTIONS"] = (
            "allow_user_poisoning=0:detect_leaks=0"
        )
        # For tests that start mlir-runner from Python.
        config.environment["FUSE_RUNNER_PRELOAD"] = sanitizer_runtime()
    for program, feature in (("chromium", "chromium"), ("dot", "graphviz")):
        if shutil.which(program):
            config.available_features.add(feature)
    if has_gpu():
        config.available_features.add("cuda")

    toolkit = find_toolkit()
    paths = [config.fuse_tools_dir, config.llvm_tools_dir]
    if toolkit:
        binaries = os.path.join(toolkit, "bin")
        paths.append(binaries)
        if os.access(os.path.join(binaries, "ptxas"), os.X_OK):
            config.available_features.add("ptxas")
        if os.access(os.path.join(binaries, "nvcc"), os.X_OK):
            config.available_features.add("nvcc")
        bitcode = os.path.join(toolkit, "nvvm", "libdevice", "libdevice.10.bc")
        if os.path.exists(bitcode):
            config.available_features.add("libdevice")
    if shutil.which("nvdisasm") or any(
        os.access(os.path.join(path, "nvdisasm"), os.X_OK) for path in paths
    ):
        config.available_features.add("nvdisasm")
    for path in reversed(paths):
        llvm_config.with_environment("PATH", path, append_path=True)
    llvm_config.with_system_environment(
        ["HOME", "TMPDIR", "CUDA_HOME", "CUDA_PATH", "FUSE_RUNTIME"]
    )

    # Whatever runs on the emulator runs under all checkers.
    llvm_config.with_environment("FUSE_RUNTIME_CHECK", "all")

    llvm_config.use_default_substitutions()
    config.substitutions += [
        ("%fuse_models", models or "fuse-models-dir-not-set"),
        ("%fuse_src_root", config.fuse_src_root),
        ("%fuse_obj_root", config.fuse_obj_root),
        ("%fuse_lib_dir", config.fuse_lib_dir),
        ("%mlir_include_dir", config.mlir_include_dir),
        ("%mlir_lib_dir", config.llvm_lib_dir),
        ("%shlibext", config.llvm_shlib_ext),
        ("%fuse_static_dir", static_dir or "fuse-static-dir-not-set"),
        ("%cmake_configure", cmake_configure()),
        ("%cmake", config.cmake),
        ("%python", '"%s"' % config.python),
    ]
    ours = [
        "fuse-explain",
        "fuse-opt",
        "fuse-translate",
        "fuse-run",
        "fuse-emulate",
        "fuse-bench",
    ]
    upstreams = ["mlir-opt", "mlir-translate", "mlir-tblgen"]
    major = config.llvm_version_major
    # Debian's names end in the version; both spellings mean the same program.
    versioned = [
        ToolSubst(
            name + "-" + major,
            command=os.path.join(config.llvm_tools_dir, name),
            unresolved="ignore",
        )
        for name in upstreams
    ]
    versioned += [runner_tool("mlir-runner-" + major), runner_tool("mlir-runner")]
    llvm_config.add_tool_substitutions(
        versioned
        + [ToolSubst(name, unresolved="ignore") for name in ours + upstreams],
        [config.fuse_tools_dir, config.llvm_tools_dir],
    )


# CMake's lit.site.cfg.py sets what the build knows and then loads this file.
if getattr(config, "fuse_obj_root", None) is None:
    load_site_config()
else:
    configure()
