"""Decay writes what is already true, once, and stops when too much would leave."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from llmwiki import decay, rawpage
from llmwiki.lifecycle import DAY, stamp
from llmwiki.model import Evidence, Record, RecordType, Session, State, Turn, Wiki
from llmwiki.workspace import Workspace
from tests.wikis import write

T0 = datetime(2026, 3, 1, 12, tzinfo=UTC)


def fact(i, **changes):
    base = Record(
        f"f-{i:04}", RecordType.FACT, f"F{i}", confidence=0.75, reinforced=stamp(T0), evidence=Evidence.INFERRED
    )
    return replace(base, **{"path": f"wiki/facts/f{i}.md", **changes})


def wiki(*records):
    return Wiki({r.id: r for r in records})


def run(before, day, yes=False):
    plan = decay.plan(before, T0 + day * DAY, lambda r: True, yes)
    return Wiki({**before.records, **{a.record.id: a.record for a in plan.aged}}), plan


def test_weekly_for_sixty_weeks_equals_once_at_the_end():
    start = wiki(
        *(fact(i, confidence=0.3 + i / 20, ttl_days=30 * i + 1, state=list(State)[i % 3]) for i in range(12)),
        fact(20, state=State.QUARANTINED, quarantine_until=stamp(T0 + DAY)),
        fact(21, state=State.QUARANTINED, quarantine_until=None),
    )
    weekly = start
    for week in range(61):
        weekly, _ = run(weekly, 7 * week, yes=True)
    assert weekly == run(start, 7 * 60, yes=True)[0]
    assert run(weekly, 7 * 60, yes=True)[1].aged == ()


def test_a_clock_that_jumps_back_changes_nothing():
    later, _ = run(wiki(fact(1)), 200, yes=True)
    assert run(later, -500)[1].aged == ()


def test_the_guard_holds_what_would_empty_the_wiki():
    old = wiki(*(fact(i, ttl_days=1 if i < 4 else 9999, confidence=0.9) for i in range(10)))
    kept, plan = run(old, 100)
    assert plan.held == ("f-0000", "f-0001", "f-0002", "f-0003")
    assert kept == old
    assert run(old, 100, yes=True)[1].counts["archived"] == 4


def test_two_may_always_leave():
    assert run(wiki(fact(1, ttl_days=1), fact(2, ttl_days=1)), 100)[1].held == ()


def test_archived_pages_move_and_say_why():
    _, plan = run(wiki(fact(1, ttl_days=1), fact(2, state=State.QUARANTINED, quarantine_until=None)), 400)
    assert [(a.kind, a.record.path, a.record.reason) for a in plan.aged] == [
        ("archived", "wiki/archive/facts/f1.md", "expired"),
        ("expired", "wiki/archive/facts/f2.md", "not reviewed"),
    ]


def test_quarantine_is_released_only_when_its_claims_hold():
    waiting = wiki(fact(1, state=State.QUARANTINED, quarantine_until=stamp(T0 + DAY)))
    assert decay.plan(waiting, T0 + 2 * DAY, lambda r: False).aged == ()
    assert decay.plan(waiting, T0 + 2 * DAY, lambda r: True).counts["released"] == 1


def test_a_handwritten_page_without_dates_never_ages():
    mine = replace(fact(1), handwritten=True, ttl_days=1, reinforced="")
    assert run(wiki(mine), 900)[1].aged == ()


def test_next_due_is_when_plan_would_first_find_something():
    records = wiki(fact(1, ttl_days=10), fact(2, state=State.QUARANTINED, quarantine_until=stamp(T0 + 3 * DAY)))
    assert decay.next_due(records, T0) == stamp(T0 + 3 * DAY)
    assert run(records, 2.99)[1].aged == ()
    assert run(records, 3)[1].counts["released"] == 1


def test_traces_leave_in_any_number():
    traces = [replace(fact(i), type=RecordType.TRACE, ttl_days=30) for i in range(10)]
    _, plan = run(wiki(*traces, fact(20, ttl_days=9999, confidence=0.95)), 120)
    assert (plan.held, plan.counts["archived"]) == ((), 10)


def test_a_page_in_the_archive_is_never_written_over(tmp_path, monkeypatch):
    """Its place is taken: the page stays where it is, silent by its dates, and the run says so."""
    monkeypatch.setenv("LLMWIKI_NOW", stamp(T0 + 400 * DAY))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    Workspace.init(tmp_path)
    other = tmp_path / "wiki/archive/facts/f1.md"
    write(tmp_path, fact(1, ttl_days=1, body="## Statement\n\n- Old.\n"), fact(2, ttl_days=1))
    other.parent.mkdir(parents=True)
    other.write_text("---\ntitle: Another\nstate: archived\n---\nMine.\n")
    old, mine = (tmp_path / "wiki/facts/f1.md").read_text(), other.read_text()
    said = "wiki/archive/facts/f1.md exists already, and wiki/facts/f1.md would go there by its age"
    opened = Workspace(tmp_path)
    assert opened.decay()["archived"] == 1 and [n for n in opened.notices if n.startswith(said)]
    assert ((tmp_path / "wiki/facts/f1.md").read_text(), other.read_text()) == (old, mine)
    assert (tmp_path / "wiki/archive/facts/f2.md").is_file()
    assert Workspace(tmp_path).decay()["unchanged"] == 3
    assert ((tmp_path / "wiki/facts/f1.md").read_text(), other.read_text()) == (old, mine)
    assert Workspace(tmp_path).search("old", state="active")[0].id == "f-0001"
    assert Workspace(tmp_path).search("old") == []
    source = tmp_path / "sessions"
    source.mkdir()
    (tmp_path / "wiki/facts/f3.md").write_text("Something new.\n")
    opened = Workspace(tmp_path)
    opened.sync(sources=[str(source)])
    assert [n for n in opened.notices if n.startswith(said)]
    assert ((tmp_path / "wiki/facts/f1.md").read_text(), other.read_text()) == (old, mine)


def test_what_is_released_silences_what_its_user_said_before(tmp_path, monkeypatch):
    monkeypatch.setenv("LLMWIKI_NOW", stamp(T0 + 3 * DAY))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    Workspace.init(tmp_path)
    raw = tmp_path / "raw/claude-code/shop/2026-03-01-ports-aaaa0001.md"
    raw.parent.mkdir(parents=True)
    turns = (Turn(n, "user", f"the api listens on `port {n}000`", at=stamp(T0), origin="typed") for n in (3, 4))
    raw.write_text(rawpage.render(Session("claude-code", "aaaa0001", project="shop", turns=tuple(turns))))

    def said(n, **more):
        line = f"- the api listens on `port {n}000` [[2026-03-01-ports-aaaa0001#^t{n}]]\n"
        body = f"## Statement\n\n{line}\n## Contradictions\n\n- [[f{7 - n}]] says the opposite.\n"
        return fact(n, body=body, created=stamp(T0 + n * DAY), evidence=Evidence.USER_SAID, ttl_days=99, **more)

    write(tmp_path, said(3), said(4, state=State.QUARANTINED, quarantine_until=stamp(T0 + DAY)))
    assert Workspace(tmp_path).decay()["released"] == 1
    records = Workspace(tmp_path).load().records
    assert records["f-0003"].superseded_by == "f-0004" and records["f-0004"].supersedes == ("f-0003",)
    assert records["f-0004"].state is State.ACTIVE
    Workspace(tmp_path).undo()
    assert Workspace(tmp_path).load().records["f-0003"].superseded_by == ""
