"""Settings: every key documented, a mistake is a warning with its line, and one key is set without moving the rest."""

import re
import tomllib
from dataclasses import fields

import pytest

from llmwiki.config import DEFAULT_TOML, parse, set_value
from llmwiki.config_keys import DAYS, KEYS, NUMBERS
from llmwiki.errors import WikiError
from llmwiki.indexes import settings
from llmwiki.model import Config, RecordType
from llmwiki.schema import LIFECYCLE, TYPES

LIVE = re.sub(r"(?m)^# (?=[\w\"-]+ = |\[)", "", DEFAULT_TOML)  # every default taken out of its comment


def messages(text):
    return [(note.line, note.message) for note in parse(text)[1]]


def test_the_file_that_init_writes_says_nothing_but_defaults():
    assert parse(DEFAULT_TOML) == (Config(), ())
    assert parse("") == (Config(), ())


def test_every_setting_is_documented_with_its_true_default():
    table = tomllib.loads(LIVE)
    config, notes = parse(LIVE)
    assert notes == ()
    for dotted, (field, _) in KEYS.items():
        section, leaf = dotted.split(".")
        assert leaf in table[section]
        assert getattr(config, field) == getattr(Config(), field)
    assert config.lifecycle == LIFECYCLE
    assert config.ttl == {kind.value: spec.ttl_days for kind, spec in TYPES.items()}
    assert set(NUMBERS) == set(LIFECYCLE)
    assert set(DAYS) == {kind.value for kind in RecordType}
    tables = {"roots", "disabled", "lifecycle", "ttl", "redact_rules", "aliases"}
    assert {field.name for field in fields(Config)} == {field for field, _ in KEYS.values()} | tables
    assert config.roots
    assert config.redact_rules
    assert config.aliases


def test_settings_are_read():
    config, notes = parse(
        '\ufeff[wiki]\r\nroot = "."\r\nscope = "team"\r\n[sync]\nagents = ["codex"]\nidle_minutes = 5\n'
        '[agents.codex]\nroots = ["~/c"]\n[agents.gemini]\nenabled = false\n[context]\nfloor = 1\n'
        '[lifecycle]\nstep = 0.2\n[ttl]\nfact = 0\n[projects]\n"old name" = "new"\n'
        '[[redact.rules]]\nname = "a"\npattern = "x+"\n'
    )
    assert notes == ()
    assert (config.repository, config.scope, config.agents, config.idle_minutes) == (".", "team", ("codex",), 5)
    assert (config.roots, config.disabled, config.floor) == ({"codex": ("~/c",)}, ("gemini",), 1.0)
    assert (config.lifecycle, config.ttl, config.aliases) == ({"step": 0.2}, {"fact": 0}, {"old name": "new"})
    assert config.redact_rules == ({"name": "a", "pattern": "x+"},)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[sync]\nidle_minute = 3", 2, "did you mean sync.idle_minutes?"),
        ("[contxt]\nbudget = 3", 1, "did you mean context?"),
        ("budget = 3", 1, "unknown setting budget; did you mean"),
        ("[lifecycle]\nsteps = 1", 2, "did you mean lifecycle.step?"),
        ("[ttl]\nfacts = 1", 2, "did you mean ttl.fact?"),
        ("[sync]\n\nidle_minutes = 'x'", 3, "must be a whole number from 0, not 'x'; 60 is used"),
        ("[sync]\nidle_minutes = true", 2, "must be a whole number"),
        ("[sync]\nagents = 'codex'", 2, "must be a list of texts"),
        ("[sync]\nagents = ['claude_code']", 2, "did you mean claude-code?"),
        ("[context]\nbudget = -1", 2, "1200 is used"),
        ("[context]\nfloor = nan", 2, "a number from 0 to 1"),
        ("[wiki]\nscope = 'world'", 2, "one of user, team, public"),
        ("[llm]\nescalate = 1", 2, "true or false"),
        ("[agents.codx]\nroots = []", 1, "did you mean codex?"),
        ("[agents.codex]\nroot = []", 2, "did you mean agents.codex.roots?"),
        ("[agents]\ncodex = 1", 2, "write [agents.codex]"),
        ("sync = 3", 1, "write [sync]"),
        ("[projects]\na = 1", 2, "must be a text"),
        ("[redact]\nrules = 1", 2, "write [[redact.rules]]"),
        ("[[redact.rules]]\nname = 'a'", 1, "needs a name and a pattern"),
        ("[lifecycle]\nweekly_decay = 1.5", 2, "from 0.5 to 1"),
        ("[ttl]\nskill = -3", 2, "180 is used"),
    ],
)
def test_a_mistake_is_a_warning_and_the_default_stays(text, line, message):
    config, notes = parse(text)
    assert [note.severity for note in notes] == ["warning"]
    assert message in notes[0].message
    assert notes[0].line == line
    assert (config.scope, config.idle_minutes, config.budget) == ("user", 60, 1200)


