"""Whether two rules are opposites: one wants the very thing that the other forbids, in the same place and under the
same condition. "Use docker" and "never use docker" are; "use docker" and "never use docker in CI" are a doubt; and "log
in English" and "do not log passwords" have a word in common and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cache, lru_cache

from llmwiki import alternatives, polarity
from llmwiki.words import STOP, plain, stem, terms

Terms = frozenset[str]
Group = tuple[str, Terms]  # the word that leads it ("in", "without"), its terms


class Verdict(IntEnum):
    """How two rules stand to each other."""

    APART = 0
    DOUBT = 1  # nearly the same thing, and one of them has a condition more
    OPPOSITE = 2


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing that a rule wants, or forbids (`against`): its head, what stands around that (place, time, condition),
    and `context`, what a clause without words of its own for it takes from the one before: "…, never by hand"."""

    against: bool
    head: Terms
    around: tuple[Group, ...] = ()
    context: Terms = frozenset()
    verbs: Terms = frozenset()

    @property
    def all(self) -> Terms:
        return self.head.union(self.context, *(found for _, found in self.around))


# What leads a circumstance: of a line all mean the same, and the first word is its mark where the way is what is said.
_MARKED = {
    "without": "without ohne sans sin senza без",
    "except": "except unless außer sauf salvo excepto",
    "until": "until till bis jusqu hasta",
    "before": "before vor bevor avant antes prima до",
    "after": "after nach nachdem après después dopo после",
    "outside": "outside außerhalb hors fuera",
}
_ESCAPES = ("without", "except", "until", "before")  # "never without a review" wants a review
_LEADING = (
    "in on at for with when whenever while if during by via through to from into onto over under inside within of "
    "against between per where than like "
    "im ins am auf für mit bei beim während durch von vom zu zum zur wenn falls unter über aus gegen "
    "dans sur pour avec quand si pendant par de du des aux chez vers lors "
    "en para con cuando durante por del al desde sobre "
    "su per quando se da di del nel com em "
    "в на для при с из перед если когда"
)
# Verbs that say nothing of the object; of two rules with one of different kinds each, the acts differ.
_VERBS = {
    "use": "use run call want need prefer choose pick take switch migrate benutze benutzen benutzt verwende verwenden "
    "verwendet nutze nutzen nimm utilise utiliser utilisez usa usar uses usen usare emplea",
    "make": "make write put set do add create",
    "keep": "keep stay let leave",
    "change": "change move",
}
_FILLING = (
    "any anymore again anywhere anything ever longer please thanks really simply absolutely strictly circumstance "
    "circumstances costs must ought soll sollen muss müssen darf dürfen werden mehr wieder überhaupt auch plus más "
    "nada under"
)
# What is meant by these is no term of the rule, and not what else stands there.
_POINTING = frozenset("any all it this that these those them one es das la lo ça cela esto eso".split())
_CONTRASTIVE = r"instead of|rather than|statt|anstatt|au lieu d(?:e|u|es)?|en vez de|en lugar de|вместо"
_CONTRAST = re.compile(rf"\b(?:{_CONTRASTIVE})\b", re.I)
_NOT = re.compile(
    rf"(?<![-\w])(?:(?P<verbal>don['’]?t|dont|do not|does not|doesn['’]?t|avoid|stop|quit|isn['’]?t|aren['’]?t|"
    r"mustn['’]?t|shouldn['’]?t|can['’]?t|cannot|vermeide|éviter?|evita|ne|n['’](?=\w))|"
    rf"(?P<contrast>{_CONTRASTIVE})|(?P<late>nicht|niemals|nie|{polarity.BANNED})|"
    r"never|not|no|kein\w{0,2}|jamais|pas|nunca|jamás|mai|não|не|никогда)(?:(?<=['’])|\b)",
    re.I,
)
_YES = re.compile(
    r"\b(?:(?:do not|don['’]?t|never) (?:forget|hesitate) to|not only|nicht nur|pas seulement|no solo|no sólo)\b", re.I
)
_SENTENCE = re.compile(r"[.;!?](?![\w/\\])|[。；！？\n]")
# "Never npm, yarn or bun" is one list, and no comma of it begins another thought.
_SEGMENT = re.compile(
    r",(?!\s?(?:nor|or|oder|ou|ni)\b)(?![^,.;]{0,40},?\s(?:nor|or|oder|ni)\b)|，|\s[–—-]\s"
    r"|:(?=\s*(?:never|always|not|no|do|don['’]?t|use|please|nie|niemals|immer|bitte|keine?|nunca|siempre|jamais|toujours)\b)"
    r"|\b(?:but|sondern|aber|mais|sino|pero)\b|\b(?:and|und|et|y)\b(?=\s(?:never|not|nie|nicht|no|nunca|jamais)\b)",
    re.I,
)
_MODAL = re.compile(
    r"\b(?:must|should|shall|may|can|will|is|are|do|does|go|goes|soll\w{0,3}|darf|dürfen|muss|müssen|wird|werden)\s*$",
    re.I,
)
_IMPERATIVE = re.compile(
    r"^\W*(?:always |please |immer |bitte |lieber |siempre |toujours )?(?:use|prefer|take|choose|pick|verwende|benutze|"
    r"nutze|nimm|utilise|usa)\b",
    re.I,
)
_OF_IT = re.compile(r"^\W*(?:it|this|that|they|which|es|das|ils?|elles?|ça|cela|esto|eso)\b", re.I)
_ENDING = re.compile(r"(?:en|st|es|as|an|ez|ar|ir|[aeonst])$")
ROOT = 5  # letters that a term keeps at least
_HENCE = re.compile(
    r"\b(?:from now on|in future|in the future|ab jetzt|ab sofort|von nun an|à partir de maintenant|"
    r"de ahora en adelante)\b",
    re.I,
)
_WORD = re.compile(r"[^\W_][\w'’./+-]*")


