"""The catalogs: every code has a text, both languages say the same, and each in its own style."""

import ast
import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

import pytest

from fusionlab import i18n
from fusionlab.errors import ContentError
from fusionlab.events.facts import Fact, MergeVerdict, RepairOutcome, StopCause, TriggerState
from fusionlab.fusers.base import RefusalCode
from fusionlab.i18n import LANGUAGES, Texts, catalog, fill, language_for, placeholders, texts
from fusionlab.ir.tensor import TensorStatus
from fusionlab.learn.lessons import lessons
from fusionlab.plan import ExecutionMode
from fusionlab.program.gallery import gallery
from fusionlab.views.kinds import KINDS
from fusionlab.views.words import FUSER_LETTERS

PACKAGE = Path(i18n.__file__).parent
EN, ZH = texts("en").catalog, texts("zh").catalog
HAN = r"[\u4e00-\u9fff]"


def members(enum: type[Enum], prefix: str) -> list[str]:
    return [f"{prefix}.{member.value}" for member in enum]


NEEDED = [
    *members(RefusalCode, "refusal"),
    *members(StopCause, "fact.OptimizerStopped"),
    *members(MergeVerdict, "fact.MergeJudged"),
    *members(RepairOutcome, "fact.OrderRepaired"),
    *members(TriggerState, "fact.TriggerChecked"),
    *members(TensorStatus, "difference.status"),
    *members(ExecutionMode, "mode"),
    *(f"kind.{name}" for name in KINDS),
    *(f"not_ready.{fuser}" for fuser in FUSER_LETTERS),
]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("key", NEEDED)
def test_every_code_has_a_text(key, lang):
    key = key.replace("difference.status.", "difference.status_")
    assert key in texts(lang)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("fact", Fact.__args__, ids=lambda fact: fact.__name__)
def test_every_fact_has_a_caption(fact, lang):
    assert any(key.startswith(f"fact.{fact.__name__}.") for key in texts(lang).catalog)


CODE = re.compile(r"[a-z]+(_[a-z]+)+")


def raised_codes() -> Iterator[tuple[str, str]]:
    """The code of every error that a reader may see, with the file that makes it.

    An ``InvariantError`` is our own fault: all of them share the text ``error.unnamed``.
    """
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            first = node.args[0]
            code = first.value if isinstance(first, ast.Constant) else None
            ours = name == "InvariantError"
            if (
                name.endswith("Error")
                and not ours
                and isinstance(code, str)
                and CODE.fullmatch(code)
            ):
                yield code, str(path.relative_to(PACKAGE))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_error_has_a_text(lang):
    missing = {code: path for code, path in raised_codes() if f"error.{code}" not in texts(lang)}
    assert missing == {}


def test_both_languages_have_the_same_keys():
    assert EN.keys() == ZH.keys()


@pytest.mark.parametrize("key", sorted(EN.keys() & ZH.keys()))
def test_both_languages_show_the_same_values(key):
    assert placeholders(EN[key]) == placeholders(ZH[key])


ALIKE = re.compile(r"[A-Za-z]{4,}")
"""Four letters in a row are a word; burn's own words are the same in Chinese."""
BURN_WORDS = {
    "OnSync", "Always", "OnOperations", "read", "sync", "ElementWise", "Matmul", "Reduce",
    "NumPy", "Lazy", "Sync", "FusionLab", "JSON", "Streamlit", "burn", "global", "relative",
}  # fmt: skip


def test_nothing_is_left_untranslated():
    same = [
        key
        for key in EN.keys() & ZH.keys()
        if EN[key] == ZH[key] and set(ALIKE.findall(re.sub(r"\{[^}]*\}", "", EN[key]))) - BURN_WORDS
    ]
    assert same == []


def bare(text: str) -> str:
    """The text without marks and code. A value is a Latin name, unless it is a whole sentence."""
    text = re.sub(r"\{(what|problem|reason)\}", "", text)
    return re.sub(r"\{\w+\}", "x", re.sub(r"`[^`]*`", "x", text.replace("**", "")))


def test_chinese_texts_leave_a_space_between_han_and_latin():
    touching = re.compile(rf"{HAN}[A-Za-z0-9#]|[A-Za-z0-9]{HAN}")
    assert {k: t for k, t in ZH.items() if touching.search(bare(t))} == {}


def test_chinese_texts_use_full_width_punctuation():
    half = re.compile(rf"{HAN}[,;:!?()]|[,;:!?(]{HAN}")
    assert {k: t for k, t in ZH.items() if half.search(bare(t))} == {}


def test_chinese_texts_have_no_plural_forms():
    assert {k: t for k, t in ZH.items() if re.search(r"\{\w+[|?]", t)} == {}


