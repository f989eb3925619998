"""Programs as short lines, for tests that read like a table."""

from fusionlab.program import compile_program, parse_program

STATUS = {"ReadOnly": "", "ReadWrite": "!", "NotInit": ""}


def stream_of(text: str) -> list[str]:
    """The op stream of a program: `Mul t0 !t1 -> t2`; `!` marks a last use, `1>` stream 1."""
    events = compile_program(parse_program(text))["events"]
    return [line(event) for event in events]


def line(event: dict) -> str:
    home = f"{event['stream']}> " if "stream" in event else ""
    if event["kind"] != "op":
        return home + " ".join([event["kind"], *map(tensor, filter(None, [event.get("tensor")]))])
    inputs = " ".join(map(tensor, event["inputs"]))
    outputs = " ".join(map(tensor, event["outputs"]))
    name = event["op"].rpartition("::")[2]
    return f"{home}{name} {inputs} -> {outputs}".replace("  ", " ")


def tensor(raw: dict) -> str:
    return f"{STATUS[raw['status']]}t{raw['id']}"


def ops_of(text: str) -> list[str]:
    """The full names of the ops that a program registers, in order, its inputs left out."""
    events = compile_program(parse_program(text))["events"]
    names = [event["op"] for event in events if event["kind"] == "op"]
    return [name for name in names if name not in {"Float::Random", "Init"}]


def args_of(text: str) -> dict:
    """The arguments of the last op of a program."""
    events = compile_program(parse_program(text))["events"]
    return [event for event in events if event["kind"] == "op"][-1].get("args", {})


def shape_of(text: str) -> list[int]:
    """The shape of the last tensor that a program makes."""
    return list(parse_program(text).values[-1].shape)