@cache
def _leads() -> dict[str, str]:
    """A word that leads a circumstance -> its mark, "" where it says nothing more."""
    marked = {word: mark for mark, line in _MARKED.items() for word in line.split()}
    return dict.fromkeys(_LEADING.split(), "") | marked


@cache
def _verbs() -> dict[str, str]:
    return {form: kind for kind, line in _VERBS.items() for word in line.split() for form in (word, stem(word))}


@cache
def _filling() -> Terms:
    return frozenset(term for word in _FILLING.split() for term in terms(word)) | alternatives.LIGHT


@cache
def _silent() -> Terms:
    """What says nothing even where it stands alone, unlike "in Go"."""
    return _filling().union(STOP, *(terms(word) for word in alternatives.LITTLE))


def _telling(text: str, circumstance: bool = False) -> Terms:
    """The terms of a text that tell; of a head all of them where nothing else is left."""
    found = frozenset(polarity.distinctive(text))
    rest = frozenset(terms(text)) - _silent() if circumstance else found - frozenset(map(stem, _FILLING.split()))
    return frozenset(map(_root, found - _filling() or rest))


@lru_cache(maxsize=20_000)
def _root(term: str) -> str:
    """A term without the endings of other languages, which the English stems keep: "schreiben", "escribas"."""
    cut = _ENDING.sub("", term) if term.isalpha() else term
    return term if len(cut) < ROOT or _kinds(alternatives.parted(term)[0]) else cut


# -- reading

BRIEF = 2  # words of what may stand before an order for its place


@lru_cache(maxsize=20_000)
def read(text: str) -> tuple[Clause, ...]:
    """What a rule wants and forbids, thing by thing."""
    if any(c > alternatives.CJK for c in text):
        said = ((_telling(part), against) for part, against in polarity.clauses(polarity.plainly(text)))
        return tuple(Clause(against, head) for head, against in said if head)
    sentences = _SENTENCE.split(_YES.sub(" ", _HENCE.sub(" ", polarity.plainly(text))))
    found = [clause for sentence in sentences for clause in _sentence(sentence)]
    return tuple(dict.fromkeys([*found, *map(_excluded, filter(_excludes, found))]))


def _excludes(clause: Clause) -> bool:
    return not clause.against and any("without" in found for _, found in clause.around)


def _excluded(clause: Clause) -> Clause:
    """What "deploy without kubectl" forbids: to deploy with it."""
    around = tuple((lead, found - {"without"}) for lead, found in clause.around)
    return replace(clause, against=True, around=around)


