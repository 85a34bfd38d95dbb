"""Prints a program of two branches that begin with the same operators: norms
of rows, one after the other, then two contractions beside a softmax, whose sum
is the result.  make_branches.py NORMS"""

import sys

lines = []
count = 0


def emit(text, kind):
    global count
    count += 1
    lines.append(f"  %v{count} = {text} -> {kind}")
    return f"%v{count}"


M, R, H = "tensor<64x256xf32>", "tensor<64xf32>", "tensor<64x512xf32>"


def map1(op, x, out="%m", kind=M):
    return emit(f"linalg.{op} ins({x} : {kind}) outs({out} : {kind})", kind)


def map2(op, x, y):
    return emit(f"linalg.{op} ins({x}, {y} : {M}, {M}) outs(%m : {M})", M)


def reduce_rows(op, x, init):
    global count
    count += 1
    lines.append(
        f"  %v{count} = linalg.reduce {{ {op} }} ins({x} : {M}) "
        f"outs({init} : {R}) dimensions = [1]"
    )
    return f"%v{count}"


def broadcast(r):
    global count
    count += 1
    lines.append(
        f"  %v{count} = linalg.broadcast ins({r} : {R}) outs(%m : {M}) "
        "dimensions = [1]"
    )
    return f"%v{count}"


x = "%x"
for i in range(int(sys.argv[1])):
    squares = map2("mul", x, x)
    norm = map1("rsqrt", reduce_rows("arith.addf", squares, "%zeros"), "%r", R)
    x = map1("tanh", map2("add", map2("mul", x, broadcast(norm)), x))
hidden = emit(f"linalg.matmul ins({x}, %w : {M}, tensor<256x512xf32>) "
              f"outs(%zeroh : {H})", H)
hidden = map1("tanh", hidden, "%h", H)
product = emit(f"linalg.matmul ins({hidden}, %u : {H}, tensor<512x256xf32>) "
               f"outs(%zerom : {M})", M)
largest = broadcast(reduce_rows("arith.maximumf", x, "%lowest"))
e = map1("exp", map2("sub", x, largest))
y = map2("div", e, broadcast(reduce_rows("arith.addf", e, "%zeros")))
y = map2("add", y, product)

print(f"""func.func @branches(%x: {M}, %w: tensor<256x512xf32>,
    %u: tensor<512x256xf32>) -> {M} {{
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %m = tensor.empty() : {M}
  %r = tensor.empty() : {R}
  %h = tensor.empty() : {H}
  %zeros = linalg.fill ins(%zero : f32) outs(%r : {R}) -> {R}
  %lowest = linalg.fill ins(%low : f32) outs(%r : {R}) -> {R}
  %zerom = linalg.fill ins(%zero : f32) outs(%m : {M}) -> {M}
  %zeroh = linalg.fill ins(%zero : f32) outs(%h : {H}) -> {H}""")
print("\n".join(lines))
print(f"  return {y} : {M}\n}}")
