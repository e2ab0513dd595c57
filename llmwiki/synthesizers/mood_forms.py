"""The forms by which an order is told from a report, a wish, a joke or a denial, in the languages of sessions (`mood`).

Every table is data: to add a language, add its forms.
"""

from __future__ import annotations

import re

DENIED = re.compile(
    r"\b(?:not|no|isn'?t|never) (?:really |actually |meant as )?(?:a|an|any|my|our) (?:rule|order|instruction|"
    r"preference|request|convention|policy)\b|\b(?:just|only|was|am|I'?m) (?:kidding|joking)\b|^\W*(?:kidding|joking|"
    r"jk)\b|\bjk\b|\bnot saying\b|\b(?:I )?don'?t know yet\b|\bthat'?s the (?:bug|problem|issue)\b|"
    r"\b(?:brilliant|genius|great) idea\W*$|\bkeine ahnung\b|\b(?:nie gesagt|never said|jamais dit|nunca dije)\b|"
    r"从来没(?:有)?说|\bused to say\b|\bas (?:they say|the saying goes)\b|"
    r"\b(?:is not|isn'?t|not) "
    r"(?:true|like|as if) that\b|^not that (?:I|we|you|it)\b|\b(?:if only|I wish|I hope)\b|\bkeine? (?:regel|befehl|"
    r"vorgabe|anweisung)\b|\b(?:war|ist) (?:nur |bloß )?(?:ein )?(?:scherz|witz|spaß)\b|\bnur (?:ein )?(?:spaß|"
    r"scherz|witz)\b|\bpas une (?:règle|consigne)\b|\bje (?:plaisante|rigole|déconne)\b|\bune blague\b|\bno es una "
    r"(?:regla|orden)\b|\bes (?:una )?broma\b|\bnon è una regola\b|\bscherz(?:o|avo)\b|\bnão é uma regra\b|"
    r"\bbrincadeira\b|\bшучу\b|\bшутка\b|\bне правило\b|(?:不是|并非|不算)(?:一条|一个)?(?:规则|规定|命令|要求)|"
    r"开玩笑|也许|或许|说不定|冗談|(?:規則|ルール)では(?:ない|ありません)|농담|규칙(?:은|이) 아니",
    re.I,
)
DENIED_BEHIND = re.compile(
    r"^\W*(?:(?:just|only|I'?m) )*(?:kidding|joking|jk|nah|nur spaß|scherz|je plaisante|es broma|开玩笑|冗談|шучу)\b",
    re.I,
)
JOKE = re.compile(
    r"\b(?:lol|lmao|rofl|haha\w*|hehe\w*|jaja\w+|mdr|ptdr|xd)\b|哈哈|笑死|www\b|ㅋㅋ|[😂🤣😜😉🙃😆]|(?:^|"
    r"\s)[:;]-?[PpD)](?=\s|$)",
    re.I,
)
WHENEVER = re.compile(r"\b(?:every time (?:you|we|I)|whenever (?:you|we|I)|as a rule|in (?:the )?future)\b", re.I)

