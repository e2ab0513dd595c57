"""Who may enter a block: coverage in one place, evidence, everyday words, other words for the same thing."""

import pytest
from wikis import NOW, STEM, make, record

from llmwiki import recall, retrieve, retrieve_floor, vocabulary, words
from llmwiki.indexes import scan
from llmwiki.indexes.refresh import refresh
from llmwiki.model import State
from llmwiki.words import stem


def ask(root, task, **flags):
    return recall.block(root, recall.Asked(task, **({"now": NOW} | flags)))


def told(answer):
    return [r["id"] for r in answer["records"]]


WIKI = (
    record(
        "use-pnpm-1a2b", "Use pnpm, not `npm install`", "preference", project="app", title="Use pnpm, not npm install"
    ),
    record("types-3c4d", "Types: `uv run pyright`", project="tool", title="Checks that pass", tags=("checks", "types")),
    record("lint-5e6f", "Lint: `ruff check .`", project="tool", title="How it is linted"),
    record("commit-7a8b", "Commit messages are in English", "preference", project="tool"),
    record("deploy-9c0d", "Vercel cannot clone the submodule by ssh", "failure", section="Symptom", project="site"),
    record("board-1e2f", "Never flash the board, a person does", "preference", project="firm"),
)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return make(tmp_path_factory.mktemp("wiki"), *WIKI)


@pytest.mark.parametrize(
    ("task", "id"),
    [
        ("install the dependencies", "use-pnpm-1a2b"),
        ("Abhängigkeiten installieren", "use-pnpm-1a2b"),
        ("how do I run the type checker", "types-3c4d"),
        ("run the linter", "lint-5e6f"),
        ("Schreibe eine Commit-Nachricht", "commit-7a8b"),
        ("instala las dependencias", "use-pnpm-1a2b"),
        ("安装依赖", "use-pnpm-1a2b"),
        ("задеплой на vercel", "deploy-9c0d"),
        ("vercel deploy fails at the submodule", "deploy-9c0d"),
        ("flash the board", "board-1e2f"),
    ],
)
def test_what_a_developer_would_type_finds_its_lesson(root, task, id):
    assert id in told(ask(root, task))


@pytest.mark.parametrize(
    "task",
    [
        "write a haiku about autumn",
        "set up a kubernetes ingress",
        "translate this contract",
        "center a div",
        "explain monads",
        "which board games are fun for a family",
        "never mind",
        "1",
        "exit",
        "ok 1",
        "x",
        "ok, continue",
        "thanks, that looks good",
        "make it shorter",
        "check",
        "das ist nicht so",
    ],
)
def test_a_task_about_something_else_is_told_nothing(root, task):
    assert ask(root, task)["text"] == ""


def test_words_strewn_over_a_long_page_are_no_answer(tmp_path):
    lines = [f"Item {n} concerns widget{n} and gadget{n}" for n in range(40)]
    lines[3], lines[20], lines[37] = "The zephyr is blue", "A quokka came by", "See the marimba"
    root = make(tmp_path, record("strewn-1a2b", "\n".join(lines)))
    assert ask(root, "zephyr quokka marimba fandango xylem")["abstained"]
    lines[20] = "The quokka plays the marimba to the zephyr"
    root = make(tmp_path, record("strewn-1a2b", "\n".join(lines)))
    assert told(ask(root, "zephyr quokka marimba fandango xylem")) == ["strewn-1a2b"]


def test_a_wiki_answers_in_its_own_words_and_not_in_everybodys(tmp_path):
    pages = [record(f"talk-{n:04x}", f"Caroline said that dinner number {n} was nice") for n in range(30)]
    root = make(tmp_path, *pages, record("group-1a2b", "Caroline went to the support group in May"))
    assert "group-1a2b" in told(ask(root, "When did Caroline go to the group?"))
    assert ask(root, "which supermarket sells nice food for dinner")["abstained"]


def test_another_projects_record_needs_more_than_a_word_of_any_task(tmp_path):
    root = make(
        tmp_path,
        record("ours-1a2b", "Run the tests with `make test`", project="shop"),
        record("theirs-3c4d", "Run the tests with `bazel test`", project="depot"),
        record("theirs-5e6f", "`zorble: cannot open frobnicator` means that the daemon is down", project="depot"),
        *(record(f"zorble-{n:04x}", f"zorble frobnicator {n}", project="depot") for n in range(4)),
    )
    assert told(ask(root, "run the tests", project="shop")) == ["ours-1a2b"]
    assert "theirs-3c4d" in told(ask(root, "run the tests", project="depot"))
    assert "theirs-5e6f" in told(ask(root, "zorble: cannot open frobnicator", project="shop"))


def test_one_tool_named_in_passing_answers_for_nothing(tmp_path):
    root = make(
        tmp_path,
        record("rule-1a2b", "Use uv, not pip", "preference"),
        *(
            record(f"run-{n:04x}", body=f"## Statement\n\n- `uv run thing{n}` prints {n} [[{STEM}#^t{40 + 9 * n}]]\n")
            for n in range(5)
        ),
    )
    assert told(ask(root, "install the dependencies")) == ["rule-1a2b"]


