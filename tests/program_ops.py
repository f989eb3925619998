"""Random ops for lab programs: each emitter writes one expression that is valid by construction.

An emitter returns `None` when nothing in the program fits it.
"""

from math import prod

from hypothesis import strategies as st
from program_writer import Emitter, Var, Writer, broadcast, draw_shape, replaced, shape_of

UNARY = ("tanh", "exp", "abs", "sqrt", "log1p", "cos", "sin", "erf", "recip", "log", "neg", "relu")
SLOW_UNARY = ("floor", "sign", "gelu", "sigmoid", "silu", "arctan", "round", "leaky_relu")


def unary(w: Writer) -> Var | None:
    x = w.floats()
    if x is None:
        return None
    word = w.choose(UNARY + SLOW_UNARY)
    method = w.chance(3)
    return x._replace(text=f"{x.text}.{word}()" if method else f"{word}({x.text})")


def scalar(w: Writer) -> Var | None:
    x = w.floats()
    if x is None:
        return None
    number = w.number()
    patterns = ("{x} * {n}", "{x} + {n}", "{x} - {n}", "{x} / {n}", "{n} * {x}", "{n} - {x}")
    patterns += ("{x} ** 2", "clamp({x}, -1.0, 1.0)", "clamp_min({x}, {n})", "{x} % 2.0")
    return x._replace(text=w.choose(patterns).format(x=x.text, n=number))


def binary(w: Writer) -> Var | None:
    x = w.floats()
    if x is None:
        return None
    y = w.pick(lambda var: var.dtype == x.dtype and broadcast(x.shape, var.shape) is not None)
    symbol = w.choose(("+", "*", "-", "/"))
    shape = broadcast(x.shape, y.shape)
    if prod(shape) > w.most_elements:
        return None
    return x._replace(text=f"{x.text} {symbol} {y.text}", shape=shape)


def mask(w: Writer) -> Var | None:
    x = w.floats()
    if x is None:
        return None
    held = w.pick(lambda var: var.kind == "b" and var.shape == x.shape)
    condition = held.text if held and w.chance(5) else f"{x.text} > 0.5"
    if w.chance(4):
        compared = w.choose(("<", "<=", ">", ">=", "==", "!="))
        return Var(f"{x.text} {compared} {w.number()}", x.shape, "b", "bool")
    y = w.pick(lambda var: var.dtype == x.dtype and var.shape == x.shape)
    pattern = w.choose(("mask_fill({x}, {m}, 0.5)", "where({m}, {x}, {y})", "maximum({x}, {y})"))
    return x._replace(text=pattern.format(x=x.text, m=f"({condition})", y=y.text))


def cast(w: Writer) -> Var | None:
    x = w.floats()
    if x is None:
        return None
    dtype = w.choose(("f32", "f16", "f64"))
    return x._replace(text=f'cast({x.text}, "{dtype}")', dtype=dtype)


def view(w: Writer) -> Var | None:
    x = w.floats(rank=2)
    if x is None:
        return None
    rank = len(x.shape)
    if w.chance(5):
        a, b = w.integer(0, rank - 1), w.integer(0, rank - 1)
        shape = list(x.shape)
        shape[a], shape[b] = shape[b], shape[a]
        return x._replace(text=f"swap_dims({x.text}, {a}, {b})", shape=tuple(shape))
    if w.chance(5):
        return x._replace(text=f"unsqueeze({x.text}, 0)", shape=(1, *x.shape))
    shape = (x.shape[0], prod(x.shape[1:]))
    return x._replace(text=f"reshape({x.text}, {shape_of(shape)})", shape=shape)


