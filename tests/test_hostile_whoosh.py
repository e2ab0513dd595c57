"""Files of Whoosh that nobody of us wrote: whatever they say, no reader is kept, filled or ended by them."""

import io
import pickle
import zlib
from pathlib import Path

import pytest
from wikis import NOW, make

from llmwiki import fast, recall
from llmwiki.indexes import whoosh_files, whoosh_pickles, whoosh_writing
from llmwiki.indexes.catalogue import CACHE
from tests.test_indexes import PAGES

NEW, OLD = b"\x80\x04", b"\x80\x02"
SEGMENT = b"\x8c\x14whoosh.codec.whoosh3\x8c\x09W3Segment\x93)\x81"
ATTRIBUTES = b"}\x94(" + b"".join(b"\x8c\x05%05dN" % n for n in range(50_000)) + b"u"
PAIRS = b"".join(b"h" + bytes([n]) + b"\x86\x94" for n in range(60))  # each of two of the one before
PICKLES = {
    "a hash that takes for ever": NEW + b"})\x94" + PAIRS + b"K\x01s.",
    "the same in frozen sets": NEW + b"}(\x91\x94" + b"(h\x00h\x00\x91\x94" * 9 + b"K\x01s.",
    "the same in the older form": OLD + b"})q\x00" + PAIRS.replace(b"\x94", b"q\x01") + b"K\x01s.",
    "a hash that is too deep": NEW + b"})" + b"\x85" * 1_000_000 + b"K\x01s.",
    "an object given all of it again and again": NEW + ATTRIBUTES + SEGMENT + b"h\x00b" * 50_000 + b".",
    "as many objects": NEW + ATTRIBUTES + b"](" + (SEGMENT + b"h\x00b") * 5_000 + b"e.",
    "a memory of all there is": NEW + b"]r\xff\xff\xff\x3f.",
    "a memory of all there is, in words": OLD + b"]p1000000000\n.",
    "bytes without end": NEW + b"\x8e" + (1 << 36).to_bytes(8, "little") + b"x.",
    "a number of megabytes": OLD + b"\x8b" + (4_000_000).to_bytes(4, "little") + b"\x7f" * 4_000_000 + b".",
    "a number in words": OLD + b"L" + b"9" * 4000 + b"L\n.",
    "bytes that a call makes": NEW + b"\x8c\x08builtins\x8c\x09bytearray\x93K\x01\x85R.",
    "what was cut off": NEW + b"](K\x01K",
    "nothing": b"",
}


def spoiled(root, kind, change):
    (path,) = Path(root, CACHE).rglob(kind)
    path.write_bytes(change(path.read_bytes()))


def told(root):
    """What is told of the green button, within a time that only a hang takes."""
    fast.bound(20)
    try:
        return recall.block(root, recall.Asked("green button", now=NOW))
    finally:
        fast.bound(0)


@pytest.fixture
def root(tmp_path):
    return make(tmp_path, *PAGES, backend="whoosh")


@pytest.mark.parametrize("planted", PICKLES.values(), ids=PICKLES)
def test_a_pickle_that_whoosh_would_not_write_is_not_loaded(planted, root):
    from whoosh.codec import whoosh3
    from whoosh.filedb import structfile

    assert whoosh_writing.PAGES  # it puts its loaders in their place
    for load in (whoosh_pickles.loads, whoosh3.loads, lambda content: structfile.load(io.BytesIO(content))):
        with pytest.raises(pickle.UnpicklingError):
            load(planted)
    sound = told(root)
    spoiled(root, "*.toc", lambda content: content[: content.rindex(b"\x80")] + planted)
    answer = told(root)
    assert answer["records"] == sound["records"] and "answered from the pages" in answer["text"]