def test_a_file_is_asked_for_by_its_name_and_not_by_its_folders(tmp_path):
    root = make(
        tmp_path,
        record("named-1a2b", "The lock in `store/journal.py` is taken first"),
        *(record(f"src-{n:04x}", f"`src/module{n}.py` holds the part {n}") for n in range(6)),
    )
    assert told(ask(root, "bake a cake", files=["src/store/journal.py"])) == ["named-1a2b"]
    assert ask(root, "bake a cake", files=["src/other.py"])["abstained"]
    many = [f"src/deep/other{n}.py" for n in range(60)]
    assert "named-1a2b" in told(ask(root, "the lock in the journal", files=many))  # files take nothing from the task


def test_the_setting_of_a_wiki_moves_the_floor(root, tmp_path):
    strict = make(tmp_path, *WIKI)
    (tmp_path / "llmwiki.toml").write_text("[context]\nfloor = 0.95\n", "utf-8")
    task = "flash the firmware of the board again with a new cable"
    assert told(ask(root, task)) and not told(ask(strict, task))


def test_the_lists_hold_stems_and_each_word_once():
    lists = [vocabulary.CHATTER, vocabulary.EVERYDAY, vocabulary.ELSEWHERE, vocabulary.OURS]
    for n, some in enumerate(lists):
        for word in some:
            assert words.terms(word)[-1] == word or stem(stem(word)) == stem(word), word
        for other in lists[n + 1 :]:
            assert not (some & other) - vocabulary.ELSEWHERE
    assert not vocabulary.EVERYDAY & words.COMMON and not vocabulary.EVERYDAY & words.STOP


def test_other_words_answer_both_ways_and_tools_only_one():
    assert "packag" in vocabulary.same("depend")[0] and "depend" in vocabulary.same("packag")[0]
    assert "pytest" in vocabulary.same("test")[1] and vocabulary.same("pytest") == ([], [])
    assert vocabulary.same("haiku") == ([], [])


def test_evidence_is_a_custom_of_the_wiki_and_never_negative():
    assert retrieve_floor.lift("caroline", 400, 2700, 150) > 4
    assert retrieve_floor.lift("dinner", 14, 2700, 150) < 0.5
    assert retrieve_floor.lift("pytest", 4, 15, 600) > retrieve_floor.lift("pytest", 1, 15, 600) > 0
    assert retrieve_floor.lift("zebra", 0, 15, 600) == 0 == retrieve_floor.lift("the", 15, 15, 600)


def test_at_home_a_record_may_speak_of_less_the_fewer_records_there_are():
    some = [retrieve.at_home(lessons, 2, daily=0) for lessons in (0, 1, 10, 30, 100, 5000)]
    assert some[0] == some[1] == some[2] == retrieve.AT_HOME[0] < some[3] < some[4] == some[5] == retrieve.AT_HOME[1]
    assert {retrieve.at_home(lessons, 1, daily=0) for lessons in (1, 5000)} == {retrieve.AT_HOME[1]}
    assert retrieve.at_home(10, 2, daily=1) == retrieve.DAILY > retrieve.AT_HOME[1]
    assert retrieve.at_home(10, 3, daily=1) == retrieve.AT_HOME[0]


def test_a_task_of_everyday_life_is_about_no_project_that_shares_a_word_with_it(tmp_path):
    known = record(
        "driver-1a2b", "The driver is injected, no singleton", project="shop", title="The driver is injected"
    )
    root = make(tmp_path, known)
    assert told(ask(root, "inject the driver", project="shop")) == ["driver-1a2b"]
    assert not told(ask(root, "the driver of the bus was late and the trains stood still all morning", project="shop"))


@pytest.mark.parametrize("task", ["1", "exit", "pass", "e", "ok 1", "yes, 1", "exit please"])
def test_one_word_of_everybody_s_tells_nothing_at_home_either(tmp_path, task):
    known = record("fails-1a2b", "`make` failed with exit code 1: e is not set, none pass", "failure", project="shop")
    assert not told(ask(make(tmp_path, known), task, project="shop"))


@pytest.mark.parametrize("other", ["box", "package"])
def test_what_the_wiki_holds_elsewhere_lets_no_record_in(tmp_path, other):
    pages = (
        record("report-1a2b", "The report goes to the accounting share every night", project="shop"),
        record("parser-3c4d", "Never touch the vendored parser", "preference", project="shop"),
        record("old-5e6f", f"The {other} stands in the hall", project="household", state=State.ARCHIVED),
    )
    assert not told(ask(make(tmp_path, *pages), "report the dependency", project="shop"))


