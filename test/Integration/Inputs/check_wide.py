"""Element-wise kernels of many operands: the sum of all inputs, then the sum of
each one times that, so that all inputs are alive at once.

  check_wide.py INPUTS[=KERNELS]…    numbers of inputs; each must be one kernel
                                     (or that many) without spills, with narrower
                                     accesses where it has to be
"""

import sys

from one_kernel import Run


def make_wide(inputs, size):
    """A graph of `inputs` vectors of f32, two operators for each."""
    tensor = "tensor<%dxf32>" % size
    names = ["%%x%d" % i for i in range(inputs)]
    lines = ["%%e = tensor.empty() : %s" % tensor]

    def apply(name, op, a, b):
        lines.append(
            "%s = linalg.%s ins(%s, %s : %s, %s) outs(%%e : %s) -> %s"
            % (name, op, a, b, tensor, tensor, tensor, tensor)
        )
        return name

    total = names[0]
    for i, name in enumerate(names[1:]):
        total = apply("%%s%d" % i, "add", total, name)
    result = total
    for i, name in enumerate(names):
        product = apply("%%p%d" % i, "mul", name, total)
        result = apply("%%r%d" % i, "add", result, product)
    arguments = ", ".join("%s: %s" % (name, tensor) for name in names)
    return "func.func @main(%s) -> %s {\n  %s\n  return %s : %s\n}\n" % (
        arguments,
        tensor,
        "\n  ".join(lines),
        result,
        tensor,
    )


def main():
    failed = False
    for argument in sys.argv[1:]:
        inputs, _, kernels = argument.partition("=")
        inputs, kernels = int(inputs), int(kernels or 1)
        run = Run(make_wide(inputs, 4096), ["--strategy=max"], kernels)
        for wrong in run.wrong:
            failed = True
            print("%d inputs: %s" % (inputs, wrong))
        if run.group:
            print("%d inputs: %s registers" % (inputs, run.group["registers"]))
    sys.exit(failed)


main()
