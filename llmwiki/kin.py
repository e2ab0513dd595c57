"""What other words say a word of a question: its irregular forms, words that mean nearly the same, and what is one.

A page seldom repeats a question's words: asked is `which sport` and `bought`, and the page says `basketball` and `buy`.
The lists are of everyday and of developers' English, written by hand for no wiki in particular, and all of them are
stems, as `words.terms` gives them. Loaded by the hook: no imports, and nothing is made before it is asked for.

On the development half of LoCoMo the recall (R@5) of questions with evidence in several sessions is .587 without any of
this, .612 with the forms, .642 with all.
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
    "peopl, life live, wife wive, knife knive, index indic, vertex vertic, matrix matric, analysi analys analyz, "
    "schema schemata, criterion criteria, datum data, bad wors worst, far further, injur injuri, marri marriag, die "
    "death dead, decid decis, receiv receipt, believ belief, strong strength, long length, high height, hungri "
    "hunger, angri anger, succeed success, advis advic, behav behaviour behavior, colour color, favourit favorit, "
    "centr center, organis organiz, describ descript, subscrib subscript, permit permiss, expand expans, extend "
    "extens, convert convers, compar comparison, resolv resolut, solv solut, explain explan, destroy destruct, "
    "allergi allerg, scienc scientif scientist, art artist, paint painter, music musician, photo photograph "
    "photographi, religion religi, economi econom, environ environment, danc dancer, vari variat, fail failur, "
    "compet competit competitor, move movement, pay payment, treat treatment, state statement, teach teacher, write "
    "writer, sing singer song, run runner, act actor actress, cook chef, bake baker bakeri, farm farmer, own owner, "
    "win winner, react reaction, serv servic, lone loneli, brave braveri, proud pride, free freedom, friend "
    "friendship, member membership, leader leadership, lead leader, champion championship, relat relationship, "
    "partner partnership, intern internship, scholar scholarship, child childhood, neighbour neighbor neighborhood "
    "neighbourhood, fame famous, nerv nervous, health healthi, wealth wealthi, sun sunni, rain raini, snow snowi, "
    "wood wooden, year annual, day daili, franc french, spain spanish, itali italian, germani german, japan "
    "japanes, china chines, india indian, mexico mexican, canada canadian, america american, britain british, europ "
    "european, asia asian, africa african, sweden swedish, ireland irish, russia russian, publish public"
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
    "contain docker, regex regexp pattern, babi infant newborn, teen teenag youth, guy man, girl woman ladi, coupl "
    "pair, wed ceremoni, date romant, breakup separ divorc, pregnant babi birth, birth born, birthday parti, funer "
    "death, dead pass, grief loss mourn, hero role-model idol, inspir motiv encourag, inspir motiv, grate thank "
    "appreci, excit thrill, surpris shock amaz, tire exhaust, lone alon, worri anxious concern, stress overwhelm, "
    "calm peac, proud pride, fun enjoy, great amaz awesom, beauti gorgeous stun, delici tasti yummi, hard difficult "
    "tough challeng, easi simpl, obstacl challeng struggl setback difficulti, import crucial essenti, weird strang "
    "odd, new recent, recent latest, often regular frequent, rare seldom, alway constant, mayb perhap, current now, "
    "futur plan, past previous befor, ago last, hour minut, morn dawn, evening night, weekend saturday sunday, "
    "cloth outfit, fashion style cloth, shoe sneaker boot, jewelri necklac ring bracelet, necklac pendant, furnitur "
    "couch sofa tabl chair, kitchen oven, room bedroom, yard garden backyard, road highway street rout, drive road, "
    "flight plane airport fli, train railway, ship boat cruis, hotel hostel resort, suitcas luggag, passport visa, "
    "abroad oversea, tour sightse, landmark monument, castl palac, bridg tower, forest wood tree, river stream "
    "creek, lake pond, waterfal cascad, sunset sunris, sky star, sand shore, anim wildlif creatur, bird feather, "
    "puppi dog, veterinarian vet, hors ride, fish aquarium, plant grow, veget veggi, meat beef pork chicken, vegan "
    "vegetarian, sweet sugar candi, bread bakeri, coffe cafe, restaur diner eateri, lunch dinner, cocktail bar, "
    "beer pub breweri, wine vineyard, diet nutrit, weight pound, healthi health nutrit, gym fit, run jog marathon, "
    "race marathon, yoga medit, danc ballet choreographi, dancer perform, studio gym, coach trainer mentor, mentor "
    "guid, train practic, skill abil talent, score point, leagu championship, stadium arena, fan support, trophi "
    "medal award, sponsor endors, player athlet, video-game game, consol playstat xbox nintendo, chess board-game, "
    "puzzl riddl, toy doll, magic trick, theater theatr play stage, actor cast role, director filmmak, script "
    "screenplay, scene shot, comedi funni humor, horror scari, fantasi magic, seri season episod, tv televis show, "
    "podcast episod, author writer, poem poetri, journal diari, blog articl post, magazin newspap, librari "
    "bookstor, languag spanish french, universiti degre, graduat diploma degre, teacher professor, homework assign, "
    "scholarship grant, scienc research, experi lab, technolog tech, softwar program app, app applic, code program, "
    "comput pc, phone smartphon mobil, camera len photographi, video clip footag, websit site page, social "
    "instagram facebook, ad advert advertis market promot, promot advertis market, custom client, sale discount, "
    "product item, brand label, invest investor, bank loan mortgag, budget financ, salari incom wage, lose job fire "
    "laid-off, hire recruit, interview appli, promot rais, offic workplac, meet appoint, deadlin due, network "
    "connect, event confer, confer summit convent, fundrais donat chariti, chariti nonprofit organiz, homeless "
    "shelter, veteran militari armi soldier, armi militari, war battl, polic offic, fire firefight, elect vote "
    "campaign polit, polit govern mayor, law legal lawyer, right equal justic, protest march ralli, communiti "
    "neighborhood, immigr refuge, religion church faith, pray prayer, spiritu soul, god faith, bibl scriptur, "
    "holiday christma, costum halloween, firework celebr, tradit custom cultur, cultur heritag, root heritag "
    "ancestor, hometown nativ, birthplac born, nicknam name, age old, tall height, hair haircut, tattoo ink, glass "
    "eyewear, therapi counsel therapist counselor, therapist psycholog counselor, mental psycholog emot, depress "
    "sad, anxieti nervous, surgeri oper, medicin medic pill drug, allergi allerg, headach pain, pain ach sore, "
    "injuri accid, recov heal recoveri, checkup doctor, blood pressur, cancer tumor, vaccin shot, sleep rest, dream "
    "nightmar, smoke cigarett, alcohol drink, weather temperatur, cold freez, hot warm, wind breez, earthquak "
    "disast, environ climat, pollut wast, recycl trash, energi solar, space astronomi planet, star astronomi, "
    "museum galleri exhibit, exhibit show, sculptur statu, canva paint, draw illustr, mural wall, craft diy, knit "
    "sew crochet, wood carpentri, tool hammer, build construct, car mechan, engin motor, tire wheel, motorcycl "
    "bike, skateboard board, antiqu vintag, vinyl record, lyric song, album record, concert gig show, guitar "
    "instrument, drum percuss, choir sing, orchestra symphoni, jazz blue, festiv fair, picnic barbecu bbq, campfir "
    "bonfir marshmallow, tent camp, climb mountain, ski snowboard, surf wave, swim pool, dive snorkel, sail boat, "
    "kayak cano, golf club, tenni racket, soccer footbal, basebal bat, basketbal court, box ring, martial karat "
    "judo taekwondo, medit mind, hug embrac, kiss love, argu fight conflict, apolog sorri, forgiv pardon, trust "
    "believ, promis commit, secret privat, lie dishonest, truth honest, respect admir, jealous envi, brave courag, "
    "kind generous, selfish greedi, smart intellig clever, stupid dumb, rich wealthi, poor poverti, famous celebr, "
    "popular well-known, opinion view, believ think, decid choos, prefer favorit, hate dislik, want wish, need "
    "requir, tri attempt, hope wish, rememb recal memori, forget lose, learn discov, notic see, watch look, listen "
    "hear, show display, explain describ, discuss talk, mention say, ask question, introduc meet, join member, leav "
    "depart, arriv reach, return back, wait delay, hurri rush, carri bring, put place, open launch, launch start, "
    "close shut, cancel abort, chang modifi alter, convert transform, increas grow, decreas reduc drop, add append, "
    "combin merg join, split divid separ, copi duplic clone, check verifi, measur metric, count number, list "
    "enumer, sort order, search find lookup queri, fetch get retriev download, upload push, save store persist, "
    "load read, pars parser, print output, input stdin, render draw, compil build, execut run, invok call, rais "
    "throw, catch handl, ignor skip, disabl turn-off, enabl turn-on, overrid overwrit, allow permit, deni forbid "
    "block, requir mandatori, option extra, default fallback, limit cap maximum, quota limit, rate throttl, slow "
    "latenc, fast perform, memori ram heap, leak memori, disk storag, cpu core, thread lock, deadlock lock, race "
    "flaki, hang freez stuck, crash panic, fail break, broken fail, trace traceback stack, debug breakpoint, log "
    "print, monitor observ metric, alert alarm, dashboard grafana, cron schedul, job task, worker process, servic "
    "daemon, host server, client frontend, proxi nginx, dns domain, firewal network, socket connect, session cooki, "
    "token jwt, permiss role access, admin root, user account, regist signup, signin login, logout signout, profil "
    "account, form input, button click, page view, templat layout, style css, theme dark, icon logo, font "
    "typographi, tabl column row, key index, foreign-key constraint, transact commit, backup snapshot, restor "
    "recov, seed fixtur, test coverag, unit integr, e2e end-to-end playwright cypress, packag depend, lockfil lock, "
    "version releas tag, changelog releas, licens copyright, readm document, comment docstr, type annot, interfac "
    "protocol, class object, method function, constant variabl, loop iter, array list, map dictionari dict, hash "
    "digest, tupl pair, null none nil, float decim, integ int, date timestamp datetim, timezon utc, local translat "
    "i18n, unicod utf-8 encod, newlin crlf, indent whitespac, tab space, path filenam, symlink link, archiv zip "
    "tar, compress gzip, binari execut, script shell, alia shortcut, flag option, argument option, environ "
    "virtualenv venv, kernel modul, driver devic, model weight, train fit, dataset data, gpu cuda, prompt instruct, "
    "agent assist"
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
    "biolog chemistri art, job: engin teacher nurs lawyer manag counselor, injuri: ankl knee sprain shoulder wrist "
    "broken, ill: flu cold cancer fever asthma diabet, emot: happi sad angri excit anxious proud, feel: happi sad "
    "proud anxious excit grate nervous reliev, art: paint sculptur draw potteri sketch mural canva, book: novel "
    "author read seri fantasi mysteri biographi, movi: film watch trilog incept titan avatar, weather: rain snow "
    "storm sunni wind, season: spring summer autumn winter fall, holiday: christma thanksgiv easter halloween, "
    "disast: flood fire hurrican earthquak storm, cloth: shirt dress jacket hoodi shoe hat, natur: forest lake "
    "mountain sunset river beach, busi: store studio startup shop compani, ident: gender transgend, educ: school "
    "colleg universiti degre studi, degre: universiti colleg graduat, volunt: shelter chariti homeless, databas: "
    "postgr postgresql mysql sqlite redi mongodb mariadb dynamodb, languag: python rust go java javascript "
    "typescript rubi kotlin swift spanish french german italian japanes chines, editor: vim neovim emac vscode "
    "jetbrain, browser: chrome firefox safari chromium, framework: django flask react vue rail spring fastapi, "
    "linter: ruff eslint flake8 pylint clippi, formatt: black prettier ruff gofmt rustfmt, cloud: aw azur gcp, os: "
    "linux maco window ubuntu debian, queue: kafka rabbitmq sqs celeri redi, shell: bash zsh fish powershel, "
    "protocol: http grpc websocket tcp, licens: mit apach gpl bsd, bug: crash error except regress, test: pytest "
    "unittest jest vitest mocha, depend: npm pip cargo poetri uv, manag: npm pnpm yarn pip poetri uv cargo, ide: "
    "vscode pycharm intellij vim, orm: sqlalchemi prisma hibern activerecord, auth: oauth jwt saml sso, ci: jenkin "
    "circleci travi gitlab, contain: docker podman kubernet, vcs: git mercuri svn, store: redi s3 postgr cloth book "
    "groceri, format: json yaml toml csv xml, log: stdout stderr syslog, error: timeout except traceback 404 500, "
    "secret: key token password certif, tool: make docker git npm pytest, fear: spider height dark snake fli, gift: "
    "necklac book flower ring card, furnitur: tabl chair couch sofa bed desk, devic: phone laptop tablet camera "
    "comput, gadget: phone laptop tablet camera drone, collect: coin stamp vinyl card book, craft: knit sew potteri "
    "paint wood, class: yoga potteri cook danc art, event: concert festiv wed parad confer parti fair marathon, "
    "celebr: birthday wed anniversari graduat christma, parti: birthday wed halloween, mileston: graduat promot wed "
    "anniversari birthday, award: medal trophi certif prize, goal: marathon degre promot championship, challeng: "
    "injuri exam deadlin loss, career: engin teacher nurs lawyer counselor writer actor, field: psycholog engin "
    "medicin law art busi, major: psycholog engin biolog histori busi, organiz: chariti church shelter school club, "
    "caus: homeless environ educ veteran anim, communiti: church school lgbtq neighborhood, religion: christian "
    "buddhist muslim jewish cathol hindu church, pastim: read paint garden game, outdoor: hike camp climb kayak "
    "fish, trip: beach mountain pari rome road flight camp, vacat: beach hawaii pari rome cruis island, destin: "
    "pari rome tokyo beach island, landscap: mountain lake beach sunset forest, sceneri: mountain lake beach sunset "
    "forest, view: mountain lake sunset ocean, bird: parrot eagl owl crow, reptil: turtl snake lizard, insect: bee "
    "butterfli ant, flower: rose sunflow tulip daisi lili, plant: tree cactus fern flower veget, tree: oak pine "
    "mapl palm, veget: carrot potato tomato onion spinach, cuisin: italian mexican japanes chines indian thai "
    "french, ingredi: milk sugar butter flour egg chocol coconut, snack: chip popcorn nut cooki fruit, breakfast: "
    "pancak egg cereal toast, cook: bake grill roast fri, allergi: nut pollen cat dog, symptom: fever pain cough "
    "headach, health: doctor hospit surgeri diet, therapi: counselor yoga medit art, bodi: ankl knee shoulder back "
    "wrist arm leg, accessori: necklac ring hat bag, decor: light tree balloon paint, room: kitchen bedroom "
    "bathroom offic, hous: kitchen garden roof bedroom, build: tower castl church school, shop: cloth book groceri "
    "coffe, money: loan salari budget bank dollar, fund: loan grant donat investor, transport: bus train car bike "
    "plane, car: toyota honda ford tesla, brand: nike adida gucci appl, team: player coach, posit: guard forward "
    "goalkeep striker captain, martial: karat judo taekwondo kickbox, danc: ballet salsa hip-hop contemporari "
    "tango, artist: painter musician singer, band: guitar drum singer, singer: taylor adel beyonc, compos: bach "
    "mozart beethoven, musician: bach mozart guitarist, film: documentari comedi drama, show: episod season seri "
    "netflix, seri: trilog episod, author: tolkien rowl king, consol: xbox playstat nintendo switch, read: novel "
    "book seri, month: januari februari march april june juli august septemb octob novemb decemb, relationship: "
    "boyfriend girlfriend husband wife partner singl, status: singl marri divorc, marri: wife husband, singl: "
    "boyfriend breakup, reaction: happi excit surpris proud, person: kind care thought brave, trait: kind care "
    "thought brave"
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
