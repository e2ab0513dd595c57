"""Which rules say the opposite of each other, and which only share a word and a "never"."""

import pytest

from llmwiki.similar import doubtful, opposite
from tests.test_similar import rule

COMPATIBLE = [
    ("Deploys go out through 'just ship', never with kubectl directly", "Never deploy on Fridays"),
    ("Log in English", "Do not log passwords"),
    ("Use docker compose for local services", "Never use docker compose in CI"),
    ("Deploy with just ship", "Never deploy without a green build"),
    ("Always use tabs in Makefiles", "Never use tabs in Python"),
    ("Use pnpm, never npm", "Never use pnpm link"),
    ("Release from the main branch", "Never release on Friday"),
    ("Migrations go through alembic", "Never edit applied migrations"),
    ("Store money as integer cents", "Never store money without a currency"),
    ("Always run the linter with `uv run ruff check .`", "Never run the linter on generated code"),
    # Another object.
    ("Commit the lock file", "Never commit the .env file"),
    ("Name branches after tickets", "Never delete branches"),
    ("Write tests for every bug", "Don't write tests for getters"),
    ("Use type hints in public functions", "Never use Any in public functions"),
    ("Ask before you push", "Do not ask before you format"),
    ("Keep functions short", "Never keep commented code"),
    ("Keep migrations small", "Never run migrations by hand"),
    ("Use tokens for the API", "Never log passwords or tokens"),
    ("Write the changelog by hand", "Write migrations with alembic, never by hand"),
    ("Use a transaction for each request", "Requests must never write to the replica"),
    ("Use spaces in YAML", "Use tabs in Makefiles, never spaces"),
    ("Use type: module", "Never use type: commonjs"),
    ("Use TypeScript", "Never use any in TypeScript"),
    ("Use Redis for caching", "Never use Redis as a database"),
    # Another place.
    ("Mock the network in unit tests", "Never mock the network in integration tests"),
    ("In Go use tabs", "In Python never use tabs"),
    ("In CI, use npm ci", "Locally, never use npm ci"),
    ("Push feature branches to the fork", "Never push feature branches to upstream"),
    # Another time or condition.
    ("Run the migrations before the deploy", "Never run the migrations during business hours"),
    ("Squash commits on merge", "Never squash commits during a review"),
    ("Merge after CI is green", "Never merge before CI is green"),
    ("Merge when CI is green", "Never merge until CI is green"),
    ("Deploy with a green build", "Never deploy without a green build"),
    ("Use docker in CI", "Never use docker except in CI"),
    ("Restart the worker after a deploy", "Do not restart the worker while jobs are running"),
    ("Never break the build", "Never use npm, it breaks the build"),
    ("Test the happy path", "Do not only test the happy path"),
    # Other languages.
    ("Benutze Docker für lokale Dienste", "Benutze Docker niemals in der CI"),
    ("Deploye mit just ship", "Niemals freitags deployen"),
    ("Schreibe Kommentare auf Englisch", "Schreibe keine Kommentare in generierten Code"),
    ("Usa docker para los servicios locales", "Nunca uses docker en CI"),
    ("Despliega con just ship", "Nunca despliegues los viernes"),
    ("Utilise docker pour les services locaux", "N'utilise jamais docker dans la CI"),
    ("Écris les commits en anglais", "N'écris jamais de mot de passe dans les commits"),
]
DOUBTFUL = [
    ("Use docker compose", "Never use docker compose in CI"),
    ("Use tabs", "Never use tabs in Python"),
    ("Run the linter", "Never run the linter on generated code"),
    ("Never use npm", "Use npm for the documentation"),
    ("Run the tests in parallel", "Do not run the tests"),
    ("Squash commits", "Never squash commits during a review"),
    ("Tag releases", "Never move release tags"),
    ("Benutze Docker", "Benutze Docker nie in der CI"),
    ("Usa docker", "Nunca uses docker en CI"),
    ("Utilise docker", "N'utilise jamais docker dans la CI"),
]
CONTRARY = [
    ("Use docker compose", "Do not use docker compose"),
    ("Use docker compose in CI", "Never use docker compose in CI"),
    ("Always use tabs in Makefiles", "Never use tabs in Makefiles"),
    ("Deploy on Fridays", "Never deploy on Fridays"),
    ("In CI use docker", "Never use docker in CI"),
    ("Commit the lock file", "Don't commit the lock file"),
    ("Squash commits on merge", "Never squash commits on merge"),
    ("Write comments", "Avoid comments"),
    ("Mock the network in unit tests", "Unit tests must never mock the network"),
    ("Write tests first", "Stop writing tests first"),
    ("Use feature flags", "No feature flags"),
    ("Deploy without a green build", "Never deploy without a green build"),
    ("Deploy with kubectl", "Deploy with just ship, never with kubectl"),
    ("Use foo, not bar", "Use bar, not foo"),
    ("Use foo not bar", "Use bar"),
    ("Use foo for reports, never bar", "Use bar for reports, never foo"),
    ("Commit generated code", "Generated code is never committed"),
    ("Merge feature branches", "Instead of merging, rebase feature branches"),
    ("Use npm", "Don't use npm any more"),
    ("Use npm", "Please never ever use npm again"),
    ("Use npm", "We no longer use npm"),
    ("Use npm", "Under no circumstances use npm"),
    ("Never use npm", "Use npm in this project from now on"),
    ("Use yarn", "Never use npm or yarn"),
    ("Use mocks", "Mocks are not allowed"),
    ("Use squash merges", "Squash merges are forbidden"),
    ("Never amend pushed commits", "Amend pushed commits"),
    ("Ask me before deleting files", "You don't need to ask me before deleting files"),
    ("Log passwords", "Never log passwords"),
    ("Benutze Docker in der CI", "Benutze Docker niemals in der CI"),
    ("Schreibe Kommentare", "Schreibe keine Kommentare"),
    ("Committe das Lockfile", "Committe das Lockfile nicht"),
    ("Usa docker en CI", "Nunca uses docker en CI"),
    ("Usa banderas", "No uses banderas"),
    ("Utilise docker dans la CI", "N'utilise jamais docker dans la CI"),
    ("Utilise des drapeaux", "N'utilise pas de drapeaux"),
]


@pytest.mark.parametrize(("one", "two"), COMPATIBLE)
def test_another_object_place_time_or_condition_is_no_opposite(one, two):
    a, b = rule(one), rule(two)
    assert (opposite(a, b), doubtful(a, b)) == (False, False)
    assert (opposite(b, a), doubtful(b, a)) == (False, False)


@pytest.mark.parametrize(("one", "two"), DOUBTFUL)
def test_the_same_object_with_one_condition_more_is_a_doubt(one, two):
    a, b = rule(one), rule(two)
    assert (opposite(a, b), doubtful(a, b)) == (False, True)
    assert (opposite(b, a), doubtful(b, a)) == (False, True)


@pytest.mark.parametrize(("one", "two"), CONTRARY)
def test_what_one_wants_and_the_other_forbids_is_the_opposite(one, two):
    a, b = rule(one), rule(two)
    assert (opposite(a, b), doubtful(a, b)) == (True, False)
    assert (opposite(b, a), doubtful(b, a)) == (True, False)
