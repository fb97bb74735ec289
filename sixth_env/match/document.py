"""Documents of headings, paragraphs, tables and plots, as Markdown and as one HTML file."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sixth_env.report import write_text


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the document's title."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    """Plain text."""

    text: str


@dataclass(frozen=True)
class Table:
    """A table whose first column is text and whose others are numbers.

    ``links`` leads from texts of the first column to where they are explained.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    links: dict[str, str] | None = None


@dataclass(frozen=True)
class Code:
    """A command, shown as it is typed."""

    text: str


@dataclass(frozen=True)
class Plot:
    """A drawing as SVG, and what it shows in words; Markdown leaves it out."""

    svg: str
    caption: str


Block = Heading | Paragraph | Table | Code | Plot


def write_markdown(file: Path, blocks: Sequence[Block]) -> None:
    """Write a document as Markdown.

    Raises:
        ConfigError: the file cannot be written.
    """
    write_text(file, to_markdown(blocks))


def write_html(file: Path, blocks: Sequence[Block]) -> None:
    """Write a document as one HTML file that needs no other.

    Raises:
        ConfigError: the file cannot be written.
    """
    write_text(file, to_html(blocks))


# --- Markdown -------------------------------------------------------------------------------------


def to_markdown(blocks: Sequence[Block]) -> str:
    """The document as Markdown, without plots."""
    return "\n".join(_markdown(block) for block in blocks if not isinstance(block, Plot))


def _markdown(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"{'#' * level} {text}\n"
        case Paragraph(text):
            return f"{text}\n"
        case Code(text):
            return f"```text\n{text}\n```\n"
        case Table(columns, rows, links):
            lines = [columns, ["---", *["---:"] * (len(columns) - 1)]]
            lines += [[_linked(row[0], links), *row[1:]] for row in rows]
            return "".join(f"| {' | '.join(_cell(c) for c in line)} |\n" for line in lines)
    raise TypeError(f"no block of a document: {block!r}")


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def _linked(text: str, links: dict[str, str] | None) -> str:
    target = (links or {}).get(text)
    return f"[{text}]({target})" if target else text


# --- HTML -----------------------------------------------------------------------------------------

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1f2328; max-width: 80rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.25rem; margin-top: 2.2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.9rem; }
th, td { padding: 0.25rem 0.6rem; text-align: right; white-space: nowrap; }
th { border-bottom: 2px solid #d0d7de; font-weight: 600; }
td { border-bottom: 1px solid #e6e9ec; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
pre { background: #f3f4f6; padding: 0.7rem 1rem; border-radius: 6px; white-space: pre-wrap; }
figure { margin: 1.2rem 0; } figure svg { max-width: 100%; height: auto; }
figcaption { color: #59636e; font-size: 0.9rem; }
""".strip()


def to_html(blocks: Sequence[Block]) -> str:
    """The document as a page, plots inline."""
    title = next((block.text for block in blocks if isinstance(block, Heading)), "Report")
    body = "\n".join(_html(block) for block in blocks)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _html(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"<h{level}>{html.escape(text)}</h{level}>"
        case Paragraph(text):
            return f"<p>{html.escape(text)}</p>"
        case Code(text):
            return f"<pre><code>{html.escape(text)}</code></pre>"
        case Plot(svg, caption):
            note = html.escape(caption)
            return f"<figure>\n{svg}\n<figcaption>{note}</figcaption>\n</figure>"
        case Table(columns, rows, links):
            head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
            body = "\n".join(f"<tr>{_html_row(row, links)}</tr>" for row in rows)
            return (
                f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n'
                f"<tbody>\n{body}\n</tbody>\n</table></div>"
            )


def _html_row(row: Sequence[str], links: dict[str, str] | None) -> str:
    target = (links or {}).get(row[0])
    first = html.escape(row[0])
    if target:
        first = f'<a href="{html.escape(target)}">{first}</a>'
    return "".join(f"<td>{cell}</td>" for cell in [first, *map(html.escape, row[1:])])
