"""One file that holds a whole run: the player, its payload, and nothing from the network.

In: a run, a language. Out: an HTML document that works from a disk, without a server. Its content
policy forbids every request, so it can be mailed or attached to an issue.
"""

from __future__ import annotations

import json
from html import escape
from typing import Any

from fusionlab.events.run import Run
from fusionlab.export import assets
from fusionlab.i18n import Texts
from fusionlab.views.player import player_payload

_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:"
)

_PAGE = """\
<!doctype html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="FusionLab">
<title>{title}</title>
<style>
{styles}
html, body {{ margin: 0; min-height: 100%; }}
body {{ background: {light}; padding: 16px 24px; }}
body.dark {{ background: {dark}; }}
@media (max-width: 640px) {{ body {{ padding: 0 12px; }} }}
@media print {{ body {{ background: none; padding: 0; }} }}
</style>
</head>
<body>
<main>
{markup}
</main>
<noscript><pre>{noscript}</pre></noscript>
<script type="application/json" id="run">{payload}</script>
<script type="module">
{script}
{start}
</script>
</body>
</html>
"""

# The player asks its host for two things; here the host is the file itself.
_START = """\
const held = JSON.parse(document.getElementById("run").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
const show = () => {
  document.body.classList.toggle("dark", dark.matches);
  fusionlab.player({
    parentElement: document.body,
    data: { ...held, theme: dark.matches ? "dark" : "light", link: false, bar: null },
    setStateValue() {},
    setTriggerValue() {},
  });
};
dark.addEventListener("change", show);
show();
document.querySelector(".fl").focus({ preventScroll: true });"""


def run_html(run: Run, texts: Texts, start: int = 0) -> str:
    """The file.

    Args:
        run: What to show.
        texts: The language of everything in it.
        start: The position (at the level of decisions) at which the player opens.
    """
    payload = player_payload(run, texts)
    held = {"run": payload, "labels": assets.labels(texts), "start": start}
    return _PAGE.format(
        lang="zh-CN" if texts.lang == "zh" else "en",
        policy=escape(_POLICY),
        title=escape(f"{run.program.name} · FusionLab"),
        styles=assets.styles().replace("</", "<\\/"),
        light=assets.palette("light")["bg"],
        dark=assets.palette("dark")["bg"],
        markup=assets.markup(),
        noscript=escape(_words_only(payload)),
        payload=_as_data(held),
        script=_as_module(assets.script()),
        start=_START,
    )


def _as_data(value: Any) -> str:
    """JSON that cannot end its script element, whatever the program's text holds."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _as_module(script: str) -> str:
    """The player's module as a plain function of this page; its other names stay inside."""
    body = script.replace("export default function", "fusionlab.player = function", 1)
    return f"const fusionlab = {{}};\n(() => {{\n{body}\n}})();".replace("</script", "<\\/script")


def _words_only(payload: dict[str, Any]) -> str:
    """The run in sentences, for a reader without scripts."""
    steps = (step for step in payload["steps"] if step["level"] <= 1)
    lines = (f"{n}. {step['what']}" for n, step in enumerate(steps))
    return "\n".join([payload["name"], "", *payload["program"], "", *lines])
