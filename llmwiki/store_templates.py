"""Where templates lie: the wiki's own go before the shipped ones, name by name."""

from __future__ import annotations

from pathlib import Path

from llmwiki.errors import WikiError

_PACKAGE = Path(__file__).parent
_LARGEST = 1_000_000


def find(name: str, root: Path | None = None) -> str:
    """The text of the template `name` (`index.md.j2`): from `templates/` of the wiki at `root`, else as shipped.

    Raises WikiError when there is none, or the wiki's own cannot be read. A link that leads out of the wiki is
    refused: a cloned wiki could print any file of this machine into a page.
    """
    own = root / "templates" / name if root else None
    if own and own.is_file():
        return _own(own, root or own)
    # A wheel carries the templates within the package; in a checkout they lie beside it.
    for folder in (_PACKAGE / "templates", _PACKAGE.parent / "templates"):
        if (folder / name).is_file():
            return (folder / name).read_text("utf-8")
    raise WikiError(f"there is no template {name}; install llmwiki again")


def _own(file: Path, root: Path) -> str:
    if not file.resolve().is_relative_to(root.resolve()):
        raise WikiError(f"templates/{file.name} is a link that leads out of the wiki; put the file itself there")
    try:
        if file.stat().st_size > _LARGEST:
            raise WikiError(f"templates/{file.name} is larger than a megabyte; remove it to use the shipped one")
        return file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as cause:
        raise WikiError(f"templates/{file.name} cannot be read ({cause}); mend it or remove it") from cause