# Verbs in which orders to somebody who writes and runs software are given.
VERBS = frozenset(
    "abbreviate abort abstract accept access accumulate acknowledge act adapt add address adjust adopt aggregate "
    "align allow amend analyse analyze annotate anonymise anonymize answer append apply archive ask assert assign "
    "assume attach audit authenticate authorise authorize autoformat autogenerate await back backport backup base "
    "be begin benchmark bind blacklist block branch break bring build bump bundle bypass cache call cancel "
    "capture cast catch centralize change check checkout cherry-pick choose cite clean clear clone close collect "
    "combine comment commit compare compile compress compute concatenate configure confirm connect consider "
    "consult contact contain convert copy cover create cut debounce declare decode decorate default defer define "
    "delegate delete deliver depend deploy deprecate derive describe destroy diff disable discard display "
    "document double-check download draft drop dump duplicate edit embed emit enable encode encrypt end enforce "
    "ensure enter escape evaluate exclude execute exit expect explain export expose extend extract fail fake fall "
    "favor favour fetch fill filter finish fix flag flush follow force force-push forget fork format forward free "
    "freeze generate get git give go group guard guess hand-edit hand-roll hand-write handle hard-code hardcode "
    "hash have hide hold ignore implement import include indent infer inform inherit initialise initialize inject "
    "inline insert inspect install instantiate interpolate introduce invent investigate invoke iterate join keep "
    "kill label launch lazy-load lead leak leave let limit link lint list load localize lock log look lower "
    "lowercase maintain make manage mangle mark match memoize mention merge migrate mirror mix mock modify "
    "monitor monkey-patch monkeypatch mount move mutate name need nest normalise normalize note notify number "
    "obey offer omit open operate optimise optimize order organise organize output override overwrite package pad "
    "paginate parameterise parameterize parametrise parametrize parse pass paste patch perform persist pick pin "
    "pip place plan point poll pool populate post precompute prefer prefetch prefix preload prepare preserve "
    "print prioritise prioritize process produce prompt propose protect provide proxy prune publish pull purge "
    "push put query quote raise read rebase rebuild recheck record redact redeploy redirect reduce refactor refer "
    "reference reformat refresh refuse regenerate register reindex reinstall reject release reload rely remember "
    "remind remove rename render reopen reorder repeat replace reply report request require rerun reset resize "
    "resolve respect respond restart restore restrict retry return reuse revert review reword rewrite rollback "
    "rotate round route run sandbox sanitise sanitize save scaffold scan schedule scope search seed select send "
    "separate serialise serialize serve set shadow share ship show shut sign silence simplify skip sleep snapshot "
    "sort spawn specify split squash squash-merge stage start state stay stick stop store strip structure stub "
    "submit suggest summarise summarize supply support suppress swallow swap switch sync tag take tell terminate "
    "test throttle throw tidy tolerate touch trace track translate treat trigger trim truncate trust try turn "
    "tweak type type-annotate type-check uncomment uncommit undo uninstall unit-test unpack unpin unwrap unzip "
    "update upgrade upload uppercase use validate vendor verify version view wait walk want warn watch wire wrap "
    "write yarn yield zip".split()
)
# What happens to people and programs, whoever would have it otherwise: with a subject it is a report.
HAPPENING = frozenset(
    "annoy appear be become bother brag break complain come contain crash disappear end enter expect fail fall "
    "find finish forget get go happen hang "
    "have hit hold know lose nag need offend pass raise rant read return seem show sound start stay stop support "
    "take throw try vanish wait want work "
    "yield".split()
)
FEELING = (
    r"(?:panic|laugh|cry|laugh|you|me|sweat|shoot|blame|hate|rush|hurry|worry|apologi[sz]e|thank|shout|stress|fear|"
    r"feel|get me|even get|look at me|(?:even )?ask (?:why|about|who|what|how)|ever change\b.{0,3}$|say (?:I|we) "
    r"didn'?t|take it|get (?:mad|angry|upset|excited)|tell me|say sorry|be (?:sad|shy|afraid|mad|silly|sorry|scared|"
    r"surprised|so|too|like that)|hold (?:back|your breath)|ask me(?! (?:before|first|for|whether|if)\b)|"
    r"judge|freak|bother (?:me|answering|replying)|"
    r"respond|reply|explain yourself|kid|joke|count on it|bet on it|let .{0,40}\b(?:fool|scare|stop) (?:you|us))\b"
)
NOTHING = (  # "no luck": what is missing, not what is forbidden
    r"(?:luck|drama|stress|pressure|jokes?|kidding|surprises?|signs?|trace|response|reply|answer|chance|offen[cs]e|"
    r"regrets|pain|fun|harm|fear|panic|shame|progress|news|success|dice|joy|sleep|time|warnings?|failures?|"
    r"crash(?:es)?|worries)\b"
)
ADVERB = re.compile(
    r"^(?:(?:ever|again|just|also|only|please|first|directly|explicitly|simply|blindly|silently|manually|under any "
    r"circumstances|automatically|accidentally|immediately|really|actually)\b[\s,]*)+",
    re.I,
)
LINK = re.compile(
    r"^(?:(?:please|pls|and|but|so|also|then|just|ok(?:ay)?|now|well|or|to|oh|hey|yes|no|btw|remember|rule|note|"
    r"important|it'?s|that)\b[\s,]*)+",
    re.I,
)
BINDING = re.compile(r"\b(?:must|should|shall|(?:have|has|need|needs|ought) to|let'?s)$", re.I)
MODAL = re.compile(r"(?:\b(?:will|can|could|would|may|might|do|does|did)|'ll|'d|n't)$", re.I)
WHERE = re.compile(
    r"(?:in|for|on|with|at|when|if|before|after|during|under|from|to|across|inside|within|unless|while|once|until)\b",
    re.I,
)
ADDRESSED = re.compile(r"(?:you|we|I|agents?|everyone|everybody|all|(?:must|should|shall|have to|let'?s)$)\b", re.I)
STATE = re.compile(r"(?:\b(is|are|was|were|am|been|isn't|aren't)|('s|'re))$", re.I)
UNREAL = re.compile(r"have (?:been|\w+(?:ed|en|wn|ne|ught|id|ade|t)\b)", re.I)
PARTICIPLE = re.compile(
    r"^(?!called|reached|closed|awaited|fired|triggered|defined|freed|used)\w+(?:ed|en|wn|ght|lt|pt|un|ut)\b"
)
IDIOM = re.compile(r"(?:mind|say never|fear|know|knew|gonna|end(?:s|ing)? |run (?:into|out)|look on the)\b", re.I)
ELLIPTICAL = re.compile(r"`|[A-Z]{2,}\b(?! (?:again|that|which|who|fail))")  # "always UTC": the verb is left out
BARE_REPORT = re.compile(  # what stands behind "always" where the verb of an order would stand
    r"^(?:the|a|an|this|that|these|those|some\w*|such|when|if|on|in|at|with|my|your|our|his|her|so|too|as|not|nice|"
    r"good|great|fun|happy|glad|sad|hard|easy|broken|slow|fast|red|green|flaky|late|interesting|amazing|annoying|"
    r"funny|weird|trouble|problems?|issues?|drama|errors?|had|has|was|were|is|are|been|got|saw|seen|knew|thought|"
    r"heard|felt|found|went|did|done|came|became|broke|loved?|enjoy|hated?|like[ds]?|wonder|made|took|gave|said|told|"
    r"wrote|ran|\w+ed)\b",
    re.I,
)
WISHED = re.compile(r"\b(?:I|we) (?:do not|don'?t|dont|never) (?:want|need|like) (?:(.{0,60}?) )?to (\w+)", re.I)
DISLIKED = re.compile(r"\b(?:I|we) (?:do not|don'?t|dont) like (?:how|that|the way|when|it when|what|it|this)\b", re.I)
USUAL = re.compile(r"\b(?:we|I) (?:do not|don'?t|dont) \w+.*\b(?:often|much|a lot|very|usually|really)\b", re.I)
SUBJECT = re.compile(
    r"\b(we|i|you|they|it|he|she|there|this|that|which|who|nobody|everyone|everybody|people|users)$", re.I
)
HERE = re.compile(r"\b(?:here|in (?:this|our) (?:repo\w*|project|code ?base))\b", re.I)
TO_WRITE = re.compile(  # "add a comment above it: never call this twice"
    r"^\W*(?:(?:please|and|then|now|also)\b[\s,]*)*(?:add|write|put|insert|change|set|fix|translate|implement|create)\b"
    r"[^:]{0,80}\b(?:comment|message|line|text|string|title|sentence|rule|label|prompt|docstring|header|poem|note|"
    r"validator|check|banner)\b[^:]{0,60}: |\b(?:should|must|to|shall) (?:say|read|state): |\bprompt (?:is|was|"
    r"reads): ",
    re.I,
)
FREQUENCY = re.compile(r"\b(always|never)\b", re.I)
REPORTS = (
    re.compile(  # feelings that are forbidden, and what is missing
        rf"(?:^|\b(?:so|and|but|please|just|oh|no|ok|well)\b,? )(?:do not|don'?t|dont|no need to|never) (?:even "
        rf")?{FEELING}"
        rf"|^(?:(?:and|so|but|ok|well|still|yet) )*no (?:more |new |other )?{NOTHING}",
        re.I,
    ),
    re.compile(  # how it was before, what somebody always does, what nobody ever said
        r"^\W*(?:früher|damals)\b|\bdu \w+st (?:immer|nie|schon wieder)\b|"
        r"\b(?:on|il|elle) \w+ait (?:toujours|jamais)\b|\btu (?:n'|ne )?\w+ (?:toujours|jamais)\b|"
        r"^\W*antes (?:siempre|nunca)\b|\bsiempre \w+(?:as|es|ábamos|íamos)\b|"
        r"^\W*(?:以前|之前|过去|从前)(?:我们|他们|我|大家)|你(?:总是|老是|又|每次都)",
        re.I,
    ),
    re.compile(  # German: a finite verb that tells how it is or was, or a participle at the end
        r"\b(?:ist|sind|war(?:en)?|hat(?:te[nt]?)?|haben?|wird|wurden?|bekomm\w*|krieg\w*|gibt|gab|geht|ging|"
        r"klappt\w*|passiert\w*|kommt|kam|läuft|lief|macht|nervt|scheint|bleibt|dauert\w*|"
        r"funktionier\w+)\b.*\b(?:immer|nie|niemals|nicht)\b|^\W*(?:immer|nie|niemals) (?:(?:das|der|die|den|dem) "
        r"(?:gleiche|selbe|alte)\w*|(?:der|die|das)selbe|wieder (?!die tests)|(?:noch|dies\w+|mein\w*|so)\b|schön|"
        r"gut|nett|toll|lustig|probleme|ärger|stress)|\b(?:nie|niemals)\b.*\b(?:ge\w+t|ge(?!nerier|gen\b)\w+en|"
        r"\w+iert|passiert)\W*$|^(?:\w+ ){0,3}(?!bitte|man|wir|nutzt|verwendet)\w+t (?:ja |halt |eben |doch |mir |"
        r"uns )+"
        r"(?:immer|nie|niemals)\b|\b(?:vergess|verwechsl|hab|bin|kann|krieg|find|hör|wunder)\w* ich (?:das |es )?"
        r"(?:immer|nie|niemals)\b|\b(?:sag|sage) (?:niemals|nie) nie|\bkeine? (?:sorgen?|ahnung|panik|angst|eile|"
        r"hektik|stress|problem\w*|frage|wunder|chance|lust|zeit|idee|thema|scherz|witz)\b|^(?:der|die|das|ein\w*|"
        r"mein\w*|unser\w*|dies\w+) \w+ \w+t (?:immer|nie|niemals)\b|^ich (?!will|möchte|brauche|erwarte|"
        r"bevorzuge)\w+ (?:immer|nie|niemals)\b|\bnie wieder so\b|^noch nie\b|\bmach(?:t|en sie)? (?:dir|euch|sich) "
        r"(?:keine|nicht)\b",
        re.I,
    ),
    re.compile(  # French
        r"\b(?:est|sont|était|étaient|a|ai|as|avons|avez|ont|avait|fait|march\w+|fonctionn\w+|arriv\w+|plant\w+|"
        r"semble\w*|reste\w*|échoue\w*|dit|voit)\b(?:\W+\w+){0,2}? (?:toujours|jamais)\b|\bn'(?:a|ai|ont|avait|est|"
        r"était)\b.*\bjamais\b|^\W*(?:toujours|jamais) (?:l[ea]s? mêmes?|une?|vu|eu|entendu|pensé|su|aussi|en panne|"
        r"pareil|autant|rien|du|des?)\b|\bpas de (?:souci|problème|panique|stress|quoi|bol|chance|nouvelles?)s?\b|"
        r"\b(?:t'|vous )inquiét?è?[et]\w*|\bdire jamais\b|"
        r"\bjamais je\b|^(?:il|elle|ça|cela|ils|elles) (?!faut|doi)\w+ (?:toujours|jamais)\b|"
        r"\baurai[st]? (?:cru|pensé|dit)\b",
        re.I,
    ),
    re.compile(  # Spanish
        r"\b(?:es|son|está\w*|estab\w+|era\w*|fue|hay|había\w*|tuv\w+|tiene\w*|tengo|tenemos|da|dan|sale\w*|falla\w*|"
        r"funcion\w+|pasa\w*|ocurre\w*|parece\w*|han?|he)\b(?:\W+\w+){0,2}? (?:siempre|nunca|jamás)\b|\b(?:siempre|"
        r"nunca|jamás) (?:(?:me|nos|se|le|lo|te) )?(?:es|son|está\w*|estab\w+|era\w*|fue|hay|había\w*|tuv\w+|"
        r"tiene\w*|tengo|tenemos|da|dan|sale\w*|falla\w*|funcion[aó]\w*|pasa\w*|ocurre\w*|parece\w*|han?|he|vi|vimos|"
        r"(?:el|la|lo|los|las) mism\w+|se (?:rompe|cae|cuelga|queda|me|nos)\w*|\w+[éóí]|\w+(?:aron|ieron|aba|ía))\b|"
        r"^(?:el|la|los|las|mi|nuestr\w+) \w+ (?:siempre|nunca|jamás)\b|\b(?:siempre|nunca|jamás) \w+(?:ndo|rán?)\b|"
        r"\b(?:el|la|los|las|un\w*|est\w+|mi) \w+ no \w+ (?:nunca|jamás)\b|\bdigas nunca\b|\bno te preocup\w+|\bsin "
        r"problemas?\b|\bno pasa nada\b",
        re.I,
    ),
    re.compile(  # Italian, Portuguese
        r"\b(?:è|sono|era|ha|hanno|ho|abbiamo|c'è|succede|fallisce|é|são|está|tem|temos|dá|deu|foi|fica|"
        r"falha)\b(?:\W+\w+){0,2}? (?:sempre|mai|nunca)\b|\b(?:sempre|mai|nunca) (?:è|sono|ha|dá|deu|é|está|tem|foi|"
        r"falha|fica|(?:lo|la|il|gli|le|o|a|os|as) (?:stess|mesm)\w+)\b|\bnon ti preoccupare\b|\bnão se preocupe\b",
        re.I,
    ),
    re.compile(  # Russian
        r"(?:всегда|никогда) (?:не )?(?:был\w*|видел\w*|получа\w+|есть|происход\w+|рад\w*|приятно|одн[оа]|тот же|та "
        r"же|то же|пада\w+|лома\w+|работа\w+|слышал\w*|знал\w*|говори никогда)|\bне (?:волнуй|переживай|беспокой)\w*",
        re.I,
    ),
    re.compile(  # Chinese
        r"(?:总是|永远|从不|每次都?)(?:在|是|有|会|很|这么|那么|这样|出|得到|收到|遇到|觉得|看到|报|让|失败|没|挂|卡|"
        r"慢|坏|高兴|要等|记不|忘|失望|出错|崩溃|被|从 ?[^，。]*(?:得到|收到))"
        r"|不要说永远|(?:不要|不用|别|不必|不需要|没必要)(?:太|再)?(?:担心|着急|急|客气|谢|介意|慌|怕|紧张|笑|难过|"
        r"道歉|在意|生气)",
    ),
    re.compile(  # Japanese, Korean
        r"(?:毎回|常に|いつも|必ず|決して)[^。]*(?:エラー|失敗|落ち|なる|なります|出る|出ます|起き|壊れ|ました|"
        r"でした)"
        r"|(?:心配|気に|緊張|急が)し?ないで|(?:항상|매번|절대)[^.]*(?:납니다|나요|돼요|됩니다|했어|였|네요|실패|"
        r"오류)|걱정하지",
    ),
)
OBLIGES = re.compile(  # what makes an order of a sentence with such a verb
    r"\b(?:muss|müssen|soll\w*|darf|dürfen|bitte|will|möchte|verwend\w+|nutze?\b|benutze?)\b|\b(?:ist|sind) .*zu "
    r"?\w+en\W*$|\b(?:faut(?! jamais dire)|doi\w+|dev[eo]\w+|hay que|tiene\w* que|debe\w*)\b|必须|应该|请|务必|해야|"
    r"하세요|ください"
    r"|\bдолжн\w+|\bнужно\b|\bнадо\b",
    re.I,
)
PLACED = frozenset(  # "no magic numbers": what somebody who writes software puts into it, or does
    "abbreviation abbreviations abstraction abstractions alias aliases annotation annotations any api apis argument "
    "arguments assert asserts assumption assumptions async backend bare blank boilerplate branch branches bullet "
    "bullets "
    "cache caching callback callbacks capital capitals cast casts changelog class classes code comment comments "
    "commit "
    "commits config configuration console constant constants copies cron css database decorator decorators "
    "default defaults "
    "delete deletes dependencies dependency deploy deployment deployments deploys docker docs docstring docstrings "
    "download downloads duplicate duplicates duplication em emoji emojis enum enums env eval example examples except "
    "exception exceptions export exports fallback fallbacks feature features file files fixture fixtures flag "
    "flags float "
    "floats force framework frameworks function functions generated global globals guessing guesses hack hacks "
    "hard-coded "
    "hardcoded heading headings helper helpers hook hooks html icon icons ids implicit import imports "
    "inheritance inline "
    "internet javascript jquery json lambda lambdas layer layers libraries library line lines literal literals "
    "log logging "
    "logs loop loops macro macros magic main markdown merge merges migration migrations mock mocking mocks "
    "monkeypatching "
    "monorepo mutable mutation nested network newline newlines node npm null nulls number numbers option "
    "optional options "
    "orm orms package packages parameter parameters password passwords path paths placeholder placeholders "
    "plugin plugins "
    "polling pop-ups popups prefix print prints prose push pushes query queries raw rebase rebases reexports "
    "refactor "
    "refactoring refactorings regex release releases root schema screenshots script scripts secret secrets "
    "select semicolon "
    "semicolons server setter setters shell side sleep sleeps space spaces sql state statement statements static "
    "string "
    "strings style styles subclass subclasses sudo suffix summaries summary switch tab tabs tailwind telemetry "
    "template "
    "templates test tests third-party threads timeout timeouts todo todos token tokens tool tools tracking trailing "
    "transaction try type types typescript underscore underscores unwrap unwraps url urls utils variable "
    "variables version "
    "versions view views warning-suppression wildcard wildcards word words wrapper wrappers yaml".split()
)
NO = re.compile(  # "no" with a thing behind it, and no verb of Spanish
    r"(?:(?:please|pls|and|but|so|also|again)\b[\s,]*)*no (?!need\b|(?:uses?|hagas?|ejecutes?|toques?|cambies?|"
    r"quiero|debes?|se|me|te|le|lo|la)\b)(?=[\w`@])(.+)",
    re.I,
)
DIRECTING = re.compile(
    r"\b(?:must|should|shall|(?:have|has|need|needs) to|make sure|(?:we|you) (?:also|then|first)|please|don'?t|do "
    r"not|never|always|let'?s)\b"
)