@pytest.mark.parametrize(
    "said", [(1, 2.5, "a", None, True), {"a": {"b": [1, 300, 70_000, 5 << 32]}}, [set(range(999))]]
)
def test_a_pickle_of_plain_values_is_loaded_as_whoosh_writes_it(said):
    protocol = 2 if isinstance(said, tuple) else -1
    said = tuple(part for part in said if not isinstance(part, str | bool)) if protocol == 2 else said
    content = pickle.dumps(said, protocol)
    assert whoosh_pickles.read(content + b"more") == (said, len(content))


class Segment:
    """The file of a segment, to be changed."""

    def __init__(self, root):
        (self.path,) = Path(root, CACHE).rglob("*.seg")
        self.content = bytearray(self.path.read_bytes())
        self.end = int.from_bytes(self.content[:8], "big")
        self.files = pickle.loads(self.content[self.end :])

    def place(self, ending):
        return next(file for name, file in self.files.items() if name.endswith(ending))

    def postings(self, content, many):
        """Gives each term this list of postings, of which it says that they are so many."""
        posts = self.place(".pst")
        at, posts["length"] = posts["length"], posts["length"] + len(content)
        place = posts["offset"] + at
        moved = self.content[place : self.end]
        self.content[place:] = content + moved
        self.end += len(content)
        for file in self.files.values():
            file["offset"] += len(content) if file["offset"] >= place else 0
        for info in self._infos():
            said = at.to_bytes(8, "big") + len(content).to_bytes(4, "big")
            self.content[info + 23 : info + 35] = said
            self.content[info + 5 : info + 9] = many.to_bytes(4, "big")

    def tables(self):
        terms = self.place(".trm")
        end = terms["offset"] + terms["length"] - 4
        return terms["offset"], end - int.from_bytes(self.content[end : end + 4], "big") - 256 * 12

    def _infos(self):
        start, tables = self.tables()
        for entry in range(tables, tables + 256 * 12, 12):
            table, slots = start + self._number(entry, 8), self._number(entry + 8, 4)
            for at in range(table, table + 12 * slots, 12):
                place = self._number(at + 4, 8)
                if place:
                    yield start + place + 8 + self._number(start + place, 4)

    def _number(self, at, size):
        return int.from_bytes(self.content[at : at + size], "big")

    def write(self):
        self.content[:8] = self.end.to_bytes(8, "big")
        self.path.write_bytes(self.content[: self.end] + pickle.dumps(self.files, -1) + pickle.dumps({}, -1))


def block(many, last, data, packed=0, length=None, final=True):
    one = pickle.dumps((many, last, 1.0, packed, 0, 0), 2) + (zlib.compress(data) if packed else data)
    length = len(one) if length is None else length
    return (-length if final else length).to_bytes(4, "big", signed=True) + one


def listed(*numbers, weights=None):
    return pickle.dumps((numbers, weights, None), 2)


SWOLLEN = OLD + b"((" + b"K\x01" * 400_000 + b"tNNt."
LISTS = {
    "blocks that swell": block(400_000, 400_000, SWOLLEN, 1, final=False) * 40 + block(400_000, 400_000, SWOLLEN, 1),
    "numbers that grow": block(2, 2, OLD + b"(\x8a\xff" + b"\x7f" * 255 + b"\x85NNt."),
    "documents that are not there": block(1, 70_000, listed(70_000)),
    "documents before the first": block(2, 1, listed(-1, 2)),
    "documents that come again": block(3, 1, listed(1, 0, 0)),
    "documents of no number": block(1, 0, listed(0.0)),
    "documents in a document": block(1, 0, listed((0,))),
    "one document too many": block(1, 0, listed(0, 1)),
    "a block too many": block(1, 0, listed(0), final=False) + block(1, 1, listed(1)),
    "a block that is missing": block(1, 0, listed(0), final=False),
    "a block of nothing": block(0, 0, OLD + b"()NNt."),
    "a block that goes too far": block(1, 0, listed(0), length=1 << 30),
    "a word that stands there without end": block(1, 0, listed(0, weights=(float("inf"),))),
    "a word that stands there nowhere": block(1, 0, listed(0, weights=(float("nan"),))),
    "a block whose head never ends": (-60).to_bytes(4, "big", signed=True) + OLD + b"(" + b"K\x01" * 200,
}


