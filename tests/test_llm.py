"""Asking a model at a server: what is sent, what may come back, and a sentence with a cure for all that may fail."""

import socket
import subprocess
import sys

import pytest

from llmwiki import llm
from llmwiki.errors import WikiError
from llmwiki.llm.fit import unfit
from llmwiki.llm.ollama import Model
from llmwiki.model import Config
from tests.fake_ollama import Fake, serving

NUMBER = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
    "additionalProperties": False,
}


@pytest.fixture(autouse=True)
def _no_host(monkeypatch):
    for name in ("OLLAMA_HOST", "OLLAMA_API_KEY", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def fake():
    with serving(Fake(lambda asked: {"n": 3})) as found:
        yield found


def asker(fake, model="small"):
    return llm.asker("ollama", Config(llm_host=fake.url, llm_model=model))


def refused(fake, model="small") -> str:
    with pytest.raises(WikiError) as found:
        asker(fake, model)("how many?", NUMBER)
    assert "\n" not in str(found.value)
    return str(found.value)


def test_a_question_and_its_answer(fake):
    assert asker(fake)("how many?", NUMBER) == {"n": 3}
    assert fake.paths == ["/api/tags", "/api/chat"]
    (asked,) = fake.asked
    assert asked["format"] == NUMBER and asked["stream"] is False
    assert asked["messages"] == [{"role": "user", "content": "how many?"}]
    assert asked["options"]["temperature"] == 0 and "seed" in asked["options"] and asked["options"]["num_predict"] > 0


def test_the_host_of_the_environment(fake, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", fake.url.removeprefix("http://"))
    assert llm.asker("ollama", Config(llm_model="small:latest"))("how many?", NUMBER) == {"n": 3}


def test_the_settings_go_before_the_environment(fake, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:1")
    assert asker(fake)("how many?", NUMBER) == {"n": 3}


def test_an_answer_that_does_not_fit_is_asked_for_once_more(fake):
    said = iter(['{"n": "three"}', {"n": 4}])
    fake.say = lambda asked: next(said)
    assert asker(fake)("how many?", NUMBER) == {"n": 4}
    again = fake.asked[1]["messages"]
    assert again[0] == fake.asked[0]["messages"][0] and "$.n is no integer" in again[2]["content"]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("no idea", "no JSON"),
        ("", "no JSON"),
        ('{"n": 1', "no JSON"),
        ("[" * 100_000, "no JSON"),
        ({"m": 1}, "has no n"),
        ({"n": True}, "no integer"),
        ({"n": 1, "note": "x"}, "nobody asked for"),
        ([1], "no object"),
    ],
)
def test_twice_wrong_is_an_error_of_the_answer(fake, said, why):
    fake.say = lambda asked: said
    with pytest.raises(WikiError, match="larger model") as found:
        asker(fake)("how many?", NUMBER)
    assert why in str(found.value) or "nested" in str(found.value)
    assert isinstance(found.value.__cause__, ValueError) and len(fake.asked) == 2


def test_an_answer_that_was_cut_off_is_none(fake):
    fake.done = "length"
    assert "say less" in refused(fake)


def test_no_server():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        gone = Fake()
        gone.url = f"http://127.0.0.1:{free.getsockname()[1]}"
    said = refused(gone)
    assert f"no Ollama server answers at {gone.url}" in said and "`ollama serve`" in said


def test_a_server_that_goes_away_is_no_error_of_the_answer(fake):
    ask = asker(fake)
    fake.say = lambda asked: (500, "llama runner process has terminated")
    with pytest.raises(WikiError, match="runner process has terminated") as found:
        ask("how many?", NUMBER)
    assert found.value.__cause__ is None


def test_a_model_that_is_not_there(fake):
    said = refused(fake, "large")
    assert "`ollama pull large`" in said and '"small:latest"' in said


def test_a_model_that_goes_away(fake):
    fake.say = lambda asked: (404, "model 'small' not found")
    assert "`ollama pull small`" in refused(fake)


def test_no_model_is_named(fake):
    assert "[llm]" in refused(fake, "") and '"small:latest"' in refused(fake, "")


def test_a_server_without_models(fake):
    fake.models = ()
    assert "ollama pull" in refused(fake, "")


def test_a_silent_server(fake):
    fake.slow = 1.0
    with pytest.raises(WikiError, match="did not answer within"):
        Model(fake.url, "small", timeout=0.1)("how many?", NUMBER)


@pytest.mark.parametrize("tags", ["<html>hello</html>", {"models": 3}, [1], {"models": [{"model": 3}]}])
def test_a_server_of_another_kind(fake, tags):
    fake.tags = tags
    assert "is not an Ollama server" in refused(fake)


@pytest.mark.parametrize("host", ["http://[", "http://127.0.0.1:99999", "http://a b c", "gopher://x"])
def test_no_address(host):
    nowhere = Fake()
    nowhere.url = host
    assert host in refused(nowhere)


def test_a_redirect_is_not_followed(fake):
    with serving(Fake()) as other:
        fake.redirect = other.url
        assert "sends elsewhere" in refused(fake)
        assert other.paths == []


def test_a_proxy_is_not_used(fake, monkeypatch):
    with serving(Fake()) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        assert asker(fake)("how many?", NUMBER) == {"n": 3}
        assert proxy.paths == []


def test_an_unknown_model_part():
    with pytest.raises(WikiError, match="ollama"):
        llm.asker("oracle", Config())


def test_nothing_heavy_is_imported_before_a_model_is_asked():
    look = "import sys, llmwiki.llm.ollama as m; m.Model('h', 'n'); print({'ollama', 'httpx'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_limits_of_a_schema():
    words = {"type": "array", "items": {"type": "string", "maxLength": 3, "enum": ["a", "long"]}, "maxItems": 1}
    assert unfit(["a"], words) == ""
    assert "$[0] is longer than 3" in unfit(["long"], words)
    assert "none of the values" in unfit(["b"], words)
    assert "2 items" in unfit(["a", "a"], words)
    assert unfit(1, {"type": "number"}) == unfit("x", {}) == "" and unfit(1.5, {"type": "integer"})