def test_a_rule_for_secrets_that_cannot_work_is_not_left_out():
    assert parse("[[redact.rules]]\nname = 'a'\n")[0].redact_rules == ({"name": "a"},)


@pytest.mark.parametrize("text", ["[sync\n", "a = \n", "a = 1\na = 2\n", "\x00", "a = " + "[" * 5000])
def test_what_is_no_toml_is_refused(text):
    with pytest.raises(WikiError, match=r"llmwiki\.toml is no TOML"):
        parse(text)


def test_the_line_of_broken_toml_is_told():
    with pytest.raises(WikiError, match="line 3"):
        parse("[sync]\nidle_minutes = 3\nagents = [\n")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_value_takes_the_place_of_its_commented_default(newline):
    text = DEFAULT_TOML.replace("\n", newline)
    new = set_value(text, "wiki.scope", "team")
    assert new == text.replace('# scope = "user"', 'scope = "team"')
    assert set_value(new, "wiki.scope", "public") == new.replace('"team"', '"public"')


@pytest.mark.parametrize("value", ['a "b" \\ \n é \x7f', "", 'x"""'])
def test_any_text_is_written_so_that_it_reads_back(value):
    assert parse(set_value(DEFAULT_TOML, "llm.model", value))[0].llm_model == value
    assert parse(set_value("# mine\n", "llm.model", value))[0].llm_model == value


def test_setting_a_value_keeps_comments_and_makes_tables():
    text = "# mine\n[context]\nbudget = 800 # less\n"
    assert set_value(text, "context.budget", 900) == "# mine\n[context]\nbudget = 900 # less\n"
    new = set_value(text, "agents.codex.roots", ("~/x",))
    assert new.startswith(text)
    assert parse(new)[0].roots == {"codex": ("~/x",)}
    assert parse(set_value(text, "context.budget", None))[0] == Config()
    assert set_value(text, "llm.model", None) == text


def test_a_value_cannot_go_where_a_value_is():
    with pytest.raises(WikiError, match="cannot be set"):
        set_value("sync = 3\n", "sync.agents", ("codex",))


@pytest.mark.parametrize(
    "said",
    [
        *("budget = -5", "budget = 1e3", "limit = -1", "limit = true", "floor = 50", "floor = -0.1", "floor = nan"),
        *("budget = 300", "limit = 2", "floor = 0.2", "budget = 0"),
    ],
)
def test_a_hook_takes_the_values_that_every_command_takes(tmp_path, said):
    text = f"\ufeff[context]\n{said}\n[wiki]\nscope = 'everybody'\n[lifecycle]\nweekly_decay = 7\n"
    (tmp_path / "llmwiki.toml").write_text(text, "utf-8")
    full, hook = parse(text)[0], settings.read(str(tmp_path))
    names = ("budget", "limit", "floor", "scope", "backend", "vectors", "aliases")
    assert [getattr(hook, name) for name in names] == [getattr(full, name) for name in names]
    assert not hook.broken and hook.weekly == LIFECYCLE["weekly_decay"]
