"""Every wrong program gives one error with its place, and nothing of it ever runs."""

import pytest

from fusionlab.errors import ProgramError
from fusionlab.program import parse_program

X = "x = random(4)\n"


def refused(text: str, **limits) -> ProgramError:
    with pytest.raises(ProgramError) as caught:
        parse_program(text, **limits)
    assert caught.value.params["line"] == caught.value.line
    return caught.value


def place_of(text: str) -> tuple[str, int, int]:
    error = refused(text)
    return error.code, error.line, error.column


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = (1\n", ("syntax_unclosed", 1, 5)),
        ("x = 'abc\n", ("syntax_unclosed", 1, 5)),
        ('x = 1\ny = """abc\n', ("syntax_unclosed", 2, 5)),
        ("for n in range(2):\nread(x)\n", ("syntax_indent", 2, 1)),
        (X + "  y = x\n", ("syntax_indent", 2, 3)),
        ("x = 1 +\n", ("syntax", 1, 8)),
        ("x = 1 1\n", ("syntax", 1, 7)),
        ("print 1\n", ("syntax", 1, 1)),
        ("del 3\n", ("syntax", 1, 5)),
        ("数 = 1 +\n", ("syntax", 1, 8)),
    ],
)
def test_text_that_is_no_python(text, expected):
    assert place_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import os\n", ("no_import", 1, 1)),
        (X + "from os import path\n", ("no_import", 2, 1)),
        ("y = __import__('os').system('true')\n", ("unknown_word", 1, 5)),
        (X + "y = x.__class__\n", ("no_attribute", 2, 5)),
        (X + "y = x.shape\n", ("no_attribute", 2, 5)),
        ("f = lambda x: x\n", ("no_function", 1, 5)),
        ("def f(x):\n    return f(x)\n", ("no_function", 1, 1)),
        ("class A:\n    pass\n", ("no_class", 1, 1)),
        ("if True:\n    pass\n", ("no_condition", 1, 1)),
        ("x = 1 if True else 2\n", ("no_condition", 1, 5)),
        ("while True:\n    pass\n", ("no_while", 1, 1)),
        ("xs = [random(2) for n in range(3)]\n", ("no_comprehension", 1, 6)),
        ("xs = sum(n for n in range(3))\n", ("no_comprehension", 1, 9)),
        ("s = f'{1}'\n", ("no_fstring", 1, 5)),
        (X + "y = x and x\n", ("no_boolean_word", 2, 5)),
        (X + "y = not x\n", ("no_boolean_word", 2, 5)),
        ("d = {1: 2}\n", ("no_dict", 1, 5)),
        ("d = {1, 2}\n", ("no_dict", 1, 5)),
        ("x: int = 3\n", ("not_in_language", 1, 1)),
        ("x = (y := 3)\n", ("not_in_language", 1, 6)),
        ("x = ...\n", ("not_in_language", 1, 5)),
        ("x = b'a'\n", ("not_in_language", 1, 5)),
        ("x = 3j\n", ("not_in_language", 1, 5)),
        ("global x\n", ("not_in_language", 1, 1)),
        ("try:\n    pass\nexcept: pass\n", ("not_in_language", 1, 1)),
        ("for n in [1]:\n    pass\nelse:\n    pass\n", ("not_in_language", 1, 1)),
        ("x = random(**[1])\n", ("not_in_language", 1, 5)),
        ("with open('f') as g:\n    pass\n", ("with_needs_stream", 1, 1)),
        ("x = 3 is 3\n", ("not_in_language", 1, 5)),
    ],
)
def test_python_that_is_not_the_lab_language(text, expected):
    assert place_of(text) == expected