@pytest.mark.parametrize("content", LISTS.values(), ids=LISTS)
def test_postings_that_no_term_has_are_no_postings(content, root):
    sound, segment = told(root), Segment(root)
    segment.postings(b"W3Bl" + content, 1)
    segment.write()
    answer = told(root)
    assert answer["records"] == sound["records"] and "answered from the pages" in answer["text"]


def test_the_same_change_with_a_list_that_a_term_can_have_is_read(root):
    segment = Segment(root)
    segment.postings(b"W3Bl" + block(1, 0, listed(0)), 1)
    segment.write()
    (opened,) = whoosh_files.segments(str(segment.path.parent))
    assert opened.postings("record", "green") == [(0, 1.0)]


def full(segment, place):
    """Tables of terms that are one long run of slots, all of them taken."""
    slots = (b"\0\0\0\1" + (20).to_bytes(8, "big")) * 300_000
    extras = pickle.dumps({"fieldmap": {"page": 0, "passage": 1, "record": 2}}, -1)
    entries = ((5).to_bytes(8, "big") + (300_000).to_bytes(4, "big")) * 256
    body = b"HSH3\0" + slots + entries + extras + len(extras).to_bytes(4, "big")
    segment.files[place] |= {"offset": segment.end, "length": len(body)}
    segment.content[segment.end :] = body
    segment.end += len(body)


def beyond(segment, place):
    segment.files[place]["length"] = 1 << 40


def before(segment, place):
    segment.files[place]["offset"] = -8


def named(segment, place):
    segment.files[place]["offset"] = "8"


@pytest.mark.parametrize("change", [full, beyond, before, named])
@pytest.mark.parametrize("ending", [".trm", ".key.col"])
def test_what_does_not_lie_in_the_segment_is_not_looked_for(change, ending, root):
    sound, segment = told(root), Segment(root)
    change(segment, next(name for name in segment.files if name.endswith(ending)))
    segment.write()
    answer = told(root)
    assert answer["records"] == sound["records"] and "answered from the pages" in answer["text"]


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content[:11] + b"\xff" * 1_000_000,  # a length of a million digits
        lambda content: content + bytes(whoosh_files.CONTENTS),
        lambda content: content.replace(b"\x8c\x04MAIN", b"\x8c\x04../x"),
        lambda content: content.replace(b"_deletedN", b"_deleted\x8f(K\x00J\xff\xff\xff\x7f\x90"),
        lambda content: content[:-1] + b"h\x04a" * 2 + b".",  # the segment again
        lambda content: content[:-1] + b"h\x04a" * 100_000 + b".",
    ],
)
def test_a_table_of_contents_that_goes_too_far_is_none(change, root):
    sound = told(root)
    spoiled(root, "*.toc", lambda content: change(content.replace(b"_deleted\x94N", b"_deletedN")))
    answer = told(root)
    assert answer["records"] == sound["records"] and "answered from the pages" in answer["text"]


def test_a_note_of_the_index_that_is_too_long_is_none(root):
    spoiled(root, "generation", lambda content: content + b"x 1 1\n" * 100_000)
    assert told(root)["limits"]["notes"]


def test_more_postings_than_a_question_has_are_left_to_the_pages(root, monkeypatch):
    sound = told(root)
    monkeypatch.setattr("llmwiki.indexes.whoosh_index.READ", 0)
    answer = told(root)
    assert answer["records"] == sound["records"] and "answered from the pages" in answer["text"]


def test_no_more_blocks_with_deleted_documents_are_read_than_a_question_has(root):
    (segment,) = whoosh_files.segments(str(Segment(root).path.parent))
    segment.deleted, segment._gone, segment._left = frozenset({0}), [0], 0
    with pytest.raises(ValueError, match="deleted"):
        segment.held("record", "green")
