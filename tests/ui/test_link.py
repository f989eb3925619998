"""What a link carries: any program text, and nothing that could break the page."""

import base64
import zlib

from hypothesis import given
from hypothesis import strategies as st

from fusionlab.program.gallery import gallery
from fusionlab.ui.link import pack, unpack


@given(st.text(max_size=2000))
def test_a_packed_program_comes_back_as_it_was(text: str) -> None:
    assert unpack(pack(text)) == text


@given(st.text(max_size=200) | st.text(max_size=200).map("z.".__add__))
def test_whatever_stands_in_an_address_is_a_program_or_nothing(token: str) -> None:
    assert unpack(token) is None or pack(unpack(token) or "") != ""


@given(st.text(min_size=1, max_size=300), st.data())
def test_a_link_that_was_cut_off_is_no_program(text: str, data: st.DataObject) -> None:
    token = pack(text)
    assert unpack(token[: data.draw(st.integers(2, len(token) - 1))]) is None


def test_a_token_needs_no_escaping_in_an_address() -> None:
    assert set(pack("read(exp(a * b))\n# 融合")) <= set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
    )


def test_a_token_that_would_unfold_to_more_than_a_program_may_be_is_refused() -> None:
    bomb = base64.urlsafe_b64encode(zlib.compress(b"#" * 10_000_000)).decode().rstrip("=")
    assert len(bomb) < 20_000
    assert unpack(f"z.{bomb}") is None


def test_every_program_of_the_gallery_fits_into_an_address() -> None:
    assert max(len(pack(program.text)) for program in gallery()) < 2000
