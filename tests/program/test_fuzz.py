"""Whatever text is thrown at it, the parser answers: a program, or one error with a place."""

from hypothesis import example, given
from hypothesis import strategies as st
from strategies import programs

from fusionlab.config import Limits
from fusionlab.errors import ProgramError
from fusionlab.program import compile_program, parse_program

SMALL = Limits(program_bytes=4096, operations=200, live_bytes=1 << 20)

WORDS = """
    x y random ( ) [ ] { } , : . = == + - * / ** @ & | ~ < > 0 1 2 1.5 1e9 -1 'f16' "op" for in
    range with stream read keep drop sync config del exp sum dim slice reshape tensor cat arange
    matmul op opaque conv2d max_pool2d softmax lambda if import f'{x}' # ; \\ _ None True *x **x
    x.exp() x[0] x[1:2] max_blocks while def class
"""
TOKENS = st.sampled_from([*WORDS.split(), "\n", "\n    ", "\t"])


def answer(text: str) -> ProgramError | None:
    """The error of a text; `None` when it is a program."""
    try:
        compile_program(parse_program(text, limits=SMALL))
    except ProgramError as error:
        return error
    return None


def answered(text: str) -> bool:
    error = answer(text)
    lines = text.count("\n") + text.count("\r") + 1
    return error is None or (1 <= error.line <= lines and error.column >= 1)


@given(st.text(max_size=200))
@example("\x0c\n  x")
@example("x = '\\N{")
@example("\\\n")
def test_any_text(text):
    assert answered(text)


@given(st.lists(TOKENS, max_size=40).map(" ".join))
def test_any_sequence_of_the_languages_tokens(text):
    assert answered(text)


@given(programs(max_statements=6), st.data())
def test_a_program_with_a_piece_cut_out(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 12)))
    assert answered(text[:start] + text[end:])


@given(programs(max_statements=6), TOKENS, st.data())
def test_a_program_with_a_token_put_in(text, token, data):
    place = data.draw(st.integers(0, len(text)))
    assert answered(f"{text[:place]} {token} {text[place:]}")


@given(st.binary(max_size=200))
def test_any_bytes_read_as_text(data):
    assert answered(data.decode("utf-8", errors="surrogateescape"))
