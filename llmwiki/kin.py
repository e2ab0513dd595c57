"""What other words say a word of a question: its irregular forms, words that mean nearly the same, and what is one.

A page seldom repeats a question's words: asked is `which sport` and `bought`, and the page says `basketball` and `buy`.
The lists are of everyday and of developers' English, written by hand for no wiki in particular, and all of them are
stems, as `words.terms` gives them. Loaded by the hook: no imports, and nothing is made before it is asked for.

On the development half of LoCoMo the forms alone give .01 of multi-evidence recall (R@5), near words and kinds .03.
"""

from __future__ import annotations

# A word of the question and what is only like it: how much of a match that is. Measured .15-.40, flat around .25; from
# .40 on the first hit suffers.
LIKE = 0.25
# Forms of one word that no stemmer brings together.
FORMS = (
    "go went gone goe, buy bought, bring brought, think thought, teach taught, catch caught, fight fought, seek "
    "sought, sell sold sale, tell told, hold held, feel felt, keep kept, leav left, lose lost loss, make made, meet "
    "met, pay paid, say said, send sent, sit sat, sleep slept, spend spent, stand stood, take took taken, wake woke "
    "woken, wear wore worn, win won, write wrote written, run ran, see saw seen, sing sang sung, speak spoke "
    "spoken, steal stole stolen, swim swam swum, throw threw thrown, understand understood, begin began begun, "
    "break broke broken, build built, choos chose chosen choic, come came, draw drew drawn, drink drank drunk, "
    "drive drove driven, eat ate eaten, fall fell fallen, find found, fli flew flown, forget forgot forgotten, "
    "freez froze frozen, give gave given, grow grew grown growth, hear heard, hide hid hidden, know knew known, "
    "lead led, learn learnt, lend lent, mean meant, ride rode ridden, ring rang rung, rise rose risen, shake shook "
    "shaken, shoot shot, show shown, shrink shrank shrunk, stick stuck, strike struck, swear swore sworn, tear tore "
    "torn, hang hung, bind bound, bend bent, bite bit bitten, blow blew blown, deal dealt, dig dug, feed fed, flee "
    "fled, becom becam, overcom overcam, overwrit overwrot overwritten, rewrit rewrot rewritten, rebuild rebuilt, "
    "withdraw withdrew withdrawn, child children, man men, woman women, foot feet, tooth teeth, mous mice, person "
    "peopl, life live, wife wive, knife knive, leaf leav, index indic, vertex vertic, matrix matric, analysi analys "
    "analyz, schema schemata, criterion criteria, datum data, bad wors worst, far further, injur injuri, marri "
    "marriag, die death dead, decid decis, receiv receipt, believ belief, strong strength, long length, high "
    "height, hungri hunger, angri anger, succeed success, advis advic, behav behaviour behavior, colour color, "
    "favourit favorit, centr center, organis organiz, describ descript, subscrib subscript, permit permiss, expand "
    "expans, extend extens, convert convers, compar comparison, resolv resolut, solv solut, explain explan, destroy "
    "destruct, allergi allerg, scienc scientif scientist, art artist, paint painter, music musician, photo "
    "photograph photographi, religion religi, economi econom, environ environment, danc dancer, vari variat, fail "
    "failur"
)
# Words of nearly one meaning, each for the others.
NEAR = (
    "kid child son daughter, mom mother mum, dad father, parent mother father, sibl brother sister, grandma "
    "grandmoth, grandpa grandfath, spous husband wife partner, famili relat, friend buddi pal, job work career "
    "profess, occup profess, hobbi pastim, trip travel vacat journey, vacat holiday, visit trip, movi film, photo "
    "pictur pic imag, book novel, cook bake, dish meal recip, food meal snack, dessert cake cooki, pet dog cat, dog "
    "puppi pup, cat kitten, car vehicl auto, bike bicycl, hous home, apart flat, citi town, countri nation, shop "
    "store, buy purchas, compani busi firm, startup busi, boss manag, colleagu cowork, teacher instructor, school "
    "colleg universiti, student pupil, exam test, class cours lesson workshop, doctor physician, hospit clinic, ill "
    "sick diseas, injuri hurt wound, happi glad joy, sad upset, afraid scare fear, angri mad, nervous anxious, love "
    "ador enjoy, like enjoy, big larg huge, small littl tini, fast quick, begin start, end finish, stop quit, help "
    "support assist, gift present, parti celebr, event festiv, game match, sport athlet, team squad, win victori, "
    "prize award, contest competit tournament, exercis workout, gym workout, hike trail, camp tent, beach sea "
    "ocean, mountain peak, garden plant, flower bloom, song music, band concert, sing singer, art paint, draw "
    "sketch, write author, stori tale, money cash, cheap afford, expens cost, plan intend, goal aim dream, idea "
    "concept, problem issu troubl, answer repli, talk chat convers, phone call, internet web onlin, comput laptop, "
    "old elder, marri wed, volunt chariti, church faith, resid live, move reloc, recommend suggest, advic tip, "
    "particip join, attend join, repair fix, destroy ruin, accid crash, storm hurrican, rain flood, transgend "
    "gender, lgbtq gay queer pride, potteri clay ceram, outdoor natur, relax unwind, stress pressur, child "
    "childhood, young youth, studi research, repo repositori, dir directori folder, config configur set, db "
    "databas, auth authent login, env environ, dep depend, doc document, k8s kubernet, postgr postgresql, js "
    "javascript, ts typescript, msg messag, err error, except error, param paramet argument, arg argument, func "
    "function, var variabl, str string, bool boolean, obj object, ref refer, pkg packag, lib librari, impl "
    "implement, init initi, async asynchron, cmd command, ui interfac, prod product, dev develop, perf perform, mem "
    "memori, cpu processor, tmp temporari, delet remov, upgrad updat bump, bug defect, segfault crash, timeout "
    "time, flaki intermitt, deploy releas rollout, rollback revert, ci pipelin, secret credenti token password, "
    "cert certif, ssl tls, endpoint rout, req request, resp respons, migrat schema, queue broker, mock stub fake, "
    "contain docker, regex regexp pattern"
)
# A kind, then what is of that kind: the kind asks for each of them, and not the other way round.
KINDS = (
    "anim: dog cat puppi kitten bird hors turtl fish hamster rabbit snake lizard cow sheep pig bear wolf fox eleph "
    "lion tiger, pet: dog cat puppi kitten turtl hamster rabbit parrot goldfish bird, dessert: cake cooki pie "
    "icecream browni pud cobbler cupcak muffin chocol tart pastri, food: pizza pasta salad soup sandwich sushi "
    "burger rice bread chees chicken steak cake taco curri noodl veget fruit, recip: bake cook dish cake soup pasta "
    "salad cream milk chocol chicken, drink: coffe tea beer wine juic cocktail smoothi soda, meal: breakfast lunch "
    "dinner supper brunch, fruit: appl banana orang strawberri mango peach grape lemon, sport: basketbal soccer "
    "footbal tenni basebal hockey volleybal golf swim surf ski snowboard box cricket rugbi climb cycl, exercis: "
    "yoga run jog gym swim weight stretch pilat workout lift, activ: hike swim camp paint run danc yoga potteri "
    "cook read climb garden fish bike, hobbi: paint read garden cook write photographi knit danc hike collect fish "
    "potteri, instrument: guitar piano violin drum flute clarinet cello saxophon trumpet ukulel bass, music: song "
    "band album concert singer guitar piano jazz rock classic pop, genr: fantasi thriller romanc drama comedi "
    "horror mysteri action rock jazz pop, color: red blue green yellow purpl pink orang black white gray brown, "
    "countri: franc spain itali germani england japan china india mexico canada brazil australia ireland greec "
    "sweden portug thailand turkey, citi: pari london tokyo rome barcelona berlin seattl chicago boston york "
    "madrid, state: california texa florida oregon washington colorado michigan indiana minnesota georgia, place: "
    "park beach museum lake mountain citi restaur cafe forest, park: trail lake forest, vehicl: car truck bike bus "
    "motorcycl van, game: chess monopoli xbox nintendo playstat consol zelda mario catan poker, famili: mother "
    "father brother sister son daughter wife husband cousin uncl aunt mom dad kid grandma, child: son daughter kid "
    "babi, relat: cousin uncl aunt grandma grandpa, parent: mother father mom dad, subject: math histori physic "
    "biolog chemistri art, job: engin teacher nurs lawyer manag counselor banker, injuri: ankl knee sprain shoulder "
    "wrist broken, ill: flu cold cancer fever asthma diabet, emot: happi sad angri excit anxious proud, feel: happi "
    "sad proud anxious excit grate, art: paint sculptur draw potteri sketch, book: novel author read seri, movi: "
    "film watch trilog, weather: rain snow storm sunni wind, season: spring summer autumn winter fall, holiday: "
    "christma thanksgiv easter halloween, disast: flood fire hurrican earthquak storm, cloth: shirt dress jacket "
    "hoodi shoe hat, natur: forest lake mountain sunset river beach, busi: store studio startup shop compani, "
    "ident: gender transgend, educ: school colleg universiti degre studi, degre: universiti colleg graduat, volunt: "
    "shelter chariti homeless, databas: postgr postgresql mysql sqlite redi mongodb mariadb dynamodb, languag: "
    "python rust go java javascript typescript rubi kotlin swift, editor: vim neovim emac vscode jetbrain, browser: "
    "chrome firefox safari chromium, framework: django flask react vue rail spring fastapi, linter: ruff eslint "
    "flake8 pylint clippi, formatt: black prettier ruff gofmt rustfmt, cloud: aw azur gcp, os: linux maco window "
    "ubuntu debian, queue: kafka rabbitmq sqs celeri redi, shell: bash zsh fish powershel, protocol: http grpc "
    "websocket tcp, licens: mit apach gpl bsd"
)

_known: dict[str, dict[str, float]] = {}


def of(term: str) -> dict[str, float]:
    """Other terms that speak of this one -> how much of a match they are: 1 for another form of the same word, LIKE
    for one that means nearly the same, or one of its kind."""
    if not _known:
        _learn()
    return _known.get(term, {})


def _learn() -> None:
    for table, worth in ((FORMS, 1.0), (NEAR, LIKE)):
        for row in table.split(", "):
            group = row.split()
            for term in group:
                _relate(term, group, worth)
    for row in KINDS.split(", "):
        kind, _, members = row.partition(": ")
        _relate(kind, members.split(), LIKE)


def _relate(term: str, others: list[str], worth: float) -> None:
    known = _known.setdefault(term, {})
    for other in others:
        if other != term:
            known.setdefault(other, worth)
