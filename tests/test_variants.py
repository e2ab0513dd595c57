"""Variants of skills: what stands beside a skill, what its sessions saw, and what is made of both."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from llmwiki import beside, evolve, prose, variants, verify
from llmwiki.model import Cite, Claim, Evidence, State, Wiki
from tests.lessons import ran, session, user
from tests.wikis import record

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
GOOD, BAD = "2026-04-01-release-aaaa0001", "2026-04-02-release-bbbb0002"
SESSIONS = {
    GOOD: session(
        user("release it"),  # t1
        ran("shipit build --all", "built"),
        ran("shipit tag v2", "tagged"),  # t3
        ran("shipit clean", "cannot clean", "error 1"),
        ran("shipit push", "pushed"),  # t5
        stem=GOOD,
    ),
    BAD: session(
        user("release it again"),
        ran("shipit push", "error: no remote called origin", "error 1"),  # t2
        ran("shipit remote add origin", "added"),
        ran("shipit push", "pushed"),  # t4
        ran("shipit clean", "cannot clean", "error 1"),
        stem=BAD,
    ),
}


def turn(stem, anchor):
    return next((t for t in SESSIONS[stem].turns if t.anchor == anchor), None) if stem in SESSIONS else None


def claim(section, text, anchor, stem=GOOD):
    return Claim(section, text, (Cite(stem, anchor),))


def body(*claims):
    sections = dict.fromkeys(c.section for c in claims)
    return prose.body({name: [c for c in claims if c.section == name] for name in sections})


STEPS = [
    claim("Steps", "`shipit build --all`", "t2"),
    claim("Steps", "`shipit clean`", "t4"),
    claim("Steps", "`shipit push`", "t5"),
]


def skill(id="release-it", steps=STEPS, **more):
    lines = [claim("When", '"release it"', "t1"), *steps]
    given = {"title": "Release it", "project": "shop", "sources": (f"[[{GOOD}]]",), "body": body(*lines)}
    return record(id, kind="skill", **(given | more))


def failure(id="no-remote", **more):
    lines = [
        claim("Symptom", "`error: no remote called origin` from `shipit push`, exit code 1.", "t2", BAD),
        claim("Cure", "`shipit remote add origin`", "t3", BAD),
        claim("Cure", "Then `shipit push` passed.", "t4", BAD),
    ]
    given = {"title": "no remote", "project": "shop", "sources": (f"[[{BAD}]]",), "body": body(*lines)}
    return record(id, kind="failure", **(given | more))


def trace(id="trace-bad", **more):
    given = {"project": "shop", "sources": (f"[[{BAD}]]",), "score": 2.0, "score_by": "user", "used": ("release-it",)}
    return record(id, kind="trace", **(given | more))


def families(*records, **more):
    sources = evolve.Sources(SESSIONS.get, turn)
    return evolve.plan(Wiki({r.id: r for r in records}), NOW, sources, lambda rs: set(), **more).families


def names(family):
    return [t.name for t in family.trials]


# -- what stands beside


def beside_of(*records):
    return {b.skill.id: ([f.id for f in b.failures], [t.id for t in b.traces]) for b in beside.families(records)}


def test_a_failure_of_a_step_of_the_same_project_stands_beside_a_skill():
    assert beside_of(skill(), failure()) == {"release-it": (["no-remote"], [])}
    assert beside_of(skill(), failure(project="bank")) == {}
    assert beside_of(skill(), failure(state=State.ARCHIVED)) == {}
    assert beside_of(skill(), failure(state=State.QUARANTINED, quarantine_until=None)) == {}
    other = body(claim("Symptom", "`error` from `git push`", "t2", BAD), claim("Cure", "`git remote add x`", "t3", BAD))
    assert beside_of(skill(), failure(body=other)) == {}
    git = [claim("Steps", "`git commit -m x`", "t2"), claim("Steps", "`git tag v2`", "t3")]
    assert beside_of(skill(steps=git), failure(body=other)) == {}, "a program that does everything is no tie"


def test_a_session_that_used_the_skill_and_went_wrong_brings_its_failures():
    other = body(claim("Symptom", "`boom`", "t2", BAD), claim("Cure", "`fixboom now`", "t3", BAD))
    assert beside_of(skill(), failure(body=other), trace()) == {"release-it": (["no-remote"], ["trace-bad"])}
    assert beside_of(skill(), failure(body=other), trace(score=4.0)) == {}
    assert beside_of(skill(), failure(body=other), trace(used=())) == {}


def test_a_step_is_seen_by_the_turn_that_it_cites_and_by_every_run_of_its_command():
    ledger = {stem: beside.ran(s) for stem, s in SESSIONS.items()}
    ends = [beside.outcome(step, ledger, SESSIONS) for step in STEPS]
    assert ends == ["ok", "failed", "ok"]
    assert beside.outcome(claim("Steps", "`shipit sign`", "t9"), ledger, SESSIONS) == "unseen"


# -- variants


def test_variants_are_made_side_by_side_and_the_best_parts_joined():
    (family,) = families(skill(), failure())
    assert names(family) == [
        "drop steps that only failed",
        "name the cure of no-remote",
        "cure no-remote first",
        "cure of no-remote instead",
        "drop the step of no-remote",
    ]
    assert (family.before.seen, family.before.failed, family.before.cured, family.before.lines) == (2, 1, 0, 4)
    assert (family.before.total, family.after.total) == (0.8, 2.8)
    joined = family.joined
    assert family.parts == ("drop steps that only failed", "name the cure of no-remote")
    assert "shipit clean" not in joined.body
    assert (
        "## Pitfalls\n\n- `error: no remote called origin` from `shipit push`, exit code 1: `shipit remote add origin` "
        f"[[{BAD}#^t2]] [[{BAD}#^t3]]\n"
    ) in joined.body
    assert (joined.evolution_gen, joined.parents) == (1, ("release-it", "no-remote"))
    assert (joined.state, joined.quarantine_until, joined.reason) == (State.QUARANTINED, None, "evolved: confirm it")
    assert (joined.evidence, joined.sources) == (Evidence.INFERRED, (f"[[{GOOD}]]", f"[[{BAD}]]"))
    assert joined.path != skill().path
    assert verify.verify(joined, turn).status == verify.PASSED


def test_a_cure_that_more_than_one_session_needed_is_a_step():
    twice = failure(sources=(f"[[{BAD}]]", "[[another]]"))
    (family,) = families(skill(), twice)
    assert "cure no-remote first" in family.parts
    assert "2. `shipit remote add origin`" in family.joined.body
    assert family.joined.body.index("remote add") < family.joined.body.index("`shipit push`")


def test_at_least_as_many_variants_as_asked():
    (family,) = families(skill(), failure(), trials=8)
    assert len(family.trials) == 8
    assert len({str(t.sections) for t in family.trials}) == 8


def test_two_skills_that_share_a_step_are_tried_as_one():
    other = [claim("Steps", "`shipit tag v2`", "t3"), STEPS[2]]
    (family,) = [f for f in families(skill(), skill("tag-it", other), failure()) if f.skill.id == "release-it"]
    assert "merge tag-it" in names(family)
    assert "tag-it" in family.joined.parents
    assert "`shipit tag v2`" in family.joined.body
    stranger = [claim("Steps", "`shipit tag v2`", "t3"), claim("Steps", "`other thing`", "t3")]
    (family,) = [f for f in families(skill(), skill("tag-it", stranger), failure()) if f.skill.id == "release-it"]
    assert "merge tag-it" not in names(family)


def test_nothing_is_proposed_where_nothing_is_better():
    uncured = failure(body=body(claim("Symptom", "`error: no remote called origin` from `shipit push`.", "t2", BAD)))
    (family,) = families(skill(steps=[STEPS[0], STEPS[2]]), uncured)
    assert (family.joined, family.before) == (None, family.after)


def test_a_variant_that_waits_was_discarded_or_speaks_is_not_made_again():
    (family,) = families(skill(), failure())
    made = family.joined
    assert families(skill(), failure(), made) == ()
    gone = replace(made, state=State.ARCHIVED, reason="discarded")
    assert families(skill(), failure(), gone) == ()
    speaks = replace(made, state=State.ACTIVE, quarantine_until="", reason="")
    assert families(skill(), failure(), speaks) == ()
    new = body(
        claim("Symptom", "`fatal: certificate expired` from `shipit push`.", "t2", BAD),
        claim("Cure", "`shipit certify`", "t3", BAD),
    )
    (family,) = families(skill(), failure(), failure("expired-one", body=new, title="expired"), gone)
    assert family.joined.parents == ("release-it", "expired-one")
    assert "drop steps that only failed" not in names(family), "that may be what was not wanted"


def test_what_is_dangerous_in_a_variant_says_so():
    cure = failure(body=failure().body.replace("`shipit remote add origin`", "`shipit push --no-verify`"))
    (family,) = families(skill(), cure)
    assert family.joined.reason == "a switched-off check; evolved: confirm it"


# -- the seam for a model


def test_a_model_is_asked_only_when_it_is_passed_in_and_believed_only_where_the_turns_agree():
    asked = []

    def propose(skill, failures, traces):
        asked.append((skill.id, [f.id for f in failures], [t.id for t in traces]))
        sound = body(STEPS[0], claim("Steps", "`shipit tag v2`", "t3"), STEPS[2], *failures_lines())
        return [body(claim("Steps", "`shipit invented`", "t2")), "no steps at all", sound]

    def failures_lines():
        return [claim("Pitfalls", "`shipit remote add origin`", "t3", BAD)]

    (family,) = families(skill(), failure(), trace(), propose=propose)
    assert asked == [("release-it", ["no-remote"], ["trace-bad"])]
    assert [n for n in names(family) if n.startswith("proposed")] == ["proposed 1"]
    assert family.parts == ("proposed 1",)
    assert "`shipit tag v2`" in family.joined.body
    assert variants.VARIANTS == {}
