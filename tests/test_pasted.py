"""Where somebody else's words begin in a prompt: what a mail, a chat or a ticket says is no rule of the user."""

import pytest

from llmwiki.synthesizers import gate, pasted
from tests.lessons import agent, lessons, session, user

RULE = "Never deploy ferret_api on Fridays, always use the weasel_cli instead."
FACT = "The importer lives in tools/legacy/import.rb now."
START = user("Set the shop up so that I can try it")


def made(text):
    return lessons(session(START, agent("Done."), user(text)))


PASTES = [
    "From: Bob Miller <bob@example.com>\nTo: team@example.com\nSubject: deploys\n\n{}",
    "Subject: deploys\nDate: Mon, 2 Mar 2026\n\n{}",
    "Von: Bob\nBetreff: Deploys\n\n{}",
    "can you look into this\n\n-----Original Message-----\n{}",
    "what does he want\n\nOn Mon, 2 Mar 2026 at 10:42, Bob Miller <bob@example.com> wrote:\n{}",
    "Am 2. März 2026 schrieb Bob Miller:\n{}",
    "Le lun. 2 mars 2026, Bob a écrit :\n{}",
    "El lun, 2 mar 2026, Bob escribió:\n{}",
    "Bob wrote:\n{}",
    "Bob Miller said:\n\n{}",
    "here's what my colleague said:\n\n{}",
    "2) from the coding standard of the agency we left\n\n{}",
    "aus dem alten Handbuch der Firma\n\n{}",
    "Hi team,\n\nas you know: {}\n\nThanks\nBob Miller",
    "Bob just mailed me this. {}",
    "Summarize this\n\n# Deploys\n\n{}\n\nMore text.",
    "# Deploys\n\n{}\n\nMore text.\n\nplease translate this to German",
    "here is what the other team replied to us yesterday:\n{}",
    "das hier schrieb mein Kollege:\n{}",
    "同事说：\n{}",
    "> {}",
    "bob  10:42 AM\n{}\nalice  10:43 AM\nok",
    "Bob Miller [10:42]\n{}",
    "Bob — Today at 10:42 AM\n{}",
    "[10:42] bob: {}",
    "[02.03.26, 10:42:11] Bob: {}",
    "02/03/2026, 10:42 - Bob: {}",
    "<bob> {}",
    "Bob: hi\nAlice: what do we do about it?\nBob: {}\nAlice: fine",
    "bob commented 3 days ago\n{}",
    "alice opened this issue on Mar 3, 2026 · 5 comments\n\n{}",
    "SHOP-123\nDeploys\nStatus: Open\nAssignee: Bob\nDescription\n{}",
    "look at this:\nSHOP-123 Deploys are late\nReporter: Bob\nPriority: High\n\nAcceptance criteria\n{}",
    "Hi Bob,\n\n{}\n\nBest regards,\nAlice",
    "Hallo zusammen,\n\n{}\n\nViele Grüße\nBob",
    "see below\n\n{}\n\n-- \nBob Miller, Platform",
    "{}\n\nSent from my iPhone",
    "{}\nKind regards,\nBob Miller",
]


@pytest.mark.parametrize("said", [RULE, FACT])
@pytest.mark.parametrize("paste", PASTES)
def test_what_was_pasted_is_nobodys_word(paste, said):
    assert made(paste.format(said)) == []


OWN = [
    "{}",
    "Hi,\n\n{}\n\nThanks!",
    "Hi Claude,\n{}\nCheers",
    "{}\n\nFrom: bob@example.com\nSubject: x\n\nthe rest is his",
    "As I said:\n{}",
    "Backend: use FastAPI here\nFrontend: use React here\nDeploys: {}",
    "{}\n\nhere's what my colleague said:\n\nwhatever",
    "The meeting was at 10:42 today. {}",
]


@pytest.mark.parametrize("text", OWN)
def test_what_stands_before_or_without_a_paste_is_the_users_own(text):
    assert "weasel_cli" in gate.own_words(text.format(RULE))
    assert any("weasel_cli" in r.body for r in made(text.format(RULE)))


def test_what_was_typed_behind_a_log_is_still_heard():
    log = "10:02:11 server: started\n10:02:12 server: stopped\n2026-03-02 10:02:13 worker: gone"
    assert pasted.start(log) == len(log)


@pytest.mark.parametrize("line", ["a " * 200, "Bob " * 100, "on " * 100 + "wrote", "A1-1 " * 80, "- " * 200])
def test_a_paste_is_looked_for_in_one_pass(line):
    assert pasted.start("\n".join([line] * 2_000)) >= 0