def test_records_that_do_not_speak_are_no_knowledge_of_a_project(tmp_path):
    blog = [record(f"blog-{n}", f"The importer refused Redis number {n}", project="blog") for n in (1, 2)]
    mute = record("mute-1a2b", "Nothing of the kind", project="shop", state=State.ARCHIVED)
    answer = ask(make(tmp_path, *blog, mute), "importer redis refused", project="shop")
    assert len(told(answer)) == 2 and f"Note: {recall.UNKNOWN}." in answer["text"]
    assert recall.UNKNOWN not in ask(tmp_path, "importer redis refused", project="blog")["text"]


def test_a_rule_about_an_activity_speaks_beside_words_that_name_no_subject(tmp_path):
    rule = "Deploy only on Tuesdays, with make ship"
    root = make(tmp_path, record("rule-1a2b", rule, "preference", title=rule, project="shop"))
    for task in ("deploy the new version", "deploy the service to production"):
        assert told(ask(root, task, project="shop")) == ["rule-1a2b"], task
    assert not told(ask(root, "deploy the moon lander", project="shop"))


PNPM = record("pnpm-1a2b", "Use pnpm, never npm or yarn", "preference", project="shop", title="Use pnpm, never npm")


@pytest.mark.parametrize("task", ["install lodash", "neue Abhängigkeit hinzufügen", "add the dependency zod"])
def test_a_rule_that_names_the_tools_speaks_when_what_they_do_is_asked(tmp_path, task):
    other = record(
        "one-3c4d", "The npm token is of the bot account", "preference", project="shop", title="The npm token"
    )
    assert told(ask(make(tmp_path, PNPM, other), task, project="shop")) == ["pnpm-1a2b"]


def test_a_rule_that_names_tools_is_silent_when_something_else_of_that_word_is_done(tmp_path):
    assert not told(ask(make(tmp_path, PNPM), "install solar panels on the roof of my house", project="shop"))


@pytest.mark.parametrize(
    "task",
    (
        "wie deploye ich",
        "cómo despliego la nueva versión",
        "déployer la nouvelle version",
        "задеплой новую версию",
        "デプロイして",
        "部署新版本",
    ),
)
def test_an_activity_is_known_in_other_languages(tmp_path, task):
    rule = "Deploys go out through just ship"
    root = make(tmp_path, record("rule-1a2b", rule, "preference", title=rule, project="shop"))
    assert told(ask(root, task, project="shop")) == ["rule-1a2b"]


@pytest.mark.parametrize("task", ["run the tests", "which command runs the tests here"])
def test_a_repository_of_which_nothing_is_known_gets_little_of_other_projects(tmp_path, task):
    pages = (
        record(
            "tests-1a2b", "Tests: `uv run pytest`, lint: `uv run ruff check`", project="shop", title="Run the tests"
        ),
        record(
            "redis-3c4d", "The importer refused Redis: the port is 6380", "failure", section="Symptom", project="shop"
        ),
        record("all-5e6f", "Run the tests before each commit", "preference", title="Run the tests before a commit"),
    )
    root, fresh = make(tmp_path, *pages), tmp_path / "fresh"
    (fresh / ".git").mkdir(parents=True)
    assert set(told(ask(root, task, folder=str(fresh)))) <= {"all-5e6f"}
    assert told(ask(root, "importer refused redis", folder=str(fresh))) == ["redis-3c4d"]
    (tmp_path / "loose").mkdir()
    assert "tests-1a2b" in told(ask(root, "run the tests", folder=str(tmp_path / "loose")))


def test_a_compound_is_one_word_of_the_task_and_one_that_matches(tmp_path):
    pages = (record("keys-1a2b", "The keyboard bindings stay as they are", project="game", title="Keyboard bindings"),)
    root = make(tmp_path, *pages, record("shop-3c4d", "Prices are integers", project="shop"))
    assert not told(ask(root, "key-board", project="shop"))
    assert told(ask(root, "change the key board bindings", project="game")) == ["keys-1a2b"]


@pytest.mark.parametrize("backend", ["sqlite", "whoosh"])
def test_a_page_that_moved_to_another_project_since_is_another_project_s(tmp_path, backend, monkeypatch):
    pages = [record(f"s-{n}", f"Staging rule number {n}", project="shop") for n in range(3)]
    moved = record("moved-1a2b", "The staging database is shared", project="shop", title="The staging database")
    root = make(tmp_path, *pages, moved, backend=backend)
    refresh(root, backend)
    monkeypatch.setattr(scan, "MOST", 1)  # so that the index is trusted
    refresh(root, backend)
    assert "moved-1a2b" in told(ask(root, "staging database", project="shop"))
    page = tmp_path / "wiki/facts/moved-1a2b.md"
    page.write_text(page.read_text("utf-8").replace("project: shop", "project: blog"), "utf-8")
    answer = ask(root, "staging database", project="shop")
    assert "moved-1a2b" not in told(answer)
    page.write_text(page.read_text("utf-8").replace("project: blog\n", ""), "utf-8")
    assert "moved-1a2b" in told(ask(root, "staging database", project="shop"))
