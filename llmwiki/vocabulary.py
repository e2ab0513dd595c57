"""What words tell, apart from any wiki: which ones everybody uses, and which ones developers use for the same thing.

A wiki of ten pages cannot know that `dinner` is a word of everyday life. These lists stand for all the pages about
anything that it does not have, so that a chance match of such words is not taken for an answer. Everything is a stem,
as `words.terms` gives it. Loaded by the hook.
"""

from __future__ import annotations

from llmwiki import words
from llmwiki.lexicon import Lexicon, stems

# What is said in any talk, about no subject: `thanks, go on` asks for nothing that a page could hold.
CHATTER = frozenset(
    (
        "again agre ahead awesom better continu cool fine go good great hello hey hi hmm lgtm longer more next nice "
        "no ok okay perfect pleas proceed right shorter sound sure tell thank tri well wonder yeah yes"
    ).split()
)
# What is in every sentence of German, French, Spanish, Portuguese, Italian, Russian, Chinese and Japanese.
ELSEWHERE = frozenset(
    (
        "abbiamo aber adesso agora ahi ahora ainda al algo ali alla alli allo alor altra altro anch ancora ao apr "
        "aqui asi au auch auf aun aunqu aus aussi autr aux avant avec aver avez avoir avon bei beim bis bist bitt "
        "cada ce ces cet cett chaqu che com come comment como con cual cuando cuanto da dal dalla dan dann das "
        "dass debe deg dei dein deja del dell dem den denn depoi depui der des desd despu deve devo di die dies "
        "diesen dieser doch donc dond dont dopo dort dos du durch e ein einem einen einer el ela ele ell em en "
        "encor entao entr er era es esa ese eso ess essa esser est esta estan estar esto estoy et etr etwa euch "
        "fai fait faut faz fazer foi fue fur gegen gia gli habe haben haber hace hacer hago hai han hasta hatt "
        "hay haz hier ich ici ihm ihn ihr il im immer isso ist isto ja jamai je jeder jetzt jusqu kann kannst "
        "kein keinen konnen la las le lei les leur lo loro los luego lui mach machen mai mainten mehr mein meinen "
        "meno merci mes meu mia mich mientra minha mio mir mis mit moin molto mon muito muss mussen musst muy na "
        "nach nada nao nas necesito nei nel nella neu neue neuen neuer ni nicht nie nient noch noi non nos notr "
        "nous nouveau nouveaux nouvel nouvell nova novo nueva nuevo nunca nuov nuova nuovi nuovo nur o ob oder "
        "ogni ohn ond ont os otra otro ou outra outro para pas pela pelo per perch pero peu peut peux piu plus "
        "pode por porem porqu posso pour pourquoi preciso pued puedo puo puoi qual qualcosa quand quando que quel "
        "quell quella quello quelqu quero questa questi questo qui quier quiero quoi rien san schon se segun sehr "
        "sei sein sempr seu seulement si siamo sie sind soll sollt somm son sono sont sous stato su sua sui suo "
        "sur svp tambem tambien tampoco te tem tengo tenho ter tes tien toda todo ton toujour tous tu tudo tuo "
        "tus tutta tutti tutto um uma un una und une uno unser unter va vai veut veux voglio voi vom von vont vor "
        "votr vou vous waren warum weil wenn wer werden wie wir wird wo wurd y ya yo zum zur а без будет бы был "
        "была были было быть в вам вас ваш вот все всех вы где да для до его ее еи ему если есть еще же за зачем "
        "здесь и из или им их к как когда ли меня мне мое может можно мои моя мы на над надо нам нас наш не нет "
        "но новая нового новое новои новую новые новыи нужно о об он она они оно от очень перед по под пожалуиста "
        "после потом почему при про с свои сеичас та так там твои те тебе тебя то тоже только тот тут ты у уже "
        "хочу через что чтобы эта эти это этот я ある い いる う か から が くだ けど こ こと この ござ さ し "
        "した して す する せん その た ため て で です と とき どう な ない なぜ なに なら に ね の ので は ま "
        "ます まで も もの よ より られ る れ れる を ん 一 一下 一个 一些 上 下 不 不是 不能 不要 个 中 为 为什 "
        "么 么样 也 了 什 什么 他 他们 以 们 会 但是 你 你们 再 出来 到 去 可 可以 吗 吧 呢 和 回事 因为 在 她 好 "
        "如果 它 对 就 帮 帮我 应该 很 怎 怎么 我 我们 或者 所以 把 新 新し 是 是不 是否 有 有没 来 没 没有 然后 "
        "现在 的 看 看看 给 能 能不 被 要 让 说 请 请你 起来 还 还是 这 这个 这里 那 那个 那里 都 里 里的 里面 "
        "需要"
    ).split()
)
# English words of everyday life: home, food, travel, school, work, health, news. Those that programs know too (`table`,
# `schedule`) are left out: they tell something where programs are made.
EVERYDAY = frozenset(
    (
        "english german french spanish italian portugues russian chines japanes korean latin "
        "abl accept accid account across act activ actual adult advic afraid afternoon age air airport allow almost "
        "alon along alreadi although alway amaz among amount angri anim anybodi anyon anyth anyway anywher "
        "apart appear appl appreci area argu arm around arriv art articl artist attack attempt attend attent "
        "attract autumn avail averag avoid award away babi bag bake ball band bank bar basic basketbal bath "
        "bathroom beach bear beat beauti becom bed bedroom beer begin beginn behav behind believ bell belong besid "
        "big bike bill bird birth birthday black blog blood blow blue board boat boil bone book border bore "
        "born boss bother bottl bottom bowl box boy boyfriend brain brand brave bread breakfast breath bridg brief "
        "bright brilliant bring brother brown brush bus busi butter buy cake calm camera camp cancer cannot capit "
        "captain car card care career carpet carri case cat catch caus celebr center centr centuri certain "
        "chair challeng chanc chapter charact charg chariti cheap cheer chees chef chess chicken chief "
        "childhood children chocol choic choos christma church cinema circl citi citizen claim classic clear climat "
        "climb clock cloth club coach coast coat coffe cold collect colleg color colour comfort comic common "
        "communiti compani compet competit complain concern concert confus congratul consid contact contest convers "
        "cook cooki corner cost couch countri coupl courag cours court cousin cover crazi cream creativ credit cri "
        "crime crowd cultur cup curious curtain cut cute cycl dad daili damag danc danger dark daughter deal dear "
        "death debt decad decid decis deep degre delici deliv dentist describ desert desk dessert detail diet "
        "difficult dinner direct director dirti discov discuss diseas dish distanc doctor dog dollar donat door "
        "doubt dozen drama draw dream dress dri drink drive due dull dust duti ear earli earn earth easi "
        "east eat economi educ effect effort egg eight either elder elect els embarrass emot employ encourag "
        "enemi energi enjoy enough enter entir equal escap especi essay even evening ever everybodi everyon everyth "
        "everywher evid exact exam excel excit exercis exist expens experi expert extra eye face fact fair fall "
        "famili famous fan fantast far farm fashion fast fat father favor favorit favour fear feed feedback feel "
        "fellow femal festiv fight figur fill film final financ finger finish fire fish fit five flat flavour fli "
        "flight floor flower flu focus folk follow food foot footbal forc foreign forest forev forget former found "
        "four freedom fresh friday friend front fruit frustrat fun funni furnitur futur gain game garag garden gas "
        "gate general gentl gift girl girlfriend glad glass goal god gold golf govern grade grand "
        "grandfath grandma grandmoth grandpa grass grate gray green grey groceri ground grow guard guess guest "
        "guitar gun guy gym habit hair half hall hand hang happen happi hard hate head health hear heart heat "
        "heavi height herself high hike hill himself histori hit hobbi hold hole holiday home honest hope hors "
        "hospit hot hotel hour hous howev huge human hundr hungri hurt husband ice idea identifi ill imagin immedi "
        "impact imposs impress inch incom increas incred inde industri influenc inform insid inspir instead "
        "instrument insur interest internat interview introduc invest invit island item jacket jam jog joke journey "
        "joy juic justic kick kid kill kind king kiss kitchen knee knife knock ladi lake lamp land landlord larg "
        "late later laugh law lawyer lay lazi lead leader leaf learn leas least leather leav left leg lemon lend "
        "less lesson letter lie life lift light lip listen literatur live lone long lose loss lost loud "
        "love low luck lucki lunch magazin magic mail major male mall man march mark market marri "
        "marriag mass master materi matter mayb mayor meal mean measur meat media medic medicin medium meet melodi "
        "member mention mess metal meter middl might mile milk million mind mine minut mirror miss mission mistak "
        "mix modern mom moment monday money month mood moon morn mortgag mother motiv mountain mouth movi museum "
        "music musician mysteri narrow nation natur near necessari neck neighbor neighbour neither nervous never "
        "news newspap night nine nobodi nois none north nose note noth notic novel nowher nurs ocean octob offer "
        "offic often oil onto opinion opportun orang orchestra ordinari organiz origin otherwis ought ourselv "
        "outdoor outsid oven overal owe pack pain paint pair pale pan paper park parti particular partner "
        "passion past patient pay peac pen pencil per perhap period person pet photo "
        "piano pick picnic pictur piec pink pizza place plane planet plant plastic plate play player pleasant "
        "pleasur plenti poem poet poetri polic polit poor pop popul popular possess pot potato pound power practic "
        "practis prepar present presid press pressur pretti prevent previous price pride princ princess prison "
        "prize probabl produc profession progress promis promot proper protect proud prove puppi purpl purpos "
        "qualiti quarter queen quick quiet quit race radio rain rais rare rather reach readi real realiz reason "
        "receiv recent recip recommend red refus regard region regret relationship relax relief religion remain "
        "rememb remind rent repair repeat repli repres research respect respond restaur rice rich ride ring rise "
        "risk river road rock romant roof room round routin rush sad safe sail salad salari sale salt sand saturday "
        "scari scene school scienc scientist sea season seat second seek seem sell senior sens sentenc separ "
        "serious seven sever shade shadow shake shape sharp shelf shi shine shirt shoe shoot shop short "
        "shoulder shout shower sick side sight silenc silent silver similar sinc sing singer sister sit site situat "
        "six skill skin skirt sky slice slide slow smart smell smile smoke smooth snack snow social sock soft "
        "soldier solid solv somebodi someon sometim somewher son song soon sorri soul soup south speak special "
        "specif speech speed spell spend spirit sport spot spread spring squar stabl stair stamp stand star station "
        "stay steal steel stick stomach stone stori storm straight strang stranger street strength stress stretch "
        "strong struggl student studi stuff stupid subject succeed success sudden suffer sugar suggest summari "
        "summaris summer sun sunday supper suppli suppos surfac surpris surviv sweet swim symptom tail "
        "talent talk tall tast tax tea teach teacher tear ten tenni tent term terribl theater theatr therefor thick "
        "thin third thirti thought thousand three throat thursday tie tight till tini tip tire toast toe togeth "
        "tomorrow tone tonight tooth topic touch tough tour toward town toy trade tradit traffic train "
        "travel treat treatment trip troubl truck true trust truth tuesday turn twelv twenti twice typic ugli uncl "
        "understand unfortun uniform universiti unless unlik upon upset upstair usual vacat valley various veget "
        "vehicl villag visit voic volunt vote wake walk wall wallet war warm wash wast watch water wave weak wear "
        "weather wed wednesday week weekend weigh weight welcom west wet whatev wheel whenev wherev whether white "
        "whole whose wide wife wild win wind wine wing winner winter wise wish within without woman women wood "
        "workout world worri wors worst worth wound writer yard yellow yesterday yoga young yourself youth zero"
    ).split()
)
# What is done in any project, so that no record is told from another by it; but a task of nothing else is about it.
ACTIVITIES = frozenset(
    "build commit deploy document format instal lint merg migrat push rebas refactor releas review ship test".split()
)
# What `sync` itself writes on pages, or quotes on every other one: `ended with`, `exit code 1`, `the user reported`.
OURS = frozenset("answer code command end exit output pass print ran report serv task user".split())
# What developers call the same thing: English words that answer for each other; behind `;` more of them, which do so by
# half; behind `|` foreign words for the first ones; behind `>` what does that thing, which answers for it by half, and
# never the other way round.
SAME = Lexicon("same.txt")


RARE = 0.001  # the share of a word of which nothing is known


def share(term: str) -> float:
    """The part of pages about anything, of some 25 words each, on which a term is expected."""
    if term in ELSEWHERE or term in OURS or words.is_common(term):
        return 0.1
    if len(term) < 4 and term.isdecimal():
        return 0.05
    return 0.005 if term in EVERYDAY else RARE


def same(term: str) -> tuple[list[str], list[str]]:
    """What answers for a term of developers: (other words for it, what does it); nothing for any other term."""
    if term not in _found:
        means, does = list[str](), list[str]()
        for row in SAME.rows(term):
            named, _, doing = row.partition(" > ")
            english, _, foreign = named.partition("|")
            first, more = (stems(part.split()) for part in (english.partition(";")[0], english.partition(";")[2]))
            whole = first + stems(foreign.split())
            if term in whole:
                means += whole
                does += more + stems(doing.split())
            elif term in more:
                does += first + more
        _found[term] = _others(means, term), _others(does, term)
    return _found[term]


def _others(found: list[str], term: str) -> list[str]:
    return [other for other in dict.fromkeys(found) if other != term]


_found: dict[str, tuple[list[str], list[str]]] = {}
