"""Who may enter the block: how much of a task a record speaks of, and how much of that may be chance. Pure.

Two numbers decide. *Coverage* is the share of the task, by what its words tell, of which one place of a record speaks:
its title, its tags and three lines in a row, for words strewn over a long page are no answer. *Evidence* is how much
more often than anywhere else the wiki uses the words that were found: it knows its own people, tools and files. A task
in the wiki's own words needs little coverage, and one in everybody's words has to be covered nearly whole, since every
wiki holds a `write` and a `book` somewhere. Loaded by the hook: no imports that cost.
"""

from __future__ import annotations

from math import log, sqrt

from llmwiki import kin, vocabulary, words
from llmwiki.indexes.entries import UNIT, idf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set

    from llmwiki.indexes.entries import Scored

# How often other pages have a word is learned from the wiki, read together with so many imagined pages about anything;
# whether the wiki has it more often than others do, from fewer of them.
IMAGINED, OTHERS = 200, 30
PAGE_TERMS, TERM_CHARS = 25, 6  # of an imagined page; and what an average term of a real one takes, with its space
# What counts beside the word itself: another word for it; one tool that does it, which may be named for anything; two.
MEANS, DOES, DO = 0.7, 0.35, 0.8
# The coverage that lets a record in: FLOOR where evidence is ENOUGH, in steps up to FLOOR + DOUBT where there is none.
FLOOR, DOUBT, ENOUGH = 0.20, 0.30, 4.5
# A question of more telling words is never answered as a whole: the floor falls by the root of its length, down to
# LEAST of it. Chance finds more of its words, too, and evidence is asked for by the same root.
SHORT, LEAST = 6, 0.3
NEVER = 1.01  # no coverage is that much
# A rule speaks when its own subject comes up, however long the task is: where so much of its title is in the task, by
# words that are worth this; a part of that is enough where one is a word that hardly a page of the wiki has.
SUBJECT, NAMED = 0.4, 0.15
RARE_WORD, EVERYDAY_WORD, ANY_WORD = 1.0, 0.5, 0.1
FEW, SHARE = 2, 30  # pages that have a rare word: so many, or one in so many
TOOLS = 2  # of those that do what is asked; a rule that names so many says which one is to
MEANT = 0.5  # of a word of the title that the task only has in another language or by another name
FEW_WORDS = 4  # of a task that is about daily life as soon as half of them are
# In a text without spaces any two neighbours are a term, and of those that no page has every other one is no word.
CJK, OF_A_WORD = "\u3040", 0.5
AROUND = 1  # lines on each side of one that answers