def _sentence(text: str) -> Iterator[Clause]:
    """The clauses of one sentence. What leads it or follows in it without an order of its own ("in CI, …", "… , but
    only in CI") is a circumstance of the others."""
    made: list[Clause] = []
    first: tuple[Group, ...] = ()
    segments = _SEGMENT.split(text)
    for n, segment in enumerate(segments):
        negation = _NOT.search(segment)
        if negation:
            made += _negated(segment, negation, made)
        elif n and _OF_IT.match(segment):
            continue  # why it is so
        elif aside := _aside(segment, segments[n + 1 :] if n == 0 else []):
            if made:
                made[-1] = replace(made[-1], around=(*made[-1].around, *aside))
            else:
                first = (*first, *aside)
        else:
            made.append(_clause(segment, False))
    if not made and first:
        made, first = [Clause(False, first[0][1], first[1:])], ()  # "always in English"
    for clause in made:
        if clause.head or clause.around:
            yield _headed(replace(clause, around=(*clause.around, *first)))


def _aside(segment: str, then: list[str]) -> tuple[Group, ...]:
    """The circumstances of a segment that has nothing else, () when it has. `then`: what follows on a first one, of
    which a word or two are the place of an order ("locally, use …")."""
    clause = _clause(segment, False)
    if clause.head and not clause.verbs and len(segment.split()) <= BRIEF and then and _clause(then[0], False).verbs:
        return (("", clause.head), *clause.around)
    return clause.around if not clause.head and not clause.verbs else ()


def _headed(clause: Clause) -> Clause:
    """The clause with a head: "switch to npm" has its object behind a small word."""
    if clause.head or not clause.around:
        return clause
    return replace(clause, head=clause.around[0][1], around=clause.around[1:])


def _clause(text: str, against: bool) -> Clause:
    """One clause of words in which no negation stands."""
    head, around = _grouped([match[0] for match in _WORD.finditer(text)])
    known = _verbs()
    first = next((known[w] for w in plain(" ".join(head)) if w in known), "")
    said = _telling(" ".join(head)) or frozenset(w for w in map(str.casefold, head[-1:]) if w in _POINTING)
    groups = ((lead, mark, _telling(" ".join(words), circumstance=True)) for lead, mark, words in around)
    found = tuple((lead, terms | {mark} if mark else terms) for lead, mark, terms in groups if terms)
    return Clause(against, said, found, verbs=frozenset({first} - {""}))


def _grouped(words: list[str]) -> tuple[list[str], list[tuple[str, str, list[str]]]]:
    """The words of the head, and for each circumstance the word that leads it, its mark and its words. In "in CI use
    docker" a verb ends the circumstance."""
    head: list[str] = []
    around: list[tuple[str, str, list[str]]] = []
    into = head
    for word in words:
        if (lead := word.casefold()) in _leads():
            mark = _leads()[lead] or ("" if not around or around[-1][2] else around[-1][1])  # "except in CI"
            around.append((lead, mark, into := []))
            continue
        if not head and lead in _verbs():
            into = head
        into.append(word)
    return head, around


def _negated(segment: str, negation: re.Match[str], before: list[Clause]) -> Iterator[Clause]:
    """What a segment with a negation says: what is wanted before it, where that stands for itself, and what is not."""
    lead, rest = segment[: negation.start()], segment[negation.end() :]
    if not negation["contrast"]:
        rest = _CONTRAST.split(rest)[0]  # "never npm instead of pnpm": of pnpm it says no more than that
    wanted, unwanted = _clause(lead, False), _clause(_NOT.sub(" ", rest), True)
    if not (unwanted.head or unwanted.around):
        if negation["late"] and wanted.all:
            yield replace(wanted, against=True)
        return
    if wanted.all and _contrasts(negation, lead, rest):
        yield wanted
        yield from _elliptic(unwanted, wanted)
    elif wanted.all:  # "secrets must never be committed"
        verbs = unwanted.verbs or wanted.verbs
        yield replace(unwanted, head=wanted.head | unwanted.head, around=wanted.around + unwanted.around, verbs=verbs)
    elif before and not before[-1].against and not negation["verbal"] and not unwanted.verbs:
        yield from _elliptic(unwanted, before[-1])
    else:
        yield unwanted