FORBIDDEN = {
    "en": re.compile(r"\b(simply|just|please|oops|obviously)\b|!", re.IGNORECASE),
    # A stored plan is 计划 and an op is an op; a scheme of quantisation may keep its 方案.
    "zh": re.compile(r"！|操作|请|(?<!量化)方案"),
}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_texts_keep_to_the_house_style(lang):
    told = texts(lang).catalog
    assert {k: t for k, t in told.items() if FORBIDDEN[lang].search(t)} == {}


def sentences(lang: str) -> Iterator[tuple[str, str]]:
    """Yield what lessons and the gallery say, without code and without what burn prints."""
    for one in lessons():
        prose = one.prose(lang)
        text = "\n".join((prose.title, *prose.parts.values()))
        text = re.sub(
            r"(?s)```.*?```|`[^`]*`|\[[^\[\]]*(\[[^\]]*\][^\[\]]*)*\]\(#is-[^)]*\)", "x", text
        )
        yield from ((f"{one.slug}: {line}", line) for line in text.splitlines())
    for program in gallery():
        yield program.id, program.title[lang]
        yield program.id, program.about[lang]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_lessons_and_the_gallery_keep_to_the_house_style(lang):
    assert [at for at, text in sentences(lang) if FORBIDDEN[lang].search(text)] == []


def test_chinese_lessons_and_gallery_are_set_like_the_catalogs():
    touching = re.compile(rf"{HAN}[A-Za-z0-9#]|[A-Za-z0-9]{HAN}|{HAN}[,;:!?]|[,;:!?]{HAN}")
    assert [at for at, text in sentences("zh") if touching.search(text.replace("**", ""))] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_texts_have_no_stray_braces_or_spaces(lang):
    told = texts(lang).catalog
    left = {k: t for k, t in told.items() if re.search(r"[{}]", fill(t, Anything(), k))}
    assert left == {}
    # The pieces of an enumeration begin and end with the space that they stand for.
    assert [
        k for k, t in told.items() if t != t.strip() and k not in {"list.separator", "caption.glue"}
    ] == []


class Anything(dict):
    """Has every value."""

    def __contains__(self, key: object) -> bool:
        return True

    def __missing__(self, key: str) -> int:
        return 2


# --- the machine ----------------------------------------------------------------------------------


def test_a_plural_form_comes_with_its_number():
    text = "{n|op waits|ops wait}, {n?alone|together}"
    assert fill(text, {"n": 1}) == "1 op waits, alone"
    assert fill(text, {"n": 4}) == "4 ops wait, together"


@pytest.mark.parametrize(
    ("items", "listed"),
    [
        ([], ""),
        (["t1"], "t1"),
        (["t1", "t2"], "t1 and t2"),
        (["t1", "t2", "t3"], "t1, t2 and t3"),
        ([f"t{n}" for n in range(9)], "t0, t1, t2, t3 and 5 more"),
    ],
)
def test_enumerations_are_written_by_the_catalog(items, listed):
    assert texts("en").listed(items) == listed


def test_a_missing_text_is_an_error_with_its_key():
    with pytest.raises(ContentError, match=r"text_missing.*no\.such\.key"):
        texts("en")("no.such.key")


def test_a_missing_value_is_an_error_with_its_name():
    with pytest.raises(ContentError, match=r"text_placeholder.*op"):
        Texts("en", {"key": "{op} waits"})("key")


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("zh-CN", "zh"),
        ("zh_Hant_TW", "zh"),
        ("EN-gb", "en"),
        ("fr", "en"),
        ("", "en"),
        (None, "en"),
    ],
)
def test_a_reader_gets_the_nearest_language(wanted, found):
    assert language_for(wanted) == found


def test_an_unknown_language_is_refused():
    with pytest.raises(ContentError, match="language_unknown"):
        texts("fr")


def test_files_of_one_language_are_merged_and_must_not_repeat_a_key(tmp_path):
    one, two = tmp_path / "en.toml", tmp_path / "en.more.toml"
    one.write_text('[a]\nb = "one"\n', "utf-8")
    two.write_text('[a]\nc = "two"\n', "utf-8")
    assert catalog([one, two]) == {"a.b": "one", "a.c": "two"}
    two.write_text('[a]\nb = "two"\n', "utf-8")
    with pytest.raises(ContentError, match="text_duplicate"):
        catalog([one, two])


@pytest.mark.parametrize("content", ["not toml", "a = 3", "a = ['x']"])
def test_a_catalog_that_is_no_catalog_is_refused_with_its_file(content, tmp_path):
    path = tmp_path / "en.toml"
    path.write_text(content, "utf-8")
    with pytest.raises(ContentError, match=r"text_malformed.*en\.toml"):
        catalog([path])
