"""What the tests of review share: pages that wait, and the queue that they stand in."""

from __future__ import annotations

from datetime import UTC, datetime

from llmwiki import review, verify
from llmwiki.model import State, Wiki
from tests.wikis import record

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
AGO = "2026-04-30T13:00:00Z"
SOON = "2026-05-01T13:00:00Z"
PIPED = "a download piped to a shell"


def held(id, reason="", until=None, **more):
    return record(
        id, id, state=State.QUARANTINED, quarantine_until=until, reason=reason, **({"reinforced": AGO} | more)
    )


def wiki(*records):
    return Wiki({r.id: r for r in records})


def waiting(*records, status=verify.PASSED, project=""):
    return review.queue(wiki(*records), NOW, lambda r: status, project)
