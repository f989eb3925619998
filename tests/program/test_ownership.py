"""Where handles move, where they are cloned, and where a value is dropped."""

import pytest
from op_streams import stream_of

X = "x = random(4)\n"


def after_inputs(text: str) -> list[str]:
    return [line for line in stream_of(text) if not line.startswith(("Random", "1> Random"))]


def test_the_last_use_moves_and_earlier_uses_clone():
    assert after_inputs(X + "y = exp(x)\nread(x + y)\n") == [
        "Exp t0 -> t1",
        "Add !t0 !t1 -> t2",
        "sync !t2",
    ]


def test_of_two_uses_in_one_op_only_the_second_moves():
    assert after_inputs(X + "read(x * x)\n")[0] == "Mul t0 !t0 -> t1"


def test_a_use_inside_an_argument_comes_before_the_use_by_the_op_itself():
    assert after_inputs(X + "read(x * exp(x))\n")[:2] == ["Exp t0 -> t1", "Mul !t0 !t1 -> t2"]


def test_keep_holds_a_value_beyond_the_end():
    assert after_inputs("x = keep(random(4))\nread(exp(x))\n") == ["Exp t0 -> t1", "sync !t1"]


def test_keep_works_for_uses_before_it_too():
    assert after_inputs(X + "y = exp(x)\nkeep(x, y)\nsync()\n") == ["Exp t0 -> t1", "sync"]


def test_keep_of_several_values_gives_them_back():
    assert after_inputs("x, y = keep(random(4), random(4))\nread(x + y)\n") == [
        "Add t0 t1 -> t2",
        "sync !t2",
    ]


def test_a_read_of_a_kept_or_later_used_value_leaves_it_alive():
    assert after_inputs(X + "read(x)\nread(exp(x))\n")[0] == "sync"
    assert after_inputs("x = keep(random(4))\nread(x)\n") == ["sync"]


def test_a_last_read_consumes_the_value():
    assert after_inputs(X + "read(x)\n") == ["sync !t0"]


# --- values that nobody consumes


def test_an_unused_value_is_dropped_when_its_name_moves_on():
    assert after_inputs(X + "y = exp(x)\ny = 1\nsync()\n") == ["Exp !t0 -> t1", "drop !t1", "sync"]


def test_the_new_value_is_made_before_the_old_one_is_dropped():
    assert stream_of("x = random(4)\nx = random(4)\nread(x)\n") == [
        "Random -> t0",
        "Random -> t1",
        "drop !t0",
        "sync !t1",
    ]


def test_an_unused_temporary_is_dropped_at_the_end_of_its_statement():
    assert after_inputs(X + "exp(x)\nsync()\n") == ["Exp !t0 -> t1", "drop !t1", "sync"]


def test_an_underscore_holds_nothing():
    assert after_inputs(X + "m, _ = max_with_indices(x, 0)\nread(m)\n") == [
        "MaxDimWithIndices !t0 -> t1 t2",
        "drop !t2",
        "sync !t1",
    ]


def test_at_the_end_of_the_program_names_go_in_reverse_order_as_in_rust():
    assert stream_of("x = random(4)\ny = random(4)\n")[2:] == ["drop !t1", "drop !t0"]


def test_a_name_that_moves_on_keeps_its_place_in_that_order():
    text = "x = random(4)\ny = random(4)\nread(x)\nx = random(4)\n"
    assert stream_of(text)[-2:] == ["drop !t1", "drop !t2"]


def test_a_consumed_value_needs_no_drop():
    assert after_inputs(X + "y = exp(x)\nread(y)\n") == ["Exp !t0 -> t1", "sync !t1"]


def test_a_value_lives_as_long_as_one_of_its_names():
    assert after_inputs(X + "y = x\nx = 1\nsync()\n") == ["sync", "drop !t0"]


def test_a_list_holds_its_values():
    text = "pair = [random(4), random(4)]\nx = pair[0]\nx = 1\nsync()\nread(pair[1])\n"
    assert after_inputs(text) == ["sync", "sync !t1", "drop !t0"]


