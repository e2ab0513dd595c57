"""llmwiki agents: what can be read."""

from __future__ import annotations

from llmwiki.cli.options import JsonOption, QuietOption, WikiOption
from llmwiki.cli.screen import Screen

EXAMPLES = """
llmwiki agents
llmwiki agents --json
"""


def command(wiki: WikiOption = "", json: JsonOption = False, quiet: QuietOption = False) -> int:
    """List the agents that can be read: where each is looked for, and what was found.

    Other places are set in llmwiki.toml under [agents.NAME] roots.
    """
    screen = Screen(json, quiet)
    with screen.wiki(wiki) as found:
        agents = found.agents()
    cells = [
        (
            agent["name"],
            agent["sessions"],
            (agent["oldest"] or "-")[:10],
            (agent["newest"] or "-")[:10],
            "on" if agent["enabled"] else "off",
            ", ".join(map(str, agent["roots"])) or "-",
        )
        for agent in agents
    ]
    screen.table(agents, ("agent", "sessions", "oldest", "newest", "read", "where"), cells)
    return 0