def _contrasts(negation: re.Match[str], lead: str, rest: str) -> bool:
    """Whether a negation in the middle parts two alternatives: "use foo not bar"."""
    if negation["contrast"]:
        return True
    if _MODAL.search(lead):
        return False
    values, others = alternatives.parted(lead)[0], alternatives.parted(rest)[0]
    return bool(_IMPERATIVE.match(lead) and negation[0].casefold() == "not") or bool(_kinds(values) & _kinds(others))


def _kinds(values: alternatives.Values) -> Terms:
    return frozenset(kind for kind, _ in values)


def _elliptic(unwanted: Clause, wanted: Clause) -> Iterator[Clause]:
    """Of "tabs in Makefiles, never spaces": what is forbidden stands in the place of a part of what is wanted, and has
    the rest of it for its context. Where nothing tells which part that is, both ways to read it."""
    verbs = unwanted.verbs or wanted.verbs
    if not unwanted.head:
        lead = unwanted.around[0][0]
        others = [found for word, found in wanted.around if word != lead]
        if len(others) == len(wanted.around):
            others = others[:-1]
        yield replace(_headed(unwanted), context=_foreign(wanted.head.union(*others), unwanted), verbs=verbs)
        return
    around = frozenset[str]().union(*(found for _, found in wanted.around))
    yield replace(unwanted, context=_foreign(around, unwanted), verbs=verbs)
    if wanted.around and (context := _foreign(wanted.head, unwanted)):
        yield replace(unwanted, context=context, verbs=verbs)


def _foreign(context: Terms, clause: Clause) -> Terms:
    """A context without values of a kind of which the clause names another one."""
    kinds = _kinds(alternatives.parted(" ".join(sorted(clause.all)))[0])
    return frozenset(t for t in context if not kinds & _kinds(alternatives.parted(t)[0])) - clause.all


# -- judging


def judged(one: Iterable[Clause], two: Iterable[Clause]) -> Verdict:
    """How two rules stand to each other, given as their clauses."""
    one, two = tuple(one), tuple(two)
    return max(_forbidden(one, two), _forbidden(two, one))


def _forbidden(wanting: tuple[Clause, ...], forbidding: tuple[Clause, ...]) -> Verdict:
    """Whether something that one rule wants is forbidden by the other."""
    theirs = frozenset[str]().union(*(clause.all for clause in forbidding))
    pairs = ((w, f) for f in forbidding if f.against for w in wanting if not w.against)
    found = (_against(w, f, theirs) for w, f in pairs)
    return max(found, default=Verdict.APART)


def _against(wanted: Clause, barred: Clause, theirs: Terms) -> Verdict:
    """What is forbidden has to be all of what is wanted: with a word more it is a special case, whose words say whether
    that is an exception (a doubt) or another thing."""
    have, need = wanted.all, _one_of(barred.all, wanted.all)
    if not have or not need:
        return Verdict.APART
    if need <= have:
        more = have - need - theirs
        beside = any(found & more and not found & need for _, found in wanted.around)
        doubt = beside or more & wanted.head or _acts_apart(wanted.verbs, barred.verbs)
        return Verdict.DOUBT if doubt else Verdict.OPPOSITE
    circumstances = barred.context.union(*(found for _, found in barred.around))
    elsewhere = any(not found <= circumstances for _, found in wanted.around)
    if elsewhere or not (have <= need and need - have <= circumstances) or _escapes(barred, have):
        return Verdict.APART
    return Verdict.DOUBT


def _acts_apart(one: Terms, two: Terms) -> bool:
    """Whether two clauses speak of two acts: to write migrations and to run them; to make and to change."""
    return bool(one and two and not one & two) or bool((one ^ two) & {"keep", "change"})


def _escapes(barred: Clause, have: Terms) -> bool:
    """Whether what is wanted is just what a ban leaves open: "never use docker except in CI"."""
    return any(found & {*_ESCAPES} and found - {*_ESCAPES} <= have for _, found in barred.around)


def _one_of(barred: Terms, have: Terms) -> Terms:
    """Of several values of one kind that are forbidden the one that is wanted: "never npm or yarn"."""
    values = {term: found for term in barred if (found := _kinds(alternatives.parted(term)[0]))}
    wanted = frozenset[str]().union(*(values[t] for t in values if t in have))
    return frozenset(t for t in barred if t in have or not values.get(t, frozenset()) & wanted)