def test_a_swap_of_names_drops_nothing():
    text = "a, b = random(4), random(4)\na, b = b, a\nread(a)\nread(b)\n"
    assert after_inputs(text) == ["sync !t1", "sync !t0"]


def test_a_loop_drops_what_the_round_before_left_behind():
    text = "x = keep(random(4))\nfor n in range(3):\n    y = exp(x)\nsync()\n"
    assert after_inputs(text) == [
        "Exp t0 -> t1",
        "Exp t0 -> t2",
        "drop !t1",
        "Exp t0 -> t3",
        "drop !t2",
        "sync",
        "drop !t3",
    ]


def test_a_loop_holds_the_list_it_goes_over():
    text = "for c in [random(4), random(4)]:\n    sync()\n"
    assert after_inputs(text) == ["sync", "sync", "drop !t0", "drop !t1"]


def test_a_value_carried_round_a_loop_moves_each_time():
    text = "x = random(4)\nfor n in range(2):\n    x = x + 1.0\nread(x)\n"
    assert after_inputs(text) == ["AddScalar !t0 -> t1", "AddScalar !t1 -> t2", "sync !t2"]


# --- values given up on purpose


@pytest.mark.parametrize("give_up", ["drop(x)", "del x"])
def test_giving_up_a_value_queues_a_drop_there(give_up):
    text = X + f"y = keep(x + 1.0)\n{give_up}\nsync()\n"
    assert after_inputs(text) == ["AddScalar t0 -> t1", "drop !t0", "sync"]


def test_a_drop_is_a_use_so_the_use_before_it_clones():
    assert after_inputs(X + "read(exp(x))\ndrop(x)\n") == ["Exp t0 -> t1", "sync !t1", "drop !t0"]


def test_a_drop_of_one_of_two_names_queues_nothing():
    text = X + "y = x\ndrop(x)\nread(exp(y))\n"
    assert after_inputs(text) == ["Exp !t0 -> t1", "sync !t1"]


def test_a_drop_ends_a_keep():
    text = "x = keep(random(4))\nread(exp(x))\ndrop(x)\nsync()\n"
    assert after_inputs(text) == ["Exp t0 -> t1", "sync !t1", "drop !t0", "sync"]


def test_a_name_can_be_given_again_after_a_drop():
    assert after_inputs(X + "drop(x)\nx = random(4)\nread(x)\n") == ["drop !t0", "sync !t1"]


def test_several_values_can_be_dropped_at_once():
    assert after_inputs("x, y = random(4), random(4)\ndrop(x, y)\n") == ["drop !t0", "drop !t1"]


# --- streams


def test_ops_in_a_with_block_go_to_its_stream():
    assert stream_of("with stream(1):\n    x = random(4)\n    read(exp(x))\n") == [
        "1> Random -> t0",
        "1> Exp !t0 -> t1",
        "1> sync !t1",
    ]


def test_a_tensor_of_another_stream_is_read_under_a_new_id_after_a_drain():
    text = "x = keep(random(4))\nwith stream(1):\n    read(exp(x))\n"
    assert stream_of(text) == ["Random -> t0", "sync", "1> Exp !t1 -> t2", "1> sync !t2"]


def test_the_second_share_of_a_tensor_drains_nothing():
    text = "x = keep(random(4))\nwith stream(1):\n    read(exp(x))\n    read(abs(x))\n"
    assert stream_of(text).count("sync") == 1


def test_a_last_use_on_another_stream_gives_the_original_up():
    text = "x = random(4)\nwith stream(1):\n    read(exp(x))\n"
    assert stream_of(text) == [
        "Random -> t0",
        "sync",
        "sync !t0",
        "1> Exp !t1 -> t2",
        "1> sync !t2",
    ]


def test_a_read_drains_the_home_stream_of_its_tensor():
    text = "with stream(2):\n    x = random(4)\nread(x)\n"
    assert stream_of(text)[-1] == "2> sync !t0"


def test_a_sync_drains_the_stream_that_it_stands_in():
    assert stream_of("with stream(3):\n    sync()\nsync()\n") == ["3> sync", "sync"]
