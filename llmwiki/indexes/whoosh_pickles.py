"""The pickles of Whoosh's files, read so that no file can make that slow, big or deadly.

A pickle is a small program: with what it may remember and call, sixty steps hash a number of objects that no machine
counts, one number asks for all the memory there is, and a tuple in a tuple in a tuple ends the process. Whoosh writes
two forms. So each step is looked at before any is taken, by a loop that costs a twentieth of a microsecond: what has
another step than these is no pickle of an index, and raises UnpicklingError. What is left costs what its bytes do.
"""

from __future__ import annotations

from io import BytesIO

try:  # the C parts alone: `pickle` loads `re`, `struct` and more
    from _pickle import Unpickler, UnpicklingError
except ImportError:
    from pickle import Unpickler, UnpicklingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OURS = {("whoosh.codec.whoosh3", name) for name in ("W3Segment", "W3Codec")}
BESIDE = {("collections", "defaultdict"), ("builtins", "int")}  # an attribute of a segment, which nobody reads
MADE = 1 << 10  # objects, and tuples around them, of one pickle: of a few dozen segments
_STOP, _TEXT, _LONG = 0x2E, 0x8C, 0x8A


def _steps(plain: bytes, wide: dict[int, int]) -> bytes:
    """By opcode: how many bytes a step takes; 0 for what ends the pickle, is of no fixed length or is refused."""
    lengths = bytearray(256)
    for opcode in plain:
        lengths[opcode] = 1
    for opcode, length in wide.items():
        lengths[opcode] = length
    return bytes(lengths)


_NUMBERS = {0x80: 2, 0x4B: 2, 0x4D: 3, 0x4A: 5, 0x47: 9}  # the protocol; integers of 1, 2 and 4 bytes, floats
# Protocol 2, the postings: tuples of numbers. Nothing that is remembered is asked for again, so that nothing is twice.
_POSTINGS = _steps(b"(t)\x85\x86\x87N", {**_NUMBERS, 0x71: 2})
# Protocol 4 and later, what says where things lie: dicts, lists and sets of numbers and short texts.
_TABLES = _steps(b"({})]useaN\x88\x89\x8f\x90\x94", {**_NUMBERS, 0x68: 2, 0x6A: 5, 0x95: 9})
_MAKING = b"\x81bR\x85\x93"  # an object, its attributes, a call, a tuple of one, a name


def end(content: bytes, at: int = 0) -> int:
    """Where a pickle of Whoosh's ends that begins at `at`. UnpicklingError when it takes a step that none does, or is
    cut off."""
    steps = _POSTINGS if content[at + 1 : at + 2] == b"\2" else _TABLES
    made = 0
    try:
        while True:
            while step := steps[content[at]]:
                at += step
            opcode = content[at]
            if opcode == _STOP:
                return at + 1
            made += 1
            if steps is _TABLES and (opcode == _TEXT or (opcode == _LONG and content[at + 1] <= 8)):
                at += 2 + content[at + 1]
                made -= 1
            elif steps is _TABLES and opcode in _MAKING and made <= MADE:
                at += 1
            else:
                raise UnpicklingError(f"a step of the kind {opcode} has no place in an index")
    except IndexError:
        raise UnpicklingError("a pickle that was cut off") from None


class Described:
    """Stands for Whoosh's own description of a segment or a codec, which is only asked for its attributes."""

    def __init__(self, *_: object) -> None:
        self.said: dict[str, Any] = {}

    def __setstate__(self, said: dict[str, Any]) -> None:
        self.said = said  # as it is: to copy it would let a pickle copy it as often as it likes


class Plain(Unpickler):
    """Lets in values and Whoosh's own segment description, whatever a pickle names."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in OURS or (module, name) in BESIDE:
            return self.described(module, name)
        raise UnpicklingError(f"{module}.{name} has no place in an index")

    def described(self, module: str, name: str) -> Any:
        """The class of a segment or a codec, or of what stands beside them."""
        return Described


def read(content: bytes, kind: type[Plain] = Plain) -> tuple[Any, int]:
    """(the value of a pickle of Whoosh's, where it ends); UnpicklingError for any other."""
    length = end(content)
    return kind(BytesIO(content)).load(), length


def loads(content: bytes, kind: type[Plain] = Plain) -> Any:
    return read(content, kind)[0]