def reduce(w: Writer) -> Var | None:
    x = w.floats()
    if x is None or 0 in x.shape:
        return None
    dim = w.integer(0, len(x.shape) - 1)
    word = w.choose(("sum", "mean", "max", "min", "prod", "max_abs", "argmax"))
    if word == "argmax":
        return Var(f"argmax({x.text}, dim={dim})", replaced(x.shape, dim, 1), "i", "i32")
    if w.chance(2):
        return x._replace(text=f"{word}({x.text})", shape=(1,))
    return x._replace(text=f"{word}({x.text}, dim={dim})", shape=replaced(x.shape, dim, 1))


def matmul(w: Writer) -> Var | None:
    x = w.floats(rank=2)
    if x is None:
        return None
    y = w.pick(
        lambda var: (
            var.dtype == x.dtype
            and len(var.shape) == len(x.shape)
            and var.shape[-2] == x.shape[-1]
            and broadcast(var.shape[:-2], x.shape[:-2]) is not None
        )
    )
    right = y.text if y else f"transpose({x.text})"
    shape = y.shape if y else (*x.shape[:-2], x.shape[-1], x.shape[-2])
    batch = broadcast(x.shape[:-2], shape[:-2])
    out = (*batch, x.shape[-2], shape[-1])
    return (
        x._replace(text=f"{x.text} @ {right}", shape=out) if prod(out) <= w.most_elements else None
    )


def softmax(w: Writer) -> Var | None:
    x = w.floats()
    if x is None or 0 in x.shape:
        return None
    dim = w.integer(0, len(x.shape) - 1)
    return x._replace(text=f"{w.choose(('softmax', 'log_softmax'))}({x.text}, dim={dim})")


