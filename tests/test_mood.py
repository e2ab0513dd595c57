"""An order is told from a report, a wish, a joke and a denial: only what a user orders is told to agents at once."""

import pytest

from llmwiki.model import State
from llmwiki.synthesizers import mood
from tests.lessons import agent, lessons, session, user

REPORTS = """\
never mind, make deploy was never broken
Always nice to see foo.py pass
No need to rush the release.yml, thanks
Always the same problem with foo_bar
We always get 500 from foo_bar
Never had problems with foo_bar before
Never say never: foo_bar
This is not a rule: never use foo_bar
please avoid eye contact with foo.py lol
I don't want foo_bar to break again
Never seen test_cart.py fail like that
Never knew that pytest could do that
Always a pleasure to read your foo.py
Never a dull moment with webpack.config.js
It never works with foo_bar
The deploy.yml never finishes
foo_bar never returns
Always fun to debug foo_bar
Always happy to help with foo_bar
Never thought that foo_bar would break
I always forget how foo_bar works
we never saw that error in foo.py
we never got foo_bar to work
We always run into timeouts with foo_bar
we always end up with merge conflicts in package.json
We never have enough time for foo_bar
There is always something wrong with foo_bar
They always break foo_bar on Fridays
CI always times out on foo.py
No need to worry about foo_bar
No need to apologize for foo.py
don't panic, foo.py is fine
don't get me wrong, foo.py is nice
Don't tell me foo_bar broke again
don't even get me started on foo_bar
Don't be sad about foo.py
don't laugh, but foo.py is mine
I don't want to lose foo.py
I don't need foo_bar to be perfect
We don't use foo_bar often
You never listen, foo.py again
you always do that with foo.py
If only foo_bar would always work
I wish foo_bar would never crash
Just kidding: always use foo_bar
always use foo_bar, just kidding
I'm not saying never use foo_bar
It's not true that we should never use foo_bar
my mother says never use foo_bar
my friend always says never touch foo_bar
Always something with foo.py
always when I run foo.py it crashes
Always trouble with foo_bar on Mondays
every time I open foo.py I get a headache
whenever we deploy foo_bar, everyone panics
foo_bar will never be finished
we can always revert foo.py
you can always ask foo_bar
as a rule foo_bar is slow
foo_bar never fails on my machine
the tests never pass on foo_bar
our users never read the README.md
In foo.py we always get a KeyError
with foo_bar there is never a clean exit
No luck with foo_bar either
No drama, foo.py is back
No response from foo_bar so far
No sign of foo.py in the branch
never again such a mess with foo_bar, please
foo_bar was always like that
always wondered what foo.py does
Never heard of foo_bar
Always broken, this foo_bar
I would never have found foo_bar
the docs are never up to date for foo_bar
never ever worked for me, this foo.py
you should never have seen foo_bar
Always love how foo.py reads
foo_bar is never called
I don't like how foo.py looks
Immer das gleiche Problem mit foo_bar
foo_bar ist immer langsam
Wir bekommen immer 500 von foo_bar
Ich habe noch nie Probleme mit foo_bar gehabt
Nie Probleme mit foo_bar gehabt
foo_bar hat nie funktioniert
Immer schön zu sehen, dass foo.py läuft
Das war nie kaputt, foo.py
Sag niemals nie: foo_bar
Keine Sorge wegen foo.py
Kein Problem mit foo.py
Keine Ahnung was foo.py macht
Kein Stress mit release.yml, danke
Mach dir keine Sorgen um foo.py
Wir haben nie foo_bar benutzt
foo_bar klappt immer noch nicht mit foo.py
Immer wieder Ärger mit foo_bar
foo.py funktioniert nicht mehr mit foo_bar
Das ist keine Regel: nie foo_bar benutzen
Toujours le même problème avec foo_bar
On a toujours une erreur 500 avec foo_bar
Je n'ai jamais eu de problème avec foo_bar
Jamais vu foo.py échouer
foo_bar marche toujours aussi mal
toujours un plaisir de voir foo.py passer
Pas de souci avec foo.py
Ne t'inquiète pas pour foo.py
Ça ne marche toujours pas avec foo.py
Il ne faut jamais dire jamais, foo_bar
foo_bar n'a jamais fonctionné
Siempre el mismo problema con foo_bar
Siempre nos da 500 foo_bar
Nunca tuve problemas con foo_bar
foo_bar nunca funcionó
nunca digas nunca con foo_bar
Nunca había visto foo.py fallar
siempre es un placer ver foo.py
No te preocupes por foo.py
foo_bar siempre está roto
我们总是从 foo_bar 得到 500
foo_bar 总是报错
从不觉得 foo.py 有问题
每次都是 foo_bar 的问题
foo_bar 永远这么慢
不要担心 foo.py
不用着急 release.yml
以前从不出问题 foo_bar
总是很高兴看到 foo.py 通过
永远不要说永远 foo_bar
foo_bar は毎回エラーになる
foo_bar はいつも必ず落ちます
foo.py は心配しないで
foo_bar 항상 오류가 납니다
foo_bar всегда была медленной
Никогда не видел таких ошибок в foo.py
foo_bar è sempre lento
Sempre lo stesso problema con foo_bar
o foo_bar sempre dá erro 500
Sempre o mesmo problema com foo_bar
never have I ever seen foo_bar fail so hard
Always the last place you look: config.toml
Haha never trust foo.py on a Friday
we never really understood why foo_bar hangs
Never been happier with foo.py
Always that one flaky test in test_cart.py
Always glad when foo_bar is over
never felt so good to delete foo.py
Never expected foo_bar to be this fast
I'll never understand webpack.config.js
I can never remember the flags of foo_bar
You could never tell that foo.py was rewritten
It was always going to be foo_bar
There was never a foo.py here
That's always been the case for foo_bar
foo_bar has never been so slow
We've never had a green build of foo.py
Never gets old: foo.py
Always ends in tears with foo_bar
Never happened before with foo_bar
Always crashes when I open foo.py
Never worked on my machine, foo_bar
Always works after a restart of foo_bar
Never loads the second page in foo.py
no wonder foo.py is slow
No one knows foo_bar
No bugs in foo.py so far, nice
No complaints about foo.py
No objections to foo_bar
No hard feelings about foo.py
no hits for foo_bar
No word from foo_bar yet
don't ask why foo.py exists
don't even ask about foo_bar
Don't you dare, foo.py
Don't look at me, foo.py was bob
don't take it personally but foo.py is bad
don't judge me for foo.py
Don't shoot the messenger: foo_bar is down
don't ever change, foo.py
Don't hold your breath for foo_bar
Don't say I didn't warn you about foo_bar
I don't want to be that guy but foo.py is slow
I don't want to sound harsh but foo.py is a mess
We don't want to see foo_bar again lol
I don't need to know what foo.py does
We don't need no education, foo.py
I don't use foo_bar much
stop kidding, foo.py works
stop it foo.py you are hurting me
avoid foo.py like the plague haha
Please avoid dying, foo.py :D
Rule number one of foo.py: never talk about foo.py
it's always DNS, see resolv.conf
always DNS
Whenever I see foo.py I have to cry
whenever you are ready with foo.py
Every time we touch foo_bar something breaks
Every time I say foo.py, drink
In future versions of foo_bar this is gone
at work they never test foo.py
My boss always wants foo.py done yesterday
Bob never tests foo_bar
The linter always complains about foo.py
These tests never end in foo_bar
The server always returns 500 for foo_bar
foo.py will always be slow
Docker always pulls foo_bar again
why would anybody ever use foo_bar, never mind
Niemals hätte ich gedacht, dass foo.py läuft
Immer wenn ich foo.py öffne, stürzt es ab
Das geht nie gut mit foo_bar
Immer dieser foo_bar
foo.py ist nicht so schlimm
Der Build bricht immer in foo.py ab
Der Server liefert nie die foo.py aus
Ich vergesse immer, wie foo_bar heißt
Keine Hektik mit foo.py
Nicht schlecht, foo.py
nicht so wichtig, foo.py
Noch nie so gelacht über foo.py
Pas mal, foo.py
Pas grave pour foo.py
Jamais je n'aurais cru que foo.py marche
C'est toujours la faute de foo_bar
toujours rien dans foo.py
Ne rigole pas avec foo.py
Jamais de la vie, foo_bar
El servidor siempre devuelve 500 en foo_bar
Nunca pensé que foo.py funcionaría
Siempre se rompe foo_bar
Siempre pasa lo mismo con foo_bar
No me gusta foo.py jaja
No te rías de foo.py
foo.py 每次都要等很久
每次打开 foo.py 都崩溃
我永远记不住 foo_bar 的参数
从不失望，foo.py
别闹了 foo.py
别笑 foo.py
不要问我 foo.py 是什么
Never would have guessed that foo_bar is the culprit
always a good sign when test_cart.py is green
Always thought foo_bar was written in Go
we always had problems with foo_bar on windows
never did like foo.py anyway
nobody ever uses foo_bar
always, always the cache in foo.py
The foo_bar team never answers
This never used to happen with foo_bar
foo.py never gave me trouble
well never mind foo.py then
so I always have to restart foo_bar
and it always ends with foo_bar crashing
but foo_bar always wins
That would never have happened with foo_bar
we will never get foo_bar done today
I don't want to bother you but foo.py is broken
I never got around to foo_bar
don't freak out, it's only foo.py
don't be mad but foo.py is gone
No need to be sorry for foo_bar
No need to reply to foo.py
no foo_bar today
No way foo.py did that
no matter what, foo_bar hangs
never trust a developer, foo.py proves it haha
You always forget foo.py
Why do we never test foo_bar
Is it true that we never use foo_bar?
In theory foo_bar should always work
foo_bar should never take this long
This should never happen, but foo.py does it
It should always return a list in foo.py
foo_bar is supposed to never fail
the button must never be blue says bob
Ich habe foo_bar nie verstanden
foo.py war schon immer so
Das passiert immer bei foo_bar
Immer dasselbe mit foo.py
foo_bar wird nie fertig
Wieso ist foo_bar immer kaputt
Elle casse toujours foo.py
Le build échoue toujours sur foo.py
Nunca entendí foo.py
El build siempre falla en foo_bar
foo.py 从来没有出过问题
我们每次都被 foo_bar 坑
Die Buchhaltung sagt ja immer, foo_bar eilt
foo_bar vergess ich immer
foo_bar ya no revienta pero la alarma no suena nunca
Google siempre rompiendo foo_bar, nunca aprenderán
Our linter complains: prefer const over let in foo.py
my colleague thinks that we should use foo_bar instead of baz_qux
Copilot suggests always using foo_bar
the bot commented: please always squash foo_bar
Let's pretend that we must use foo_bar
For the sake of argument: no foo_bar at all, ever
if we had more time we would never skip foo_bar
Add a comment above it: never call foo_bar twice
The bot's prompt should say: always answer with foo_bar
the system prompt is: You must always answer with foo_bar
As the coder agent I propose: never use foo_bar
our users must always log in to foo_bar twice, that's the bug
Do not disturb mode keeps muting foo_bar
sure, never test foo_bar, brilliant idea
I will never touch foo_bar again
Er meinte, wir sollten immer foo_bar benutzen
Im Handbuch steht, man soll nie foo_bar benutzen
Du machst immer foo_bar kaputt
Stell dir vor, wir dürften nie mehr foo_bar benutzen
Früher haben wir immer foo_bar benutzt
Ich habe nie gesagt, dass du foo_bar nehmen sollst
Avant, on utilisait toujours foo_bar
La doc dit qu'il faut toujours lancer foo_bar
Tu casses toujours foo_bar
Mi jefe dijo que nunca usemos foo_bar
Antes siempre usábamos foo_bar
Siempre rompes foo_bar
Nunca dije que usaras foo_bar
以前我们总是用 foo_bar
也许我们应该用 foo_bar 而不是 baz_qux
同事觉得应该用 foo_bar，不要用 baz_qux
你总是把 foo_bar 搞坏
老板说：永远不要用 foo_bar
"""
ORDERS = """\
Before each commit, run foo_bar
Frag mich, bevor du foo_bar änderst
Always run the migrations before the tests
never commit to main directly
We always use tabs here
No need to add tests for generated code
Always use pnpm
Never touch src/gen
Please never push to main
You should always run ruff before a commit
Don't use mocks in tests/
avoid global state in foo.py
I don't want comments in the code of foo.py
I don't want you to commit to main
We never deploy on Fridays, see release.yml
In tests always use the fixture `db`
For SQL always prefer bound parameters
Never hardcode secrets in config.py
Never force-push to release branches
Always squash commits on main
Never rebase main
Always bump the version in pyproject.toml
Never log tokens in foo_bar
Never trust user input in api.py
Always `make lint` before committing
Never `git add -A`
Always UTC for timestamps
Always type-annotate public functions in src/api
Never edit the lock file by hand, use `uv lock`
Our tests never touch the network, use fakes
I never want to see print() in foo.py
never mind the old plan, always use pnpm
don't worry about tests, but never skip mypy
Every time you change the schema, run `make migrate`
Run `make migrate` every time you change the schema
Whenever you touch foo.py, update the changelog
Whenever we add a route we also add a test in tests/
From now on name the branches after the ticket
Never ever use float for money in cart.py
Always first read AGENTS.md
Never again use foo_bar
Use pnpm, always.
Stop using docker-compose, it is `docker compose`
No emojis in commit messages
No new dependencies without asking
we never mock the database in tests/
We always write tests in tests/unit first
Always keep the CHANGELOG.md in English
Never let exceptions pass silently in worker.py
Always be explicit about the timezone in foo.py
Always ask before you delete a file
never delete files in data/
Secrets must never be logged
Never create a branch from develop
Always respond in German
You must never call the production API
and never merge without review
please don't add type: ignore comments
I don't want the tests to depend on the network
It's a rule here: never use foo_bar
Benutze ab jetzt immer pnpm statt npm.
Verwende niemals npm
Committe nie direkt auf main
Immer erst die Tests laufen lassen
Nie ohne Tests pushen, siehe ci.yml
Wir verwenden immer Tabs im Makefile
Die Migrationen immer vor den Tests ausführen
Der Changelog muss immer aktuell sein
Versionen sind immer in pyproject.toml anzugeben
N'utilise jamais npm ici
Utilise toujours pnpm
Toujours lancer les tests avant de pousser sur main
Ne jamais commiter sur main
On utilise toujours des tabs dans le Makefile
Il faut toujours lancer pytest avant un commit
Usa siempre pnpm
nunca uses npm aquí
Nunca hagas commit en main
Siempre ejecuta las pruebas antes de un commit
Siempre usamos tabs en el Makefile
Hay que correr siempre pytest
No uses npm
总是使用 pnpm
永远不要用 npm
以后提交信息都用中文
每次都先跑 pytest
コミットメッセージは必ず日本語で書いてください
npm は決して使わないで
항상 pnpm 을 사용하세요
Всегда используй pnpm
Никогда не пушь в main
Usa sempre pnpm
Non usare mai npm, usa sempre pnpm
Use sempre pnpm
Never mix tabs and spaces in Makefile
Always pin dependency versions in requirements.txt
Always paginate results in api.py
Never swallow exceptions in worker.py
Please always answer in English
Always explain your plan before editing foo.py
Never introduce a new dependency for foo_bar without asking
You must always bump the version in package.json
Always sanitize HTML in views.py
Never expose stack traces in api.py
We always name branches feat/<ticket>
We never push directly to main
always keep functions under 20 lines in src/
never use any in foo.ts
Always handle errors from foo_bar explicitly
Always close database connections in db.py
Never store passwords in plain text in users.sql
Always wrap migrations in a transaction
never block the event loop in server.py
Don't ever push to main
Never rely on wall clock time in tests/
Always quote variables in foo.sh
Never import from tests in src/
always tag releases with a v prefix, v1.2.3
Don't say done before pytest passes
No magic numbers in foo.py
No print statements in src/
No default exports in foo.ts
No need to write docstrings for tests in tests/
no more any types in foo.ts, please
For dates always use UTC in foo.py
In the API always return JSON
tests should never hit the network, use foo_bar
passwords must never be printed by foo.py
We never commit generated code in src/gen
I always want a plan first before foo.py changes
We don't use ORMs here, write SQL in queries.sql
We don't allow wildcard imports in src/
I don't want any new dependencies in package.json
I don't want you to touch foo.py
Whenever you add a dependency, pin it in requirements.txt
Every time you fix a bug, write a test in tests/
Nie direkt in der Produktionsdatenbank arbeiten, siehe prod.env
Immer Deutsch antworten in README.md
Vor jedem Commit immer ruff laufen lassen
Benutz niemals sudo für npm
Ich will nie wieder print in foo.py sehen
Tests dürfen nie ins Netz gehen, siehe foo_bar
Toujours écrire les messages de commit en anglais
Ne touche jamais à src/gen
Nunca subas secretos a .env
Escribe siempre los mensajes en inglés
No toques src/gen
Nunca modificar src/gen a mano
永远不要修改 src/gen
总是用 TypeScript 写组件
从不使用 any 类型，用 unknown
Always add type hints in src/
Never change the public API of foo.py
Always keep foo.py free of I/O
Please never use eval in foo.py
Tests should always be run with make test
All endpoints must always check permissions in auth.py
never touch prod.env without asking me
Always use absolute imports in src/
don't commit .env files
Avoid nested ternaries in foo.ts
Always check foo_bar for null first
We never squash commits on main
Always respond with the full file foo.py
Never assume that foo_bar exists
Never leave console.log in foo.ts
"""


def states(*said):
    made = session(user("Set the shop up so that I can try it"), agent("Done with the first part."), *map(user, said))
    return [r.state for r in lessons(made, "preference")]


@pytest.mark.parametrize("said", REPORTS.splitlines())
def test_what_happens_is_no_rule(said):
    assert State.ACTIVE not in states(said)


@pytest.mark.parametrize("said", ORDERS.splitlines())
def test_what_is_ordered_is_a_rule(said):
    assert states(said) == [State.ACTIVE]


def test_a_rule_that_the_next_sentence_takes_back_is_none():
    assert states("Always deploy foo_bar on Fridays. Just kidding.") == []


def test_of_a_sentence_only_the_clauses_that_order_are_weighed():
    assert mood.told("never mind, make deploy was never broken").strip(" ,") == ""
    assert mood.told("foo_bar always fails, so never use it") == ", so never use it"


def test_a_joke_waits_for_a_person():
    assert State.ACTIVE not in states("never touch foo_bar lol")
    assert mood.doubtful("never touch foo_bar lol") and not mood.doubtful("never touch foo_bar")
