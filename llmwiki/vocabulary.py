"""What words tell, apart from any wiki: which ones everybody uses, and which ones developers use for the same thing.

A wiki of ten pages cannot know that `dinner` is a word of everyday life. These lists stand for all the pages about
anything that it does not have, so that a chance match of such words is not taken for an answer. Everything is a stem,
as `words.terms` gives it. Loaded by the hook.
"""

from __future__ import annotations

from llmwiki import words

# What is said in any talk, about no subject: `thanks, go on` asks for nothing that a page could hold.
CHATTER = frozenset(
    (
        "again agre ahead awesom better continu cool fine go good great hello hey hi hmm lgtm longer more next nice "
        "no ok okay perfect pleas proceed right shorter sound sure tell thank tri well wonder yeah yes"
    ).split()
)
# What is in every sentence of German, French, Spanish, Portuguese, Italian and Russian.
ELSEWHERE = frozenset(
    (
        "al au auf aux avec bitt ce cett che com come comment como con cual da dan das del dem den der des di die "
        "dos du e ein einem einen einer el em en es est et fur gli ich il im ist je la las le les lo los mich mir "
        "mit na nao nicht non nous o oder os ou para pas per perch por porqu pour pourquoi qual que quel quell sind "
        "son sont sur um uma un una und une uno von warum wer wie wir wo y yo zum zur в для и из к как мы на не о "
        "от по с у что это я"
    ).split()
)
# English words of everyday life: home, food, travel, school, work, health, news.
EVERYDAY = frozenset(
    (
        "abl accept accid account across act action activ actual adult advic afraid afternoon age air airport allow "
        "almost alon along alreadi although alway amaz among amount angri anim answer anybodi anyon anyth anyway "
        "anywher apart appear appl appreci area argu arm around arriv art articl artist attack attempt attend "
        "attent attract author autumn avail averag avoid award away babi bag bake ball band bank bar basic "
        "basketbal bath bathroom beach bear beat beauti becom bed bedroom beer begin beginn behav behind believ "
        "bell belong besid big bike bill biolog bird birth birthday bit black blog blood blow blue board boat bodi "
        "boil bone book border bore born boss bother bottl bottom bowl box boy boyfriend brain brand brave bread "
        "break breakfast breath bridg brief bright brilliant bring brother brown brush bus busi butter button buy "
        "cake calm camera camp cancel cancer cannot capit captain car card care career carpet carri case castl cat "
        "catch caus celebr cell center centr centuri certain chair challeng chanc chapter charact charg chariti "
        "cheap cheer chees chef chemistri chess chicken chief child childhood children chocol choic choos christma "
        "church cinema circl citi citizen claim class classic clear climat climb clock close cloth cloud club coach "
        "coast coat coffe cold collect colleg color colour comfort comic common communiti compani compar compet "
        "competit complain complet concern concert condit confus congratul connect consid contact contain content "
        "contest contract control convers cook cooki corner cost couch count countri coupl courag cours court "
        "cousin cover crazi cream creativ credit cri crime crowd cultur cup curious curtain custom cut cute cycl "
        "dad daili damag danc danger dark date daughter dead deal dear death debt decad decid decis deep degre "
        "delici deliv dentist depend describ desert design desk dessert detail develop diet difficult dinner direct "
        "director dirti discov discuss diseas dish distanc doctor dog dollar donat door doubl doubt dozen dragon "
        "drama draw dream dress dri drink drive driver drop due dull dust duti ear earli earn earth easi east eat "
        "economi edg educ effect effort egg eight either elder elect els embarrass emot employ empti encourag end "
        "enemi energi engin enjoy enough enter entir environ equal escap especi essay even evening event ever "
        "everybodi everyon everyth everywher evid exact exam excel except excit exercis exist expect expens experi "
        "expert express extra eye face fact fair fall famili famous fan fantast far farm fashion fast fat father "
        "favor favorit favour fear feed feedback feel fellow femal festiv field fight figur fill film final financ "
        "finger finish fire fish fit five flag flat flavour fli flight floor flower flu focus folk follow food foot "
        "footbal forc foreign forest forev forget form former forward found four free freedom fresh friday friend "
        "front fruit frustrat full fun funni furnitur futur gain game garag garden gas gate general generat gentl "
        "geographi gift girl girlfriend glad glass global goal god gold golf govern grade grammar grand grandfath "
        "grandma grandmoth grandpa grass grate gray green grey groceri ground group grow guard guess guest guid "
        "guitar gun guy gym habit haiku hair half hall hand handl hang happen happi hard hate head health hear "
        "heart heat heavi height herself hide high hike hill himself histori hit hobbi hold hole holiday home "
        "honest hope hors hospit host hot hotel hour hous howev huge human hundr hungri hurt husband ice idea "
        "identifi ill imag imagin immedi impact import imposs impress inch includ incom increas incred inde "
        "industri influenc inform insid inspir instead instrument insur interest internat interview introduc invest "
        "invit island item jacket jam job jog join joke journey joy juic jump justic kick kid kill kind king kiss "
        "kitchen knee knife knock ladi lake lamp land landlord languag larg late later laugh law lawyer lay lazi "
        "lead leader leaf learn leas least leather leav left leg lemon lend less lesson letter level librari lie "
        "life lift light limerick limit lip listen literatur live local lock lone long lose loss lost loud love low "
        "luck lucki lullabi lunch lyric machin magazin magic mail main major male mall man manag map march mark "
        "market marri marriag mass master match materi math matter mayb mayor meal mean measur meat media medic "
        "medicin medium meet melodi member memori mention menu mess messag metal meter middl might mile milk "
        "million mind mine minut mirror miss mission mistak mix mobil modern mom moment monday money month mood "
        "moon morn mortgag mother motiv mountain mous mouth move movi museum music musician mysteri name narrow "
        "nation natur near necessari neck neighbor neighbour neither nervous never news newspap night nine nobodi "
        "nois none normal north nose note noth notic novel nowher nurs object ocean octob offer offic often oil "
        "onto opinion opportun orang orchestra order ordinari organiz origin otherwis ought ourselv outdoor outsid "
        "oven overal owe pack page pain paint pair pale pan paper parent park parti particular partner pass passion "
        "past path patient pattern pay peac pen pencil penguin per perform perhap period person pet philosophi "
        "phone photo physic piano pick picnic pictur piec pink pirat pizza place plain plane planet plant plastic "
        "plate play player pleasant pleasur plenti poem poet poetri polic polici polit pool poor pop popul popular "
        "posit possess post pot potato pound power practic practis prepar present presid press pressur pretti "
        "prevent previous price pride princ princess print prison privat prize probabl produc product profession "
        "program progress promis promot proper properti protect proud prove provid public pull puppi purpl purpos "
        "push qualiti quarter queen quick quiet quit race radio rain rais rang rare rate rather reach react readi "
        "real realiz reason receiv recent recip recommend record red reduc refer refus regard region regret relat "
        "relationship relax relief religion remain rememb remind rent repair repeat repli repres research respect "
        "respond rest restaur return rice rich ride ring rise risk river road rock role romant roof room round rout "
        "routin rule rush sad safe sail salad salari sale salt sand saturday save scale scari scene schedul school "
        "scienc scientist score screen sea search season seat second secret secur seek seem sell send senior sens "
        "sentenc separ serious serv servic seven sever shade shadow shake shape share sharp shelf shi shine shirt "
        "shoe shoot shop short shoulder shout shower sick side sight sign silenc silent silver similar simpl sinc "
        "sing singer singl sister sit site situat six size skill skin skirt sky sleep slice slide slow smart smell "
        "smile smoke smooth snack snow social sock soft soldier solid solv somebodi someon sometim somewher son "
        "song soon sorri sort soul soup south space speak special specif speech speed spell spend spirit sport spot "
        "spread spring squar stabl stage stair stamp stand standard star state station stay steal steel step stick "
        "stomach stone store stori storm straight strang stranger street strength stress stretch string strong "
        "struggl student studi stuff stupid style subject succeed success sudden suffer sugar suggest suit summari "
        "summaris summer sun sunday supper suppli support suppos surfac surpris surviv sweet swim symptom synonym "
        "system tabl tail talent talk tall tast tax tea teach teacher team tear ten tenni tent term terribl theater "
        "theatr therefor thick thin third thirti thought thousand three throat throw thursday ticket tie tight till "
        "tini tip tire titl toast toe togeth tomorrow tone tonight tooth top topic total touch tough tour tourist "
        "toward town toy trade tradit traffic train trait translat travel treat treatment tree trip troubl truck "
        "true trust truth tuesday turn twelv twenti twice type typic ugli uncl understand unfortun uniform uniqu "
        "unit universiti unless unlik upon upset upstair usual vacat valley various veget vehicl video view villag "
        "visit voic volunt vote wait wake walk wall wallet war warm wash wast watch water wave weak wear weather "
        "websit wed wednesday week weekend weigh weight welcom west wet whatev wheel whenev wherev whether white "
        "whole whose wide wife wild win wind window wine wing winner winter wise wish within without woman women "
        "wood workout world worri wors worst worth wound writer yard yellow yesterday yoga young yourself youth "
        "zero zone"
    ).split()
)
# What `sync` itself writes on pages, or quotes on every other one: `ended with`, `exit code 1`, `the user reported`.
OURS = frozenset("answer code command end exit output pass print ran report serv task user".split())
# What developers call the same thing, in some languages, and behind the arrow what does that thing: the first are taken
# for each other, the second answer for the first, never the other way round.
SAME = (
    (
        "depend packag librari abhangigkeit abhangigkeiten paket paquet dependencia pacot dipendenza dipendenz "
        "зависимость зависимости пакет пакеты 依赖 依存 > npm pnpm yarn bun pip pipx uv poetri conda renv"
    ),
    (
        "instal installieren installier installez instalar instala instalacao instalacion installar установить "
        "установи установка 安装 安裝"
    ),
    (
        "test testen tester testar prueba probar тест тесты тестов 测试 測試 > pytest unittest jest vitest phpunit "
        "testthat ctest rspec"
    ),
    "typecheck type typen typag tipo типы 类型 > mypi pyright tsc ty",
    "lint linter > ruff eslint flake8 pylint clippi golangci rubocop biom",
    "format formatt formatieren formatear formatar форматировать 格式 > prettier gofmt rustfmt ruff",
    (
        "deploy deployen bereitstellen deploiement desplegar despliegu implantar деплои развернуть 部署 > releas "
        "publish vercel netlifi heroku"
    ),
    "releas publish veroffentlichen publier publicar релиз опубликовать 发布 發佈",
    "commit committen коммит 提交",
    "messag nachricht nachrichten mensaj mensagem mensagen сообщение сообщения 信息 消息",
    "environ env umgebung environn entorno окружение 环境",
    "variabl variablen",
    "error failur fehler erreur ошибка ошибки 错误 錯誤 오류",
    (
        "fail fehlschlagt scheitert scheitern schlagt fehl echou echouent falla fallan falha falham fallisc падает "
        "падают 失败 失敗"
    ),
    "build bauen baue construir compil compilar собрать собери сборка 构建",
    (
        "run ausfuhren laufen lancer lanc execut ejecutar ejecuta executar rodar roda eseguir запустить запусти "
        "запуск 运行 実行"
    ),
    "server serveur servidor сервер 服务",
    "port porta puerto порт порты 端口",
    "databas db datenbank donne данных > sqlite postgr postgresql mysql psql",
    "migrat migrationen migracion migracao migraco миграция миграции 迁移",
    "directori folder ordner verzeichni dossier repertoir carpeta diretorio папка каталог 目录",
    "branch zweig rama ветка ветку 分支",
    "repo repositori",
    "config configur konfigur configuracion configuracao конфиг настроики 配置 設定",
    "document doc dokument documentacion documentacao документация 文档 > readm",
    "check prufen prufe verifi verificar проверить проверь 检查",
    "postgr postgresql pg",
    "js javascript",
    "ts typescript",
    "kubernet k8s",
    "auth authent login",
)


def share(term: str) -> float:
    """The part of pages about anything, of some 25 words each, on which a term is expected."""
    if term in ELSEWHERE or term in OURS or words.is_common(term):
        return 0.1
    if len(term) < 4 and term.isdecimal():
        return 0.05
    if term in EVERYDAY:
        return 0.005
    return 0.001


def same(term: str) -> list[str]:
    """What answers for a term of developers, without itself; [] for any other."""
    if not _GROUPS:
        for row in SAME:
            named, _, doing = row.partition(" > ")
            for name in named.split():
                _GROUPS.setdefault(name, []).extend([*named.split(), *doing.split()])
    return [other for other in _GROUPS.get(term, ()) if other != term]


_GROUPS: dict[str, list[str]] = {}
