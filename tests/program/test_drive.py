"""A program performed against a client: in order, announced before it happens, owned to the end."""

from eager_server import EagerServer
from hypothesis import given
from strategies import programs

from fusionlab.engine.client import FusionClient
from fusionlab.program import Drop, Read, Register, Sync, drive, execute, parse_program

PROGRAM = """\
x = keep(random(4))
y = exp(x * 2.0)
read(y)
with stream(1):
    sync()
"""


class Silent(EagerServer):
    """Counts calls instead of computing."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def register(self, _stream, operation):
        self.calls.append(operation.kind)

    def drain(self, stream):
        self.calls.append(f"drain {stream}")

    def read(self, _stream, tensor):
        self.calls.append(f"read {tensor.id}")


def test_each_instruction_is_announced_before_it_happens():
    program, server = parse_program(PROGRAM), Silent()
    calls_before = [len(server.calls) for _ in drive(program, FusionClient(server))]
    assert calls_before == [0, 1, 2, 3, 5]
    assert server.calls == [
        "Float::Random",
        "NumericFloat::MulScalar",
        "Float::Exp",
        "drain 0",
        "read 2",
        "drain 1",
    ]


def test_an_announced_instruction_names_its_place_in_the_text():
    program = parse_program(PROGRAM)
    places = [(item.at.line, item.at.column) for item in program.instructions]
    assert places == [(1, 10), (2, 11), (2, 5), (3, 1), (5, 5)]
    kinds = [type(item) for item in program.instructions]
    assert kinds == [Register, Register, Register, Read, Sync]


def test_the_operator_is_the_place_of_an_op_between_operands():
    program = parse_program(
        "a, b, c = random(4), random(4), random(4)\nread(a * b + (c -\n  1.0))\n"
    )
    lines = [(item.at.line, item.at.column) for item in program.instructions[3:6]]
    assert lines == [(2, 8), (2, 17), (2, 12)]


def test_columns_count_characters_not_bytes():
    program = parse_program("数据 = random(4); read(数据 + 1.0)\n")
    assert program.instructions[1].at.column == 25


def test_a_drop_stands_where_the_name_moves_on_not_at_the_op_that_made_the_value():
    text = "x = random(4)\ny = exp(x)\nz = 1\ny = 2\nabs(random(4))\nw = random(4)\n\n"
    dropped = [item.at.line for item in parse_program(text).instructions if isinstance(item, Drop)]
    assert dropped == [4, 5, 6]


def test_reads_hand_over_the_value_and_its_elements():
    seen = []
    program = parse_program("x = tensor([1.0, 2.0])\ny = x + 1.0\nread(y)\n")
    execute(program, FusionClient(EagerServer()), lambda value, array: seen.append((value, array)))
    ((value, array),) = seen
    assert program.values[value].shape == (2,)
    assert array.tolist() == [2.0, 3.0]


def test_a_reassigned_piece_changes_the_value_under_its_name():
    seen = []
    text = "x = tensor([1.0, 2.0, 3.0, 4.0])\nx[1:4] = x[0:3]\nread(x)\n"
    execute(parse_program(text), FusionClient(EagerServer()), lambda _, array: seen.append(array))
    assert seen[0].tolist() == [1.0, 1.0, 2.0, 3.0]


@given(programs())
def test_at_the_end_only_what_is_kept_is_alive(text):
    program, server = parse_program(text), EagerServer()
    for _ in drive(program, FusionClient(server)):
        pass
    assert len(server.arrays) == len(program.kept)