def pool(w: Writer) -> Var | None:
    x = w.pick(lambda var: var.dtype == "f32" and len(var.shape) == 4 and min(var.shape) > 0)
    if x is None:
        return None
    height, width = x.shape[2:]
    if min(height, width) >= 2 and w.chance(7):
        word = w.choose(("max_pool2d", "avg_pool2d"))
        space = ((height - 2) // 2 + 1, (width - 2) // 2 + 1)
        return x._replace(text=f"{word}({x.text}, 2)", shape=(*x.shape[:2], *space))
    return x._replace(text=f"adaptive_avg_pool2d({x.text}, 1)", shape=(*x.shape[:2], 1, 1))


def index(w: Writer) -> Var | None:
    x = w.floats()
    if x is None or 0 in x.shape:
        return None
    dim = w.integer(0, len(x.shape) - 1)
    extent = x.shape[dim]
    if w.chance(4):
        shape = replaced(x.shape, dim, 1)
        chosen = f"argmax({x.text}, dim={dim})"
        return x._replace(text=f"gather({x.text}, {dim}, {chosen})", shape=shape)
    rows = [w.integer(0, extent - 1) for _ in range(w.integer(1, 3))]
    shape = replaced(x.shape, dim, len(rows))
    return x._replace(text=f"select({x.text}, {dim}, tensor({rows}))", shape=shape)


def rearrange(w: Writer) -> Var | None:
    x = w.pick()
    dim = w.integer(0, len(x.shape) - 1)
    match w.integer(0, 4):
        case 0:
            return x._replace(text=f"flip({x.text}, {dim})")
        case 1:
            order = w.draw(st.permutations(range(len(x.shape))))
            shape = tuple(x.shape[axis] for axis in order)
            return x._replace(text=f"permute({x.text}, {tuple(order)})", shape=shape)
        case 2:
            start = w.integer(0, x.shape[dim])
            end = w.integer(start, x.shape[dim])
            shape = replaced(x.shape, dim, end - start)
            return x._replace(text=f"slice({x.text}, {dim}, {start}, {end})", shape=shape)
        case 3 if prod(x.shape) * 2 <= w.most_elements:
            shape = replaced(x.shape, dim, x.shape[dim] * 2)
            return x._replace(text=f"repeat_dim({x.text}, {dim}, 2)", shape=shape)
        case _:
            if x.shape[dim] == 0:
                return None
            shape = replaced(x.shape, dim, 2)
            cut = f"slice({x.text}, {dim}, 0, 1)"
            return x._replace(text=f"expand({cut}, {shape_of(shape)})", shape=shape)


def join(w: Writer) -> Var | None:
    x = w.pick()
    dim = w.integer(0, len(x.shape) - 1)
    y = w.pick(
        lambda var: (
            (var.dtype, len(var.shape)) == (x.dtype, len(x.shape))
            and replaced(var.shape, dim, 0) == replaced(x.shape, dim, 0)
        )
    )
    shape = replaced(x.shape, dim, x.shape[dim] + y.shape[dim])
    if prod(shape) > w.most_elements:
        return None
    return x._replace(text=f"cat([{x.text}, {y.text}], dim={dim})", shape=shape)


def scan(w: Writer) -> Var | None:
    x = w.floats()
    if x is None or 0 in x.shape:
        return None
    word = w.choose(("cumsum", "cumprod", "cummax", "cummin"))
    return x._replace(text=f"{word}({x.text}, {w.integer(0, len(x.shape) - 1)})")


def sort(w: Writer) -> Var | None:
    x = w.floats()
    if x is None or 0 in x.shape:
        return None
    dim = w.integer(0, len(x.shape) - 1)
    match w.integer(0, 2):
        case 0:
            return x._replace(text=f"sort({x.text}, {dim}, descending=True)")
        case 1:
            return Var(f"argsort({x.text}, {dim})", x.shape, "i", "i32")
        case _:
            k = w.integer(1, x.shape[dim])
            return x._replace(text=f"topk({x.text}, {k}, {dim})", shape=replaced(x.shape, dim, k))


def window(w: Writer) -> Var | None:
    x = w.pick(lambda var: var.dtype == "f32" and len(var.shape) == 4 and min(var.shape) > 0)
    if x is None:
        return None
    channels = w.integer(1, 3)
    kernel = w.choose((1, 3))
    weight = f"random({channels}, {x.shape[1]}, {kernel}, {kernel})"
    text = f"conv2d({x.text}, {weight}, padding={kernel // 2})"
    return x._replace(text=text, shape=(x.shape[0], channels, *x.shape[2:]))


def norm(w: Writer) -> Var | None:
    x = w.pick(lambda var: var.dtype == "f32" and 0 not in var.shape)
    if x is None:
        return None
    last = x.shape[-1]
    return x._replace(text=f"layer_norm({x.text}, random({last}), random({last}))")


def ints(w: Writer) -> Var | None:
    x = w.pick(lambda var: var.kind == "i")
    if x is None:
        return _arange(w)
    word = w.choose(("{x} + 1", "{x} * 2", "{x} & 3", "{x} << 1", "~{x}", "-{x}", "float({x})"))
    if word.startswith("float"):
        return Var(word.format(x=x.text), x.shape)
    return x._replace(text=word.format(x=x.text))


def _arange(w: Writer) -> Var:
    size = w.integer(1, 6)
    return Var(f"arange({size})", (size,), "i", "i32")


def new(w: Writer) -> Var | None:
    shape = draw_shape(w)
    word = w.choose(("random({})", "zeros({})", "ones({})", "full(({},), 0.5)"))
    return Var(word.format(shape_of(shape)), shape)


def opaque(w: Writer) -> Var | None:
    x = w.pick()
    return x._replace(text=f"opaque({x.text})")


EMITTERS: dict[str, Emitter] = {
    "scalar": scalar,
    "unary": unary,
    "binary": binary,
    "mask": mask,
    "cast": cast,
    "view": view,
    "reduce": reduce,
    "matmul": matmul,
    "softmax": softmax,
    "pool": pool,
    "index": index,
    "rearrange": rearrange,
    "join": join,
    "scan": scan,
    "sort": sort,
    "window": window,
    "norm": norm,
    "ints": ints,
    "new": new,
    "opaque": opaque,
}