def test_of_several_foreign_constructs_the_first_is_named():
    assert place_of("x = 1\ny = [a for a in b]\nimport os\n")[:2] == ("no_comprehension", 2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = zzz(1)\n", ("unknown_word", 1, 5)),
        (X + "y = expp(x)\n", ("unknown_word_near", 2, 5)),
        (X + "y = x.expp()\n", ("unknown_word_near", 2, 7)),
        ("read(zzz)\n", ("unknown_name", 1, 6)),
        ("value = random(2)\nread(valeu)\n", ("unknown_name_near", 2, 6)),
        ("y = exp\n", ("word_not_called", 1, 5)),
        ("y = drop(1)\n", ("statement_word", 1, 5)),
        (X + "y = read(x)\n", ("no_value", 2, 5)),
        (X + "exp(read(x))\n", ("no_value", 2, 5)),
        ("(1)(2)\n", ("not_a_word", 1, 1)),
        (X + "drop(x)\nread(x)\n", ("use_after_drop", 3, 6)),
        (X + "del x\ny = x + 1.0\n", ("use_after_drop", 3, 5)),
        (X + "drop(x)\ndrop(x)\n", ("use_after_drop", 3, 6)),
        (X + "x.y = 3\n", ("bad_target", 2, 1)),
        ("a, b = 1, 2, 3\n", ("unpack_count", 1, 1)),
        ("a, b = random(2)\n", ("unpack_kind", 1, 1)),
        ("for n in random(2):\n    pass\n", ("loop_kind", 1, 10)),
        ("with stream(99):\n    pass\n", ("stream_number", 1, 13)),
        (X + "config(max_blocks=2)\n", ("config_late", 2, 1)),
        ("config(max_blocks=0)\n", ("config_value", 1, 8)),
        ("config(max_block=2)\n", ("config_setting", 1, 8)),
    ],
)
def test_names_and_statements(text, expected):
    assert place_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = exp()\n", ("missing_argument", 1, 5)),
        (X + "y = exp(x, x)\n", ("too_many_arguments", 2, 5)),
        (X + "y = sum(x, dim=0, keepdims=True)\n", ("unknown_argument", 2, 5)),
        (X + "y = sum(x, 0, dim=0)\n", ("argument_twice", 2, 5)),
        ("x = exp(1.0)\n", ("argument_kind", 1, 5)),
        ('x = random(4, dtype="f99")\n', ("argument_kind", 1, 5)),
        ("x = random(2.5)\n", ("argument_kind", 1, 5)),
        ("x = random()\n", ("empty_shape", 1, 5)),
        ("x = random(-1)\n", ("negative_extent", 1, 5)),
        ("x = tensor([[1], [2, 3]])\n", ("ragged_rows", 1, 5)),
        ('x = tensor([300], dtype="u8")\n', ("value_out_of_range", 1, 5)),
        ('x = op("Foo::Bar")\n', ("unknown_row", 1, 5)),
        ('x = op("Module::DeformableConv2d", random(2))\n', ("unsupported_row", 1, 5)),
        ("y = 2.0 ** random(2)\n", ("scalar_first", 1, 9)),
        ("y = random(2) // 2\n", ("no_tensor_operator", 1, 15)),
        ("y = [1] + [2]\n", ("bad_operand", 1, 9)),
        ('y = zeros(2, dtype="i32") * 2.5\n', ("fraction_for_int", 1, 27)),
        ('y = zeros(2, dtype="bool") + 1\n', ("not_for_bool", 1, 28)),
        ('y = exp(zeros(2, dtype="i32"))\n', ("need_float", 1, 5)),
        ('y = random(2) + zeros(2, dtype="i32")\n', ("dtype_mismatch", 1, 15)),
        ("y = 1 < 2 < 3\n", ("chained_comparison", 1, 5)),
        (X + "y = x[4]\n", ("index_out_of_range", 2, 5)),
        (X + "y = x[0, 0]\n", ("too_many_indices", 2, 5)),
        (X + "y = x[3:1]\n", ("slice_out_of_range", 2, 5)),
    ],
)
def test_arguments_and_operands(text, expected):
    assert place_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = random(2, 3)\nb = a * (a +\n   random(3, 2))\n", ("broadcast_mismatch", 2, 12)),
        ("y = random(2, 3) @ random(2, 3)\n", ("matmul_inner", 1, 18)),
        (X + "y = x.sum(dim=1)\n", ("dim_out_of_range", 2, 7)),
        (X + "y = relu(reshape(x, 5))\n", ("reshape_size", 2, 10)),
        ("y = max_pool2d(random(1, 1, 4, 4), 9)\n", ("window_too_large", 1, 5)),
    ],
)
def test_shapes_that_do_not_fit(text, expected):
    assert place_of(text) == expected


def test_a_shape_error_in_a_loop_names_the_line_in_the_loop():
    text = "for n in [4, 4, 5]:\n    x = random(n)\n    y = x + random(4)\n"
    assert place_of(text) == ("broadcast_mismatch", 3, 11)


def test_an_error_says_what_was_given_and_what_fits():
    error = refused("a = random(64, 32)\nb = a + random(64, 64)\n")
    assert (error.params["left"], error.params["right"]) == ("64×32", "64×64")
    error = refused(X + "y = sum(x, dim=0, keepdims=True)\n")
    assert error.params["signature"] == "sum(x, dim=None)"
    assert refused(X + "drop(x)\nread(x)\n").params["dropped"] == 2


@pytest.mark.parametrize(
    "text", ["", "\n\n", "# nothing\n", "pass\n", '"""A note."""\n', "\ufeffx = 1\n", "x = 1\r\n"]
)
def test_programs_that_do_nothing_are_fine(text):
    assert parse_program(text).instructions == ()
