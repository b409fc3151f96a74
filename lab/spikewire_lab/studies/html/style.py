"""The inline style of every page: for light and dark mode, phones and print."""

from __future__ import annotations

from ..svg.palette import COLOURS

_LIGHT = {
    "ground": "#ffffff",
    "raised": "#f6f7f9",
    "text": "#1c2127",
    "muted": "#59626d",
    "rule": "#d9dee4",
    "link": "#00695c",
    "bad": "#a32020",
    "good": "#1b6b34",
}
_DARK = {
    "ground": "#14181d",
    "raised": "#1c2229",
    "text": "#e4e8ec",
    "muted": "#a3adb8",
    "rule": "#343c46",
    "link": "#5fd3bf",
    "bad": "#ff9d94",
    "good": "#7fd69a",
}
_RULES = """
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--text);font:16px/1.55 system-ui,-apple-system,
"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:break-word}
header,main,footer{max-width:63rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2.2rem}
footer{padding-bottom:3rem;color:var(--muted);font-size:.85rem}
h1{font-size:1.9rem;line-height:1.2;margin:.2rem 0 1rem}
h2{font-size:1.35rem;line-height:1.3;margin:3rem 0 .6rem;padding-top:.8rem;
border-top:1px solid var(--rule)}
h3{font-size:1.05rem;margin:1.6rem 0 .4rem}
p,ul,ol{max-width:44rem}
li{margin:.2rem 0}
a{color:var(--link)}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.86em}
pre{background:var(--raised);padding:.8rem 1rem;overflow:auto;border-radius:6px}
.kind{color:var(--muted);margin:0;font-size:.9rem}
.warn{border-left:4px solid var(--bad);background:var(--raised);padding:.6rem .9rem}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);
gap:.25rem 1.2rem;font-size:.9rem;margin:1.2rem 0}
dt{color:var(--muted)}dd{margin:0;overflow-wrap:anywhere}
nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;list-style:none;padding:0;margin:1rem 0;
font-size:.92rem}
figure{margin:1rem 0 2rem}
figcaption,.note{color:var(--muted);font-size:.86rem;max-width:46rem;margin:.4rem 0 0}
svg{display:block;width:100%;height:auto;font-family:inherit}
svg text{fill:var(--text)}svg .tick,svg .value{fill:var(--muted)}svg .strong{font-weight:600}
.wide{max-width:760px}.narrow{display:none}
.axis{stroke:var(--muted);fill:none}.grid{stroke:var(--rule);fill:none}
.whisker{stroke:var(--text);fill:none;stroke-width:1.3}
.line{fill:none;stroke-width:2.2;stroke-linejoin:round}.band{opacity:.18}
.hidden{fill:transparent;stroke:none}.hidden:hover{fill:currentColor}
.scroll{overflow-x:auto;border:1px solid var(--rule);border-radius:6px}
table{border-collapse:collapse;font-size:.88rem;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:.42rem .7rem;text-align:right;vertical-align:top;
border-bottom:1px solid var(--rule);white-space:nowrap}
tbody tr:last-child>*{border-bottom:0}
thead th{background:var(--raised);color:var(--muted);font-weight:600;vertical-align:bottom;
white-space:normal;overflow-wrap:normal;min-width:4.6rem}
thead th.short{white-space:nowrap;min-width:0}
th:first-child{text-align:left;position:sticky;left:0;background:var(--ground);font-weight:500;
white-space:normal;min-width:8.5rem;max-width:20rem}
thead th:first-child{background:var(--raised)}
tr.ours th:first-child{font-weight:700}
.text{text-align:left;white-space:normal;min-width:9rem}
td small,th small{display:block;color:var(--muted);font-weight:400}
.mark{display:inline-block;width:.7em;height:.7em;border-radius:2px;margin-right:.5em}
.bad{color:var(--bad)}.good{color:var(--good)}.ratio{font-weight:600}
details{margin:1rem 0}summary{cursor:pointer}
@media (max-width:600px){header,main,footer{padding-left:1rem;padding-right:1rem}
h1{font-size:1.5rem}
.wide{display:none}.narrow{display:block}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}
th:first-child{max-width:9.5rem}}
@media print{body{font-size:11pt}.scroll{overflow:visible;border:0}th:first-child{position:static}
figure,tr{break-inside:avoid}nav{display:none}}
"""


def _variables(theme: int) -> str:
    plain = (_LIGHT, _DARK)[theme]
    colours = {f"c-{name}": pair[theme] for name, pair in COLOURS.items()}
    return "".join(f"--{name}:{value};" for name, value in {**plain, **colours}.items())


def style() -> str:
    """All rules, for a `style` element."""
    fills = "".join(
        f".f-{name}{{fill:var(--c-{name})}}.s-{name}{{stroke:var(--c-{name})}}"
        f".b-{name}{{background:var(--c-{name})}}"
        for name in COLOURS
    )
    return (
        f":root{{color-scheme:light dark;{_variables(0)}}}"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{_variables(1)}}}}}"
        f"{fills}{_RULES}"
    )