class Relevance:
    """A question of one or several texts, each as its distinct terms, against a wiki of `pages`, on average of `chars`
    characters of terms. `held`: how many pages have a term; `others`: what answers for a term,
    other words for it and what does it, where the wiki has them. `daily`: how many words of everyday life it has that
    no page has.
    """

    def __init__(
        self,
        texts: Sequence[Iterable[str]],
        held: Mapping[str, int],
        others: Mapping[str, tuple[Sequence[str], Sequence[str]]],
        pages: int,
        chars: float,
    ) -> None:
        self._others = others
        self._asked = {o for terms in texts for o in terms}
        aside = words.STOP | vocabulary.CHATTER | vocabulary.ELSEWHERE | (words.COMMON - vocabulary.ACTIVITIES)
        self._about = {t for t in self._asked - aside if t < CJK or held.get(t) or any(vocabulary.same(t))}
        self._working = {o for o in self._about if any(vocabulary.same(o))}  # developers' words: they name no subject
        self._meant = {o for term in self._asked & others.keys() for o in others[term][0]} - self._asked
        self._doing = vocabulary.ACTIVITIES & (self._about | self._meant)
        self._tools = [frozenset(others[term][1]) for term in self._about & others.keys()]
        self.daily = sum(not held.get(t) for t in self._about & vocabulary.EVERYDAY)
        self._daily = self.daily if len(self._about) <= FEW_WORDS else 0
        self._held, self._pages = held, pages
        self._projects: dict[str, set[str]] = {}
        self._told = {t: tells(t, n, pages) for t, n in held.items()}
        self._lift = {t: lift(t, n, pages, chars) for t, n in held.items()}
        self._texts = [(terms, sum(map(self._told.__getitem__, terms))) for terms in map(self._telling, texts) if terms]

    def _telling(self, terms: Iterable[str]) -> list[str]:
        """Those of a text that ask for something: a lone word of any task (`continue`, `make it`) does not."""
        found = [t for t in terms if self._told[t] and (t.isalnum() or self._held.get(t))]  # `lock-file` is its parts
        return found if len(found) > 1 or not any(map(words.is_common, found)) else []

    def _covered(self, have: Set[str], terms: Iterable[str]) -> tuple[float, float]:
        """(what is told by those of the terms, evidence) that `have`, or what means the same, speaks of."""
        told = evidence = 0.0
        for term in terms:
            if term in have:
                told += self._told[term]
                evidence += self._lift[term]
            elif term in self._others:
                means, does = ([self._lift[o] for o in some if o in have] for some in self._others[term])
                worth = MEANS if means else DO if len(does) > 1 else DOES if does else 0.0
                told += worth * self._told[term]
                evidence += worth * max((*means, *does), default=0.0)
        return told, evidence

    def _matched(self, have: Set[str], terms: Iterable[str]) -> list[str]:
        return [t for t in terms if t in have or any(o in have for some in self._others.get(t, ()) for o in some)]

    def subject(self, s: Scored, here: bool) -> bool:
        """Whether the task is about what the record's title names. `here`: the record is of the project at hand or of
        none."""
        title = dict.fromkeys(s.entry.said.partition(UNIT)[0].split())
        worth = {t: _worth(t) for t in title if t not in words.STOP and t not in vocabulary.CHATTER}
        found = [t for t in worth if t in self._asked]
        meant = [t for t in worth if t in self._meant]
        if self._doing & title.keys() and self._about - self._working <= title.keys():
            return True  # `how do we deploy?` asks for every rule about that, and so does `deploy the new version`
        if here and not self.daily and any(len(tools & title.keys()) >= TOOLS for tools in self._tools):
            return True  # `install lodash` asks for the rule that names pnpm and npm
        if self._daily >= max(1, len(found) + len(meant)):
            return False  # `the Friday dinner plan` is about dinner, and no page of the wiki is
        told = sum(map(worth.__getitem__, found)) + MEANT * sum(map(worth.__getitem__, meant))
        told /= sum(worth.values()) or 1.0
        few = max(FEW, self._pages // SHARE)
        named = any(worth[t] == RARE_WORD and self._held.get(t, 0) <= few for t in found)
        return told >= NAMED if named else told >= SUBJECT and any(worth[t] > ANY_WORD for t in found + meant)

    def _parts(self, project: str) -> set[str]:
        """The words of a project's name of several, unless all of it is asked: `log` is not about `claude-code-log`."""
        if project not in self._projects:
            parts = set(words.terms(project.replace("-", " ").replace("_", " ")))
            self._projects[project] = parts if len(parts) > 1 and not parts <= self._asked else set()
        return self._projects[project]

    def judge(self, s: Scored, floor: float) -> None:
        """Sets `coverage`, `evidence`, and the `least` coverage that lets the record in, by the place and the text that
        speak most for it. `floor` is that of a short question in the wiki's own words."""
        best = -2.0
        aside = self._parts(s.entry.project)
        for have in places(s, self._told):
            have -= aside
            for terms, mass in self._texts:
                told, evidence = self._covered(have, terms)
                root = sqrt(min(1.0, SHORT / len(terms)))
                least = max(LEAST, root) * (floor + DOUBT * (1 - min(1.0, evidence * root / ENOUGH)))
                matched = self._matched(have, terms)
                if len(matched) < 2 and any(vocabulary.share(t) > vocabulary.RARE or len(t) == 1 for t in matched):
                    least = NEVER  # a single word of everybody's, or a single letter
                if told / mass - least > best:
                    best = told / mass - least
                    s.coverage, s.evidence, s.least, s.matched = told / mass, evidence, least, len(matched)
        if best == -2.0:
            s.coverage, s.evidence, s.least, s.matched = 0.0, 0.0, floor, 0


def reason(s: Scored, holds: bool = False) -> str:
    """Why a record that was judged may enter; "" when it may not. `holds`: its condition does."""
    if holds:
        return "its `when:` holds"
    if s.coverage >= s.least:
        return f"speaks of {s.coverage:.2f} of the task"
    return "the task is about its subject" if s.subject else "means nearly what the task does" if s.means else ""


def _worth(term: str) -> float:
    share = max(map(vocabulary.share, (term, *kin.forms(term))))  # `written` is no rarer than `write`
    return RARE_WORD if share <= vocabulary.RARE else EVERYDAY_WORD if share < 0.05 else ANY_WORD


def places(s: Scored, asked: Iterable[str]) -> list[frozenset[str]]:
    """What each place of a page says of the terms that were asked: its title and tags, with each line that answers and
    its neighbours; the distinct ones."""
    terms = frozenset(asked)
    heading = terms.intersection(s.entry.said.replace(UNIT, " ").split())
    lines = s.entry.said_lines()
    found = {
        i: terms.intersection(lines[i].split())
        for i in {j for _, i in s.best for j in range(i - AROUND, i + AROUND + 1)}
        if 0 <= i < len(lines)
    }
    near = ((found.get(i + d, heading) for d in range(-AROUND, AROUND + 1)) for _, i in s.best)
    return list(dict.fromkeys([heading.union(*some) for some in near])) or [heading]


def tells(term: str, held: int, pages: int) -> float:
    """How much of a question a term is: a rare word is more of it, a word of any task hardly any, a stop word and
    chatter nothing. A small wiki knows little about which words are rare: hence the imagined pages."""
    if term in words.STOP or term in vocabulary.CHATTER:
        return 0.0
    told = idf(held + IMAGINED * vocabulary.share(term), pages + IMAGINED)
    return told if held or term < CJK else told * OF_A_WORD


def lift(term: str, held: int, pages: int, chars: float) -> float:
    """How many times more pages of the wiki have a term than pages of that length about anything would: the natural
    logarithm, not below 0. One page of a few is no custom yet: hence the imagined pages here, too."""
    if not held or term in words.STOP or term in vocabulary.CHATTER:
        return 0.0
    share = 1 - (1 - vocabulary.share(term)) ** max(1.0, chars / TERM_CHARS / PAGE_TERMS)
    return max(0.0, log((held + OTHERS * share) / (pages + OTHERS) / share))
